"""The wheel in the front ends it is for: JupyterLab and Notebook, oldest and newest; plugins off;
uninstalled.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from .conftest import NOTEBOOKS, Lab, Visit, start_lab, write, write_json
from .test_reopened import CELLS as PICTURED
from .test_reopened import PICTURES, drawn_at

playwright = pytest.importorskip(
    "playwright.sync_api", reason="browser tests need the package playwright"
)
expect = playwright.expect
pytestmark = [pytest.mark.browser, pytest.mark.slow]

ROOT = Path(__file__).parents[2]
# What a person who types `pip install kgnb` in an environment with this front end gets, from the
# package index.
PLUGINS = ("settings", "mime", "insert", "languages", "completer", "commands", "panel", "versions")


@dataclass(frozen=True)
class FrontEnd:
    """One version of a front end; ``faults`` are errors it logs on any page, with our extension or
    without.

    ``beside`` shares its environment and its server, as when both are installed: half the
    environments to make.
    """

    requirement: str
    app: str
    beside: str
    faults: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return self.requirement.replace("==", "-")

    @property
    def requirements(self) -> tuple[str, str]:
        """What its environment is made of, JupyterLab first."""
        first, second = sorted((self.requirement, self.beside))
        return first, second


NOTEBOOK_FAULTS = (
    # seen in 7.6.5 with no extension of ours
    "Cannot read properties of undefined (reading 'schema')",
    # Notebook makes a document, opens a tab for it and drops what it made; it complains where that
    # was not yet drawn.
    "Cannot read properties of null (reading 'updateRenderOption')",
    "Command 'filebrowser:open-path' not registered.",
)
OLDEST_LAB = FrontEnd("jupyterlab==4.4.0", "lab", "notebook==7.4.0")
NEWEST_LAB = FrontEnd("jupyterlab", "lab", "notebook")
OLDEST_NOTEBOOK = FrontEnd("notebook==7.4.0", "notebook", "jupyterlab==4.4.0", NOTEBOOK_FAULTS)
NEWEST_NOTEBOOK = FrontEnd("notebook", "notebook", "jupyterlab", NOTEBOOK_FAULTS)
FRONT_ENDS = (OLDEST_LAB, NEWEST_LAB, OLDEST_NOTEBOOK, NEWEST_NOTEBOOK)

# A kernel whose kgnb is of another series: it says so as kgnb says it, over the same comm.
NEWER = """def newer(comm, _opened):
    comm.on_msg(lambda asked: comm.send({"version": "99.1.0", "id": asked["content"]["data"]["id"]}))

get_ipython().kernel.comm_manager.register_target("kgnb.version", newer)"""
LOAD, TABLE, GRAPH, TYPED, AGAIN, BEHIND = range(6)
CELLS = (
    "%load_ext kgnb\n%kg open huts:graph",
    "%%sparql\nSELECT ?hut ?name WHERE { ?hut rdfs:label ?name }",
    "%%sparql\nCONSTRUCT { ?hut :locatedIn ?valley }\nWHERE { ?hut a :StaffedHut ; :locatedIn ?valley }",
    "%%sparql\nSELECT ?x WHERE { ?x a hütt",  # never run: it is completed
    "%load_ext kgnb",
    NEWER,
)
OFF = (("settings", "insert", "completer", "commands"), ("mime", "languages", "panel", "versions"))
SET = 25  # rows of a page, as this server's settings have it; 10 where nobody set it
# milliseconds; in a new environment Python compiles everything that a server and a kernel import
COLD = 120_000
Serve = Callable[[FrontEnd], Lab]


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout."""
    return build_wheel(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def serve(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serve]:
    """Starts a front end in an environment of the wheel, once; the environments go away at the end."""
    started: dict[tuple[str, str], Lab] = {}
    with ExitStack() as stack:

        def start(front_end: FrontEnd) -> Lab:
            wanted = front_end.requirements
            if wanted not in started:
                home = tmp_path_factory.mktemp("-".join(wanted))
                stack.callback(shutil.rmtree, home, ignore_errors=True)
                python = environment(home / "environment", str(wheel), *wanted)
                listed = labextensions(python)
                assert re.search(r"kgnb-labextension v\S+ \S*enabled\S* \S*OK", listed), listed
                write_json(home / ROWS, {"rowsPerPage": SET})
                served = contextmanager(start_lab)(home, python=python, also=["JupyterNotebookApp"])
                started[wanted] = stack.enter_context(served)
            return replace(started[wanted], app=front_end.app)

        yield start


ROWS = "settings/kgnb-labextension/settings.jupyterlab-settings"


@pytest.mark.parametrize("front_end", FRONT_ENDS, ids=lambda front_end: front_end.name)
def test_everything_works_in(
    front_end: FrontEnd, serve: Serve, visit: Callable[[Lab], Visit]
) -> None:
    page = visit(serve(front_end))
    page.faults = front_end.faults
    open_notebook(page, write(page.lab, f"{front_end.app}.ipynb", *CELLS))
    wanted = front_end.requirement.partition("==")[2]
    assert page.page.evaluate("window.jupyterapp.version").startswith(wanted)
    assert activated(page) == set(PLUGINS)
    page.run_cells(LOAD, TABLE, GRAPH)
    assert page.page.locator("[data-mime-type='application/vnd.jupyter.error']").count() == 0
    expect(page.result(TABLE).locator(".kgnb-table .kgnb-row")).to_have_count(SET)
    expect(page.result(GRAPH).locator(".kgnb-graph .kgnb-graph-entry")).to_have_count(10)
    assert page.mime_types()[: TYPED + 1] == ["text/x-kgnb-magics", *["text/x-kgnb-sparql"] * 3]
    assert labelled(page)
    expect(page.panel()).to_contain_text("2,124 triples")
    page.save()
    page.run_cells(AGAIN)
    expect(page.page.locator(".Toastify__toast", has_text="kgnb")).to_have_count(
        0
    )  # a busy server may complain
    begin_from_the_menu(page)


def test_pictures_are_there_when_a_notebook_is_opened_again_in_notebook(
    serve: Serve, visit: Callable[[Lab], Visit]
) -> None:
    lab = serve(NEWEST_NOTEBOOK)
    settings = lab.folder.parent / NOTEBOOKS
    before = settings.read_text(encoding="utf-8")
    write_json(settings, {"windowingMode": "defer"})  # as it is where nobody has set it
    try:
        first = visit(lab)
        first.faults = NEWEST_NOTEBOOK.faults
        name = write(lab, "pictures.ipynb", *PICTURED)
        open_notebook(first, name)
        first.run_all()
        assert all(drawn_at(first, number) for number in range(1, PICTURES + 1))
        first.save()
        first.page.wait_for_function(
            "!window.jupyterapp.shell.currentWidget.context.model.dirty", timeout=first.patience
        )
        first.page.close()
        again = visit(lab)
        again.faults = NEWEST_NOTEBOOK.faults
        open_notebook(again, name)
        assert all(drawn_at(again, number) for number in range(1, PICTURES + 1))
        again.page.close()
    finally:
        settings.write_text(before, encoding="utf-8")


def test_an_entity_page_and_a_review_go_by_keyboard_in_notebook(
    serve: Serve, visit: Callable[[Lab], Visit]
) -> None:
    lab = serve(NEWEST_NOTEBOOK)
    page = visit(lab)
    page.faults = NEWEST_NOTEBOOK.faults
    matched = "%om start huts:alpine huts:refuge --embedder characters\n%om run"
    cells = (*CELLS[:2], matched, "%om review")
    open_notebook(page, write(lab, "keys.ipynb", *cells))
    page.run_cells(*range(len(cells)))
    press = page.page.keyboard.press
    page.result(TABLE).locator(".kgnb-iri-label").first.focus()
    press("Enter")
    shown = page.page.locator(".kgnb-entity")
    expect(shown).to_contain_text("What is said of it")
    expect(page.page.locator(".kgnb-run-area")).to_be_focused()
    press("Escape")
    assert page.page.evaluate("document.activeElement.closest('.jp-Notebook') !== null")
    queue = page.page.locator(".kgnb-review")
    queue.locator(".kgnb-review-scroll").focus()
    press("o")
    expect(queue.locator(".kgnb-review-detail")).to_contain_text("agreement")
    press("r")
    expect(queue.locator(".kgnb-review-status")).to_contain_text("None fits", timeout=COLD)
    # no shortcut of Notebook's went off: no cell is cut, hidden or of another kind
    sources = "window.jupyterapp.shell.currentWidget.content.widgets.map(c => c.model.type)"
    assert page.page.evaluate(sources) == ["code"] * len(cells)
    expect(page.page.locator(".jp-Notebook .jp-Placeholder")).to_have_count(0)


def test_with_half_the_plugins_off_the_others_work(
    serve: Serve, visit: Callable[[Lab], Visit]
) -> None:
    lab = serve(NEWEST_LAB)
    name = write(lab, "off.ipynb", *CELLS)
    config = lab.folder.parent / "config/labconfig/page_config.json"
    try:
        for off in OFF:
            write_json(
                config,
                {"disabledExtensions": {f"kgnb-labextension:{plugin}": True for plugin in off}},
            )
            page = visit(lab)
            open_notebook(page, name)
            if off == OFF[0]:
                page.run_cells(
                    LOAD, TABLE, GRAPH, BEHIND
                )  # the kernel, and what is saved, stay for the other pages
                page.save()
            assert activated(page) == set(PLUGINS) - set(off)
            working = what_works(page)
            assert working == set(PLUGINS) - set(off) - (
                {"settings"} if "mime" in off else set()
            ), off
            page.page.close()
    finally:
        config.unlink()


def what_works(page: Visit) -> set[str]:
    """The plugins whose work is seen on the page. That of ``settings`` is seen in a table, which
    ``mime`` draws.
    """
    page.run_cells(AGAIN)
    page.page.wait_for_function(
        "window.jupyterapp.shell.currentWidget.content.widgets[1].outputArea.widgets.length"
    )
    rows = page.page.locator(".kgnb-table .kgnb-row")
    event = (
        "new CustomEvent('kgnb:insert-cell', { detail: { source: '%kg list' }, cancelable: true })"
    )
    works = {
        "mime": page.page.locator(".kgnb-table").count() > 0
        and page.page.locator(".kgnb-graph").count() == 1,
        "settings": rows.count() > 0 and page.result(TABLE).locator(".kgnb-row").count() == SET,
        "languages": page.mime_types()[TYPED] == "text/x-kgnb-sparql",
        "completer": labelled(page),
        "commands": page.page.evaluate(
            "window.jupyterapp.commands.hasCommand('kgnb:new-notebook')"
        ),
        "panel": page.page.get_by_role("tab", name="Knowledge graphs").count() == 1,
        "versions": page.page.locator(
            ".Toastify__toast", has_text="pip install kgnb==99.1.0"
        ).count()
        == 1,
        "insert": page.page.evaluate(f"!document.dispatchEvent({event})"),
    }
    if works["panel"]:
        expect(page.panel()).to_contain_text("2,124 triples")
    return {name for name, seen in works.items() if seen}


def test_uninstalling_leaves_nothing(wheel: Path, tmp_path: Path) -> None:
    place = tmp_path / "environment"
    python = environment(place, "jupyterlab")
    before = files(place)
    environment(place, str(wheel), dependencies=False)
    assert "kgnb-labextension" in labextensions(python)
    run(
        str(python), "-m", "compileall", "-q", *map(str, place.glob("lib/*/site-packages/kgnb"))
    )  # as use does
    assert len(files(place) - before) > 300
    said = run(sys.executable, "-m", "pip", "--python", str(python), "uninstall", "--yes", "kgnb")
    assert "Successfully uninstalled kgnb" in said
    assert files(place) - before == set()
    assert "kgnb" not in labextensions(python)
    assert [*place.rglob("*kgnb*")] == []
    shutil.rmtree(place)


def labextensions(python: Path) -> str:
    return run(str(python.with_name("jupyter-labextension")), "list")


def files(place: Path) -> set[str]:
    """The files and folders of an environment, but what Python made of those that were there
    before.
    """
    found = (path.relative_to(place).as_posix() for path in place.rglob("*"))
    return {path for path in found if "__pycache__" not in path or "kgnb" in path}


def open_notebook(page: Visit, name: str) -> None:
    page.patience = COLD
    page.page.set_default_timeout(COLD)
    page.open(name)
    page.page.wait_for_function(
        "window.jupyterapp.isPluginActivated('@jupyterlab/apputils-extension:notification')"
    )


def activated(page: Visit) -> set[str]:
    """The plugins of ours that run, without their prefix."""
    script = """() => window.jupyterapp.listPlugins()
        .filter(id => id.startsWith('kgnb-labextension:') && window.jupyterapp.isPluginActivated(id))"""
    return {str(found).partition(":")[2] for found in page.page.evaluate(script)}


def labelled(page: Visit) -> bool:
    """Whether a class is offered with its label. A busy kernel may be late, and JupyterLab waits a
    second for it: then nothing opens, or what others offer, and a person presses the key again.
    """
    return any("bewirtschaftete Hütte" in " ".join(completions(page)) for _ in range(12))


def completions(page: Visit) -> list[str]:
    """What the Tab key offers at the end of the query that is being typed."""
    offered = page.complete(TYPED)
    with suppress(playwright.TimeoutError):
        offered.filter(has_text=":StaffedHut").first.wait_for(timeout=5_000)
    found: list[str] = offered.all_inner_texts()
    page.page.keyboard.press("Escape")
    page.page.keyboard.press("Escape")
    return found


def begin_from_the_menu(page: Visit) -> None:
    """File > New > New KG notebook, and its first template: JupyterLab shows it beside, Notebook in
    its own tab.
    """
    page.page.get_by_role("menuitem", name="File", exact=True).click()
    item: Any = page.page.locator(".lm-Menu-item")
    item.filter(has_text="New").first.hover()
    new = item.filter(has_text="New KG notebook")
    expect(new).to_be_visible()
    if page.lab.app == "lab":
        new.click()
        begin(page.page)
        page.page.wait_for_function(BEGUN)
        return
    with page.page.context.expect_page(timeout=COLD) as opened:
        new.click()
        begin(page.page)
    opened.value.wait_for_function(BEGUN, timeout=COLD)
    opened.value.close()


def begin(page: Any) -> None:
    page.locator(".jp-Dialog").get_by_text("Empty", exact=True).click()
    page.locator(".jp-Dialog .jp-mod-accept").click()


BEGUN = """window.jupyterapp?.shell.currentWidget?.content?.model?.cells?.get(0)?.sharedModel.getSource()
    === '%load_ext kgnb'"""


def build_wheel(place: Path) -> Path:
    """The wheel of this checkout, with the front end as it was built last (it is built if it never
    was).
    """
    run(
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--quiet",
        "--no-deps",
        "--wheel-dir",
        str(place),
        str(ROOT),
    )
    (wheel,) = place.glob("kgnb-*.whl")
    return wheel


def environment(place: Path, *requirements: str, dependencies: bool = True) -> Path:
    """A new environment, or more in one that is there; its Python. Without a package index:
    skipped, but not in CI.
    """
    python = place / "bin" / "python"
    try:
        if not python.exists():
            run(
                sys.executable,
                "-m",
                "uv",
                "venv",
                "--quiet",
                "--python",
                sys.executable,
                str(place),
            )
        more = () if dependencies else ("--no-deps",)
        run(
            sys.executable,
            "-m",
            "uv",
            "pip",
            "install",
            "--quiet",
            "--python",
            str(python),
            *more,
            *requirements,
        )
    except subprocess.CalledProcessError as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(
            f"no environment for the test could be made; is a package index at hand? {error.stderr[-300:]}"
        )
    return python


def run(*command: str) -> str:
    """What a command says; one that fails raises CalledProcessError, its words printed."""
    try:
        # the oldest versions are tried, whatever versions this machine is held to
        ours = {k: v for k, v in os.environ.items() if not k.endswith("_CONSTRAINT")}
        done = subprocess.run(
            command, check=True, capture_output=True, text=True, timeout=600, env=ours
        )
    except subprocess.CalledProcessError as error:
        print(error.stdout[-2000:], error.stderr[-4000:])
        raise
    return done.stdout + done.stderr

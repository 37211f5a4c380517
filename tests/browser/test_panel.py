"""The panel as the agents' control room: a run watched and stopped, its trace, queues, all of it by
keyboard.
"""

import json
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.llm.stub_server import StubServer

from .conftest import PATIENCE, SHADES, Lab, Visit, write

expect = pytest.importorskip(
    "playwright.sync_api", reason="browser tests need the package playwright"
).expect
pytestmark = pytest.mark.browser

ANY_NUMBER = re.compile("[0-9]+")
FURTHER = """first => Number(document.querySelector('.kgnb-panel-working [role=progressbar]')
    .getAttribute('aria-valuenow')) > first"""
MATCHING = ("%om retrieve", "%om store", "%om search", "%om summarise")
PRICES = 'date = 2026-11-01\n[models."stub"]\nprompt = 2.0\ncompletion = 8.0\n'
SETTINGS = '[model]\nname = "stub"\nbase_url = "{url}"\nprices = "prices.toml"\nwidth = 1\n'


def first_option(body: Mapping[str, Any]) -> str:
    """The reply that takes the first option of every question."""
    numbers = re.findall(r"^##\w+ question (\d+)$", body["messages"][1]["content"], re.M)
    first = {"why": "so", "letter": "A", "decision": "equivalent", "confidence": 0.9}
    return json.dumps({"answers": [{"question": int(number), **first} for number in numbers]})


@pytest.fixture
def slow() -> Iterator[StubServer]:
    """A model that takes its time and always says the first: a simulation."""
    with StubServer(first_option, delay=2.5) as server:
        yield server


def figure(run: Any, heading: str) -> str:
    """What stands under a heading of a run's figures."""
    shown: str = (
        run.locator("dl div", has=run.page.get_by_text(heading, exact=True))
        .locator("dd")
        .inner_text()
    )
    return shown


def test_a_run_is_watched_while_it_goes_on_and_stopped(
    lab: Lab, visit: Callable[[Lab], Visit], slow: StubServer
) -> None:
    folder = Path(
        tempfile.mkdtemp(prefix="live-", dir=lab.folder)
    )  # another one when it is tried again
    (folder / "prices.toml").write_text(PRICES, encoding="utf-8")
    (folder / "kgnb.toml").write_text(SETTINGS.format(url=slow.url), encoding="utf-8")
    start = "%om start huts:alpine huts:refuge --embedder characters --judge model"
    page = visit(lab)
    page.open(
        write(
            lab,
            f"{folder.name}/live.ipynb",
            "%load_ext kgnb\n%kg trust",
            start,
            *MATCHING,
            "%om validate",
        )
    )
    panel = page.panel()
    for number in range(2 + len(MATCHING)):
        page.begin_cell(number)
    page.until_idle()
    expect(panel).to_contain_text("up to summarise")
    page.begin_cell(2 + len(MATCHING))
    working = panel.locator(".kgnb-panel-working")
    bar = working.get_by_role("progressbar", name="Progress of validate")
    expect(bar).to_have_attribute("aria-valuenow", ANY_NUMBER, timeout=PATIENCE)
    first = int(bar.get_attribute("aria-valuenow"))
    page.page.wait_for_function(FURTHER, arg=first)
    assert page.serious("#kgnb-panel") == []
    panel.get_by_role("button", name="Open the run 1. Ontology matching").press("Enter")
    trace = page.page.locator(".kgnb-run-area .kgnb-run")
    expect(trace.locator(".kgnb-step", has_text="validate")).to_contain_text("running")
    calls = trace.locator(".kgnb-totals div", has_text="Model calls").locator("dd")
    seen = calls.inner_text()
    expect(calls).not_to_have_text(seen, timeout=PATIENCE)  # an opened trace goes on as well
    assert figure(working, "Cost").startswith("$0.0")
    assert int(figure(working, "Tokens").replace(",", "")) > 1000
    working.get_by_role("button", name="Stop this run").press("Enter")
    expect(working).to_have_count(0, timeout=5000)
    run = panel.locator(".kgnb-panel-run")
    expect(run).to_contain_text("cancelled")
    expect(trace.locator(".kgnb-badge")).to_have_text("cancelled")
    page.page.locator(".lm-DockPanel-tabBar").get_by_role("tab", name="live.ipynb").click()
    page.until_idle()
    asked = len(slow.requests)
    page.page.wait_for_timeout(2000)
    assert len(slow.requests) == asked  # nobody goes on asking behind the person's back
    assert int(figure(run, "Calls")) <= asked


CELLS = (
    "%load_ext kgnb\n%kg open huts:graph",
    "%om start huts:alpine huts:refuge --embedder characters --judge person --decisions mine.jsonl",
    "%om retrieve",
    "%om store\n%om search\n%om summarise",
    "%om validate",
    "from kgnb.run import Run\nwith Run('entity_alignment', folder='reports/huts/run') as run: run.do(len, 'huts')",
)
SEARCH_CELL = CELLS[3]
ACTIVE = "window.jupyterapp.shell.currentWidget.content.activeCell.model.sharedModel.getSource()"


@pytest.fixture(scope="module")
def opened(lab: Lab, visit: Callable[[Lab], Visit]) -> Visit:
    """A notebook in which a matching waits for a person. No test answers, which would change the
    run.
    """
    (lab.folder / "worked").mkdir(exist_ok=True)
    page = visit(lab)
    page.open(write(lab, "worked/worked.ipynb", *CELLS))
    page.run_all()
    return page


@pytest.fixture
def worked(opened: Visit) -> Visit:
    """The same notebook for all tests: in front, without what another test has opened beside it."""
    script = """() => { const { shell } = window.jupyterapp;
        for (const widget of [...shell.widgets('main')]) {
            if (widget.id.startsWith('kgnb-run')) { widget.close(); } else { shell.activateById(widget.id); }
        } }"""
    opened.page.evaluate(script)
    expect(opened.page.locator(".kgnb-run-area")).to_have_count(0)
    opened.until_idle()
    return opened


def test_a_trace_is_filtered_and_searched_and_leads_back_to_the_cell(worked: Visit) -> None:
    panel = worked.panel()
    panel.get_by_role("button", name="Open the run 1. Ontology matching").press("Enter")
    trace = worked.page.locator(".kgnb-run-area .kgnb-run")
    steps = trace.locator(".kgnb-step")
    expect(steps).to_have_count(5)
    trace.get_by_label("Search this run").press_sequentially("summarise")
    expect(steps).to_have_count(1)
    trace.get_by_label("Search this run").fill("")
    trace.get_by_role("button", name="to look at").press("Enter")
    expect(steps).to_have_count(1)
    expect(trace.locator(".kgnb-judgement").first).to_contain_text("unsure")
    for shade in SHADES:
        worked.theme(shade)
        assert worked.serious(".kgnb-run-area") == []
    trace.get_by_role("button", name="to look at").press("Enter")
    trace.get_by_role("button", name="Show the cell that made search").press("Enter")
    expect(worked.page.locator(".jp-NotebookPanel:not(.lm-mod-hidden)")).to_be_visible()
    assert worked.page.evaluate(ACTIVE) == SEARCH_CELL
    panel.get_by_role("button", name="Open the run 1. Ontology matching").press("Enter")
    expect(worked.page.locator(".kgnb-run-area")).to_have_count(
        1
    )  # the trace that is open, not a second one


def test_a_saved_run_is_listed_and_opens(worked: Visit) -> None:
    panel = worked.panel()
    panel.get_by_role("button", name="Open the run reports/huts").press("Enter")
    opened = worked.page.locator(".lm-DockPanel-widget:not(.lm-mod-hidden) .kgnb-run")
    expect(opened.locator(".kgnb-caption")).to_have_text("entity alignment")
    expect(opened.locator(".kgnb-step")).to_have_count(1)


def test_a_queue_that_waits_is_listed_and_opens(worked: Visit) -> None:
    panel = worked.panel()
    waiting = panel.locator(".kgnb-panel-section", has_text="Waiting for you")
    expect(waiting).to_contain_text("Ontology matching")
    expect(waiting).to_contain_text("questions wait")
    many = int(re.findall(r"(\d+) questions wait", waiting.inner_text())[0])
    assert many > 50
    cells = worked.page.locator(".jp-Notebook .jp-Cell")
    before = cells.count()
    for _ in range(2):  # the second time the same cell runs again
        waiting.get_by_role("button", name="Answer what waits: %om review").press("Enter")
        expect(worked.page.locator(".kgnb-review")).to_have_count(1, timeout=PATIENCE)
        worked.until_idle()
    assert cells.count() == before + 1
    queue = worked.page.locator(".kgnb-review")
    # what the panel counted is what the review asks
    expect(queue.get_by_label("Show")).to_contain_text(f"waiting ({many})")
    for shade in SHADES:
        worked.theme(shade)
        assert worked.serious(".kgnb-review") == []
    # The panel follows what is decided, without a cell being run.
    for key, left in (("r", many - 1), ("u", many)):
        queue.locator(".kgnb-review-scroll").press(key)
        expect(waiting).to_contain_text(f"{left} questions wait", timeout=PATIENCE)


def test_everything_in_the_panel_is_reached_by_tab_and_a_cell_inserted_by_enter(
    worked: Visit,
) -> None:
    panel = worked.panel()
    for drawn in (
        "Insert a cell: %om merge",
        "Open the run 1. Ontology matching",
        "Open the run reports/huts",
    ):
        expect(panel.get_by_role("button", name=drawn)).to_be_visible(
            timeout=PATIENCE
        )  # the kernel has answered
    buttons = panel.locator(
        "button:visible, input:visible"
    )  # all that can be pressed or typed into
    names = [button.get_attribute("aria-label") or button.inner_text() for button in buttons.all()]
    assert len(names) > 12
    buttons.first.focus()
    reached = []
    for _ in names:
        reached.append(worked.page.evaluate(FOCUSED))
        ring = worked.page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        if len(reached) > 1:  # the first was not reached by a key
            assert ring == "solid", f"no ring around {reached[-1]}"
        worked.page.keyboard.press("Tab")
    assert reached == names
    line = "Insert a cell: %om merge"
    buttons.first.focus()
    while worked.page.evaluate(FOCUSED) != line:
        worked.page.keyboard.press("Tab")
    before = worked.page.locator(".jp-Notebook .jp-Cell").count()
    worked.page.keyboard.press("Enter")
    expect(worked.page.locator(".jp-Notebook .jp-Cell")).to_have_count(before + 1)
    expect(
        worked.page.locator(".jp-Notebook .jp-Cell .cm-content", has_text="%om merge")
    ).to_have_count(1)


FOCUSED = "document.activeElement.getAttribute('aria-label') || document.activeElement.innerText"


def test_a_file_is_dragged_from_the_file_browser_over_the_tab_onto_the_panel(
    lab: Lab, visit: Callable[[Lab], Visit]
) -> None:
    folder = Path(tempfile.mkdtemp(prefix="drop-", dir=lab.folder))
    (folder / "two boats.csv").write_text("Nr.;Boat\n1;Wilma\n2;Elke\n", encoding="utf-8")
    page = visit(lab)
    page.open(write(lab, f"{folder.name}/drop.ipynb", "%load_ext kgnb"))
    page.run_all()
    folded = page.page.locator("#kgnb-panel")
    if folded.is_visible():
        page.page.get_by_role("tab", name="File Browser").click()
    go = "path => window.jupyterapp.commands.execute('filebrowser:open-path', { path })"
    page.page.evaluate(go, folder.name)
    mouse = page.page.mouse
    page.page.locator(".jp-DirListing-item", has_text="two boats.csv").hover()
    mouse.down()
    for target in (page.page.get_by_role("tab", name="Knowledge graphs"), folded):
        box = target.bounding_box()
        assert box is not None
        mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, steps=12)
        expect(folded).to_be_visible()
    mouse.up()
    expect(page.page.locator(".jp-Cell .cm-content").last).to_have_text('%kg open "two boats.csv"')
    expect(folded).to_contain_text("two boats.csv")


def test_a_file_opened_from_its_menu_shows_what_is_in_it(
    lab: Lab, visit: Callable[[Lab], Visit]
) -> None:
    folder = Path(tempfile.mkdtemp(prefix="menu-", dir=lab.folder))
    (folder / "buoys.tsv").write_text("no\tbuoy\tdepth\n1\tEast\t12\n2\tWest\t9\n", "utf-8")
    page = visit(lab)
    page.open(write(lab, f"{folder.name}/menu.ipynb", "%load_ext kgnb"))
    page.run_all()
    tab = page.page.get_by_role("tab", name="File Browser")
    if tab.get_attribute("aria-selected") != "true":
        tab.click()
    go = "path => window.jupyterapp.commands.execute('filebrowser:open-path', { path })"
    page.page.evaluate(go, folder.name)
    page.page.locator(".jp-DirListing-item", has_text="buoys.tsv").click(button="right")
    page.page.locator(".lm-Menu-item:visible", has_text="Open as graph").click()
    panel = page.page.locator("#kgnb-panel")
    expect(panel).to_contain_text("1 class", timeout=PATIENCE)
    expect(panel.get_by_role("button", name="Insert a query for buoys")).to_be_visible()

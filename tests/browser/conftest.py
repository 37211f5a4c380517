"""JupyterLab in a real chromium: a server with its own folders, a browser, and proof that nothing
leaves loopback.
"""

import json
import os
import secrets
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import nbformat
import pytest

from tests.ports import free_port

try:
    from playwright import sync_api
except ImportError:  # the test modules skip themselves; a conftest cannot
    sync_api = None  # type: ignore[assignment]

CHROMIUM = (
    shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
)
PATIENCE = 30_000  # milliseconds; a busy machine takes its time to start a kernel
AXE = Path(__file__).parents[2] / "extension" / "node_modules" / "axe-core" / "axe.min.js"
NEWS = "settings/@jupyterlab/apputils-extension/notification.jupyterlab-settings"
NOTEBOOKS = "settings/@jupyterlab/notebook-extension/tracker.jupyterlab-settings"
IMPACTS = ("minor", "moderate", "serious", "critical")
# The body of JupyterLab's page is 0 pixels high and hides what flows over: axe would take all text
# for unseen, and measure no contrast at all.
# And text that is scrolled out of sight it takes for hidden: contrast is measured part by part,
# where a reader sees it.
RUN_AXE = """async selector => {
  document.body.style.height = '100vh';
  try {
    const found = await axe.run(selector, { rules: { 'color-contrast': { enabled: false } } });
    for (const part of document.querySelectorAll(selector)) {
      if (part.getClientRects().length === 0) continue;
      part.scrollIntoView({ block: 'start', behavior: 'instant' });
      const seen = await axe.run(part, { runOnly: ['color-contrast'] });
      for (const kind of ['passes', 'incomplete', 'violations']) found[kind].push(...seen[kind]);
    }
    return found;
  } finally { document.body.style.height = ''; }
}"""
SHADES = ("JupyterLab Light", "JupyterLab Dark")
CHOOSE = """([number, mode]) => {
  const { content } = window.jupyterapp.shell.currentWidget;
  content.activeCellIndex = number;
  content.deselectAll();
  content.mode = mode;
  if (mode !== 'edit') return;
  const { editor } = content.activeCell;
  editor.focus();
  editor.setCursorPosition(editor.getPositionAt(editor.model.sharedModel.getSource().length));
}"""
# What the server or the browser says on any page, ours or not; JupyterLab, where two of its
# windows meet; and ipywidgets, where a widget's kernel is gone.
HARMLESS = (
    "favicon",
    "/lsp/status",
    "preload",
    "WebSocket",
    "Failed to load resource: net::ERR_NETWORK_CHANGED",
    "Window name candidate",
    "widget model not found",
)


@dataclass
class Lab:
    """A running server, the folder it serves, and in which of its front ends pages open: the lab or
    the notebook.
    """

    url: str
    token: str
    folder: Path
    app: str = "lab"

    def page_url(self, path: str) -> str:
        place = "notebooks" if self.app == "notebook" else "lab/tree"
        return f"{self.url}/{place}/{path}?token={self.token}&reset"


@dataclass
class Visit:
    """One page in one browser context, with everything it asked for and complained about."""

    page: Any
    lab: Lab
    patience: int = PATIENCE
    faults: tuple[
        str, ...
    ] = ()  # what this front end complains of with no extension of ours as well
    outside: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def open(self, path: str) -> None:
        """Open a notebook and wait until its kernel is at rest."""
        self.page.goto(self.lab.page_url(path))
        self.page.wait_for_selector(
            ".jp-NotebookPanel:not(.lm-mod-hidden) .jp-Notebook", timeout=self.patience
        )
        self.until_idle()

    def run_all(self) -> None:
        """Run every cell and wait until the kernel is at rest again."""
        self.page.evaluate("window.jupyterapp.commands.execute('notebook:run-all-cells')")
        self.until_idle()

    def until_idle(self) -> None:
        self.page.wait_for_function(
            "window.jupyterapp.shell.currentWidget?.sessionContext?.session?.kernel?.status === 'idle'"
            " && !document.querySelector('.jp-Notebook .jp-InputPrompt')?.textContent.includes('*')",
            timeout=self.patience,
        )

    def save(self) -> None:
        """Save the notebook."""
        self.page.evaluate("window.jupyterapp.commands.execute('docmanager:save')")

    def theme(self, name: str) -> None:
        """Switch to a theme: "JupyterLab Light" or "JupyterLab Dark"."""
        self.page.evaluate(
            "theme => window.jupyterapp.commands.execute('apputils:change-theme', { theme })", name
        )
        light = str("Light" in name).lower()
        self.page.wait_for_selector(f"body[data-jp-theme-light='{light}']", state="attached")
        self.page.wait_for_selector(
            "#jupyterlab-splash", state="detached"
        )  # it lies over everything, half transparent

    def barriers(self, selector: str, impacts: Container[str] = IMPACTS) -> list[str]:
        """What axe finds in the way of people who use a keyboard, a screen reader or need contrast."""
        if not AXE.is_file():
            pytest.skip("the check for barriers needs axe-core: run `npm ci` in extension/")
        self.page.evaluate(AXE.read_text(encoding="utf-8"))
        found = self.page.evaluate(RUN_AXE, selector)
        contrast = [
            node
            for check in found["passes"]
            if check["id"] == "color-contrast"
            for node in check["nodes"]
        ]
        measured = [node for node in contrast if "sufficient" in node["any"][0]["message"]]
        assert measured, "axe has measured no contrast"
        return [
            f"{violation['id']}: {node['html'][:200]} {node['failureSummary']}"
            for violation in found["violations"]
            if violation["impact"] in impacts
            for node in violation["nodes"]
        ]

    def serious(self, selector: str) -> list[str]:
        """What axe calls serious or critical, contrast among it."""
        return self.barriers(selector, ("serious", "critical"))

    def panel(self) -> Any:
        """Our panel, opened as a person does: by its tab, and in Notebook, which has none, from the
        menu.
        """
        tab = self.page.get_by_role("tab", name="Knowledge graphs")
        if self.lab.app == "notebook":
            self.page.get_by_role("menuitem", name="View", exact=True).click()
            for name in ("Left Sidebar", "Show Knowledge graphs"):
                self.page.locator(".lm-Menu-item", has_text=name).click()
        elif tab.get_attribute("aria-selected") != "true":
            tab.click()
        return self.page.locator("#kgnb-panel")

    def begin_cell(self, number: int) -> None:
        """Run the n-th cell and do not wait for it."""
        self.page.evaluate(CHOOSE, [number, "command"])
        self.page.evaluate("void window.jupyterapp.commands.execute('notebook:run-cell')")

    def run_cells(self, *numbers: int) -> None:
        """Run these cells, one after the other, and wait until the kernel is at rest."""
        for number in numbers:
            self.page.evaluate(CHOOSE, [number, "command"])
            self.page.evaluate("window.jupyterapp.commands.execute('notebook:run-cell')")
        self.until_idle()

    def complete(self, number: int) -> Any:
        """Press Tab at the end of the n-th cell, as one who types there; what is offered."""
        self.page.evaluate(CHOOSE, [number, "edit"])
        self.page.keyboard.press("Tab")
        return self.page.locator(".jp-Completer:not(.lm-mod-hidden) .jp-Completer-item")

    def mime_types(self) -> list[str]:
        """What each cell is taken to hold."""
        script = (
            "window.jupyterapp.shell.currentWidget.content.widgets.map(cell => cell.model.mimeType)"
        )
        found: list[str] = self.page.evaluate(script)
        return found

    def cell(self, number: int) -> Any:
        """The n-th cell, counted from 0."""
        return self.page.locator(".jp-Notebook .jp-Cell").nth(number)

    def result(self, number: int) -> Any:
        """The output of the n-th cell, counted from 0, scrolled into view."""
        output = self.cell(number).locator(".jp-OutputArea-output").first
        output.scroll_into_view_if_needed()
        return output


def write(lab: Lab, name: str, *cells: str) -> str:
    """Writes a notebook of these cells into the folder of a server; its name."""
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    book.metadata["kernelspec"] = {
        "name": "python3",
        "display_name": "Python 3",
        "language": "python",
    }
    nbformat.write(book, lab.folder / name)
    return name


def write_json(file: Path, content: object) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(content), encoding="utf-8")


def start_lab(
    home: Path,
    labextensions: bool = True,
    *,
    python: str | Path = sys.executable,
    also: Iterable[str] = (),
    windowing: str = "none",
) -> Iterator[Lab]:
    """Serve ``home / "work"`` in JupyterLab, our extension on or off, and in the apps ``also`` is
    about; then stop. ``windowing`` is JupyterLab's setting: "none" keeps cells off the screen
    attached, "full" takes them off, and "defer" is what a person has who never touched it.
    """
    work = home / "work"
    work.mkdir(parents=True, exist_ok=True)
    # No pop-up about news, which would ask the network.
    write_json(home / NEWS, {"fetchNews": "false", "checkForUpdates": False})
    write_json(home / NOTEBOOKS, {"windowingMode": windowing})
    if not labextensions:
        write_json(
            home / "config/labconfig/page_config.json",
            {"disabledExtensions": {"kgnb-labextension": True}},
        )
    port, token = free_port(), secrets.token_hex(16)
    environment = os.environ | {
        "JUPYTER_CONFIG_DIR": str(home / "config"),
        "JUPYTER_DATA_DIR": str(home / "data"),
        "JUPYTER_RUNTIME_DIR": str(home / "runtime"),
        "IPYTHONDIR": str(home / "ipython"),
        "JUPYTERLAB_SETTINGS_DIR": str(home / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(home / "workspaces"),
        "KGNB_CACHE": str(home / "cache"),
    }
    command = [
        str(python),
        "-m",
        "jupyterlab",
        "--no-browser",
        "--allow-root",
        "--ip=127.0.0.1",
        f"--port={port}",
    ]
    command += [
        "--ServerApp.port_retries=0",
        f"--IdentityProvider.token={token}",
        f"--ServerApp.root_dir={work}",
    ]
    command += [
        "--LabApp.news_url=",
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
    ]
    command += ["--LabApp.extension_manager=readonly", "--expose-app-in-browser"]
    command += [f"--{other}.expose_app_in_browser=True" for other in also]
    log = home / "server.log"
    with log.open("wb") as out:
        server = subprocess.Popen(
            command, cwd=work, env=environment, stdout=out, stderr=subprocess.STDOUT
        )
        try:
            lab = Lab(f"http://127.0.0.1:{port}", token, work)
            wait_for(lab, server, log)
            yield lab
        finally:
            server.terminate()
            try:
                server.wait(20)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()


def wait_for(lab: Lab, server: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + 240
    while time.monotonic() < deadline:
        if server.poll() is not None:
            break
        try:
            with urllib.request.urlopen(f"{lab.url}/api/status?token={lab.token}", timeout=5):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    raise RuntimeError(f"JupyterLab did not start:\n{log.read_text(errors='replace')[-4000:]}")


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory, kept_vectors: Path) -> Iterator[Lab]:
    """JupyterLab with our extension."""
    home = tmp_path_factory.mktemp("lab")
    (home / "cache").mkdir()
    (home / "cache" / "vectors.sqlite").symlink_to(kept_vectors)
    yield from start_lab(home, labextensions=True)


@pytest.fixture(scope="session")
def lab_without_extension(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """JupyterLab with our extension disabled."""
    yield from start_lab(tmp_path_factory.mktemp("plain-lab"), labextensions=False)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """One chromium for all tests."""
    if CHROMIUM is None:
        pytest.skip("browser tests need chromium on the PATH")
    flags = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--hide-scrollbars"]
    with sync_api.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=CHROMIUM, args=flags)
        yield started
        started.close()


@pytest.fixture(scope="session")
def contexts(browser: Any) -> Iterator[Callable[[Lab], Any]]:
    """A browser context for each server: its pages share one cache, so that only the first loads
    the front end.
    """
    opened: dict[str, Any] = {}

    def of(lab: Lab) -> Any:
        if lab.url not in opened:
            context = browser.new_context(viewport={"width": 1280, "height": 1000})
            context.grant_permissions(["clipboard-read", "clipboard-write"], origin=lab.url)
            context.set_default_timeout(PATIENCE)
            opened[lab.url] = context
        return opened[lab.url]

    yield of
    for context in opened.values():
        context.close()


@pytest.fixture(scope="module")
def visit(contexts: Callable[[Lab], Any]) -> Iterator[Callable[[Lab], Visit]]:
    """Opens pages; at the end no page may have asked for anything but loopback, nor logged an
    error.
    """
    visits: list[Visit] = []

    def open_page(lab: Lab) -> Visit:
        visit = Visit(contexts(lab).new_page(), lab)
        visit.page.on("request", lambda request: note_request(visit, request.url))
        visit.page.on("console", lambda message: note_console(visit, message))
        visit.page.on("pageerror", lambda error: note_complaint(visit, str(error)))
        visits.append(visit)
        return visit

    sync_api.expect.set_options(timeout=20_000)
    yield open_page
    for visit in visits:
        visit.page.close()
    assert [url for visit in visits for url in visit.outside] == [], "a request left this machine"
    assert [text for visit in visits for text in visit.complaints if text not in visit.faults] == []


def note_request(visit: Visit, url: str) -> None:
    parts = urlsplit(url)
    if parts.scheme in ("http", "https", "ws", "wss") and parts.hostname not in (
        "127.0.0.1",
        "localhost",
    ):
        visit.outside.append(url)


def note_console(visit: Visit, message: Any) -> None:
    if message.type == "error":
        note_complaint(visit, message.text)


def note_complaint(visit: Visit, text: str) -> None:
    if not any(part in text for part in HARMLESS):
        visit.complaints.append(text)

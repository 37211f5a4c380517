"""Tables, runs and scores in a real JupyterLab: drawn by the extension, and as HTML where it is
disabled.
"""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest

from kgnb.results.table import Column, Table

from . import shown
from .conftest import Lab, Visit

expect = pytest.importorskip(
    "playwright.sync_api", reason="browser tests need the package playwright"
).expect
pytestmark = pytest.mark.browser

FIXTURE = Path(__file__).parents[1] / "fixtures" / "run.json"
TABLE, RUN, SCORES, BROKEN, GRAPH = 0, 1, 2, 3, 4

BROKEN_CELL = """
from IPython.display import display

broken = {"version": 1, "columns": [], "rows": [{"cells": [1]}]}
display({"application/vnd.kgnb.table+json": broken, "text/plain": "a table"}, raw=True)
"""


@pytest.fixture(scope="session")
def notebook() -> Callable[[Lab], str]:
    """Writes the notebook of these tests into a server's folder, and the run it shows."""

    def write(lab: Lab) -> str:
        cells = [f"import shown\n\nshown.{name}()" for name in ("table", "run", "scores")]
        cells += [BROKEN_CELL, "import shown\n\nshown.graph()"]
        book = nbformat.v4.new_notebook(
            cells=[nbformat.v4.new_code_cell(cell.strip()) for cell in cells]
        )
        book.metadata["kernelspec"] = {
            "name": "python3",
            "display_name": "Python 3",
            "language": "python",
        }
        for number, cell in enumerate(book.cells):
            cell["id"] = f"cell-{number}"
            cell.metadata["jupyter"] = {"source_hidden": True}
        nbformat.write(book, lab.folder / "results.ipynb")
        for file in (FIXTURE, Path(shown.__file__)):
            shutil.copy(file, lab.folder)
        return "results.ipynb"

    return write


@pytest.fixture(scope="module")
def opened(lab: Lab, visit: Callable[[Lab], Visit], notebook: Callable[[Lab], str]) -> Visit:
    """The notebook, run, in JupyterLab with our extension."""
    page = visit(lab)
    page.open(notebook(lab))
    page.run_all()
    return page


def test_the_extension_draws_and_a_person_can_work_with_it(opened: Visit) -> None:
    check_table(opened)
    check_run(opened)
    check_scores(opened)
    check_broken(opened)
    check_graph(opened)
    for theme in ("Light", "Dark"):
        opened.theme(f"JupyterLab {theme}")
        assert opened.barriers(".kgnb-result") == []


def check_table(opened: Visit) -> None:
    table = opened.result(TABLE).locator(".kgnb-table")
    rows, status = table.locator(".kgnb-row"), table.locator(".kgnb-status")
    expect(rows).to_have_count(10)
    expect(status).to_have_text("1–10 of 54")
    table.get_by_role("button", name="Next page").press("Enter")
    expect(status).to_have_text("11–20 of 54")
    assert opened.page.evaluate("document.activeElement.className").endswith("kgnb-page-right")
    table.get_by_role("button", name="Confidence").click()
    table.get_by_role("button", name="Confidence").press("Enter")
    expect(table.locator("th[aria-sort=descending]")).to_contain_text("Confidence")
    expect(rows.first).to_contain_text("100.0 %")
    search = table.get_by_label("Filter rows")
    search.press_sequentially(
        "dd warden"
    )  # letters are shortcuts in the notebook around it: they must not act
    expect(table.locator(".kgnb-empty")).to_contain_text("dd warden")
    search.fill("warden people")
    expect(rows).to_have_count(3)
    opener = table.get_by_role("button", name="Show details").first
    opener.focus()
    opener.press("Enter")
    expect(table.locator(".kgnb-detail-row").first).to_contain_text(
        "sleep <script>alert(1)</script>"
    )
    rows.first.hover()
    rows.first.get_by_role("button", name="Copy IRI").first.click()
    expect(rows.first.locator(".kgnb-answered")).to_have_count(1)
    assert (
        opened.page.evaluate("navigator.clipboard.readText()")
        == "https://huts.example.org/alpine#Warden"
    )
    assert opened.page.locator(".jp-Notebook .jp-Cell").count() == 5
    search.fill("")
    table.get_by_label("Rows per page").select_option("10")
    expect(rows).to_have_count(10)


def check_run(opened: Visit) -> None:
    run = opened.result(RUN).locator(".kgnb-run")
    expect(run.get_by_role("tree")).to_have_attribute("aria-label", "Steps of ontology matching")
    expect(run.locator(".kgnb-step")).to_have_count(4)
    expect(run.locator(".kgnb-error")).to_have_text("ValueError: 3 verdicts cannot be merged")
    run.get_by_role("treeitem").first.focus()
    for key in (
        "ArrowDown",
        "ArrowDown",
        "ArrowRight",
        "ArrowRight",
        "ArrowRight",
        "ArrowRight",
        "ArrowRight",
    ):
        opened.page.keyboard.press(key)
    expect(run.locator(".kgnb-judgement")).to_have_count(3)
    expect(run.locator(".kgnb-judgement").first.locator("dl")).to_contain_text(
        "both look after a hut"
    )
    run.get_by_role("button", name="3 to look at").click()
    expect(run.locator(".kgnb-judgement")).to_have_count(1)
    run.get_by_role("button", name="3 to look at").click()
    run.get_by_label("Search this run").fill("closed the connection")
    expect(run.locator(".kgnb-step")).to_have_count(1)
    run.get_by_label("Search this run").fill("")
    expect(run.locator(".kgnb-step")).to_have_count(4)


def check_scores(opened: Visit) -> None:
    scores = opened.result(SCORES).locator(".kgnb-table")
    expect(scores.locator(".kgnb-new-group")).to_have_count(1)
    expect(scores.locator(".kgnb-bar")).to_have_count(5)


def check_broken(opened: Visit) -> None:
    broken = opened.result(BROKEN).locator(".kgnb-broken")
    expect(broken).to_contain_text(
        "This result cannot be shown: rows[0].cells has 1 values for 0 columns."
    )


def check_graph(opened: Visit) -> None:
    graph = opened.result(GRAPH).locator(".kgnb-graph")
    frame = graph.locator(".kgnb-graph-frame")
    opened.page.wait_for_function(
        "frame => frame.kgnbGraph !== undefined", arg=frame.element_handle()
    )
    assert frame.evaluate("frame => frame.kgnbGraph.nodes().length") == 9
    where = "frame => frame.kgnbGraph.nodes().filter(n => n.data('name') === 'Hochkarhaus')[0].renderedPosition()"
    frame.click(position=frame.evaluate(where))
    expect(graph.locator(".kgnb-graph-about")).to_contain_text("has warden → Wilma Aschauer")
    whole = frame.evaluate("frame => frame.kgnbGraph.zoom()")
    graph.get_by_role("button", name="Enlarge").press("Enter")
    assert frame.evaluate("frame => frame.kgnbGraph.zoom()") > whole
    graph.get_by_role("button", name="Show all of it").click()
    with opened.page.expect_download() as saved:
        graph.get_by_role("button", name="Save as SVG").click()
    assert "Hochkarhaus" in Path(saved.value.path()).read_text(encoding="utf-8")
    graph.locator("summary").press("Enter")
    graph.get_by_role("button", name="Ottertal").press("Enter")
    chosen = "frame => frame.kgnbGraph.nodes('.chosen').map(node => node.data('name'))"
    assert frame.evaluate(chosen) == ["Ottertal"]
    graph.get_by_label("Find a node").press_sequentially(
        "dd"
    )  # letters are shortcuts of the notebook around it
    graph.get_by_label("Find a node").fill("pass")
    assert frame.evaluate("frame => frame.kgnbGraph.nodes('.found').length") == 1
    graph.get_by_label("Find a node").fill("")


def test_without_the_extension_the_html_reads_the_same(
    lab_without_extension: Lab, visit: Callable[[Lab], Visit], notebook: Callable[[Lab], str]
) -> None:
    page = visit(lab_without_extension)
    page.open(notebook(lab_without_extension))
    page.run_all()
    expect(page.page.locator(".kgnb-result")).to_have_count(0)
    table, run, scores = page.result(TABLE), page.result(RUN), page.result(SCORES)
    expect(table.locator("tbody tr")).to_have_count(100)
    expect(table).to_contain_text("The first 50 of 54 rows.")
    table.locator("summary").first.click()
    expect(table.locator("details[open]")).to_contain_text(
        "where people sleep <script>alert(1)</script>"
    )
    expect(run.locator("details")).to_have_count(4)
    run.locator("summary", has_text="validate").click()
    expect(run.locator("details[open]")).to_contain_text("a bunk is one place in a bed for many")
    expect(scores.locator("tbody tr")).to_have_count(5)
    expect(page.result(BROKEN)).to_have_text("a table")
    graph = page.result(GRAPH)
    assert graph.locator("img").evaluate("image => image.complete && image.naturalWidth > 300")
    graph.locator("summary").click()
    expect(graph).to_contain_text("Hochkarhaus — has warden → Wilma Aschauer")


def test_the_sanitiser_of_jupyterlab_leaves_our_html_as_it_is(opened: Visit) -> None:
    html = {
        "table": shown.table().html(),
        "run": shown.run(FIXTURE).html(),
        "scores": shown.scores().html(),
    }
    html["graph"] = shown.graph().html()
    html["long"] = Table(
        [Column("a", "a")], [["W" * 5_000]], details=[[("why", "W" * 5_000)]]
    ).html()
    changed: dict[str, Any] = opened.page.evaluate(SANITISE, html)
    assert changed == {}


# Two readings of the same HTML, element by element: as it was written, and after the sanitiser.
SANITISE = """
async pages => {
  const rendermime = window.jupyterapp.shell.currentWidget.content.rendermime;
  const facts = root => [...root.querySelectorAll('*')].map(element => [
    element.tagName,
    ...[...element.attributes].map(({ name, value }) =>
      name === 'style' ? `style=${element.style.cssText}` : `${name}=${value}`).sort(),
    element.children.length === 0 ? element.textContent : ''
  ].join(' | '));
  const changed = {};
  for (const [name, html] of Object.entries(pages)) {
    const written = document.createElement('div');
    written.innerHTML = html;
    const sanitised = document.createElement('div');
    sanitised.innerHTML = rendermime.sanitizer.sanitize(html);
    const [before, after] = [facts(written), facts(sanitised)];
    const lost = before.filter((fact, at) => fact !== after[at]);
    if (lost.length || before.length !== after.length) {
      changed[name] = [lost.slice(0, 5), after.slice(0, 5), before.length, after.length];
    }
  }
  return changed;
}
"""

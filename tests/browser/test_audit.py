"""An audit with axe-core of all that a person meets: panel, table, chart, card, review, entity page,
and the page of a report; light and dark, wide and narrow.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from kgnb.reporting.report import run_report
from kgnb.settings import Settings

from .conftest import SHADES, Lab, Visit, write

expect = pytest.importorskip(
    "playwright.sync_api", reason="browser tests need the package playwright"
).expect
pytestmark = [pytest.mark.browser, pytest.mark.slow]

CELLS = {
    "load": "%load_ext kgnb\n%kg open huts:graph",
    "table": "%%sparql --plot\nSELECT ?hut ?altitude { ?hut a :StaffedHut ; :altitude ?altitude }",
    "links": "%%sparql --plot links --silent\nSELECT ?hut ?warden { ?hut :warden ?warden }",
    "card": '%qa start huts:graph --judge rule\n%qa ask "Who is the warden of the Hochkar House?"',
    "answers": "%qa review",
    "pairs": "%ea start huts:hollenmark huts:corvane --embedder characters\n%ea run",
    "review": "%ea review --who Ada",
    "built": "%kgc compile huts:kitchen --shapes huts:kitchen-shapes\n"
    "%kgc instantiate huts:kitchen-notes --judge rule",
    "left": "%kgc review",
}
PARTS = {
    "results": ".kgnb-result",
    "reviews": ".kgnb-review",
    "panel": "#kgnb-panel",
}


@pytest.fixture(scope="module")
def opened(lab: Lab, visit: Callable[[Lab], Visit]) -> Visit:
    """The cells, run, with a row of each review open and the panel beside them."""
    page = visit(lab)
    page.patience = 90_000
    page.open(write(lab, "audit.ipynb", *CELLS.values()))
    page.run_all()
    page.panel()
    for review in page.page.locator(".kgnb-review").all():
        review.scroll_into_view_if_needed()
        if review.locator("select[aria-label^='Candidate']").count():
            review.locator(".kgnb-review-scroll").press("o")
            expect(review.locator(".kgnb-review-detail")).to_be_visible()
    return page


@pytest.mark.parametrize("width", [1400, 700])
@pytest.mark.parametrize("shade", SHADES)
def test_nothing_serious_in_a_notebook(opened: Visit, shade: str, width: int) -> None:
    assert opened.page.locator(".jp-mod-error, [data-mime-type*='jupyter.error']").count() == 0
    opened.page.set_viewport_size({"width": width, "height": 1000})
    opened.theme(shade)
    found = {part: opened.serious(selector) for part, selector in PARTS.items()}
    assert found == {part: [] for part in PARTS}


@pytest.fixture
def entity(opened: Visit) -> Iterator[Any]:
    """The page of the first entity in a table, opened by a click; closed again."""
    opened.page.locator(".jp-Notebook .kgnb-table .kgnb-row a").first.click()
    page = opened.page.locator("[id^='kgnb-entity-']")
    expect(page.get_by_role("heading", name="What is said of it")).to_be_visible(timeout=90_000)
    yield page
    opened.page.evaluate("window.jupyterapp.shell.currentWidget.close()")
    expect(page).to_have_count(0)


@pytest.mark.parametrize("shade", SHADES)
def test_nothing_serious_on_the_page_of_an_entity(opened: Visit, entity: Any, shade: str) -> None:
    opened.theme(shade)
    for width in (1400, 700):
        opened.page.set_viewport_size({"width": width, "height": 1000})
        assert opened.serious("[id^='kgnb-entity-']") == []


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a small report."""
    folder = tmp_path_factory.mktemp("report")
    given = {"judge": "rule", "embedder": "characters"}
    return Path(run_report("ontology-matching", given, folder, Settings()).html)


@pytest.fixture
def paper(browser: Any) -> Iterator[Any]:
    """A page without a notebook around it."""
    context = browser.new_context(viewport={"width": 1400, "height": 1000})
    yield context.new_page()
    context.close()


@pytest.mark.parametrize("width", [1400, 700])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_serious_in_a_report(
    report: Path, paper: Any, lab: Lab, scheme: str, width: int
) -> None:
    paper.emulate_media(color_scheme=scheme)
    paper.set_viewport_size({"width": width, "height": 1000})
    paper.goto(report.as_uri())
    assert Visit(paper, lab).serious("body") == []

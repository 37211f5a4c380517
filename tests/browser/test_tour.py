"""The tour as a newcomer takes it: opened in JupyterLab, run from top to bottom, saved, and read elsewhere."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest

from .conftest import Lab, Visit

pytestmark = [pytest.mark.browser, pytest.mark.slow]

TOUR = Path(__file__).parents[2] / "notebooks" / "00-tour.ipynb"
CELLS = [cell.source for cell in nbformat.read(TOUR, as_version=4).cells]


def number(source: str) -> int:
    """Where a cell stands in the tour."""
    return CELLS.index(source)


@pytest.fixture(scope="module")
def taken(lab: Lab, visit: Callable[[Lab], Visit]) -> Visit:
    """The tour, run from top to bottom and saved."""
    shutil.copy(TOUR, lab.folder / TOUR.name)
    page = visit(lab)
    page.open(TOUR.name)
    page.run_all()
    page.page.wait_for_selector(".kgnb-run", timeout=120_000)  # the last cell's output
    page.until_idle()
    page.save()
    return page


def test_tables_and_the_run_are_drawn_by_the_extension(taken: Visit, pictures: Path) -> None:
    from playwright.sync_api import expect

    assert taken.page.locator(".jp-Notebook .jp-RenderedText[data-mime-type*=stderr]").count() == 0
    expect(
        taken.result(number('%om start alpine refuge --context "mountain huts" --reference huts:reference'))
    ).to_contain_text("To be matched")
    merged = taken.page.locator(".jp-Notebook .jp-Cell").nth(number("%om merge"))
    expect(merged.locator(".kgnb-table")).to_be_visible()
    merged.locator("input").first.fill("warden")
    expect(merged.locator(".kgnb-row")).to_have_count(1)
    merged.get_by_role("button", name="Show details").first.click()
    expect(merged.locator(".kgnb-detail-row").first).to_contain_text("exact")
    trace = taken.page.locator(".jp-Notebook .jp-Cell").nth(number("%om trace"))
    expect(trace.locator(".kgnb-step")).to_have_count(6)
    for theme in ("Light", "Dark"):
        taken.theme(f"JupyterLab {theme}")
        merged.scroll_into_view_if_needed()
        taken.page.screenshot(path=pictures / f"tour-{theme.lower()}.png")
    assert taken.barriers(".kgnb-result") == []


def test_the_saved_notebook_reads_the_same_without_the_extension(
    taken: Visit, lab_without_extension: Lab, visit: Callable[[Lab], Visit], pictures: Path
) -> None:
    from playwright.sync_api import expect

    shutil.copy(taken.lab.folder / TOUR.name, lab_without_extension.folder / TOUR.name)
    page = visit(lab_without_extension)
    page.open(TOUR.name)
    expect(page.page.locator(".kgnb-result")).to_have_count(0)
    merged = page.page.locator(".jp-Notebook .jp-Cell").nth(number("%om merge"))
    expect(merged.locator("table").first).to_contain_text("guardian")
    trace = page.page.locator(".jp-Notebook .jp-Cell").nth(number("%om trace"))
    expect(trace.locator("details").first).to_contain_text("retrieve")
    merged.scroll_into_view_if_needed()
    page.page.screenshot(path=pictures / "tour-html.png")

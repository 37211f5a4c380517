"""The tour, run by a person in a browser: every cell runs, every result is drawn by the extension, nothing leaves."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from .conftest import Lab, Visit

expect = pytest.importorskip("playwright.sync_api", reason="browser tests need the package playwright").expect
pytestmark = pytest.mark.browser

TOUR = Path(__file__).parents[2] / "notebooks" / "00-tour.ipynb"


@pytest.fixture(scope="module")
def toured(lab: Lab, visit: Callable[[Lab], Visit]) -> Visit:
    """The tour, run and saved."""
    shutil.copy(TOUR, lab.folder)
    page = visit(lab)
    page.open(TOUR.name)
    page.run_all()
    page.save()
    return page


def saved(lab: Lab) -> Any:
    return json.loads((lab.folder / TOUR.name).read_text(encoding="utf-8"))


def test_the_tour_runs_and_saves_what_it_showed(toured: Visit) -> None:
    assert (
        toured.page.locator("[data-mime-type='application/vnd.jupyter.stderr'], .jp-RenderedText .ansi-red-fg").count()
        == 0
    )
    tables, runs = toured.page.locator(".kgnb-table"), toured.page.locator(".kgnb-run")
    expect(runs).to_have_count(1)
    assert tables.count() >= 3
    expect(toured.page.locator(".kgnb-broken")).to_have_count(0)
    assert toured.barriers(".kgnb-result") == []
    outputs = [output for cell in saved(toured.lab)["cells"] for output in cell.get("outputs", [])]
    assert [output for output in outputs if output["output_type"] == "error" or output.get("name") == "stderr"] == []
    for data in (output["data"] for output in outputs if "data" in output):
        if any(mime.startswith("application/vnd.kgnb.") for mime in data):
            assert {"text/html", "text/plain"} <= set(data)


def test_the_saved_tour_reads_the_same_without_the_extension(
    toured: Visit, lab_without_extension: Lab, visit: Callable[[Lab], Visit]
) -> None:
    sources = ["".join(cell["source"]) for cell in saved(toured.lab)["cells"]]
    shutil.copy(toured.lab.folder / TOUR.name, lab_without_extension.folder)
    page = visit(lab_without_extension)
    page.open(TOUR.name)
    expect(page.page.locator(".kgnb-result")).to_have_count(0)
    cells = page.page.locator(".jp-Notebook .jp-Cell")
    merged = cells.nth(sources.index("%om merge"))
    expect(merged.locator("table").first).to_contain_text("avalanche bulletin")
    expect(merged).to_contain_text("guardian")  # behind the fold of the first ten
    expect(cells.nth(sources.index("%om trace"))).to_contain_text("retrieve")

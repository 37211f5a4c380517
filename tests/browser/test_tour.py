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

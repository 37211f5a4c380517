"""The tour, run by a person in a browser: every cell runs, every result is drawn by the extension, nothing leaves."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import Lab, Visit

expect = pytest.importorskip("playwright.sync_api", reason="browser tests need the package playwright").expect
pytestmark = pytest.mark.browser

TOUR = Path(__file__).parents[2] / "notebooks" / "00-tour.ipynb"


def test_the_tour_runs_and_saves_what_it_showed(lab: Lab, visit: Callable[[Lab], Visit], pictures: Path) -> None:
    shutil.copy(TOUR, lab.folder)
    page = visit(lab)
    page.open(TOUR.name)
    page.run_all()
    assert (
        page.page.locator("[data-mime-type='application/vnd.jupyter.stderr'], .jp-RenderedText .ansi-red-fg").count()
        == 0
    )
    tables, runs = page.page.locator(".kgnb-table"), page.page.locator(".kgnb-run")
    expect(runs).to_have_count(1)
    assert tables.count() >= 3
    expect(page.page.locator(".kgnb-broken")).to_have_count(0)
    assert page.barriers(".kgnb-result") == []
    for name, drawn in (("tour-table", tables.last), ("tour-run", runs)):
        drawn.scroll_into_view_if_needed()
        drawn.screenshot(path=pictures / f"{name}.png")
    page.save()
    saved = json.loads((lab.folder / TOUR.name).read_text(encoding="utf-8"))
    outputs = [output for cell in saved["cells"] for output in cell.get("outputs", [])]
    assert [output for output in outputs if output["output_type"] == "error" or output.get("name") == "stderr"] == []
    for data in (output["data"] for output in outputs if "data" in output):
        if any(mime.startswith("application/vnd.kgnb.") for mime in data):
            assert {"text/html", "text/plain"} <= set(data)

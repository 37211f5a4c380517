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


def test_the_saved_tour_reads_the_same_without_the_extension(
    lab: Lab, lab_without_extension: Lab, visit: Callable[[Lab], Visit], pictures: Path
) -> None:
    sources = [cell["source"] for cell in json.loads(TOUR.read_text(encoding="utf-8"))["cells"]]
    taken = visit(lab)
    shutil.copy(TOUR, lab.folder / "taken.ipynb")
    taken.open("taken.ipynb")
    taken.run_all()
    expect(taken.page.locator(".kgnb-run")).to_have_count(1)
    drawn = taken.page.locator(".jp-Notebook .jp-Cell").nth(sources.index(["%om merge"]))
    drawn.scroll_into_view_if_needed()
    taken.page.screenshot(path=pictures / "tour.png")
    taken.save()
    shutil.copy(lab.folder / "taken.ipynb", lab_without_extension.folder)
    page = visit(lab_without_extension)
    page.open("taken.ipynb")
    expect(page.page.locator(".kgnb-result")).to_have_count(0)
    cells = page.page.locator(".jp-Notebook .jp-Cell")
    merged = cells.nth(sources.index(["%om merge"]))
    expect(merged.locator("table").first).to_contain_text("guardian")
    expect(cells.nth(sources.index(["%om trace"]))).to_contain_text("retrieve")
    merged.scroll_into_view_if_needed()
    page.page.screenshot(path=pictures / "tour-html.png")

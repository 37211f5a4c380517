"""The tutorial on aligning two graphs, run by a person in a browser: every cell runs, an explanation is a picture."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import Lab, Visit

expect = pytest.importorskip("playwright.sync_api", reason="browser tests need the package playwright").expect
pytestmark = pytest.mark.browser

TUTORIAL = Path(__file__).parents[2] / "notebooks" / "tutorials" / "03-align-two-graphs.ipynb"


def test_the_tutorial_runs_and_draws_an_explanation(lab: Lab, visit: Callable[[Lab], Visit], pictures: Path) -> None:
    shutil.copy(TUTORIAL, lab.folder)
    page = visit(lab)
    page.open(TUTORIAL.name)
    page.run_all()
    failed = page.page.locator("[data-mime-type='application/vnd.jupyter.stderr'], .jp-RenderedText .ansi-red-fg")
    assert failed.count() == 0
    picture = page.page.locator(".jp-OutputArea-output img[src^='data:image/svg+xml']").first
    picture.scroll_into_view_if_needed()
    assert picture.evaluate("image => image.complete && image.naturalWidth") > 200
    assert "the list below names them" in (picture.get_attribute("alt") or "")
    assert page.page.locator(".kgnb-table").count() >= 4
    expect(page.page.locator(".kgnb-broken")).to_have_count(0)
    page.page.screenshot(path=pictures / "align-explained.png")

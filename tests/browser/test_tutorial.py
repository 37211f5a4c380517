"""The tutorial on asking a graph, run by a person in a browser: every cell runs, every picture and table is drawn."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import Lab, Visit

expect = pytest.importorskip("playwright.sync_api", reason="browser tests need the package playwright").expect
pytestmark = pytest.mark.browser

TUTORIAL = Path(__file__).parents[2] / "notebooks" / "tutorials" / "solutions" / "04-ask-a-graph.ipynb"


def test_the_tutorial_runs_and_draws_what_it_saw(lab: Lab, visit: Callable[[Lab], Visit], pictures: Path) -> None:
    shutil.copy(TUTORIAL, lab.folder)
    page = visit(lab)
    page.open(TUTORIAL.name)
    page.run_all()
    assert (
        page.page.locator("[data-mime-type='application/vnd.jupyter.stderr'], .jp-RenderedText .ansi-red-fg").count()
        == 0
    )
    graphs = page.page.locator(".kgnb-graph")
    assert graphs.count() >= 2  # observation, proofs
    assert page.page.locator(".kgnb-table").count() >= 6
    expect(page.page.locator(".kgnb-broken")).to_have_count(0)
    # two results of one stage share their caption, and so the name of their scrolling region
    assert [one for one in page.barriers(".kgnb-result") if not one.startswith("landmark-unique")] == []
    graphs.first.scroll_into_view_if_needed()
    page.page.screenshot(path=pictures / "ask-observed.png")

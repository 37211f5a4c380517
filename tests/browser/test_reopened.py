"""Notebooks closed and opened again: each picture is drawn where a reader comes to it, and of a
review whose kernel is gone its questions are left.
"""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from .conftest import Lab, Visit, start_lab, write

pytest.importorskip("playwright.sync_api", reason="browser tests need the package playwright")
pytestmark = [pytest.mark.browser, pytest.mark.slow]

PICTURES = 12
PICTURE = """%%sparql
CONSTRUCT { ?hut :locatedIn ?valley } WHERE { ?hut a :StaffedHut ; :locatedIn ?valley }"""
CELLS = ("%load_ext kgnb\n%kg open huts:graph", *[PICTURE] * PICTURES)
DRAWN = "frame => frame.kgnbGraph !== undefined && frame.kgnbGraph.nodes().length > 1"


@pytest.fixture(scope="module", params=["defer", "full"])
def windowed_lab(request: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """JupyterLab that attaches cells when they come into sight, as it does by default."""
    home = tmp_path_factory.mktemp(f"lab-{request.param}")
    yield from start_lab(home, windowing=request.param)


def drawn_at(visit: Visit, number: int) -> bool:
    """Whether the picture of a cell is drawn once a reader has scrolled to it."""
    visit.page.evaluate(
        """number => {
          const notebook = window.jupyterapp.shell.currentWidget.content;
          notebook.activeCellIndex = number;
          return notebook.scrollToItem(number, 'center');
        }""",
        number,
    )
    cell = visit.page.locator(f".jp-Notebook .jp-Cell[data-windowed-list-index='{number}']")
    frame = cell.locator(".kgnb-graph-frame")
    frame.wait_for(state="visible")
    cell.locator("canvas").first.wait_for(state="visible")
    return bool(frame.evaluate(DRAWN))


def test_every_picture_is_there_when_a_notebook_is_opened_again(
    windowed_lab: Lab, visit: Callable[[Lab], Visit]
) -> None:
    name = write(windowed_lab, "pictures.ipynb", *CELLS)
    first = visit(windowed_lab)
    first.open(name)
    first.run_all()
    assert all(drawn_at(first, number) for number in range(1, PICTURES + 1))
    first.save()
    first.page.wait_for_function(
        "!window.jupyterapp.shell.currentWidget.context.model.dirty", timeout=first.patience
    )
    first.page.close()
    again = visit(windowed_lab)
    again.open(name)
    assert all(drawn_at(again, number) for number in range(1, PICTURES + 1))
    # Back up again: what was scrolled out of sight is still there.
    assert all(drawn_at(again, number) for number in (6, 1))
    again.page.close()  # before its server stops


def test_of_a_review_whose_kernel_is_gone_the_questions_are_left_to_read(
    windowed_lab: Lab, visit: Callable[[Lab], Visit]
) -> None:
    start = "%om start huts:alpine huts:refuge --embedder characters\n%om run"
    name = write(windowed_lab, "review.ipynb", "%load_ext kgnb", start, "%om review --below 0.95")
    first = visit(windowed_lab)
    first.patience = 120_000
    first.open(name)
    first.run_all()
    first.cell(2).locator(".kgnb-review").first.wait_for(state="visible")
    first.save()
    first.page.wait_for_function("!window.jupyterapp.shell.currentWidget.context.model.dirty")
    first.page.evaluate("window.jupyterapp.shell.currentWidget.sessionContext.shutdown()")
    first.page.close()
    again = visit(windowed_lab)
    again.open(name)
    cell = again.page.locator(".jp-Notebook .jp-Cell[data-windowed-list-index='2']")
    again.page.evaluate("window.jupyterapp.shell.currentWidget.content.scrollToItem(2, 'center')")
    cell.locator(".kgnb-row").first.wait_for(state="visible")
    assert "Questions for a person" in cell.inner_text()
    assert "Error displaying widget" not in cell.inner_text()
    assert not again.page.evaluate("window.jupyterapp.shell.currentWidget.context.model.dirty")
    again.page.close()

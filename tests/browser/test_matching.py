"""Matching in a real JupyterLab: the picture, an explanation, coherence, and the review queue answered by keyboard."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest

from .conftest import Lab, Visit

expect = pytest.importorskip("playwright.sync_api", reason="browser tests need the package playwright").expect
pytestmark = pytest.mark.browser

CELLS = (
    "%load_ext kgnb",
    "%om start huts:alpine huts:refuge --embedder characters",
    "%om run",
    "%om picture --around Hut",
    "%om picture",
    "%om explain Hut",
    "%om coherence --seconds 5",
    "%om review --below 0.95 --who Ada",
)
AROUND, WHOLE, EXPLAINED, COHERENT, REVIEW = 3, 4, 5, 6, 7


@pytest.fixture(scope="module")
def opened(lab: Lab, visit: Callable[[Lab], Visit]) -> Visit:
    """The cells, run."""
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
    book.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(book, lab.folder / "matching.ipynb")
    page = visit(lab)
    page.page.set_default_timeout(20_000)
    page.open("matching.ipynb")
    page.run_all()
    return page


def test_the_pictures_show_both_sides_and_what_lies_between(opened: Visit, pictures: Path) -> None:
    for number, name in ((AROUND, "around"), (WHOLE, "whole")):
        shown = opened.result(number)
        expect(shown).to_be_visible()
        shown.screenshot(path=pictures / f"om-picture-{name}.png")
        for word in ("hut", "refuge"):
            expect(shown).to_contain_text(word)


def test_an_explanation_and_coherence_are_words(opened: Visit, pictures: Path) -> None:
    for number, name in ((EXPLAINED, "explain"), (COHERENT, "coherence")):
        shown = opened.result(number)
        shown.screenshot(path=pictures / f"om-{name}.png")
        assert len(shown.inner_text()) > 20
        assert "Traceback" not in shown.inner_text()


def test_a_review_goes_by_keyboard_and_is_kept(opened: Visit, pictures: Path, lab: Lab) -> None:
    queue: Any = opened.page.locator(".kgnb-review")
    queue.scroll_into_view_if_needed()
    queue.focus()
    expect(queue.locator(".kgnb-review-why").first).to_contain_text("view")
    queue.screenshot(path=pictures / "om-review.png")
    answers, candidates = (queue.locator(f".kgnb-review-{part}").bounding_box() for part in ("buttons", "candidates"))
    assert answers["y"] + answers["height"] <= candidates["y"]  # in sight however many candidates there are
    cells = opened.page.locator(".jp-Notebook .jp-Cell").count()
    first = queue.locator(".kgnb-review-question strong").inner_text()
    queue.press("a")
    expect(queue.locator(".kgnb-review-status")).to_contain_text(f"Equivalent: {first}")
    queue.press("r")
    expect(queue.locator(".kgnb-review-count")).to_contain_text("2 of")
    queue.press("u")
    expect(queue.locator(".kgnb-review-status")).to_contain_text("Taken back")
    queue.screenshot(path=pictures / "om-review-answered.png")
    assert opened.page.locator(".jp-Notebook .jp-Cell").count() == cells  # no shortcut of JupyterLab's went off
    [kept] = [file for file in lab.folder.rglob("*.jsonl") if "decision" in file.name]
    said = [json.loads(line) for line in kept.read_text(encoding="utf-8").splitlines()]
    assert [line["decision"] for line in said] == ["equivalent", "different", None]
    assert {line["who"] for line in said} == {"Ada"}

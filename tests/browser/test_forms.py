"""A form in a notebook: the line keeps step with the controls, runs, and goes into a cell of its own."""

from collections.abc import Callable

import nbformat
import pytest

from .conftest import Lab, Visit

expect = pytest.importorskip("playwright.sync_api", reason="browser tests need the package playwright").expect
pytestmark = pytest.mark.browser

CELLS = [
    "%load_ext kgnb",
    "%om start huts:alpine huts:refuge --embedder characters\n%om retrieve\n%om store",
    "%om search --form",
]


def test_a_form_runs_its_line_and_puts_it_into_the_next_cell(lab: Lab, visit: Callable[[Lab], Visit]) -> None:
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
    book.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(book, lab.folder / "forms.ipynb")
    page = visit(lab)
    page.open("forms.ipynb")
    page.run_all()
    form = page.page.locator(".jp-Notebook .jp-Cell").nth(2)
    slider = form.get_by_role("slider").first
    for _ in range(2):  # from 5, the default, to 3
        slider.press("ArrowLeft")
    expect(form.get_by_text("%om search --k 3")).to_be_visible()
    form.get_by_role("button", name="Run").click()
    expect(form).to_contain_text("candidate pairs")
    form.get_by_role("button", name="Insert as next cell").click()
    expect(page.page.locator(".jp-Notebook .jp-Cell")).to_have_count(4)
    expect(page.page.locator(".jp-Notebook .jp-Cell").nth(3).locator(".cm-content")).to_have_text("%om search --k 3")

"""SPARQL cells in a real JupyterLab: a table, a picture, an error one can act on, and completion from the kernel."""

from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest

from .conftest import Lab, Visit

expect = pytest.importorskip("playwright.sync_api", reason="browser tests need the package playwright").expect
pytestmark = pytest.mark.browser

CELLS = (
    "%load_ext kgnb\n%kg open huts:graph",
    "%kg schema --classes 14",
    "%%sparql --limit 30\nSELECT ?hut ?name ?altitude\n"
    "WHERE { ?hut a :StaffedHut ; rdfs:label ?name ; :altitude ?altitude }\nORDER BY DESC(?altitude)",
    "%%sparql\nCONSTRUCT { ?hut :locatedIn ?valley ; :warden ?warden }\n"
    "WHERE { ?hut a :StaffedHut ; :warden ?warden ; :locatedIn ?valley }",
    "%%sparql\nSELECT ?hut WHERE {\n  ?hut a :StaffedHut ]\n}",
)
SCHEMA, ROWS, PICTURE, ERROR = 1, 2, 3, 4


def test_queries_are_drawn_and_what_is_wrong_is_pointed_at(
    lab: Lab, visit: Callable[[Lab], Visit], pictures: Path
) -> None:
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
    book.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(book, lab.folder / "sparql.ipynb")
    page = visit(lab)
    page.open("sparql.ipynb")
    page.run_all()
    expect(page.result(SCHEMA).locator(".kgnb-graph-frame canvas").first).to_be_visible()
    expect(page.result(ROWS).locator(".kgnb-row").first).to_be_visible()
    expect(page.result(PICTURE).locator(".kgnb-graph-frame canvas").first).to_be_attached()
    expect(page.result(ERROR)).to_contain_text("line 2, column")
    for name, number in (("schema", SCHEMA), ("rows", ROWS), ("construct", PICTURE), ("error", ERROR)):
        page.result(number).screenshot(path=pictures / f"sparql-{name}.png")

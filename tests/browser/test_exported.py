"""A saved notebook as an HTML file, opened from the disk with no network: the same tables and
pictures.
"""

from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient
from nbconvert import HTMLExporter

expect = pytest.importorskip(
    "playwright.sync_api", reason="browser tests need the package playwright"
).expect
pytestmark = pytest.mark.browser

CELLS = (
    "%load_ext kgnb\n%kg open huts:graph",
    "%kg schema --classes 14",
    "%%sparql\nSELECT ?hut ?name ?altitude\nWHERE { ?hut a :StaffedHut ; rdfs:label ?name ; :altitude ?altitude "
    'FILTER(LANG(?name) = "en") }\nORDER BY DESC(?altitude)',
    "%%sparql\nCONSTRUCT { ?hut :locatedIn ?valley ; :warden ?warden }\n"
    "WHERE { ?hut a :StaffedHut ; :warden ?warden ; :locatedIn ?valley }",
    "%%sparql\nASK { ?hut a :StaffedHut }",
)


def test_an_exported_notebook_shows_the_same_without_network(browser: Any, tmp_path: Path) -> None:
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
    NotebookClient(
        book, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}
    ).execute()
    exporter = HTMLExporter(mathjax_url="", require_js_url="", jquery_url="")
    file = tmp_path / "huts.html"
    file.write_text(exporter.from_notebook_node(book)[0], encoding="utf-8")
    context = browser.new_context(
        viewport={"width": 1100, "height": 1000}, offline=True, java_script_enabled=False
    )
    try:
        page = context.new_page()
        outside: list[str] = []
        page.on(
            "request",
            lambda one: outside.append(one.url) if one.url.startswith(("http", "ws")) else None,
        )
        page.goto(file.as_uri())
        names = book.cells[2].outputs[0].data["application/vnd.kgnb.table+json"]["rows"]
        table = page.locator("table").nth(1)  # the first says what was opened
        expect(table.locator("tbody tr")).to_have_count(len(names))
        expect(table).to_contain_text("Hochkar House")
        shown = page.locator("img[src^='data:image/svg+xml']")
        expect(shown).to_have_count(2)
        for number, cell in enumerate((1, 3)):
            wide, _ = book.cells[cell].outputs[0].data["application/vnd.kgnb.graph+json"]["size"]
            # the picture as it was laid out, at its own width
            assert shown.nth(number).get_attribute("width") == str(wide)
            expect(shown.nth(number)).to_be_visible()
        page.locator("summary").first.click()
        expect(page.locator("details[open]")).to_contain_text("→")
        assert outside == []
        page.pdf(path=tmp_path / "huts.pdf")
        assert (tmp_path / "huts.pdf").stat().st_size > 20_000
    finally:
        context.close()

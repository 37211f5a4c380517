"""A session in a real JupyterLab, one notebook for all: queries, an answer, a matching, a form and
a review.
"""

import json
from collections.abc import Callable
from typing import Any

import pytest

from .conftest import SHADES, Lab, Visit, write

expect = pytest.importorskip(
    "playwright.sync_api", reason="browser tests need the package playwright"
).expect
pytestmark = pytest.mark.browser

CELLS = {
    "open": "%load_ext kgnb\n%kg open huts:graph",
    "schema": "%kg schema --classes 14",
    "rows": "%%sparql --limit 30\nSELECT ?hut ?name WHERE { ?hut a :StaffedHut ; rdfs:label ?name }",
    "construct": "%%sparql\nCONSTRUCT { ?hut :warden ?warden } WHERE { ?hut a :StaffedHut ; :warden ?warden }",
    "asked": "%qa start huts:graph --judge rule --embedder characters\n"
    '%qa ask "Who is the warden of the Hochkar House?"',
    "start": "%om start huts:alpine huts:refuge --embedder characters\n%om run",
    "around": "%om picture --around Hut",
    "whole": "%om picture",
    "explained": "%om explain Hut",
    "coherence": "%om coherence --seconds 5",
    "review": "%om review --below 0.95 --who Ada",
    "form": "%om search --form",
    "wrong": "%%sparql\nSELECT ?hut WHERE {\n  ?hut a :StaffedHut ]\n}",
}


@pytest.fixture(scope="module")
def opened(lab: Lab, visit: Callable[[Lab], Visit]) -> Visit:
    """The cells, run."""
    page = visit(lab)
    page.open(write(lab, "session.ipynb", *CELLS.values()))
    page.run_all()
    return page


def cell(page: Visit, name: str) -> Any:
    """A cell by its name, scrolled into view."""
    place = list(CELLS).index(name)  # before the last cell the form may have put one of its own
    found = page.page.locator(".jp-Notebook .jp-Cell").nth(-1 if place == len(CELLS) - 1 else place)
    found.scroll_into_view_if_needed()
    return found


def test_what_each_cell_gave_is_drawn_and_what_is_wrong_is_pointed_at(opened: Visit) -> None:
    for name in ("schema", "construct"):
        expect(cell(opened, name).locator(".kgnb-graph-frame canvas").first).to_be_attached()
    expect(cell(opened, "rows").locator(".kgnb-row").first).to_be_visible()
    expect(cell(opened, "asked").locator(".kgnb-card-answer")).to_be_visible()
    expect(cell(opened, "wrong")).to_contain_text("line 2, column")
    for name in ("around", "whole"):
        for word in ("hut", "refuge"):
            expect(cell(opened, name)).to_contain_text(word)
    for name in ("explained", "coherence"):
        said = cell(opened, name).locator(".jp-OutputArea-output").last.inner_text()
        assert len(said) > 20 and "Traceback" not in said
    expect(opened.page.locator(".kgnb-broken")).to_have_count(0)
    # two results of one stage share their caption, and so the name of their scrolling region
    assert [
        one for one in opened.barriers(".kgnb-result") if not one.startswith("landmark-unique")
    ] == []


def test_a_review_goes_by_keyboard_is_kept_and_applied(opened: Visit, lab: Lab) -> None:
    queue: Any = opened.page.locator(".kgnb-review")
    queue.scroll_into_view_if_needed()
    rows, status = queue.locator(".kgnb-review-row"), queue.locator(".kgnb-review-status")
    expect(rows.first).to_be_visible()
    cells = opened.page.locator(".jp-Notebook .jp-Cell").count()
    waiting = rows.count()
    scroll = queue.locator(".kgnb-review-scroll")
    first = rows.first.locator(".kgnb-review-open").inner_text()[2:]
    scroll.press("o")
    detail = queue.locator(".kgnb-review-detail")
    expect(detail).to_contain_text("agreement")
    for shade in SHADES:
        opened.theme(shade)
        assert opened.serious(".kgnb-review") == []
    scroll.press("o")
    expect(detail).to_have_count(0)
    scroll.press("a")
    expect(status).to_contain_text(f"equivalent: {first}")
    expect(rows).not_to_have_count(waiting)  # decided, for the candidate's own row as well
    left = rows.count()
    scroll.press("Space")
    scroll.press("ArrowDown")
    scroll.press("Space")
    scroll.press("r")
    expect(rows).not_to_have_count(left)
    scroll.press("u")
    expect(status).to_contain_text("Taken back")
    expect(rows).to_have_count(left)
    # no shortcut of JupyterLab's went off
    assert opened.page.locator(".jp-Notebook .jp-Cell").count() == cells
    [kept] = [file for file in lab.folder.glob("*.jsonl") if "decision" in file.name]
    said = [json.loads(line) for line in kept.read_text(encoding="utf-8").splitlines()]
    assert [line["decision"] for line in said] == ["equivalent", *["different"] * 2, None, None]
    assert {line["who"] for line in said} == {"Ada"} and all(line["when"] for line in said)
    queue.get_by_role("button", name="Apply 1").press("Enter")
    expect(status).to_contain_text("Applied 1 decision.", timeout=60_000)
    result = cell(opened, "review").locator(".kgnb-table")
    result.get_by_label("Filter rows").fill("person:Ada")
    expect(result.locator(".kgnb-row")).to_have_count(1)  # in the new alignment, below the review


def test_a_form_runs_its_line_and_puts_it_into_the_next_cell(opened: Visit) -> None:
    form, cells = cell(opened, "form"), opened.page.locator(".jp-Notebook .jp-Cell")
    slider, before = form.get_by_role("slider").first, cells.count()
    for _ in range(2):  # from 5, the default, to 3
        slider.press("ArrowLeft")
    expect(form.get_by_text("%om search --k 3")).to_be_visible()
    form.get_by_role("button", name="Run").click()
    expect(form).to_contain_text("candidate pairs")
    form.get_by_role("button", name="Insert as next cell").click()
    expect(cells).to_have_count(before + 1)
    expect(cells.nth(list(CELLS).index("form") + 1).locator(".cm-content")).to_have_text(
        "%om search --k 3"
    )

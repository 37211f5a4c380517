"""A session in a real JupyterLab, one notebook for all: queries, an answer, a matching, a form and
a review.
"""

import json
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
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
    page.patience = 120_000
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


@pytest.fixture
def reviewing(lab: Lab, visit: Callable[[Lab], Visit]) -> Iterator[tuple[Visit, Path]]:
    """A review in a notebook, a kernel and a folder of its own, so that every try begins anew."""
    folder = Path(tempfile.mkdtemp(prefix="review-", dir=lab.folder))
    page = visit(lab)
    page.patience = 120_000
    cells = (CELLS["open"], CELLS["start"], CELLS["review"])
    page.open(write(lab, f"{folder.name}/review.ipynb", *cells))
    page.run_all()
    yield page, folder
    page.page.close()


def test_a_review_goes_by_keyboard_is_kept_and_applied(reviewing: tuple[Visit, Path]) -> None:
    page, folder = reviewing
    queue: Any = page.page.locator(".kgnb-review")
    queue.scroll_into_view_if_needed()
    rows, status = queue.locator(".kgnb-review-row"), queue.locator(".kgnb-review-status")
    current = queue.locator(".kgnb-review-row[aria-current='true']")
    expect(current).to_have_count(1)
    cells = page.page.locator(".jp-Notebook .jp-Cell").count()
    waiting = rows.count()
    queue.locator(".kgnb-review-scroll").focus()
    press = page.page.keyboard.press  # where the focus is, as a person does

    first = name_of(current)
    press("o")
    detail = queue.locator(".kgnb-review-detail")
    expect(detail).to_contain_text("agreement")
    for shade in SHADES:
        page.theme(shade)
        assert page.serious(".kgnb-review") == []
    press("o")
    expect(detail).to_have_count(0)
    press("a")
    # The next row is current at once, whenever the kernel answers.
    expect(current.locator(".kgnb-review-open", has_text=first)).to_have_count(0)
    expect(status).to_contain_text(f"equivalent: {first}", timeout=60_000)
    expect(rows).not_to_have_count(waiting)  # decided, for the candidate's own row as well
    left = rows.count()
    expect(current).to_have_count(1)
    both = [name_of(current)]
    press("Space")
    press("ArrowDown")
    both.append(name_of(current))
    press("Space")
    expect(queue).to_contain_text("2 marked.")
    press("r")
    expect(status).to_contain_text(f"None fits: {', '.join(both)}", timeout=60_000)
    expect(rows).not_to_have_count(left)
    press("u")
    expect(status).to_contain_text("Taken back", timeout=60_000)
    expect(rows).to_have_count(left)
    # no shortcut of JupyterLab's went off
    assert page.page.locator(".jp-Notebook .jp-Cell").count() == cells
    kept = (folder / "decisions.jsonl").read_text(encoding="utf-8")
    said = [json.loads(line) for line in kept.splitlines()]
    assert [line["decision"] for line in said] == ["equivalent", *["different"] * 2, None, None]
    assert {line["who"] for line in said} == {"Ada"} and all(line["when"] for line in said)
    queue.get_by_role("button", name="Apply 1").press("Enter")
    expect(status).to_contain_text("Applied 1 decision.", timeout=120_000)
    result = page.cell(2).locator(".kgnb-table")
    result.get_by_label("Filter rows").fill("person:Ada")
    expect(result.locator(".kgnb-row")).to_have_count(1)  # in the new alignment, below the review


def name_of(row: Any) -> str:
    """What is in question in a row of a review."""
    shown: str = row.locator(".kgnb-review-open").inner_text()
    return shown[2:]


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

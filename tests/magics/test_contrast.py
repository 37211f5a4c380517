from pathlib import Path

import pytest

from kgnb.errors import DataError
from kgnb.results.card import Page
from kgnb.results.table import Table
from tests.magics.conftest import Notebook

HUTS = "http://huts.example/"


@pytest.fixture
def matched(notebook: Notebook) -> Notebook:
    notebook.good("%om start alpine.ttl refuge.ttl --similarity 0")
    notebook.good("%om run")
    return notebook


def test_two_entities_are_set_side_by_side_with_their_verdicts_and_what_became_of_them(
    matched: Notebook,
) -> None:
    said = str(matched.good("%om explain Hut MountainHut").value)
    assert said.startswith("hut (source) and mountain hut (target)")
    assert "asked from hut (source): equivalent mountain hut" in said
    for words in (
        "mapped: hut equivalent mountain hut",
        "cosine",
        "rank 1",
        "names in common: hut",
    ):
        assert words in said
    shown = matched.good("%om explain Kitchen House").value
    assert "not mapped to each other" in str(
        shown
    ) and "kitchen: mapped: kitchen equivalent kitchen" in str(shown)
    assert [column.title for column in tables_of(shown)[1].columns][
        -1
    ] == "kitchen"  # the candidate chosen instead


def test_one_entity_is_found_by_iri_name_or_label_of_either_side(matched: Notebook) -> None:
    for item in (f"{HUTS}alpine#Hut", "Hut", "hütte", "mountain hut"):
        said = str(matched.good(f"%om explain {item}").value)
        assert "syntactic" in said and "verdict: " in said and "mapped: " in said
    assert "kitchen" in matched("%om explain kitchn").why


def test_items_may_come_in_any_order_and_have_several_words(matched: Notebook) -> None:
    there = str(matched.good("%om explain Hut 'mountain hut'").value)
    assert str(matched.good("%om explain mountain hut Hut").value) == there
    assert "of the target" in str(matched.good("%om explain mountain hut").value)
    for line, begins in (
        ("Kitchen Kitchen", "kitchen (source) and kitchen"),
        ("Hut Building", "hut (source) and bui"),
    ):
        assert str(matched.good(f"%om explain {line}").value).startswith(begins)
    for line in ("Hut Kitchen2", "Hut has_keeper"):
        assert isinstance(matched(f"%om explain {line}").error, DataError)


def tables_of(page: Page) -> list[Table]:
    return [part for part in page.parts if isinstance(part, Table)]


def test_before_the_end_it_says_what_is_known(notebook: Notebook) -> None:
    notebook.good("%om start alpine.ttl refuge.ttl")
    notebook.good("%om retrieve")
    value = notebook.good("%om explain Hut MountainHut").value
    assert len(value.parts) == 1


def test_hostile_labels_are_text(notebook: Notebook, folder: Path) -> None:
    hostile = (
        (folder / "alpine.ttl")
        .read_text(encoding="utf-8")
        .replace('"kitchen"', '"<img src=x onerror=alert(1)>"')
    )
    (folder / "alpine.ttl").write_text(hostile, encoding="utf-8")
    notebook.good("%om start alpine.ttl refuge.ttl --similarity 0")
    notebook.good("%om run")
    for asked in (f"{HUTS}alpine#Kitchen", f"{HUTS}alpine#Kitchen {HUTS}refuge#Kitchen"):
        html = notebook.good(f"%om explain {asked}").value._repr_mimebundle_()["text/html"]
        assert "<img" not in html and "&lt;img" in html

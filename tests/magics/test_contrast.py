from pathlib import Path

import pytest

from kgnb.errors import DataError
from kgnb.results.card import Page
from kgnb.results.table import Table
from tests.magics.conftest import Notebook


@pytest.fixture
def matched(notebook: Notebook) -> Notebook:
    notebook.good("%om start alpine.ttl refuge.ttl --similarity 0")
    notebook.good("%om run")
    return notebook


def test_two_that_are_mapped_show_both_verdicts_and_the_mapping(matched: Notebook) -> None:
    value = matched.good("%om explain Hut MountainHut").value
    said = str(value)
    assert said.startswith("hut (source) and mountain hut (target)")
    assert "asked from hut (source): equivalent mountain hut" in said
    assert "mapped: equivalent" in said and "cosine" in said and "rank 1" in said
    assert "names in common: hut" in said


def test_two_that_are_not_mapped_show_what_was_chosen_instead(matched: Notebook) -> None:
    said = str(matched.good("%om explain Kitchen House").value)
    assert "not mapped to each other" in said
    assert "kitchen: mapped: kitchen equivalent kitchen" in said
    table = matched.good("%om explain Kitchen House").value.parts[-2]
    assert [column.title for column in table.columns][-1] == "kitchen"  # the rival stands beside it


def test_the_order_of_the_items_and_names_of_several_words_do_not_matter(matched: Notebook) -> None:
    there = str(matched.good("%om explain Hut 'mountain hut'").value)
    assert str(matched.good("%om explain mountain hut Hut").value) == there
    assert "of the target" in str(matched.good("%om explain mountain hut").value)


def test_one_name_on_both_sides_is_set_beside_itself(matched: Notebook) -> None:
    assert str(matched.good("%om explain Kitchen Kitchen").value).startswith("kitchen (source) and kitchen (target)")


def test_each_word_is_looked_for_on_either_side(matched: Notebook) -> None:
    """A local name of one side does not hide a label of the other."""
    assert str(matched.good("%om explain Hut Building").value).startswith("hut (source) and building (target)")


def test_what_ranks_above_the_chosen_says_why_it_lost(matched: Notebook) -> None:
    (found,) = tables_of(matched.good("%om explain Hut").value)
    assert {row[1].label: row[-1] for row in found.rows}["mountain hut"] == ""
    rows = tables_of(matched.good("%om explain Warden").value)[0].rows
    assert any(row[-2] for row in rows) or all("likely" in row[-1] for row in rows)


def tables_of(page: Page) -> list[Table]:
    return [part for part in page.parts if isinstance(part, Table)]


def test_before_the_end_it_says_what_is_known(notebook: Notebook) -> None:
    notebook.good("%om start alpine.ttl refuge.ttl")
    notebook.good("%om retrieve")
    value = notebook.good("%om explain Hut MountainHut").value
    assert len(value.parts) == 1


def test_a_pair_that_cannot_be_mapped_is_refused(matched: Notebook) -> None:
    for line in ("Hut Kitchen2", "Hut has_keeper"):
        assert isinstance(matched(f"%om explain {line}").error, DataError)


def test_hostile_labels_are_text(notebook: Notebook, folder: Path) -> None:
    hostile = (folder / "alpine.ttl").read_text(encoding="utf-8").replace('"kitchen"', '"<img src=x onerror=alert(1)>"')
    (folder / "alpine.ttl").write_text(hostile, encoding="utf-8")
    notebook.good("%om start alpine.ttl refuge.ttl --similarity 0")
    notebook.good("%om run")
    value = notebook.good("%om explain http://huts.example/alpine#Kitchen http://huts.example/refuge#Kitchen").value
    html = value._repr_mimebundle_()["text/html"]
    assert "<img" not in html and "&lt;img" in html

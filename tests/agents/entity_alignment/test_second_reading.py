"""Duplicates in one table are read a second time, by what the table's own surest duplicates show."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.duplicates import MAKES, installed
from tests.benchmarks.agents.one_tables import drawn_once


@pytest.mark.parametrize(
    ("make", "kind"), [("first", "branches"), ("first", "publications"), ("last", "patients")]
)
def test_near_twins_in_one_table_stay_apart_and_duplicates_are_found(
    tmp_path: Path, make: str, kind: str
) -> None:
    """The first reading finds .82, .66 and .87 of such duplicates."""
    table = drawn_once(MAKES[make], kind, 60, 1, share=0.3, mess=1.0, alike=0.15)
    found = installed(kind, table, tmp_path)
    assert found.wanted >= 30
    assert found.precision >= 0.95 and found.recall >= 0.97
    assert found.said == pytest.approx(found.precision, abs=0.06)


@pytest.mark.parametrize(("kind", "seed"), [("customers", 4), ("branches", 3)])
def test_duplicates_are_found_where_hardly_any_row_has_one(
    tmp_path: Path, kind: str, seed: int
) -> None:
    """Most rows that are most alike are none (.65 and .50 were found): a field is compared with itself all
    the same.
    """
    table = drawn_once(MAKES["first"], kind, 160, seed, share=0.04, mess=1.0, alike=0.1)
    found = installed(kind, table, tmp_path)
    assert 6 <= found.wanted <= 20
    assert found.precision >= 0.95 and found.recall >= 0.85

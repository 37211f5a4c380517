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
    assert found.said == pytest.approx(found.precision, abs=0.05)

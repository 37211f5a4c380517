"""The stored growth benchmark, drawn."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kgnb.errors import DataError
from kgnb.reporting.ontology_matching.growth import exponent, growth, read_growth
from kgnb.reporting.ontology_matching.sections import Words
from kgnb.reporting.plot import Plot


def size(classes: int, seconds: float) -> dict[str, object]:
    stage = {"cpu": seconds, "seconds": seconds, "megabytes": 100 + classes / 100}
    return {"classes": classes, "candidates": 10 * classes, "stages": {"search": stage, "merge": stage}}


def test_a_stored_run_is_drawn_smallest_first_with_its_exponent(tmp_path: Path) -> None:
    file = tmp_path / "growth.json"
    file.write_text(json.dumps([size(4000, 8.0), size(1000, 2.0)]), encoding="utf-8")
    drawn = growth(read_growth(file))
    assert isinstance(drawn, Plot)
    assert "to the power 1.00" in drawn.caption
    assert drawn.alt.startswith("2 x 1,000 classes: 4 s of CPU, 110 MB, 10,000 candidate pairs")
    assert drawn.svg() == drawn.svg()


def test_without_a_stored_run_a_sentence_says_how_to_make_one() -> None:
    said = growth([])
    assert isinstance(said, Words) and "-p growth=" in said.lines[0]


@pytest.mark.parametrize("text", ["", "{}x", "[1]", '[{"classes": 1}]', '[{"classes": "x", "candidates": 1}]'])
def test_another_file_is_refused(text: str, tmp_path: Path) -> None:
    file = tmp_path / "growth.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match="growth benchmark"):
        read_growth(file)
    with pytest.raises(DataError):
        read_growth(tmp_path / "nowhere.json")


def test_an_exponent_needs_two_sizes() -> None:
    assert exponent([10, 100], [1, 100]) == pytest.approx(2)
    assert exponent([10], [1]) is None and exponent([1, 2], [0, 1]) is None

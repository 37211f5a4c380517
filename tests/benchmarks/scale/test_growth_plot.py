"""The growth benchmark, drawn."""

import pytest

from kgnb.reporting.plot import Plot
from tests.benchmarks.scale.growth_plot import exponent, growth


def size(classes: int, seconds: float) -> dict[str, object]:
    stage = {"cpu": seconds, "seconds": seconds, "megabytes": 100 + classes / 100}
    return {"classes": classes, "candidates": 10 * classes, "stages": {"search": stage, "merge": stage}}


def test_a_run_is_drawn_with_its_exponent() -> None:
    drawn = growth([size(1000, 2.0), size(4000, 8.0)])
    assert isinstance(drawn, Plot)
    assert "to the power 1.00" in drawn.caption
    assert drawn.alt.startswith("2 x 1,000 classes: 4 s of CPU, 110 MB, 10,000 candidate pairs")
    assert drawn.svg() == drawn.svg()


def test_an_exponent_needs_two_sizes() -> None:
    assert exponent([10, 100], [1, 100]) == pytest.approx(2)
    assert exponent([10], [1]) is None and exponent([1, 2], [0, 1]) is None

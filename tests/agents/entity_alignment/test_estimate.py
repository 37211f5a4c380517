"""How sure one is of what is written, said without a reference."""

import re

from kgnb.tasks.aligning import align
from tests.benchmarks.agents.messy_tables import drawn


def estimate(size, folder):
    left, right = drawn("people", size, 23).written(folder)
    settled = align(left, right, judge="first", embedder="characters").settled
    return settled, settled.estimate()


def test_of_many_sure_matches_the_expected_share_is_said(tmp_path):
    settled, said = estimate(120, tmp_path)
    assert f"estimated precision {100 * settled.estimated_precision:.1f} %" in said
    low, high = settled.likely_precision
    assert low <= settled.estimated_precision <= high <= 1.0
    assert said in settled.summary()


def test_of_a_few_matches_bounds_are_said_and_no_number(tmp_path):
    settled, said = estimate(12, tmp_path)
    low, high = map(int, re.findall(r"between (\d+) and (\d+) %", said)[0])
    assert "unsure" in said and low < 95 and low <= 100 * settled.estimated_precision <= high

"""The rule judge, with its defaults, reaches on real tracks what it has reached before."""

from pathlib import Path

import pytest

from kgnb.agents.ontology_matching.rule import Weights
from tests.benchmarks.agents.tracks import figures, tracks

pytestmark = pytest.mark.benchmark


def test_conference_keeps_its_floor(benchmark_data: Path) -> None:
    scores = figures(list(tracks(benchmark_data, "conference")), Weights())
    assert scores["conference"].f1 >= 0.69
    assert scores["conference properties"].f1 >= 0.48


def test_anatomy_keeps_its_floor(benchmark_data: Path) -> None:
    scores = figures(list(tracks(benchmark_data, "anatomy")), Weights())
    assert scores["anatomy"].f1 >= 0.92
    assert scores["anatomy non-trivial"].f1 >= 0.79


def test_the_huts_keep_their_floor(benchmark_data: Path) -> None:
    scores = figures(list(tracks(benchmark_data, "huts")), Weights())
    assert scores["huts"].f1 >= 0.97

"""The rule judge, with its defaults, reaches on real tracks what it has reached before."""

from pathlib import Path

import pytest

from kgnb.agents.ontology_matching.rule import RuleJudge
from tests.benchmarks.agents.carry_over import Embedding, by_group, ready, tasks

pytestmark = pytest.mark.benchmark


def test_conference_anatomy_and_the_huts_keep_their_floors(benchmark_data: Path) -> None:
    embedding = Embedding()
    prepared = [
        ready(task, embedding) for task in tasks(benchmark_data, ("conference", "anatomy", "huts"))
    ]
    found = by_group(prepared, RuleJudge())
    assert found["conference"] >= 69.0 and found["anatomy"] >= 92.0 and found["huts"] >= 97.0

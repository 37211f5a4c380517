# ruff: noqa: E501
"""kill -9 of what takes longer than a command: a report, and a round of batch requests; in the end nothing is missing or doubled."""

import json
import random
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from kgnb.cli.outcome import WAITING
from kgnb.llm.batch import requests_in
from tests.faults.commands import ALIGN, MATCH, Place
from tests.faults.tries import IN_A_ROW, WHOLE, tries
from tests.reporting.conftest import ASKS, notebook

pytestmark = [pytest.mark.fault("kill -9"), pytest.mark.slow]
OURS = ("ontology-matching", "-p", "dataset=huts", "-p", "embedder=characters")
BATCH = {"KGNB_MODEL": "batch:asked", "KGNB_EMBEDDER": "characters"}


def figures_in(place: Place) -> Any:
    """A report's figures."""
    return json.loads((place.home / "made" / "metrics.json").read_text())


@pytest.fixture(scope="module")
def words(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, ...]:
    """A report: a real one, or (in the short form) one that only writes its figures."""
    what = OURS if WHOLE else (notebook(tmp_path_factory.mktemp("small"), *ASKS), "-p", "judge=rule")
    return ("report", *what, "--out", "made")


@pytest.fixture(scope="module")
def undisturbed(words: tuple[str, ...], tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, float]:
    """The figures of a report that nothing happens to, and how many seconds it takes."""
    place, begun = Place(tmp_path_factory.mktemp("report")), time.monotonic()
    status, _, told = place.run(*words)
    assert status == 0, told
    return figures_in(place), time.monotonic() - begun


@pytest.mark.parametrize("number", tries(1, 4))
def test_a_report_that_is_killed_again_and_again_is_made_with_the_same_figures(
    tmp_path: Path, words: tuple[str, ...], undisturbed: tuple[Any, float], number: int, record_property: Any
) -> None:
    figures, seconds = undisturbed
    place, draw = Place(tmp_path), random.Random(f"report{number}")
    for _ in range(IN_A_ROW):
        place.killed(*words, after=draw.uniform(0.1, 0.95) * seconds)
        for file in (tmp_path / "made").rglob("*.json"):
            json.loads(file.read_text())
        for file in (tmp_path / "made").rglob("report.html"):
            assert file.read_text().rstrip().endswith("</html>")
    record_property("tries", IN_A_ROW)
    status, _, told = place.run(*words)
    assert status == 0, told
    assert figures_in(place) == figures


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], tuple[list[str], float]]:
    """The ids of what a command asks for in its first round, and how many seconds that takes."""

    @cache
    def get(command: str) -> tuple[list[str], float]:
        place, begun = Place(tmp_path_factory.mktemp(command), None, BATCH), time.monotonic()
        status, _, told = place.run(*COMMANDS[command])
        assert status == WAITING, told
        return ids(place), time.monotonic() - begun

    return get


COMMANDS = {words[0]: words for words in (MATCH, ALIGN)}


def ids(place: Place) -> list[str]:
    return sorted(str(line["custom_id"]) for line in requests_in(place.home / "asked"))


@pytest.mark.parametrize("number", tries(1, 2))
@pytest.mark.parametrize("command", COMMANDS if WHOLE else ["match"])
def test_a_batch_round_that_is_killed_asks_for_the_same_and_for_nothing_twice(
    tmp_path: Path, asked: Callable[[str], tuple[list[str], float]], command: str, number: int, record_property: Any
) -> None:
    expected, seconds = asked(command)
    place, draw = Place(tmp_path, None, BATCH), random.Random(f"{command}{number}")
    for _ in range(IN_A_ROW):
        place.killed(*COMMANDS[command], after=draw.uniform(0.3, 1.0) * seconds)
    record_property("tries", IN_A_ROW)
    status, _, told = place.run(*COMMANDS[command])
    assert status == WAITING, told
    assert ids(place) == expected
    assert len(set(expected)) == len(expected) > 0

"""kill -9 at any moment: no half file, nothing paid for or asked for twice, and the same in the
end.

In the short form ``match`` is killed in a kernel (test_kernels), ``build`` in
tests/agents/kg_construction/test_killed.
"""

import json
import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from kgnb.cli.outcome import WAITING
from kgnb.llm.batch import requests_in
from tests.faults.commands import ALIGN, ASK, BUILD, MATCH, Place
from tests.faults.tries import IN_A_ROW, WHOLE
from tests.llm.obliging import oblige
from tests.llm.stub_server import Answer, Body, StubServer
from tests.reporting.conftest import ASKS, notebook

pytestmark = [pytest.mark.fault("kill -9"), pytest.mark.slow]
# calls at once: who asks anew has kept what was answered, so a kill loses no more replies than that
WIDTH = 2
NARROW = {
    "KGNB_WIDTH": str(WIDTH),
    "KGNB_EMBEDDER": "characters",
}  # the bundled one takes longer than all else


class Counting:
    """Answers as it is told, a little late, and knows when each request was asked."""

    def __init__(self, answer: Callable[[Body], Answer] = oblige) -> None:
        self.asked: dict[str, list[float]] = {}
        self._answer = answer

    def __call__(self, body: Body) -> Answer:
        self.asked.setdefault(repr(body["messages"]), []).append(time.monotonic())
        time.sleep(0.1)
        return self._answer(body)

    def needlessly_twice(self, kills: Sequence[float]) -> list[list[float]]:
        """Requests asked again with no kill between, or because of one that lost more than may have
        been on its way.
        """
        lost: dict[float | None, list[list[float]]] = {}
        for times in self.asked.values():
            for asked, anew in zip(times, times[1:], strict=False):
                by = next(
                    (kill for kill in kills if asked <= kill <= anew), None
                )  # the reply was on its way
                lost.setdefault(by, []).append([asked, anew])
        return lost.pop(None, []) + [
            pair for those in lost.values() if len(those) > WIDTH for pair in those
        ]


@dataclass(frozen=True)
class Job:
    """Work of a command: its words, what it has made in the end, and what may be there after a
    kill.
    """

    words: tuple[str, ...]
    made: Callable[[Place], Any]
    sound: Callable[[Place, Any], bool] = lambda place, expected: True
    again: tuple[str, ...] = ()  # words to go on with
    status: int = 0
    more: Mapping[str, str] = field(default_factory=lambda: NARROW)


def command(words: tuple[str, ...]) -> Job:
    """A command that writes one file: whole, or not at all."""
    return Job(
        words,
        lambda place: place.out(words[0]),
        lambda place, all_: place.out(words[0]) in (b"", all_),
    )


def whole_lines(place: Place, _: Any) -> bool:
    return all(line.startswith(b"{") for line in place.out("ask").splitlines()[:-1])


def figures(place: Place) -> Any:
    return json.loads((place.home / "made" / "metrics.json").read_text())


def whole_files(place: Place, _: Any) -> bool:
    made = place.home / "made"
    pages = [page.read_text().rstrip().endswith("</html>") for page in made.rglob("report.html")]
    return all(pages) and all(
        json.loads(file.read_text()) is not None for file in made.rglob("*.json")
    )


def ids(place: Place) -> list[str]:
    found = sorted(str(line["custom_id"]) for line in requests_in(place.home / "asked"))
    assert len(set(found)) == len(found), "asked for twice"
    return found


BATCH = {"KGNB_MODEL": "batch:asked", "KGNB_EMBEDDER": "characters"}
JOBS = {
    **{words[0]: command(words) for words in (MATCH, ALIGN, BUILD)},
    "ask": Job(ASK, lambda place: place.out("ask"), whole_lines, ("--resume",)),
    "report": Job(("report", "NOTEBOOK", "--out", "made"), figures, whole_files, more={}),
    **{
        f"batch {words[0]}": Job(words, ids, status=WAITING, more=BATCH) for words in (MATCH, ALIGN)
    },
}
OURS = ("ontology-matching", "-p", "dataset=huts", "-p", "embedder=characters")


@pytest.fixture(scope="module")
def words_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Job], list[str]]:
    """A job's words; of reports a real one, or (in the short form) one that only writes its
    figures.
    """
    report = (
        OURS if WHOLE else (notebook(tmp_path_factory.mktemp("small"), *ASKS), "-p", "judge=rule")
    )
    return lambda job: [
        one for word in job.words for one in (report if word == "NOTEBOOK" else (word,))
    ]


@pytest.fixture(scope="module")
def undisturbed(
    tmp_path_factory: pytest.TempPathFactory, words_of: Callable[[Job], list[str]]
) -> Callable[[str], tuple[Any, float]]:
    """What a job makes when nothing happens to it, and how many seconds it takes."""

    @cache
    def get(name: str) -> tuple[Any, float]:
        job = JOBS[name]
        with StubServer(Counting()) as server:
            place = Place(
                tmp_path_factory.mktemp("calm"), server if job.more is NARROW else None, job.more
            )
            begun = time.monotonic()
            status, _, told = place.run(*words_of(job))
        assert status == job.status, told
        return job.made(place), time.monotonic() - begun

    return get


@pytest.mark.parametrize(
    ("name", "number"),
    [(name, n) for name in JOBS for n in range(2 if name.startswith("batch") else 4)]
    if WHOLE
    else [("align", 0), ("ask", 0), ("report", 0), ("batch match", 0)],
)
def test_work_that_is_killed_again_and_again_ends_the_same(
    tmp_path: Path,
    undisturbed: Callable[[str], tuple[Any, float]],
    words_of: Callable[[Job], list[str]],
    name: str,
    number: int,
    record_property: Any,
) -> None:
    """Killed at another moment each time and begun again over what that left; the last time it is
    left alone.
    """
    (expected, seconds), job = undisturbed(name), JOBS[name]
    counting, kills, draw = Counting(), list[float](), random.Random(f"{name}{number}")
    with StubServer(counting) as server:
        place = Place(tmp_path, server if job.more is NARROW else None, job.more)
        while len(kills) < IN_A_ROW:
            place.killed(
                *words_of(job),
                *(job.again if kills else ()),
                after=draw.uniform(0.2, 0.95) * seconds,
            )
            kills.append(time.monotonic())
            assert job.sound(place, expected)
        status, _, told = place.run(*words_of(job), *job.again)
    assert status == job.status, told
    assert expected and job.made(place) == expected
    assert not counting.needlessly_twice(kills), "a reply that had arrived was asked again"
    halves = (
        place.halves()
    )  # hidden ones, beside a file that was just being written: at most one a kill
    assert len(halves) <= len(kills) and all(
        half.startswith(".") and half.endswith(".part") for half in halves
    )
    record_property("tries", IN_A_ROW)

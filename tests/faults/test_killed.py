"""kill -9 at any moment: no half file, no reply paid for twice, and the same bytes in the end.

In the short form ``match`` is killed in a kernel (test_kernels), ``build`` in tests/agents/kg_construction/test_killed.
"""

import random
import time
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.faults.commands import ALIGN, ASK, BUILD, MATCH, OUTPUTS, Place
from tests.faults.tries import IN_A_ROW, WHOLE, tries
from tests.llm.obliging import oblige
from tests.llm.stub_server import Answer, Body, StubServer

pytestmark = [pytest.mark.fault("kill -9"), pytest.mark.slow]
COMMANDS = {words[0]: words for words in (MATCH, ALIGN, BUILD, ASK)}
WIDTH = 2  # calls at once: who asks anew has kept what was answered, so a kill loses no more replies than that
NARROW = {"KGNB_WIDTH": str(WIDTH), "KGNB_EMBEDDER": "characters"}  # the bundled one takes longer than all else


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
        """Requests asked again with no kill between, or because of one that lost more than may have been on its way."""
        lost: dict[float | None, list[list[float]]] = {}
        for times in self.asked.values():
            for asked, anew in zip(times, times[1:], strict=False):
                by = next((kill for kill in kills if asked <= kill <= anew), None)  # the reply was on its way
                lost.setdefault(by, []).append([asked, anew])
        return lost.pop(None, []) + [pair for those in lost.values() if len(those) > WIDTH for pair in those]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], tuple[bytes, float]]:
    """What a command writes when nothing happens to it, and how many seconds it takes."""

    @cache
    def get(command: str) -> tuple[bytes, float]:
        with StubServer(Counting()) as server:
            place, begun = Place(tmp_path_factory.mktemp(command), server, NARROW), time.monotonic()
            status, _, told = place.run(*COMMANDS[command])
        assert status == 0, told
        return place.out(command), time.monotonic() - begun

    return get


@pytest.mark.parametrize("number", tries(1, 4))
@pytest.mark.parametrize("command", OUTPUTS if WHOLE else ["align", "ask"])
def test_a_command_that_is_killed_again_and_again_ends_with_the_same_bytes(
    tmp_path: Path, whole: Callable[[str], tuple[bytes, float]], command: str, number: int, record_property: Any
) -> None:
    """Killed at another moment each time and begun again over what that left; the last time it is left alone."""
    expected, seconds = whole(command)
    counting, kills, draw = Counting(), list[float](), random.Random(f"{command}{number}")
    again = ("--resume",) if command == "ask" else ()
    with StubServer(counting) as server:
        place = Place(tmp_path, server, NARROW)
        while len(kills) < IN_A_ROW:
            place.killed(*COMMANDS[command], *(again if kills else ()), after=draw.uniform(0.3, 0.95) * seconds)
            kills.append(time.monotonic())
            left = place.out(command)
            if command == "ask":
                assert all(line.startswith(b"{") for line in left.splitlines()[:-1])
            else:
                assert left in (b"", expected)
        status, _, told = place.run(*COMMANDS[command], *again)
    assert status == 0, told
    assert place.out(command) == expected
    assert not counting.needlessly_twice(kills), "a reply that had arrived was asked again"
    halves = place.halves()  # hidden ones, beside a file that was just being written: at most one a kill
    assert len(halves) <= len(kills) and all(name.startswith(".") and name.endswith(".part") for name in halves)
    record_property("tries", IN_A_ROW)

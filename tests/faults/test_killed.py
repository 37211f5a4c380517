"""kill -9 at any moment: no half file, no reply paid for twice, and the same bytes in the end."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.faults.commands import ALIGN, ASK, BUILD, MATCH, OUTPUTS, Place
from tests.faults.tries import tries
from tests.llm.obliging import oblige
from tests.llm.stub_server import Answer, Body, StubServer

pytestmark = [pytest.mark.fault("kill -9"), pytest.mark.slow]
COMMANDS = {words[0]: words for words in (MATCH, ALIGN, BUILD, ASK)}
IN_FLIGHT = 0.5  # seconds before the kill in which a reply may have been on its way


class Counting:
    """Answers as it is told, a little late, and knows when each request was answered."""

    def __init__(self, answer: Callable[[Body], Answer] = oblige) -> None:
        self.answered: dict[str, list[float]] = {}
        self._answer = answer

    def __call__(self, body: Body) -> Answer:
        time.sleep(0.1)
        self.answered.setdefault(repr(body["messages"]), []).append(time.monotonic())
        return self._answer(body)

    def needlessly_twice(self, kills: Sequence[float]) -> list[list[float]]:
        """Requests asked again though no kill came while their reply may have been on its way."""
        pairs = [pair for times in self.answered.values() for pair in zip(times, times[1:], strict=False)]
        return [[one, two] for one, two in pairs if not any(kill - IN_FLIGHT <= one and kill <= two for kill in kills)]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], tuple[bytes, float]]:
    """What a command writes when nothing happens to it, and how many seconds it takes."""
    found: dict[str, tuple[bytes, float]] = {}

    def get(command: str) -> tuple[bytes, float]:
        if command not in found:
            with StubServer(Counting()) as server:
                place, begun = Place(tmp_path_factory.mktemp(command), server), time.monotonic()
                status, _, told = place.run(*COMMANDS[command])
            assert status == 0, told
            found[command] = place.out(command), time.monotonic() - begun
        return found[command]

    return get


@pytest.mark.parametrize("number", tries(1, 20))
@pytest.mark.parametrize("command", OUTPUTS)
def test_a_killed_command_runs_again_to_the_same_bytes(
    tmp_path: Path, whole: Callable[[str], tuple[bytes, float]], command: str, number: int
) -> None:
    expected, seconds = whole(command)
    counting = Counting()
    with StubServer(counting) as server:
        place = Place(tmp_path, server)
        place.killed(*COMMANDS[command], after=random.Random(f"{command}{number}").uniform(0.3, 0.95) * seconds)
        killed = time.monotonic()
        left = place.out(command)
        if command == "ask":
            assert all(line.startswith(b"{") for line in left.splitlines()[:-1])
        else:
            assert left in (b"", expected)
        again = ("--resume",) if command == "ask" else ()
        status, _, told = place.run(*COMMANDS[command], *again)
    assert status == 0, told
    assert place.out(command) == expected
    assert not counting.needlessly_twice([killed]), "a reply that had arrived was asked again"
    assert not [name for name in place.halves() if not name.startswith(f".{OUTPUTS[command]}.")]

# ruff: noqa: E501
"""Ten thousand judgements through a stub: memory stays flat, the ledger grows by the same each
time, Stop is as quick.
"""

import json
import os
import signal
import sys
import time
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from kgnb.judging import Verdict
from kgnb.judging.memory import Remembered, VerdictStore
from kgnb.judging.model_judge import ModelJudge
from kgnb.llm.asking import stop_asking
from kgnb.llm.chat_model import Model
from kgnb.llm.model import Reply, Request, Usage
from kgnb.llm.replay import ReplayCache
from kgnb.run import Run
from kgnb.run.folder import read_run
from tests.faults.tries import WHOLE
from tests.judging.questions import Ask, ask

pytestmark = [pytest.mark.fault("long runs"), pytest.mark.slow]

ROUNDS, A_ROUND = 10, 1_000 if WHOLE else 100
GROWTH = 50 << 20  # bytes
WIDTH = 8  # calls at once: a judge's default


class Stub:
    """Answers every question of a sheet with A, after ``delay`` seconds, and keeps nothing. Slow:
    its first call rings the alarm a fifth of a second later.
    """

    name = "stub"

    def __init__(self, delay: float = 0.0) -> None:
        self.delay = delay
        self.rings = delay > 0
        self.asked = 0

    def ask(self, request: Request) -> Reply:
        if self.rings:
            self.rings = False
            signal.setitimer(signal.ITIMER_REAL, 0.2)
        self.asked += 1
        time.sleep(self.delay)
        answers = [
            {"question": n, "why": "alike", "letter": "A", "confidence": 0.9} for n in range(1, 9)
        ]
        return Reply(json.dumps({"answers": answers}), usage=Usage(900, 90), model="stub")


def questions(number: int) -> list[Ask]:
    return [
        ask(f"class Hut {number} {n}", f"Refuge {number} {n}", "Route", "Warden")
        for n in range(A_ROUND)
    ]


def judge_of(run: Run, home: Path, stub: Stub) -> Any:
    model = run.watch(Model.of(stub, cache=ReplayCache(home / "replies.sqlite")))
    judge: ModelJudge[Ask] = ModelJudge(
        model,
        instructions="Which option is the same?",
        decisions=("equivalent",),
        none_decision="different",
    )
    return run.watch_judge(Remembered(judge, VerdictStore(home / "verdicts.sqlite")))


def resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def going_on(run: Run, stub: Stub, judge: Any, asked: list[Ask]) -> tuple[int, list[Verdict]]:
    """How many calls a judge makes after Stop, which comes a fifth of a second into its work."""
    before_it: list[int] = []

    def stop(number: int, frame: FrameType | None) -> None:
        before_it.append(stub.asked)
        run.stop()
        stop_asking()

    before = signal.signal(signal.SIGALRM, stop)
    try:
        verdicts = run.do(judge.judge, asked)
        return stub.asked - before_it[0], verdicts
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_ten_thousand_judgements_cost_as_much_at_the_end_as_at_the_start(
    tmp_path: Path, record_property: Any
) -> None:
    early, late = Run("early", folder=tmp_path / "early"), Run("late", folder=tmp_path / "late")
    slow = Stub(0.1)
    at_start, _ = going_on(early, slow, judge_of(early, tmp_path, slow), questions(-1))
    judge, ledger = judge_of(late, tmp_path, Stub()), tmp_path / "late" / "events.jsonl"
    memory, sizes, seconds = list[int](), [0], list[float]()
    for number in range(ROUNDS):
        begun = time.thread_time()
        verdicts = late.do(judge.judge, questions(number))
        seconds.append(time.thread_time() - begun)
        assert all(verdict.decision == "equivalent" for verdict in verdicts)
        memory.append(resident())
        sizes.append(ledger.stat().st_size)
    steps = [after - before for before, after in zip(sizes, sizes[1:], strict=False)]
    slow = Stub(0.1)
    at_end, verdicts = going_on(late, slow, judge_of(late, tmp_path, slow), questions(ROUNDS))
    late.finish()
    record_property("tries", ROUNDS * A_ROUND)
    print(
        f"{ROUNDS * A_ROUND:,} judgements: {(memory[-1] - memory[0]) >> 20} MB more, ledger {sizes[-1] >> 10} KiB, "
        f"{at_start} calls after Stop at the start and {at_end} at the end; CPU a round {seconds[0]:.2f}, {seconds[-1]:.2f} s"
    )
    assert memory[-1] - memory[0] <= GROWTH
    assert max(steps[1:]) <= 1.1 * min(steps[1:])
    assert seconds[-1] <= 3 * seconds[1] + 0.5
    assert max(at_start, at_end) <= WIDTH
    assert any(verdict.failed for verdict in verdicts)
    assert read_run(tmp_path / "late").totals["calls"] >= ROUNDS * A_ROUND // 8

"""How much faster sixteen questions in flight are than one after another, against a server that takes 200 ms.

The whole path of a judge is measured: prompts, pacing, replay cache, the run's ledger, reading the answers.

python -m tests.benchmarks.llm.in_flight
"""

import json
import time
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from kgnb.judging import ModelJudge, Option
from kgnb.llm.model import Message, Request
from kgnb.llm.openai_model import OpenAIModel
from kgnb.llm.pacing import Pace, Paced
from kgnb.llm.replay import ReplayCache, Replaying
from kgnb.run import Run
from tests.llm.stub_server import StubServer

LATENCY, WIDTH, QUESTIONS = 0.2, 16, 96


@dataclass(frozen=True)
class Asked:
    """A question with two options."""

    number: int

    @property
    def id(self) -> str:
        """Its number."""
        return str(self.number)

    @property
    def text(self) -> str:
        """What it is about."""
        return f"hut number {self.number}"

    @property
    def options(self) -> tuple[Option, ...]:
        """Two huts."""
        return (Option("a", "a hut"), Option("b", "another hut"))


def answer(body: dict[str, Any]) -> str:
    """Option A to the one question on the sheet."""
    told = {"question": 1, "why": "same", "letter": "A", "decision": "equivalent", "confidence": 0.9}
    return json.dumps({"answers": [told]})


def seconds(width: int, questions: int) -> float:
    """Judge so many questions, one a call, ``width`` calls at once."""
    with TemporaryDirectory() as folder, StubServer(answer, delay=LATENCY) as server:
        cache = ReplayCache(Path(folder) / "replies.sqlite")
        live = Paced(OpenAIModel("stub", server.url, "none"), Pace(at_once=width))
        with Run("benchmark", folder=Path(folder) / "run") as run:
            model = run.watch(Replaying(live, cache, "record"))
            judge = ModelJudge(
                model, instructions="Same?", decisions=("equivalent",), none_decision="different", batch=1, width=width
            )
            live.ask(Request((Message("user", "warm up"),)))  # imports the client, opens a connection
            begun = time.perf_counter()
            verdicts = run.watch_judge(judge).judge([Asked(number) for number in range(questions)])
            taken = time.perf_counter() - begun
        cache.close()
        if not all(verdict.sure for verdict in verdicts):
            raise RuntimeError(f"the stub was not understood: {verdicts[0]}")
    return taken


def main() -> float:
    """Print both rates and the ratio."""
    one_by_one = QUESTIONS // 8 / seconds(1, QUESTIONS // 8)
    at_once = QUESTIONS / seconds(WIDTH, QUESTIONS)
    print(
        f"server latency {1000 * LATENCY:.0f} ms: one by one {one_by_one:.1f} questions a second, "
        f"{WIDTH} in flight {at_once:.1f}: {at_once / one_by_one:.1f} times the rate"
    )
    return at_once / one_by_one


if __name__ == "__main__":
    main()

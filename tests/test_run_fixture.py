"""``tests/fixtures/run.json`` is a run as Python writes it today; the extension's tests read the
same file.

Run this file as a program to write the fixture anew.
"""

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

from kgnb.errors import BackendError
from kgnb.judging import Option, Verdict
from kgnb.kg.graph import Solutions
from kgnb.llm.model import Attempt, Message, Reply, Request, Usage
from kgnb.llm.prices import Price, Prices
from kgnb.run import Clock, Run
from tests.test_run import TinyGraph

FIXTURE = Path(__file__).parent / "fixtures" / "run.json"


@dataclass(frozen=True)
class Pair:
    id: str
    text: str
    options: tuple[Option, ...]


PAIRS = (
    Pair(
        "5d0c",
        "class Warden\nalso called: hut keeper",
        (Option("https://example.org/b#Keeper", "class Keeper"),),
    ),
    Pair("77ae", "class Bunk", (Option("https://example.org/b#Bed", "class Bed"),)),
    Pair(
        "f210",
        "property <script>alert(1)</script> & sleeps",
        (Option("https://example.org/b#capacity", "capacity"),),
    ),
)


@dataclass(frozen=True)
class Found:
    number: int

    def counts(self) -> Mapping[str, int | float]:
        return {"entities": self.number, "share with a label": 0.75}


class HutsGraph(TinyGraph):
    name = "huts.ttl"

    def select(self, query: str, **_: object) -> Solutions:
        return Solutions(("s",), ((None,), (None,)))


class ThreeReplies:
    """Answers once after a retry, once from its cache, and then fails."""

    name = "small-model"

    def __init__(self) -> None:
        tries = (Attempt(429, "slow down", 0.5), Attempt(200, "", 1.25))
        self._replies = iter(
            [
                Reply("A", usage=Usage(180, 12), model=self.name, seconds=1.75, attempts=tries),
                Reply("B", usage=Usage(90, 6), model=self.name, cached=True),
            ]
        )

    def ask(self, request: Request) -> Reply:
        reply = next(self._replies, None)
        if reply is None:
            raise BackendError("the server closed the connection", service="small-model")
        return reply


@dataclass
class AskingJudge:
    model: ThreeReplies
    name: str = "model:small-model"

    def judge(self, questions: Sequence[Pair]) -> list[Verdict]:
        return [self._verdict(question) for question in questions]

    def _verdict(self, question: Pair) -> Verdict:
        try:
            reply = self.model.ask(Request((Message("user", question.text),)))
        except BackendError as error:
            return Verdict("unsure", rationale=error.what, judged_by=self.name)
        if reply.text == "B":
            return Verdict(
                "different", None, 0.6, "a bunk is one place in a bed for many", self.name
            )
        return Verdict(
            "equivalent", question.options[0].id, 0.9, "both look after a hut", self.name
        )


def write_run() -> dict[str, object]:
    """A run with everything in it that a run can have, by a clock that ticks a quarter of a second
    at every look.
    """
    ticks = count()
    clock = Clock(lambda: datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC), lambda: next(ticks) * 0.25)

    def retrieve(graph: TinyGraph) -> Found:
        return Found(len(graph.select("SELECT ?s WHERE { ?s a ?class }")))

    def validate(judge: AskingJudge) -> list[Verdict]:
        run.progress(0, len(PAIRS), "questions")
        return judge.judge(PAIRS)

    def merge(verdicts: list[Verdict]) -> None:
        raise ValueError(f"{len(verdicts)} verdicts cannot be merged")

    run = Run(
        "ontology_matching",
        parameters={
            "source": Path("huts.ttl"),
            "k": 10,
            "similarity": None,
            "api_key": "not for a file",
        },
        data={"huts.ttl": "9f86d081884c7d65"},
        seed=7,
        prices=Prices("2026-01-01", {"small-model": Price(prompt=0.5, completion=2.0)}),
        versions={"kgnb": "0.1.0", "python": "3.11.0"},
        clock=clock,
    )
    run.watch_judge(AskingJudge(ThreeReplies())).judge(())
    run.watch_graph(HutsGraph()).select("SELECT ?s WHERE { ?s ?p ?o }")
    run.do(retrieve, run.watch_graph(HutsGraph()))
    verdicts = run.do(validate, run.watch_judge(AskingJudge(run.watch(ThreeReplies()))))
    with suppress(ValueError):
        run.do(merge, verdicts)
    return run.to_json()


def text_of(run: dict[str, object]) -> str:
    return json.dumps(run, indent=2, ensure_ascii=False) + "\n"


def test_the_fixture_is_what_python_writes_today() -> None:
    assert FIXTURE.read_text(encoding="utf-8") == text_of(write_run())


if __name__ == "__main__":
    FIXTURE.parent.mkdir(exist_ok=True)
    FIXTURE.write_text(text_of(write_run()), encoding="utf-8")

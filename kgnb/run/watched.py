"""Models, judges and graphs that record on a run what is asked of them, and otherwise behave as
before.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from typing import Any, Protocol, TypeVar

from kgnb.errors import Waiting, shown
from kgnb.judging import ClosedQuestion, Estimate, Judge, Verdict, Wrapped
from kgnb.kg.graph import Graph, Solutions
from kgnb.kg.terms import Blank, Iri, Term, Triple
from kgnb.llm.chat_model import Model
from kgnb.llm.model import Reply, Request
from kgnb.llm.prices import Prices, cost, estimate_usage
from kgnb.run.limits import Spending
from kgnb.run.plain import said
from kgnb.run.record import CallRecord, Clock, Judgement, QueryRecord

Q = TypeVar("Q", bound=ClosedQuestion)
A = TypeVar("A", bound=Sequence[Any] | Solutions)
CALLS = "model calls"  # a unit of progress: every call counts as one more


class _Run(Protocol):
    """What a run offers to whoever records on it."""

    clock: Clock
    prices: Prices | None

    @property
    def foretells(self) -> bool: ...
    def expect(self, estimate: Estimate) -> None: ...
    def progress(self, done: int, total: int | None = None, unit: str = "") -> None: ...
    def begin_call(self, expected: Spending) -> int: ...
    def end_call(self, call: CallRecord | None, expected: Spending, actual: Spending) -> None: ...
    def record(self, *entries: Judgement | QueryRecord) -> None: ...


# A model that wraps another one may be watched inside and out: the outer call is recorded, once.
_recording: ContextVar[tuple[_Run, ...]] = ContextVar("kgnb_recording", default=())


def record_call(run: _Run, model: Model, request: Request) -> Reply:
    """The model's reply to a complete request, recorded by the run.

    Raises:
        LimitError: a budget of the run is spent; the model was not asked.
    """
    if any(each is run for each in _recording.get()):
        return model.reply(request)
    name, digest = model.name, model.key(request).digest
    least = estimate_usage(request)  # the prompt alone: nobody knows how long the reply will be
    expected = Spending(1, least.total, cost(least, name, run.prices) or 0.0)
    number = run.begin_call(expected)
    token = _recording.set((*_recording.get(), run))
    begun = run.clock.seconds()
    try:
        reply = model.reply(request)
    except Waiting:
        run.end_call(None, expected, Spending())
        raise
    except BaseException as error:
        took = round(run.clock.seconds() - begun, 6)
        tries = tuple(getattr(error, "attempts", ()))
        failed = CallRecord(
            number, name, seconds=took, attempts=tries, request=digest, error=said(error)
        )
        run.end_call(failed, expected, Spending(1))
        raise
    finally:
        _recording.reset(token)
    used = reply.usage
    usd = 0.0 if reply.cached or model.free else cost(used, name, run.prices)
    call = CallRecord(
        number,
        reply.model or name,
        used.prompt_tokens,
        used.completion_tokens,
        usd,
        round(run.clock.seconds() - begun, 6),
        reply.cached,
        reply.attempts,
        reply.finish_reason,
        digest,
        cached_tokens=used.cached_tokens,
        reasoning_tokens=used.reasoning_tokens,
        cached_on=reply.cached_on,
    )
    actual = Spending() if reply.cached else Spending(1, used.total, usd or 0.0)
    run.end_call(call, expected, actual)
    return reply


class WatchedJudge(Wrapped[Q]):
    """A judge whose verdicts a run records."""

    def __init__(self, judge: Judge[Q], run: _Run) -> None:
        super().__init__(judge)
        self._run = run

    def judge(self, questions: Sequence[Q]) -> list[Verdict]:
        """The judge's verdicts; a judge that does not give one per question raises ValueError.

        The cost of several questions is announced beforehand; a single one is quicker asked than
        announced.
        """
        if len(questions) > 1 and self._run.foretells:
            estimate = self.estimate(questions)
            self._run.expect(estimate)
            if estimate.calls:
                self._run.progress(0, estimate.calls, CALLS)
        verdicts = self._judge.judge(questions)
        self._run.record(
            *(
                Judgement(
                    question=question.id,
                    text=shown(question.text, 120),
                    decision=verdict.decision,
                    choice=verdict.choice,
                    confidence=round(float(verdict.confidence), 6),
                    judged_by=verdict.judged_by or self.name,
                    rationale=shown(verdict.rationale, 400),
                    failed=verdict.failed,
                )
                for question, verdict in zip(questions, verdicts, strict=True)
            )
        )
        return verdicts


class WatchedGraph:
    """A graph whose queries a run records."""

    def __init__(self, graph: Graph, run: _Run) -> None:
        self.unwatched = self._graph = graph
        self._run = run
        self.name = graph.name
        self.add, self.count, self.close = graph.add, graph.count, graph.close
        self.mended, self.beyond = getattr(graph, "mended", ()), getattr(graph, "beyond", ())

    def select(self, query: str, **options: Any) -> Solutions:
        """The solutions of a SELECT query."""
        return self._recorded(query, lambda: self._graph.select(query, **options))

    def ask(self, query: str, **options: Any) -> bool:
        """The answer to an ASK query."""
        return self._recorded(query, lambda: (self._graph.ask(query, **options),))[0]

    def construct(self, query: str, **options: Any) -> list[Triple]:
        """The triples of a CONSTRUCT or DESCRIBE query."""
        return self._recorded(query, lambda: self._graph.construct(query, **options))

    def triples(
        self,
        subject: Iri | Blank | None = None,
        predicate: Iri | None = None,
        object: Term | None = None,
        *,
        limit: int | None = None,
    ) -> list[Triple]:
        """The triples that match."""
        pattern = " ".join(
            "?" if term is None else str(term) for term in (subject, predicate, object)
        )
        ask = lambda: self._graph.triples(subject, predicate, object, limit=limit)  # noqa: E731
        return self._recorded(f"triples {pattern}", ask)

    def _recorded(self, query: str, ask: Callable[[], A]) -> A:
        """The answer, recorded with its rows and its time, even if it fails."""
        begun, rows = self._run.clock.seconds(), 0
        try:
            answer = ask()
            rows = len(answer)
            return answer
        finally:
            took = round(self._run.clock.seconds() - begun, 6)
            self._run.record(QueryRecord(self.name, query, rows, took))

"""Models, judges and graphs that record on a run what is asked of them, and otherwise behave as before."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextvars import ContextVar
from typing import Any, Generic, Protocol, TypeVar

from kgnb.errors import Waiting
from kgnb.judging import ClosedQuestion, Estimate, Judge, Verdict, estimate
from kgnb.kg.graph import Graph, Solutions
from kgnb.kg.terms import Blank, Iri, Term, Triple
from kgnb.llm.cache_entry import Key
from kgnb.llm.model import ChatModel, Reply, Request, Usage, behind
from kgnb.llm.prices import Prices, cost, estimate_usage
from kgnb.results.wording import money, seconds
from kgnb.run.limits import Budget, Spending
from kgnb.run.plain import number_of, one_line, said
from kgnb.run.record import CallRecord, Clock, Judgement, QueryRecord

Q = TypeVar("Q", bound=ClosedQuestion, contravariant=True)
A = TypeVar("A", bound=Sequence[Any] | Solutions)


class _Run(Protocol):
    """What a run offers to whoever records on it."""

    clock: Clock
    prices: Prices | None

    @property
    def foretells(self) -> bool: ...
    @property
    def totals(self) -> dict[str, Any]: ...
    def expect(self, estimate: Estimate, bound: str = ..., seconds: float | None = None) -> None: ...
    def begin_call(self, expected: Spending) -> int: ...
    def end_call(self, call: CallRecord | None, expected: Spending, actual: Spending) -> None: ...
    def record_judgements(self, judgements: Sequence[Judgement]) -> None: ...
    def record_query(self, query: QueryRecord) -> None: ...


# A model that wraps another one may be watched inside and out: the outer call is recorded, once.
_recording: ContextVar[tuple[_Run, ...]] = ContextVar("kgnb_recording", default=())


class WatchedModel:
    """A chat model whose calls a run records, and refuses once a budget is spent."""

    def __init__(self, model: ChatModel, run: _Run) -> None:
        self._model = model
        self._run = run
        self._server = str(getattr(model, "server", ""))  # a Replaying model's: the digest is then its cache's key
        self._free = is_free(model)

    @property
    def name(self) -> str:
        """The model's own name."""
        return self._model.name

    def ask(self, request: Request) -> Reply:
        """The model's reply.

        Raises:
            LimitError: a budget of the run is spent; the model was not asked.
        """
        run, name = self._run, self._model.name
        if any(each is run for each in _recording.get()):
            return self._model.ask(request)
        prepare = getattr(self._model, "prepared", None)
        prepared = prepare(request) if prepare else request  # as it is cached
        digest = Key.of(prepared, name, self._server).digest
        least = estimate_usage(prepared)  # the prompt alone: nobody knows how long the reply will be
        expected = Spending(1, least.total, cost(least, name, run.prices) or 0.0)
        number = run.begin_call(expected)
        token = _recording.set((*_recording.get(), run))
        begun = run.clock.seconds()
        try:
            reply = self._model.ask(request)
        except Waiting:
            run.end_call(None, expected, Spending())
            raise
        except BaseException as error:
            took = round(run.clock.seconds() - begun, 6)
            tries = tuple(getattr(error, "attempts", ()))
            failed = CallRecord(number, name, seconds=took, attempts=tries, request=digest, error=said(error))
            run.end_call(failed, expected, Spending(1))
            raise
        finally:
            _recording.reset(token)
        took = round(run.clock.seconds() - begun, 6)
        used = reply.usage
        usd = 0.0 if reply.cached or self._free else cost(used, name, run.prices)
        call = CallRecord(
            number, reply.model or name, used.prompt_tokens, used.completion_tokens, usd, took,
            reply.cached, reply.attempts, reply.finish_reason, digest,
            cached_tokens=used.cached_tokens, reasoning_tokens=used.reasoning_tokens,
        )  # fmt: skip
        run.end_call(call, expected, Spending() if reply.cached else Spending(1, used.total, usd or 0.0))
        return reply


def is_free(model: ChatModel) -> bool:
    """Whether the model, or one wrapped in it, says that it costs nothing."""
    return bool(behind(model, "free"))


class WatchedJudge(Generic[Q]):
    """A judge whose verdicts a run records."""

    def __init__(self, judge: Judge[Q], run: _Run) -> None:
        self._judge = judge
        self._run = run

    @property
    def name(self) -> str:
        """The judge's own name."""
        return self._judge.name

    @property
    def simulation(self) -> bool:
        """Whether the judge knows the answers it is asked for."""
        return bool(getattr(self._judge, "simulation", False))

    def judge(self, questions: Sequence[Q]) -> list[Verdict]:
        """The judge's verdicts; a judge that does not give one per question raises ValueError.

        The cost of several questions is announced beforehand; a single one is quicker asked than announced.
        """
        if len(questions) > 1 and self._run.foretells:
            self._run.expect(estimate(self._judge, questions))
        verdicts = self._judge.judge(questions)
        self._run.record_judgements(
            [
                Judgement(
                    question=question.id,
                    text=one_line(question.text, 120),
                    decision=verdict.decision,
                    choice=verdict.choice,
                    confidence=round(float(verdict.confidence), 6),
                    judged_by=verdict.judged_by or self._judge.name,
                    rationale=one_line(verdict.rationale, 400),
                    failed=verdict.failed,
                )
                for question, verdict in zip(questions, verdicts, strict=True)
            ]
        )
        return verdicts

    def estimate(self, questions: Sequence[Q]) -> Estimate:
        """What the judge would cost."""
        return estimate(self._judge, questions)


class WatchedGraph:
    """A graph whose queries a run records."""

    def __init__(self, graph: Graph, run: _Run) -> None:
        self.unwatched = self._graph = graph
        self._run = run

    @property
    def name(self) -> str:
        """The graph's own name."""
        return self._graph.name

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
        pattern = " ".join("?" if term is None else str(term) for term in (subject, predicate, object))
        ask = lambda: self._graph.triples(subject, predicate, object, limit=limit)  # noqa: E731
        return self._recorded(f"triples {pattern}", ask)

    def add(self, triples: Iterable[Triple]) -> None:
        """Add triples."""
        self._graph.add(triples)

    def count(self) -> int:
        """How many triples there are."""
        return self._graph.count()

    def close(self) -> None:
        """Close the graph."""
        self._graph.close()

    def _recorded(self, query: str, ask: Callable[[], A]) -> A:
        """The answer, recorded with its rows and its time, even if it fails."""
        begun, rows = self._run.clock.seconds(), 0
        try:
            answer = ask()
            rows = len(answer)
            return answer
        finally:
            took = round(self._run.clock.seconds() - begun, 6)
            self._run.record_query(QueryRecord(self.name, query, rows, took))


def foreseen(
    estimate: Estimate, model: ChatModel, prices: Prices | None, budget: Budget, bound: str, measured: float | None
) -> dict[str, Any]:
    """The content of an estimate event, with a line for people in ``text``.

    It names money if the model's price is known, and seconds as ``measured``, or else the least that the pace in the
    settings leaves, if there is one: nobody knows how fast a server is before it has answered.
    """
    tokens = Usage(estimate.prompt_tokens, estimate.completion_tokens, estimated=True)
    usd = 0.0 if is_free(model) else cost(tokens, model.name, prices)
    pace = float(getattr(behind(model, "pace"), "requests_per_minute", 0.0))
    least = 60.0 * (estimate.calls / pace - 1) if pace else 0.0  # a minute's calls may leave at once
    parts = [f"{bound} {number_of(estimate.calls, 'model call')}"]
    if tokens.total:
        out = f" and {tokens.completion_tokens:,} out" if tokens.completion_tokens else ""
        parts.append(f"{tokens.prompt_tokens:,} tokens in{out}")
    if usd:
        parts.append(f"{money(usd)} at the price in the settings")
    if measured is not None:
        parts.append(f"{seconds(measured)} at the pace so far")
    elif least > 0:
        parts.append(f"{seconds(least)} or more at {pace:,g} calls a minute")
    text = f"{', '.join(parts)}; replies in the cache cost nothing"
    if short := budget.short(Spending(estimate.calls, tokens.total, usd or 0.0)):
        text += f". The budget of {short} {'may' if bound == 'up to' else 'will'} end it before"
    return {
        "calls": estimate.calls,
        "prompt_tokens": tokens.prompt_tokens,
        "completion_tokens": tokens.completion_tokens,
        "usd": usd,
        "seconds": measured if measured is not None else max(least, 0.0) or None,
        "bound": bound,
        "text": text,
    }


MEASURED = 5  # items after which the cost of the rest is estimated from what these took


class Forecast:
    """Announces once, while a batch is under way, what the rest will cost if it costs as much as the first items."""

    def __init__(self, run: _Run) -> None:
        self._run, self._before, self._begun = run, run.totals, run.clock.seconds()

    def done(self, number: int, total: int) -> None:
        """So many of so many are done."""
        if number != MEASURED or total < 2 * MEASURED or not self._run.foretells:
            return
        now, share = self._run.totals, (total - number) / number
        calls, prompt, completion = (
            round((now[name] - self._before[name]) * share) for name in ("calls", "prompt_tokens", "completion_tokens")
        )
        elapsed = self._run.clock.seconds() - self._begun
        self._run.expect(Estimate(calls, prompt, completion), "for the rest about", elapsed * share)

"""Models, judges and graphs that note on a run what is asked of them, and are otherwise what they were."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextvars import ContextVar
from typing import Any, Generic, TypeVar

from kgnb.errors import Waiting
from kgnb.judging import Estimate, Judge, Question, Verdict, estimate
from kgnb.kg.graph import Graph, Solutions
from kgnb.kg.terms import Blank, Iri, Term, Triple
from kgnb.llm.kept import Key
from kgnb.llm.model import Attempt, ChatModel, Reply, Request, Usage
from kgnb.llm.prices import Prices, cost, estimate_usage
from kgnb.results.wording import money, seconds
from kgnb.run.limits import Budget, Noting, Spending
from kgnb.run.plain import number_of, one_line, said
from kgnb.run.record import Call, Judgement, Query

Q = TypeVar("Q", bound=Question, contravariant=True)
A = TypeVar("A", bound=Sequence[Any] | Solutions)

# A model that wraps another one may be watched inside and out: the outer call is noted, once.
_noting: ContextVar[tuple[Noting, ...]] = ContextVar("kgnb_noting", default=())


class WatchedModel:
    """A chat model whose calls a run notes, and refuses once a budget is spent."""

    def __init__(self, model: ChatModel, run: Noting) -> None:
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
        if any(run is self._run for run in _noting.get()):
            return self._model.ask(request)
        prepared = getattr(self._model, "prepared", None)  # as it is kept
        noted = prepared(request) if prepared else request
        run, name = self._run, self._model.name
        digest = Key.of(noted, name, self._server).digest
        least = estimate_usage(noted)  # the prompt alone: nobody knows how long the reply will be
        expected = Spending(1, least.total, cost(least, name, run.prices) or 0.0)
        number = run.begin_call(expected)
        token = _noting.set((*_noting.get(), run))
        begun = run.clock.seconds()
        try:
            reply = self._model.ask(request)
        except Waiting:
            run.leave_call(expected)
            raise
        except BaseException as error:
            seconds = round(run.clock.seconds() - begun, 6)
            tries: tuple[Attempt, ...] = tuple(getattr(error, "attempts", ()))
            failed = Call(number, name, seconds=seconds, attempts=tries, request=digest, error=said(error))
            run.end_call(failed, expected, Spending(1))
            raise
        finally:
            _noting.reset(token)
        seconds = round(run.clock.seconds() - begun, 6)
        used = reply.usage
        usd = 0.0 if reply.cached or self._free else cost(used, name, run.prices)
        call = Call(
            number, reply.model or name, used.prompt_tokens, used.completion_tokens, usd, seconds,
            reply.cached, reply.attempts, reply.finish_reason, digest,
            cached_tokens=used.cached_tokens, reasoning_tokens=used.reasoning_tokens,
        )  # fmt: skip
        run.end_call(call, expected, Spending() if reply.cached else Spending(1, used.total, usd or 0.0))
        return reply


def is_free(model: ChatModel) -> bool:
    """Whether the model, or the one it wraps, says that it costs nothing."""
    inner: Any = model
    while inner is not None and not hasattr(inner, "free"):
        inner = getattr(inner, "model", None)
    return bool(getattr(inner, "free", False))


def pace_of(model: ChatModel) -> float:
    """How many calls a minute the model's settings allow; 0 where they say nothing."""
    inner: Any = model
    while inner is not None and not hasattr(inner, "pace"):
        inner = getattr(inner, "model", None)
    return float(getattr(getattr(inner, "pace", None), "requests_per_minute", 0.0))


class WatchedJudge(Generic[Q]):
    """A judge whose verdicts a run notes."""

    def __init__(self, judge: Judge[Q], run: Noting) -> None:
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
        """The judge's verdicts; a judge that does not give one for each question raises ValueError.

        What several questions will cost is told beforehand; of one, it is sooner done.
        """
        if len(questions) > 1 and self._run.foretells:
            self._run.expect(estimate(self._judge, questions))
        verdicts = self._judge.judge(questions)
        self._run.note_judgements(
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
    """A graph whose queries a run notes."""

    def __init__(self, graph: Graph, run: Noting) -> None:
        self.unwatched = self._graph = graph
        self._run = run

    @property
    def name(self) -> str:
        """The graph's own name."""
        return self._graph.name

    def select(
        self,
        query: str,
        *,
        bindings: Mapping[str, Term] | None = None,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> Solutions:
        """The solutions of a SELECT query."""
        return self._noted(query, lambda: self._graph.select(query, bindings=bindings, limit=limit, timeout=timeout))

    def ask(self, query: str, *, bindings: Mapping[str, Term] | None = None, timeout: float | None = None) -> bool:
        """The answer of an ASK query."""
        return self._noted(query, lambda: (self._graph.ask(query, bindings=bindings, timeout=timeout),))[0]

    def construct(
        self, query: str, *, bindings: Mapping[str, Term] | None = None, timeout: float | None = None
    ) -> list[Triple]:
        """The triples of a CONSTRUCT or DESCRIBE query."""
        return self._noted(query, lambda: self._graph.construct(query, bindings=bindings, timeout=timeout))

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
        return self._noted(f"triples {pattern}", lambda: self._graph.triples(subject, predicate, object, limit=limit))

    def add(self, triples: Iterable[Triple]) -> None:
        """Add triples."""
        self._graph.add(triples)

    def count(self) -> int:
        """How many triples there are."""
        return self._graph.count()

    def close(self) -> None:
        """Close the graph."""
        self._graph.close()

    def _noted(self, query: str, ask: Callable[[], A]) -> A:
        """What is asked for, noted with its rows and its time, also when it fails."""
        begun, rows = self._run.clock.seconds(), 0
        try:
            answer = ask()
            rows = len(answer)
            return answer
        finally:
            seconds = round(self._run.clock.seconds() - begun, 6)
            self._run.note_query(Query(self.name, query, rows, seconds))


MEASURED = 5  # items after which the rest of a batch is reckoned from what these took


def foreseen(
    estimate: Estimate, model: ChatModel, prices: Prices | None, budget: Budget, bound: str, measured: float | None
) -> dict[str, Any]:
    """An estimate as an event has it, with its line in ``text``.

    Money where the model's price is known. Seconds as ``measured``, else the least that the pace in the settings
    leaves, else none: nobody knows how fast a server is before it has answered.
    """
    tokens = Usage(estimate.prompt_tokens, estimate.completion_tokens, estimated=True)
    usd = 0.0 if is_free(model) else cost(tokens, model.name, prices)
    pace = pace_of(model)
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


class Forecast:
    """Told how far a batch has come, it tells once what the rest takes if it takes what the first items took."""

    def __init__(self, run: Noting) -> None:
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

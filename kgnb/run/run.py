"""The run: executes stages, records what they do, enforces the budgets, and saves as it goes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Any, ParamSpec, Self, TypeVar

from kgnb.cell import current_cell
from kgnb.errors import ConfigError, LimitError
from kgnb.judging import ClosedQuestion, Estimate, Judge
from kgnb.kg.graph import Graph
from kgnb.llm.chat_model import Model
from kgnb.llm.model import ChatModel, Reply, Request, Usage
from kgnb.llm.prices import Prices, cost
from kgnb.results.bundle import count
from kgnb.results.wording import money, seconds
from kgnb.run.collecting import collecting_seldom
from kgnb.run.folder import RunFolder, read_run
from kgnb.run.limits import Budget, Limits, Spending
from kgnb.run.plain import digest, numbers, package_versions, plain, said
from kgnb.run.record import (
    OUTSIDE,
    VERSION,
    CallRecord,
    Clock,
    Counted,
    Event,
    Judgement,
    Markable,
    Progress,
    QueryRecord,
    Record,
    end_state,
    shallow,
)
from kgnb.run.watched import WatchedGraph, WatchedJudge, record_call

Pair = tuple[Any, Any]
COSTS = frozenset({"embedded", "from cache", "from memory", "milliseconds", "written"})
"""Counts of stages that depend on what earlier runs have cached."""


@dataclass(frozen=True, slots=True)
class ChangedVerdict:
    """One question that two runs judged differently; None for a run that was not asked it."""

    step: str
    question: str
    text: str
    before: Judgement | None
    after: Judgement | None


@dataclass(frozen=True)
class RunComparison:
    """The differences between two runs, each as (this run, the other run)."""

    parameters: Mapping[str, Pair]
    data: Mapping[str, Pair]
    versions: Mapping[str, Pair]
    totals: Mapping[str, Pair]
    counts: Mapping[str, Mapping[str, Pair]]  # by step, then by what was counted
    judgements: tuple[ChangedVerdict, ...]

    @property
    def same_result(self) -> bool:
        """Whether both runs counted and judged the same, whatever that cost them."""
        return not self.judgements and all(set(pairs) <= COSTS for pairs in self.counts.values())

    def rows(self) -> list[tuple[str, str, str, str]]:
        """Each difference: what, which, this run's value, the other's."""
        named = {
            "parameter": self.parameters,
            "data": self.data,
            "version of": self.versions,
            "total": self.totals,
        }
        named |= {f"step {step},": pairs for step, pairs in self.counts.items()}
        rows = [
            (what, name, repr(before), repr(after))
            for what, pairs in named.items()
            for name, (before, after) in pairs.items()
        ]
        return rows + [
            (f"{one.step}: judgement of", repr(one.text), _said(one.before), _said(one.after))
            for one in self.judgements
        ]

    def __str__(self) -> str:
        lines = (
            f"{what} {which}: {before} -> {after}" for what, which, before, after in self.rows()
        )
        return "\n".join(lines) or "no difference"


def compare(this: Record, other: Record) -> RunComparison:
    """The differences between two runs. A stage that ran several times is counted as one."""
    before, after = _counts(this), _counts(other)
    counts = {
        name: _differences(before.get(name, {}), after.get(name, {})) for name in before | after
    }
    return RunComparison(
        parameters=_differences(
            {**this.parameters, "seed": this.seed}, {**other.parameters, "seed": other.seed}
        ),
        data=_differences(this.data, other.data),
        versions=_differences(this.versions, other.versions),
        totals=_differences(this.totals, other.totals),
        counts={name: pairs for name, pairs in counts.items() if pairs},
        judgements=_changed(this, other),
    )


def _differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Pair]:
    names = dict.fromkeys([*before, *after])
    return {
        name: (before.get(name), after.get(name))
        for name in names
        if before.get(name) != after.get(name)
    }


def _counts(record: Record) -> dict[str, dict[str, float]]:
    counts: dict[str, dict[str, float]] = {}
    for step in record.steps:
        own = counts.setdefault(step.name, {})
        for name, value in step.counts.items():
            own[name] = own.get(name, 0) + value
    return counts


def _changed(this: Record, other: Record) -> tuple[ChangedVerdict, ...]:
    before, after = (
        {(step.name, one.question): one for step in record.steps for one in step.judgements}
        for record in (this, other)
    )
    changes = []
    for (step, question), known in (before | after).items():
        old, new = before.get((step, question)), after.get((step, question))
        if old is None or new is None or (old.decision, old.choice) != (new.decision, new.choice):
            changes.append(ChangedVerdict(step, question, known.text, old, new))
    return tuple(changes)


def _said(judgement: Judgement | None) -> str:
    if judgement is None:
        return "not asked"
    return f"{judgement.decision} {judgement.choice}" if judgement.choice else judgement.decision


P = ParamSpec("P")
T = TypeVar("T")
Q = TypeVar("Q", bound=ClosedQuestion)

_current: ContextVar[tuple[tuple[Run, int], ...]] = ContextVar("kgnb_step", default=())


class Run(Record):
    """One run of an agent: its steps, model calls, judgements, queries and costs.

    Stages run through ``do``; models, judges and graphs are watched once and then used as before.
    The run ends with ``finish()``, or with ``with run:``.

    Args:
        parameters: what a person chose: plain data, dataclasses, paths. Secrets are left out.
        data: digest of every input by its name.
        folder: where the run is saved as it goes; None keeps it in memory.
        limits: the budgets.
        prices: what models cost; without them money is not counted.
        on_event: called with every event, in the thread in which it happens.
        versions: versions of the packages; by default those installed here.
        clock: where times come from.
    """

    def __init__(
        self,
        agent: str,
        *,
        parameters: Mapping[str, Any] | None = None,
        data: Mapping[str, str] | None = None,
        seed: int = 0,
        folder: Path | str | None = None,
        limits: Limits | None = None,
        prices: Prices | None = None,
        on_event: Callable[[Event], object] | None = None,
        versions: Mapping[str, str] | None = None,
        clock: Clock | None = None,
    ) -> None:
        super().__init__(
            agent=agent,
            parameters=plain(dict(parameters or {}), "parameters"),
            data=dict(data or {}),
            versions=dict(package_versions() if versions is None else versions),
            seed=seed,
        )
        self.id = digest([agent, self.parameters, self.data, seed, self.versions])
        self.clock = clock or Clock()
        self.prices = prices
        self.limits = limits or Limits()
        self.folder = Path(folder) if folder is not None else None
        self._budget = Budget(self.limits, lambda: self.elapsed)
        self._files = RunFolder(folder) if folder is not None else None
        self._on_event = on_event
        self._lock = threading.RLock()
        self._open: list[int] = []  # steps under way, outermost first
        self._steps = 0
        self._calls = 0
        self._worked = 0.0  # seconds in outermost stages that have ended
        self._stage_begun: float | None = None
        self._begun = 0.0
        self._told: Progress | None = None
        self._models: list[Model] = []

    @classmethod
    def load(cls, folder: Path | str) -> Run:
        """The run saved in ``folder`` (or in ``run`` in a report's folder), also one that was
        killed.

        Raises:
            DataError: there is no run, or its record is damaged.
        """
        within = Path(folder, "run")
        run = cls("", versions={})
        vars(run).update(vars(read_run(within if within.is_dir() else folder)))
        run._steps = max(run.by_number, default=0)
        run._calls = max((call.number for step in run.steps for call in step.calls), default=0)
        return run

    def do(self, stage: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run one stage as a step of its own, named after the function, and return its result.

        An error gets a note that names the stage and is raised again. Once a budget is spent,
        results that can say so are marked as partial.
        """
        with self._step_of(getattr(stage, "__name__", type(stage).__name__)) as counts:
            with collecting_seldom():
                result = stage(*args, **kwargs)
            if isinstance(result, Counted):
                counts.update(numbers(result.counts()))
            if self._budget.stopped:
                with suppress(LimitError):  # recorded even if nothing else was asked after it
                    self.check()
            return (
                result.marked_partial(self.partial)
                if self.partial and isinstance(result, Markable)
                else result
            )

    def check(self) -> None:
        """Refuse to go on once a budget is spent; for loops, before each item.

        Raises:
            LimitError: a budget is spent, or the time is up.
        """
        self._within_budget(lambda: self._budget.check(self.limit))

    def watch(self, model: ChatModel) -> Model:
        """The model, with every call recorded on the step it is made in, and refused once a budget
        is spent.

        Raises:
            ConfigError: there is a budget in US dollars, and no price for this model.
        """
        whole = Model.of(model)
        if whole.recorder is self:
            return whole
        if whole.recorder is not None:  # another run's: both keep account
            whole = Model(whole.name, whole, whole.server, whole.free)
        if (
            self.limits.usd is not None
            and not (whole.free or whole.client is None)
            and model.name not in (self.prices.models if self.prices else ())
        ):
            raise ConfigError(
                f"the budget of {self.limits.usd:g} US dollars cannot be kept: the price of {model.name} is not known",
                fix='State it (model.price = "0.15/0.6", dollars per million tokens in/out), or limit calls or tokens.',
            )
        self._models.append(whole)
        return replace(whole, recorder=self)

    def record_call(self, model: Model, request: Request) -> Reply:
        """The reply of a model that is watched, recorded on the current step."""
        return record_call(self, model, request)

    def watch_judge(self, judge: Judge[Q]) -> Judge[Q]:
        """The judge, with every verdict recorded."""
        return (
            judge
            if isinstance(judge, WatchedJudge) and judge._run is self
            else WatchedJudge(judge, self)
        )

    def watch_graph(self, graph: Graph) -> Graph:
        """The graph, with every query recorded."""
        return (
            graph
            if isinstance(graph, WatchedGraph) and graph._run is self
            else WatchedGraph(graph, self)
        )

    def progress(self, done: int, total: int | None = None, unit: str = "") -> None:
        """Tell listeners how far the current stage has come."""
        number = self._step()
        step = self.by_number.get(number)
        self._told = Progress(number, done, total, unit, len(step.calls) if step else 0)
        name = step.name if step else "outside"
        told = {
            "event": "progress",
            "step": number,
            "name": name,
            "done": done,
            "total": total,
            "unit": unit,
        }
        self._tell(told)

    @property
    def foretells(self) -> bool:
        """Whether anybody listens to estimates, and there is a model that may cost something."""
        return bool(self._on_event and self._models) and self._models[-1].client is not None

    def expect(
        self, estimate: Estimate, bound: str = "about", measured: float | None = None
    ) -> None:
        """Tell listeners what is about to be spent: "about", "at least" or "up to" the estimate.

        The event names money if the model's price is known, and seconds as ``measured``, or else
        the least that the pace in the settings leaves, if there is one: nobody knows how fast a
        server is before it has answered.
        """
        if not estimate.calls or not self.foretells:
            return
        model = self._models[-1]
        tokens = Usage(estimate.prompt_tokens, estimate.completion_tokens, estimated=True)
        usd = 0.0 if model.free else cost(tokens, model.name, self.prices)
        pace = model.pace.requests_per_minute if model.pace else 0.0
        least = (
            60.0 * (estimate.calls / pace - 1) if pace else 0.0
        )  # a minute's calls may leave at once
        parts = [f"{bound} {count(estimate.calls, 'model call')}"]
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
        if short := self._budget.short(Spending(estimate.calls, tokens.total, usd or 0.0)):
            text += f". The budget of {short} {'may' if bound == 'up to' else 'will'} end it before"
        step = self.by_number.get(self._step())
        took = measured if measured is not None else max(least, 0.0) or None
        told = {"event": "estimate", "name": step.name if step else "", **shallow(estimate)}
        self._tell(told | {"usd": usd, "seconds": took, "bound": bound, "text": text})

    @property
    def told(self) -> Progress | None:
        """The last progress of a step under way; None if there is none."""
        told = self._told
        with self._lock:
            return told if told is not None and told.step in self._open else None

    @property
    def elapsed(self) -> float:
        """Seconds inside stages so far, including one under way; 0 for a run that was loaded."""
        with self._lock:
            begun = self._stage_begun
            return self._worked + (self.clock.seconds() - begun if begun is not None else 0.0)

    def finish(self) -> Self:
        """End the run: "limited" if a budget was spent on the way, else "done"; writes
        ``run.json``.
        """
        if self.state == "running":
            self._end("limited" if self.limit else "done")
        return self

    def compare(self, other: Run) -> RunComparison:
        """How this run and another differ."""
        return compare(self, other)

    @contextmanager
    def _step_of(self, name: str) -> Iterator[dict[str, int | float]]:
        """A stage under way, and its counts; calls made meanwhile are recorded on its step, which
        always ends.
        """
        counts: dict[str, int | float] = {}
        number, begun = self._begin_step(name), self.clock.seconds()
        token = _current.set((*_current.get(), (self, number)))
        failure: BaseException | None = None
        try:
            yield counts
        except BaseException as error:
            error.add_note(f"in stage {name}")
            failure = error
            raise
        finally:
            _current.reset(token)
            self._end_step(number, begun, counts, failure)

    def _begin_step(self, name: str) -> int:
        with self._lock:
            self._steps += 1
            number = self._steps
            if not self._open:
                self._stage_begun = self.clock.seconds()
            self._open.append(number)
            cell = (
                current_cell()
            )  # recorded under the same lock: another thread may use the innermost step at once
            events = self._keep(
                {"event": "step", "step": number, "name": name} | ({"cell": cell} if cell else {})
            )
        self._tell(*events)
        return number

    def _end_step(
        self,
        number: int,
        begun: float,
        counts: Mapping[str, int | float],
        error: BaseException | None,
    ) -> None:
        ended = self.clock.seconds()
        with self._lock:
            self._open.remove(number)
            over = not self._open
            if over and self._stage_begun is not None:
                self._worked += ended - self._stage_begun
                self._stage_begun = None
        how = end_state(error) if error is not None else "done"
        state = "failed" if how == "limited" else how
        end = {
            "event": "step_end",
            "step": number,
            "state": state,
            "counts": dict(counts),
            "error": said(error),
        }
        note = ", ".join(f"{name}: {value:,}" for name, value in counts.items())
        self._note(end | {"note": note, "seconds": round(ended - begun, 6)})
        if error is not None and over:
            self._end(end_state(error))

    def begin_call(self, expected: Spending) -> int:
        """Set a model call aside in the budget, and return its number. For watched models."""
        self._within_budget(lambda: self._budget.take(expected))
        with self._lock:
            self._calls += 1
            return self._calls

    def _within_budget(self, claim: Callable[[], None]) -> None:
        try:
            claim()
        except LimitError as error:
            if not self.limit:
                self._note(
                    {
                        "event": "limit",
                        "step": self._step(),
                        "limit": error.limit,
                        "why": error.what,
                    }
                )
            raise

    def stop(self) -> None:
        """Let no model be asked any more; what is answered by now makes a partial result. Safe in a
        signal handler.
        """
        self._budget.stop()

    def end_call(self, call: CallRecord | None, expected: Spending, actual: Spending) -> None:
        """Record a model call with its cost; None: it waits for its reply, and costs nothing. For
        watched models.
        """
        self._budget.settle(expected, actual)
        if call is not None:
            self._note({"event": "call", "step": self._step(), **call.to_json()})

    def record(self, *entries: Judgement | QueryRecord) -> None:
        """Record verdicts or queries on the current step. For watched judges and graphs."""
        step = self._step()
        kinds = {Judgement: "judgement", QueryRecord: "query"}
        self._note(
            *({"event": kinds[type(each)], "step": step, **shallow(each)} for each in entries)
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is None:
            self.finish()
        elif self.state == "running":
            self._end(end_state(error))

    def __repr__(self) -> str:
        totals = self.totals
        parts = [self.state, count(len(self.steps), "step")]
        for name, aside in (("call", "cached"), ("judgement", "unsure")):
            if number := totals[f"{name}s"]:
                parts.append(
                    count(number, name) + (f" ({totals[aside]:,} {aside})" if totals[aside] else "")
                )
        return f"Run({self.agent}: {', '.join(parts)})"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Any:
        from kgnb.results.run_view import RunView

        return RunView(self.to_json())._repr_mimebundle_(include, exclude)

    def _end(self, state: str) -> None:
        seconds = round(self.clock.seconds() - self._begun, 6) if self.started else None
        self._note({"event": "run_end", "state": state, "seconds": seconds})
        if self._files:
            with self._lock:
                self._files.summarise(self)

    def _step(self) -> int:
        """The step that this thread is in; by default the innermost step under way."""
        for run, number in reversed(_current.get()):
            if run is self:
                return number
        with self._lock:
            return self._open[-1] if self._open else OUTSIDE

    def _note(self, *events: Event) -> None:
        self._tell(*self._keep(*events))

    def _keep(self, *events: Event) -> tuple[Event, ...]:
        """Record events; returns what to tell listeners once no lock is held."""
        with self._lock:
            if self.started is None:
                events = (self._first_event(), *events)
            for event in events:
                self.apply(event)
            if self._files:
                self._files.append(events)
        return events

    def _first_event(self) -> Event:
        self._begun = self.clock.seconds()
        started = self.clock.now().isoformat(timespec="seconds")
        names = ("id", "agent", "parameters", "data", "versions", "seed")
        return {
            "event": "run",
            "version": VERSION,
            **{name: getattr(self, name) for name in names},
            "started": started,
        }

    def _tell(self, *events: Event) -> None:
        if self._on_event:
            for event in events:
                self._on_event(event)


MEASURED = 5  # items after which the cost of the rest is estimated from what these took


class Forecast:
    """Announces once, while a batch is under way, what the rest will cost if it costs as much as
    the first items.
    """

    def __init__(self, run: Run) -> None:
        self._run, self._before, self._begun = run, run.totals, run.clock.seconds()

    def done(self, number: int, total: int) -> None:
        """So many of so many are done."""
        if number != MEASURED or total < 2 * MEASURED or not self._run.foretells:
            return
        now, share = self._run.totals, (total - number) / number
        calls, prompt, completion = (
            round((now[name] - self._before[name]) * share)
            for name in ("calls", "prompt_tokens", "completion_tokens")
        )
        elapsed = self._run.clock.seconds() - self._begun
        self._run.expect(Estimate(calls, prompt, completion), "for the rest about", elapsed * share)

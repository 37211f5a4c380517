"""The record of a run: steps with their calls, judgements and queries, built from one event at a
time.

The same events build the record while a run goes on, are saved in its folder as JSON Lines, and
rebuild it when it is loaded.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from math import fsum
from typing import Any, Protocol, Self, TypeAlias, runtime_checkable

from kgnb.errors import LimitError, Waiting
from kgnb.judging import UNSURE
from kgnb.llm.model import Attempt


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Clock:
    """``now`` dates a run; ``seconds`` measures durations and never runs backwards, as dates may."""

    now: Callable[[], datetime] = _now
    seconds: Callable[[], float] = time.perf_counter


@runtime_checkable
class Counted(Protocol):
    """A result that says how much it holds."""

    def counts(self) -> Mapping[str, Any]:
        """Numbers by name, as in ``{"candidates": 120}``; the record only takes finite ones."""


@runtime_checkable
class Markable(Protocol):
    """A result that can say that it is partial."""

    def marked_partial(self, why: str) -> Self:
        """The same result, saying that it is partial, and why."""


def failures(steps: Iterable[Step]) -> str:
    """How many judgements of these steps a model's server failed or refused, and why, in a
    sentence; "" if none.
    """
    judgements = [judgement for step in steps for judgement in step.judgements]
    failed = [
        judgement.rationale for judgement in judgements if judgement.failed in ("model", "refused")
    ]
    return (
        f"{len(failed):,} of {len(judgements):,} judgements failed: {failed[0]}" if failed else ""
    )


def end_state(error: BaseException) -> str:
    """The state of a run or step that an error ended."""
    if isinstance(error, (KeyboardInterrupt, SystemExit)):
        return "cancelled"
    if isinstance(error, Waiting):
        return "waiting"
    return "limited" if isinstance(error, LimitError) else "failed"


Event: TypeAlias = Mapping[str, Any]
"""One thing that happened, as plain JSON; ``event`` says what: "run", "step", "call", "judgement",
"query", "limit", "step_end", "run_end"; "progress" and "estimate" go to listeners but are not
saved.
"""

VERSION = 1
OUTSIDE = 0  # the number of the step for what happens outside any stage


def shallow(value: Any) -> dict[str, Any]:
    """The fields of a dataclass by name; ``asdict`` copies their values as well, at ten times the
    cost.
    """
    return {name: getattr(value, name) for name in value.__dataclass_fields__}


@dataclass(frozen=True, slots=True)
class CallRecord:
    """One call of a chat model. ``usd`` is None if the model's price is unknown; a cached reply
    costs 0.
    """

    number: int  # within the run, in the order in which calls began
    model: str
    prompt_tokens: int = 0
    completion_tokens: int = 0
    usd: float | None = None
    seconds: float = 0.0
    cached: bool = False
    attempts: tuple[Attempt, ...] = ()
    finish_reason: str = ""
    request: str = ""  # digest of everything that decides the reply
    error: str | None = None
    cached_tokens: int = 0  # of those in: from the server's own cache
    reasoning_tokens: int = 0  # of those out
    cached_on: str = ""  # the day on which a cached reply came; "" if that is not known

    def to_json(self) -> dict[str, Any]:
        """The call as plain JSON."""
        return shallow(self) | {"attempts": [shallow(attempt) for attempt in self.attempts]}


@dataclass(frozen=True, slots=True)
class Judgement:
    """One verdict of a judge, and the question it answers."""

    question: str  # the question's id
    text: str  # the question in one short line
    decision: str
    choice: str | None = None
    confidence: float = 0.0
    judged_by: str = ""
    rationale: str = ""
    # "model": its server failed; "refused": too long, or filtered; "limit": a budget was spent;
    # "unfit": it got too many known questions wrong, and was not asked
    failed: str = ""


@dataclass(frozen=True, slots=True)
class QueryRecord:
    """One query of a graph: which graph, its text, how many rows it returned."""

    graph: str
    query: str
    rows: int = 0
    seconds: float = 0.0


@dataclass
class Step:
    """One stage of a run, as far as it has come."""

    number: int
    name: str
    state: str = "running"
    note: str = ""
    counts: dict[str, int | float] = field(default_factory=dict)
    seconds: float | None = None
    calls: list[CallRecord] = field(default_factory=list)
    judgements: list[Judgement] = field(default_factory=list)
    queries: list[QueryRecord] = field(default_factory=list)
    error: str | None = None
    cell: str = ""  # id of the notebook cell that ran it

    def to_json(self) -> dict[str, Any]:
        """The step as plain JSON, its calls in the order of their numbers; ``cell`` only if there
        is one.
        """
        calls = sorted(self.calls, key=lambda call: call.number)
        content = shallow(self) | {
            "counts": dict(self.counts),
            "calls": [call.to_json() for call in calls],
            "judgements": [shallow(judgement) for judgement in self.judgements],
            "queries": [shallow(query) for query in self.queries],
        }
        if not self.cell:
            del content["cell"]
        return content


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a step had come when it last said: so many of so many, and the model calls made by
    then.
    """

    step: int
    done: int
    total: int | None
    unit: str
    calls: int


@dataclass(eq=False)
class Record:
    """Everything on record about one run. It may be read while other threads add to it."""

    id: str = ""  # digest of agent, parameters, data, seed and package versions, but no time
    agent: str = ""
    # "running", "done", "failed", "cancelled", "limited" (a budget was spent) or "waiting"
    state: str = "running"
    parameters: dict[str, Any] = field(default_factory=dict)
    data: dict[str, str] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)
    seed: int = 0
    started: str | None = None
    seconds: float | None = None
    limit: str = ""  # the budget that was spent before the run was through (or "stopped")
    partial: str = ""  # the same in words: why the result is partial
    by_number: dict[int, Step] = field(default_factory=dict)

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps in order; what happened outside any stage comes first."""
        return tuple(self.by_number[number] for number in sorted(self.by_number))

    def apply(self, event: Event) -> None:
        """Take in one event."""
        content = dict(event)
        kind = content.pop("event")
        step = content.pop("step", OUTSIDE)
        if kind in ("call", "judgement", "query") and step == OUTSIDE:
            self.by_number.setdefault(OUTSIDE, Step(OUTSIDE, "outside", state="done"))
        match kind:
            case "run":
                content.pop("version", None)
                self.__dict__.update(content)
            case "step":
                self.by_number[step] = Step(step, content["name"], cell=content.get("cell", ""))
                self.state, self.seconds = "running", None
            case "call":
                attempts = tuple(Attempt(**attempt) for attempt in content.pop("attempts"))
                self.by_number[step].calls.append(CallRecord(**content, attempts=attempts))
            case "judgement":
                self.by_number[step].judgements.append(Judgement(**content))
            case "query":
                self.by_number[step].queries.append(QueryRecord(**content))
            case "limit":
                self.limit = content["limit"]
                self.partial = content.get("why") or f"the budget of {self.limit} is spent"
            case "step_end":
                self.by_number[step].__dict__.update(content)
            case "run_end":
                self.state, self.seconds = content["state"], content["seconds"]

    @property
    def totals(self) -> dict[str, Any]:
        """What all steps took."""
        return totals_of(self.steps)

    def to_json(self) -> dict[str, Any]:
        """The whole run as plain JSON: what the widget, the extension, reports and tests read."""
        return {
            "version": VERSION,
            "id": self.id,
            "agent": self.agent,
            "state": self.state,
            "parameters": self.parameters,
            "data": self.data,
            "versions": self.versions,
            "seed": self.seed,
            "started": self.started,
            "seconds": self.seconds,
            "steps": [step.to_json() for step in self.steps],
            "totals": self.totals,
        } | ({"partial": self.partial} if self.partial else {})


def totals_of(steps: Iterable[Step]) -> dict[str, Any]:
    """What some steps took: the bottom line of a ledger.

    ``calls`` and tokens include cached replies, so that a replay has the same numbers as the run
    it replays; ``usd`` is what was really paid, None if an answered call has no known price;
    ``seconds`` is the time inside stages; ``retries`` counts the tries after the first.
    """
    taken = list(steps)
    calls = [call for step in taken for call in step.calls]
    answered = [call for call in calls if call.error is None]
    known = [call.usd for call in answered if call.usd is not None]
    judgements = [judgement for step in taken for judgement in step.judgements]
    return {
        "calls": len(calls),
        **cached_of(calls),
        "prompt_tokens": sum(call.prompt_tokens for call in calls),
        "completion_tokens": sum(call.completion_tokens for call in calls),
        "usd": round(fsum(known), 9) if answered and len(known) == len(answered) else None,
        "seconds": round(fsum(step.seconds or 0.0 for step in taken), 6),
        "judgements": len(judgements),
        "unsure": sum(judgement.decision == UNSURE for judgement in judgements),
        "queries": sum(len(step.queries) for step in taken),
        "retries": sum(max(0, len(call.attempts) - 1) for call in calls),
    }


def cached_of(calls: Sequence[CallRecord]) -> dict[str, Any]:
    """How many calls were answered from the cache, and the first and the last day of the replies.

    >>> cached_of([CallRecord(n, "m", cached=True, cached_on=f"2026-11-2{n}") for n in (6, 0, 3)])
    {'cached': 3, 'cached_on': '2026-11-20 to 2026-11-26'}
    """
    days = {call.cached_on for call in calls if call.cached_on}
    ends = sorted({min(days), max(days)}) if days else []
    return {"cached": sum(call.cached for call in calls), "cached_on": " to ".join(ends)}

"""Questions, verdicts and judges, what a judge would cost, and any Python function as a judge."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Protocol, Self, TypeVar, runtime_checkable
from typing import Literal as OneOf

from kgnb.results.bundle import count

UNSURE = "unsure"


@dataclass(frozen=True, slots=True)
class Option:
    """One thing that may be chosen: its id (an IRI, an index) and its text for whoever chooses."""

    id: str
    text: str


@runtime_checkable
class ClosedQuestion(Protocol):
    """A question: about one thing, with the options it may be answered with."""

    @property
    def id(self) -> str:
        """A digest of everything that may change the answer: equal questions have equal ids."""

    @property
    def text(self) -> str:
        """The thing asked about, described for a person or a model."""

    @property
    def options(self) -> tuple[Option, ...]:
        """What may be chosen; "none of these" is always possible besides."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """A judge's answer to one question.

    ``choice`` is the id of an option or None (none fits, or unsure); ``decision`` is a word from
    the question's closed vocabulary or "unsure"; ``confidence`` is between 0 and 1; ``also`` lists
    further options the judge holds possible, best first, each with its own confidence.
    ``remembered``: it is from an earlier run, of this day. ``failed``: the judge did not judge, and may do so
    another time: "model", its server failed or sent nonsense; "limit", a budget was spent;
    "refused", the question was too long or filtered; "unfit", it got too many questions wrong whose
    answers are known, and was not asked. The rationale says why.
    """

    decision: str
    choice: str | None = None
    confidence: float = 0.0
    rationale: str = ""
    judged_by: str = ""
    also: tuple[tuple[str, float], ...] = ()
    remembered: str = field(default="", compare=False, repr=False)
    failed: OneOf["", "model", "limit", "refused", "unfit"] = field(
        default="", compare=False, repr=False
    )

    @property
    def sure(self) -> bool:
        """Whether the judge decided."""
        return self.decision != UNSURE


Q_in = TypeVar("Q_in", bound=ClosedQuestion, contravariant=True)


@runtime_checkable
class Judge(Protocol[Q_in]):
    """Answers a batch of questions: one verdict per question, in order."""

    @property
    def name(self) -> str:
        """Who judges, for ``Verdict.judged_by`` and the ledger."""

    def judge(self, questions: Sequence[Q_in]) -> list[Verdict]:
        """The verdicts. What cannot be answered is "unsure" with its reason: never a crash, never a
        guess.
        """


def unsure(reason: str, judged_by: str) -> Verdict:
    """No decision, and why."""
    return Verdict(UNSURE, rationale=reason, judged_by=judged_by)


def checked(verdict: Verdict, question: ClosedQuestion, judged_by: str) -> Verdict:
    """The verdict, signed, if it is an answer to the question; otherwise "unsure" with what is
    wrong with it.

    >>> from types import SimpleNamespace
    >>> question = SimpleNamespace(id="1", text="Bunk", options=(Option("b#Bed", "Bed"),))
    >>> checked(Verdict("equivalent", "b#Sofa", 0.9), question, "rule")
    Verdict(decision='unsure', choice=None, confidence=0.0, rationale="chose 'b#Sofa', which is not
    an option", ...)
    """
    possible = {option.id for option in question.options}
    if verdict.choice is not None and verdict.choice not in possible:
        return unsure(
            f"chose {verdict.choice!r}, which is not an option", verdict.judged_by or judged_by
        )
    if not 0 <= verdict.confidence <= 1:
        return unsure(
            f"confidence {verdict.confidence!r} is not between 0 and 1",
            verdict.judged_by or judged_by,
        )
    also = tuple((option, confidence) for option, confidence in verdict.also if option in possible)
    return replace(verdict, also=also, judged_by=verdict.judged_by or judged_by)


Q = TypeVar("Q", bound=ClosedQuestion)


def verdicts(
    questions: Sequence[Q], judge: Judge[Q], decisions: Sequence[str] = (), none: str = "different"
) -> list[Verdict]:
    """The judge's verdict on each question, checked: any callable may be a judge.

    With ``decisions``, only these words count; all but ``none`` need a choice, and ``none`` has
    none.

    Raises:
        ValueError: the judge gave another number of verdicts.
    """
    found = judge.judge(questions)
    if len(found) != len(questions):
        raise ValueError(
            f"the {judge.name} judge gave {count(len(found), 'verdict')} on {count(len(questions), 'question')}"
        )
    return [
        _among(checked(one, question, judge.name), decisions, none)
        for question, one in zip(questions, found, strict=True)
    ]


def _among(verdict: Verdict, decisions: Sequence[str], none: str) -> Verdict:
    if not decisions or not verdict.sure:
        return verdict
    if verdict.decision not in decisions:
        return unsure(f"{verdict.decision!r} is not a decision", verdict.judged_by)
    if verdict.decision == none:
        return replace(verdict, choice=None)
    if verdict.choice is None:
        return unsure(f"{verdict.decision!r} without a candidate", verdict.judged_by)
    return verdict


class CallableJudge(Generic[Q]):
    """Asks a function, one question at a time. An answer that is not among the options counts as
    "unsure".
    """

    def __init__(self, function: Callable[[Q], Verdict], name: str | None = None) -> None:
        self._function = function
        self.name = name or str(getattr(function, "__name__", type(function).__name__))

    def judge(self, questions: Sequence[Q]) -> list[Verdict]:
        """The function's verdicts, signed with the judge's name.

        Raises:
            TypeError: the function returned something else than a Verdict.
        """
        return [self._verdict(question) for question in questions]

    def _verdict(self, question: Q) -> Verdict:
        verdict = self._function(question)
        if not isinstance(verdict, Verdict):
            raise TypeError(
                f"the judge {self.name} gave a {type(verdict).__name__}; it must give a Verdict"
            )
        return checked(verdict, question, self.name)


@dataclass(frozen=True, slots=True)
class Estimate:
    """Model calls and tokens that a batch of questions is expected to take, without repairs or
    cached replies.
    """

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def __add__(self, other: Estimate) -> Estimate:
        return Estimate(
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
        )

    def __str__(self) -> str:
        return f"{count(self.calls, 'call')}, about {self.prompt_tokens:,} tokens in and {self.completion_tokens:,} out"


def estimate(judge: Judge[Q], questions: Sequence[Q]) -> Estimate:
    """What ``questions`` would cost; nothing for a judge that asks no model.

    In a cascade the cheap judge really judges them, for only that shows what is left for the costly
    one.
    """
    own = getattr(judge, "estimate", None)
    expected: Estimate = own(questions) if own else Estimate()
    return expected


class Wrapped(Generic[Q]):
    """What stands around another judge: under its name, it says what that one would say of itself."""

    def __init__(self, judge: Judge[Q]) -> None:
        self._judge = judge
        self.name = judge.name
        self.simulation = bool(
            getattr(judge, "simulation", False)
        )  # whether it knows the answers it is asked for

    def around(self, wrap: Callable[[Judge[Any]], Judge[Any]]) -> Self:
        """The same around the wrapped judge."""
        changed = copy(self)
        changed._judge = wrap(self._judge)
        return changed

    def judge(self, questions: Sequence[Q]) -> list[Verdict]:
        """The judge's verdicts."""
        return self._judge.judge(questions)

    def estimate(self, questions: Sequence[Q]) -> Estimate:
        """What the judge would cost."""
        return estimate(self._judge, questions)

"""What a question, a verdict and a judge are, what a judge would cost, and any Python function as a judge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal as OneOf
from typing import Protocol, TypeVar, runtime_checkable

UNSURE = "unsure"


@dataclass(frozen=True, slots=True)
class Option:
    """One thing that may be chosen: its id (an IRI, an index) and how it reads to whoever chooses."""

    id: str
    text: str


@runtime_checkable
class Question(Protocol):
    """A question: about one thing, with the options it may be answered with."""

    @property
    def id(self) -> str:
        """A digest of everything that may sway the answer: equal questions have equal ids."""

    @property
    def text(self) -> str:
        """The thing asked about, described for a person or a model."""

    @property
    def options(self) -> tuple[Option, ...]:
        """What may be chosen; "none of these" is always possible besides."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """A judge's answer to one question.

    ``choice`` is the id of an option or None (none fits, or unsure); ``decision`` is a word from the question's closed
    vocabulary or "unsure"; ``confidence`` is between 0 and 1; ``also`` lists further options the judge holds possible,
    best first, each with its own confidence. ``remembered``: it was given in an earlier run, and only looked up now.
    ``failed``: whoever should have judged did not, and another day may: "model", its server failed or talked nonsense;
    "limit", a budget was spent; "refused", the question was too long or filtered. The rationale says why.
    """

    decision: str
    choice: str | None = None
    confidence: float = 0.0
    rationale: str = ""
    judged_by: str = ""
    also: tuple[tuple[str, float], ...] = ()
    remembered: bool = field(default=False, compare=False, repr=False)
    failed: OneOf["", "model", "limit", "refused"] = field(default="", compare=False, repr=False)

    @property
    def sure(self) -> bool:
        """Whether the judge decided at all."""
        return self.decision != UNSURE


Q_in = TypeVar("Q_in", bound=Question, contravariant=True)


@runtime_checkable
class Judge(Protocol[Q_in]):
    """Answers a batch of questions: one verdict a question, in order."""

    @property
    def name(self) -> str:
        """Who says so: goes into ``Verdict.judged_by`` and the ledger."""

    def judge(self, questions: Sequence[Q_in]) -> list[Verdict]:
        """The verdicts. What cannot be answered is "unsure" with its reason: never a crash, never a guess."""


def unsure(reason: str, judged_by: str) -> Verdict:
    """No decision, and why there is none."""
    return Verdict(UNSURE, rationale=reason, judged_by=judged_by)


def checked(verdict: Verdict, question: Question, judged_by: str) -> Verdict:
    """``verdict``, signed, if it is an answer to ``question`` at all; else "unsure" with what is wrong with it.

    >>> from types import SimpleNamespace
    >>> question = SimpleNamespace(id="1", text="Bunk", options=(Option("b#Bed", "Bed"),))
    >>> checked(Verdict("equivalent", "b#Sofa", 0.9), question, "rule")
    Verdict(decision='unsure', choice=None, confidence=0.0, rationale="chose 'b#Sofa', which is not an option", ...)
    """
    possible = {option.id for option in question.options}
    if verdict.choice is not None and verdict.choice not in possible:
        return unsure(f"chose {verdict.choice!r}, which is not an option", verdict.judged_by or judged_by)
    if not 0 <= verdict.confidence <= 1:
        return unsure(f"confidence {verdict.confidence!r} is not between 0 and 1", verdict.judged_by or judged_by)
    also = tuple((option, confidence) for option, confidence in verdict.also if option in possible)
    return replace(verdict, also=also, judged_by=verdict.judged_by or judged_by)

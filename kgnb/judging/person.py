"""People as judges: they answer from their decisions, overrule other judges, and have a queue of what waits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from kgnb.judging.decisions import Decision, Decisions
from kgnb.judging.estimating import Estimate, estimate
from kgnb.judging.question import Judge, Question, Verdict, checked, unsure

Q = TypeVar("Q", bound=Question)

WAITING = "waiting for a person"


class PersonJudge(Generic[Q]):
    """Answers what people have decided; everything else waits for them."""

    def __init__(self, decisions: Decisions, name: str = "person") -> None:
        self._decisions = decisions
        self.name = name

    def judge(self, questions: Sequence[Q]) -> list[Verdict]:
        """The decisions that stand; "unsure", because it waits, where there is none."""
        standing = self._decisions.standing()
        return [
            _verdict(standing[question.id], question, self.name)
            if question.id in standing
            else unsure(WAITING, self.name)
            for question in questions
        ]


class Overridden(Generic[Q]):
    """Another judge, overruled by people: what they decided is not even asked of it."""

    def __init__(self, judge: Judge[Q], decisions: Decisions, person: str = "person") -> None:
        self._judge = judge
        self._decisions = decisions
        self._person = person

    @property
    def name(self) -> str:
        """The person, then the judge that answers the rest."""
        return f"{self._person} > {self._judge.name}"

    @property
    def simulation(self) -> bool:
        """Whether the other judge knows the answers it is asked for."""
        return bool(getattr(self._judge, "simulation", False))

    def judge(self, questions: Sequence[Q]) -> list[Verdict]:
        """People's decisions where they stand, the other judge's verdicts elsewhere, each signed by who gave it."""
        standing = self._decisions.standing()
        rest = iter(self._judge.judge([question for question in questions if question.id not in standing]))
        return [
            _verdict(standing[question.id], question, self._person)
            if question.id in standing
            else checked(next(rest), question, self._judge.name)
            for question in questions
        ]

    def estimate(self, questions: Sequence[Q]) -> Estimate:
        """What the other judge would cost for what nobody has decided."""
        standing = self._decisions.standing()
        return estimate(self._judge, [question for question in questions if question.id not in standing])


@dataclass(frozen=True, slots=True)
class Pending(Generic[Q]):
    """A question that waits for a person, and how much an answer is expected to bring."""

    question: Q
    verdict: Verdict
    gain: float


def pending(questions: Sequence[Q], verdicts: Sequence[Verdict]) -> list[Pending[Q]]:
    """The questions no judge could decide, those first whose answer is expected to bring most.

    Undecided, a question brings nothing; decided by a person, it brings a right choice with the chance that one of
    its options is right. That chance is the confidence of the best option the judges held possible. Questions of which
    nothing is known come last, those with more options first; otherwise the order stays as it is.
    """
    waiting = [
        Pending(question, verdict, max((confidence for _, confidence in verdict.also), default=0.0))
        for question, verdict in zip(questions, verdicts, strict=True)
        if not verdict.sure
    ]
    return sorted(waiting, key=lambda entry: (-entry.gain, -len(entry.question.options)))


def _verdict(decision: Decision, question: Question, name: str) -> Verdict:
    signature = f"{name}:{decision.who}" if decision.who else name
    verdict = Verdict(decision.decision or "", decision.choice, 1.0, decision.note)
    return checked(verdict, question, signature)

"""People as judges: they answer from their decisions, overrule other judges, and have a queue of what waits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from kgnb.judging.decisions import Decision, Decisions
from kgnb.judging.estimating import Estimate, estimate
from kgnb.judging.question import Judge, Question, Verdict, checked, unsure

Q = TypeVar("Q", bound=Question)

WAITING = "waiting for a person"
PERSON = "person"


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


class Reviewed(Generic[Q]):
    """A judge overruled by people: what they decided is not even asked of it. Without a judge the rest waits for them.

    Args:
        settle: for each question its verdict, where people decided it, or what is left of it to ask.
        judge: who answers the rest.
    """

    def __init__(self, settle: Callable[[Sequence[Q]], Sequence[Q | Verdict]], judge: Judge[Q] | None = None) -> None:
        self._settle, self._judge = settle, judge

    @property
    def name(self) -> str:
        """The person, then the judge that answers the rest."""
        return f"{PERSON} > {self._judge.name}" if self._judge else PERSON

    @property
    def simulation(self) -> bool:
        """Whether the other judge knows the answers it is asked for."""
        return bool(getattr(self._judge, "simulation", False))

    def around(self, wrap: Callable[[Judge[Q]], Judge[Q]]) -> Reviewed[Q]:
        """The same, with the other judge wrapped."""
        return Reviewed(self._settle, wrap(self._judge) if self._judge else None)

    def judge(self, questions: Sequence[Q]) -> list[Verdict]:
        """People's decisions where they stand, the other judge's verdicts elsewhere, each signed by who gave it."""
        settled = self._settle(questions)
        if self._judge is None:
            return [one if isinstance(one, Verdict) else unsure(WAITING, PERSON) for one in settled]
        rest = iter(self._judge.judge([one for one in settled if not isinstance(one, Verdict)]))
        name = self._judge.name
        return [one if isinstance(one, Verdict) else checked(next(rest), one, name) for one in settled]

    def estimate(self, questions: Sequence[Q]) -> Estimate:
        """What the other judge would cost for what nobody has decided."""
        left = [one for one in self._settle(questions) if not isinstance(one, Verdict)]
        return estimate(self._judge, left) if self._judge else Estimate()


def overridden(judge: Judge[Q], decisions: Decisions) -> Reviewed[Q]:
    """A judge overruled, question by question, by what stands in a file of decisions."""

    def settle(questions: Sequence[Q]) -> list[Q | Verdict]:
        standing = decisions.standing()
        return [_verdict(standing[one.id], one, PERSON) if one.id in standing else one for one in questions]

    return Reviewed(settle, judge)


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

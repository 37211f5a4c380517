"""A cheap judge first, a costly one only for what the cheap one is not sure of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Generic, TypeVar

from kgnb.judging.estimating import Estimate, estimate
from kgnb.judging.question import Judge, Question, Verdict

Q = TypeVar("Q", bound=Question)


def decided(verdict: Verdict) -> bool:
    """Whether there is a decision at all."""
    return verdict.sure


def sure_outside(low: float, high: float) -> Callable[[Verdict], bool]:
    """A test of verdicts: decided, and with a confidence outside the band from ``low`` to ``high`` (both inside).

    >>> sure = sure_outside(0.4, 0.8)
    >>> [sure(Verdict("equivalent", confidence=confidence)) for confidence in (0.3, 0.4, 0.8, 0.9)]
    [True, False, False, True]
    """
    if not 0 <= low <= high <= 1:
        raise ValueError(f"the band from {low!r} to {high!r} does not lie between 0 and 1")
    return lambda verdict: verdict.sure and not low <= verdict.confidence <= high


class Cascade(Generic[Q]):
    """``cheap`` judges everything; what is not ``sure`` then goes to ``costly``, in one batch.

    Each verdict says who decided. Where the costly judge cannot decide, the verdict is "unsure", and what the cheap one
    had made of it stays in the rationale and in ``also``: a hint for a person, not a decision.
    """

    def __init__(self, cheap: Judge[Q], costly: Judge[Q], sure: Callable[[Verdict], bool] = decided) -> None:
        self.cheap = cheap
        self.costly = costly
        self.sure = sure

    @property
    def name(self) -> str:
        """Both names, in the order in which they are asked."""
        return f"{self.cheap.name} > {self.costly.name}"

    @property
    def simulation(self) -> bool:
        """Whether one of the two knows the answers it is asked for."""
        return any(getattr(judge, "simulation", False) for judge in (self.cheap, self.costly))

    def judge(self, questions: Sequence[Q]) -> list[Verdict]:
        """The verdicts, in order."""
        verdicts = [_signed(verdict, self.cheap.name) for verdict in self.cheap.judge(questions)]
        if open_ones := self._open(verdicts):
            answers = self.costly.judge([questions[number] for number in open_ones])
            for number, answer in zip(open_ones, answers, strict=True):
                verdicts[number] = _with_hint(_signed(answer, self.costly.name), verdicts[number])
        return verdicts

    def estimate(self, questions: Sequence[Q]) -> Estimate:
        """What the costly judge would cost; the cheap one judges the questions to tell."""
        return estimate(self.costly, [questions[number] for number in self._open(self.cheap.judge(questions))])

    def _open(self, verdicts: Sequence[Verdict]) -> list[int]:
        return [number for number, verdict in enumerate(verdicts) if not self.sure(verdict)]


def _signed(verdict: Verdict, name: str) -> Verdict:
    return verdict if verdict.judged_by else replace(verdict, judged_by=name)


def _with_hint(answer: Verdict, first: Verdict) -> Verdict:
    if answer.sure:
        return answer
    choice = ((first.choice, first.confidence),) if first.choice is not None else ()
    known = {option for option, _ in (*answer.also, *choice)}
    also = (*answer.also, *choice, *(entry for entry in first.also if entry[0] not in known))
    hint = f"{first.judged_by}: {first.decision} ({first.confidence:.2f})" if first.sure else ""
    return replace(answer, also=also, rationale="; ".join(filter(None, (answer.rationale, hint))))

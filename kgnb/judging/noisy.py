"""A judge that errs on purpose, to see what a pipeline makes of a person or a model who is not always right."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Generic, TypeVar

from kgnb.judging.question import Judge, Question, Verdict

Q = TypeVar("Q", bound=Question)


class Noisy(Generic[Q]):
    """Wraps a judge that is always right, and gives a wrong answer with probability ``rate``.

    Whether and how it errs depends on the question and the seed alone, not on the order or the batch. An error is one
    of the other options or "none of these", each as likely. (The interactive track of the OAEI simulates erring users
    by flipping an oracle's answers at a fixed rate, too.)
    """

    simulation = True

    def __init__(
        self, judge: Judge[Q], rate: float, seed: int = 0, *, chosen: str = "equivalent", none: str = "different"
    ) -> None:
        if not 0 <= rate <= 1:
            raise ValueError(f"the error rate is {rate!r}; it must lie between 0 and 1")
        self._judge = judge
        self._rate = rate
        self._seed = seed
        self._chosen = chosen
        self._none = none
        self.asked = 0

    @property
    def name(self) -> str:
        """Says that this is a simulation, of whom, and how often it errs."""
        return f"simulation: {self._judge.name}, wrong in {self._rate:.0%}"

    def judge(self, questions: Sequence[Q]) -> list[Verdict]:
        """The other judge's verdicts, some of them turned wrong; ``asked`` counts the questions."""
        self.asked += len(questions)
        verdicts = self._judge.judge(questions)
        return [self._said(question, verdict) for question, verdict in zip(questions, verdicts, strict=True)]

    def _said(self, question: Q, verdict: Verdict) -> Verdict:
        signed = replace(verdict, judged_by=self.name)
        others = [choice for choice in (None, *(option.id for option in question.options)) if choice != verdict.choice]
        if not others or self._chance(question, "err") >= self._rate:
            return signed
        choice = others[int(self._chance(question, "which") * len(others))]
        return replace(signed, choice=choice, decision=self._none if choice is None else self._chosen, also=())

    def _chance(self, question: Q, purpose: str) -> float:
        """A number from 0 to below 1 that depends on seed, question and purpose alone."""
        content = f"{self._seed}\0{purpose}\0{question.id}".encode("utf-8", "surrogatepass")
        return int.from_bytes(hashlib.sha256(content).digest()[:6], "big") / 2**48

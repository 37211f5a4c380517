"""A judge that knows the answers and errs on purpose: to see what a pipeline makes of a model or a person like that.

A SIMULATION, and named as one. As in the interactive track of the OAEI, which flips an oracle's answers at a fixed
rate, it shows what would be reached if whoever is asked were wrong that often, and how many questions it took. It says
nothing about any model.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from kgnb.judging.question import Question, Verdict, checked

Q = TypeVar("Q", bound=Question)


class Oracle(Generic[Q]):
    """Gives the right answer, or with probability ``error_rate`` one of the wrong ones, each as likely.

    Wrong are the other options and "none of these". Whether and how it errs depends on the question's id and the seed
    alone: not on the order, not on the batch, and not on how often it is asked.

    Args:
        answer: the right decision and the id of the right option, or None where none fits.
        error_rate: the share of questions answered wrongly, 0 to 1.
        seed: which ones.
        chosen: the word that goes with an option chosen by mistake.
        none: the word that goes with missing the right one.
        confidence: what it says of itself; by default how often it is right.
        about: what it is an oracle of, for its name.

    >>> from types import SimpleNamespace
    >>> from kgnb.judging import Option
    >>> question = SimpleNamespace(id="1", text="Bunk", options=(Option("b#Bed", "Bed"),))
    >>> Oracle(lambda question: ("equivalent", "b#Bed")).judge([question])[0].choice
    'b#Bed'
    """

    simulation = True

    def __init__(
        self,
        answer: Callable[[Q], tuple[str, str | None]],
        error_rate: float = 0.0,
        seed: int = 0,
        *,
        chosen: str = "equivalent",
        none: str = "different",
        confidence: float | None = None,
        about: str = "oracle",
    ) -> None:
        if not 0.0 <= error_rate <= 1.0:
            raise ValueError(f"error_rate is {error_rate}: it lies between 0 and 1")
        if confidence is not None and not 0.0 <= confidence <= 1.0:
            raise ValueError(f"confidence is {confidence}: it lies between 0 and 1")
        self._answer = answer
        self._chosen = chosen
        self._none = none
        self._confidence = 1.0 - error_rate if confidence is None else confidence
        self.error_rate = error_rate
        self.seed = seed
        self.asked = 0
        self.name = f"{about} (simulation, error rate {error_rate:g})"

    def judge(self, questions: Sequence[Q]) -> list[Verdict]:
        """One verdict a question, in order; ``asked`` counts them."""
        self.asked += len(questions)
        return [checked(self._verdict(question), question, self.name) for question in questions]

    def _verdict(self, question: Q) -> Verdict:
        decision, choice = self._answer(question)
        err, which = self._draws(question)
        if err < self.error_rate:
            wrong = [other for other in (None, *(option.id for option in question.options)) if other != choice]
            if wrong:
                choice = wrong[int(which * len(wrong))]
                decision = self._none if choice is None else self._chosen
        return Verdict(decision, choice, self._confidence, "simulated answer", self.name)

    def _draws(self, question: Q) -> tuple[float, float]:
        """Two numbers from 0 to below 1 that depend on the seed and the question alone."""
        digest = hashlib.sha256(f"{self.seed}\0{question.id}".encode("utf-8", "surrogatepass")).digest()
        return int.from_bytes(digest[:6], "big") / 2**48, int.from_bytes(digest[6:12], "big") / 2**48

"""The oracle judge: answers from a reference, with errors at a chosen rate. A simulation, and named as one.

As in the OAEI interactive track: it shows what a pipeline would reach if whoever is asked were wrong that often, and
how many questions it took. It says nothing about any model.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

from kgnb.agents.ontology_matching.values import MatchQuestion
from kgnb.judging import Verdict


class OracleJudge:
    """Knows the reference pairs; errs on a share ``error_rate`` of the questions, the same ones for the same seed."""

    simulation = True

    def __init__(self, reference: Iterable[tuple[str, str]], *, error_rate: float = 0.0, seed: int = 0) -> None:
        if not 0.0 <= error_rate <= 1.0:
            raise ValueError(f"error_rate is {error_rate}: it lies between 0 and 1")
        self._reference = frozenset(reference)
        self.error_rate = error_rate
        self.seed = seed
        self.asked = 0
        self.name = f"oracle (simulation, error rate {error_rate:g})"

    def judge(self, questions: Sequence[MatchQuestion]) -> list[Verdict]:
        """One verdict a question; ``asked`` counts them."""
        self.asked += len(questions)
        return [self._answer(question) for question in questions]

    def _answer(self, question: MatchQuestion) -> Verdict:
        right = [other.iri for other in question.others if self._pair(question, other.iri) in self._reference]
        draw, pick = self._draws(question)
        why = "simulated answer from the reference"
        if draw >= self.error_rate:
            return self._verdict(right[0] if right else None, why)
        wrong: list[str | None] = [other.iri for other in question.others if other.iri not in right]
        if right:
            wrong.append(None)  # missing the right one is an error as well
        return self._verdict(wrong[int(pick * len(wrong))] if wrong else None, why)

    def _verdict(self, choice: str | None, why: str) -> Verdict:
        return Verdict("equivalent" if choice else "different", choice, 1.0 - self.error_rate, why, self.name)

    def _pair(self, question: MatchQuestion, other: str) -> tuple[str, str]:
        return (question.about.iri, other) if question.side == "source" else (other, question.about.iri)

    def _draws(self, question: MatchQuestion) -> tuple[float, float]:
        """Two uniform draws that depend on the seed and the question alone, not on the order of asking."""
        digest = hashlib.sha256(f"{self.seed} {question.side} {question.about.key}".encode()).digest()
        return int.from_bytes(digest[:8], "big") / 2**64, int.from_bytes(digest[8:16], "big") / 2**64

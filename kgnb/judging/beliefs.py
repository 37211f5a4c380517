"""What is believed of every option of every question, what an answer is worth before it is given, and what it changes.

A *claim* is that an option is the right one. The same claim may stand in several questions (A asked about its
counterparts, B asked about its own), and an answer to one then speaks to the others.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from math import exp, log
from typing import Generic, TypeVar

from kgnb.judging.question import Question, Verdict

Q = TypeVar("Q", bound=Question)

UNLISTED = 0.003
"""The chance of an option that a judge of probabilities does not even list among those it holds possible."""
LIKELY = 0.1
"""Questions that share a claim this likely are not asked at once: the answer to one may do for both."""
ACCEPT = 0.5
WORTH = 0.01
"""Halves of a mistake an answer must be expected to save: below that, one asks a hundred times for one correction."""


class Beliefs(Generic[Q]):
    """Log-odds of every claim: at first those of a judge's verdicts, then moved by answers.

    Args:
        questions: what is asked.
        verdicts: what a judge made of them, its confidences and ``also`` taken as probabilities. Where it is unsure
            and lists nothing, all options and none of them are equally likely.
        word: the decision that says that the chosen option is the right one.
        claim: what choosing an option of a question claims; equal claims are the same one.
        exclusive: whether at most one option of a question is right. Else each is believed by itself, and an answer
            speaks for the option it names and not against the others.
    """

    def __init__(
        self,
        questions: Sequence[Q],
        verdicts: Sequence[Verdict],
        word: str,
        claim: Callable[[Q, str], Hashable],
        *,
        exclusive: bool = True,
    ) -> None:
        self._exclusive = exclusive
        self._claims: list[list[Hashable]] = []
        self._odds: dict[Hashable, float] = {}
        for question, verdict in zip(questions, verdicts, strict=True):
            self._claims.append([claim(question, option.id) for option in question.options])
            held = dict(verdict.also)
            if verdict.choice is not None and verdict.decision == word:
                held[verdict.choice] = verdict.confidence
            nothing = 1 / (len(question.options) + 1) if not verdict.sure and not held else UNLISTED
            for option, one in zip(question.options, self._claims[-1], strict=True):
                self._odds[one] = max(self._odds.get(one, -99.0), _log_odds(max(held.get(option.id, 0.0), nothing)))

    def of(self, number: int) -> list[float]:
        """The chance of each option of a question, at most one of which is right; what is missing to 1 is none."""
        odds = [exp(self._odds[one]) for one in self._claims[number]]
        return [each / (1 + sum(odds)) for each in odds]

    def held(self, number: int) -> list[float]:
        """The chance of each option of a question, as far as one can be right beside another."""
        return self.of(number) if self._exclusive else [_chance(self._odds[one]) for one in self._claims[number]]

    def gain(self, number: int, reliability: float) -> float:
        """What an answer to a question that is right with chance ``reliability`` is expected to bring.

        In halves of a mistake: deciding on an option of chance p is worth p - 1/2, on none 0 (the value of sample
        information, Raiffa and Schlaifer 1961). 0 where no answer could change the decision.
        """
        chances = self.of(number)
        now = max([each - ACCEPT for each in chances] + [0.0])
        then = 0.0
        for answer in (*range(len(chances)), None):
            likely = _likelihoods(len(chances), answer, reliability)
            joint = [each * weight for each, weight in zip(chances, likely, strict=False)]
            total = sum(joint) + (1 - sum(chances)) * likely[-1]
            then += max([each - ACCEPT * total for each in joint] + [0.0])
        return max(then - now, 0.0)

    def choose(self, number: int, reliability: float, passed: Callable[[int], bool]) -> list[int]:
        """Up to ``number`` questions by expected gain that share no likely claim, except those to be ``passed``."""
        gains = [
            (-gain, at)
            for at in range(len(self._claims))
            if not passed(at) and (gain := self.gain(at, reliability)) >= WORTH
        ]
        chosen: list[int] = []
        touched: set[Hashable] = set()
        for _, at in sorted(gains):
            if len(chosen) == number:
                break
            likely = {one for one, chance in zip(self._claims[at], self.of(at), strict=True) if chance > LIKELY}
            if touched.isdisjoint(likely):
                touched |= likely
                chosen.append(at)
        return chosen

    def learn(self, answers: Mapping[int, tuple[int | Sequence[int] | None, float]]) -> None:
        """Moves the claims by answers: question number to (number of the option, or None; chance that it is right).

        Several numbers are duplicates of one another, any of which may be meant.
        """
        moved: dict[Hashable, float] = defaultdict(float)
        for at, (answer, reliability) in answers.items():
            before = self.of(at)
            likely = _likelihoods(len(before), answer, reliability)
            joint = [each * weight for each, weight in zip(before, likely, strict=False)]
            total = sum(joint) + (1 - sum(before)) * likely[-1]
            for place, one in enumerate(self._claims[at]):
                if self._exclusive:
                    moved[one] += _log_odds(joint[place] / total) - _log_odds(before[place])
                elif answer is None or place in _numbers(answer):
                    moved[one] += log(likely[place] / likely[-1])
        for one, by in moved.items():
            self._odds[one] = max(-30.0, min(self._odds[one] + by, 30.0))

    def sharing(self, numbers: Sequence[int]) -> Iterator[int]:
        """The questions that share a claim with these, themselves included, in order."""
        claims = {one for at in numbers for one in self._claims[at]}
        return (at for at, own in enumerate(self._claims) if not claims.isdisjoint(own))


def _likelihoods(options: int, answer: int | Sequence[int] | None, reliability: float) -> list[float]:
    """How likely the answer is if each option is right, and, last, if none is: mistakes spread evenly."""
    given = (options,) if answer is None else _numbers(answer)
    return [reliability if at in given else (1 - reliability) / max(options, 1) for at in range(options + 1)]


def _numbers(answer: int | Sequence[int]) -> Sequence[int]:
    return (answer,) if isinstance(answer, int) else answer


def _chance(odds: float) -> float:
    return 1 / (1 + exp(-odds))


def _log_odds(chance: float) -> float:
    kept = min(max(chance, 1e-4), 1 - 1e-4)
    return log(kept / (1 - kept))

"""A cheap judge first, a costly one only for what the cheap one is not sure of, where its answer is worth it.

A *claim* is that an option is the right one. The same claim may stand in several questions (A asked about its
counterparts, B asked about its own), and an answer to one then speaks to the others.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil, exp, log
from typing import Generic, TypeAlias, TypeVar

from kgnb.errors import BackendError
from kgnb.judging.question import Estimate, Judge, Question, Verdict, estimate, unsure

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
        bounds: the chance of an option that a verdict does not list among those it holds possible, and the most that
            a verdict is believed.
    """

    def __init__(
        self,
        questions: Sequence[Q],
        verdicts: Sequence[Verdict],
        word: str,
        claim: Callable[[Q, str], Hashable],
        *,
        exclusive: bool = True,
        bounds: tuple[float, float] = (UNLISTED, 1.0),
    ) -> None:
        self._exclusive = exclusive
        self._claims: list[list[Hashable]] = []
        self._odds: dict[Hashable, float] = {}
        for question, verdict in zip(questions, verdicts, strict=True):
            self._claims.append([claim(question, option.id) for option in question.options])
            held = dict(verdict.also)
            if verdict.choice is not None and verdict.decision == word:
                held[verdict.choice] = verdict.confidence
            nothing = 1 / (len(question.options) + 1) if not verdict.sure and not held else bounds[0]
            for option, one in zip(question.options, self._claims[-1], strict=True):
                chance = min(max(held.get(option.id, 0.0), nothing), bounds[1])
                self._odds[one] = max(self._odds.get(one, -99.0), _log_odds(chance))

    def of(self, number: int) -> list[float]:
        """The chance of each option of a question, at most one of which is right; what is missing to 1 is none."""
        odds = [exp(self._odds[one]) for one in self._claims[number]]
        return [each / (1 + sum(odds)) for each in odds]

    def held(self, number: int) -> list[float]:
        """The chance of each option of a question, as far as one can be right beside another."""
        return self.of(number) if self._exclusive else [1 / (1 + exp(-self._odds[one])) for one in self._claims[number]]

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


def _log_odds(chance: float) -> float:
    kept = min(max(chance, 1e-4), 1 - 1e-4)
    return log(kept / (1 - kept))


WAVE = 8  # questions: fewer are not worth a call of their own


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


Ready: TypeAlias = Callable[[Sequence[Q], Sequence[Verdict]], Callable[[Q, Sequence[float]], Q]]


@dataclass(frozen=True)
class Asking(Generic[Q]):
    """How much to ask, and how an answer counts beside what the cheap judge held; its confidences are probabilities.

    What is asked is what an answer is expected to change for the better, most promising first, in a few waves, so that
    what the first answers settle is not asked again from another side, and what they upset is. ``ready`` makes a
    question ready for the costly judge, given all questions, the cheap judge's verdicts and the options' chances: it
    may leave options out and say more of the others.
    """

    share: float = 0.15  # questions asked, at most, as a share of ``of``
    of: Callable[[Sequence[Q]], int] = len  # what that is a share of: all questions
    few: int = 0  # where ``of`` is no more than this, so many may be asked at least: a few sheets, and
    doubt: float = 0.2  # what the cheap judge says of an option is believed no further than to this from 0 and 1
    claim: Callable[[Q, str], Hashable] = lambda question, option: (question.id, option)
    word: str = "equivalent"  # the decision that says that an option is the right one
    none: str = "different"
    exclusive: bool = True  # at most one option of a question is right
    reliability: float = 0.9  # how often an answer is expected to be right
    trust: float = 0.95  # the most that is believed of an answer, whatever it says of itself
    waves: int = 3
    ready: Ready[Q] = lambda questions, verdicts: lambda question, chances: question

    def __post_init__(self) -> None:
        if not self.share >= 0:
            raise ValueError(f"the share to ask is {self.share!r}; it must be 0 or more")
        if not 0 < self.reliability < 1 or not 0 < self.trust < 1:
            raise ValueError("reliability and trust lie between 0 and 1, and are neither")
        if self.waves < 1:
            raise ValueError(f"{self.waves} waves ask nothing")

    def budget(self, questions: Sequence[Q]) -> int:
        """How many questions may be asked."""
        number = self.of(questions)
        return max(number if number <= self.few else 0, ceil(self.share * number))

    def beliefs(self, questions: Sequence[Q], verdicts: Sequence[Verdict]) -> Beliefs[Q]:
        """What the cheap judge's verdicts say of every option."""
        bounds = (self.doubt, 1 - self.doubt) if self.of(questions) <= self.few else (UNLISTED, 1.0)
        return Beliefs(questions, verdicts, self.word, self.claim, exclusive=self.exclusive, bounds=bounds)


@dataclass(frozen=True)
class Cascade(Generic[Q]):
    """``cheap`` judges everything; ``costly`` is asked what that leaves open.

    With ``asking`` unset, what is not ``sure`` goes to the costly judge in one batch, and its verdict stands. With
    ``asking``, a limited number of questions goes there, those whose answers promise most, and both judges' words are
    weighed against each other.

    Each verdict says who decided. Where the costly judge cannot decide, the verdict is "unsure", and what the cheap one
    had made of it stays in the rationale and in ``also``: a hint for a person, not a decision. Where it failed (a
    server was down, a budget spent), the cheap one's verdict stands, is marked as ``failed``, and says so.
    """

    cheap: Judge[Q]
    costly: Judge[Q]
    sure: Callable[[Verdict], bool] = decided
    asking: Asking[Q] | None = None
    _told: list[tuple[list[Q], list[Verdict]]] = field(default_factory=list, init=False, repr=False, compare=False)

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
        verdicts = [_signed(verdict, self.cheap.name) for verdict in self._cheap_verdicts(questions)]
        if self.asking is not None:
            return _Weighed(self, self.asking, questions, verdicts).judged()
        if open_ones := self._open(verdicts):
            answers = self.costly.judge([questions[number] for number in open_ones])
            for number, answer in zip(open_ones, answers, strict=True):
                verdicts[number] = _with_hint(_signed(answer, self.costly.name), verdicts[number])
        return verdicts

    def open(self, questions: Sequence[Q]) -> list[Q]:
        """What the costly judge would be asked, answers aside; the cheap one judges the questions to tell."""
        verdicts = self.cheap.judge(questions)
        self._told[:] = [(list(questions), verdicts)]
        if self.asking is None:
            return [questions[number] for number in self._open(verdicts)]
        beliefs = self.asking.beliefs(questions, verdicts)
        chosen = beliefs.choose(self.asking.budget(questions), self.asking.reliability, lambda _: False)
        ready = self.asking.ready(questions, verdicts)
        return [ready(questions[number], beliefs.of(number)) for number in chosen]

    def estimate(self, questions: Sequence[Q]) -> Estimate:
        """What the costly judge would cost, wave by wave; the cheap one judges the questions to tell."""
        left, expected = self.open(questions), Estimate()
        for wave in range(self.asking.waves if self.asking else 1, 0, -1):
            size = _wave(len(left), wave)
            expected += estimate(self.costly, left[:size]) if size else Estimate()
            left = left[size:]
        return expected

    def _cheap_verdicts(self, questions: Sequence[Q]) -> list[Verdict]:
        """The cheap judge's verdicts; what it told for an estimate serves the judging that follows."""
        if self._told:
            asked, verdicts = self._told.pop()
            if asked == list(questions):
                return verdicts
        return self.cheap.judge(questions)

    def _open(self, verdicts: Sequence[Verdict]) -> list[int]:
        return [number for number, verdict in enumerate(verdicts) if not self.sure(verdict)]


class _Weighed(Generic[Q]):
    """One batch in a cascade that weighs what both judges say."""

    def __init__(
        self, cascade: Cascade[Q], asking: Asking[Q], questions: Sequence[Q], verdicts: Sequence[Verdict]
    ) -> None:
        self._costly = cascade.costly
        self._both = f"{cascade.cheap.name} + {cascade.costly.name}"
        self._asking = asking
        self._questions = questions
        self._verdicts = verdicts
        self._answers: dict[int, Verdict] = {}
        self._beliefs = asking.beliefs(questions, verdicts)
        self._ready = asking.ready(questions, verdicts)

    def judged(self) -> list[Verdict]:
        """The verdicts, once everything is asked."""
        asking, left = self._asking, self._asking.budget(self._questions)
        for wave in range(asking.waves, 0, -1):
            chosen = self._beliefs.choose(_wave(left, wave), asking.reliability, self._answers.__contains__)
            if not chosen:
                break
            left -= len(chosen)
            self._ask(sorted(chosen))
        verdicts = list(self._verdicts)
        for number in self._beliefs.sharing(list(self._answers)):
            verdicts[number] = self._verdict(number)
        return verdicts

    def _ask(self, numbers: Sequence[int]) -> None:
        try:
            answers = self._costly.judge([self._ready(self._questions[n], self._beliefs.of(n)) for n in numbers])
        except BackendError as error:
            if not self._answers:
                raise
            answers = [replace(unsure(error.what, ""), failed="model") for _ in numbers]
        heard: dict[int, tuple[Sequence[int] | None, float]] = {}
        for number, answer in zip(numbers, answers, strict=True):
            self._answers[number] = _signed(answer, self._costly.name)
            if answer.sure:
                options = [option.id for option in self._questions[number].options]
                same = answer.choice is not None and answer.decision == self._asking.word
                named = [answer.choice, *(option for option, chance in answer.also if chance >= ACCEPT)]
                at = [options.index(one) for one in named if one in options] if same else None
                heard[number] = (at, min(max(answer.confidence, 1 / (len(options) + 1)), self._asking.trust))
        self._beliefs.learn(heard)

    def _verdict(self, number: int) -> Verdict:
        """What both judges' words come to for a question that was asked, or that an answer had a bearing on."""
        answer = self._answers.get(number)
        if answer is not None and answer.failed:
            return _unheard(self._weighed(number, None), answer)
        return self._weighed(number, answer)

    def _weighed(self, number: int, answer: Verdict | None) -> Verdict:
        first = self._verdicts[number]
        if answer is not None and not answer.sure:
            return _with_hint(answer, first)
        held = self._held(number)
        if answer is None and not first.sure:
            return replace(first, also=held)
        option, chance = next(iter(held), (None, 0.0))
        by, why = (self._both, answer.rationale) if answer else (first.judged_by, first.rationale)
        if option is not None and chance >= ACCEPT:
            said = Verdict(self._asking.word, option, chance, why, by, held[1:])
        elif answer is not None and answer.choice is not None and answer.decision != self._asking.word:
            return replace(answer, also=tuple(entry for entry in held if entry[0] != answer.choice))
        else:
            said = Verdict(self._asking.none, None, round(1 - chance, 4), why, by, held)
        if answer is None and said.choice != first.choice:
            return replace(said, rationale=f"{why}; answers to other questions speak otherwise", judged_by=self._both)
        return said if answer is None else replace(said, rationale=_both_said(answer, first))

    def _held(self, number: int) -> tuple[tuple[str, float], ...]:
        """The options with a chance worth a mention, best first."""
        options = [option.id for option in self._questions[number].options]
        chances = zip(options, self._beliefs.held(number), strict=True)
        likely = [(option, round(chance, 4)) for option, chance in chances if chance >= 0.05]
        return tuple(sorted(likely, key=lambda entry: (-entry[1], entry[0])))


def _wave(left: int, waves: int) -> int:
    """How many questions the next of so many waves asks."""
    return min(left, max(WAVE, ceil(left / waves)))


def _both_said(answer: Verdict, first: Verdict) -> str:
    if not first.sure or first.choice == answer.choice:
        return answer.rationale
    told = f"{answer.judged_by}: {answer.decision} ({answer.confidence:.2f})"
    return "; ".join(filter(None, (answer.rationale, told, _hint(first))))


def _signed(verdict: Verdict, name: str) -> Verdict:
    return verdict if verdict.judged_by else replace(verdict, judged_by=name)


def _hint(first: Verdict) -> str:
    return f"{first.judged_by}: {first.decision} ({first.confidence:.2f})" if first.sure else ""


def _unheard(first: Verdict, answer: Verdict) -> Verdict:
    """The cheap judge's verdict where the costly one failed."""
    why = f"{answer.judged_by} was not heard ({answer.rationale})"
    return replace(first, rationale="; ".join(filter(None, (first.rationale, why))), failed=answer.failed)


def _with_hint(answer: Verdict, first: Verdict) -> Verdict:
    if answer.failed:
        return _unheard(first, answer)
    if answer.sure:
        return answer
    choice = ((first.choice, first.confidence),) if first.choice is not None else ()
    known = {option for option, _ in (*answer.also, *choice)}
    also = (*answer.also, *choice, *(entry for entry in first.also if entry[0] not in known))
    return replace(answer, also=also, rationale="; ".join(filter(None, (answer.rationale, _hint(first)))))

"""A cheap judge first, a costly one only for what the cheap one is not sure of, if the answer is
worth it.

A *claim* is that an option is the right one. The same claim may occur in several questions (A asked
about its counterparts, B asked about its own), so an answer to one of them bears on the others.
"""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil, exp, log
from typing import Any, Generic, TypeAlias, TypeVar

from kgnb.errors import BackendError, NotFit
from kgnb.judging.question import ClosedQuestion, Estimate, Judge, Verdict, estimate, unsure

Q = TypeVar("Q", bound=ClosedQuestion)
RIGHT, NONE = (
    "equivalent",
    "different",
)  # the decisions that say that an option is the right one, or none is
UNLISTED = (
    0.003  # the chance of an option that a judge of probabilities does not even list as possible
)
OTHERWISE = "answers to other questions speak otherwise"
DOUBT = 0.2  # of few questions, the cheap judge is believed no further than to this from 0 and 1
# questions that share a claim this likely are not asked at once: the answer to one may do for both
LIKELY = 0.1
ACCEPT = 0.5
# halves of a mistake that an answer must be expected to save: a hundred questions per correction
WORTH = 0.01
RELIABILITY = 0.9  # how often an answer is expected to be right
TRUST = 0.95  # the most that an answer is believed, whatever it says of itself
# a costly judge is tried on questions that the cheap one knows: as many at most, fewer say nothing
KNOWN = 6
FEW_KNOWN = 4
FIT = 0.7  # of them right; a judge that guesses, or always says the same, gets half of them
SURELY = 0.95  # how sure the cheap judge is of what it knows
WAVE = 8  # questions: fewer are not worth a call of their own
WAVES = 3


class Beliefs(Generic[Q]):
    """Log-odds of every claim: first from a judge's verdicts, then moved by answers.

    Args:
        verdicts: a judge's verdicts on them; its confidences and ``also`` are taken as
            probabilities. If it is unsure
            and lists nothing, all options and none of them are equally likely.
        claim: what choosing an option of a question claims; equal claims are the same one.
        exclusive: whether at most one option of a question is right. Otherwise each is believed by
            itself, and an
            answer speaks for the option that it names and not against the others.
        bounds: the chance of an option that a verdict does not list, and the most that a verdict is
            believed.
    """

    def __init__(
        self,
        questions: Sequence[Q],
        verdicts: Sequence[Verdict],
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
            if verdict.choice is not None and verdict.decision == RIGHT:
                held[verdict.choice] = verdict.confidence
            nothing = (
                1 / (len(question.options) + 1) if not verdict.sure and not held else bounds[0]
            )
            for option, one in zip(question.options, self._claims[-1], strict=True):
                chance = min(max(held.get(option.id, 0.0), nothing), bounds[1])
                self._odds[one] = max(self._odds.get(one, -99.0), _log_odds(chance))

    def of(self, number: int) -> list[float]:
        """The chance of each option of a question if at most one is right; the rest to 1 is that of
        none.
        """
        odds = [exp(self._odds[one]) for one in self._claims[number]]
        return [each / (1 + sum(odds)) for each in odds]

    def held(self, number: int) -> list[float]:
        """The chance of each option of a question; they may add up to more than 1 if several can be
        right.
        """
        return (
            self.of(number)
            if self._exclusive
            else [1 / (1 + exp(-self._odds[one])) for one in self._claims[number]]
        )

    def gain(self, number: int) -> float:
        """The expected gain of an answer to a question, in halves of a mistake.

        Deciding on an option of chance p is worth p - 1/2, on none 0 (the value of sample
        information, Raiffa and Schlaifer 1961). 0 if no answer could change the decision.
        """
        chances = self.of(number)
        now = max([each - ACCEPT for each in chances] + [0.0])
        then = 0.0
        for answer in (*range(len(chances)), None):
            joint, total = _joint(chances, _likelihoods(len(chances), answer, RELIABILITY))
            then += max([each - ACCEPT * total for each in joint] + [0.0])
        return max(then - now, 0.0)

    def choose(self, number: int, passed: Callable[[int], bool], worth: float = WORTH) -> list[int]:
        """Up to ``number`` questions by expected gain that share no likely claim, except those to
        be ``passed`` and those with a gain below ``worth``.
        """
        gains = [
            (-gain, at)
            for at in range(len(self._claims))
            if not passed(at) and (gain := self.gain(at)) >= worth
        ]
        chosen: list[int] = []
        touched: set[Hashable] = set()
        for _, at in sorted(gains):
            if len(chosen) == number:
                break
            likely = {
                one
                for one, chance in zip(self._claims[at], self.of(at), strict=True)
                if chance > LIKELY
            }
            if touched.isdisjoint(likely):
                touched |= likely
                chosen.append(at)
        return chosen

    def learn(self, answers: Mapping[int, tuple[Sequence[int] | None, float]]) -> None:
        """Move the claims by answers: question number to (numbers of options, or None; chance that
        it is right).

        Several numbers are duplicates of one another, any of which may be meant.
        """
        moved: dict[Hashable, float] = defaultdict(float)
        for at, (answer, reliability) in answers.items():
            before = self.of(at)
            likely = _likelihoods(len(before), answer, reliability)
            joint, total = _joint(before, likely)
            for place, one in enumerate(self._claims[at]):
                if self._exclusive:
                    moved[one] += _log_odds(joint[place] / total) - _log_odds(before[place])
                elif answer is None or place in answer:
                    moved[one] += log(likely[place] / likely[-1])
        for one, by in moved.items():
            self._odds[one] = max(-30.0, min(self._odds[one] + by, 30.0))

    def sharing(self, numbers: Sequence[int]) -> Iterator[int]:
        """The questions that share a claim with these, themselves included, in order."""
        claims = {one for at in numbers for one in self._claims[at]}
        return (at for at, own in enumerate(self._claims) if not claims.isdisjoint(own))


def _likelihoods(
    options: int, answer: int | Sequence[int] | None, reliability: float
) -> list[float]:
    """How likely the answer is if each option is right and, last, if none is; mistakes spread
    evenly.
    """
    given = (options,) if answer is None else (answer,) if isinstance(answer, int) else answer
    return [
        reliability if at in given else (1 - reliability) / max(options, 1)
        for at in range(options + 1)
    ]


def _joint(chances: Sequence[float], likely: Sequence[float]) -> tuple[list[float], float]:
    """The chance of each option and the answer together, and that of the answer."""
    joint = [each * weight for each, weight in zip(chances, likely, strict=False)]
    return joint, sum(joint) + (1 - sum(chances)) * likely[-1]


def _log_odds(chance: float) -> float:
    kept = min(max(chance, 1e-4), 1 - 1e-4)
    return log(kept / (1 - kept))


Ready: TypeAlias = Callable[[Sequence[Q], Sequence[Verdict]], Callable[[Q, Sequence[float]], Q]]


@dataclass(frozen=True)
class Asking(Generic[Q]):
    """How much to ask, and what the questions claim; the cheap judge's confidences are taken as
    probabilities.

    Asked is what an answer is expected to improve, most promising first, in a few waves, so that
    what the first answers settle is not asked again from another side, and what they upset is.
    ``ready`` prepares a question for the costly judge, given all questions, the cheap judge's
    verdicts and the options' chances: it may leave options out and say more about the others.
    """

    share: float = 0.15  # questions asked at most, as a share of ``of``
    of: Callable[[Sequence[Q]], int] = len  # what that is a share of: all questions
    # if ``of`` is no more than this, as many may be asked at least, and the cheap judge is doubted
    few: int = 0
    claim: Callable[[Q, str], Hashable] = lambda question, option: (question.id, option)
    exclusive: bool = True  # at most one option of a question is right
    waves: int = WAVES  # in how many the questions are asked at most
    least: int = WAVE  # questions of a wave, if there are as many
    worth: float = WORTH  # the least expected gain of an answer
    ready: Ready[Q] = lambda questions, verdicts: lambda question, chances: question
    # a question by its right option's number, short, with that option or without it: with it, the
    # costly judge is tried
    trial: Callable[[Q, int, bool], Q] | None = None
    # questions whose answers are known whatever the cheap judge says, to try the costly one on
    # where the cheap one knows too little
    own_trial: Callable[[Sequence[Q]], Sequence[Known[Q]]] | None = None

    def __post_init__(self) -> None:
        if not self.share >= 0:
            raise ValueError(f"the share to ask is {self.share!r}; it must be 0 or more")

    def budget(self, questions: Sequence[Q]) -> int:
        """How many questions may be asked."""
        number = self.of(questions)
        return max(number if number <= self.few else 0, ceil(self.share * number))

    def known(self, questions: Sequence[Q], verdicts: Sequence[Verdict]) -> list[Known[Q]]:
        """Questions that the cheap judge is sure of, evenly spread: every second one without its
        right option, so that none of the others is right.
        """
        if self.trial is None or not self.exclusive:
            return []
        # Among few questions the cheap judge is sure of what is wrong: six small pairs of everyday
        # domains lose 20 points of F1 where a strong model is tried on them.
        if self.of(questions) <= self.few:
            return []
        sure = [
            (question, [option.id for option in question.options].index(verdict.choice))
            for question, verdict in zip(questions, verdicts, strict=True)
            if verdict.decision == RIGHT
            and verdict.choice is not None
            and verdict.confidence >= SURELY
            and len(question.options) > 1
            and not any(chance >= DOUBT for _, chance in verdict.also)
        ]
        if len(sure) < FEW_KNOWN:
            return []
        number = min(KNOWN, len(sure))
        chosen = [sure[at * len(sure) // number] for at in range(number)]
        return [
            Known(self.trial(question, right, False), None)
            if at % 2
            else Known(self.trial(question, right, True), question.options[right].id)
            for at, (question, right) in enumerate(chosen)
        ]

    def known_anyhow(self, questions: Sequence[Q]) -> list[Known[Q]]:
        """Questions whose answers do not rest on the cheap judge, if there are enough: asked before
        any other, in a call of their own.
        """
        known = list(self.own_trial(questions)) if self.own_trial else []
        return known if len(known) >= FEW_KNOWN else []

    def beliefs(self, questions: Sequence[Q], verdicts: Sequence[Verdict]) -> Beliefs[Q]:
        """What the cheap judge's verdicts say about every option."""
        bounds = (DOUBT, 1 - DOUBT) if self.of(questions) <= self.few else (UNLISTED, 1.0)
        return Beliefs(questions, verdicts, self.claim, exclusive=self.exclusive, bounds=bounds)


@dataclass(frozen=True)
class Known(Generic[Q]):
    """A question with its answer: the id of an option, or None for none of them."""

    question: Q
    answer: str | None

    def met(self, verdict: Verdict) -> bool:
        """Whether a verdict says so."""
        chosen = verdict.choice if verdict.decision == RIGHT else None
        return verdict.sure and chosen == self.answer


@dataclass(frozen=True)
class Cascade(Generic[Q]):
    """``cheap`` judges everything; ``costly`` is asked what that leaves open.

    Without ``asking``, everything that is not ``sure`` goes to the costly judge in one batch, and
    its verdict counts. With ``asking``, a limited number of questions goes there, those with the
    most promising answers, and the verdicts of both judges are weighed against each other.

    Each verdict says who decided. If the costly judge cannot decide, the verdict is "unsure", and
    the cheap judge's stays in the rationale and in ``also``: a hint for a person, not a decision.
    If the costly judge failed (a server was down, a budget spent), the cheap judge's verdict
    counts, is marked as ``failed``, and says so. So it does where the first sheet also holds
    questions whose answers are known (``Asking.trial``), and too many of them are answered wrongly.
    """

    cheap: Judge[Q]
    costly: Judge[Q]
    sure: Callable[[Verdict], bool] = lambda verdict: verdict.sure
    asking: Asking[Q] | None = None
    _told: list[tuple[list[Q], list[Verdict]]] = field(
        default_factory=list, init=False, repr=False, compare=False
    )

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
        verdicts = [
            _signed(verdict, self.cheap.name) for verdict in self._cheap_verdicts(questions)
        ]
        if self.asking is not None:
            return _Weighed(self, self.asking, questions, verdicts).judged()
        if open_ones := self._open(verdicts):
            answers = self.costly.judge([questions[number] for number in open_ones])
            for number, answer in zip(open_ones, answers, strict=True):
                verdicts[number] = _with_hint(_signed(answer, self.costly.name), verdicts[number])
        return verdicts

    def around(self, wrap: Callable[[Judge[Any]], Judge[Any]]) -> Cascade[Q]:
        """The same with the costly judge wrapped."""
        return replace(self, costly=wrap(self.costly))

    def open(self, questions: Sequence[Q]) -> list[Q]:
        """What the costly judge would be asked, before any answer; the cheap one judges the
        questions for this.
        """
        verdicts = self.cheap.judge(questions)
        self._told[:] = [(list(questions), verdicts)]
        if self.asking is None:
            return [questions[number] for number in self._open(verdicts)]
        beliefs = self.asking.beliefs(questions, verdicts)
        chosen = beliefs.choose(self.asking.budget(questions), lambda _: False, self.asking.worth)
        ready = self.asking.ready(questions, verdicts)
        return [ready(questions[number], beliefs.of(number)) for number in chosen]

    def estimate(self, questions: Sequence[Q]) -> Estimate:
        """What the costly judge would cost, wave by wave; the cheap one judges the questions for
        this.
        """
        left, expected = self.open(questions), Estimate()
        if self.asking is not None and left:
            tried = [one.question for one in self.asking.known(*self._told[-1])]
            if tried:
                first = max(self.asking.least - len(tried), 1)
                expected += estimate(self.costly, [*tried, *left[:first]])
                left = left[first:]
            elif alone := self.asking.known_anyhow(questions):
                expected += estimate(self.costly, [one.question for one in alone])
        waves, least = (self.asking.waves, self.asking.least) if self.asking else (1, WAVE)
        for wave in range(waves, 0, -1):
            size = _wave(len(left), wave, least)
            expected += estimate(self.costly, left[:size]) if size else Estimate()
            left = left[size:]
        return expected

    def _cheap_verdicts(self, questions: Sequence[Q]) -> list[Verdict]:
        """The cheap judge's verdicts; those made for an estimate are used by the judging that
        follows.
        """
        if self._told:
            asked, verdicts = self._told.pop()
            if asked == list(questions):
                return verdicts
        return self.cheap.judge(questions)

    def _open(self, verdicts: Sequence[Verdict]) -> list[int]:
        return [number for number, verdict in enumerate(verdicts) if not self.sure(verdict)]


class _Weighed(Generic[Q]):
    """One batch in a cascade that weighs the verdicts of both judges."""

    def __init__(
        self,
        cascade: Cascade[Q],
        asking: Asking[Q],
        questions: Sequence[Q],
        verdicts: Sequence[Verdict],
    ) -> None:
        self._costly = cascade.costly
        self._both = f"{cascade.cheap.name} + {cascade.costly.name}"
        self._asking = asking
        self._questions = questions
        self._verdicts = verdicts
        self._answers: dict[int, Verdict] = {}
        self._beliefs = asking.beliefs(questions, verdicts)
        self._ready = asking.ready(questions, verdicts)
        self._trust = TRUST

    def judged(self) -> list[Verdict]:
        left = self._asking.budget(self._questions)
        if known := self._asking.known(self._questions, self._verdicts):
            first = self._choose(min(left, max(self._asking.least - len(known), 1)))
            left -= len(first)
            if first and (unfit := self._ask(first, known)):
                return self._unfit([*first, *self._choose(left)], unfit)
        elif (open_ones := self._choose(left)) and (
            unfit := self._ask([], self._asking.known_anyhow(self._questions))
        ):
            return self._unfit(open_ones, unfit)
        for wave in range(self._asking.waves, 0, -1):
            size = _wave(left, wave, self._asking.least)
            chosen = self._choose(size)
            if not chosen:
                break
            left -= len(chosen)
            self._ask(chosen)
        verdicts = list(self._verdicts)
        for number in self._beliefs.sharing(list(self._answers)):
            answer = self._answers.get(number)
            if answer is not None and answer.failed:
                verdicts[number] = _unheard(self._verdict(number, None), answer)
            else:
                verdicts[number] = self._verdict(number, answer)
        return verdicts

    def _choose(self, number: int) -> list[int]:
        chosen = self._beliefs.choose(number, self._answers.__contains__, self._asking.worth)
        return sorted(chosen)

    def _unfit(self, numbers: Sequence[int], why: str) -> list[Verdict]:
        """The cheap judge's verdicts; those that were to be asked say why they were not."""
        answer = replace(unsure(why, self._costly.name), failed="unfit")
        return [
            _unheard(verdict, answer) if number in numbers else verdict
            for number, verdict in enumerate(self._verdicts)
        ]

    def _tried(self, known: Sequence[Known[Q]], answers: Sequence[Verdict]) -> str:
        """Why the costly judge is not heard, or "" if it did well enough on what is known."""
        if not known or all(answer.failed for answer in answers):
            return ""
        right = sum(one.met(answer) for one, answer in zip(known, answers, strict=True))
        failed = sum(bool(answer.failed) for answer in answers)
        if why := unfit(self._costly.name, right, len(known), failed):
            return why
        self._trust = min(TRUST, (right + 1) / (len(known) + 1))
        return ""

    def _ask(self, numbers: Sequence[int], known: Sequence[Known[Q]] = ()) -> str:
        """Ask these questions and what is ``known``; why the answers do not count, or ""."""
        if not numbers and not known:
            return ""
        ready = [self._ready(self._questions[n], self._beliefs.of(n)) for n in numbers]
        try:
            answers = self._costly.judge([*(one.question for one in known), *ready])
        except BackendError as error:
            if not self._answers:
                raise
            answers = [replace(unsure(error.what, ""), failed="model") for _ in (*known, *numbers)]
        if unfit := self._tried(known, answers[: len(known)]):
            return unfit
        learnt: dict[int, tuple[Sequence[int] | None, float]] = {}
        for number, answer in zip(numbers, answers[len(known) :], strict=True):
            self._answers[number] = _signed(answer, self._costly.name)
            if answer.sure:
                options = [option.id for option in self._questions[number].options]
                same = answer.choice is not None and answer.decision == RIGHT
                named = [
                    answer.choice,
                    *(option for option, chance in answer.also if chance >= ACCEPT),
                ]
                at = [options.index(one) for one in named if one in options] if same else None
                learnt[number] = (
                    at,
                    min(max(answer.confidence, 1 / (len(options) + 1)), self._trust),
                )
        self._beliefs.learn(learnt)
        return ""

    def _verdict(self, number: int, answer: Verdict | None) -> Verdict:
        """The combined verdict on a question that was asked, or that an answer had a bearing on."""
        first = self._verdicts[number]
        if answer is not None and not answer.sure:
            return _with_hint(answer, first)
        held = self._held(number)
        if answer is None and not first.sure:
            return replace(first, also=held)
        option, chance = next(iter(held), (None, 0.0))
        by, why = (self._both, answer.rationale) if answer else (first.judged_by, first.rationale)
        if option is not None and chance >= ACCEPT:
            if answer is not None and option == answer.choice != first.choice:
                # what the cheap judge denies is at most as sure as the answer says
                chance = max(min(chance, answer.confidence), ACCEPT)
            said = Verdict(RIGHT, option, chance, why, by, held[1:])
        elif answer is not None and answer.choice is not None and answer.decision != RIGHT:
            return replace(answer, also=tuple(entry for entry in held if entry[0] != answer.choice))
        else:
            said = Verdict(NONE, None, round(1 - chance, 4), why, by, held)
        if answer is not None:
            return replace(said, rationale=_both_said(answer, first, said))
        if said.choice != first.choice:
            return replace(
                said,
                rationale=f"{why}; {OTHERWISE}",
                judged_by=self._both,
            )
        return said

    def _held(self, number: int) -> tuple[tuple[str, float], ...]:
        """The options with a chance worth mentioning, best first."""
        options = [option.id for option in self._questions[number].options]
        chances = zip(options, self._beliefs.held(number), strict=True)
        likely = [(option, round(chance, 4)) for option, chance in chances if chance >= 0.05]
        return tuple(sorted(likely, key=lambda entry: (-entry[1], entry[0])))


def unfit(name: str, right: int, known: int, unread: int = 0) -> str:
    """Why a judge that got so many of the ``known`` questions right is not heard, with a warning;
    "" if it did well enough. Of its replies ``unread`` could not be read.
    """
    if right >= FIT * known:
        return ""
    why = f"it got {right} of {known} questions right whose answers are known"
    if unread:
        why += f", and {unread} of its replies could not be read"
    warnings.warn(f"{name} was not asked what the rule leaves open: {why}", NotFit, stacklevel=6)
    return why


def _wave(left: int, waves: int, least: int) -> int:
    return min(left, max(least, ceil(left / waves)))


def _signed(verdict: Verdict, name: str) -> Verdict:
    return verdict if verdict.judged_by else replace(verdict, judged_by=name)


def _said(verdict: Verdict) -> str:
    # without the model's name: a second look shows this text, and is the same for every model
    return (
        f"{verdict.judged_by.partition(':')[0]}: {verdict.decision} ({verdict.confidence:.2f})"
        if verdict.sure
        else ""
    )


def _both_said(answer: Verdict, first: Verdict, outcome: Verdict) -> str:
    if outcome.choice == answer.choice and (not first.sure or first.choice == answer.choice):
        return answer.rationale
    neither = outcome.choice not in (answer.choice, first.choice if first.sure else answer.choice)
    otherwise = OTHERWISE if neither else ""
    return "; ".join(filter(None, (answer.rationale, _said(answer), _said(first), otherwise)))


def _unheard(first: Verdict, answer: Verdict) -> Verdict:
    why = f"{answer.judged_by} was not heard ({answer.rationale})"
    return replace(
        first, rationale="; ".join(filter(None, (first.rationale, why))), failed=answer.failed
    )


def _with_hint(answer: Verdict, first: Verdict) -> Verdict:
    if answer.failed:
        return _unheard(first, answer)
    if answer.sure:
        return answer
    choice = ((first.choice, first.confidence),) if first.choice is not None else ()
    known = {option for option, _ in (*answer.also, *choice)}
    also = (*answer.also, *choice, *(entry for entry in first.also if entry[0] not in known))
    return replace(
        answer, also=also, rationale="; ".join(filter(None, (answer.rationale, _said(first))))
    )

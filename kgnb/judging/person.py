"""A person as a judge, with decisions in a file that only grows; and an oracle in a person's place.

The oracle is A SIMULATION, named as one. As in the interactive track of the OAEI, which flips an
oracle's answers at a fixed rate, it shows what would be reached if the judge were wrong that often,
and says nothing about any model.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import cache, partial
from pathlib import Path
from typing import Any, Generic, TypeVar

from pydantic import TypeAdapter

from kgnb.errors import DataError
from kgnb.files import append_lines, read_lines
from kgnb.judging.question import (
    UNSURE,
    CallableJudge,
    ClosedQuestion,
    Estimate,
    Judge,
    Verdict,
    Wrapped,
    checked,
    unsure,
)


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision of one person on one question; ``decision`` None takes an earlier one back."""

    question: str  # the question's id
    decision: str | None
    choice: str | None = None
    who: str = ""
    note: str = ""
    when: str = ""  # ISO 8601, in UTC
    about: tuple[
        str, ...
    ] = ()  # the subject in its agent's terms; outlives a change of the question
    offered: tuple[
        str, ...
    ] = ()  # the options that the decision is about: "none of these" means none of these


def utc_now() -> str:
    """The time, to the second."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


class Decisions:
    """A file of decisions, one per line; the last line on a question wins, and none is ever
    removed.

    Several people may add to one file: each line is written whole, and the file is read again every
    time.
    """

    def __init__(self, path: Path | str, now: Callable[[], str] = utc_now) -> None:
        self.path = Path(path)
        self._now = now

    def decide(
        self,
        question: ClosedQuestion,
        decision: str,
        choice: str | None = None,
        *,
        who: str = "",
        note: str = "",
        about: Sequence[str] = (),
        offered: Sequence[str] | None = None,
    ) -> Decision:
        """Save a decision with its time; it is on the disk when this returns.

        ``offered`` are the options that it is about, by default all of the question's.

        Raises:
            ValueError: the choice is not one of the question's options, or the decision is empty or
                "unsure".
        """
        if not decision or decision == UNSURE:
            raise ValueError(f"{decision!r} decides nothing; use withdraw to take a decision back")
        options = tuple(option.id for option in question.options)
        if choice is not None and choice not in options:
            raise ValueError(f"{choice!r} is not an option of this question")
        offered = options if offered is None else tuple(offered)
        return self._add(
            Decision(question.id, decision, choice, who, note, self._now(), tuple(about), offered)
        )

    def reject(self, question: Any, candidate: str, *, who: str = "", note: str = "") -> Decision:
        """Save that one candidate is wrong; the others stay open, and earlier rejections hold.

        Raises:
            ValueError: always here; ``SubjectDecisions``, which outlive a question, allow it.
        """
        raise ValueError(
            "one candidate alone cannot be rejected here: say which one fits, or that none does"
        )

    def withdraw(self, question: ClosedQuestion, *, who: str = "", note: str = "") -> Decision:
        """Take back a decision, so that the question waits again."""
        return self._add(Decision(question.id, None, None, who, note, self._now()))

    def history(self) -> list[Decision]:
        """Every line, oldest first.

        Raises:
            DataError: a line is not a decision.
        """
        return [_decision(entry, f"{self.path}:{line}") for line, entry in read_lines(self.path)]

    def standing(self) -> dict[str, Decision]:
        """The decisions in force, by question id."""
        last = {decision.question: decision for decision in self.history()}
        return {
            question: decision
            for question, decision in last.items()
            if decision.decision is not None
        }

    def __len__(self) -> int:
        return len(self.standing())

    def _add(self, decision: Decision) -> Decision:
        append_lines(self.path, [asdict(decision)])
        return decision


class SubjectDecisions(Decisions):
    """Decisions on questions about an entity of one side; each line says which entity, and which
    candidates.
    """

    def decide(
        self, question: Any, decision: str, choice: str | None = None, **given: Any
    ) -> Decision:
        """Save a decision; see ``Decisions.decide``."""
        return super().decide(question, decision, choice, about=_subject(question), **given)

    def reject(self, question: Any, candidate: str, *, who: str = "", note: str = "") -> Decision:
        """Save that one candidate is wrong, in addition to those rejected before; the others stay
        open.
        """
        about = _subject(question)
        earlier = [
            one for one in self.standing().values() if one.about == about and one.choice is None
        ]
        offered = tuple(
            dict.fromkeys((*(other for one in earlier for other in one.offered), candidate))
        )
        return self.decide(question, "different", who=who, note=note, offered=offered)


def _subject(question: Any) -> tuple[str, str, str]:
    return (question.side, question.about.iri, question.about.kind)


@cache
def _stored_decision() -> TypeAdapter[Decision]:
    return TypeAdapter(Decision)  # made on first use: it takes time


def _decision(entry: dict[str, object], where: str) -> Decision:
    try:
        return _stored_decision().validate_python(entry)
    except ValueError as error:
        raise DataError(
            "the line is not a decision",
            where=where,
            fix="Mend the line, or delete it.",
            details=str(error),
        ) from error


Q = TypeVar("Q", bound=ClosedQuestion)

WAITING = "waiting for a person"
PERSON = "person"


def signature(who: str) -> str:
    """A person as in ``Verdict.judged_by``."""
    return f"{PERSON}:{who}" if who else PERSON


class Reviewed(Wrapped[Q]):
    """A judge overruled by people, who is not even asked what they decided. Without a judge the
    rest waits for them.

    Args:
        settle: for each question its verdict if people decided it, or else what is left of it to
            ask.
        judge: who answers the rest.
    """

    def __init__(
        self, settle: Callable[[Sequence[Q]], Sequence[Q | Verdict]], judge: Judge[Q] | None = None
    ) -> None:
        super().__init__(judge or CallableJudge(lambda question: unsure(WAITING, PERSON), PERSON))
        self._settle = settle

    def judge(self, questions: Sequence[Q]) -> list[Verdict]:
        """People's decisions if there are any, otherwise the judge's verdicts, each signed by who
        gave it.
        """
        settled = self._settle(questions)
        rest = iter(self._judge.judge([one for one in settled if not isinstance(one, Verdict)]))
        name = self._judge.name
        return [
            one if isinstance(one, Verdict) else checked(next(rest), one, name) for one in settled
        ]

    def estimate(self, questions: Sequence[Q]) -> Estimate:
        """What the other judge would cost for what nobody has decided."""
        return super().estimate(
            [one for one in self._settle(questions) if not isinstance(one, Verdict)]
        )


def _settled(decisions: Decisions, questions: Sequence[Q]) -> list[Q | Verdict]:
    standing = decisions.standing()
    return [verdict_of(standing[one.id], one) if one.id in standing else one for one in questions]


def overridden(judge: Judge[Q], decisions: Decisions) -> Reviewed[Q]:
    """A judge overruled, question by question, by a file of decisions."""
    return Reviewed(partial(_settled, decisions), judge)


class PersonJudge(Reviewed[Q]):
    """Answers what people have decided; everything else is "unsure", for it waits for them."""

    def __init__(self, decisions: Decisions) -> None:
        super().__init__(partial(_settled, decisions))


@dataclass(frozen=True, slots=True)
class Pending(Generic[Q]):
    """A question that waits for a person, and the expected gain of an answer."""

    question: Q
    verdict: Verdict
    gain: float


def pending(questions: Sequence[Q], verdicts: Sequence[Verdict]) -> list[Pending[Q]]:
    """The questions that no judge could decide, by expected gain.

    An undecided question gains nothing; a person's decision gains a right choice with the chance
    that one of the options is right: the confidence of the best option that the judges held
    possible. Questions about which nothing is known come last, those with more options first;
    otherwise the order is unchanged.
    """
    waiting = [
        Pending(question, verdict, max((confidence for _, confidence in verdict.also), default=0.0))
        for question, verdict in zip(questions, verdicts, strict=True)
        if not verdict.sure
    ]
    return sorted(waiting, key=lambda entry: (-entry.gain, -len(entry.question.options)))


def verdict_of(decision: Decision, question: ClosedQuestion) -> Verdict:
    """A decision as the verdict on its question."""
    given = Verdict(decision.decision or "", decision.choice, 1.0, decision.note)
    return checked(given, question, signature(decision.who))


class Oracle(Generic[Q]):
    """Gives the right answer or, with probability ``error_rate``, one of the wrong ones, each
    equally likely.

    The other options and "none of these" are wrong. Whether and how it errs depends only on the
    question's id and the seed: not on the order, the batch, or how often it is asked.

    Args:
        answer: the right decision and the id of the right option, or None if none fits.
        error_rate: the share of questions answered wrongly, 0 to 1; its confidence is the rest.
        seed: which ones.

    >>> from types import SimpleNamespace
    >>> from kgnb.judging import Option
    >>> question = SimpleNamespace(id="1", text="Bunk", options=(Option("b#Bed", "Bed"),))
    >>> Oracle(lambda question: ("equivalent", "b#Bed")).judge([question])[0].choice
    'b#Bed'
    """

    simulation = True

    def __init__(
        self, answer: Callable[[Q], tuple[str, str | None]], error_rate: float = 0.0, seed: int = 0
    ) -> None:
        if not 0.0 <= error_rate <= 1.0:
            raise ValueError(f"error_rate is {error_rate}: it must be between 0 and 1")
        self._answer = answer
        self.error_rate = error_rate
        self.seed = seed
        self.asked = 0
        self.name = f"oracle (simulation, error rate {error_rate:g})"

    def judge(self, questions: Sequence[Q]) -> list[Verdict]:
        """One verdict per question, in order; ``asked`` counts them."""
        self.asked += len(questions)
        return [checked(self._verdict(question), question, self.name) for question in questions]

    def _verdict(self, question: Q) -> Verdict:
        decision, choice = self._answer(question)
        err, which = self._draws(question)
        if err < self.error_rate:
            wrong = [
                other
                for other in (None, *(option.id for option in question.options))
                if other != choice
            ]
            if wrong:
                choice = wrong[int(which * len(wrong))]
                decision = "different" if choice is None else "equivalent"
        return Verdict(decision, choice, 1.0 - self.error_rate, "simulated answer", self.name)

    def _draws(self, question: Q) -> tuple[float, float]:
        """Two numbers from 0 to below 1 that depend only on the seed and the question."""
        digest = hashlib.sha256(
            f"{self.seed}\0{question.id}".encode("utf-8", "surrogatepass")
        ).digest()
        return int.from_bytes(digest[:6], "big") / 2**48, int.from_bytes(
            digest[6:12], "big"
        ) / 2**48

"""A person as a judge, and what people decided, kept in a file that only grows; and an oracle in a person's place.

The oracle is A SIMULATION, named as one. As in the interactive track of the OAEI, which flips an oracle's answers at
a fixed rate, it shows what would be reached if whoever is asked were wrong that often, and says nothing of any model.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Generic, TypeVar

from kgnb.errors import DataError
from kgnb.files import append_lines, read_lines
from kgnb.judging.question import UNSURE, Estimate, Judge, Question, Verdict, checked, estimate, unsure


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision of one person on one question; ``decision`` None takes an earlier one back."""

    question: str  # the question's id
    decision: str | None
    choice: str | None = None
    who: str = ""
    note: str = ""
    when: str = ""  # ISO 8601, in UTC
    about: tuple[str, ...] = ()  # what was asked about, in its agent's words; outlives a change of the question
    offered: tuple[str, ...] = ()  # the options the decision is about: "none of these" means none of these


def utc_now() -> str:
    """The time, to the second."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


class Decisions:
    """A file of decisions, one a line; the later line on a question wins, and none is ever removed.

    Several people may add to one file: each line is written whole, and the file is read again at every look.
    """

    def __init__(self, path: Path | str, now: Callable[[], str] = utc_now) -> None:
        self.path = Path(path)
        self._now = now

    def decide(
        self,
        question: Question,
        decision: str,
        choice: str | None = None,
        *,
        who: str = "",
        note: str = "",
        about: Sequence[str] = (),
        offered: Sequence[str] | None = None,
    ) -> Decision:
        """Keep a decision with its time; it is on the disk when this returns.

        ``offered`` are the options it is about: all of the question's, unless said otherwise.

        Raises:
            ValueError: the choice is not one of the question's options, or the decision is empty or "unsure".
        """
        if not decision or decision == UNSURE:
            raise ValueError(f"{decision!r} decides nothing; use withdraw to take a decision back")
        options = tuple(option.id for option in question.options)
        if choice is not None and choice not in options:
            raise ValueError(f"{choice!r} is not an option of this question")
        offered = options if offered is None else tuple(offered)
        return self._add(Decision(question.id, decision, choice, who, note, self._now(), tuple(about), offered))

    def reject(self, question: Any, candidate: str, *, who: str = "", note: str = "") -> Decision:
        """Keep that one candidate is wrong; the others stay open. What was rejected before stays so.

        Raises:
            ValueError: here a question is decided as a whole; agents whose decisions outlive a question allow it.
        """
        raise ValueError("one candidate alone cannot be rejected here: say which one fits, or that none does")

    def withdraw(self, question: Question, *, who: str = "", note: str = "") -> Decision:
        """Take back what was decided on a question, so that it waits again."""
        return self._add(Decision(question.id, None, None, who, note, self._now()))

    def history(self) -> list[Decision]:
        """Every line, oldest first.

        Raises:
            DataError: a line is not a decision.
        """
        return [_decision(entry, f"{self.path}:{line}") for line, entry in read_lines(self.path)]

    def standing(self) -> dict[str, Decision]:
        """The decisions that stand, by question id."""
        last = {decision.question: decision for decision in self.history()}
        return {question: decision for question, decision in last.items() if decision.decision is not None}

    def __len__(self) -> int:
        return len(self.standing())

    def _add(self, decision: Decision) -> Decision:
        append_lines(self.path, [asdict(decision)])
        return decision


def _decision(entry: dict[str, object], where: str) -> Decision:
    texts = {name: entry.get(name) for name in ("question", "decision", "choice", "who", "note", "when")}
    question, decision, choice = texts["question"], texts["decision"], texts["choice"]
    lists: list[Any] = [entry.get(name, []) for name in ("about", "offered")]
    if (
        not isinstance(question, str)
        or not isinstance(decision, (str, type(None)))
        or not isinstance(choice, (str, type(None)))
        or not all(isinstance(each, list) and all(isinstance(one, str) for one in each) for each in lists)
    ):
        raise DataError("the line is not a decision", where=where, fix="Mend the line, or delete it.")
    who, note, when = (str(texts[name] or "") for name in ("who", "note", "when"))
    return Decision(question, decision, choice, who, note, when, tuple(lists[0]), tuple(lists[1]))


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

"""The three questions to a judge of question answering, each with a closed list of options, and the
rule judge.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar, TypeAlias

from kgnb.agents.question_answering.interpretation import Interpretation
from kgnb.agents.question_answering.state import State
from kgnb.agents.question_answering.values import Action, Finish, written
from kgnb.judging import Option, Verdict
from kgnb.kg.terms import Term, Triple

PERFORM = "perform"
KEEP = "keep"
GIVE = "give"
NONE = "none"
"""The possible decisions of a verdict: perform an action, keep triples, give values, or none of
these.
"""


@dataclass(frozen=True)
class _Listed:
    """A question with options that are chosen by index: a choice, and more in ``also``."""

    stage: ClassVar[str]
    asked: str
    text: str  # the question, the observation and the memory
    shown: tuple[str, ...]  # the text of each option

    @cached_property
    def id(self) -> str:
        """Digest of what is asked and what may be chosen."""
        return hashlib.sha256(
            json.dumps([self.stage, self.asked, self.text, self._listed()]).encode()
        ).hexdigest()[:16]

    @cached_property
    def options(self) -> tuple[Option, ...]:
        """One option per text; its id is the index."""
        return tuple(Option(str(at), shown) for at, shown in enumerate(self.shown))

    def _listed(self) -> list[str]:
        return list(self.shown)


@dataclass(frozen=True)
class ActQuestion(_Listed):
    """Which action next? A judge chooses one of ``actions``, or composes another from ``state``."""

    stage = "act"
    actions: tuple[Action, ...]
    interpretations: tuple[
        Interpretation | None, ...
    ]  # the interpretation behind each action, if any
    done: tuple[Action, ...] = ()
    settled: bool = False  # the memory holds all that the best interpretation asks for
    state: State | None = field(default=None, compare=False, repr=False)

    @cached_property
    def options(self) -> tuple[Option, ...]:
        """One option per action; its id is the written action."""
        return tuple(
            Option(written(a), shown) for a, shown in zip(self.actions, self.shown, strict=True)
        )

    def _listed(self) -> list[str]:
        return [option.id for option in self.options]


@dataclass(frozen=True)
class ReflectQuestion(_Listed):
    """Which of these triples help to answer?"""

    stage = "reflect"
    triples: tuple[Triple, ...]
    keep: int
    ranked: tuple[
        int, ...
    ] = ()  # the indexes in the order of the interpretation or the observation


@dataclass(frozen=True)
class AnswerQuestion(_Listed):
    """Which of these values are the answer?"""

    stage = "answer"
    values: tuple[Term, ...]
    interpretation: Interpretation | None = None  # the source of the values
    complete: bool = False  # no values of the interpretation are missing


QaQuestion: TypeAlias = ActQuestion | ReflectQuestion | AnswerQuestion


class RuleJudge:
    """Decides by how well relation paths fit the wording of the question; never takes advice from
    the graph's text.
    """

    name = "rule"

    def judge(self, questions: Sequence[QaQuestion]) -> list[Verdict]:
        """One verdict per question."""
        return [self._verdict(question) for question in questions]

    def _verdict(self, question: QaQuestion) -> Verdict:
        match question:
            case ActQuestion():
                return self._act(question)
            case ReflectQuestion():
                chosen = list(question.ranked or range(len(question.triples)))[: question.keep]
                if not chosen:
                    return Verdict(NONE, None, 1.0, "there is nothing to keep", self.name)
                also = tuple((str(at), 1.0) for at in chosen[1:])
                return Verdict(
                    KEEP, str(chosen[0]), 1.0, "on the path that fits the wording", self.name, also
                )
            case AnswerQuestion(interpretation=Interpretation() as read) if question.values:
                also = tuple((str(at), read.confidence) for at in range(1, len(question.values)))
                left = ", ".join(read.unused)
                why = f"read as {read.explanation}" + (f"; not used: {left}" if left else "")
                return Verdict(GIVE, "0", read.confidence, why, self.name, also)
        return Verdict(
            NONE, None, 0.0, "nothing that is remembered answers the question", self.name
        )

    def _act(self, question: ActQuestion) -> Verdict:
        pairs = zip(question.actions, question.interpretations, strict=True)
        followed = [(written(action), read) for action, read in pairs if read is not None]
        finish = next(
            (written(action) for action in question.actions if isinstance(action, Finish)), None
        )
        if followed and not (question.settled and finish):
            (action, read), *others = followed[:4]
            also = tuple((other, one.confidence) for other, one in others)
            reason = f"the wording fits best: {read.explanation}"
            return Verdict(PERFORM, action, read.confidence, reason, self.name, also)
        if finish is not None:
            reason = (
                "what is remembered is what was asked for"
                if question.settled
                else "no relation fits the wording"
            )
            return Verdict(PERFORM, finish, 1.0 if question.settled else 0.5, reason, self.name)
        return Verdict(
            NONE, None, 0.0, "no relation around the entities fits the wording", self.name
        )

"""The three questions to a judge of question answering, each with a closed list of options, and the rule judge."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

from kgnb.agents.question_answering.interpretation import Interpretation
from kgnb.agents.question_answering.state import State
from kgnb.agents.question_answering.values import Action, Finish, written
from kgnb.judging import Option, Verdict
from kgnb.kg.terms import Term, Triple

PERFORM = "perform"
KEEP = "keep"
GIVE = "give"
NONE = "none"
"""The possible decisions of a verdict: perform an action, keep triples, give values, or none of these."""


@dataclass(frozen=True)
class ActQuestion:
    """Which action next? A judge chooses one of ``actions``, or composes another from ``state``."""

    asked: str
    text: str  # the question, the observation and the memory
    actions: tuple[Action, ...]
    shown: tuple[str, ...]  # the text of each action
    interpretations: tuple[Interpretation | None, ...]  # the interpretation behind each action, if any
    done: tuple[Action, ...] = ()
    settled: bool = False  # the memory holds all that the best interpretation asks for
    state: State | None = field(default=None, compare=False, repr=False)

    @cached_property
    def id(self) -> str:
        """Digest of what is asked and what may be chosen."""
        return _digest("act", self.asked, self.text, [option.id for option in self.options])

    @cached_property
    def options(self) -> tuple[Option, ...]:
        """One option per action; its id is the written action."""
        return tuple(Option(written(a), shown) for a, shown in zip(self.actions, self.shown, strict=True))


@dataclass(frozen=True)
class ReflectQuestion:
    """Which of these triples help to answer? Options are chosen by index: a choice, and more in ``also``."""

    asked: str
    text: str
    triples: tuple[Triple, ...]
    shown: tuple[str, ...]
    keep: int
    ranked: tuple[int, ...] = ()  # the indexes in the order of the interpretation or the observation

    @cached_property
    def id(self) -> str:
        """Digest of what is asked and what may be chosen."""
        return _digest("reflect", self.asked, self.text, list(self.shown))

    @cached_property
    def options(self) -> tuple[Option, ...]:
        """One option per triple; its id is the index."""
        return tuple(Option(str(at), shown) for at, shown in enumerate(self.shown))


@dataclass(frozen=True)
class AnswerQuestion:
    """Which of these values are the answer? Options are chosen by index: a choice, and more in ``also``."""

    asked: str
    text: str
    values: tuple[Term, ...]
    shown: tuple[str, ...]
    interpretation: Interpretation | None = None  # the source of the values
    complete: bool = False  # no values of the interpretation are missing

    @cached_property
    def id(self) -> str:
        """Digest of what is asked and what may be chosen."""
        return _digest("answer", self.asked, self.text, list(self.shown))

    @cached_property
    def options(self) -> tuple[Option, ...]:
        """One option per value; its id is the index."""
        return tuple(Option(str(at), shown) for at, shown in enumerate(self.shown))


QaQuestion: TypeAlias = ActQuestion | ReflectQuestion | AnswerQuestion


def _digest(*parts: str | Sequence[str]) -> str:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]


class RuleJudge:
    """Decides by how well relation paths fit the wording of the question; never takes advice from the graph's text."""

    name = "rule"

    def judge(self, questions: Sequence[QaQuestion]) -> list[Verdict]:
        """One verdict per question."""
        return [self._verdict(question) for question in questions]

    def _verdict(self, question: QaQuestion) -> Verdict:
        if isinstance(question, ActQuestion):
            return self._act(question)
        if isinstance(question, ReflectQuestion):
            return self._reflect(question)
        return self._answer(question)

    def _act(self, question: ActQuestion) -> Verdict:
        followed = [
            (action, interpretation)
            for action, interpretation in zip(question.actions, question.interpretations, strict=True)
            if interpretation is not None
        ]
        finish = next((action for action in question.actions if isinstance(action, Finish)), None)
        if followed and not (question.settled and finish):
            action, interpretation = followed[0]
            also = tuple((written(other), r.confidence) for other, r in followed[1:4])
            reason = f"the wording fits best: {interpretation.explanation}"
            return Verdict(PERFORM, written(action), interpretation.confidence, reason, self.name, also)
        if finish is not None:
            reason = "what is remembered is what was asked for" if question.settled else "no relation fits the wording"
            return Verdict(PERFORM, written(finish), 1.0 if question.settled else 0.5, reason, self.name)
        return Verdict(NONE, None, 0.0, "no relation around the entities fits the wording", self.name)

    def _reflect(self, question: ReflectQuestion) -> Verdict:
        chosen = list(question.ranked or range(len(question.triples)))[: question.keep]
        if not chosen:
            return Verdict(NONE, None, 1.0, "there is nothing to keep", self.name)
        also = tuple((str(at), 1.0) for at in chosen[1:])
        return Verdict(KEEP, str(chosen[0]), 1.0, "on the path that fits the wording", self.name, also)

    def _answer(self, question: AnswerQuestion) -> Verdict:
        if not question.values or question.interpretation is None:
            return Verdict(NONE, None, 0.0, "nothing that is remembered answers the question", self.name)
        also = tuple((str(at), question.interpretation.confidence) for at in range(1, len(question.values)))
        left = ", ".join(question.interpretation.unused)
        why = f"read as {question.interpretation.explanation}" + (f"; not used: {left}" if left else "")
        return Verdict(GIVE, "0", question.interpretation.confidence, why, self.name, also)

"""The judges of question answering, by name."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, get_args
from typing import Literal as OneOf

from kgnb.agents.question_answering.actions import Finish, written
from kgnb.agents.question_answering.desk import Judges
from kgnb.agents.question_answering.model_judges import ModelActor, ModelAnswerer, ModelReflector
from kgnb.agents.question_answering.questions import (
    GIVE,
    KEEP,
    NONE,
    PERFORM,
    ActQuestion,
    AnswerQuestion,
    QaQuestion,
    ReflectQuestion,
)
from kgnb.errors import ConfigError
from kgnb.judging import Cascade, Decisions, Judge, PersonJudge, Verdict, overridden
from kgnb.judging.named import chosen, set_model
from kgnb.llm.model import ChatModel

JudgeName = OneOf["auto", "rule", "model", "cascade", "person"]
JUDGES: tuple[JudgeName, ...] = get_args(JudgeName)
SURE = 0.9
"""How confident the rule judge must be for the cascade to leave the model out of it."""


def make_judges(
    name: str = "auto",
    *,
    model: ChatModel | None = None,
    decisions: Decisions | str | Path | None = None,
    emulate: bool | None = None,
) -> Judges:
    """The judges of this name; ``auto`` is the cascade where there is a model and the rule judge where there is none.

    A person's ``decisions`` override whatever another judge says. ``emulate`` asks the model for actions as JSON
    instead of native tool calls; None does so where the server turns out not to have them.

    Raises:
        ConfigError: the judge needs a model or a file of decisions that is not there.
        ValueError: there is no judge of this name.
    """
    name = chosen(name, JUDGES, model, "cascade")
    if isinstance(decisions, str | Path):
        decisions = Decisions(decisions)
    if name == "person":
        if decisions is None:
            raise ConfigError(
                "the person judge answers from a file of decisions, and none is given",
                fix="Decide action by action in a notebook (%load_ext kgnb, then %qa), or give the decisions made "
                "there: --decisions FILE.",
            )
        return Judges.all(PersonJudge(decisions))
    if name == "rule":
        found = Judges.all(RuleJudge())
    else:
        model = set_model(model, name)
        found = Judges(ModelActor(model, emulate=emulate), ModelReflector(model), ModelAnswerer(model))
        if name == "cascade":
            act = ModelActor(model, emulate=emulate, readings=True)
            found = Judges(_cascade(act), _cascade(found.reflect), _cascade(found.answer))
    if decisions is None:
        return found
    return Judges(*(overridden(judge, decisions) for judge in (found.act, found.reflect, found.answer)))


def _cascade(costly: Judge[Any]) -> Judge[QaQuestion]:
    return Cascade(RuleJudge(), costly, sure=_sure)


def _sure(verdict: Verdict) -> bool:
    return verdict.sure and verdict.confidence >= SURE


class RuleJudge:
    """Decides by how well relation paths fit the wording of the question; reads no text of the graph as advice."""

    name = "rule"

    def judge(self, questions: Sequence[QaQuestion]) -> list[Verdict]:
        """One verdict a question."""
        return [self._verdict(question) for question in questions]

    def _verdict(self, question: QaQuestion) -> Verdict:
        if isinstance(question, ActQuestion):
            return self._act(question)
        if isinstance(question, ReflectQuestion):
            return self._reflect(question)
        return self._answer(question)

    def _act(self, question: ActQuestion) -> Verdict:
        followed = [
            (action, reading)
            for action, reading in zip(question.actions, question.readings, strict=True)
            if reading is not None
        ]
        finish = next((action for action in question.actions if isinstance(action, Finish)), None)
        if followed and not (question.settled and finish):
            action, reading = followed[0]
            also = tuple((written(other), r.confidence) for other, r in followed[1:4])
            reason = f"the wording fits best: {reading.explanation}"
            return Verdict(PERFORM, written(action), reading.confidence, reason, self.name, also)
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
        if not question.values or question.reading is None:
            return Verdict(NONE, None, 0.0, "nothing that is remembered answers the question", self.name)
        also = tuple((str(at), question.reading.confidence) for at in range(1, len(question.values)))
        left = ", ".join(question.reading.unused)
        why = f"read as {question.reading.explanation}" + (f"; not used: {left}" if left else "")
        return Verdict(GIVE, "0", question.reading.confidence, why, self.name, also)

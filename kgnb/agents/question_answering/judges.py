"""The judges of question answering, by name."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args
from typing import Literal as OneOf

from kgnb.agents.question_answering.desk import Judges
from kgnb.agents.question_answering.model_judges import ModelActor, ModelAnswerer, ModelReflector
from kgnb.agents.question_answering.questions import QaQuestion
from kgnb.agents.question_answering.rule import RuleJudge
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

"""The judges of ontology matching, by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Literal as OneOf
from typing import get_args

from kgnb.agents.ontology_matching.reviewed import Reviewed, Rulings
from kgnb.agents.ontology_matching.rule import RuleJudge, Weights
from kgnb.agents.ontology_matching.validate import DECISIONS, INSTRUCTIONS, RELATIONS
from kgnb.agents.ontology_matching.values import Description, MatchQuestion, Options, Pair, Side
from kgnb.judging import Asking, Cascade, Judge, ModelJudge, Verdict
from kgnb.judging.named import chosen, given_decisions, given_reference, reference_oracle, set_model
from kgnb.llm.model import ChatModel

JudgeName = OneOf["auto", "rule", "model", "cascade", "person", "oracle"]
JUDGES: tuple[JudgeName, ...] = get_args(JudgeName)
ASK = Options().ask
FEW = 50
"""Of so few entities of the source as many questions are asked, in three or four calls. The rule knows too little of so
few: on six small pairs 42 of 192 options that it held to be hopeless were right, 8 of 24 that it was sure of wrong."""
SHOWN = 6  # candidates of a question that a model sees
NEIGHBOURS = 4  # neighbours with a known counterpart that it is told of, and
SURE = 0.9  # how sure of that one must be
BATCH = 12  # questions a call: they share the instructions and what candidates are, and fit a window of 4,096 tokens


def make_judge(
    name: str = "auto",
    *,
    model: ChatModel | None = None,
    reference: Iterable[tuple[str, str]] | None = None,
    error_rate: float = 0.0,
    seed: int = 0,
    decisions: Rulings | None = None,
    exclusive: bool = True,
    context: str = "",
    relations: bool = False,
    ask: float = ASK,
    width: int = 8,
    remember: Callable[[ModelJudge[MatchQuestion]], Judge[MatchQuestion]] = lambda judge: judge,
) -> Judge[MatchQuestion]:
    """The judge of this name; ``auto`` is the cascade where there is a model and the rule judge where there is none.

    A person's ``decisions`` override whatever any judge says. ``exclusive``: an entity has one counterpart at most, so
    that candidates are rivals; else each is judged by itself. "oracle" is a cascade like any other, with a simulated
    answer from the reference in place of the model's. Broader and narrower candidates are asked for only where
    ``relations`` are wanted. ``ask`` is how many questions a cascade puts to the model, at
    most, for each source entity; of up to ``FEW`` entities a question each, unless less than the default is said.
    ``remember`` may wrap the judge that asks the model.

    Raises:
        ConfigError: the judge needs a model, a reference or a file of decisions that is not there.
        ValueError: there is no judge of this name.
    """
    name = chosen(name, JUDGES, model, "cascade")
    if name == "person":
        return Reviewed(given_decisions(decisions), exclusive=exclusive)
    judge: Judge[MatchQuestion]
    if name == "rule":
        judge = _rule(exclusive)
    elif name == "oracle":
        oracle = reference_oracle(given_reference(reference), error_rate=error_rate, seed=seed)
        judge = after_the_rule(oracle, ask, exclusive=exclusive)
    else:
        asked = remember(_model_judge(set_model(model, name), context, width, relations=relations))
        judge = asked if name == "model" else after_the_rule(asked, ask, exclusive=exclusive)
    return Reviewed(decisions, judge, exclusive=exclusive) if decisions is not None else judge


def after_the_rule(
    judge: Judge[MatchQuestion], ask: float = ASK, rule: Judge[MatchQuestion] | None = None, *, exclusive: bool = True
) -> Cascade[MatchQuestion]:
    """A cascade of the rule judge and another: a pair asked about from both sides is one claim."""
    few = FEW if ask >= ASK else 0
    asking = Asking(ask, of=_sources, few=few, claim=_pair, exclusive=exclusive, ready=_ready)
    return Cascade(rule or _rule(exclusive), judge, asking=asking)


def _rule(exclusive: bool) -> RuleJudge:
    """The rule judge; where an entity may have several counterparts, they are no rivals."""
    return RuleJudge() if exclusive else RuleJudge(replace(Weights(), rivals=False))


def _sources(questions: Sequence[MatchQuestion]) -> int:
    return sum(question.side == "source" for question in questions)


def _pair(question: MatchQuestion, other: str) -> Pair:
    about, kind = question.about.key
    return (about, other, kind) if question.side == "source" else (other, about, kind)


def _ready(
    questions: Sequence[MatchQuestion], verdicts: Sequence[Verdict]
) -> Callable[[MatchQuestion, Sequence[float]], MatchQuestion]:
    """Makes a question ready for a model: the likeliest candidates first and few, matched neighbours named."""
    known: dict[tuple[Side, str], str] = {}
    for question, verdict in zip(questions, verdicts, strict=True):
        if verdict.decision == "equivalent" and verdict.confidence >= SURE:
            other = next((other for other in question.others if other.iri == verdict.choice), None)
            if other is not None:
                known[question.side, question.about.iri] = f"{question.about.name} = {other.name}"

    def ready(question: MatchQuestion, chances: Sequence[float]) -> MatchQuestion:
        likeliest = sorted(range(len(chances)), key=lambda at: (-chances[at], at))[:SHOWN]
        near = dict.fromkeys(_neighbours(question.about))
        matched = [known[question.side, iri] for iri in near if (question.side, iri) in known]
        return question.narrowed(likeliest, matched[:NEIGHBOURS])

    return ready


def _neighbours(description: Description) -> Iterable[str]:
    entity = description.entity
    fillers = (one.filler for one in entity.restrictions)
    return (*entity.parents, *entity.domain, *entity.range, *fillers, *entity.inverse, *entity.children)


def _model_judge(model: ChatModel, context: str, width: int, *, relations: bool) -> ModelJudge[MatchQuestion]:
    about = f" about {' '.join(context.split())[:200]}" if context else ""
    return ModelJudge(
        model,
        instructions=INSTRUCTIONS.format(context=about) + (RELATIONS if relations else ""),
        decisions=DECISIONS if relations else ("equivalent",),
        none_decision="different",
        batch=BATCH,
        width=width,
        heading=_heading,
        duplicates=True,
    )


def _heading(question: MatchQuestion) -> str:
    other = "target" if question.side == "source" else "source"
    return f"Entities of the {question.side} model, candidates of the {other} model."

"""The judges of ontology matching, by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import get_args

from kgnb.agents.ontology_matching.options import JudgeName
from kgnb.agents.ontology_matching.papers_judges import FirstCandidate, YesNoValidator
from kgnb.agents.ontology_matching.reviewed import PairDecisions, ReviewedMatches
from kgnb.agents.ontology_matching.rule import RuleJudge, Weights
from kgnb.agents.ontology_matching.validate import (
    DECISIONS,
    EXAMPLES,
    FEW,
    INSTRUCTIONS,
    RELATIONS,
)
from kgnb.agents.ontology_matching.values import Description, MatchQuestion, Options, Pair, Side
from kgnb.judging import Asking, Cascade, Judge, ModelJudge, Verdict
from kgnb.judging.cascade import KNOWN, Known
from kgnb.judging.named import chosen, given_decisions, given_reference, reference_oracle, set_model
from kgnb.llm.model import ChatModel

JUDGES: tuple[JudgeName, ...] = get_args(JudgeName)
ASK = Options().ask
SHOWN = 6  # candidates of a question that a model sees
FILLER = 0.01  # chance below which a candidate is only shown to have a choice of
CHOICE = 4
NEIGHBOURS = 4  # neighbours with a known counterpart that it is told about, and
SURE = 0.9  # how sure that counterpart must be
# questions a call: they share the instructions and descriptions of candidates, and fit into 4,096
# tokens
BATCH = 12
WAVES = 2
WORTH = 0.002
"""Ten conference pairs with a simulated model that errs in 15 % (``--judge oracle``): F1 .774 in 25
calls with three waves, a fifth of the entities and .01; .80 to .82 in 26 to 33 with these.
"""


def make_judge(
    name: str = "auto",
    *,
    model: ChatModel | None = None,
    reference: Iterable[tuple[str, str]] | None = None,
    error_rate: float = 0.0,
    seed: int = 0,
    decisions: PairDecisions | None = None,
    exclusive: bool = True,
    context: str = "",
    relations: bool = False,
    ask: float = ASK,
    examples: Sequence[str] = (),
    width: int = 8,
    remember: Callable[[ModelJudge[MatchQuestion]], Judge[MatchQuestion]] = lambda judge: judge,
) -> Judge[MatchQuestion]:
    """The judge with this name; ``auto`` is "cascade" if a model is given, else "rule".

    Args:
        reference: what "oracle" answers from: a cascade with simulated answers in place of the
            model's.
        decisions: a person's decisions, which override any judge.
        exclusive: an entity has at most one counterpart, so that candidates are rivals.
        relations: broader and narrower candidates are asked for as well.
        ask: the most questions that a cascade asks a model for each source entity. Of up to ``FEW``
            entities it asks one each, unless ``ask`` is below the default.
        examples: pairs that a person confirmed or rejected, in words.
        remember: wraps the judge that asks the model.

    Raises:
        ConfigError: the judge needs a model, a reference or a file of decisions that is not given.
        ValueError: there is no judge with this name.
    """
    name = chosen(name, JUDGES, model, "cascade")
    if name == "person":
        return ReviewedMatches(given_decisions(decisions), exclusive=exclusive)
    judge: Judge[MatchQuestion]
    if name == "rule":
        judge = _rule(exclusive)
    elif name == "first":
        judge = FirstCandidate()
    elif name == "paper":
        judge = YesNoValidator(set_model(model, name), context, width)
    elif name == "oracle":
        oracle = reference_oracle(given_reference(reference), error_rate=error_rate, seed=seed)
        judge = after_the_rule(oracle, ask, exclusive=exclusive)
    else:
        about = f" about {' '.join(context.split())[:200]}" if context else ""
        asked: ModelJudge[MatchQuestion] = ModelJudge(
            set_model(model, name),
            instructions=_instructions(about, relations, examples),
            decisions=DECISIONS if relations else ("equivalent",),
            none_decision="different",
            batch=BATCH,
            width=width,
            heading=_heading,
            duplicates=True,
        )
        judge = (
            remember(asked)
            if name == "model"
            else after_the_rule(remember(asked), ask, exclusive=exclusive)
        )
    return (
        ReviewedMatches(decisions, judge, exclusive=exclusive) if decisions is not None else judge
    )


def _instructions(about: str, relations: bool, examples: Sequence[str]) -> str:
    text = INSTRUCTIONS.format(context=about)
    if relations:
        text += RELATIONS
    if examples:
        text += EXAMPLES.format(examples="\n".join(f"- {example}" for example in examples))
    return text


def _heading(question: MatchQuestion) -> str:
    return f"Entities of the {question.side} model, candidates of the {question.other_side} model."


def after_the_rule(
    judge: Judge[MatchQuestion],
    ask: float = ASK,
    rule: Judge[MatchQuestion] | None = None,
    *,
    exclusive: bool = True,
) -> Cascade[MatchQuestion]:
    """A cascade of the rule judge and another: a pair that both sides ask about is one claim."""
    few = FEW if ask >= ASK else 0
    # a simulated judge errs at the rate that was asked for
    simulated = getattr(judge, "simulation", False)
    asking = Asking(
        ask,
        of=_sources,
        few=few,
        claim=_pair,
        exclusive=exclusive,
        waves=WAVES,
        least=BATCH,
        worth=WORTH,
        ready=_ready,
        trial=None if simulated else _trial,
        own_trial=None if simulated else _among_own,
    )
    return Cascade(rule or _rule(exclusive), judge, asking=asking)


def _rule(exclusive: bool) -> RuleJudge:
    return RuleJudge(Weights(rivals=exclusive))


def _sources(questions: Sequence[MatchQuestion]) -> int:
    return sum(question.side == "source" for question in questions)


def _pair(question: MatchQuestion, other: str) -> Pair:
    about, kind = question.about.key
    return (about, other, kind) if question.side == "source" else (other, about, kind)


def _trial(question: MatchQuestion, right: int, present: bool) -> MatchQuestion:
    """A short question whose answer is known, with its right candidate or without."""
    others = [at for at in range(len(question.others)) if at != right][:CHOICE]
    return question.narrowed(sorted([*others, right]) if present else others)


def _among_own(questions: Sequence[MatchQuestion]) -> list[Known[MatchQuestion]]:
    """Entities of the source, asked about among others of the source: the one of the same
    description is the counterpart, at a place that changes, and in every second question it is
    left out.
    """
    ours = [question for question in questions if question.side == "source"]
    known = []
    for at in range(min(KNOWN, len(ours))):
        number = at * len(ours) // min(KNOWN, len(ours))
        about = ours[number].about
        rest = [one.about for one in (*ours[number + 1 :], *ours[:number])]
        others = [other for other in rest if other.key[1] == about.key[1]][:CHOICE]
        if not at % 2:
            others.insert(at // 2 + 1, about)
        question = replace(ours[number], candidates=(), others=tuple(others))
        if len(others) > 1:
            known.append(Known(question, None if at % 2 else about.iri))
    return known


def _ready(
    questions: Sequence[MatchQuestion], verdicts: Sequence[Verdict]
) -> Callable[[MatchQuestion, Sequence[float]], MatchQuestion]:
    """Prepares a question for a model: few candidates, the likeliest first, and the counterparts of
    neighbours.
    """
    known: dict[tuple[Side, str], str] = {}
    for question, verdict in zip(questions, verdicts, strict=True):
        if verdict.decision == "equivalent" and verdict.confidence >= SURE:
            chosen = (other for other in question.others if other.iri == verdict.choice)
            for other in chosen:
                known[question.side, question.about.iri] = other.name
                known.setdefault((question.other_side, other.iri), question.about.name)
    names = {(q.side, q.about.iri): q.about for q in questions}
    siblings = {(q.side, q.about.name): q.about.iri for q in questions}

    def equal(side: Side, iri: str, name: str) -> str:
        """The name, with that of its counterpart if there is one."""
        return f"{name} = {known[side, iri]}" if (side, iri) in known else name

    def ready(question: MatchQuestion, chances: Sequence[float]) -> MatchQuestion:
        likeliest = sorted(range(len(chances)), key=lambda at: (-chances[at], at))[:SHOWN]
        shown = [at for n, at in enumerate(likeliest) if n < CHOICE or chances[at] >= FILLER]
        side = question.side
        near = [
            equal(side, other.iri, other.name)
            for iri in dict.fromkeys(_neighbours(question.about))
            for other in (names.get((side, iri)),)
            if other is not None and (side, iri) in known
        ]
        beside = (equal(side, siblings.get((side, name), ""), name) for name in question.beside)
        taken = (known.get((question.other_side, other.iri), "") for other in question.others)
        told = replace(
            question,
            matched=tuple(near[:NEIGHBOURS]),
            beside=tuple(beside),
            taken=tuple("" if name == question.about.name else name for name in taken),
        )
        return told.narrowed(shown)

    return ready


def _neighbours(description: Description) -> Iterable[str]:
    entity = description.entity
    fillers = (one.filler for one in entity.restrictions)
    return (
        *entity.parents,
        *entity.domain,
        *entity.range,
        *fillers,
        *entity.inverse,
        *entity.children,
    )

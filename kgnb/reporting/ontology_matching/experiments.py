"""Experiments on a pair besides matching it: ingredients left out, prompts counted, answers wrong
at a known rate.

A pair is taken as far as its questions once; the experiments differ only from the judge onwards.

SIMULATION: answers that are wrong at a known rate come from the reference, as in the interactive
track of the OAEI. Their curve shows how much of the loss a model or a person could recover, and how
fast errors undo that; it says nothing about any particular model.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from statistics import fmean, pstdev
from typing import Any

from kgnb.agents.ontology_matching.judges import after_the_rule, make_judge
from kgnb.agents.ontology_matching.merge import merge
from kgnb.agents.ontology_matching.retrieve import retrieve
from kgnb.agents.ontology_matching.rule import RuleJudge, Weights
from kgnb.agents.ontology_matching.search import search
from kgnb.agents.ontology_matching.store import store
from kgnb.agents.ontology_matching.summarise import summarise
from kgnb.agents.ontology_matching.validate import validate
from kgnb.agents.ontology_matching.values import MatchQuestion, Options, Summarised
from kgnb.evaluate.alignment import Score, micro, non_trivial, score, scored_by_oaei, triples
from kgnb.judging import Cascade, Judge, Verdict
from kgnb.judging.named import reference_oracle
from kgnb.judging.question import estimate
from kgnb.llm.scripted import ScriptedModel
from kgnb.reporting.ontology_matching.results import (
    Ablated,
    AtRate,
    Draw,
    Experiments,
    PairOutcome,
    Prompts,
)
from kgnb.vectors.embedder import Embedder
from kgnb.vectors.index import VectorIndex

NO_INGREDIENTS = ("bias", "rounds")  # the threshold, and the number of passes: not evidence
WHOLE = "nothing left out"
RATES = (0.0, 0.1, 0.2, 0.3)  # of the OAEI's interactive track
SHARES = (0.05, 0.1, 0.15, 0.2, 0.3, 0.5)  # questions, at most, for each source entity
SHARES_RATE = 0.1  # the error rate at which these are compared
WARNING = "SIMULATION: a judge that knows the reference answers what the rule judge leaves open"


class KnownVerdicts:
    """A judge that has judged these very questions already."""

    def __init__(self, judge: Judge[MatchQuestion], questions: Sequence[MatchQuestion]) -> None:
        self.name = judge.name
        self._verdicts = dict(
            zip([question.id for question in questions], judge.judge(questions), strict=True)
        )

    def judge(self, questions: Sequence[MatchQuestion]) -> list[Verdict]:
        """The verdicts, in order."""
        return [self._verdicts[question.id] for question in questions]


@dataclass(frozen=True)
class Prepared:
    """A pair's questions, and what is needed to try judges on them."""

    outcome: PairOutcome
    summarised: Summarised
    options: Options

    @cached_property
    def rule(self) -> KnownVerdicts:
        """The rule judge; it judges these questions only once."""
        return KnownVerdicts(RuleJudge(), self.summarised.questions)

    def try_out(self, judge: Judge[MatchQuestion]) -> tuple[Score, Score]:
        """Validate with this judge and merge: the score, and that of the non-trivial part."""
        alignment, wanted = (
            merge(validate(self.summarised, judge), options=self.options),
            self.outcome.right,
        )
        found = scored_by_oaei(triples(alignment, *self.outcome.relations))
        return score(found, wanted), non_trivial(found, wanted, self.outcome.trivial)

    def draw(self, rate: float | None, seed: int = 0, ask: float | None = None) -> Draw:
        """The rule judge, and a judge that knows the reference for what it leaves open; without a
        rate, nobody.
        """
        sources = len(self.summarised.described.of("source"))
        if rate is None:
            return Draw(rate, seed, *self.try_out(self.rule), sources=sources)
        pairs = {triple[:2] for triple in self.outcome.right if triple[2] == "equivalent"}
        oracle = reference_oracle(pairs, error_rate=rate, seed=seed)
        judge = after_the_rule(oracle, self.options.ask if ask is None else ask, self.rule)
        return Draw(rate, seed, *self.try_out(judge), oracle.asked, sources, ask)


def experiment(
    outcome: PairOutcome,
    options: Options,
    embedder: Embedder,
    index: VectorIndex,
    curves: bool,
    seeds: int,
    ablation: bool,
) -> Experiments:
    """The experiments that were asked for; ``seeds`` draws of errors for each rate and share."""
    if not (curves or ablation):
        return Experiments()
    described = retrieve(
        outcome.source, outcome.target, options=options
    )  # vectors come from the run's index
    found = search(store(described, index, embedder), options=options)
    prepared = Prepared(outcome, summarise(found, options=options), options)
    ablated = tuple(ablate(prepared)) if ablation else ()
    if not curves:
        return Experiments(ablated=ablated)
    rates = [(None, 0), *((rate, seed) for rate in RATES for seed in range(seeds if rate else 1))]
    draws = tuple(prepared.draw(rate, seed) for rate, seed in rates)
    shares = tuple(prepared.draw(SHARES_RATE, seed, ask) for ask in SHARES for seed in range(seeds))
    return Experiments(draws, shares, tuple(count_prompts(prepared)), ablated)


def ingredients(weights: Weights = Weights()) -> Iterator[tuple[str, Weights]]:
    """Every ingredient's name, and the weights without it: numbers become 0, switches are turned
    off.

    Fields that are off anyway, or say ``metadata["ingredient"] = False``, are skipped.
    """
    for field in fields(weights):
        value = getattr(weights, field.name)
        listed = field.name not in NO_INGREDIENTS and field.metadata.get("ingredient", True)
        if listed and isinstance(value, bool | int | float) and value:
            without: dict[str, Any] = {field.name: type(value)(0)}
            yield field.name, replace(weights, **without)


def ablate(prepared: Prepared) -> Iterator[Ablated]:
    """The pair with all ingredients, then without each."""
    yield Ablated(WHOLE, *prepared.try_out(prepared.rule))
    for name, weights in ingredients():
        yield Ablated(name, *prepared.try_out(RuleJudge(weights)))


def summed(ablated: Sequence[Ablated]) -> list[Ablated]:
    """The scores of all pairs added up, by what was left out."""
    groups = {
        one.without: [other for other in ablated if other.without == one.without] for one in ablated
    }
    return [
        Ablated(name, micro(o.whole for o in same), micro(o.part for o in same))
        for name, same in groups.items()
    ]


def count_prompts(prepared: Prepared) -> Iterator[Prompts]:
    """The prompts of the cascade, and of a model that is asked everything; none of them is sent."""
    options, questions = prepared.options, prepared.summarised.questions
    for name in ("cascade", "model"):
        judge = make_judge(
            name,
            model=ScriptedModel([]),
            context=options.context,
            relations=options.relations,
            ask=options.ask,
        )
        asked: Sequence[MatchQuestion] = questions
        if isinstance(judge, Cascade):
            judge = replace(judge, cheap=prepared.rule)
            asked, expected = judge.open(asked), judge.estimate(asked)
        else:
            expected = estimate(judge, asked)
        yield Prompts(name, len(asked), expected, len(prepared.summarised.described.descriptions))


def curve(draws: Sequence[Draw]) -> list[AtRate]:
    """The draws of all pairs, by error rate and by how much could be asked."""
    points = dict.fromkeys((draw.rate, draw.ask) for draw in draws)
    return [
        _average(*point, [draw for draw in draws if (draw.rate, draw.ask) == point])
        for point in points
    ]


def _average(rate: float | None, ask: float | None, draws: Sequence[Draw]) -> AtRate:
    """Pairs are added up (micro) within a draw, draws are averaged."""
    rounds = [
        [draw for draw in draws if draw.seed == seed]
        for seed in sorted({draw.seed for draw in draws})
    ]
    wholes = [micro(draw.whole for draw in one) for one in rounds]
    questions, sources = (
        sum(draw.questions for draw in draws) / len(rounds),
        sum(draw.sources for draw in rounds[0]),
    )
    return AtRate(
        rate,
        ask,
        precision=fmean(score.precision for score in wholes),
        recall=fmean(score.recall for score in wholes),
        f1=fmean(score.f1 for score in wholes),
        spread=pstdev(score.f1 for score in wholes),
        non_trivial=fmean(micro(draw.part for draw in one).f1 for one in rounds),
        questions=questions,
        share=questions / sources if sources else 0.0,
        draws=len(rounds),
    )

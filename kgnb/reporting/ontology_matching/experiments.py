"""Experiments on a pair besides matching it: ingredients left out, prompts counted, answers wrong at a known rate.

A pair is taken as far as its questions once; the experiments differ only from the judge onwards.

SIMULATION: answers that are wrong at a known rate come from the reference, as in the interactive track of the OAEI.
Their curve shows how much of the loss a model or a person could recover, and how fast errors undo that; it says nothing
about any particular model.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import product
from statistics import fmean, pstdev
from typing import Any, NamedTuple

from kgnb.agents.ontology_matching.judges import after_the_rule, make_judge
from kgnb.agents.ontology_matching.merge import merge
from kgnb.agents.ontology_matching.retrieve import retrieve
from kgnb.agents.ontology_matching.rule import RuleJudge, Weights
from kgnb.agents.ontology_matching.search import search
from kgnb.agents.ontology_matching.store import store
from kgnb.agents.ontology_matching.summarise import summarise
from kgnb.agents.ontology_matching.validate import validate
from kgnb.agents.ontology_matching.values import MatchQuestion, Options, Summarised
from kgnb.errors import ConfigError
from kgnb.evaluate.alignment import Score, micro, non_trivial, score, scored_by_oaei, triples
from kgnb.judging import Cascade, Judge, Verdict
from kgnb.judging.named import reference_oracle
from kgnb.judging.question import estimate
from kgnb.llm.model import Reply, Request
from kgnb.reporting.ontology_matching.results import Ablated, Draw, PairOutcome, Prompts
from kgnb.vectors.embedder import Embedder
from kgnb.vectors.index import VectorIndex

NO_INGREDIENTS = ("bias", "rounds")  # the threshold, and the number of passes: not evidence
WHOLE = "nothing left out"
AGENT_OM = 12_130_000 / (2744 + 3304)
"""Tokens for each class of anatomy that Agent-OM's authors report with gpt-4o (PVLDB 18(3)): about 2,010."""
RATES = (0.0, 0.1, 0.2, 0.3)  # of the OAEI's interactive track
SHARES = (0.05, 0.1, 0.15, 0.2, 0.3, 0.5)  # questions, at most, for each source entity
SHARES_RATE = 0.1  # the error rate at which these are compared
WARNING = "SIMULATION: a judge that knows the reference answers what the rule judge leaves open"


class KnownVerdicts:
    """A judge that has judged these very questions already."""

    def __init__(self, judge: Judge[MatchQuestion], questions: Sequence[MatchQuestion]) -> None:
        self.name = judge.name
        self._verdicts = dict(zip([question.id for question in questions], judge.judge(questions), strict=True))

    def judge(self, questions: Sequence[MatchQuestion]) -> list[Verdict]:
        """The verdicts, in order."""
        return [self._verdicts[question.id] for question in questions]


@dataclass(frozen=True)
class Prepared:
    """A pair's questions, and what is needed to try judges on them."""

    outcome: PairOutcome
    summarised: Summarised
    options: Options

    @property
    def sources(self) -> int:
        """The number of source entities."""
        return len(self.summarised.described.of("source"))

    @cached_property
    def pairs(self) -> frozenset[tuple[str, str]]:
        """The pairs that the reference holds as equivalent."""
        return frozenset(triple[:2] for triple in self.outcome.right if triple[2] == "equivalent")

    @cached_property
    def rule(self) -> KnownVerdicts:
        """The rule judge; it judges these questions only once."""
        return KnownVerdicts(RuleJudge(), self.summarised.questions)

    def try_out(self, judge: Judge[MatchQuestion]) -> tuple[Score, Score]:
        """Validate with this judge and merge: the score, and that of the non-trivial part."""
        alignment = merge(validate(self.summarised, judge), options=self.options)
        found = scored_by_oaei(triples(alignment, *(sorted(self.outcome.relations) or ["equivalent"])))
        wanted = self.outcome.right
        return score(found, wanted), non_trivial(found, wanted, self.outcome.trivial)


def ingredients(weights: Weights = Weights()) -> Iterator[tuple[str, Weights]]:
    """Every ingredient's name, and the weights without it: numbers become 0, switches are turned off.

    Fields that are off anyway, or say ``metadata["ingredient"] = False``, are skipped.
    """
    for field in fields(weights):
        value = getattr(weights, field.name)
        listed = field.name not in NO_INGREDIENTS and field.metadata.get("ingredient", True)
        if listed and isinstance(value, bool | int | float) and value:
            without: dict[str, Any] = {field.name: type(value)(0)}
            yield field.name, replace(weights, **without)


def ablate(prepared: Prepared) -> list[Ablated]:
    """The pair with all ingredients, then without each."""
    tried = [Ablated(WHOLE, *prepared.try_out(prepared.rule))]
    return tried + [Ablated(name, *prepared.try_out(RuleJudge(weights))) for name, weights in ingredients()]


def summed(ablated: Sequence[Ablated]) -> list[tuple[str, Score, Score]]:
    """What was left out, the scores of all pairs added up, and those of their non-trivial parts."""
    groups: dict[str, list[Ablated]] = {}
    for one in ablated:
        groups.setdefault(one.without, []).append(one)
    return [(name, micro(one.whole for one in same), micro(one.part for one in same)) for name, same in groups.items()]


class NeverAsked:
    """A model whose prompts are counted and never sent."""

    name = "no model"

    def ask(self, request: Request) -> Reply:
        """Always refuses."""
        raise ConfigError("this model only counts prompts", fix="Set a model to ask one.")


def count_prompts(prepared: Prepared) -> list[Prompts]:
    """The prompts of the cascade, and of a model that is asked everything."""
    counted, options, entities = [], prepared.options, len(prepared.summarised.described.descriptions)
    for name in ("cascade", "model"):
        judge = make_judge(
            name, model=NeverAsked(), context=options.context, relations=options.relations, ask=options.ask
        )
        asked: Sequence[MatchQuestion] = prepared.summarised.questions
        if isinstance(judge, Cascade):
            judge = replace(judge, cheap=prepared.rule)
            asked, expected = judge.open(asked), judge.estimate(asked)
        else:
            expected = estimate(judge, asked)
        counted.append(Prompts(name, len(asked), expected, entities))
    return counted


@dataclass(frozen=True)
class AtRate:
    """One error rate over all pairs: means over the draws."""

    rate: float | None
    precision: float
    recall: float
    f1: float
    spread: float  # standard deviation of F1 over the draws
    non_trivial: float
    questions: float
    share: float  # questions, both sides', for every source entity
    draws: int


def simulate(prepared: Prepared, seeds: int) -> list[Draw]:
    """The rule judge alone, then every error rate, ``seeds`` times with other errors each."""
    alone = Draw(None, 0, *prepared.try_out(prepared.rule), sources=prepared.sources)
    return [alone, *(_draw(prepared, rate, seed) for rate in RATES for seed in range(seeds if rate else 1))]


def simulate_shares(prepared: Prepared, seeds: int) -> list[Draw]:
    """The cascade with more or fewer questions, all at one error rate."""
    return [_draw(prepared, SHARES_RATE, seed, ask) for ask, seed in product(SHARES, range(seeds))]


def _draw(prepared: Prepared, rate: float, seed: int, ask: float | None = None) -> Draw:
    oracle = reference_oracle(prepared.pairs, error_rate=rate, seed=seed)
    share = prepared.options.ask if ask is None else ask
    whole, part = prepared.try_out(after_the_rule(oracle, share, prepared.rule))
    return Draw(rate, seed, whole, part, oracle.asked, prepared.sources, ask)


def curve(draws: Sequence[Draw]) -> tuple[AtRate, ...]:
    """The draws of all pairs, by error rate."""
    rates = dict.fromkeys(draw.rate for draw in draws)
    return tuple(_average(rate, [draw for draw in draws if draw.rate == rate]) for rate in rates)


def by_share(draws: Sequence[Draw]) -> list[tuple[float | None, AtRate]]:
    """The draws at ``SHARES_RATE``, by how many questions could be asked."""
    asked = dict.fromkeys(draw.ask for draw in draws)
    return [(ask, _average(SHARES_RATE, [draw for draw in draws if draw.ask == ask])) for ask in asked]


def _average(rate: float | None, draws: Sequence[Draw]) -> AtRate:
    """Pairs are added up (micro) within a draw, draws are averaged."""
    rounds = [[draw for draw in draws if draw.seed == seed] for seed in sorted({draw.seed for draw in draws})]
    wholes = [micro(draw.whole for draw in one) for one in rounds]
    questions = fmean(sum(draw.questions for draw in one) for one in rounds)
    sources = sum(draw.sources for draw in rounds[0])
    return AtRate(
        rate=rate,
        precision=fmean(score.precision for score in wholes),
        recall=fmean(score.recall for score in wholes),
        f1=fmean(score.f1 for score in wholes),
        spread=pstdev(score.f1 for score in wholes),
        non_trivial=fmean(micro(draw.part for draw in one).f1 for one in rounds),
        questions=questions,
        share=questions / sources if sources else 0.0,
        draws=len(rounds),
    )


class Experiments(NamedTuple):
    """The results on one pair."""

    draws: Sequence[Draw] = ()
    shares: Sequence[Draw] = ()
    prompts: Sequence[Prompts] = ()
    ablated: Sequence[Ablated] = ()


def experiment(
    outcome: PairOutcome,
    options: Options,
    embedder: Embedder,
    index: VectorIndex,
    curves: bool,
    seeds: int,
    ablation: bool,
) -> Experiments:
    """The experiments that were asked for, from one preparation of the pair."""
    if not (curves or ablation):
        return Experiments()
    described = retrieve(outcome.source, outcome.target, options=options)  # vectors come from the run's index
    found = search(store(described, index, embedder), options=options)
    prepared = Prepared(outcome, summarise(found, options=options), options)
    ablated = ablate(prepared) if ablation else ()
    if not curves:
        return Experiments(ablated=ablated)
    draws, shares = simulate(prepared, seeds), simulate_shares(prepared, seeds)
    return Experiments(draws, shares, count_prompts(prepared), ablated)

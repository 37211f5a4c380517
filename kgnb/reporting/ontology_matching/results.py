"""The outcomes of all pairs together: scores over tasks, and the peers they are read beside."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from kgnb.agents.ontology_matching.values import Options
from kgnb.datasets.cases import Figure
from kgnb.evaluate.alignment import (
    Average,
    Point,
    Score,
    Triple,
    mean,
    micro,
    non_trivial,
    per_kind,
    per_relation,
    risk_coverage,
)
from kgnb.kg.ontology import Ontology
from kgnb.reporting.ontology_matching.experiments import Ablated, Draw, Prompts
from kgnb.reporting.ontology_matching.outcome import PairCost, PairOutcome
from kgnb.run import Run


@dataclass(frozen=True)
class MatchingResults:
    """Everything a report on ontology matching draws from."""

    task: str  # the data set, or what was matched
    outcomes: tuple[PairOutcome, ...]
    judge: str
    embedder: str
    options: Options
    run: Run
    peers: tuple[Figure, ...] = ()  # published results on the task
    simulation: str = ""  # what is simulated, if anything is
    notes: tuple[str, ...] = ()  # what must be said wherever the figures are shown
    draws: tuple[Draw, ...] = ()  # simulated errors, if asked for
    shares: tuple[Draw, ...] = ()  # the same with more or less asked
    prompts: tuple[Prompts, ...] = ()  # what a model would be sent, counted with them
    ablated: tuple[Ablated, ...] = ()  # ingredients left out, if asked for

    @property
    def matcher(self) -> str:
        """How figures of ours are labelled; a simulation says so wherever it is shown."""
        return f"kgnb, SIMULATION ({self.simulation})" if self.simulation else f"kgnb ({self.judge})"

    @cached_property
    def scored(self) -> tuple[PairOutcome, ...]:
        """The pairs that have a reference."""
        return tuple(outcome for outcome in self.outcomes if outcome.score is not None)

    @cached_property
    def scores(self) -> tuple[Score, ...]:
        """Their scores, in order."""
        return tuple(outcome.score for outcome in self.scored if outcome.score is not None)

    @cached_property
    def micro(self) -> Score:
        """All pairs as one task: the counts added up."""
        return micro(self.scores)

    @cached_property
    def mean(self) -> Average | None:
        """The average of the pairs' figures; None without a pair to average over."""
        return mean(self.scores) if self.scores else None

    @cached_property
    def non_trivial(self) -> Score:
        """Micro, without the pairs that share a label."""
        return micro(non_trivial(one.found, _wanted(one), one.trivial) for one in self.scored)

    @cached_property
    def per_kind(self) -> dict[str, Score]:
        """Micro, by the kind of the source entity."""
        return _added(per_kind(one.found, _wanted(one), one.kinds) for one in self.scored)

    @cached_property
    def per_relation(self) -> dict[str, Score]:
        """Micro, by relation."""
        return _added(per_relation(one.found, _wanted(one)) for one in self.scored)

    @cached_property
    def curve(self) -> list[Point]:
        """Risk, coverage and score over confidence, all pairs pooled."""
        found = [
            (triple, mapping.confidence)
            for one in self.scored
            for mapping in one.alignment
            if (triple := (mapping.source, mapping.target, mapping.relation)) in one.found
        ]
        return risk_coverage(found, (triple for one in self.scored for triple in _wanted(one)))

    @cached_property
    def cost(self) -> PairCost:
        """What all pairs took."""
        return sum((outcome.cost for outcome in self.outcomes), PairCost())

    @cached_property
    def ontologies(self) -> tuple[Ontology, ...]:
        """Every ontology once, in the order it was met."""
        met = {side.digest: side for outcome in self.outcomes for side in (outcome.source, outcome.target)}
        return tuple(met.values())


def _wanted(outcome: PairOutcome) -> frozenset[Triple]:
    return outcome.wanted.triples if outcome.wanted else frozenset()


def _added(groups: Iterable[Mapping[str, Score]]) -> dict[str, Score]:
    total: dict[str, Score] = {}
    for group in groups:
        for name, score in group.items():
            total[name] = total.get(name, Score(0, 0, 0)) + score
    return dict(sorted(total.items()))

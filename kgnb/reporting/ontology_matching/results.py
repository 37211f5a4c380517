"""The results of matching each pair of ontologies, and of all pairs together: scores, costs, other systems."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from kgnb.agents.ontology_matching.values import Options
from kgnb.datasets.published import Figure
from kgnb.evaluate.alignment import (
    Average,
    CurvePoint,
    Oriented,
    Score,
    Triple,
    mean,
    micro,
    non_trivial,
    per_kind,
    per_relation,
    risk_coverage,
    same_name,
    score,
    scored_by_oaei,
    triples,
)
from kgnb.judging.question import Estimate
from kgnb.kg.ontology import Entity, Ontology
from kgnb.mappings import Alignment
from kgnb.run import Run


@dataclass(frozen=True)
class PairCost:
    """What a pair took. Calls and tokens count cached replies too, so that they are the same in every run."""

    seconds: float = 0.0
    calls: int = 0
    cached: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    usd: float | None = None
    texts_embedded: int = 0  # texts whose vector had to be computed
    texts_reused: int = 0  # texts whose vector the cache had
    points_written: int = 0
    points: int = 0  # vectors the pair needed, written now or before

    @property
    def tokens(self) -> int:
        """All tokens."""
        return self.prompt_tokens + self.completion_tokens

    def __add__(self, other: PairCost) -> PairCost:
        numbers = {
            name: getattr(self, name) + getattr(other, name) for name in self.__dataclass_fields__ if name != "usd"
        }
        known = [cost.usd for cost in (self, other) if cost.usd is not None]
        return PairCost(**numbers, usd=sum(known) if known else None)


@dataclass(frozen=True)
class StoredAlignment:
    """One system's alignment of a pair, as the OAEI scores it, in the direction in which the ontologies are given."""

    system: str
    found: frozenset[Triple]


@dataclass(frozen=True)
class PairOutcome:
    """One pair: its ontologies, the alignment, the reference (None without one), and the cost."""

    name: str
    source: Ontology
    target: Ontology
    alignment: Alignment
    wanted: Oriented | None
    cost: PairCost
    simulated: int = 0  # questions a simulated judge answered from the reference
    published: Mapping[str, Any] = field(default_factory=dict)
    stored: tuple[StoredAlignment, ...] = ()  # other systems' alignments of the pair

    @property
    def right(self) -> frozenset[Triple]:
        """The mappings of the reference; empty without one."""
        return self.wanted.triples if self.wanted else frozenset()

    @cached_property
    def relations(self) -> frozenset[str]:
        """The relations that occur in the reference; other mappings are not scored."""
        return frozenset(triple[2] for triple in self.right)

    @cached_property
    def found(self) -> frozenset[Triple]:
        """The mappings that are scored: no owl:Thing, no relation that the reference never uses."""
        return scored_by_oaei(triples(self.alignment, *(sorted(self.relations) or ["equivalent"])))

    @cached_property
    def score(self) -> Score | None:
        """True positives, false positives and misses; None without a reference."""
        return score(self.found, self.right) if self.wanted else None

    @cached_property
    def trivial(self) -> Callable[[str, str], bool]:
        """Whether two entities share a label, or a local name where they have no label."""
        return same_name({entity.iri: names(entity) for side in (self.source, self.target) for entity in side})

    @cached_property
    def kinds(self) -> dict[str, str]:
        """The kind of every source entity."""
        return {entity.iri: entity.kind for entity in self.source}


def names(entity: Entity) -> list[str]:
    """An entity's labels, or its local name where it has none: what a string matcher would compare."""
    return [label.text for label in entity.labels] or [entity.local_name]


@dataclass(frozen=True)
class Ablated:
    """One pair without one ingredient (``WHOLE``: with all of them)."""

    without: str
    whole: Score
    part: Score


@dataclass(frozen=True)
class Prompts:
    """The prompts one judge would send for one pair, and the number of entities of both sides."""

    judge: str
    questions: int
    expected: Estimate
    entities: int


@dataclass(frozen=True)
class Draw:
    """One pair, one error rate (None: nobody is asked), one random choice of the wrong answers."""

    rate: float | None
    seed: int
    whole: Score
    part: Score
    questions: int = 0
    sources: int = 0
    ask: float | None = None  # how much could be asked; None: as the options say


@dataclass(frozen=True)
class MatchingResults:
    """Everything the report shows."""

    task: str  # the data set, or what was matched
    outcomes: tuple[PairOutcome, ...]
    judge: str
    embedder: str
    options: Options
    run: Run
    peers: tuple[Figure, ...] = ()  # published results on the task
    simulation: str = ""  # what is simulated, if anything
    notes: tuple[str, ...] = ()  # shown below the figures
    draws: tuple[Draw, ...] = ()  # simulated errors, if asked for
    shares: tuple[Draw, ...] = ()  # the same with more or less asked
    prompts: tuple[Prompts, ...] = ()  # what a model would be sent, counted with them
    ablated: tuple[Ablated, ...] = ()  # ingredients left out, if asked for

    @property
    def matcher(self) -> str:
        """The label of our figures; a simulation is named wherever it is shown."""
        return f"kgnb, SIMULATION ({self.simulation})" if self.simulation else f"kgnb ({self.judge})"

    def labelled(self, text: str) -> str:
        """A caption, marked if anything is simulated."""
        return f"SIMULATION ({self.simulation}). {text}".strip() if self.simulation else text

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
        return micro(non_trivial(one.found, one.right, one.trivial) for one in self.scored)

    @cached_property
    def per_kind(self) -> dict[str, Score]:
        """Micro, by the kind of the source entity."""
        return _added(per_kind(one.found, one.right, one.kinds) for one in self.scored)

    @cached_property
    def per_relation(self) -> dict[str, Score]:
        """Micro, by relation."""
        return _added(per_relation(one.found, one.right) for one in self.scored)

    @cached_property
    def curve(self) -> list[CurvePoint]:
        """Risk, coverage and score over confidence, all pairs pooled."""
        found = [
            (triple, mapping.confidence)
            for one in self.scored
            for mapping in one.alignment
            if (triple := (mapping.source, mapping.target, mapping.relation)) in one.found
        ]
        return risk_coverage(found, (triple for one in self.scored for triple in one.right))

    @cached_property
    def cost(self) -> PairCost:
        """The cost of all pairs."""
        return sum((outcome.cost for outcome in self.outcomes), PairCost())

    @cached_property
    def ontologies(self) -> tuple[Ontology, ...]:
        """Every ontology once, in the order of the pairs."""
        return tuple({side.digest: side for one in self.outcomes for side in (one.source, one.target)}.values())


def shares(score: Score | Average | Figure) -> tuple[float, float, float]:
    """Precision, recall and F1."""
    return score.precision, score.recall, score.f1


def _added(groups: Iterable[Mapping[str, Score]]) -> dict[str, Score]:
    total: dict[str, Score] = {}
    for name, one in (item for group in groups for item in group.items()):
        total[name] = total.get(name, Score()) + one
    return dict(sorted(total.items()))

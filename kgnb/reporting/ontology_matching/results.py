"""The results of matching each pair of ontologies, and of all pairs together: scores, costs, other
systems.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from kgnb.agents.ontology_matching.values import Options
from kgnb.datasets.published import MatchingFigure
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
from kgnb.kg.ontology import Ontology
from kgnb.mappings import Alignment
from kgnb.reporting.sections import Cost
from kgnb.run import Run

WITHOUT_MODEL = {"rule": "the rule alone", "first": "the first candidate of each"}
"""What a model has to be better than: judges that ask nobody, and their words."""


@dataclass(frozen=True)
class PairOutcome:
    """One pair: its ontologies, the alignment, the reference (None without one), and the cost."""

    name: str
    source: Ontology
    target: Ontology
    alignment: Alignment
    wanted: Oriented | None
    cost: Cost
    unasked: Mapping[str, Score] = field(
        default_factory=dict
    )  # of the judges in ``WITHOUT_MODEL``, where a model was asked
    simulated: int = 0  # questions a simulated judge answered from the reference
    published: Mapping[str, MatchingFigure] = field(default_factory=dict)
    stored: Mapping[str, frozenset[Triple]] = field(
        default_factory=dict
    )  # other systems' mappings, as the OAEI scores

    @property
    def right(self) -> frozenset[Triple]:
        """The mappings of the reference; empty without one."""
        return self.wanted.triples if self.wanted else frozenset()

    @cached_property
    def relations(self) -> list[str]:
        """The relations that are scored: those that occur in the reference."""
        return sorted({triple[2] for triple in self.right}) or ["equivalent"]

    @cached_property
    def found(self) -> frozenset[Triple]:
        """The mappings that are scored: no owl:Thing, no relation that the reference never uses."""
        return scored_by_oaei(triples(self.alignment, *self.relations))

    @cached_property
    def score(self) -> Score | None:
        """True positives, false positives and misses; None without a reference."""
        return score(self.found, self.right) if self.wanted else None

    @cached_property
    def trivial(self) -> Callable[[str, str], bool]:
        """Whether two entities share a label, or a local name where they have no label."""
        entities = (*self.source, *self.target)
        return same_name(
            {one.iri: [label.text for label in one.labels] or [one.local_name] for one in entities}
        )


@dataclass(frozen=True)
class MatchingResults:
    """Everything the report shows."""

    task: str  # the data set, or what was matched
    outcomes: tuple[PairOutcome, ...]
    judge: str
    embedder: str
    options: Options
    run: Run
    peers: tuple[MatchingFigure, ...] = ()  # published results on the task
    simulation: str = ""  # what is simulated, if anything
    notes: tuple[str, ...] = ()  # shown below the figures
    about_papers: bool = False  # whether a paper's costs, on other data, stand beside ours

    @property
    def matcher(self) -> str:
        """The label of our figures; a simulation is named wherever it is shown."""
        return (
            f"kgnb, SIMULATION ({self.simulation})" if self.simulation else f"kgnb ({self.judge})"
        )

    def labelled(self, text: str) -> str:
        """A caption, marked if anything is simulated."""
        return f"SIMULATION ({self.simulation}). {text}".strip() if self.simulation else text

    @cached_property
    def scored(self) -> tuple[PairOutcome, ...]:
        """The pairs that have a reference."""
        return tuple(outcome for outcome in self.outcomes if outcome.wanted)

    @cached_property
    def scores(self) -> tuple[Score, ...]:
        """Their scores, in order."""
        return tuple(outcome.score for outcome in self.scored if outcome.score is not None)

    @cached_property
    def micro(self) -> Score:
        """All pairs as one task: the counts added up."""
        return micro(self.scores)

    @cached_property
    def unasked(self) -> dict[str, Score]:
        """The judges without a model on all pairs, micro; empty where no model was asked."""
        if not all(one.unasked for one in self.scored):
            return {}
        return {judge: micro(one.unasked[judge] for one in self.scored) for judge in WITHOUT_MODEL}

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
        kinds = ({entity.iri: entity.kind for entity in one.source} for one in self.scored)
        return _added(
            per_kind(one.found, one.right, each)
            for one, each in zip(self.scored, kinds, strict=True)
        )

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
    def cost(self) -> Cost:
        """The cost of all pairs."""
        return sum((outcome.cost for outcome in self.outcomes), Cost())

    @cached_property
    def ontologies(self) -> tuple[Ontology, ...]:
        """Every ontology once, in the order of the pairs."""
        return tuple(
            {
                side.digest: side for one in self.outcomes for side in (one.source, one.target)
            }.values()
        )


def shares(score: Score | Average | MatchingFigure) -> tuple[float, float, float]:
    """Precision, recall and F1."""
    return score.precision, score.recall, score.f1


def _added(groups: Iterable[Mapping[str, Score]]) -> dict[str, Score]:
    total: dict[str, Score] = {}
    for name, one in (item for group in groups for item in group.items()):
        total[name] = total.get(name, Score()) + one
    return dict(sorted(total.items()))

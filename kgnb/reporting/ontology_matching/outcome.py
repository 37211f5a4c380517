"""What matching one pair of ontologies came to, and how it compares with the reference."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from kgnb.evaluate.alignment import (
    Oriented,
    Score,
    Triple,
    same_name,
    score,
    scored_by_oaei,
    triples,
)
from kgnb.kg.ontology import Entity, Ontology
from kgnb.mappings import Alignment


@dataclass(frozen=True)
class PairCost:
    """What something took. Calls and tokens count cached replies too, so they are the same when it is run again."""

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
    """One system's alignment of a pair, as the OAEI scores it and turned the way the ontologies are given."""

    system: str
    found: frozenset[Triple]


@dataclass(frozen=True)
class PairOutcome:
    """One pair: its ontologies, what was found, what was wanted (None without a reference), and what it took."""

    name: str
    source: Ontology
    target: Ontology
    alignment: Alignment
    wanted: Oriented | None
    cost: PairCost
    simulated: int = 0  # questions a simulated judge answered from the reference
    published: Mapping[str, Any] = field(default_factory=dict)
    stored: tuple[StoredAlignment, ...] = ()  # other systems' alignments of the pair

    @cached_property
    def relations(self) -> frozenset[str]:
        """The relations the reference has examples of; mappings of others are not scored."""
        return frozenset(triple[2] for triple in self.wanted.triples) if self.wanted else frozenset()

    @cached_property
    def found(self) -> frozenset[Triple]:
        """What was found and is scored: no owl:Thing, no relation the reference never uses."""
        return scored_by_oaei(triples(self.alignment, *(sorted(self.relations) or ["equivalent"])))

    @cached_property
    def score(self) -> Score | None:
        """True and false positives and misses; None without a reference."""
        return score(self.found, self.wanted.triples) if self.wanted else None

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

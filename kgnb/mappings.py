"""Mappings between two ontologies or graphs, and alignments made of them; files in and out live in ``mapping_files``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal as OneOf

Relation = OneOf["equivalent", "broader", "narrower", "related", "different", "unsure"]
"""What the *target* is to the source: "broader" means source is a kind of target (skos:broadMatch)."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """One reason for a mapping: what kind of reason, how strong (0 to 1, or None) and the texts compared."""

    kind: str  # e.g. "syntactic rank", "exact label", "shared parents", "verdict"
    text: str
    score: float | None = None


@dataclass(frozen=True, slots=True)
class Mapping:
    """One correspondence between an entity of the source and one of the target."""

    source: str  # IRI
    target: str  # IRI
    relation: Relation = "equivalent"
    confidence: float = 1.0
    kind: str = "class"
    source_label: str = ""
    target_label: str = ""
    justification: str = "semapv:CompositeMatching"  # SSSOM mapping_justification
    judged_by: str = ""
    rationale: str = ""
    evidence: tuple[Evidence, ...] = ()

    @property
    def pair(self) -> tuple[str, str]:
        """Source and target IRI."""
        return (self.source, self.target)


@dataclass(frozen=True, slots=True)
class Dropped:
    """A mapping that was considered and left out, and why."""

    mapping: Mapping
    reason: str


@dataclass(frozen=True)
class Alignment:
    """The mappings between a source and a target, sorted; what was dropped on the way, and what waits for a person."""

    mappings: tuple[Mapping, ...]
    source: str = ""  # IRI of the source ontology
    target: str = ""
    dropped: tuple[Dropped, ...] = ()
    unsure: tuple[Mapping, ...] = ()
    notes: tuple[str, ...] = field(default=())

    def __len__(self) -> int:
        return len(self.mappings)

    def __iter__(self) -> Iterator[Mapping]:
        return iter(self.mappings)

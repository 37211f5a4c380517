"""The frozen values that pass between the stages of ontology matching, and its options."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from typing import Literal as OneOf

from kgnb.judging import Option, Verdict
from kgnb.kg.ontology import Entity, Kind, Ontology
from kgnb.mappings import Evidence

View = OneOf["syntactic", "lexical", "semantic"]
VIEWS: tuple[View, ...] = ("syntactic", "lexical", "semantic")
Side = OneOf["source", "target"]


@dataclass(frozen=True)
class Options:
    """What a person may turn. ``metadata["help"]`` and the bounds feed ``--form``, ``--help`` and the report."""

    k: int = field(
        default=10, metadata={"help": "candidates kept per entity and view (paper: k = 3)", "min": 1, "max": 50}
    )
    fusion_constant: float = field(
        default=0.0,
        metadata={"help": "c in 1 / (c + rank) of reciprocal rank fusion (paper: 0)", "min": 0.0, "max": 100.0},
    )
    similarity: float | None = field(
        default=None,
        metadata={
            "help": "cosine below which a candidate is dropped; none: calibrated per embedder and view (paper: 0.90)",
            "min": 0.0,
            "max": 1.0,
        },
    )
    confidence: float = field(
        default=0.5, metadata={"help": "mappings below this confidence are dropped", "min": 0.0, "max": 1.0}
    )
    cardinality: str = field(
        default="1:1", metadata={"help": "how often an entity may be mapped", "choices": ("1:1", "n:m")}
    )
    individuals: bool = field(default=False, metadata={"help": "match individuals as well"})
    context: str = field(default="", metadata={"help": "what the ontologies are about, in a few words"})
    seed: int = field(default=0, metadata={"help": "seed of everything random"})


@dataclass(frozen=True, slots=True)
class Description:
    """An entity as the matcher sees it: its names and its three views."""

    side: Side
    iri: str
    kind: Kind
    name: str  # the name a person would read
    names: tuple[str, ...]  # every name, normalised; the first is the syntactic view
    lexical: tuple[str, ...]  # what it means, one text a passage
    semantic: str  # its axioms, verbalised

    def texts(self, view: View) -> tuple[str, ...]:
        """The texts of one view, to be embedded one by one."""
        if view == "syntactic":
            return self.names
        return self.lexical if view == "lexical" else ((self.semantic,) if self.semantic else ())


@dataclass(frozen=True)
class Described:
    """What ``retrieve`` gives: both ontologies described."""

    source: Ontology
    target: Ontology
    descriptions: tuple[Description, ...]  # source first, each side in its ontology's order

    def of(self, side: Side) -> tuple[Description, ...]:
        """The descriptions of one side."""
        return tuple(description for description in self.descriptions if description.side == side)


@dataclass(frozen=True, slots=True)
class Ranked:
    """One candidate for one entity in one view: 1-based rank (ties share it) and cosine."""

    source: str
    target: str
    kind: Kind
    view: View | OneOf["exact"]
    direction: Side  # which side asked
    rank: int
    score: float


@dataclass(frozen=True)
class Candidate:
    """One pair after fusion: its fused score, the rankings it came from, and what speaks for it."""

    source: str
    target: str
    kind: Kind
    score: float  # reciprocal rank fusion
    rank: int  # within the candidates of the entity that asked; equal scores share a rank
    rankings: tuple[Ranked, ...]
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True)
class MatchQuestion:
    """Which of the candidates, if any, means the same as this entity?"""

    direction: Side  # the side ``about`` is on
    about: Description
    candidates: tuple[Candidate, ...]
    others: tuple[Description, ...]  # the candidates' descriptions, in the same order
    context: str = ""

    @property
    def id(self) -> str:
        """Digest of the texts on both sides and the context."""
        return hashlib.sha256(
            json.dumps([self.context, self.text, [o.text for o in self.options]]).encode()
        ).hexdigest()[:16]

    @property
    def text(self) -> str:
        """The entity's description."""
        return describe(self.about)

    @property
    def options(self) -> tuple[Option, ...]:
        """One option a candidate: its IRI and description."""
        return tuple(Option(other.iri, describe(other)) for other in self.others)


@dataclass(frozen=True)
class Judged:
    """A question and the verdict on it."""

    question: MatchQuestion
    verdict: Verdict


def describe(description: Description) -> str:
    """An entity in a few lines, for a person or a model to read."""
    lines = [f"{description.kind} {description.name}"]
    lines += [f"also called: {', '.join(description.names[1:6])}"] if len(description.names) > 1 else []
    lines += [text for text in description.lexical[:2] if text not in description.names]
    lines += [description.semantic] if description.semantic else []
    return "\n".join(lines)

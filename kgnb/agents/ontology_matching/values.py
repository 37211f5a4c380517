"""The frozen values that pass between the stages of ontology matching, and its options."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias
from typing import Literal as OneOf

from kgnb.agents.ontology_matching import tables
from kgnb.judging import Option, Verdict
from kgnb.kg.ontology import Entity, Kind, Ontology
from kgnb.mappings import Evidence
from kgnb.vectors.calibration import Calibration
from kgnb.vectors.index import VectorIndex

View = OneOf["syntactic", "lexical", "semantic"]
VIEWS: tuple[View, ...] = ("syntactic", "lexical", "semantic")
Side = OneOf["source", "target"]
Key: TypeAlias = tuple[str, Kind]  # one IRI may be a class and a property at once
Pair: TypeAlias = tuple[str, str, Kind]  # source IRI, target IRI

KINDS: tuple[Kind, ...] = ("class", "object property", "datatype property", "annotation property", "individual")


@dataclass(frozen=True)
class Options:
    """What a person may turn. ``metadata["help"]`` and the bounds feed ``--form``, ``--help`` and the report."""

    k: int = field(
        default=5, metadata={"help": "candidates kept per entity and view (paper: k = 3)", "min": 1, "max": 50}
    )
    fusion_constant: float = field(
        default=0.0,
        metadata={"help": "c in 1 / (c + rank), reciprocal rank fusion (paper: 0)", "min": 0.0, "max": 100.0},
    )
    similarity: float | None = field(
        default=None,
        metadata={
            "help": "cosine below which a candidate is dropped; none: calibrated per view (paper: 0.90)",
            "min": 0.0,
            "max": 1.0,
        },
    )
    confidence: float = field(
        default=0.5, metadata={"help": "mappings below this confidence are dropped", "min": 0.0, "max": 1.0}
    )
    one_sided: float = field(
        default=0.7,
        metadata={
            "help": "confidence a mapping found from one side only needs (paper: drops all)",
            "min": 0.0,
            "max": 1.0,
        },
    )
    cardinality: str = field(
        default="1:1", metadata={"help": "how often an entity may be mapped", "choices": ("1:1", "n:m")}
    )
    ask: float = field(
        default=0.15,
        metadata={"help": "questions a model is asked in a cascade, for each source entity", "min": 0.0, "max": 2.0},
    )
    relations: bool = field(
        default=False, metadata={"help": "offer broader and narrower classes as well, read off their names"}
    )
    individuals: bool = field(default=False, metadata={"help": "match individuals as well"})
    define: bool = field(
        default=False, metadata={"help": "let the model write definitions that are missing (costs calls)"}
    )
    context: str = field(default="", metadata={"help": "what the ontologies are about, in a few words"})

    def __post_init__(self) -> None:
        if self.k < 1:
            raise ValueError(f"k is {self.k}: at least one candidate is needed")
        if self.cardinality not in ("1:1", "n:m"):
            raise ValueError(f"cardinality is {self.cardinality!r}: choose 1:1 or n:m")
        for name in ("similarity", "confidence", "one_sided"):
            value = getattr(self, name)
            if value is not None and not 0.0 <= value <= 1.0:
                raise ValueError(f"{name} is {value}: it lies between 0 and 1")
        if not 0.0 <= self.ask <= 2.0:
            raise ValueError(f"ask is {self.ask}: it lies between 0 and 2, as both sides' entities may be asked about")
        if self.fusion_constant < 0:
            raise ValueError(f"fusion_constant is {self.fusion_constant}: 0 or more")


@dataclass(frozen=True)
class Description:
    """An entity as the matcher sees it: its names and its three views."""

    side: Side
    entity: Entity
    name: str  # the name a person would read
    syntactic: str  # that name, as plain words
    lexical: tuple[str, ...]  # other names and what it means, one passage each
    semantic: str  # its axioms, verbalised
    names: tuple[tuple[str, ...], ...]  # words of every name: own names first, then synonyms
    synonyms_from: int  # index in ``names`` of the first synonym
    told: tuple[str, ...] = ()  # the passages of ``lexical`` that say what it means
    related: tuple[str, ...] = ()  # plain-word names of the entities its axioms mention

    @property
    def iri(self) -> str:
        """The entity's IRI."""
        return self.entity.iri

    @property
    def kind(self) -> Kind:
        """Class, property or individual."""
        return self.entity.kind

    @property
    def key(self) -> Key:
        """IRI and kind, which together name the entity."""
        return (self.entity.iri, self.entity.kind)

    def texts(self, view: View) -> tuple[str, ...]:
        """The texts of one view."""
        if view == "syntactic":
            return (self.syntactic,) if self.syntactic else ()
        return self.lexical if view == "lexical" else ((self.semantic,) if self.semantic else ())

    @cached_property
    def in_short(self) -> str:
        """The entity in a few lines, for a person or a model to read."""
        return "\n".join([f"{self.kind}: {self.name}", *self._told(synonyms=5, length=240)])

    @cached_property
    def as_option(self) -> str:
        """The entity beside others of its kind to choose from: shorter, as a sheet shows many of them."""
        return "\n".join([self.name, *self._told(synonyms=3, length=90)])

    def _told(self, synonyms: int, length: int) -> list[str]:
        """What else it is called, what it means and what its axioms say, each on a line and cut to ``length``."""
        others = dict.fromkeys(" ".join(name) for name in self.names)
        others.pop(self.syntactic, None)
        lines = ["also called: " + ", ".join(list(others)[:synonyms])] if others else []
        lines += [_cut(text.text, length) for text in (*self.entity.definitions, *self.entity.comments)[:1]]
        return [*lines, _cut(self.semantic, length)] if self.semantic else lines


@dataclass(frozen=True)
class Described:
    """What ``retrieve`` gives: both ontologies described."""

    source: Ontology
    target: Ontology
    descriptions: tuple[Description, ...]  # source first, each side in its ontology's order

    def of(self, side: Side) -> tuple[Description, ...]:
        """The descriptions of one side."""
        return self._sides[side]

    @cached_property
    def _sides(self) -> dict[Side, tuple[Description, ...]]:
        return {
            "source": tuple(d for d in self.descriptions if d.side == "source"),
            "target": tuple(d for d in self.descriptions if d.side == "target"),
        }

    @cached_property
    def _by_key(self) -> dict[tuple[Side, Key], Description]:
        return {(d.side, d.key): d for d in self.descriptions}

    def find(self, side: Side, iri: str, kind: Kind) -> Description:
        """The description of one entity; KeyError if there is none."""
        return self._by_key[side, (iri, kind)]

    def counts(self) -> dict[str, int]:
        """Entities a side, and how they are called."""
        return {
            "source entities": len(self.of("source")),
            "target entities": len(self.of("target")),
            "names": sum(len(d.names) for d in self.descriptions),
            "with a definition": sum(bool(d.entity.definitions or d.entity.comments) for d in self.descriptions),
        }

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return tables.described(self)._repr_mimebundle_(include, exclude)


@dataclass(frozen=True)
class Stored:
    """What ``store`` gives: where each side's vectors lie, and what that took."""

    described: Described
    embedder: str
    index: str
    collections: tuple[str, str]  # of the source, of the target
    points: int
    written: int  # points that were not there yet
    computed: int  # texts embedded now
    reused: int  # texts whose vector the cache had
    vectors: VectorIndex = field(repr=False, compare=False)  # the open index, for ``search``

    def counts(self) -> dict[str, int]:
        """Points and embeddings."""
        return {"points": self.points, "written": self.written, "embedded": self.computed, "from cache": self.reused}

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return tables.stored(self)._repr_mimebundle_(include, exclude)


@dataclass(frozen=True, slots=True)
class Ranked:
    """One candidate for one entity in one view: 1-based rank (equal scores share it) and cosine."""

    source: str
    target: str
    kind: Kind
    view: str  # a View, or "exact" for an equal name
    direction: Side  # the side that asked
    rank: int
    score: float

    @property
    def pair(self) -> Pair:
        """Source, target and kind."""
        return (self.source, self.target, self.kind)


class Cosines(NamedTuple):
    """How near two entities are, view by view; ``meaning`` compares definitions alone, None where a side has none."""

    syntactic: float
    lexical: float
    semantic: float
    meaning: float | None = None


@dataclass(frozen=True)
class Found:
    """What ``search`` gives: every entity's candidates in every view, and how each view was calibrated."""

    described: Described
    rankings: tuple[Ranked, ...]
    cosines: Mapping[Pair, Cosines] = field(repr=False)  # of every candidate pair
    calibrations: tuple[tuple[str, Calibration], ...] = ()

    def counts(self) -> dict[str, int]:
        """Candidates by view."""
        views: dict[str, int] = {}
        for ranked in self.rankings:
            views[ranked.view] = views.get(ranked.view, 0) + 1
        return {
            "pairs": len(self.cosines),
            **{f"{view} hits": views[view] for view in ("exact", *VIEWS) if view in views},
        }

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return tables.found(self)._repr_mimebundle_(include, exclude)


@dataclass(frozen=True)
class Candidate:
    """One pair after fusion, seen from the entity that asked."""

    source: str
    target: str
    kind: Kind
    score: float  # reciprocal rank fusion
    rank: int  # among that entity's candidates; equal scores share a rank
    cosines: Cosines
    evidence: tuple[Evidence, ...] = ()

    @property
    def pair(self) -> Pair:
        """Source, target and kind."""
        return (self.source, self.target, self.kind)


@dataclass(frozen=True)
class MatchQuestion:
    """Which of the candidates, if any, means the same as this entity?"""

    side: Side  # the side ``about`` is on; the candidates are on the other
    about: Description
    candidates: tuple[Candidate, ...]
    others: tuple[Description, ...]  # the candidates' descriptions, in the same order
    context: str = ""

    @cached_property
    def id(self) -> str:
        """Digest of the side, the texts and the context."""
        said = [self.side, self.context, self.about.iri, self.text, [[o.id, o.text] for o in self.options]]
        return hashlib.sha256(json.dumps(said).encode()).hexdigest()[:16]

    @property
    def text(self) -> str:
        """The entity's description."""
        return self.about.in_short

    @property
    def options(self) -> tuple[Option, ...]:
        """One option a candidate: its IRI and description."""
        return tuple(Option(other.iri, other.as_option) for other in self.others)


@dataclass(frozen=True)
class Summarised:
    """What ``summarise`` gives: one question an entity that has candidates, its candidates ranked."""

    described: Described
    questions: tuple[MatchQuestion, ...]

    def counts(self) -> dict[str, int]:
        """Questions a side and candidates in all."""
        return {
            "questions": len(self.questions),
            "candidates": sum(len(question.candidates) for question in self.questions),
            "entities without candidates": len(self.described.descriptions) - len(self.questions),
        }

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return tables.summarised(self)._repr_mimebundle_(include, exclude)


@dataclass(frozen=True)
class Judged:
    """A question and the verdict on it."""

    question: MatchQuestion
    verdict: Verdict


@dataclass(frozen=True)
class Validated:
    """What ``validate`` gives: a verdict on every question."""

    described: Described
    judged: tuple[Judged, ...]
    judge: str

    def counts(self) -> dict[str, int]:
        """Verdicts by decision."""
        found: dict[str, int] = {"questions": len(self.judged)}
        for decision in sorted({one.verdict.decision for one in self.judged}):
            found[decision] = sum(one.verdict.decision == decision for one in self.judged)
        if remembered := sum(one.verdict.remembered for one in self.judged):
            found["from memory"] = remembered
        return found

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return tables.validated(self)._repr_mimebundle_(include, exclude)


def _cut(text: str, length: int) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= length else plain[: length - 1].rstrip() + "…"

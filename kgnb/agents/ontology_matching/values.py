"""The frozen values that pass between the stages of ontology matching, and its options."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal as OneOf
from typing import NamedTuple, TypeAlias

from kgnb.agents.options import Field, options
from kgnb.judging import Option, Verdict
from kgnb.kg.ontology import Entity, Kind, Ontology
from kgnb.mappings import Evidence
from kgnb.results.bundle import Shown
from kgnb.vectors.index import VectorIndex

View = OneOf["syntactic", "lexical", "semantic"]
VIEWS: tuple[View, ...] = ("syntactic", "lexical", "semantic")
Side = OneOf["source", "target"]
Key: TypeAlias = tuple[str, Kind]  # one IRI may be a class and a property at once
Pair: TypeAlias = tuple[str, str, Kind]  # source IRI, target IRI

IN_FULL = 3  # candidates of a question that are described in full
_SENTENCE = re.compile(r"(?<=[.!?。])(?=\s+[A-Z\d\"“(¿¡]|\s*$|(?<=。))")

KINDS: tuple[Kind, ...] = ("class", "object property", "datatype property", "annotation property", "individual")


@options
class Options:
    """What a person may turn; bounds and descriptions feed ``--form``, ``--help``, the command line and the report."""

    k: int = Field(default=5, ge=1, le=50, description="candidates kept per entity and view (paper: k = 3)")
    fusion_constant: float = Field(
        default=0.0, ge=0.0, le=100.0, description="c in 1 / (c + rank), reciprocal rank fusion (paper: 0)"
    )
    similarity: float | None = Field(
        default=None,
        ge=0.0,
        le=1.0,
        description="cosine below which a candidate is dropped; none: calibrated per view (paper: 0.90)",
    )
    confidence: float = Field(default=0.5, ge=0.0, le=1.0, description="mappings below this confidence are dropped")
    one_sided: float = Field(
        default=0.7,
        ge=0.0,
        le=1.0,
        description="confidence a mapping found from one side only needs (paper: drops all)",
    )
    cardinality: OneOf["1:1", "n:m"] = Field(default="1:1", description="how often an entity may be mapped")
    ask: float = Field(
        default=0.2,
        ge=0.0,
        le=2.0,
        description="questions a model is asked in a cascade, for each source entity (of up to 50: 1)",
    )
    relations: bool = Field(
        default=False, description="offer broader and narrower classes as well, read off their names"
    )
    individuals: bool = Field(default=False, description="match individuals as well")
    define: bool = Field(default=False, description="let the model write definitions that are missing (costs calls)")
    context: str = Field(default="", description="what the ontologies are about, in a few words")


@dataclass(frozen=True)
class Description:
    """An entity as the matcher sees it: its names and its three views."""

    side: Side
    entity: Entity
    name: str  # the name a person would read
    syntactic: str  # that name, as plain words
    lexical: tuple[str, ...]  # other names and what it means, one passage each
    axioms: tuple[
        tuple[str, str], ...
    ]  # what its axioms say, verbalised: the sort (parents, domain, ...) and the words
    names: tuple[tuple[str, ...], ...]  # words of every name: own names first, then synonyms
    spelled: tuple[str, ...]  # the same names as they are written
    synonyms_from: int  # index in ``names`` of the first synonym
    told: tuple[str, ...] = ()  # what it is said to mean, in its name's language first
    gists: tuple[str, ...] = ()  # the passages of ``lexical`` that say so, each no more than a sentence
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

    @property
    def semantic(self) -> str:
        """Its axioms, verbalised."""
        return "; ".join(text for _, text in self.axioms)

    @cached_property
    def in_short(self) -> str:
        """The entity in a few lines, for a person or a model to read."""
        return "\n".join([f"{self.name} ({self.kind})", *self._told(synonyms=5, meaning=600, length=1000)])

    @cached_property
    def as_option(self) -> str:
        """The entity beside others of its kind to choose from: shorter, as a sheet shows many of them."""
        return "\n".join([self.name, *self._told(synonyms=3, meaning=200, length=360, without=("disjoint",))])

    @cached_property
    def as_listed(self) -> str:
        """The entity far down a list: its name and where it stands."""
        shown = [text for sort, text in self.axioms if sort in ("parents", "domain", "range")]
        return "\n".join([self.name, *_whole(shown, 160)])

    @cached_property
    def also_called(self) -> tuple[str, ...]:
        """Its other names, as they are written, each once."""
        written = {words: text for words, text in zip(reversed(self.names), reversed(self.spelled), strict=True)}
        return tuple(text for words, text in reversed(written.items()) if " ".join(words) != self.syntactic)

    def _told(self, synonyms: int, meaning: int, length: int, without: tuple[str, ...] = ()) -> list[str]:
        """What else it is called, what it means and what its axioms say: each on a line, and whole."""
        others = [text for text in self.also_called if len(text) <= 80]
        lines = ["also called: " + ", ".join(others[:synonyms])] if others else []
        lines += [f"means: {sentences(text, meaning)}" for text in self.told[:1]]
        return _whole([*lines, *(text for sort, text in self.axioms if sort not in without)], length)


@dataclass(frozen=True)
class Described(Shown):
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


@dataclass(frozen=True)
class Stored(Shown):
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
class Found(Shown):
    """What ``search`` gives: every entity's candidates in every view, and each view's floor."""

    described: Described
    rankings: tuple[Ranked, ...]
    cosines: Mapping[Pair, Cosines] = field(repr=False)  # of every candidate pair
    floors: tuple[tuple[str, float], ...] = ()  # the cosine that 95 % of random pairs lie below

    def counts(self) -> dict[str, int]:
        """Candidates by view."""
        views: dict[str, int] = {}
        for ranked in self.rankings:
            views[ranked.view] = views.get(ranked.view, 0) + 1
        return {
            "pairs": len(self.cosines),
            **{f"{view} hits": views[view] for view in ("exact", *VIEWS) if view in views},
        }


@dataclass(frozen=True, slots=True)
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
    matched: tuple[str, ...] = ()  # neighbours of ``about`` whose counterparts are known, in words

    @cached_property
    def id(self) -> str:
        """Digest of the side, the texts and the context."""
        said = [self.side, self.context, self.about.iri, self.text, [[o.id, o.text] for o in self.options]]
        return hashlib.sha256(json.dumps(said).encode()).hexdigest()[:16]

    @property
    def text(self) -> str:
        """The entity's description."""
        matched = [f"already matched: {', '.join(self.matched)}"] if self.matched else []
        return "\n".join([self.about.in_short, *matched])

    @property
    def options(self) -> tuple[Option, ...]:
        """One option a candidate: its IRI and description, shorter from the fourth on."""
        return tuple(
            Option(other.iri, other.as_option if number < IN_FULL else other.as_listed)
            for number, other in enumerate(self.others)
        )

    def ends(self) -> Iterator[tuple[Candidate, Description, Description]]:
        """Each candidate, and the pair's descriptions, source and target."""
        for candidate, other in zip(self.candidates, self.others, strict=True):
            yield (candidate, self.about, other) if self.side == "source" else (candidate, other, self.about)

    def narrowed(self, kept: Sequence[int], matched: Sequence[str] = ()) -> MatchQuestion:
        """The question with these candidates alone, in this order, and with what is known of its neighbours."""
        return replace(
            self,
            candidates=tuple(self.candidates[at] for at in kept),
            others=tuple(self.others[at] for at in kept),
            matched=tuple(matched),
        )


@dataclass(frozen=True)
class Summarised(Shown):
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


@dataclass(frozen=True, slots=True)
class Judged:
    """A question and the verdict on it."""

    question: MatchQuestion
    verdict: Verdict


@dataclass(frozen=True)
class Validated(Shown):
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


def sentences(text: str, length: int, *, first: bool = False) -> str:
    """As many of a text's first sentences as fit, or the ``first`` alone; of one that is too long, its first words.

    >>> sentences("A hut. It is high up, e.g. on a pass. Nobody lives there.", 40)
    'A hut. It is high up, e.g. on a pass.'
    """
    plain = " ".join(text.split())
    if len(plain) <= length and not first:
        return plain
    ends = [found.end() for found in _SENTENCE.finditer(plain[: length + 1])]
    if ends:
        return plain[: ends[0 if first else -1]].rstrip()
    if len(plain) <= length:
        return plain
    cut = plain[: length - 1]
    return (cut.rpartition(" ")[0] or cut).rstrip(" ,;:") + "…"


def _whole(lines: Sequence[str], length: int) -> list[str]:
    """The first lines that fit into so many characters, at least one: a line is shown whole or not at all."""
    shown: list[str] = []
    for line in lines:
        length -= len(line)
        if shown and length < 0:
            break
        shown.append(line)
    return shown

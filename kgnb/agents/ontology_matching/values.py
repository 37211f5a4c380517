"""The frozen values that pass between the stages of ontology matching, and its options."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal as OneOf
from typing import NamedTuple, TypeAlias

from kgnb.agents.ontology_matching.options import Options as Options
from kgnb.judging import Option, Verdict
from kgnb.kg.ontology import Entity, Kind, Ontology
from kgnb.mappings import Evidence
from kgnb.results.bundle import Shown
from kgnb.vectors.index import VectorIndex

View = OneOf["syntactic", "lexical", "semantic"]
VIEWS: tuple[View, ...] = ("syntactic", "lexical", "semantic")
Side = OneOf["source", "target"]
SIDES: tuple[Side, Side] = ("source", "target")
Key: TypeAlias = tuple[str, Kind]  # one IRI may be a class and a property at once
Pair: TypeAlias = tuple[str, str, Kind]  # source IRI, target IRI

IN_FULL = 3  # candidates of a question that are described in full
_SENTENCE = re.compile(r"(?<=[.!?。])(?=\s+[A-Z\d\"“(¿¡]|\s*$|(?<=。))")

KINDS: tuple[Kind, ...] = (
    "class",
    "object property",
    "datatype property",
    "annotation property",
    "individual",
)


@dataclass(frozen=True)
class KindPlan:
    """How one kind of entity is matched."""

    kind: Kind
    views: tuple[View, ...] = VIEWS  # that candidates are looked up in
    k: int = 5
    define: bool = False  # a model writes missing definitions
    model: bool = True  # the judge may ask a model; otherwise the rule decides


@dataclass(frozen=True)
class MatchingPlan:
    """How each kind of entity is matched; kinds without a plan, as the options say."""

    kinds: tuple[KindPlan, ...] = ()
    notes: tuple[str, ...] = ()

    def of(self, kind: Kind, options: Options) -> KindPlan:
        """The plan for a kind."""
        usual = KindPlan(kind, k=options.k, define=options.define)
        return next((plan for plan in self.kinds if plan.kind == kind), usual)


AS_USUAL = MatchingPlan()


@dataclass(frozen=True)
class Description:
    """An entity as the matcher sees it: its names and its three views."""

    side: Side
    entity: Entity
    name: str  # for a person
    syntactic: str  # that name in plain words
    lexical: tuple[str, ...]  # names and first sentences of definitions
    axioms: tuple[tuple[str, str], ...]  # verbalised: the sort (parents, domain, ...) and the words
    names: tuple[tuple[str, ...], ...]  # words of every name: own names first, then synonyms
    spelled: tuple[str, ...]  # the same names as they are written
    synonyms_from: int  # index in ``names`` of the first synonym
    told: tuple[str, ...] = ()  # definitions and comments, those in the name's language first
    gists: tuple[str, ...] = ()  # their first sentences, as in ``lexical``
    related: tuple[str, ...] = ()  # plain-word names of the entities its axioms mention

    @cached_property
    def iri(self) -> str:
        """The entity's IRI."""
        return self.entity.iri

    @cached_property
    def kind(self) -> Kind:
        """Class, property or individual."""
        return self.entity.kind

    @cached_property
    def key(self) -> Key:
        """IRI and kind, which together identify the entity."""
        return (self.entity.iri, self.entity.kind)

    @cached_property
    def fillers(self) -> tuple[str, ...]:
        """What its restrictions name."""
        fillers = (one.filler for one in self.entity.restrictions)
        return tuple(dict.fromkeys(filler for filler in fillers if ":" in filler))

    def texts(self, view: View) -> tuple[str, ...]:
        """The texts of one view."""
        if view == "syntactic":
            return (self.syntactic,) if self.syntactic else ()
        return self.lexical if view == "lexical" else ((self.semantic,) if self.semantic else ())

    @property
    def own_meaning(self) -> bool:
        """Whether its meaning is the ontology's own, and none that a model wrote for it."""
        return bool(self.gists and (self.entity.definitions or self.entity.comments))

    @property
    def semantic(self) -> str:
        """Its axioms, verbalised."""
        return "; ".join(text for _, text in self.axioms)

    @cached_property
    def in_short(self) -> str:
        """The entity in a few lines, for a person or a model."""
        return "\n".join(
            [f"{self.name} ({self.kind})", *self._told(synonyms=5, meaning=600, length=1000)]
        )

    @cached_property
    def as_option(self) -> str:
        """The entity as one of several candidates: shorter."""
        return "\n".join(
            [self.name, *self._told(synonyms=3, meaning=200, length=360, without=("disjoint",))]
        )

    @cached_property
    def as_listed(self) -> str:
        """The entity far down a list of candidates: its name and position."""
        shown = [text for sort, text in self.axioms if sort in ("parents", "domain", "range")]
        return "\n".join([self.name, *_whole(shown, 160)])

    @cached_property
    def also_called(self) -> tuple[str, ...]:
        """Its other names as they are written, each once."""
        written = {
            words: text
            for words, text in zip(reversed(self.names), reversed(self.spelled), strict=True)
        }
        return tuple(
            text for words, text in reversed(written.items()) if " ".join(words) != self.syntactic
        )

    def _told(
        self, synonyms: int, meaning: int, length: int, without: tuple[str, ...] = ()
    ) -> list[str]:
        """Other names, meaning and axioms, one line each."""
        others = [text for text in self.also_called if len(text) <= 80]
        lines = ["also called: " + ", ".join(others[:synonyms])] if others else []
        lines += [f"means: {sentences(text, meaning)}" for text in self.told[:1]]
        return _whole(
            [*lines, *(text for sort, text in self.axioms if sort not in without)], length
        )


@dataclass(frozen=True)
class Described(Shown):
    """The result of ``retrieve``: both ontologies described."""

    source: Ontology
    target: Ontology
    descriptions: tuple[Description, ...]  # source first, each side in its ontology's order
    notes: tuple[str, ...] = ()  # what was left out, and why

    def of(self, side: Side) -> tuple[Description, ...]:
        """The descriptions of one side."""
        return self._sides[side]

    @cached_property
    def _sides(self) -> dict[Side, tuple[Description, ...]]:
        return {side: tuple(d for d in self.descriptions if d.side == side) for side in SIDES}

    @cached_property
    def _by_key(self) -> dict[tuple[Side, Key], Description]:
        return {(d.side, d.key): d for d in self.descriptions}

    def find(self, side: Side, iri: str, kind: Kind) -> Description:
        """The description of one entity; KeyError if there is none."""
        return self._by_key[side, (iri, kind)]

    def ends(self, pair: Pair) -> tuple[Description, Description]:
        """The descriptions of a pair."""
        source, target, kind = pair
        return self.find("source", source, kind), self.find("target", target, kind)

    def counts(self) -> dict[str, int]:
        """Entities per side, names and definitions."""
        return {
            "source entities": len(self.of("source")),
            "target entities": len(self.of("target")),
            "names": sum(len(d.names) for d in self.descriptions),
            "with a definition": sum(
                bool(d.entity.definitions or d.entity.comments) for d in self.descriptions
            ),
        }


@dataclass(frozen=True)
class Stored(Shown):
    """The result of ``store``: where each side's vectors are, and the cost."""

    described: Described
    embedder: str
    index: str
    collections: tuple[str, str]  # of the source, of the target
    points: int
    written: int  # points that are new
    computed: int  # texts embedded now
    reused: int  # texts with a cached vector
    vectors: VectorIndex = field(repr=False, compare=False)  # the open index, for ``search``

    def counts(self) -> dict[str, int]:
        """Points and embeddings."""
        return {
            "points": self.points,
            "written": self.written,
            "embedded": self.computed,
            "from cache": self.reused,
        }


@dataclass(frozen=True, slots=True)
class Ranked:
    """One candidate for one entity in one view, with 1-based rank (shared by equal scores) and
    cosine.
    """

    source: str
    target: str
    kind: Kind
    view: str  # a View, "exact" for an equal name, or "related"
    direction: Side  # the side of the entity that asked
    rank: int
    score: float

    @property
    def pair(self) -> Pair:
        """Source, target and kind."""
        return (self.source, self.target, self.kind)

    @property
    def asked(self) -> tuple[str, str]:
        """The IRIs of the entity that asked and of its candidate."""
        return (
            (self.source, self.target) if self.direction == "source" else (self.target, self.source)
        )


class Cosines(NamedTuple):
    """The cosines of two entities by view; ``meaning`` compares definitions alone, None if a side
    has none.
    """

    syntactic: float
    lexical: float
    semantic: float
    meaning: float | None = None


@dataclass(frozen=True)
class Found(Shown):
    """The result of ``search``: every entity's candidates in every view, and each view's floor."""

    described: Described
    rankings: tuple[Ranked, ...]
    cosines: Mapping[Pair, Cosines] = field(repr=False)  # of every candidate pair
    floors: tuple[tuple[str, float], ...] = ()  # the cosine that 95 % of random pairs lie below
    apart: tuple[Pair, ...] = ()  # of one name, but said to be disjoint

    def counts(self) -> dict[str, int]:
        """Candidates by view."""
        views = Counter(ranked.view for ranked in self.rankings)
        hits = {f"{view} hits": views[view] for view in ("exact", *VIEWS) if view in views}
        return {"pairs": len(self.cosines), **hits}


@dataclass(frozen=True, slots=True)
class Candidate:
    """One pair after fusion, from the point of view of the entity that asked."""

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

    side: Side  # of ``about``; the candidates are on the other side
    about: Description
    candidates: tuple[Candidate, ...]
    others: tuple[Description, ...]  # the candidates' descriptions, in the same order
    context: str = ""
    matched: tuple[str, ...] = ()  # neighbours of ``about`` with their known counterparts, in words
    beside: tuple[str, ...] = ()  # its siblings, with their counterparts where these are known
    taken: tuple[str, ...] = ()  # of each candidate: its known counterpart, or ""

    @property
    def itself(self) -> bool:
        """Whether the entity is a term that the other ontology has as well."""
        return [other.iri for other in self.others] == [self.about.iri]

    @property
    def other_side(self) -> Side:
        """The side of the candidates."""
        return "target" if self.side == "source" else "source"

    @cached_property
    def id(self) -> str:
        """Digest of the side, the texts and the context."""
        said = [
            self.side,
            self.context,
            self.about.iri,
            self.text,
            [[o.id, o.text] for o in self.options],
        ]
        return hashlib.sha256(json.dumps(said).encode()).hexdigest()[:16]

    @property
    def text(self) -> str:
        """The entity's description."""
        lines = [self.about.in_short]
        if self.beside:
            lines.append(f"beside it: {', '.join(self.beside)}")
        if self.matched:
            lines.append(f"already matched: {', '.join(self.matched)}")
        return "\n".join(lines)

    @property
    def options(self) -> tuple[Option, ...]:
        """One option per candidate: its IRI and description, shorter from the fourth on."""
        options: list[Option] = []
        for number, other in enumerate(self.others):
            text = other.as_option if number < IN_FULL else other.as_listed
            if any(self.taken[number : number + 1]):
                text += f"\ncounterpart of {self.taken[number]}"
            options.append(Option(other.iri, text))
        return tuple(options)

    def ends(self) -> Iterator[tuple[Candidate, Description, Description]]:
        """Each candidate, and the pair's descriptions, source and target."""
        for candidate, other in zip(self.candidates, self.others, strict=True):
            yield (
                (candidate, self.about, other)
                if self.side == "source"
                else (candidate, other, self.about)
            )

    def narrowed(self, kept: Sequence[int]) -> MatchQuestion:
        """The question with only these candidates, in this order."""
        return replace(
            self,
            candidates=tuple(self.candidates[at] for at in kept),
            others=tuple(self.others[at] for at in kept),
            taken=tuple(self.taken[at] for at in kept) if self.taken else (),
        )


@dataclass(frozen=True)
class Summarised(Shown):
    """The result of ``summarise``: a question for each entity that has candidates, ranked."""

    described: Described
    questions: tuple[MatchQuestion, ...]
    apart: tuple[Pair, ...] = ()  # of one name, but said to be disjoint

    def counts(self) -> dict[str, int]:
        """Questions and candidates."""
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
    """The result of ``validate``: a verdict on every question."""

    described: Described
    judged: tuple[Judged, ...]
    judge: str
    apart: tuple[Pair, ...] = ()  # of one name, but said to be disjoint
    unlikely: int = 0  # entities that may have a counterpart, but nothing much speaks for one

    def counts(self) -> dict[str, int]:
        """Verdicts by decision."""
        decisions = Counter(one.verdict.decision for one in self.judged)
        remembered = sum(bool(one.verdict.remembered) for one in self.judged)
        more = {"from memory": remembered} if remembered else {}
        return {"questions": len(self.judged), **dict(sorted(decisions.items())), **more}


def sentences(text: str, length: int, *, first: bool = False) -> str:
    """As many of a text's sentences as fit, or the ``first`` alone; if that is too long, its first
    words.

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
    """The first lines that fit into so many characters, at least one."""
    shown: list[str] = []
    for line in lines:
        length -= len(line)
        if shown and length < 0:
            break
        shown.append(line)
    return shown

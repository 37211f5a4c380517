"""What judges of entity alignment are asked: which way an entity takes, and which candidate it is."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias

import numpy as np

from kgnb.agents.entity_alignment.values import FEATURES, reads
from kgnb.judging import Option
from kgnb.mappings import Evidence

EQUIVALENT, DIFFERENT, TAKE = "equivalent", "different", "take"


def _digest(*said: object) -> str:
    return hashlib.sha256(json.dumps(said, ensure_ascii=False).encode("utf-8", "surrogatepass")).hexdigest()[:16]


@dataclass(frozen=True)
class PlanQuestion:
    """Which way should this entity take? Answered with the name of one of its possible paths."""

    row: int  # of the proposal
    iri: str
    name: str
    statistics: tuple[float, ...]  # one value a feature
    paths: tuple[Path, ...]  # those whose tools have something to work on
    costs: tuple[int, ...] = ()  # tokens that each of ``PATHS`` takes about, on average over the entities

    @cached_property
    def id(self) -> str:
        """Digest of entity, statistics, paths and costs."""
        return _digest("plan", self.iri, self.text, [named(path) for path in self.paths], self.costs)

    @property
    def text(self) -> str:
        """The entity's name and statistics."""
        return f"{self.name}: {reads(np.array(self.statistics))}"

    @property
    def options(self) -> tuple[Option, ...]:
        """One option a path."""
        return tuple(Option(named(path), named(path)) for path in self.paths)

    def value(self, feature: str) -> float:
        """One of the statistics."""
        return self.statistics[FEATURES.index(feature)]


@dataclass(frozen=True)
class Line:
    """One selected triple as it reads, and how much it tells."""

    text: str
    kind: str  # "attribute" or "relation"
    weight: float = 0.0


@dataclass(frozen=True)
class Card:
    """An entity as a judge sees it: its name and the triples selected for it."""

    side: str  # "source" or "target"
    iri: str
    name: str
    lines: tuple[Line, ...] = ()
    kind: str = "individual"
    taken: str = ""  # of a candidate: the name of another entity that it is matched with so far, "" for none

    @property
    def in_short(self) -> str:
        """Name, then the triples, a line each."""
        return "\n".join([self.name, *(line.text for line in self.lines)])

    @property
    def inline(self) -> str:
        """The same in one line, as a model is asked: few tokens."""
        name = f"{self.name} [taken: {self.taken}]" if self.taken else self.name
        return "; ".join([name, *(line.text for line in self.lines)])


@dataclass(frozen=True)
class Rival:
    """What is known of one candidate besides its card."""

    position: int  # among the proposal's candidates of this row
    score: float  # after assignment
    similarity: float  # before it
    agreement: float  # how many selected triples agree with the entity's own
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True)
class AlignQuestion:
    """Which of the candidates, if any, is the same thing as this entity? ``candidates`` go with ``others``."""

    row: int  # of the proposal
    about: Card
    others: tuple[Card, ...]
    candidates: tuple[Rival, ...]
    first: str = ""  # IRI of the first alignment, "" where there is none; not told to whoever is asked
    confidence: float = 0.0  # of the first alignment
    tells_apart: bool = True  # whether any selected triple differs between the candidates
    earlier: str = ""  # in a reflection: what was answered before, and why

    @property
    def side(self) -> str:
        """Questions are always asked from the source."""
        return "source"

    @cached_property
    def id(self) -> str:
        """Digest of everything that is shown."""
        return _digest("align", self.about.iri, self.text, [[o.id, o.text] for o in self.options])

    @property
    def text(self) -> str:
        """The entity and, in a reflection, the earlier answer."""
        before = f" [first judge: {self.earlier}]" if self.earlier else ""
        return self.about.inline + before

    @property
    def options(self) -> tuple[Option, ...]:
        """One option a candidate, in the order they are shown."""
        return tuple(Option(card.iri, card.inline) for card in self.others)

    def cards(self) -> list[tuple[str, str]]:
        """The entity and its candidates with their lines, as (heading, text)."""
        found = [("entity", self.about.inline)]
        return found + [(chr(ord("A") + at), card.inline) for at, card in enumerate(self.others)]

    def turned(self) -> AlignQuestion:
        """The same question with its candidates in the opposite order."""
        return replace(self, others=self.others[::-1], candidates=self.candidates[::-1])

    def position(self, iri: str) -> int:
        """Where a candidate stands in the proposal."""
        return next(rival.position for rival, card in zip(self.candidates, self.others, strict=True) if card.iri == iri)


Path: TypeAlias = tuple[str, ...]
Record: TypeAlias = Mapping[Path, tuple[tuple[int, int], tuple[int, int]]]
"""(asked, right) of each path on entities whose known counterpart was compared: margins below ``CLOSE``, and wider."""

CLOSE = 0.05

ATTRIBUTES, RELATIONS, ALIGN, REFLECT = TOOLS = ("attributes", "relations", "align", "reflect")
STANDS: Path = ()
"""The empty path: the first alignment stands, and nobody is asked."""

PATHS: tuple[Path, ...] = (
    STANDS,
    (ATTRIBUTES, ALIGN),
    (RELATIONS, ALIGN),
    (ATTRIBUTES, RELATIONS, ALIGN),
    (ATTRIBUTES, ALIGN, REFLECT),
    (RELATIONS, ALIGN, REFLECT),
    (ATTRIBUTES, RELATIONS, ALIGN, REFLECT),
)

# What a reflection was worth, by (first answer right, last answer right). Wrong to wrong is not in the paper.
REFLECTION = {(False, True): 1.0, (True, True): -0.5, (True, False): -1.0, (False, False): 0.0}


def named(path: Path) -> str:
    """A path as a person reads it, and as a policy file writes it.

    >>> named(("attributes", "align")), named(())
    ('attributes > align', 'stands')
    """
    return " > ".join(path) if path else "stands"


def path_of(name: str) -> Path:
    """The path behind a name; ValueError for one that is none of ``PATHS``.

    >>> path_of("relations > align > reflect")
    ('relations', 'align', 'reflect')
    """
    found = {named(path): path for path in PATHS}
    if name not in found:
        raise ValueError(f"there is no path {name!r}: choose {', '.join(found)}")
    return found[name]


def reward(path: Path, *, first_right: bool, last_right: bool, reflected: bool) -> float:
    """hit + c * reflection + exp(-0.2 * length), with c = 1 where the reflector ran and 0 where it did not.

    >>> round(reward(("attributes", "align"), first_right=True, last_right=True, reflected=False), 3)
    1.67
    >>> right_kept = reward(PATHS[-1], first_right=True, last_right=True, reflected=True)
    >>> round(right_kept, 3)
    0.949
    """
    reflection = REFLECTION[first_right, last_right] if reflected else 0.0
    return float(last_right) + reflection + math.exp(-0.2 * len(path))


def shorter(path: Path) -> tuple[Path, ...]:
    """The other paths worth trying in place of one, shortest first: every path there is."""
    return tuple(sorted((other for other in PATHS if other != path), key=lambda other: (len(other), other)))

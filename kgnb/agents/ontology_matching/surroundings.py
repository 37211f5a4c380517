"""What the surroundings say about a pair: ancestors, children, fillers, domain and range (part of the rule judge).

Every hint is about counterparts that are already likely. That a parent has no counterpart says nothing; that it has one
elsewhere speaks against the pair.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log

from kgnb.agents.ontology_matching.values import Description, Pair

NEAR = 0.8  # what a parent or child of an end counts for, in place of the end itself
LIKELY = 0.5
OTHER_DATATYPE = -0.3
UNKNOWN_END = -0.5  # both ends are declared and neither has a counterpart: a property of something only one side has


@dataclass(frozen=True, slots=True)
class Hints:
    """For (0 to 1), against (0 to 1), and how domain and range agree (-1 to 1)."""

    support: float = 0.0
    conflict: float = 0.0
    ends: float = 0.0


class Surroundings:
    """The relatives of every entity that is asked about, and how likely they are to be the same."""

    def __init__(self, sources: Iterable[Description], targets: Iterable[Description]) -> None:
        self._source, self._target = _Relatives(sources), _Relatives(targets)
        self._likely: dict[tuple[str, str], float] = {}
        self._images: dict[str, dict[str, float]] = {}
        self._preimages: dict[str, dict[str, float]] = {}

    def update(self, probabilities: Mapping[Pair, float]) -> None:
        """Take over what the last round found."""
        self._likely, self._images, self._preimages = {}, {}, {}
        for (source, target, _), probability in probabilities.items():
            if probability >= 0.1:
                self._likely[source, target] = max(probability, self._likely.get((source, target), 0.0))
            if probability >= LIKELY:
                self._images.setdefault(source, {})[target] = probability
                self._preimages.setdefault(target, {})[source] = probability

    def hints(self, source: Description, target: Description) -> Hints:
        """What the surroundings of both say."""
        if "property" in source.kind:
            return Hints(ends=self._ends(source, target))
        up, clash = self._above(source.iri, target.iri)
        down = self._best(source.entity.children, target.entity.children)
        beside = self._best(_fillers(source), _fillers(target))
        return Hints(max(up, 0.8 * down, beside), clash)

    def _above(self, source: str, target: str) -> tuple[float, float]:
        """Ancestors whose counterpart is an ancestor too, and ancestors whose counterpart is elsewhere.

        A special ancestor says more than one that everything has.
        """
        ours, theirs = self._source.above(source), self._target.above(target)
        support = conflict = 0.0
        sides = (
            (ours, theirs | {target} | self._target.below(target), self._images, self._source),
            (theirs, ours | {source} | self._source.below(source), self._preimages, self._target),
        )
        for ancestors, expected, images, relatives in sides:
            for iri in ancestors & images.keys():
                here = max((p for image, p in images[iri].items() if image in expected), default=0.0)
                if here:
                    support = max(support, here * relatives.special(iri))
                else:
                    conflict = max(conflict, max(images[iri].values()))
        return support, conflict

    def _best(self, ones: Sequence[str], others: Sequence[str]) -> float:
        """The mean, over the side with fewer members, of the likeliest counterpart on the other side."""
        if not ones or not others:
            return 0.0
        if len(ones) > len(others):
            return sum(max(self._same(one, other) for one in ones) for other in others) / len(others)
        return sum(max(self._same(one, other) for other in others) for one in ones) / len(ones)

    def _same(self, source: str, target: str) -> float:
        return 1.0 if source == target else self._likely.get((source, target), 0.0)

    def _ends(self, source: Description, target: Description) -> float:
        known = [
            value
            for ours, theirs in (
                (source.entity.domain, target.entity.domain),
                (source.entity.range, target.entity.range),
            )
            if (value := self._end(ours, theirs)) is not None
        ]
        return sum(known) / len(known) if known else 0.0

    def _end(self, ours: Sequence[str], theirs: Sequence[str]) -> float | None:
        """How one end agrees, -1 to 1; None where a side declares nothing, or both the same datatype."""
        if not ours or not theirs:
            return None
        if all(_is_datatype(iri) for iri in (*ours, *theirs)):
            return None if set(ours) & set(theirs) else OTHER_DATATYPE  # half of all properties give strings
        agreement = max(self._near(one, other) for one in ours for other in theirs)
        if agreement >= 0.3:
            return 2.0 * agreement - 1.0
        told = any(one in self._images for one in ours) or any(other in self._preimages for other in theirs)
        return -1.0 if told else UNKNOWN_END

    def _near(self, source: str, target: str) -> float:
        """Whether two ends are the same class, or one of them a parent or child of the other's counterpart."""
        around = max(
            (self._same(one, target) for one in self._source.beside(source)),
            default=0.0,
        )
        beside = max((self._same(source, other) for other in self._target.beside(target)), default=0.0)
        return max(self._same(source, target), NEAR * around, NEAR * beside)


class _Relatives:
    """One side's hierarchy, as far as its descriptions tell."""

    def __init__(self, descriptions: Iterable[Description]) -> None:
        entities = {d.iri: d.entity for d in descriptions if d.kind in ("class", "individual")}
        self._parents = {iri: (*entity.parents, *entity.types) for iri, entity in entities.items()}
        self._children = {iri: entity.children for iri, entity in entities.items()}
        self._above: dict[str, frozenset[str]] = {}
        self._below: dict[str, frozenset[str]] = {}
        self._size = max(len(entities), 2)

    def above(self, iri: str) -> frozenset[str]:
        """All ancestors."""
        return _reach(iri, self._parents, self._above)

    def below(self, iri: str) -> frozenset[str]:
        """All descendants."""
        return _reach(iri, self._children, self._below)

    def beside(self, iri: str) -> tuple[str, ...]:
        """Parents and children."""
        return (*self._parents.get(iri, ()), *self._children.get(iri, ()))

    def special(self, iri: str) -> float:
        """1 for a class without subclasses, 0 for one that has everything below it (intrinsic information content)."""
        return 1.0 - log(len(self.below(iri)) + 1) / log(self._size + 1)


def _reach(start: str, steps: Mapping[str, tuple[str, ...]], known: dict[str, frozenset[str]]) -> frozenset[str]:
    if start not in known:
        found: set[str] = set()
        waiting = list(steps.get(start, ()))
        while waiting:
            iri = waiting.pop()
            if iri not in found and iri != start:
                found.add(iri)
                waiting += steps.get(iri, ())
        known[start] = frozenset(found)
    return known[start]


def _fillers(description: Description) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one.filler for one in description.entity.restrictions if ":" in one.filler))


def _is_datatype(iri: str) -> bool:
    return iri.startswith(("http://www.w3.org/2001/XMLSchema#", "http://www.w3.org/2000/01/rdf-schema#Literal"))

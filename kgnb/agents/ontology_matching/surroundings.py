"""The evidence of a pair's surroundings: ancestors, children, fillers, domain and range (part of
the rule judge).

All of it rests on counterparts that are already likely. A parent without a counterpart is no
evidence; one with a counterpart elsewhere weakens the others, but does not count against the pair:
two hierarchies of one domain seldom agree.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from math import fsum, log
from typing import NamedTuple, TypeAlias

from kgnb.agents.ontology_matching.coherence import Hierarchy
from kgnb.agents.ontology_matching.values import Description, Pair
from kgnb.kg.terms import XSD
from kgnb.kg.vocabulary import DATATYPES

LIKELY = 0.5
POSSIBLE = 0.1  # probability below which a pair says nothing of others
DOUBT = 0.5  # ancestors after which their agreement is half believed
NEAR = 0.8  # factor of an end's agreement for each step up or down the hierarchy
STEPS = 3
OTHER_DATATYPE = -0.3
UNKNOWN_END = (
    -0.5
)  # both ends are declared and neither has a counterpart: a property of something only one side has


Counterparts: TypeAlias = dict[str, dict[str, float]]  # of each entity, with their probabilities
_Images: TypeAlias = list[tuple[str, float]]  # of one ancestor, likeliest first, weighed


class ContextAgreement(NamedTuple):
    """How far relatives agree (0 to 1), and how domain and range do (-1 to 1)."""

    support: float = 0.0
    ends: float = 0.0


NO_HINTS = ContextAgreement()


class Surroundings:
    """The relatives of every entity, and how likely they are counterparts."""

    def __init__(self, sources: Iterable[Description], targets: Iterable[Description]) -> None:
        self._source, self._target = _Relatives(sources), _Relatives(targets)
        self._likely: tuple[Counterparts, Counterparts] = {}, {}  # by source, by target
        # of an entity's ancestors with counterparts, in this round
        self._imaged: tuple[dict[str, list[_Images]], dict[str, list[_Images]]] = {}, {}
        self._images: Counterparts = {}
        self._preimages: Counterparts = {}
        self._near: dict[tuple[str, str], float] = {}  # nearness of two ends, in this round

    def update(self, probabilities: Mapping[Pair, float]) -> None:
        """Take over the probabilities of the last round."""
        self._images, self._preimages, self._near = {}, {}, {}
        self._likely, self._imaged = ({}, {}), ({}, {})
        for (source, target, _), probability in probabilities.items():
            if probability >= POSSIBLE:
                there = self._likely[0].setdefault(source, {})
                there[target] = max(probability, there.get(target, 0.0))
                self._likely[1].setdefault(target, {})[source] = there[target]
            if probability >= LIKELY:
                self._images.setdefault(source, {})[target] = probability
                self._preimages.setdefault(target, {})[source] = probability

    def hints(
        self, source: Description, target: Description, *, opposed: bool = False
    ) -> ContextAgreement:
        """The evidence of a pair; names that are ``opposed`` need ends that agree in this direction
        only.
        """
        if "property" in source.kind:
            one, other = source.entity, target.entity
            ends = self._ends((one.domain, other.domain), (one.range, other.range))
            if opposed:
                turned = self._ends((one.domain, other.range), (one.range, other.domain))
                ends = min(ends, -turned if turned else UNKNOWN_END)
            inverse = self._best(source.entity.inverse, target.entity.inverse)
            return ContextAgreement(support=inverse, ends=ends) if inverse or ends else NO_HINTS
        up = self._above(source.iri, target.iri)
        down = self._best(source.entity.children, target.entity.children)
        beside = self._best(source.fillers, target.fillers)
        support = 1.0 - (1.0 - up) * (1.0 - 0.8 * down) * (1.0 - beside)
        return ContextAgreement(support) if support else NO_HINTS

    def _above(self, source: str, target: str) -> float:
        """The share of ancestors with a counterpart whose counterpart is an ancestor too.

        Specific ancestors weigh more than general ones. As hierarchies are seldom complete, an
        ancestor that the other side lacks weighs little beside several that agree.
        """
        agreeing: list[float] = []
        disagreeing: list[float] = []
        sides = (
            (self._ancestors_imaged(0, source), self._target.line(target)),
            (self._ancestors_imaged(1, target), self._source.line(source)),
        )
        for ancestors, expected in sides:
            for images in ancestors:
                for image, weight in images:
                    if image in expected:
                        agreeing.append(weight)
                        break
                else:
                    disagreeing.append(images[0][1])
        if not agreeing:
            return 0.0
        # exact sums, as a set has no order
        agreed = fsum(agreeing)
        return agreed / (agreed + fsum(disagreeing) + DOUBT)

    def _ancestors_imaged(self, side: int, iri: str) -> list[_Images]:
        """The counterparts of each ancestor that has any; pairs share entities."""
        found = self._imaged[side].get(iri)
        if found is None:
            relatives = (self._source, self._target)[side]
            images = (self._images, self._preimages)[side]
            self._imaged[side][iri] = found = []
            for one in relatives.above(iri) & images.keys():
                special = relatives.special(one)
                likeliest = sorted(images[one].items(), key=lambda image: -image[1])
                found.append([(image, chance * special) for image, chance in likeliest])
        return found

    def _best(self, ones: Sequence[str], others: Sequence[str]) -> float:
        """The mean, over the side with fewer members, of the likeliest counterpart on the other
        side.
        """
        if not ones or not others:
            return 0.0
        fewer, more, likely = ones, others, self._likely[0]
        if len(ones) > len(others):
            fewer, more, likely = others, ones, self._likely[1]
        return sum(_likeliest(one, more, likely.get(one)) for one in fewer) / len(fewer)

    def _same(self, source: str, target: str) -> float:
        return 1.0 if source == target else self._likely[0].get(source, {}).get(target, 0.0)

    def _ends(self, *both: tuple[Sequence[str], Sequence[str]]) -> float:
        """-1 to 1: half from the domain, half from the range, the worse one alone if it clashes.

        In most ontologies properties with equal names but other ends are different, and properties
        with equal ends are often equal whatever their names, if there are few of them.
        """
        ends = dict.fromkeys(both)  # the same class at both ends counts once
        known = [value for ours, theirs in ends if (value := self._end(ours, theirs)) is not None]
        worst = min(known, default=0.0)
        return worst if worst <= UNKNOWN_END else sum(known) / 2.0

    def _end(self, ours: Sequence[str], theirs: Sequence[str]) -> float | None:
        """The agreement of one end, -1 to 1; None if a side declares nothing, or both the same
        datatype.
        """
        if not ours or not theirs:
            return None
        literal = [{sort for iri in end if (sort := datatype(iri))} for end in (ours, theirs)]
        if all(literal):  # half of all properties give strings, and rdfs:Literal may be any of them
            return (
                None
                if literal[0] & literal[1] or "Literal" in literal[0] | literal[1]
                else OTHER_DATATYPE
            )
        agreement = max(self._nearness(one, other) for one in ours for other in theirs)
        if agreement >= 0.3:
            return 2.0 * agreement - 1.0
        told = not self._images.keys().isdisjoint(ours) or not self._preimages.keys().isdisjoint(
            theirs
        )
        return -1.0 if told else UNKNOWN_END

    def _nearness(self, source: str, target: str) -> float:
        """How far two ends are counterparts, or one is above or below the other's counterpart."""
        if (source, target) not in self._near:
            best = self._same(source, target)
            for iri, share in self._source.around(source).items():
                best = max(best, share * self._same(iri, target))
            for iri, share in self._target.around(target).items():
                best = max(best, share * self._same(source, iri))
            self._near[source, target] = best
        return self._near[source, target]


def _likeliest(iri: str, others: Sequence[str], likely: Mapping[str, float] | None) -> float:
    """The probability of the likeliest counterpart among the others."""
    if iri in others:
        return 1.0
    if not likely:
        return 0.0
    return max((likely[other] for other in likely.keys() & others), default=0.0)


class _Relatives(Hierarchy):
    """One side's hierarchy, from its descriptions."""

    def __init__(self, descriptions: Iterable[Description]) -> None:
        super().__init__(
            {d.iri: d.entity for d in descriptions if d.kind in ("class", "individual")}.values()
        )
        self.around = cache(self._around)
        self.special = cache(self._special)
        self.line = cache(self._line)

    def _around(self, iri: str) -> Mapping[str, float]:
        """Ancestors and descendants within a few steps, with the weight of each."""
        found: dict[str, float] = {}
        for direction in (self.parents, self.children):
            here: set[str] = {iri}
            for step in range(1, STEPS + 1):
                here = (
                    {other for one in here for other in direction.get(one, ())}
                    - found.keys()
                    - {iri}
                )
                found |= dict.fromkeys(here, NEAR**step)
        return found

    def _special(self, iri: str) -> float:
        """1 for a class without subclasses, 0 for one with all others below it (intrinsic
        information content).
        """
        return 1.0 - log(len(self.below(iri)) + 1) / log(max(len(self), 2) + 1)

    def _line(self, iri: str) -> frozenset[str]:
        """The class with all its ancestors and descendants."""
        return self.above(iri) | {iri} | self.below(iri)


_SORTS = {
    "Text": "string",
    "langString": "string",
    "PlainLiteral": "string",
    "URL": "anyURI",
    "Number": "decimal",
    "Integer": "integer",
    "Float": "float",
    "Boolean": "boolean",
    "Date": "date",
    "DateTime": "dateTime",
    "Time": "time",
}


def datatype(iri: str) -> str:
    """The name of a datatype in XML Schema; "" for a class.

    >>> [datatype(f"http://schema.org/{name}") for name in ("Text", "Date", "Person")]
    ['string', 'date', '']
    """
    name = iri[max(iri.rfind("#"), iri.rfind("/")) + 1 :]
    if iri.startswith(XSD):
        return name
    return _SORTS.get(name, name) if iri in DATATYPES else ""

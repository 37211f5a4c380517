"""Domain and range: how well the ends of two properties agree, and how telling that is (part of the rule judge).

In most ontologies properties with equal names but other ends are other properties, and properties with equal ends are
often equal whatever they are called, if there are not many of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from kgnb.agents.ontology_matching.values import Description
from kgnb.kg.terms import XSD
from kgnb.kg.vocabulary import DATATYPES

NEAR = 0.8  # what a step up or down the hierarchy from an end leaves of its agreement
STEPS = 3
OTHER_DATATYPE = -0.3
UNKNOWN_END = -0.5  # both ends are declared and neither has a counterpart: a property of something only one side has

_SORTS = {
    "Text": "string", "langString": "string", "PlainLiteral": "string", "URL": "anyURI",
    "Number": "decimal", "Integer": "integer", "Float": "float", "Boolean": "boolean",
    "Date": "date", "DateTime": "dateTime", "Time": "time",
}  # fmt: skip

Same = Callable[[str, str], float]
Known = Callable[[str], bool]


class Ends:
    """Compares the ends of properties, given how likely classes are the same and which of them have a counterpart."""

    def __init__(
        self,
        around_source: Callable[[str], Mapping[str, float]],
        around_target: Callable[[str], Mapping[str, float]],
        same: Same,
        told_source: Known,
        told_target: Known,
    ) -> None:
        self._around = around_source, around_target
        self._same = same
        self._told = told_source, told_target
        self._known: dict[tuple[str, str], float] = {}

    def agreement(self, source: Description, target: Description) -> float:
        """-1 to 1: half from the domain, half from the range, the worse one alone if it clashes."""
        known = [value for ours, theirs in self._ends(source, target) if (value := self._end(ours, theirs)) is not None]
        worst = min(known, default=0.0)
        return worst if worst <= UNKNOWN_END else sum(known) / 2.0

    def _ends(self, source: Description, target: Description) -> Iterable[tuple[Sequence[str], Sequence[str]]]:
        one, other = source.entity, target.entity
        return ((one.domain, other.domain), (one.range, other.range))

    def _end(self, ours: Sequence[str], theirs: Sequence[str]) -> float | None:
        """How one end agrees, -1 to 1; None where a side declares nothing, or both the same datatype."""
        if not ours or not theirs:
            return None
        literal = [{sort for iri in end if (sort := datatype(iri))} for end in (ours, theirs)]
        if all(literal):  # half of all properties give strings, and rdfs:Literal may be any of them
            return None if literal[0] & literal[1] or "Literal" in literal[0] | literal[1] else OTHER_DATATYPE
        agreement = max(self._near(one, other) for one in ours for other in theirs)
        if agreement >= 0.3:
            return 2.0 * agreement - 1.0
        told = any(map(self._told[0], ours)) or any(map(self._told[1], theirs))
        return -1.0 if told else UNKNOWN_END

    def _near(self, source: str, target: str) -> float:
        """How far two ends are the same class, or one of them above or below the other's counterpart."""
        if (source, target) not in self._known:
            best = self._same(source, target)
            for iri, share in self._around[0](source).items():
                best = max(best, share * self._same(iri, target))
            for iri, share in self._around[1](target).items():
                best = max(best, share * self._same(source, iri))
            self._known[source, target] = best
        return self._known[source, target]


def steps_from(iri: str, up: Mapping[str, tuple[str, ...]], down: Mapping[str, tuple[str, ...]]) -> dict[str, float]:
    """The classes up or down the hierarchy within a few steps, and what their distance leaves of an agreement."""
    found: dict[str, float] = {}
    for way in (up, down):
        here: set[str] = {iri}
        for step in range(1, STEPS + 1):
            here = {other for one in here for other in way.get(one, ())} - found.keys() - {iri}
            for other in here:
                found[other] = NEAR**step
    return found


def datatype(iri: str) -> str:
    """What sort of values a datatype has, in XML Schema's word for it; "" for a class.

    >>> [datatype(f"http://schema.org/{name}") for name in ("Text", "Date", "Person")]
    ['string', 'date', '']
    """
    name = iri[max(iri.rfind("#"), iri.rfind("/")) + 1 :]
    if iri.startswith(XSD):
        return name
    return _SORTS.get(name, name) if iri in DATATYPES else ""

"""Coherence: mappings that together make the two ontologies contradict each other (part of ``merge``).

Three patterns are looked for, those that alignment repair finds most often in practice (Jiménez-Ruiz and Cuenca Grau,
LogMap, 2011): disjoint classes made equal to a class and its ancestor, hierarchies crossed, and properties whose ends
are disjoint. It is a check of patterns, not a reasoner: passing it does not prove coherence.
"""

from __future__ import annotations

from collections.abc import Sequence

from kgnb.agents.ontology_matching.hierarchy import Hierarchy
from kgnb.agents.ontology_matching.values import Described
from kgnb.kg.ontology import Ontology
from kgnb.mappings import Dropped, Mapping


def incoherent(described: Described, mappings: Sequence[Mapping]) -> list[Dropped]:
    """The mappings to leave out, each with the stronger mapping it contradicts; the less confident one goes."""
    source, target = _Classes(described.source), _Classes(described.target)
    kept = _Kept()
    dropped: list[Dropped] = []
    # classes first: whether properties agree depends on which classes are equal
    for mapping in sorted(mappings, key=lambda m: (m.kind != "class", -m.confidence, m.source, m.target)):
        if mapping.kind == "class":
            reason = _class_conflict(mapping, kept, source, target)
        else:
            reason = _property_conflict(mapping, kept, described, source, target) if "property" in mapping.kind else ""
        if reason:
            dropped.append(Dropped(mapping, reason))
        elif mapping.kind == "class":
            kept.keep(mapping)
    return dropped


class _Kept:
    """The class mappings kept so far, by either end."""

    def __init__(self) -> None:
        self.by_source: dict[str, list[Mapping]] = {}
        self.by_target: dict[str, list[Mapping]] = {}

    def keep(self, mapping: Mapping) -> None:
        self.by_source.setdefault(mapping.source, []).append(mapping)
        self.by_target.setdefault(mapping.target, []).append(mapping)


class _Classes(Hierarchy):
    """One ontology's classes, and which of them are declared disjoint."""

    def __init__(self, ontology: Ontology) -> None:
        classes = ontology.of_kind("class")
        super().__init__(classes)
        self._disjoint = {entity.iri: set(entity.disjoint) for entity in classes}

    def disjoint(self, one: str, other: str) -> bool:
        """Whether the classes, or ancestors of them, are declared disjoint."""
        others = self.above(other) | {other}
        return any(self._disjoint.get(iri, set()) & others for iri in self.above(one) | {one})


def _class_conflict(mapping: Mapping, kept: _Kept, source: _Classes, target: _Classes) -> str:
    """Why these classes cannot be equal, given the equal classes so far; "" if they can."""
    for relatives, opposite, place in (
        (source.above(mapping.source), target.below(mapping.target), "above"),
        (source.below(mapping.source), target.above(mapping.target), "below"),
    ):
        for iri in sorted(relatives & kept.by_source.keys()):
            for other in kept.by_source[iri]:
                said = f"{other.source_label} = {other.target_label}"
                if target.disjoint(mapping.target, other.target):
                    return (
                        f"contradicts {said}: {mapping.target_label}, {other.target_label} are disjoint in the target"
                    )
                if other.target in opposite:
                    return f"crosses {said}, which is {place} it in the source and on the other side in the target"
    for iri in sorted((target.above(mapping.target) | target.below(mapping.target)) & kept.by_target.keys()):
        for other in kept.by_target[iri]:
            if source.disjoint(mapping.source, other.source):
                said = f"{other.source_label} = {other.target_label}"
                return f"contradicts {said}: {mapping.source_label}, {other.source_label} are disjoint in the source"
    return ""


def _property_conflict(mapping: Mapping, kept: _Kept, described: Described, source: _Classes, target: _Classes) -> str:
    """Why these properties cannot be equal: what one side's ends are equal to is disjoint with the other's."""
    one = described.find("source", mapping.source, mapping.kind).entity  # type: ignore[arg-type]
    other = described.find("target", mapping.target, mapping.kind).entity  # type: ignore[arg-type]
    for word, ours, theirs in (("domain", one.domain, other.domain), ("range", one.range, other.range)):
        there = [(m, m.target) for iri in ours for m in kept.by_source.get(iri, ())]
        back = [(m, m.source) for iri in theirs for m in kept.by_target.get(iri, ())]
        for ends, images, others, classes in ((ours, there, theirs, target), (theirs, back, ours, source)):
            pairs = [(image, iri) for _, image in images for iri in others]
            if pairs and len(images) >= len(ends) and all(classes.disjoint(*pair) for pair in pairs):
                equal = images[0][0]
                return f"the {word} {equal.source_label} is {equal.target_label}, disjoint with the other {word}"
    return ""

"""A hierarchy one can ask for everything above and below an entity, at any depth."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from kgnb.kg.ontology import Entity

Steps = Mapping[str, Sequence[str]]


class Hierarchy:
    """Ancestors and descendants by IRI; cycles are walked once, and nothing is its own ancestor."""

    def __init__(self, entities: Iterable[Entity]) -> None:
        self.parents: dict[str, tuple[str, ...]] = {}
        self.children: dict[str, tuple[str, ...]] = {}
        for entity in entities:
            self.parents[entity.iri] = (*entity.parents, *entity.types)
            self.children[entity.iri] = entity.children
        self._above: dict[str, frozenset[str]] = {}
        self._below: dict[str, frozenset[str]] = {}

    def __len__(self) -> int:
        return len(self.parents)

    def above(self, iri: str) -> frozenset[str]:
        """All ancestors."""
        return _reach(iri, self.parents, self._above)

    def below(self, iri: str) -> frozenset[str]:
        """All descendants."""
        return _reach(iri, self.children, self._below)


def _reach(start: str, steps: Steps, known: dict[str, frozenset[str]]) -> frozenset[str]:
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

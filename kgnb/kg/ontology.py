"""An ontology read from a graph: its entities, their names and how they are related."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal as OneOf

from kgnb.kg.graph import Mended
from kgnb.kg.terms import local_name

Kind = OneOf["class", "object property", "datatype property", "annotation property", "individual"]


@dataclass(frozen=True, slots=True)
class Text:
    """A text about an entity and the language it is in, where the graph says so."""

    text: str
    language: str | None = None


@dataclass(frozen=True, slots=True)
class Restriction:
    """An anonymous superclass of a class: ``on`` a property, a ``constraint`` and its ``filler``
    (OWL 2, section 8).

    A filler that is a union or an intersection is listed as one restriction for each of its named
    members.
    """

    on: str  # an IRI, with ^ before it for the inverse property
    constraint: str  # some, all, value, self, min, max, exactly (the last three with cardinality)
    filler: str = ""  # an IRI, a literal's text, or "" where the constraint needs none
    cardinality: int | None = None


@dataclass(frozen=True, slots=True)
class Entity:
    """One class, property or individual. Tuples are sorted and free of repeats; IRIs are plain
    strings.

    An IRI used as a class and as a property at once (punning, OWL 2 section 5.9) gives two
    entities.
    """

    iri: str
    kind: Kind
    labels: tuple[Text, ...] = ()
    synonyms: tuple[Text, ...] = ()
    definitions: tuple[Text, ...] = ()
    comments: tuple[Text, ...] = ()
    parents: tuple[str, ...] = ()
    children: tuple[str, ...] = ()
    equivalents: tuple[str, ...] = ()
    disjoint: tuple[str, ...] = ()
    restrictions: tuple[Restriction, ...] = ()
    domain: tuple[str, ...] = ()  # members of a union are listed one by one
    range: tuple[str, ...] = ()
    inverse: tuple[str, ...] = ()
    types: tuple[str, ...] = ()  # of an individual
    characteristics: tuple[str, ...] = ()  # functional, transitive, symmetric, ...
    deprecated: bool = False
    declared: bool = True  # the graph states its kind; else it follows from its range
    matches: tuple[str, ...] = ()  # its exact matches elsewhere (skos:exactMatch)
    concept: bool = False  # a SKOS concept, read as a class
    coded: bool = (
        False  # its local name is an identifier, judged by the names of the whole ontology
    )

    @property
    def local_name(self) -> str:
        """The part of the IRI after the last ``#``, ``/`` or ``:``."""
        return local_name(self.iri)


@dataclass(frozen=True)
class Ontology:
    """The entities of one ontology, sorted by kind and IRI, with the digest of what was read."""

    name: str
    iri: str
    digest: (
        str  # of the entities, so equal content gives an equal digest wherever it was loaded from
    )
    entities: tuple[Entity, ...]
    imports: tuple[str, ...] = ()  # named by owl:imports; never followed over the network
    mended: tuple[Mended, ...] = ()  # what loading had to repair
    prefixes: tuple[tuple[str, str], ...] = field(default=())

    def __len__(self) -> int:
        return len(self.entities)

    def __iter__(self) -> Iterator[Entity]:
        return iter(self.entities)

    @cached_property
    def _found(self) -> dict[tuple[str, Kind | None], Entity]:
        """The entities by IRI and kind, and the first of each IRI by None."""
        return {(e.iri, kind): e for e in reversed(self.entities) for kind in (e.kind, None)}

    def of_kind(self, *kinds: Kind) -> tuple[Entity, ...]:
        """The entities of these kinds, in order."""
        return tuple(entity for entity in self.entities if entity.kind in kinds)

    def find(self, iri: str, kind: Kind | None = None) -> Entity | None:
        """The entity with this IRI (and kind, where an IRI has several), or None."""
        return self._found.get((iri, kind))

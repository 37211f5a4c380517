"""A knowledge graph for entity alignment: entities, names, triples and attribute values, as arrays."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kgnb.kg.graph import Mended
from kgnb.kg.labels import readable_name

Integers = NDArray[np.int32]


class Value(NamedTuple):
    """A literal: its text, language tag and datatype IRI ("" for none)."""

    text: str
    language: str = ""
    datatype: str = ""


class Fact(NamedTuple):
    """One relation triple from an entity's point of view: the relation, the other entity, and the
    direction.
    """

    relation: int
    other: int
    outgoing: bool


@dataclass(frozen=True, eq=False)
class EntityGraph:
    """The individuals of one graph and their statements. Entities, relations and values are
    referred to by index.

    ``names`` has one display name per entity, "" if it has none (or names are hidden); ``aliases``
    has further names. ``triples`` are (subject, relation, object), ``attribute_triples`` (entity,
    attribute, value). ``labels`` are those of relations, attributes, classes and other IRIs that
    are not entities. ``same`` and ``different`` are what the graph states of any two IRIs.
    """

    name: str
    entities: tuple[str, ...]  # IRIs, as read
    names: tuple[str, ...]
    relations: tuple[str, ...]  # IRIs
    triples: Integers  # (n, 3)
    attributes: tuple[str, ...] = ()  # IRIs
    values: tuple[Value, ...] = ()
    attribute_triples: Integers = field(
        default_factory=lambda: np.empty((0, 3), dtype=np.int32)
    )  # (m, 3)
    aliases: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)
    same: tuple[tuple[str, str], ...] = ()  # IRIs stated to be the same thing
    different: tuple[tuple[str, str], ...] = ()  # and to be different ones
    mended: tuple[Mended, ...] = ()

    def __post_init__(self) -> None:
        if len(self.names) != len(self.entities):
            raise ValueError(
                f"{len(self.entities)} entities need as many names, not {len(self.names)}"
            )
        for what, rows, limits in (
            (
                "triples",
                self.triples,
                (len(self.entities), len(self.relations), len(self.entities)),
            ),
            (
                "attribute_triples",
                self.attribute_triples,
                (len(self.entities), len(self.attributes), len(self.values)),
            ),
        ):
            if rows.ndim != 2 or rows.shape[1] != 3:
                raise ValueError(f"{what} has shape {rows.shape}, not (n, 3)")
            if len(rows) and (rows.min() < 0 or (rows.max(axis=0) >= np.array(limits)).any()):
                raise ValueError(f"{what} names an index beyond {limits}")

    def __len__(self) -> int:
        return len(self.entities)

    def __repr__(self) -> str:
        counts = ", ".join(f"{number} {what}" for what, number in self.counts().items())
        return f"<EntityGraph {self.name!r}: {counts}>"

    def counts(self) -> dict[str, int]:
        """The number of entities, relations, triples and values."""
        return {
            "entities": len(self.entities),
            "with a name": sum(bool(name) for name in self.names),
            "relations": len(self.relations),
            "triples": len(self.triples),
            "attributes": len(self.attributes),
            "attribute values": len(self.attribute_triples),
        }

    @cached_property
    def digest(self) -> str:
        """SHA-256 of everything but the graph's name, in hexadecimal."""
        found = hashlib.sha256()
        for texts in (
            self.entities,
            self.names,
            self.relations,
            self.attributes,
            map("\0".join, self.values),
        ):
            for text in texts:
                found.update(text.encode("utf-8", "surrogatepass") + b"\n")
            found.update(b"\n\n")
        for position in sorted(self.aliases):
            found.update(
                f"{position}\0{chr(0).join(self.aliases[position])}\n".encode(
                    "utf-8", "surrogatepass"
                )
            )
        for iri in sorted(self.labels):
            found.update(f"{iri}\0{self.labels[iri]}\n".encode("utf-8", "surrogatepass"))
        for pairs in filter(None, (self.same, self.different)):
            found.update(
                "\n".join(map("\0".join, pairs)).encode("utf-8", "surrogatepass") + b"\n\n"
            )
        for rows in (self.triples, self.attribute_triples):
            found.update(np.ascontiguousarray(rows, dtype="<i4").tobytes() + b"\n")
        return found.hexdigest()

    @cached_property
    def _positions(self) -> dict[str, int]:
        return {iri: position for position, iri in enumerate(self.entities)}

    def index(self, iri: str) -> int:
        """The index of an entity; KeyError if the graph lacks it."""
        return self._positions[iri]

    def __contains__(self, iri: object) -> bool:
        return iri in self._positions

    def called(self, entity: int) -> str:
        """An entity's name for a person, or else its IRI."""
        return self.names[entity] or self.entities[entity]

    def word(self, iri: str) -> str:
        """The label of a relation, attribute or class, or else its IRI's last part in words."""
        last = iri.rstrip("/#").replace("#", "/").rsplit("/", 1)[-1] or iri
        return self.labels.get(iri) or readable_name(last)

    def facts(self, entity: int) -> list[Fact]:
        """The relation triples of one entity, outgoing first, in their original order."""
        rows, starts = self._outgoing
        out = self.triples[rows[starts[entity] : starts[entity + 1]]]
        rows, starts = self._incoming
        into = self.triples[rows[starts[entity] : starts[entity + 1]]]
        return [Fact(int(r), int(o), True) for _, r, o in out] + [
            Fact(int(r), int(s), False) for s, r, _ in into
        ]

    def attributes_of(self, entity: int) -> list[tuple[int, Value]]:
        """The attributes (by index) and values of one entity, in their original order."""
        rows, starts = self._described
        found = self.attribute_triples[rows[starts[entity] : starts[entity + 1]]]
        return [(int(attribute), self.values[value]) for _, attribute, value in found]

    @cached_property
    def _outgoing(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        return _grouped(self.triples[:, 0], len(self))

    @cached_property
    def _incoming(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        return _grouped(self.triples[:, 2], len(self))

    @cached_property
    def _described(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        return _grouped(self.attribute_triples[:, 0], len(self))

    def unnamed(self) -> EntityGraph:
        """The same graph with all names hidden, for runs on structure alone."""
        return replace(self, names=("",) * len(self), aliases={})

    def renamed(self, names: Mapping[str, str]) -> EntityGraph:
        """The same graph with other names by IRI; entities that are not in ``names`` keep theirs
        and their aliases.
        """
        pairs = zip(self.entities, self.names, strict=True)
        called = tuple(" ".join(names.get(iri, name).split()) for iri, name in pairs)
        kept = {at: more for at, more in self.aliases.items() if self.entities[at] not in names}
        return replace(self, names=called, aliases=kept)


def _grouped(keys: Integers, size: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Row numbers sorted by key, and where each key's rows begin (``size`` + 1 entries)."""
    order = np.argsort(keys, kind="stable")
    return order, np.searchsorted(keys[order], np.arange(size + 1))

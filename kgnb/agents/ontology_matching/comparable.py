"""Comparable: two ontologies made ready to be laid beside each other, without asking anyone.

What an ontology only mentions is not its own, and in RDF Schema a property need not say whether it is about things or
about values: there the other ontology says it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace

from kgnb.agents.ontology_matching.values import KINDS
from kgnb.kg.labels import readable
from kgnb.kg.ontology import Entity, Kind, Ontology
from kgnb.kg.words import normal

COMPARED: tuple[Kind, ...] = ("object property", "datatype property", "annotation property")


def comparable(source: Ontology, target: Ontology) -> tuple[Ontology, Ontology]:
    """The two, each without the terms that it only mentions, and with kinds of property that agree.

    Mentioned are terms of the namespace the other has most of its own in, where both have them, and terms of any other
    namespace of which an ontology says no more than that they equal one of its own.

    A property takes the kind of the other side's property of the same name, where that side has none of its own kind.
    What is comparable already is given back as it is.
    """
    homes = _home(source), _home(target)
    ends = _without_mentions(source, target, homes), _without_mentions(target, source, homes[::-1])
    first = _of_like_kinds(*ends)
    return first, _of_like_kinds(ends[1], first)


def _home(ontology: Ontology) -> str:
    """The namespace that most of its terms are in."""
    spaces = Counter(_namespace(entity) for entity in ontology)
    return min(spaces, key=lambda space: (-spaces[space], space), default="")


def _namespace(entity: Entity) -> str:
    return entity.iri[: len(entity.iri) - len(entity.local_name)]


def _without_mentions(ontology: Ontology, other: Ontology, homes: tuple[str, str]) -> Ontology:
    home, elsewhere = homes
    there = {entity.iri for entity in other}
    own = {entity.iri for entity in ontology if _namespace(entity) == home}

    def mentioned(entity: Entity) -> bool:
        space = _namespace(entity)
        if space == home:
            return False
        return (space == elsewhere and entity.iri in there) or (
            not _told(entity) and not own.isdisjoint(entity.equivalents)
        )

    kept = tuple(entity for entity in ontology if not mentioned(entity))
    return ontology if len(kept) == len(ontology) else replace(ontology, entities=kept)


def _told(entity: Entity) -> bool:
    """Whether anything is said of it but what it is the same as, and what it has below it."""
    texts = entity.labels or entity.synonyms or entity.definitions or entity.comments
    return bool(texts or entity.parents or entity.restrictions or entity.domain or entity.range)


def _of_like_kinds(ontology: Ontology, other: Ontology) -> Ontology:
    """The ontology, with the kinds of properties that the other has one of the same name of.

    What declares no kind takes the other's; so does what is declared, where the other has that name in another kind
    alone (an email address may be a value here and a thing there).
    """
    named: defaultdict[str, list[Entity]] = defaultdict(list)
    for entity in other:
        if entity.kind in COMPARED:
            named[normal(readable(entity))].append(entity)
    taken = {(entity.iri, entity.kind) for entity in ontology}
    found: list[Entity] = []
    for entity in ontology:
        others = named[normal(readable(entity))] if entity.kind in COMPARED else []
        kinds = _kinds([one for one in others if one.declared or not entity.declared])
        if kinds and entity.kind not in kinds and (entity.iri, kinds[0]) not in taken:
            entity = replace(entity, kind=kinds[0])
        found.append(entity)
    ordered = tuple(sorted(found, key=lambda one: (KINDS.index(one.kind), one.iri)))
    return ontology if ordered == ontology.entities else replace(ontology, entities=ordered)


def _kinds(entities: list[Entity]) -> list[Kind]:
    """Their kinds, those that are declared first."""
    ordered = sorted(entities, key=lambda one: (not one.declared, KINDS.index(one.kind)))
    return list(dict.fromkeys(one.kind for one in ordered))

"""Entity graphs read from what others have: arrays from a folder, or any RDF graph."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import replace

import numpy as np

from kgnb.agents.entity_alignment.graphs import EntityGraph, Integers, Value
from kgnb.agents.entity_alignment.names import local_names
from kgnb.kg.graph import Graph
from kgnb.kg.labels import choose_label, is_code
from kgnb.kg.ontology import Text
from kgnb.kg.terms import OWL, RDF, SKOS, Blank, Iri, Literal, Triple
from kgnb.kg.vocabulary import BUILT_IN, LABELS, META_TYPES, NAMES, SYNONYMS, TYPE

SAME = frozenset(
    {f"{OWL}sameAs", f"{SKOS}exactMatch", f"{SKOS}closeMatch", "http://schema.org/sameAs", "https://schema.org/sameAs"}
)
"""Links that would be the answer: never read as evidence."""

ANY_URI = "http://www.w3.org/2001/XMLSchema#anyURI"
_LABELLED = ("label", "name", "preflabel", "title")
"""How a graph's own naming attributes end, where it has none of the standard ones."""


def from_graph(graph: Graph) -> EntityGraph:
    """The individuals of an RDF graph: no classes, properties or ontologies, no blank nodes, nothing of OWL's own.

    IRIs that are only pointed at are entities where their namespace is one of the described entities'; other IRIs are
    values, as types are. Links that say two things are the same are left out: they would be the answer.
    """
    triples = [triple for triple in graph.triples() if isinstance(triple[0], Iri) and triple[1] not in SAME]
    schema = {s for s, p, o in triples if p == TYPE and isinstance(o, Iri) and o in META_TYPES}
    schema |= {p for _, p, _ in triples} | {o for _, p, o in triples if p == TYPE and isinstance(o, Iri)}
    facts = [t for t in triples if t[0] not in schema and not str(t[0]).startswith(BUILT_IN)]
    described = {str(s) for s, _, _ in facts}
    spaces = {_space(iri) for iri in described}
    entities = dict.fromkeys(sorted(described | {iri for iri in _pointed_at(facts, schema) if _space(iri) in spaces}))
    words = labels_in(triples, entities)
    return named_by_labels(replace(_read(graph.name, facts, tuple(entities)), labels=words))


def labels_in(triples: Iterable[Triple], entities: Container[str] = ()) -> dict[str, str]:
    """How everything that is no entity is called: properties, classes, terms; what has no label is not there."""
    texts: dict[str, list[Text]] = {}
    for subject, predicate, value in triples:
        if predicate in LABELS and isinstance(value, Literal) and str(subject) not in entities:
            texts.setdefault(str(subject), []).append(Text(value.text, value.language or None))
    found = {iri: choose_label(said) for iri, said in sorted(texts.items())}
    return {iri: " ".join(label.text.split()) for iri, label in found.items() if label is not None}


def _space(iri: str) -> str:
    return iri[: max(iri.rfind("/"), iri.rfind("#"), iri.rfind(":") if "/" not in iri else 0) + 1]


def _pointed_at(facts: Iterable[Triple], schema: set[Iri | Blank]) -> set[str]:
    return {
        str(o)
        for _, p, o in facts
        if isinstance(o, Iri) and p != TYPE and o not in schema and not str(o).startswith(BUILT_IN)
    }


def _read(name: str, facts: Iterable[Triple], entities: tuple[str, ...]) -> EntityGraph:
    places = {iri: place for place, iri in enumerate(entities)}
    relations: dict[str, int] = {}
    attributes: dict[str, int] = {}
    values: dict[Value, int] = {}
    triples: list[tuple[int, int, int]] = []
    described: list[tuple[int, int, int]] = []
    for subject, predicate, object_ in facts:
        start = places[str(subject)]
        if isinstance(object_, Iri) and str(object_) in places and predicate != TYPE:
            triples.append((start, relations.setdefault(str(predicate), len(relations)), places[str(object_)]))
            continue
        if isinstance(object_, Iri):
            value = Value(str(object_), "", ANY_URI)
        elif isinstance(object_, Literal):
            value = Value(object_.text, object_.language or "", object_.datatype or "")
        else:
            continue
        attribute = attributes.setdefault(str(predicate), len(attributes))
        described.append((start, attribute, values.setdefault(value, len(values))))
    return EntityGraph(
        name,
        entities,
        local_names(entities),
        tuple(relations),
        _array(triples),
        tuple(attributes),
        tuple(values),
        _array(described),
    )


def _array(rows: list[tuple[int, int, int]]) -> Integers:
    return np.array(rows, dtype=np.int32).reshape(-1, 3)


def named_by_labels(graph: EntityGraph) -> EntityGraph:
    """The graph with its labels as names: standard properties first, then what ends in "label" or "name"."""
    ranks = np.array([_rank(attribute) for attribute in graph.attributes], dtype=np.int64)
    rows = graph.attribute_triples
    if not len(rows) or ranks.max() == 0:
        return graph
    found: dict[int, list[tuple[int, str]]] = {}
    for entity, attribute, value in rows[ranks[rows[:, 1]] > 0].tolist():
        text = " ".join(graph.values[value].text.split())
        if text and graph.values[value].datatype != ANY_URI:
            found.setdefault(entity, []).append((-int(ranks[attribute]), text))
    names = list(graph.names)
    aliases: dict[int, tuple[str, ...]] = {}
    for entity, labels in found.items():
        texts = list(dict.fromkeys(text for _, text in sorted(labels, key=lambda label: label[0])))
        said = [text for text in texts if not is_code(text)] or texts
        names[entity] = said[0]
        if more := tuple(text for text in said[1:]):
            aliases[entity] = more
    return replace(graph, names=tuple(names), aliases=aliases)


def _rank(attribute: str) -> int:
    """How well a property names an entity: 0 not at all."""
    if attribute in LABELS:
        return 4
    if attribute in NAMES:
        return 3
    if attribute in SYNONYMS:
        return 1
    local = attribute[max(attribute.rfind("/"), attribute.rfind("#")) + 1 :].lower()
    return 2 if local in _LABELLED and not attribute.startswith(RDF) else 0

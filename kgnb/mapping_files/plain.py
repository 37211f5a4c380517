"""Mappings as plain JSON values and back, for what a format has no slot for."""

from __future__ import annotations

import json
from collections.abc import Mapping as Dict
from dataclasses import fields
from typing import Any, get_args

from kgnb.errors import DataError
from kgnb.files import from_json
from kgnb.mappings import Concepts, Dropped, Evidence, Mapping, Relation

RELATIONS: tuple[str, ...] = get_args(Relation)
_CONCEPTS: tuple[str, ...] = get_args(Concepts)
_TEXTS = tuple(field.name for field in fields(Mapping) if field.name not in {"confidence", "evidence"})
_FIX = "Export the alignment again; this part of the file is written and read by kgnb alone."


def checked(mapping: Mapping) -> Mapping:
    """The mapping, if it is valid; ValueError for an unknown relation or a confidence out of bounds."""
    if mapping.relation not in RELATIONS:
        raise ValueError(f"{mapping.source}: the relation {mapping.relation!r} is not one of {', '.join(RELATIONS)}")
    if mapping.concepts not in _CONCEPTS:
        raise ValueError(f"{mapping.source}: concepts is {mapping.concepts!r}, not source, target or both")
    if not 0.0 <= mapping.confidence <= 1.0:
        raise ValueError(f"{mapping.source}: the confidence {mapping.confidence!r} is not between 0 and 1")
    return mapping


def evidence_json(mapping: Mapping) -> list[list[Any]]:
    """Evidence as ``[kind, text]`` or ``[kind, text, score]``."""
    return [
        [item.kind, item.text] if item.score is None else [item.kind, item.text, item.score]
        for item in mapping.evidence
    ]


def mapping_json(mapping: Mapping) -> dict[str, Any]:
    """Every field of a mapping that differs from its default."""
    plain = {name: getattr(mapping, name) for name in _TEXTS}
    plain["confidence"] = mapping.confidence
    blank = Mapping(mapping.source, mapping.target)
    kept = {
        name: value
        for name, value in plain.items()
        if name in {"source", "target", "confidence"} or value != getattr(blank, name)
    }
    return kept | ({"evidence": evidence_json(mapping)} if mapping.evidence else {})


def dropped_json(dropped: Dropped) -> dict[str, Any]:
    """A dropped mapping and its reason."""
    return {"reason": dropped.reason, "mapping": mapping_json(dropped.mapping)}


def dumps(value: object) -> str:
    """JSON on one line, in a fixed order."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def loads(text: str, where: str) -> Any:
    """The value of a JSON text; DataError where it is malformed."""
    try:
        return from_json(text)
    except (ValueError, RecursionError) as error:
        raise DataError(f"is not JSON: {error}", where=where, fix=_FIX) from error


def read_evidence(value: object, where: str) -> tuple[Evidence, ...]:
    """Reads what :func:`evidence_json` wrote."""
    if not isinstance(value, list):
        raise DataError("evidence is not a list", where=where, fix=_FIX)
    read = []
    for item in value:
        match item:
            case [str(kind), str(text)]:
                read.append(Evidence(kind, text))
            case [str(kind), str(text), int() | float() as score] if not isinstance(score, bool):
                read.append(Evidence(kind, text, score))
            case _:
                raise DataError("evidence is not kind, text and score", where=where, fix=_FIX)
    return tuple(read)


def read_mapping(value: object, where: str) -> Mapping:
    """Reads what :func:`mapping_json` wrote."""
    if not isinstance(value, Dict):
        raise DataError("a mapping is not an object", where=where, fix=_FIX)
    given = dict(value)
    evidence = read_evidence(given.pop("evidence", []), where)
    confidence = given.pop("confidence", 1.0)
    for name, text in given.items():
        if name not in _TEXTS or not isinstance(text, str):
            raise DataError(f"{name!r} is not a text field of a mapping", where=where, fix=_FIX)
    if "source" not in given or "target" not in given:
        raise DataError("a mapping lacks its source or target", where=where, fix=_FIX)
    if isinstance(confidence, bool) or not isinstance(confidence, int | float):
        raise DataError("a confidence is not a number", where=where, fix=_FIX)
    try:
        return checked(Mapping(**given, confidence=confidence, evidence=evidence))
    except ValueError as error:
        raise DataError(str(error), where=where, fix=_FIX) from error


def read_dropped(value: object, where: str) -> Dropped:
    """Reads what :func:`dropped_json` wrote."""
    match value:
        case {"reason": str(reason), "mapping": mapping}:
            return Dropped(read_mapping(mapping, where), reason)
    raise DataError("a dropped mapping lacks its reason or mapping", where=where, fix=_FIX)


NAMESPACES: dict[str, str] = {
    "owl": "http://www.w3.org/2002/07/owl#",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "semapv": "https://w3id.org/semapv/vocab/",
    "sssom": "https://w3id.org/sssom/",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
    "oboInOwl": "http://www.geneontology.org/formats/oboInOwl#",
}
KGNB = "urn:x-kgnb:"  # our own terms, where no vocabulary has one; a name, not an address

# OWL 2, section 9: axioms that say two entities are the same. Annotation properties have none.
_EQUIVALENT = {
    "class": "owl:equivalentClass",
    "object property": "owl:equivalentProperty",
    "datatype property": "owl:equivalentProperty",
    "individual": "owl:sameAs",
}
# SKOS Reference, section 10; mappingRelation only says that there is some relation.
_SKOS: dict[Relation, str] = {
    "equivalent": "skos:exactMatch",
    "broader": "skos:broadMatch",
    "narrower": "skos:narrowMatch",
    "related": "skos:relatedMatch",
    "different": "skos:exactMatch",  # with "Not"
    "unsure": "skos:mappingRelation",
}
_RELATION: dict[str, Relation] = {
    "owl:equivalentClass": "equivalent",
    "owl:equivalentProperty": "equivalent",
    "owl:sameAs": "equivalent",
    "skos:exactMatch": "equivalent",
    "skos:broadMatch": "broader",
    "rdfs:subClassOf": "broader",
    "rdfs:subPropertyOf": "broader",
    "skos:narrowMatch": "narrower",
    "skos:relatedMatch": "related",
    "skos:closeMatch": "related",
    "rdfs:seeAlso": "related",
    "oboInOwl:hasDbXref": "related",
    "owl:differentFrom": "different",
    "owl:disjointWith": "different",
    "skos:mappingRelation": "unsure",
}
_KIND = {
    "owl:equivalentProperty": "object property",
    "rdfs:subPropertyOf": "object property",
    "owl:sameAs": "individual",
}
KNOWN: dict[str, str] = {
    f"{NAMESPACES[curie.split(':')[0]]}{curie.split(':')[1]}": curie for curie in _RELATION
}  # full IRI -> CURIE


def predicate_of(mapping: Mapping) -> str:
    """The predicate of a mapping, as a CURIE.

    >>> predicate_of(Mapping("http://a#Hut", "http://b#Refuge"))
    'owl:equivalentClass'
    >>> predicate_of(Mapping("http://a#RescueHut", "http://b#Refuge", "broader"))
    'skos:broadMatch'
    >>> predicate_of(Mapping("http://a/hut", "http://b/refuge", concepts="both"))
    'skos:exactMatch'
    """
    if mapping.relation == "equivalent" and not mapping.concepts:
        return _EQUIVALENT.get(mapping.kind, "skos:exactMatch")
    return _SKOS[mapping.relation]


def relation_of(predicate: str) -> Relation | None:
    """The relation of a predicate (CURIE), or None for a predicate that is not a mapping."""
    return _RELATION.get(predicate)


def kind_of(predicate: str) -> str:
    """The default kind of the entities that a predicate (CURIE) relates."""
    return _KIND.get(predicate, "class")

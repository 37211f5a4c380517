"""Mappings as plain JSON values and back, for what a format has no slot for; and the predicates of
relations.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import fields
from functools import cache
from typing import Any, TypeVar, get_args

from pydantic import TypeAdapter, ValidationError

from kgnb.errors import DataError
from kgnb.mappings import Concepts, Dropped, Mapping, Relation

RELATIONS: tuple[str, ...] = get_args(Relation)
_DEFAULTS = {field.name: field.default for field in fields(Mapping)}
_ALWAYS = ("source", "target", "confidence")

T = TypeVar("T")


def checked(mapping: Mapping) -> Mapping:
    """The mapping, if it is valid; ValueError for an unknown relation or a confidence out of
    bounds.
    """
    if mapping.relation not in RELATIONS:
        raise ValueError(
            f"{mapping.source}: the relation {mapping.relation!r} is not one of {', '.join(RELATIONS)}"
        )
    if mapping.concepts not in get_args(Concepts):
        raise ValueError(
            f"{mapping.source}: concepts is {mapping.concepts!r}, not source, target or both"
        )
    if not 0.0 <= mapping.confidence <= 1.0:
        raise ValueError(
            f"{mapping.source}: the confidence {mapping.confidence!r} is not between 0 and 1"
        )
    return mapping


def evidence_json(mapping: Mapping) -> list[list[Any]]:
    """Evidence as ``[kind, text]`` or ``[kind, text, score]``."""
    return [list(item[:2] if item.score is None else item) for item in mapping.evidence]


def mapping_json(mapping: Mapping) -> dict[str, Any]:
    """Every field of a mapping that differs from its default."""
    values = {name: getattr(mapping, name) for name in _DEFAULTS} | {
        "evidence": evidence_json(mapping)
    }
    return {
        name: value
        for name, value in values.items()
        if name in _ALWAYS or value not in (_DEFAULTS[name], [])
    }


def dropped_json(dropped: Dropped) -> dict[str, Any]:
    """A dropped mapping and its reason."""
    return {"reason": dropped.reason, "mapping": mapping_json(dropped.mapping)}


def dumps(value: object) -> str:
    """JSON on one line, in a fixed order."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


_adapter: Callable[[Any], TypeAdapter[Any]] = cache(TypeAdapter)


def loads(kind: type[T], text: str, where: str) -> T:
    """The value of that type which a JSON text holds, as written by the functions above.

    Raises:
        DataError: it holds none.
    """
    found: T = _read(_adapter(kind).validate_json, text, where)
    return found


def read_mapping(value: dict[str, Any], where: str) -> Mapping:
    """The mapping with these fields; DataError for a wrong one."""
    found: Mapping = _read(_adapter(Mapping).validate_python, value, where)
    return found


def _read(validate: Callable[[Any], Any], value: object, where: str) -> Any:
    try:
        return validate(value)
    except ValidationError as error:
        wrong = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, wrong["loc"]))
        what = f"{place}: {wrong['msg']}" if place else str(wrong["msg"])
        fix = "Mend that value, or export the alignment again."
        raise DataError(what, where=where, fix=fix) from error


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

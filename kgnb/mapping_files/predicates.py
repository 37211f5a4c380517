"""Which predicate says a relation between two entities of a kind; shared by SSSOM and Turtle."""

from __future__ import annotations

from kgnb.mappings import Mapping, Relation

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
KGNB = "urn:x-kgnb:"  # our own words, where no vocabulary has one; a name, not an address

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
    """The predicate, as a CURIE, that says what the mapping says.

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
    """The relation a predicate (CURIE) stands for, or None for a predicate that is not a mapping."""
    return _RELATION.get(predicate)


def kind_of(predicate: str) -> str:
    """The kind of entity a predicate (CURIE) joins where nothing else says so."""
    return _KIND.get(predicate, "class")

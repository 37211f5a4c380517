"""The properties and classes that ontologies use: OWL 2, RDFS, SKOS, oboInOwl, IAO, Dublin Core,
schema.org.
"""

from __future__ import annotations

from kgnb.kg.ontology import Kind
from kgnb.kg.prefixes import PREFIXES
from kgnb.kg.terms import OWL, RDF, RDFS, SKOS, XSD

OBO, OBO_IN_OWL, SKOSXL = PREFIXES["obo"], PREFIXES["oboInOwl"], PREFIXES["skosxl"]
_DC, _DCTERMS, _FOAF = PREFIXES["dc"], PREFIXES["dcterms"], PREFIXES["foaf"]
_DCAM = "http://purl.org/dc/dcam/"
_SCHEMA = (PREFIXES["schema"], PREFIXES["sdo"])

TYPE, FIRST, REST, NIL = f"{RDF}type", f"{RDF}first", f"{RDF}rest", f"{RDF}nil"
LABEL, COMMENT = f"{RDFS}label", f"{RDFS}comment"
SUBCLASS, SUBPROPERTY = f"{RDFS}subClassOf", f"{RDFS}subPropertyOf"
EQUIVALENT_CLASS = f"{OWL}equivalentClass"

LABELS = frozenset({LABEL, f"{SKOS}prefLabel", f"{SKOSXL}prefLabel"})
NAMES = frozenset(
    {
        f"{OBO}IAO_0000111",
        f"{_DC}title",
        f"{_DCTERMS}title",
        f"{_FOAF}name",
        *(f"{s}name" for s in _SCHEMA),
    }
)
"""They replace a missing label, and are synonyms next to one."""

SYNONYMS = frozenset(
    {
        *(f"{space}{name}" for space in (SKOS, SKOSXL) for name in ("altLabel", "hiddenLabel")),
        *(f"{OBO_IN_OWL}has{kind}Synonym" for kind in ("Exact", "Related", "Narrow", "Broad", "")),
        *(
            f"{OBO}IAO_0000118",
            f"{_DCTERMS}alternative",
            "http://www.ebi.ac.uk/efo/alternative_term",
        ),
        *(f"{s}alternateName" for s in _SCHEMA),
    }
)
DEFINITIONS = frozenset(
    {
        *(f"{SKOS}definition", f"{OBO}IAO_0000115", f"{OBO_IN_OWL}hasDefinition"),
        *(f"{space}description" for space in (_DC, _DCTERMS, *_SCHEMA)),
    }
)
COMMENTS = frozenset({COMMENT, f"{SKOS}note", f"{SKOS}scopeNote"})
TEXT_OF_NODE = (LABEL, f"{SKOSXL}literalForm", f"{RDF}value")
"""Where a synonym or a definition is a node, these properties hold its text."""

NAMED_AS = {
    "synonym": SYNONYMS,
    "exactsynonym": SYNONYMS,
    "relatedsynonym": SYNONYMS,
    "alternativelabel": SYNONYMS,
    "altlabel": SYNONYMS,
    "alternativeterm": SYNONYMS,
    "alternativename": SYNONYMS,
    "hassynonym": SYNONYMS,
    "hasexactsynonym": SYNONYMS,
    "hasrelatedsynonym": SYNONYMS,
    "definition": DEFINITIONS,
    "elucidation": DEFINITIONS,
    "textualdefinition": DEFINITIONS,
    "hasdefinition": DEFINITIONS,
    "preflabel": LABELS,
    "preferredlabel": LABELS,
    "preferredname": LABELS,
    "label": NAMES,
    "name": NAMES,
    "title": NAMES,
}
"""What a file's own annotation property means by its name or label, without spaces, punctuation and
case.
"""

DOMAINS = frozenset(
    {f"{RDFS}domain", f"{_DCAM}domainIncludes", *(f"{s}domainIncludes" for s in _SCHEMA)}
)
RANGES = frozenset(
    {f"{RDFS}range", f"{_DCAM}rangeIncludes", *(f"{s}rangeIncludes" for s in _SCHEMA)}
)
EQUIVALENTS = frozenset({EQUIVALENT_CLASS, f"{OWL}equivalentProperty", f"{OWL}sameAs"})
EXACT_MATCH = f"{SKOS}exactMatch"
DISJOINTS = frozenset({f"{OWL}disjointWith", f"{OWL}propertyDisjointWith", f"{OWL}complementOf"})
INVERSE, DEPRECATED = f"{OWL}inverseOf", f"{OWL}deprecated"
MEMBERS, UNION, INTERSECTION = f"{OWL}members", f"{OWL}unionOf", f"{OWL}intersectionOf"
DISJOINT_UNION, IMPORTS, ONTOLOGY = f"{OWL}disjointUnionOf", f"{OWL}imports", f"{OWL}Ontology"
ON_PROPERTY, ON_DATATYPE = f"{OWL}onProperty", f"{OWL}onDatatype"

CONSTRAINTS = {
    f"{OWL}{name}": kind
    for name, kind in (
        ("someValuesFrom", "some"),
        ("allValuesFrom", "all"),
        ("hasValue", "value"),
        ("hasSelf", "self"),
    )
}
CARDINALITIES = {
    f"{OWL}{name}": kind
    for kind, names in (
        ("min", ("minCardinality", "minQualifiedCardinality")),
        ("max", ("maxCardinality", "maxQualifiedCardinality")),
        ("exactly", ("cardinality", "qualifiedCardinality")),
    )
    for name in names
}
ON_FILLER = (f"{OWL}onClass", f"{OWL}onDataRange")

_OF_RELATIONS = ("Transitive", "Symmetric", "Asymmetric", "Reflexive", "Irreflexive")
KINDS: dict[str, Kind] = {
    **dict.fromkeys((f"{OWL}Class", f"{RDFS}Class", f"{OWL}DeprecatedClass"), "class"),
    **dict.fromkeys(
        (f"{OWL}{name}Property" for name in ("Object", *_OF_RELATIONS)), "object property"
    ),
    f"{OWL}DatatypeProperty": "datatype property",
    f"{OWL}AnnotationProperty": "annotation property",
}
BY_RANGE = frozenset(
    {
        f"{RDF}Property",
        f"{OWL}FunctionalProperty",
        f"{OWL}InverseFunctionalProperty",
        f"{OWL}DeprecatedProperty",
    }
)
CHARACTERISTICS = {
    f"{OWL}FunctionalProperty": "functional",
    f"{OWL}InverseFunctionalProperty": "inverse functional",
    **{f"{OWL}{name}Property": name.lower() for name in _OF_RELATIONS},
}
DATATYPES = frozenset(
    {
        f"{RDFS}Literal",
        f"{RDF}langString",
        f"{RDF}PlainLiteral",
        f"{RDF}XMLLiteral",
        f"{RDF}HTML",
        f"{RDF}JSON",
    }
    | {
        f"{s}{n}"
        for s in _SCHEMA
        for n in (
            "Text",
            "URL",
            "Number",
            "Integer",
            "Float",
            "Boolean",
            "Date",
            "DateTime",
            "Time",
        )
    }
)
CONCEPT, BROADER, NARROWER = f"{SKOS}Concept", f"{SKOS}broader", f"{SKOS}narrower"
ISO_THES = "http://purl.org/iso25964/skos-thes#"
WIDER = (
    BROADER,
    f"{SKOS}broaderTransitive",
    f"{ISO_THES}broaderGeneric",
    f"{ISO_THES}broaderPartitive",
)
CLOSER = (
    NARROWER,
    f"{SKOS}narrowerTransitive",
    f"{ISO_THES}narrowerGeneric",
    f"{ISO_THES}narrowerPartitive",
)
IN_SCHEME = (f"{SKOS}inScheme", f"{SKOS}topConceptOf")
TOP_CONCEPT = f"{SKOS}hasTopConcept"
NOTATIONS = frozenset({f"{SKOS}notation"})
META_TYPES = (
    frozenset(KINDS)
    | BY_RANGE
    | {CONCEPT}
    | {ONTOLOGY, f"{RDFS}Datatype", f"{OWL}DataRange", f"{OWL}Restriction"}
)
BUILT_IN = (RDF, RDFS, OWL, XSD, SKOS, SKOSXL, ISO_THES, OBO_IN_OWL) + tuple(
    PREFIXES[name] for name in ("xml", "swrl", "swrlb", "protege")
)
"""Namespaces of the languages that ontologies are written in."""

TOPS = frozenset(
    {
        f"{OWL}Thing",
        f"{RDFS}Resource",
        f"{OWL}topObjectProperty",
        f"{OWL}topDataProperty",
        f"{OWL}Nothing",
    }
)
STRUCTURE = (
    frozenset(CONSTRAINTS)
    | frozenset(CARDINALITIES)
    | DOMAINS
    | RANGES
    | EQUIVALENTS
    | DISJOINTS
    | {
        SUBCLASS,
        SUBPROPERTY,
        FIRST,
        REST,
        INVERSE,
        DEPRECATED,
        MEMBERS,
        UNION,
        INTERSECTION,
        DISJOINT_UNION,
        IMPORTS,
    }
    | {ON_PROPERTY, ON_DATATYPE, *ON_FILLER, EXACT_MATCH, *WIDER, *CLOSER, *IN_SCHEME, TOP_CONCEPT}
)

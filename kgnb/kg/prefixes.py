"""Prefixes that nearly every file and endpoint uses, and IRIs shortened with them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from kgnb.kg.terms import local_name

PREFIXES: Mapping[str, str] = {
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "owl": "http://www.w3.org/2002/07/owl#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
    "xml": "http://www.w3.org/XML/1998/namespace",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "skosxl": "http://www.w3.org/2008/05/skos-xl#",
    "dc": "http://purl.org/dc/elements/1.1/",
    "dcterms": "http://purl.org/dc/terms/",
    "dcat": "http://www.w3.org/ns/dcat#",
    "foaf": "http://xmlns.com/foaf/0.1/",
    "geo": "http://www.opengis.net/ont/geosparql#",
    "obo": "http://purl.obolibrary.org/obo/",
    "oboInOwl": "http://www.geneontology.org/formats/oboInOwl#",
    "org": "http://www.w3.org/ns/org#",
    "prov": "http://www.w3.org/ns/prov#",
    "qudt": "http://qudt.org/schema/qudt/",
    "unit": "http://qudt.org/vocab/unit/",
    "om": "http://www.ontology-of-units-of-measure.org/resource/om-2/",
    "schema": "http://schema.org/",
    "sdo": "https://schema.org/",
    "sh": "http://www.w3.org/ns/shacl#",
    "sosa": "http://www.w3.org/ns/sosa/",
    "ssn": "http://www.w3.org/ns/ssn/",
    "time": "http://www.w3.org/2006/time#",
    "vann": "http://purl.org/vocab/vann/",
    "void": "http://rdfs.org/ns/void#",
    "dbo": "http://dbpedia.org/ontology/",
    "dbp": "http://dbpedia.org/property/",
    "dbr": "http://dbpedia.org/resource/",
    "wd": "http://www.wikidata.org/entity/",
    "wdt": "http://www.wikidata.org/prop/direct/",
    "wikibase": "http://wikiba.se/ontology#",
    "swrl": "http://www.w3.org/2003/11/swrl#",
    "swrlb": "http://www.w3.org/2003/11/swrlb#",
    "protege": "http://protege.stanford.edu/plugins/owl/protege#",
}

_LOCAL = re.compile(r"\w(?:[\w.\-]*[\w\-])?|")


def shorten(iri: str, prefixes: Mapping[str, str] | Iterable[tuple[str, str]] = ()) -> str:
    """The IRI as ``prefix:name`` with the longest namespace that fits, else the IRI itself.

    The caller's prefixes take precedence over the built-in ones. The rest after the namespace must
    be a plain name, so that Turtle and SPARQL parsers can read the result.

    >>> shorten("http://www.w3.org/2000/01/rdf-schema#label")
    'rdfs:label'
    >>> shorten("http://hut.example/Bed", {"hut": "http://hut.example/"})
    'hut:Bed'
    """
    own = dict(prefixes)
    best, short = "", iri
    for prefix, namespace in {
        **own,
        **{name: space for name, space in PREFIXES.items() if name not in own},
    }.items():
        if (
            iri.startswith(namespace)
            and len(namespace) > len(best)
            and _LOCAL.fullmatch(iri[len(namespace) :])
        ):
            best, short = namespace, f"{prefix}:{iri[len(namespace) :]}"
    return short


def told_apart(labels: Iterable[tuple[str, str]]) -> dict[str, str]:
    """The label of each IRI; where several IRIs have one label, with the prefix of its namespace.

    Without a known prefix the last part of the namespace stands for it.

    >>> a, b = "http://xmlns.com/foaf/0.1/Document", "http://docs.example/Documents/Document"
    >>> list(told_apart([(a, "Document"), (b, "Document"), ("http://x.example/Bed", "Bed")]).values())
    ['foaf:Document', 'Documents:Document', 'Bed']
    """
    known = dict(labels)
    owners: dict[str, set[str]] = {}
    for iri, label in known.items():
        owners.setdefault(label, set()).add(iri)
    return {
        iri: f"{_prefix_of(iri)}:{label}" if len(owners[label]) > 1 and label else label
        for iri, label in known.items()
    }


def _prefix_of(iri: str) -> str:
    curie = shorten(iri)
    if curie != iri:
        return curie.partition(":")[0]
    namespace = re.split(r"[#/:][^#/:]*$", iri.rstrip("#/:"))[0].rstrip("#/:")
    return local_name(namespace)

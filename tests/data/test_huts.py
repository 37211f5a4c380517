"""Our own hut data: strict RDF, whole, and what SOURCE.md says of it."""

import re
from collections import Counter
from pathlib import Path

import pyoxigraph as ox
import pytest
import rdflib
from rdflib.namespace import OWL, RDF, RDFS

from kgnb.evaluate.alignment import oriented, triples
from kgnb.mapping_files import load_reference

HUTS = Path(__file__).parents[2] / "data" / "huts"
FORMATS = {
    "alpine.ttl": ("turtle", ox.RdfFormat.TURTLE),
    "refuge.owl": ("xml", ox.RdfFormat.RDF_XML),
}
KINDS = {
    OWL.Class: "class",
    OWL.ObjectProperty: "object property",
    OWL.DatatypeProperty: "datatype property",
}


def graph(name: str) -> rdflib.Graph:
    return rdflib.Graph().parse(HUTS / name, format=FORMATS[name][0])


def entities(name: str) -> dict[str, str]:
    return {
        str(iri): kind
        for type_, kind in KINDS.items()
        for iri in graph(name).subjects(RDF.type, type_)
        if isinstance(iri, rdflib.URIRef)
    }


@pytest.mark.parametrize("name", FORMATS)
def test_both_ontologies_are_strict_rdf_for_two_parsers(name: str) -> None:
    strict = list(ox.parse((HUTS / name).read_bytes(), format=FORMATS[name][1]))
    assert len(strict) == len(graph(name)) > 300


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("alpine.ttl", {"class": 32, "object property": 15, "datatype property": 12}),
        ("refuge.owl", {"class": 35, "object property": 15, "datatype property": 10}),
    ],
)
def test_the_entities_are_as_many_as_source_says(name: str, counts: dict[str, int]) -> None:
    found = Counter(entities(name).values())
    assert found == counts
    assert 30 <= found.total() <= 60
    row = next(
        line
        for line in (HUTS / "SOURCE.md").read_text().splitlines()
        if line.startswith(f"| `{name}`")
    )
    said = re.search(r"(\d+) entities: (\d+) classes, (\d+) object and (\d+) datatype", row)
    assert said is not None and [int(n) for n in said.groups()] == [found.total(), *counts.values()]


@pytest.mark.parametrize("name", FORMATS)
def test_every_entity_that_is_spoken_of_is_declared(name: str) -> None:
    declared, read = entities(name), graph(name)
    space = f"http://huts.example/{name.split('.')[0]}#"
    named = {str(term) for triple in read for term in triple if str(term).startswith(space)}
    assert named == set(declared)
    for prop, kind in declared.items():
        if kind == "object property":
            assert list(read.objects(rdflib.URIRef(prop), RDFS.domain)) and list(
                read.objects(rdflib.URIRef(prop), RDFS.range)
            )


def test_the_reference_joins_entities_of_one_kind_that_exist() -> None:
    alignment = load_reference(HUTS / "reference.rdf")
    here, there = entities("alpine.ttl"), entities("refuge.owl")
    for mapping in alignment:
        assert here[mapping.source] == there[mapping.target], mapping
    assert Counter(m.relation for m in alignment) == {"equivalent": 48, "broader": 5, "narrower": 3}
    turned = oriented(triples(alignment), here, there)
    assert not turned.flipped and not turned.strangers

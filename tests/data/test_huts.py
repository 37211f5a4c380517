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
FORMATS = {"alpine.ttl": ("turtle", ox.RdfFormat.TURTLE), "refuge.owl": ("xml", ox.RdfFormat.RDF_XML)}
KINDS = {OWL.Class: "class", OWL.ObjectProperty: "object property", OWL.DatatypeProperty: "datatype property"}


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
    row = next(line for line in (HUTS / "SOURCE.md").read_text().splitlines() if line.startswith(f"| `{name}`"))
    said = re.search(r"(\d+) entities: (\d+) classes, (\d+) object and (\d+) datatype", row)
    assert said is not None and [int(n) for n in said.groups()] == [found.total(), *counts.values()]


@pytest.mark.parametrize(("name", "languages"), [("alpine.ttl", {"en", "de"}), ("refuge.owl", {"en", "fr"})])
def test_every_entity_has_one_label_in_each_language_and_a_definition(name: str, languages: set[str]) -> None:
    read = graph(name)
    described = (
        rdflib.URIRef("http://www.w3.org/2004/02/skos/core#definition") if name == "alpine.ttl" else RDFS.comment
    )
    for iri in map(rdflib.URIRef, entities(name)):
        labels = list(read.objects(iri, RDFS.label))
        assert {label.language for label in labels} == languages and len(labels) == 2, iri
        assert read.value(iri, described, any=True), iri


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


def test_the_axioms_a_matcher_can_use_are_there() -> None:
    for name in FORMATS:
        read = graph(name)
        assert len(list(read.triples((None, OWL.disjointWith, None)))) >= 6
        assert len(list(read.triples((None, OWL.inverseOf, None)))) == 1
        assert len(list(read.subjects(RDF.type, OWL.Restriction))) >= 3


def test_synonyms_over_there_are_resources_with_a_label() -> None:
    read = graph("refuge.owl")
    nodes = list(read.objects(None, rdflib.URIRef("http://www.geneontology.org/formats/oboInOwl#hasRelatedSynonym")))
    assert len(nodes) > 30
    assert all(read.value(node, RDFS.label) for node in nodes)


def test_the_reference_joins_entities_of_one_kind_that_exist() -> None:
    alignment = load_reference(HUTS / "reference.rdf")
    here, there = entities("alpine.ttl"), entities("refuge.owl")
    for mapping in alignment:
        assert here[mapping.source] == there[mapping.target], mapping
    assert Counter(m.relation for m in alignment) == {"equivalent": 48, "broader": 5, "narrower": 3}
    turned = oriented(triples(alignment), here, there)
    assert not turned.flipped and not turned.strangers


def test_equivalences_are_one_to_one_and_no_pair_is_said_twice() -> None:
    alignment = load_reference(HUTS / "reference.rdf")
    equal = [mapping for mapping in alignment if mapping.relation == "equivalent"]
    assert len({m.source for m in equal}) == len({m.target for m in equal}) == len(equal)
    assert len({m.pair for m in alignment}) == len(alignment)


def test_equivalent_classes_do_not_contradict_the_hierarchies() -> None:
    """Where two alpine classes are one above the other, the refuge classes they equal are not the other way round."""
    equal = {m.source: m.target for m in load_reference(HUTS / "reference.rdf") if m.relation == "equivalent"}
    here, there = graph("alpine.ttl"), graph("refuge.owl")
    for child, _, parent in here.triples((None, RDFS.subClassOf, None)):
        if str(child) in equal and str(parent) in equal:
            above = set(there.transitive_objects(rdflib.URIRef(equal[str(child)]), RDFS.subClassOf))
            assert rdflib.URIRef(equal[str(parent)]) in above, (child, parent)
    for one, _, other in here.triples((None, OWL.disjointWith, None)):
        assert equal.get(str(one), "one") != equal.get(str(other), "other")


def test_the_traps_source_names_are_set() -> None:
    """Labels that agree while the reference does not."""
    pairs = {m.pair for m in load_reference(HUTS / "reference.rdf")}
    for here, there in (
        ("Stage", "RF_0000112"),
        ("Track", "RF_0000113"),
        ("Season", "RF_0000130"),
        ("Pass", "RF_0000135"),
    ):
        source, target = f"http://huts.example/alpine#{here}", f"http://huts.example/refuge#{there}"
        labels = [
            {str(label).lower() for label in graph(name).objects(rdflib.URIRef(iri), RDFS.label)}
            for name, iri in (("alpine.ttl", source), ("refuge.owl", target))
        ]
        assert labels[0] & labels[1]
        assert (source, target) not in pairs


def test_the_data_says_whose_it_is() -> None:
    source = (HUTS / "SOURCE.md").read_text()
    assert "CC0-1.0" in source and "fictional" in source
    world = (HUTS / "WORLD.md").read_text()
    assert len(world.splitlines()) < 130

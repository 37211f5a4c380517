"""Entity graphs from RDF and from folders; names from labels and IRIs; values as tokens."""

import numpy as np
import pytest
import rdflib

from kgnb.agents.entity_alignment.comparison import value_tokens
from kgnb.agents.entity_alignment.graphs import EntityGraph, Value
from kgnb.agents.entity_alignment.names import bare, compare_ready, folded, from_graph, local_names
from kgnb.datasets.entity_folders import RawGraph
from kgnb.kg.rdflib_graph import RdflibGraph
from kgnb.tasks.sides import from_raw
from kgnb.vectors.character_embedder import CharacterEmbedder

TURTLE = """
@prefix : <http://hut.example/> . @prefix o: <http://hut.example/onto#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
o:Hut a owl:Class ; rdfs:label "hut"@en ; rdfs:subClassOf o:Building .
o:near a owl:ObjectProperty ; rdfs:label "near"@en .
<http://hut.example/onto> a owl:Ontology ; rdfs:label "an ontology" .
:h1 a o:Hut ; rdfs:label "Bergsee Hütte"@de ; skos:altLabel "Bergsee"@de ; o:near :lake_one, :h2 ; o:beds 80 ;
    o:page <http://www.bergsee.example/> ; owl:sameAs <http://other.example/x1> ; o:address [ o:street "Weg 1" ] .
:h2 a o:Hut ; o:beds "40"^^<http://www.w3.org/2001/XMLSchema#int> ; skos:exactMatch <http://other.example/x2> .
"""


@pytest.fixture
def hut() -> EntityGraph:
    graph = rdflib.Graph()
    graph.parse(data=TURTLE, format="turtle")
    return from_graph(RdflibGraph(graph))


def test_a_folders_own_labels_come_before_codes() -> None:
    raw = RawGraph(
        "w",
        tuple(f"http://w.example/entity/Q{number}" for number in range(3)),
        (),
        np.empty((0, 3), dtype=np.int32),
        ("http://w.example/prop/label", "http://w.example/prop/P1"),
        (("Bergsee", "de", ""), ("1999", "", "")),
        np.array([[0, 0, 0], [1, 1, 1]], dtype=np.int32),
    )
    assert from_raw(raw).names == ("Bergsee", "", "")


def test_folding_spares_marks_that_are_letters() -> None:
    assert folded("Zurovići, ÉCOLE") == "zurovici ecole"
    assert folded("ガギ") == "ガギ"
    assert folded("ｈｕｔ") == "hut"
    assert folded("?!") == "?!"
    assert bare("Hut (Alps)") == bare("HUT, Alps") == "hut"


def test_equal_names_meet_and_other_names_do_not() -> None:
    left, right = compare_ready(
        ["Söller", "Hut 12", ""], ["soller", "Hut 13", ""], CharacterEmbedder(64)
    )
    assert left.whole[0] == right.whole[0] >= 0
    assert left.whole[2] == -1
    assert left.numbers[1] != right.numbers[1]
    assert not left.vectors[2].any()
    assert float(left.vectors[0] @ left.vectors[0]) == pytest.approx(1, abs=1e-3)


def test_hidden_and_other_names_leave_the_rest_alone(hut: EntityGraph) -> None:
    assert set(hut.unnamed().names) == {""}
    assert hut.renamed({"http://hut.example/h2": " Two\tBeds "}).names[1] == "Two Beds"
    assert hut.digest != hut.unnamed().digest


def test_only_individuals_are_entities_with_labels_for_names_and_typed_values(
    hut: EntityGraph,
) -> None:
    assert hut.entities == tuple(f"http://hut.example/{name}" for name in ("h1", "h2", "lake_one"))
    assert hut.relations == ("http://hut.example/onto#near",)
    assert sorted(map(tuple, hut.triples.tolist())) == [(0, 0, 1), (0, 0, 2)]
    assert hut.names == ("Bergsee Hütte", "h2", "lake one") and hut.aliases == {0: ("Bergsee",)}
    described = {(hut.attributes[attribute], value) for attribute, value in hut.attributes_of(0)}
    assert (
        "http://hut.example/onto#beds",
        Value("80", "", "http://www.w3.org/2001/XMLSchema#integer"),
    ) in described
    page = Value("http://www.bergsee.example/", "", "http://www.w3.org/2001/XMLSchema#anyURI")
    assert ("http://hut.example/onto#page", page) in described
    everything = " ".join(
        [*hut.entities, *hut.relations, *hut.attributes, *(value.text for value in hut.values)]
    )
    assert (
        "other.example" not in everything and "sameAs" not in everything
    )  # links that would be the answer


def test_names_are_read_from_iris() -> None:
    for iris, found in (
        (
            ["http://d.org/r/A_b", "http://d.org/r/C_(d)", "http://d.org/r/AC/DC_x"],
            ("A b", "C (d)", "AC/DC x"),
        ),
        (["http://d.org/r#hutMonte", "http://d.org/r#innLake"], ("hut monte", "inn lake")),
        (["http://d.org/%C3%89cole_x", "http://d.org/1984"], ("École x", "1984")),
        (["urn:x:Q1", "urn:x:Q22"], ("", "")),
        ([], ()),
        (["http://d.org/r/"], ("r",)),
    ):
        assert local_names(iris) == found


def test_values_written_differently_are_one() -> None:
    for one, other in (
        ("80", "80.0"),
        ("8e1", "80"),
        ("  Weg 1 ", "weg 1"),
        ("ｈｕｔ", "hut"),
        ("École", "ecole"),
    ):
        assert value_tokens(one)[0] == value_tokens(other)[0]


def test_refuses_arrays_that_do_not_fit(hut: EntityGraph) -> None:
    for names, relations, triples in (
        ((), hut.relations, hut.triples),
        (hut.names, (), np.array([[0, 0, 0]], np.int32)),
        (hut.names, hut.relations, np.zeros((1, 2), np.int32)),
    ):
        with pytest.raises(ValueError, match=r"names|index|shape"):
            EntityGraph("g", hut.entities, names, relations, triples)


def test_a_given_and_a_family_name_make_a_name_and_two_of_a_kind_do_not() -> None:
    graph = rdflib.Graph().parse(
        data="""@prefix foaf: <http://xmlns.com/foaf/0.1/> . @prefix s: <https://schema.org/> .
        @prefix : <http://p.example/> .
        :x1 foaf:givenName "Ada" ; foaf:familyName "Lovelace" .
        :x2 s:givenName "Grace" ; s:familyName "Hopper" ; s:name "Admiral Hopper" .
        :x3 foaf:firstName "Alan" ; foaf:givenName "Mathison" ; foaf:lastName "Turing" .
        :x4 foaf:givenName "Emmy" .""",
        format="turtle",
    )
    read = from_graph(RdflibGraph(graph))
    names = dict(zip(read.entities, read.names, strict=True))
    assert names["http://p.example/x1"] == "Ada Lovelace"
    assert names["http://p.example/x2"] == "Admiral Hopper"
    assert "Turing" not in names["http://p.example/x3"]
    assert "Emmy" not in names["http://p.example/x4"]

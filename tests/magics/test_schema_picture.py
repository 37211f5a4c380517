"""What is drawn of a schema: the central classes, and what axioms ask for."""

import rdflib

from kgnb.kg.rdflib_graph import RdflibGraph
from kgnb.kg.schema import read_schema
from kgnb.magics.kg import picture_of_schema
from kgnb.results.graph import GraphPicture

ONTOLOGY = """
@prefix : <https://example.org/huts#> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Aardvark a owl:Class . :Hut a owl:Class . :Warden a owl:Class . :Stove a owl:Class . :Lamp a owl:Class .
:warden a owl:ObjectProperty . :heatedBy a owl:ObjectProperty . :litBy a owl:ObjectProperty ;
  rdfs:domain [ a owl:Class ; owl:unionOf ( :Hut :Bivouac ) ] ; rdfs:range :Lamp .
:StaffedHut a owl:Class ; rdfs:subClassOf :Hut ,
  [ a owl:Restriction ; owl:onProperty :warden ; owl:someValuesFrom :Warden ] .
:WinterHut a owl:Class ; owl:equivalentClass [ owl:intersectionOf ( :Hut
  [ a owl:Restriction ; owl:onProperty :heatedBy ; owl:onClass :Stove ; owl:qualifiedCardinality 1 ] ) ] .
:Bivouac a owl:Class ; rdfs:subClassOf :Hut . :Hut rdfs:subClassOf :Bivouac .
"""


def drawn(most: int = 40) -> GraphPicture:
    graph = RdflibGraph(rdflib.Graph().parse(data=ONTOLOGY, format="turtle"))
    return picture_of_schema(read_schema(graph), "huts", most)


def test_restrictions_and_unions_join_classes() -> None:
    base = "https://example.org/huts#"
    joined = {
        (e.source.removeprefix(base), e.label, e.target.removeprefix(base)) for e in drawn().edges
    }
    assert {
        ("StaffedHut", "warden", "Warden"),
        ("WinterHut", "heated by", "Stove"),
        ("Hut", "lit by", "Lamp"),
        ("Bivouac", "lit by", "Lamp"),
    } <= joined


def test_classes_that_happen_to_have_as_many_links_each_keep_theirs() -> None:
    data = """@prefix : <https://example.org/pets#> .
    :rex a :Dog ; :owner :anna . :bella a :Dog ; :owner :tom . :anna a :Person .
    :mimi a :Cat ; :owner :anna . :felix a :Cat ; :owner :tom . :tom a :Person ."""
    graph = RdflibGraph(rdflib.Graph().parse(data=data, format="turtle"))
    drawn = {
        edge.source.partition("#")[2]
        for edge in picture_of_schema(read_schema(graph), "pets").edges
    }
    assert drawn == {"Dog", "Cat"}


def test_the_class_with_most_kinds_comes_first_and_a_circle_ends() -> None:
    assert {node.label for node in drawn(2).nodes} == {"Hut", "Bivouac"}
    assert drawn(2).notes == ("6 more classes not drawn: --classes 8",)
    assert not drawn(8).notes

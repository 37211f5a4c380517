"""What an entity is described by; ontologies that mention each other, and properties of no kind."""

import json

import pytest

from kgnb import match_ontologies
from kgnb.agents.ontology_matching.retrieve import comparable, retrieve
from kgnb.agents.ontology_matching.values import Options
from kgnb.kg.loading import load
from kgnb.kg.ontology import Entity, Ontology, Text
from kgnb.kg.ontology_reader import read_ontology
from kgnb.kg.oxigraph_graph import OxigraphGraph
from kgnb.llm.scripted import ScriptedModel
from tests.agents.ontology_matching.small import HUT, alpine, refuge


def test_individuals_come_only_when_asked_for() -> None:
    person = Entity("http://x.example/anna", "individual", labels=(Text("Anna"),))
    ontology = Ontology("x", "x", "x", (*alpine().entities, person))
    assert len(retrieve(ontology, refuge()).of("source")) == len(alpine())
    assert (
        len(retrieve(ontology, refuge(), options=Options(individuals=True)).of("source"))
        == len(alpine()) + 1
    )


def test_an_ontology_without_entities_is_refused() -> None:
    with pytest.raises(ValueError, match="empty: there is no class, property or concept"):
        retrieve(Ontology("empty", "x", "x", ()), alpine())


def test_a_model_defines_what_has_no_definition_and_nothing_else() -> None:
    def answer(request: object) -> str:
        terms = json.loads(request.messages[-1].text)  # type: ignore[attr-defined]
        return json.dumps(
            {
                "entries": [
                    {"number": int(n), "meaning": f"what {term['name']} is"}
                    for n, term in terms.items()
                ]
            }
        )

    model = ScriptedModel(answer)
    described = retrieve(alpine(), refuge(), model=model, options=Options(define=True))
    assert "what Warden is" in described.find("source", HUT + "Warden", "class").lexical
    assert not any(
        "what" in text for text in described.find("source", HUT + "Booking", "class").lexical
    )
    nonsense = ScriptedModel(lambda request: "no idea")
    described = retrieve(alpine(), refuge(), model=nonsense, options=Options(define=True))
    assert described.descriptions == retrieve(alpine(), refuge()).descriptions


PREFIXES = """@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix a: <http://a.example/> . @prefix b: <http://b.example/> . @prefix c: <http://c.example/> ."""


def ontology(tmp_path, name: str, turtle: str) -> Ontology:
    (tmp_path / f"{name}.ttl").write_text(PREFIXES + turtle)
    graph = OxigraphGraph()
    load(graph, tmp_path / f"{name}.ttl")
    return read_ontology(graph)


def test_what_is_only_mentioned_is_not_matched(tmp_path) -> None:
    one = ontology(
        tmp_path,
        "a",
        'a:Person a owl:Class . a:Hut a owl:Class . a:Bed a owl:Class ; rdfs:label "bed" .',
    )
    two = ontology(
        tmp_path,
        "b",
        """b:Human a owl:Class ; owl:equivalentClass a:Person, c:Mensch . b:Refuge a owl:Class . b:Bunk a owl:Class .
        a:Person a owl:Class . c:Mensch a owl:Class . c:Tent a owl:Class ; rdfs:label "tent" .""",
    )
    left, right = comparable(one, two)
    assert left is one
    assert [entity.iri for entity in right] == [
        "http://b.example/Bunk",
        "http://b.example/Human",
        "http://b.example/Refuge",
        "http://c.example/Tent",
    ]


def test_a_property_of_no_kind_takes_that_of_the_other_sides_property_of_its_name(tmp_path) -> None:
    one = ontology(
        tmp_path,
        "a",
        'a:givenName a rdf:Property ; rdfs:label "Given name" . a:age a rdf:Property .',
    )
    two = ontology(
        tmp_path, "b", "b:givenName a owl:DatatypeProperty . b:p1 a owl:ObjectProperty ."
    )
    left, right = comparable(one, two)
    assert {e.local_name: e.kind for e in left} == {
        "givenName": "datatype property",
        "age": "annotation property",
    }
    assert right is two
    assert {e.local_name: e.kind for e in comparable(two, one)[1]} == {
        e.local_name: e.kind for e in left
    }


def test_what_an_ontology_says_itself_is_believed_whatever_the_names(tmp_path) -> None:
    one = ontology(
        tmp_path,
        "a",
        'a:c1 a owl:Class ; rdfs:label "warden" . a:c2 a owl:Class ; rdfs:label "hut" .',
    )
    two = ontology(
        tmp_path,
        "b",
        """b:d1 a owl:Class ; rdfs:label "keeper of a house" ; owl:equivalentClass a:c1 .
        b:d2 a owl:Class ; rdfs:label "glacier" ; skos:exactMatch a:c2 .""",
    )
    for ends in ((one, two), (two, one)):
        alignment = match_ontologies(*ends, judge="rule", embedder="characters")
        assert {frozenset(mapping.pair) for mapping in alignment} == {
            frozenset(("http://a.example/c1", "http://b.example/d1")),
            frozenset(("http://a.example/c2", "http://b.example/d2")),
        }
        assert all(
            mapping.confidence > 0.99 and "said to be equal" in mapping.rationale
            for mapping in alignment
        )


def test_two_properties_for_one_thing_do_not_keep_each_other_from_it(tmp_path) -> None:
    one = ontology(
        tmp_path,
        "a",
        """a:givenName a owl:DatatypeProperty . a:given_name a owl:DatatypeProperty . a:Person a owl:Class .
        a:age a owl:DatatypeProperty . a:Hut a owl:Class . a:Bed a owl:Class .""",
    )
    two = ontology(
        tmp_path,
        "b",
        """b:givenName a owl:DatatypeProperty . b:Person a owl:Class . b:age a owl:DatatypeProperty .
        b:Hut a owl:Class . b:Bed a owl:Class .""",
    )
    alignment = match_ontologies(one, two, judge="rule", embedder="characters")
    assert len(alignment) == 5
    assert [m.confidence > 0.8 for m in alignment if m.target == "http://b.example/givenName"] == [
        True
    ]


def test_a_property_may_be_about_values_here_and_about_things_there(tmp_path) -> None:
    one = ontology(
        tmp_path, "a", "a:email a owl:DatatypeProperty . a:name a owl:DatatypeProperty ."
    )
    two = ontology(
        tmp_path,
        "b",
        "b:email a owl:ObjectProperty . b:name a owl:DatatypeProperty, owl:ObjectProperty .",
    )
    left, right = comparable(one, two)
    assert {e.local_name: e.kind for e in left} == {
        "email": "object property",
        "name": "datatype property",
    }
    assert right is two

"""Questions about a term itself: what it is, what it is called, what lies above and below it."""

from pathlib import Path

import pytest

import kgnb
from kgnb.agents.question_answering.pipeline import answer_question
from kgnb.agents.question_answering.values import Answer, Question
from tests.agents.question_answering.worlds import context

ZOO = """
@prefix : <http://zoo.example/> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
:Animal a owl:Class ; rdfs:label "animal"@en ;
  rdfs:comment "A living thing that eats."@en , "Ein Lebewesen, das frisst."@de .
:Bird a owl:Class ; rdfs:label "bird"@en ; rdfs:subClassOf :Animal .
:Owl a owl:Class ; rdfs:label "owl"@en ; skos:altLabel "night bird"@en ;
  rdfs:subClassOf :Bird , [ a owl:Restriction ; owl:onProperty :eats ; owl:someValuesFrom :Mouse ] .
:GreyHeron a owl:Class ; rdfs:label "Graureiher"@de ; rdfs:subClassOf :Bird .
:Mouse a owl:Class ; rdfs:label "mouse"@en ; rdfs:subClassOf :Animal .
:zelda a :Owl , :Bird , :Animal ; rdfs:label "Zelda" ; :parents :otto .
:otto a :Owl ; rdfs:label "Otto" ; :kind "barn owl" .
:tom a :Keeper ; rdfs:label "Tom Rook" ; :description "Looks after the birds on Mondays." .
:Keeper a owl:Class ; rdfs:label "keeper" ; rdfs:comment "Somebody who looks after animals." .
:eats rdfs:label "eats" . :parents rdfs:label "parents" . :kind rdfs:label "kind" .
:twin1 a :Keeper ; rdfs:label "Ada Lamb" ; rdfs:comment "Feeds the fish." .
:twin2 a :Keeper ; rdfs:label "Ada Lamb" ; rdfs:comment "Sells the tickets." .
:colours a skos:ConceptScheme .
:red a skos:Concept ; skos:prefLabel "red"@en . :crimson a skos:Concept ;
  skos:prefLabel "crimson"@en ; skos:broader :red .
"""


def ask(text: str) -> Answer:
    return answer_question(Question("q", text), context(ZOO))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What is an animal?", ["A living thing that eats."]),  # in one language, not in both
        ("What is the definition of keeper?", ["Somebody who looks after animals."]),
        ("Define animal", ["A living thing that eats."]),
        ("Who is Tom Rook?", ["Looks after the birds on Mondays."]),
        ("What is Zelda?", ["owl"]),  # stated as a bird and an animal too
        ("What is an owl?", ["bird"]),  # and not the restriction
        ("What are the subclasses of bird?", ["owl", "Graureiher"]),
        ("Which kinds of bird are there?", ["owl", "Graureiher"]),
        ("What is the superclass of bird?", ["animal"]),
        ("What is an owl a kind of?", ["bird"]),
        ("What are the synonyms of owl?", ["night bird"]),
        ("What is a grey heron?", ["bird"]),  # its only label is in another language
        ("What are the narrower concepts of red?", ["crimson"]),
        ("Is an owl an animal?", ["true"]),
        ("Are owls a kind of bird?", ["true"]),
    ],
)
def test_a_question_about_a_term_is_answered(text: str, expected: list[str]) -> None:
    answer = ask(text)
    assert sorted(map(answer.label, answer.values)) == sorted(expected)
    assert answer.confidence >= 0.9 and answer.support


@pytest.mark.parametrize(
    "text",
    [
        "Is a mouse a bird?",  # nowhere stated, and nowhere denied
        "Who is Zelda?",  # an owl: that says nothing of who
        "Who is Ada Lamb?",  # two of that name, and each is told about
        "What are the subclasses of mouse?",
    ],
)
def test_what_the_graph_does_not_settle_stays_open(text: str) -> None:
    assert not ask(text).values


def test_the_things_of_a_class_are_listed_and_not_defined() -> None:
    answer = ask("What are the keepers?")
    assert sorted(map(answer.label, answer.values)) == ["Ada Lamb", "Ada Lamb", "Tom Rook"]


def test_a_relation_of_the_graphs_own_comes_first() -> None:
    answer = ask("What is the kind of Otto?")
    assert list(map(answer.label, answer.values)) == ["barn owl"]


def test_an_ontology_in_a_file_is_asked_what_its_terms_mean(tmp_path: Path) -> None:
    file = tmp_path / "zoo.ttl"
    file.write_text(ZOO)
    answer = kgnb.answer_question("What is an animal?", file)
    assert [str(value.text) for value in answer.values] == ["A living thing that eats."]

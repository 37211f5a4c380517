"""What an ontology's restrictions say of every member of a class, and what they do not say."""

import pytest

from kgnb.agents.question_answering.pipeline import answer_question
from kgnb.agents.question_answering.values import Answer, Question
from tests.agents.question_answering.worlds import context

ZOO = """
@prefix : <http://zoo.example/> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:eats a owl:ObjectProperty ; rdfs:label "eats" . :lives a owl:ObjectProperty ; rdfs:label "lives in" .
:hasPart a owl:ObjectProperty ; rdfs:label "has part" . :partOf a owl:ObjectProperty ; rdfs:label "part of" .
:hasColour a owl:ObjectProperty ; rdfs:label "has colour" .
:Animal a owl:Class ; rdfs:label "animal" . :Wing a owl:Class ; rdfs:label "wing" .
:Leg a owl:Class ; rdfs:label "leg" . :Colour a owl:Class ; rdfs:label "colour" .
:Dark a owl:Class ; rdfs:label "dark colour" ; rdfs:subClassOf :Colour .
:Rodent a owl:Class ; rdfs:label "rodent" ; rdfs:subClassOf :Animal .
:Mouse a owl:Class ; rdfs:label "mouse" ; rdfs:subClassOf :Rodent .
:Femur a owl:Class ; rdfs:label "femur" ;
  rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :partOf ; owl:someValuesFrom :Leg ] .
:Bird a owl:Class ; rdfs:label "bird" ; rdfs:subClassOf :Animal ,
  [ a owl:Restriction ; owl:onProperty :hasPart ; owl:minQualifiedCardinality 1 ; owl:onClass :Wing ] ,
  [ a owl:Restriction ; owl:onProperty :hasPart ; owl:maxQualifiedCardinality 2 ; owl:onClass :Leg ] ,
  [ a owl:Restriction ; owl:onProperty :hasColour ; owl:someValuesFrom :Colour ] .
:Owl a owl:Class ; rdfs:label "owl" ; rdfs:subClassOf :Bird ,
  [ a owl:Restriction ; owl:onProperty :eats ; owl:someValuesFrom :Mouse ] .
:Crow a owl:Class ; rdfs:label "crow" ; rdfs:subClassOf :Bird ,
  [ a owl:Restriction ; owl:onProperty :eats ; owl:allValuesFrom :Rodent ] ,
  [ a owl:Restriction ; owl:onProperty :hasColour ; owl:allValuesFrom :Dark ] .
:BarnOwl a owl:Class ; rdfs:label "barn owl" ; owl:equivalentClass [ a owl:Class ; owl:intersectionOf
  ( :Owl [ a owl:Restriction ; owl:onProperty :lives ; owl:hasValue :barn ] ) ] .
:barn rdfs:label "Old Barn" .
"""


def ask(text: str) -> Answer:
    return answer_question(Question("q", text), context(ZOO))


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("What do owls eat?", "mouse"),
        ("What does a barn owl eat?", "mouse"),  # as every owl
        ("What does a barn owl live in?", "Old Barn"),
        ("What parts does an owl have?", "wing"),  # at most two legs may be none
        ("What are the parts of a bird?", "wing"),
        ("What is the femur part of?", "leg"),
        ("What is part of the leg?", "femur"),
        ("Which birds eat rodents?", "barn owl, owl"),  # a mouse is one
        ("Does a barn owl eat rodents?", "true"),
        ("Is the femur part of the leg?", "true"),
        ("What do crows eat?", ""),  # nothing but rodents, and perhaps nothing
        ("What colour does a crow have?", ""),  # some dark one, which no axiom says outright
        ("Do owls eat crows?", ""),  # not said, and so open
        ("What do mice eat?", ""),
        ("What do owls drink?", ""),
        ("What is part of a bird?", ""),  # what a bird has as a part may be said of other things
    ],
)
def test_reads_what_is_said_of_every_member(text: str, right: str) -> None:
    answer = ask(text)
    said = sorted(answer.label(value) for value in answer.values)
    assert ", ".join(said) == right, answer.rationale


def test_says_that_it_is_of_the_class_and_proves_it_by_the_axiom() -> None:
    answer = ask("What does a barn owl eat?")
    assert "what is said of every barn owl" in answer.rationale
    zoo, owl = "http://zoo.example/", "http://www.w3.org/2002/07/owl#"
    proof = {(predicate, end) for _, predicate, end in answer.support}
    assert (f"{owl}someValuesFrom", f"{zoo}Mouse") in proof
    assert (f"{owl}onProperty", f"{zoo}eats") in proof
    assert f"{zoo}Owl" in {start for start, _, _ in answer.support}  # whose axiom it is

"""A few films to ask about: two directors, shared actors, dates and lengths."""

from kgnb.agents.question_answering.pipeline import answer_question
from kgnb.agents.question_answering.values import Answer, Question
from tests.agents.question_answering.worlds import desk

F = "http://films.example/"
TURTLE = """
@prefix : <http://films.example/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:Film rdfs:label "film" . :Town rdfs:label "town" .
:director rdfs:label "director" . :actor rdfs:label "actor" . :length rdfs:label "length" .
:released rdfs:label "date of release" . :genre rdfs:label "genre" . :bornIn rdfs:label "born in" .
:one a :Film ; rdfs:label "The Last Hut" ; :director :ada ; :actor :cy , :di ; :length 90 ;
  :released "1969-05-01"^^xsd:date ; :genre :drama .
:two a :Film ; rdfs:label "Two Valleys" ; :director :ada ; :actor :cy ; :length 120 ;
  :released "1975-01-01"^^xsd:date ; :genre :western .
:three a :Film ; rdfs:label "Snow" ; :director :bo ; :actor :di , :ed ; :length 100 ;
  :released "1981-09-09"^^xsd:date ; :genre :drama .
:ada rdfs:label "Ada Berg" ; :bornIn :vale . :bo rdfs:label "Bo Tal" ; :bornIn :vale .
:cy rdfs:label "Cy Fels" ; :bornIn :brook . :di rdfs:label "Di Wald" . :ed rdfs:label "Ed Bach" .
:vale a :Town ; rdfs:label "Vale" . :brook a :Town ; rdfs:label "Brook" .
:drama rdfs:label "drama" . :western rdfs:label "western" .
"""


def ask(text: str, *entities: str) -> Answer:
    """The rule judge's answer, without any model of language."""
    return answer_question(Question("q", text, tuple(F + entity for entity in entities)), desk(TURTLE))


def said(text: str, *entities: str) -> list[str]:
    """The values as a person reads them, in order."""
    answer = ask(text, *entities)
    return sorted(answer.label(value) for value in answer.values)

"""Two things asked at once."""

import pytest

from kgnb.agents.question_answering.pipeline import answer_question
from kgnb.agents.question_answering.unions import halves
from kgnb.agents.question_answering.values import Question
from tests.agents.question_answering.films import ask, said
from tests.agents.question_answering.worlds import desk

BIRTHS = """
@prefix : <http://births.example/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:when rdfs:label "when born" . :where rdfs:label "where born" . :ann rdfs:label "Ann Fels" ; :where :vale ; :when 1908 .
:vale rdfs:label "Vale" .
"""


@pytest.mark.parametrize(
    ("text", "first", "second"),
    [
        ("In which year and in which town was @ born ?", "In which year was @ born", "in which town was @ born"),
        ("Who wrote and who directed @ ?", "Who wrote @", "who directed @"),
        ("Who wrote and directed @ ?", "Who wrote @", "Who directed @"),
        ("What are @ 's height and weight ?", "What are @ 's height", "What are @ 's weight"),
        ("What is the capital and the currency of @ ?", "What is the capital of @", "What is the currency of @"),
    ],
)
def test_a_question_for_two_things_has_two_halves(text: str, first: str, second: str) -> None:
    assert halves(text.split(), {"@"}) == (tuple(first.split()), tuple(second.split()))


@pytest.mark.parametrize(
    "text", ["Which films did @ and Bo make ?", "Which films star both @ and Bo ?", "Who founded @ and lives in Vale ?"]
)
def test_names_that_are_joined_are_no_halves(text: str) -> None:
    assert halves(text.split(), {"@", "Bo", "Vale"}) is None


def test_both_halves_are_answered_with_proof_and_one_query() -> None:
    answer = ask("Who are the director and the actor of Snow?", "three")
    assert sorted(map(answer.label, answer.values)) == ["Bo Tal", "Di Wald", "Ed Bach"]
    assert " UNION " in answer.sparql
    assert len(answer.support) == 3


def test_when_and_where() -> None:
    text = "When born and where born was Ann Fels?"
    answer = answer_question(Question("q", text, ("http://births.example/ann",)), desk(BIRTHS))
    assert {answer.label(value) for value in answer.values} <= {"1908", "Vale"}
    plain = answer_question(
        Question("q", "When and where was Ann Fels born?", ("http://births.example/ann",)), desk(BIRTHS)
    )
    assert {plain.label(value) for value in plain.values} == {"1908", "Vale"}


def test_a_half_that_the_graph_cannot_say_does_not_hide_the_other() -> None:
    assert said("What are the length and the shoe size of Snow?", "three") in (["100"], [])

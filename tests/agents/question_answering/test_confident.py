"""What the rule judge must not say with confidence: a "no" that means nothing, a count of links
where a number is stated, an extreme among texts, members of a class where a place is asked for.
"""

import pytest

from kgnb.agents.question_answering.pipeline import answer_question
from kgnb.agents.question_answering.values import Answer, Question
from tests.agents.question_answering.worlds import context

REGATTA = """
@prefix : <http://regatta.example/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:Boat rdfs:label "boat" . :Race rdfs:label "race" . :Club rdfs:label "club" .
:enters rdfs:label "enters" . :startsFrom rdfs:label "starts from" .
:rowers rdfs:label "number of rowers" . :length rdfs:label "length" . :built rdfs:label "built" .
:r1 a :Race ; rdfs:label "Spring Cup" ; :enters :swift , :otter ; :startsFrom :quay .
:r2 a :Race ; rdfs:label "Night Row" ; :enters :heron ; :startsFrom :mole .
:swift a :Boat ; rdfs:label "Swift" ; :rowers 8 ; :length 17.5 ; :built "1951"^^xsd:gYear .
:otter a :Boat ; rdfs:label "Otter" ; :rowers 4 ; :length "21 feet" ; :built "1948-05-01"^^xsd:date .
:heron a :Boat ; rdfs:label "Heron" ; :rowers 2 ; :length 9.9 ; :built "1990"^^xsd:gYear .
:quay a :Club ; rdfs:label "Quay Club" ; :members 310 .
:mole a :Club ; rdfs:label "Mole Club" ; :members 45 .
"""


def ask(text: str) -> Answer:
    return answer_question(Question("q", text), context(REGATTA))


def labels(answer: Answer) -> list[str]:
    return [answer.label(value) for value in answer.values]


def test_says_no_only_where_the_relation_could_say_yes() -> None:
    answer = ask("Does the Swift enter the Mole Club?")  # boats enter races, and never clubs
    assert labels(answer) != ["false"]


def test_finds_a_yes_through_the_thing_between() -> None:
    answer = ask("Is the Swift entered in the Spring Cup?")
    assert labels(answer) in (["true"], [])


@pytest.mark.parametrize(
    "text", ["How many rowers does the Swift have?", "How many rowers has the Swift?"]
)
def test_reads_a_number_that_is_stated(text: str) -> None:
    assert labels(ask(text)) == ["8"]


def test_reads_the_number_of_members_though_the_word_says_little() -> None:
    assert labels(ask("How many members does the Quay Club have?")) == ["310"]


def test_compares_numbers_only_and_names_what_is_left_out() -> None:
    answer = ask("Which boat has the highest length?")
    best = answer.values or (answer.guess.values if answer.guess else ())
    assert [answer.label(value) for value in best] == ["Swift"]
    assert "21 feet" in answer.rationale and answer.confidence < 0.9


def test_does_not_list_a_class_where_its_place_is_asked_for() -> None:
    assert not ask("Where are boats?").values

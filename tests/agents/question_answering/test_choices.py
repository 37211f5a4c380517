"""Questions that name what they may be answered by."""

import pytest

from kgnb.agents.question_answering.choices import alternatives
from kgnb.agents.question_answering.pipeline import answer_question
from kgnb.agents.question_answering.values import Question
from tests.agents.question_answering.films import said
from tests.agents.question_answering.worlds import desk

PEOPLE = """
@prefix : <http://people.example/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:sex rdfs:label "man or woman" . :mother rdfs:label "mother" . :job rdfs:label "job" . :state rdfs:label "state" .
:ann rdfs:label "Ann Fels" ; :sex :woman ; :mother :eva ; :job "cook" . :woman rdfs:label "woman" .
:eva rdfs:label "Eva Fels" ; :sex :woman ; :job "guide" . :kurt rdfs:label "Kurt Au" ; :sex :man ; :mother :eva .
:man rdfs:label "man" . :hut rdfs:label "Upper Hut" ; :state "closed" ; :job "inn" .
"""


def answers(text: str, entity: str) -> list[str]:
    answer = answer_question(Question("q", text, (f"http://people.example/{entity}",)), desk(PEOPLE))
    return [answer.label(value) for value in answer.values]


@pytest.mark.parametrize(
    ("text", "entity", "answer"),
    [
        ("Is Kurt Au a man or a woman?", "kurt", "man"),
        ("Is Kurt Au's mother a man or a woman?", "kurt", "woman"),
        ("Is the mother of Kurt Au a man or a woman?", "kurt", "woman"),
        ("Is Upper Hut open or closed?", "hut", "closed"),
    ],
)
def test_says_which_of_two_it_is(text: str, entity: str, answer: str) -> None:
    assert answers(text, entity) == [answer]


@pytest.mark.parametrize(
    ("text", "entities", "answer"),
    [
        ("Is Snow a drama or a western?", ("three",), "drama"),
        ("Was Cy Fels born in Vale or in Brook?", ("cy",), "Brook"),
        ("Was Snow directed by Ada Berg or Bo Tal?", ("three", "ada", "bo"), "Bo Tal"),
    ],
)
def test_says_which_of_two_entities_it_is(text: str, entities: tuple[str, ...], answer: str) -> None:
    assert said(text, *entities) == [answer]


def test_neither_is_what_the_graph_says_instead_or_nothing() -> None:
    assert said("Was Cy Fels born in Snow or in Vale?", "cy") in ([], ["Brook"])


@pytest.mark.parametrize(
    "text", ["is @ the wife or husband of Ann", "is @ older or younger than Ann", "does @ sing or dance", "is @ or"]
)
def test_what_names_no_two_answers_is_left_alone(text: str) -> None:
    assert alternatives(text.split(), {"@", "Ann"}) is None

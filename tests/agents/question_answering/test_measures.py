"""Values in order, held to a bound, or compared with each other."""

import pytest

from kgnb.agents.question_answering.measures import bound_of
from kgnb.kg.terms import XSD, Literal
from tests.agents.question_answering.films import ask, said


def test_an_extreme_is_one_of_those_the_path_leads_to() -> None:
    assert said("What is the longest film of the director Ada Berg?", "ada") == ["Two Valleys"]


def test_films_after_a_year_begin_with_the_next() -> None:
    assert said("Which films of the director Ada Berg were released after 1969?", "ada") == ["Two Valleys"]


def test_a_year_holds_whatever_kind_of_date_it_is_compared_with() -> None:
    assert said("Which films of the director Ada Berg were released in 1969?", "ada") == ["The Last Hut"]


def test_one_of_two_is_the_longer() -> None:
    assert said("Which film is longer, Snow or Two Valleys?", "three", "two") == ["Two Valleys"]


def test_words_of_a_name_ask_for_no_extreme() -> None:
    assert said("Who is the director of The Last Hut?", "one") == ["Ada Berg"]


def test_who_there_is_most_of_is_counted_and_proved() -> None:
    answer = ask("Which director has the most films?")
    assert [answer.label(value) for value in answer.values] == ["Ada Berg"]
    assert len(answer.support) == 2 and "COUNT" in answer.sparql


@pytest.mark.parametrize(
    ("operator", "text"), [(">", "1970-12-31"), (">=", "1970-01-01"), ("<", "1970-01-01"), ("<=", "1970-12-31")]
)
def test_a_year_is_compared_with_days_from_its_right_end(operator: str, text: str) -> None:
    day = Literal("1969-05-01", datatype=f"{XSD}date")
    assert bound_of(day, "1970", operator) == Literal(text, datatype=f"{XSD}date")

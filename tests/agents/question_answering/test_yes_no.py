"""Questions of yes or no."""

import pytest

from tests.agents.question_answering.films import ask, said


@pytest.mark.parametrize(
    ("text", "entities", "answer"),
    [
        ("Is Ada Berg the director of The Last Hut?", ("ada", "one"), "true"),
        ("Is Ada Berg the director of Snow?", ("ada", "three"), "false"),
        ("Is Snow a film?", ("three",), "true"),
        ("Is Snow longer than Two Valleys?", ("three", "two"), "false"),
        ("Is Snow longer than 95 minutes?", ("three",), "true"),
        ("Was Snow released before Two Valleys?", ("three", "two"), "false"),
    ],
)
def test_says_yes_or_no(text: str, entities: tuple[str, ...], answer: str) -> None:
    assert said(text, *entities) == [answer]


def test_a_name_that_was_not_given_is_found_in_the_words() -> None:
    assert said("Is Ada Berg the director of Snow?", "three") == ["false"]


def test_a_no_shows_what_the_graph_says_instead() -> None:
    answer = ask("Is Ada Berg the director of Snow?", "ada", "three")
    assert answer.support and answer.sparql.startswith("ASK")

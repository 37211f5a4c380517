"""The ways to cut a question into phrases."""

import pytest

from kgnb.agents.question_answering.cutting import segmentations
from kgnb.agents.question_answering.phrases import find, masked, tokens
from tests.agents.question_answering.films import said


def cuts(text: str) -> list[list[str]]:
    words = tokens(text)
    return [[phrase.text for phrase in cut] for cut in segmentations(masked(words, find("XX", words)), 3)]


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("Which films share an actor with XX?", ["What is the actor of X?", ""]),
        ("Who directed films that share actors with XX?", ["What is the actors of X?", "", "Who directed X?"]),
        ("Which films have the same director as XX?", ["What is the director of X?", ""]),
        ("Who was born in the same town as XX?", ["In which town was X born?", ""]),
        ("In which country was XX born?", ["Where was X born?", "What is the country of X?"]),
        ("What coin is used in the land XX is king of?", ["What land X is king of?", "What coin is used in X?"]),
    ],
)  # fmt: skip
def test_cuts(text: str, cut: list[str]) -> None:
    assert cut in cuts(text)


def test_the_noun_after_which_is_no_relation_where_it_is_what_something_does() -> None:
    assert all("religion of X" not in phrase for cut in cuts("Which religion does XX follow?") for phrase in cut)


def test_a_film_does_not_share_its_actors_with_itself() -> None:
    assert said("Which films share an actor with The Last Hut?", "one") == ["Snow", "Two Valleys"]

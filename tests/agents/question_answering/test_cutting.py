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
        ("Who rules the country that XX lies in?", ["What X lies in?", "Who rules X?"]),
        ("Where is the firm that makes XX based?", ["What makes X?", "Where is X based?"]),
        ("Who sells the drug used to treat XX?", ["What used to treat X?", "Who sells X?"]),
    ],
)  # fmt: skip
def test_cuts(text: str, cut: list[str]) -> None:
    assert cut in cuts(text)


def test_the_noun_after_which_is_no_relation_where_it_is_what_something_does() -> None:
    assert all("religion of X" not in phrase for cut in cuts("Which religion does XX follow?") for phrase in cut)


def test_a_film_does_not_share_its_actors_with_itself() -> None:
    assert said("Which films share an actor with The Last Hut?", "one") == ["Snow", "Two Valleys"]


def test_an_adjective_is_not_cut_off_its_noun() -> None:
    assert ["What is the national anthem of X?"] in cuts("What is the national anthem of XX?")
    assert all(len(cut) == 1 for cut in cuts("What is the national anthem of XX?"))


def test_no_name_ends_in_a_preposition() -> None:
    found = cuts("What is XX's wife working on?")
    assert ["What is the wife of X?", "What is X working on?"] in found
    assert all("wife working on" not in cut[0] for cut in found if len(cut) > 1)


def test_a_clause_and_what_is_asked_of_it_are_two_parts_of_one_phrase() -> None:
    def parts(text: str) -> list[tuple[str, ...]]:
        words = tokens(text)
        found = segmentations(masked(words, find("XX", words)), 3)
        return [cut[0].parts for cut in found if len(cut) == 1]

    assert parts("Who rules the country that XX lies in?") == [("What is the rules of X?", "What is the lies of X?")]
    assert parts("What is the sex of XX's child?") == [("What is the sex of X?", "What is the child of X?")]
    assert parts("Who is the man who directed XX?") == [()]


def test_what_one_relation_leaves_unsaid_is_not_answered_by_it() -> None:
    assert said("What is the shoe size of the director of Snow?", "one") == []

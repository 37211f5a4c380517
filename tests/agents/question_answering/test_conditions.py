"""What a question says of its values besides the path that leads to them."""

from kgnb.agents.question_answering.conditions import cuts
from kgnb.agents.question_answering.values import Link
from kgnb.kg.terms import Iri
from tests.agents.question_answering.films import F, ask, said

A, B = (Link(Iri(F + name), name, name, 1.0, "exact") for name in ("Ada", "Bo"))


def test_two_names_each_hold_the_values_to_something() -> None:
    assert said("Which films by the director Ada Berg have the actor Di Wald?", "ada", "di") == ["The Last Hut"]


def test_a_name_without_words_of_its_own_is_joined_by_the_relation_there_is() -> None:
    assert said("Which drama films have the director Ada Berg?", "drama", "ada") == ["The Last Hut"]


def test_both_names_of_a_pair_stand_in_the_same_relation() -> None:
    assert said("Which films have the actor Di Wald and Ed Bach?", "di", "ed") == ["Snow"]


def test_the_conditions_are_in_the_query_and_in_the_proof() -> None:
    answer = ask("Which drama films have the director Ada Berg?", "drama", "ada")
    assert f"<{F}genre> <{F}drama>" in answer.sparql and f"<{F}director> <{F}ada>" in answer.sparql
    assert (Iri(F + "one"), Iri(F + "genre"), Iri(F + "drama")) in answer.support


def test_the_words_after_and_belong_to_the_second_name() -> None:
    sentence = ["Who", "was", "born", "in", "Ada", "and", "studied", "at", "Bo"]
    (cut,) = cuts(sentence, [A, B], "Ada")
    assert cut.sentence == ("Who", "was", "born", "in", "Ada")
    assert [piece.words for piece in cut.pieces] == [("studied", "at", "X")]


def test_a_question_does_not_start_from_the_second_name_if_the_first_has_words_of_its_own() -> None:
    assert cuts(["Who", "was", "born", "in", "Ada", "and", "studied", "at", "Bo"], [A, B], "Bo") == []

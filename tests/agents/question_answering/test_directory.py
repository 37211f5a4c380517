"""The names of a graph, read at once or asked for one by one."""

from kgnb.agents.question_answering.link import Directory
from kgnb.agents.question_answering.segmentation import find, glued, tokens
from kgnb.kg.terms import Iri
from tests.agents.question_answering.films import TURTLE, F
from tests.agents.question_answering.worlds import desk


def test_a_graph_with_too_many_names_to_read_is_asked_for_those_of_the_question() -> None:
    opened = desk(TURTLE)
    names = Directory(opened.hood, opened.wording, most=3)
    hits = names.mentions(tokens("who plays in two valleys?"))
    assert names.partial and Iri(F + "two") in {iri for _, iri, *_ in hits}


def test_a_relation_called_type_says_what_is_of_a_class() -> None:
    opened = desk("@prefix : <http://t.example/> . :a :type :Hut . :b :type :Hut .")
    classes = Directory(opened.hood, opened.wording).classes()
    assert classes == {Iri("http://t.example/Hut"): Iri("http://t.example/type")}


def test_a_name_with_a_possessive_is_found_and_stays_whole() -> None:
    words = tokens("Who wrote Quinus's Valley?")
    assert find("Quinus's Valley", words) == (2, 5)
    assert glued(words, ["Quinus 's Valley"])[2:] == ("Quinus's_Valley", "?")

"""How well phrases fit relations, and what a graph has no relation for."""

from kgnb.agents.question_answering.lexicon import not_elsewhere
from kgnb.agents.question_answering.segmentation import Phrase
from kgnb.kg.terms import Iri
from tests.agents.question_answering.worlds import desk

BOOKS = """
@prefix : <http://books.example/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:one rdfs:label "The Last Hut" ; :publisher :press . :publisher rdfs:label "publisher" .
"""
PUBLISHER = Iri("http://books.example/publisher")


def test_a_thing_of_its_own_that_the_graph_cannot_say_is_not_the_nearest_thing_it_can() -> None:
    lexicon = desk(BOOKS).lexicon
    lexicon.meet()
    fit = lexicon.fit(Phrase("What is the isbn of X?", 1))
    assert fit.absent
    assert not_elsewhere(fit, PUBLISHER, frozenset([PUBLISHER]), False) < 0.01


def test_what_the_graph_has_a_relation_for_is_not_absent() -> None:
    lexicon = desk(BOOKS + ':one :isbn "1" . :isbn rdfs:label "ISBN" .').lexicon
    lexicon.meet()
    assert not lexicon.fit(Phrase("What is the isbn of X?", 1)).absent
    assert not lexicon.fit(Phrase("What is the publisher of X?", 1)).absent


def test_what_one_question_meets_does_not_change_how_another_is_read() -> None:
    shared = desk(BOOKS).lexicon
    first, second, rare = shared.own(), shared.own(), Iri("http://books.example/rare")
    asked = Phrase("What is the publisher of X?", 1)
    first.meet([(rare, None)])
    second.meet()
    assert rare in first.relations and rare not in second.relations and rare not in shared.relations
    assert second.fit(asked) == shared.fit(asked) != first.fit(asked)

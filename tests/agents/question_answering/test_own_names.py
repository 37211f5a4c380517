"""Graphs whose things are codes, named by a predicate of the graph's own."""

import pytest

from kgnb.agents.question_answering.names import own_naming
from kgnb.agents.question_answering.pipeline import answer_question
from kgnb.errors import BackendError
from kgnb.kg.endpoint_graph import EndpointGraph
from kgnb.kg.terms import Iri, Literal
from kgnb.tasks.asking import entity_named
from kgnb.vectors.character_embedder import CharacterEmbedder
from tests.agents.question_answering.worlds import desk, graph, serving

F = "http://firm.example/"
FIRM = """
@prefix : <http://firm.example/> .
:e1 a :Person ; :name "Ada Marlow" ; :email "ada@firm.example" ; :motto "Never give up." ; :in :d1 ; :city "Berne" .
:e2 a :Person ; :name "Bert Quill" ; :email "bert@firm.example" ; :motto "Sleep first." ; :in :d1 ; :city "Berne" .
:e3 a :Person ; :name "Cleo Ramsey" ; :email "cleo@firm.example" ; :motto "Why not?" ; :in :d2 ; :city "Basel" .
:d1 :title "Rope Works" ; :headedBy :e2 . :d2 :title "Accounts" ; :headedBy :e3 . :d3 :title "Night Kitchen" .
"""


def test_things_that_are_codes_are_named_by_what_each_has_one_of() -> None:
    opened = desk(FIRM)
    assert sorted(opened.hood.own_naming()) == [F + "name", F + "title"]
    assert opened.hood.names.label(F + "e2") == "Bert Quill"
    answer = answer_question("Who heads the Rope Works?", opened)
    assert answer.values == (Iri(F + "e2"),)


def test_a_service_is_asked_for_them_too() -> None:
    with serving(graph(FIRM)) as url:
        answer = answer_question("Who heads the Rope Works?", EndpointGraph(url), embedder=CharacterEmbedder())
    assert answer.values == (Iri(F + "e2"),)


@pytest.mark.parametrize(
    "turtle",
    [
        FIRM.replace(":e1", ":ada").replace(":e2", ":bert").replace(":e3", ":cleo").replace(":d", ":unit_"),
        FIRM.replace(":name", "rdfs:label").replace(":title", "rdfs:label"),
        '@prefix : <http://f.example/> . :e1 :code "A1234" . :e2 :code "A1235" . :e3 :code "A1236" .',
        '@prefix : <http://f.example/> . :e1 :state "Open" . :e2 :state "Open" . :e3 :state "Open" .',
        '@prefix : <http://f.example/> . :e1 :tag "A b", "C d" . :e2 :tag "G h", "I j" . :e3 :tag "K l", "M n" .',
    ],
    ids=["readable IRIs", "labels", "codes", "a few values for all", "several each"],
)
def test_no_other_text_is_taken_for_a_name(turtle: str) -> None:
    prefix = "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
    found = desk(prefix + turtle).hood.own_naming()
    assert F + "name" not in found and not [iri for iri in found if not iri.startswith(F)]
    assert not {F + "email", F + "city"} & set(found)


def test_a_graph_that_has_labels_is_not_asked_more_for_them() -> None:
    opened = desk()
    opened.hood.vocabulary()
    before = opened.hood.asked
    assert opened.hood.own_naming() == () and opened.hood.asked <= before + 1


def test_an_entity_is_given_by_such_a_name_and_by_freebases() -> None:
    opened = desk(FIRM)
    assert entity_named("night kitchen", opened.graph, opened.hood.own_naming) == F + "d3"
    with pytest.raises(ValueError, match="is called 'night kitchen'"):
        entity_named("night kitchen", opened.graph)
    freebase = graph('<http://rdf.freebase.com/ns/m.01> <http://rdf.freebase.com/ns/type.object.name> "Ada"@en .')
    assert entity_named("ada", freebase) == "http://rdf.freebase.com/ns/m.01"


def test_a_service_that_refuses_the_question_leaves_codes_as_they_are() -> None:
    def refused(query: str, most: int) -> object:
        raise BackendError("too much", service="here")

    vocabulary = [(Iri(F + "name"), 3, Literal("Ada Marlow"))]
    assert own_naming(refused, vocabulary, (), lambda iri: True) == ()  # type: ignore[arg-type]

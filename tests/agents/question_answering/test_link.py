"""Which things the words of a question name: by labels or names of the graph's own, all read or
asked for.
"""

import re
from dataclasses import replace

import pytest

from kgnb.agents.question_answering.lexicon import Directory
from kgnb.agents.question_answering.link import link
from kgnb.agents.question_answering.names import own_naming
from kgnb.agents.question_answering.pipeline import answer_question
from kgnb.agents.question_answering.segmentation import find, glued, tokens
from kgnb.errors import BackendError
from kgnb.kg.endpoint_graph import EndpointGraph
from kgnb.kg.terms import Iri, Literal
from kgnb.tasks.asking import entity_named
from kgnb.vectors.character_embedder import CharacterEmbedder
from tests.agents.question_answering.worlds import TURTLE, SparqlService, V, context, graph, state

RDFS = "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"


def test_finds_labels_in_every_language_aliases_other_case_and_slips_of_the_pen() -> None:
    opened = context()
    for text, iri, how in (
        ("Who lives in Deepvale?", "village", "exact"),
        ("Wer wohnt in Tiefental?", "village", "exact"),
        ("who lives in the vale", "village", "normalised"),
        ("WHO IS THE WARDEN OF UPPER HUT?", "upper", "exact"),
        ("Who lives in Deepvalle?", "village", "fuzzy"),
    ):
        found = [one for one in link(state(text, on=opened)).linked.links if not one.is_class]
        assert found[0].iri == V + iri and (found[0].how == how or how == "normalised"), (
            text,
            found,
        )
    assert link(state("What about Zanzibar?", on=opened)).linked.links == ()
    numbered = context(
        TURTLE + ':m :crew :village . :m <http://www.w3.org/2000/01/rdf-schema#label> "Apollo 11" .'
    )
    assert link(state("Who commanded Apolo 11?", on=numbered)).linked.entities == (V + "m",)
    assert (
        link(state("Who commanded Apollo 19?", on=numbered)).linked.links == ()
    )  # a number is no slip of the pen


COLORADO = """
:River a rdfs:Class ; rdfs:label "river" . :State a rdfs:Class ; rdfs:label "state" .
:colorado-state a :State ; rdfs:label "Colorado" . :colorado-stream a :River ; rdfs:label "Colorado" .
"""


def test_keeps_every_meaning_of_a_name_that_of_the_class_beside_it_first() -> None:
    opened = context(TURTLE + COLORADO)
    linked = link(state("How long is Colorado?", on=opened)).linked
    assert len(linked.ambiguous) == 2 and all(each.score == 1.0 for each in linked.ambiguous)
    for text, first in (
        ("How long is the Colorado river?", "colorado-stream"),
        ("How long is the river Colorado?", "colorado-stream"),
        ("Who governs the state of Colorado?", "colorado-state"),
    ):
        linked = link(state(text, on=opened)).linked
        assert linked.entities[0] == V + first
        assert {each.iri for each in linked.ambiguous} == {
            V + "colorado-state",
            V + "colorado-stream",
        }


def test_takes_the_entities_it_is_given_follows_a_redirect_and_refuses_what_is_no_iri() -> None:
    linked = link(state("Who lives there?", "oldvillage")).linked
    assert linked.given and linked.entities == (V + "village",)
    assert "redirects" in linked.notes[0]
    begun = state("Who?", "upper")
    with pytest.raises(ValueError, match="not an absolute IRI"):
        link(replace(begun, question=replace(begun.question, entities=("upper> . ?s ?p ?o",))))


def test_a_graph_that_names_things_as_freebase_does_is_asked_by_name() -> None:
    opened = context("""@prefix fb: <http://rdf.freebase.com/ns/> .
        fb:m.01 fb:type.object.name "Ann Fels"@en ; fb:common.topic.alias "Annie"@en ;
            fb:people.person.place_of_birth fb:m.02 . fb:m.02 fb:type.object.name "Vale"@en .""")
    for name in ("Ann Fels", "Annie"):
        answer = answer_question(f"What is the place of birth of {name}?", opened)
        assert [answer.label(value) for value in answer.values] == ["Vale"]


PAGES = """
@prefix dbo: <http://dbpedia.org/ontology/> . @prefix dbr: <http://dbpedia.org/resource/> .
dbo:mayor rdfs:label "mayor"@en , "B\u00fcrgermeister"@de . dbo:country rdfs:label "country"@en .
dbr:Hochkar_City a dbo:City ; rdfs:label "Hochkar City"@en , "Hochkarstadt"@de ; dbo:mayor dbr:Ada_Marlow ;
    dbo:country dbr:Tauria ; dbo:wikiPageID 17 ; dbo:wikiPageLength 900 ; dbo:wikiPageWikiLink dbr:Tauria , dbr:Snow .
dbr:HC rdfs:label "HC"@en ; dbo:wikiPageRedirects dbr:Hochkar_City ; dbo:wikiPageID 18 .
dbr:Hochkar_city rdfs:label "Hochkar city"@en ; dbo:wikiPageRedirects dbr:Hochkar_City .
dbr:Ada_Marlow rdfs:label "Ada Marlow"@en . dbr:Tauria rdfs:label "Tauria"@en , "Taurien"@de .
"""


def test_a_redirect_and_its_goal_are_one_and_what_wikipedia_says_of_its_pages_is_no_relation() -> (
    None
):
    with SparqlService(graph(RDFS + PAGES)) as service:
        answer = answer_question(
            "Who is the mayor of HC?", EndpointGraph(service.url), embedder=CharacterEmbedder()
        )
    assert answer.values == (Iri("http://dbpedia.org/resource/Ada_Marlow"),)
    opened = context(RDFS + PAGES)
    found = link(state("Which country is Hochkar City in?", on=opened)).linked
    assert [one.label for one in found.links if one.mention == "Hochkar City"] == ["Hochkar City"]
    opened.lexicon.meet()
    assert not [iri for iri in opened.lexicon.relations if "wikiPage" in iri]


def test_a_property_that_has_a_name_is_no_entity() -> None:
    opened = context(
        RDFS
        + """@prefix : <http://kin.example/> .
        :P22 <http://wikiba.se/ontology#directClaim> :father ; rdfs:label "father" .
        :ann :father :bob ; rdfs:label "Ann Fels" . :bob rdfs:label "Bob Fels" ."""
    )
    linked = link(state("Who is the father of Ann Fels?", on=opened)).linked
    assert [each.label for each in linked.links] == ["Ann Fels"]


def test_a_graph_with_too_many_names_to_read_is_asked_for_those_of_the_question() -> None:
    opened = context()
    names = Directory(opened.reader, opened.wording, most=3)
    hits = names.mentions(tokens("who runs upper hut?"))
    assert names.partial and Iri(V + "upper") in {iri for _, iri, *_ in hits}


def test_a_relation_called_type_says_what_is_of_a_class() -> None:
    opened = context("@prefix : <http://t.example/> . :a :type :Hut . :b :type :Hut .")
    classes = opened.reader.classes
    assert classes == {Iri("http://t.example/Hut"): (Iri("http://t.example/type"), 2)}


def test_a_name_with_a_possessive_is_found_and_stays_whole() -> None:
    words = tokens("Who wrote Quinus's Valley?")
    assert find("Quinus's Valley", words) == (2, 5)
    assert glued(words, ["Quinus 's Valley"])[2:] == ("Quinus's_Valley", "?")


F = "http://firm.example/"
FIRM = """
@prefix : <http://firm.example/> .
:e1 a :Person ; :name "Ada Marlow" ; :email "ada@firm.example" ; :motto "Never give up." ; :in :d1 ; :city "Berne" .
:e2 a :Person ; :name "Bert Quill" ; :email "bert@firm.example" ; :motto "Sleep first." ; :in :d1 ; :city "Berne" .
:e3 a :Person ; :name "Cleo Ramsey" ; :email "cleo@firm.example" ; :motto "Why not?" ; :in :d2 ; :city "Basel" .
:d1 :title "Rope Works" ; :headedBy :e2 . :d2 :title "Accounts" ; :headedBy :e3 . :d3 :title "Night Kitchen" .
"""


def test_things_that_are_codes_are_named_by_what_each_has_one_of() -> None:
    opened = context(FIRM)
    assert sorted(opened.reader.own_naming()) == [F + "name", F + "title"]
    assert opened.reader.names.label(F + "e2") == "Bert Quill"
    assert answer_question("Who heads the Rope Works?", opened).values == (Iri(F + "e2"),)
    with SparqlService(graph(FIRM)) as service:
        served = answer_question(
            "Who heads the Rope Works?", EndpointGraph(service.url), embedder=CharacterEmbedder()
        )
    assert served.values == (Iri(F + "e2"),)
    assert entity_named("night kitchen", opened.graph, opened.reader.own_naming) == F + "d3"
    with pytest.raises(ValueError, match="is called 'night kitchen'"):
        entity_named("night kitchen", opened.graph)
    freebase = graph(
        '<http://rdf.freebase.com/ns/m.01> <http://rdf.freebase.com/ns/type.object.name> "Ada"@en .'
    )
    assert entity_named("ada", freebase) == "http://rdf.freebase.com/ns/m.01"


def test_no_other_text_is_taken_for_a_name() -> None:
    for case, turtle in {
        "readable IRIs": re.sub(
            r":([ed])(\d)", lambda at: f":{at[1]}{'xyz'[int(at[2]) - 1]}orn", FIRM
        ),
        "labels": FIRM.replace(":name", "rdfs:label").replace(":title", "rdfs:label"),
        "labels beside": FIRM
        + ':e1 rdfs:label "Ada" . :e2 rdfs:label "Bert" . :e3 rdfs:label "Cleo" .',
        "codes": '@prefix : <http://f.example/> . :e1 :code "A1234" . :e2 :code "A1235" . :e3 :code "A1236" .',
        "a few values for all": '@prefix : <http://f.example/> . :e1 :s "Open" . :e2 :s "Open" . :e3 :s "Open" .',
        "several each": '@prefix : <http://f.example/> . :e1 :t "A b", "C" . :e2 :t "G h", "I" . :e3 :t "K l", "M" .',
    }.items():
        found = context(RDFS + turtle).reader.own_naming()
        assert F + "name" not in found and not [iri for iri in found if not iri.startswith(F)], case
        assert not {F + "email", F + "city"} & set(found), case


def test_own_names_cost_nothing_where_there_are_labels_and_are_done_without_where_a_service_refuses() -> (
    None
):
    opened = context()
    assert opened.reader.vocabulary
    before = opened.reader.queries
    assert opened.reader.own_naming() == () and opened.reader.queries <= before + 1

    def refused(query: str, most: int) -> object:
        raise BackendError("too much", service="here")

    vocabulary = [(Iri(F + "name"), 3, Literal("Ada Marlow"))]
    assert own_naming(refused, vocabulary) == ()  # type: ignore[arg-type]

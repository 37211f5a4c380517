"""Graphs in the shape of DBpedia: names in many languages, redirects, and bookkeeping of Wikipedia's pages."""

from kgnb.agents.question_answering.link import link
from kgnb.agents.question_answering.pipeline import answer_question
from kgnb.kg.endpoint_graph import EndpointGraph
from kgnb.kg.terms import Iri
from kgnb.vectors.character_embedder import CharacterEmbedder
from tests.agents.question_answering.worlds import desk, graph, serving, state

DBR = "http://dbpedia.org/resource/"
PAGES = """
@prefix dbo: <http://dbpedia.org/ontology/> . @prefix dbr: <http://dbpedia.org/resource/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
dbo:mayor rdfs:label "mayor"@en , "B\u00fcrgermeister"@de . dbo:country rdfs:label "country"@en .
dbr:Hochkar_City a dbo:City ; rdfs:label "Hochkar City"@en , "Hochkarstadt"@de ; dbo:mayor dbr:Ada_Marlow ;
    dbo:country dbr:Tauria ; dbo:wikiPageID 17 ; dbo:wikiPageLength 900 ; dbo:wikiPageWikiLink dbr:Tauria , dbr:Snow .
dbr:HC rdfs:label "HC"@en ; dbo:wikiPageRedirects dbr:Hochkar_City ; dbo:wikiPageID 18 .
dbr:Hochkar_city rdfs:label "Hochkar city"@en ; dbo:wikiPageRedirects dbr:Hochkar_City .
dbr:Ada_Marlow rdfs:label "Ada Marlow"@en . dbr:Tauria rdfs:label "Tauria"@en , "Taurien"@de .
"""


def test_the_name_of_a_redirect_leads_to_what_it_stands_for() -> None:
    with serving(graph(PAGES)) as url:
        answer = answer_question("Who is the mayor of HC?", EndpointGraph(url), embedder=CharacterEmbedder())
    assert answer.values == (Iri(DBR + "Ada_Marlow"),)


def test_a_redirect_and_its_goal_are_one_entity() -> None:
    found = link(state("Which country is Hochkar City in?", on=desk(PAGES))).linked
    assert [one.iri for one in found.links if one.mention == "Hochkar City"] == [DBR + "Hochkar_City"]


def test_what_wikipedia_says_of_its_pages_is_no_relation() -> None:
    opened = desk(PAGES)
    opened.lexicon.meet()
    assert not [iri for iri in opened.lexicon.relations if "wikiPage" in iri]

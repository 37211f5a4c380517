"""Services that refuse to count, and those with a search of their own."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyoxigraph
import pytest

from kgnb.agents.question_answering.act import allowed
from kgnb.agents.question_answering.lexicon import Directory
from kgnb.agents.question_answering.link import link
from kgnb.agents.question_answering.observe import observe
from kgnb.agents.question_answering.pipeline import answer_question, begin, open_context
from kgnb.agents.question_answering.prompts import opening
from kgnb.agents.question_answering.text_search import DIALECTS, TextSearch
from kgnb.agents.question_answering.values import Query, Question
from kgnb.errors import BackendError
from kgnb.kg.endpoint_graph import EndpointGraph
from kgnb.kg.graph import Solutions
from kgnb.kg.oxigraph_graph import OxigraphGraph
from kgnb.kg.terms import Iri, Literal
from kgnb.vectors.character_embedder import CharacterEmbedder
from tests.agents.question_answering.worlds import TURTLE, V
from tests.virtuoso import virtuoso

WIKIBASE = """
@prefix wd: <http://www.wikidata.org/entity/> . @prefix wdt: <http://www.wikidata.org/prop/direct/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix wb: <http://wikiba.se/ontology#> .
wd:Q1 rdfs:label "Alma Berg"@en ; wdt:P31 wd:Q5 ; wdt:P108 wd:Q2 ; wdt:P69 wd:Q3 .
wd:Q2 rdfs:label "Northern Observatory"@en ; wdt:P31 wd:Q6 . wd:Q3 rdfs:label "Vale College"@en .
wd:Q4 rdfs:label "The Tide Tables"@en ; wdt:P50 wd:Q1 .
wd:Q5 rdfs:label "human"@en . wd:Q6 rdfs:label "observatory"@en .
wd:P31 wb:directClaim wdt:P31 ; rdfs:label "instance of"@en .
wd:P108 wb:directClaim wdt:P108 ; rdfs:label "employer"@en .
wd:P69 wb:directClaim wdt:P69 ; rdfs:label "educated at"@en .
wd:P50 wb:directClaim wdt:P50 ; rdfs:label "author"@en .
wd:P800 wb:directClaim wdt:P800 ; rdfs:label "notable work"@en .
"""


class Refusing(OxigraphGraph):
    """A graph in Wikidata's modelling that refuses every full scan, as a public service does."""

    def select(self, query: str, **more: Any) -> Solutions:
        scan = re.search(r"\?s \?p \?o", query) and "VALUES" not in query
        if scan or re.search(r"WHERE \{ \?s <[^>]+> \?c \} GROUP BY", query):
            raise BackendError("it ran out of time", service="https://refusing.example")
        return super().select(query, **more)


def refusing() -> OxigraphGraph:
    found = Refusing(name="https://refusing.example/sparql")
    found.add_quads(pyoxigraph.parse(WIKIBASE.encode(), format=pyoxigraph.RdfFormat.TURTLE))
    return found


def test_answers_over_a_service_that_does_not_count_and_says_what_was_not_read() -> None:
    context = open_context(refusing(), embedder=CharacterEmbedder())
    found = answer_question(Question("q", "Who is the employer of Alma Berg?"), context)
    assert [found.label(value) for value in found.values] == ["Northern Observatory"]
    assert any("did not list all its relations" in note for note in found.notes)


def test_a_model_sees_labels_relations_and_the_typing_of_a_service_that_does_not_count() -> None:
    context = open_context(refusing(), embedder=CharacterEmbedder())
    state = observe(link(begin("What is the notable work of Alma Berg?", context)))
    shown = opening(state)[1].text
    assert "class of a thing: rdf:type, wdt:P31" in shown and "labels: rdfs:label" in shown
    assert 'wdt:P108 "employer"' in shown and "Northern Observatory" in shown
    assert 'wdt:P800 "notable work"' in shown  # found by its name, though nothing here has it
    assert (
        "did not list all its relations" in shown and "(human)" not in shown.partition("=====")[0]
    )
    asks = Query(
        "SELECT ?x { <http://www.wikidata.org/entity/Q1> <http://www.wikidata.org/prop/direct/P99> ?x }"
    )
    assert allowed(state, asks) == asks  # a predicate of the vocabulary shown


MARKS = {
    "Virtuoso": "bif:contains",
    "Wikidata": "EntitySearch",
    "Jena": "text#query",
    "Stardog": "textMatch",
    "QLever": "contains-word",
    "GraphDB http://index.example/names": "lucene#query",
}


@pytest.mark.parametrize("name", MARKS)
def test_the_search_that_a_service_has_is_found_and_used(name: str) -> None:
    asked: list[str] = []
    thing, label = Iri("http://x.example/1"), Literal("Sorne Refuge", "en")

    def select(query: str, most: int) -> Solutions:
        asked.append(query)
        if MARKS[name] in query or ("SELECT ?s ?l WHERE { ?s <" in query and query.count("?") == 4):
            if "listConnectors" in query:
                connector = Iri("http://index.example/names")
                found = ((connector, Literal("built")),) if name.startswith("GraphDB") else ()
                return Solutions(("s", "l"), found)
            return Solutions(("s", "l"), ((thing, label),))
        if "SERVICE" in query:
            raise BackendError("federation is off", service="x")
        return Solutions(("s", "l"), ())

    search = TextSearch(select)
    assert search.named("Sorme Refuge") == [(thing, "Sorne Refuge")]
    assert search.name == name and MARKS[name] in asked[-1]
    asked.clear()
    search.named("Sorme")
    assert len(asked) == 1  # which search it is has been found out once


def test_no_search_is_used_where_none_answers() -> None:
    search = TextSearch(lambda query, most: Solutions(("s", "l"), ()))
    assert search.named("anything") == [] and search.name == ""
    assert set(DIALECTS) < set(MARKS)


NAMED = r"""
:hara rdfs:label "O'Hara \"quoted\" Hut AND (fire)"@en ; :warden :bob . :sea rdfs:label "\u00dcbersee Lodge"@en .
:late a :Hut ; rdfs:label "Grauzahnspitze House"@en ; :warden :ann .
"""


def test_things_are_found_by_the_full_text_index_of_a_real_virtuoso_and_text_stays_text(
    tmp_path: Path,
) -> None:
    turtle = tmp_path / "named.ttl"
    turtle.write_text(TURTLE + NAMED)
    with virtuoso(tmp_path, turtle, indexed=True) as url:
        graph = EndpointGraph(url)
        search = TextSearch(lambda query, most: graph.select(query, limit=most))
        named = {iri.removeprefix(V): label for iri, label in search.named("Grauzanspitze House")}
        assert search.name == "Virtuoso" and named == {"late": "Grauzahnspitze House"}
        assert [iri for iri, _ in search.named("\u00dcbersee")] == [V + "sea"]
        for text in ("O'Hara", "o'hara \"quoted", "hut AND (fire)"):
            assert [iri for iri, _ in search.named(text)] == [V + "hara"], text
        everything = ("' OR 'hut", '") } UNION { ?s ?p ?l', "hut' OR 'house", "*", "'", "NOT hut")
        for text in everything:
            assert search.named(text) == [], text
        context = open_context(graph, embedder=CharacterEmbedder())
        few = Directory(context.reader, context.wording, most=3)
        answer = answer_question(
            "Who is the warden of Grauzanspitze House?", replace(context, directory=few)
        )
        assert few.partial and answer.values == (V + "ann",)

import gc
import threading
import time
from pathlib import Path

import pyoxigraph as ox
import pytest
import rdflib
from hypothesis import given
from hypothesis import strategies as st

from kgnb.errors import BackendError, DataError
from kgnb.kg.endpoint_graph import EndpointGraph
from kgnb.kg.engine_results import from_n_triples, from_tsv
from kgnb.kg.graph import Graph, Updatable
from kgnb.kg.oxigraph_graph import OxigraphGraph
from kgnb.kg.query_process import GIVEN_UP, EndableGraph, endable
from kgnb.kg.rdflib_graph import RdflibGraph
from kgnb.kg.terms import Blank, Iri, Literal, TripleTerm

TSV = ox.QueryResultsFormat.TSV

A, P = Iri("urn:a"), Iri("urn:p")
TRIPLES = [
    (A, P, Literal("Hütte", "de")),
    (A, P, Literal("12", None, "http://www.w3.org/2001/XMLSchema#integer")),
    (A, P, Blank("b")),
    (A, P, TripleTerm(A, P, Literal("x"))),
    (A, P, A),
]
ENDLESS = "SELECT (COUNT(*) AS ?n) { " + " ".join(f"?a{i} ?b{i} ?c{i} ." for i in range(20)) + " }"


def children() -> set[int]:
    """The processes this one has begun that are not over; of other tests as well."""
    return {
        int(pid)
        for tasks in Path("/proc/self/task").glob("*/children")
        for pid in tasks.read_text().split()
    }


@pytest.fixture
def graph() -> OxigraphGraph:
    made = OxigraphGraph()
    made.add(TRIPLES)
    return made


def test_answers_are_those_of_the_graph_itself_whatever_the_terms(graph: OxigraphGraph) -> None:
    asked = endable(graph)
    assert (
        isinstance(asked, EndableGraph)
        and isinstance(asked, Graph)
        and isinstance(asked, Updatable)
    )
    query = "SELECT ?s ?o ?none { ?s ?p ?o }"
    assert asked.select(query) == graph.select(query)
    assert asked.select(query, limit=2) == graph.select(query, limit=2)
    assert asked.construct("CONSTRUCT WHERE { ?s ?p ?o }") == graph.construct(
        "CONSTRUCT WHERE { ?s ?p ?o }"
    )
    assert asked.ask("ASK { ?s ?p ?o }", bindings={"o": A}) and not asked.ask("ASK { ?s ?p 13 }")
    assert all(
        type(term) is type(Iri("urn:x")) for (term,) in asked.select("SELECT ?s { ?s ?p ?o }").rows
    )


def test_an_error_comes_back_as_it_was_raised(graph: OxigraphGraph) -> None:
    with pytest.raises(DataError) as theirs:
        graph.select("SELECT ?s { ?s ?p ] }")
    with pytest.raises(DataError) as ours:
        endable(graph).select("SELECT ?s { ?s ?p ] }")
    assert vars(ours.value) | {"__notes__": []} == vars(theirs.value) | {"__notes__": []}
    assert str(ours.value) == str(theirs.value)


def test_changes_stay_and_are_seen_by_the_next_query(graph: OxigraphGraph) -> None:
    asked = endable(graph)
    asked.update("INSERT DATA { <urn:new> <urn:p> 1 }")  # type: ignore[attr-defined]
    assert asked.ask("ASK { <urn:new> ?p ?o }") and graph.count() == asked.count() == 6


def test_the_process_ends_on_timeout_and_when_nobody_waits(graph: OxigraphGraph) -> None:
    before = children()
    with pytest.raises(BackendError, match="longer than 0.1 s"):
        endable(graph).select(ENDLESS, timeout=0.1)
    given_up = threading.Event()
    given_up.set()
    token = GIVEN_UP.set(given_up)
    try:
        with pytest.raises(BackendError, match="stopped"):
            endable(graph).select(ENDLESS)
    finally:
        GIVEN_UP.reset(token)
    assert children() <= before


def test_a_graph_on_a_server_is_left_to_its_server() -> None:
    graph = EndpointGraph("http://127.0.0.1:9/sparql")
    assert endable(graph) is graph


def test_one_process_answers_many_queries_until_the_graph_changes() -> None:
    before = children()
    graph = OxigraphGraph()
    graph.add(TRIPLES)
    asked = endable(graph)
    assert asked.ask("ASK { ?s ?p ?o }")
    (first,) = children() - before
    for _ in range(3):
        asked.select("SELECT ?s { ?s ?p ?o }")
        endable(graph).construct("CONSTRUCT WHERE { ?s ?p ?o }")
    assert children() - before == {first}
    with pytest.raises(DataError):
        asked.select("SELECT ?s { ?s ?p ] }")  # an error ends nothing
    assert children() - before == {first}
    graph.add([(A, P, Literal("later"))])
    assert asked.ask('ASK { ?s ?p "later" }')
    (second,) = children() - before
    assert second != first
    with pytest.raises(BackendError):
        asked.select(ENDLESS, timeout=0.1)
    assert children() <= before  # what was stopped is gone, and a new one is begun
    assert asked.ask('ASK { ?s ?p "later" }')
    del graph, asked
    gc.collect()
    assert children() <= before


def test_threads_do_not_wait_for_each_other(graph: OxigraphGraph) -> None:
    asked, results = endable(graph), []
    slow = threading.Thread(
        target=lambda: pytest.raises(BackendError, asked.select, ENDLESS, timeout=3)
    )
    slow.start()
    begun = time.monotonic()
    for n in range(20):
        results.append(len(asked.select(f"SELECT ?o {{ ?s ?p ?o }} LIMIT {n % 5 + 1}")))
    assert results == [1, 2, 3, 4, 5] * 4 and time.monotonic() - begun < 2.5
    slow.join()


def test_a_wrapped_rdflib_graph_is_seen_as_it_is_now() -> None:
    theirs = rdflib.Graph()
    asked = endable(RdflibGraph(theirs))
    assert not asked.ask("ASK { ?s ?p ?o }")
    theirs.add((rdflib.URIRef("urn:a"), rdflib.URIRef("urn:p"), rdflib.Literal("x")))
    assert asked.ask("ASK { ?s ?p ?o }")


@given(st.text(), st.sampled_from([None, "en-gb", "de--ltr"]))
def test_any_text_comes_back_as_it_is(text: str, language: str | None) -> None:
    graph = OxigraphGraph()
    text = text.encode("utf-8", "replace").decode()
    value = Literal(text, language)
    graph.add([(A, P, value), (Iri("urn:b"), P, Literal(text, None, "urn:t"))])
    written = graph.serialized("SELECT ?s ?o { ?s ?p ?o } ORDER BY ?s", TSV)
    assert from_tsv(written) == graph.select("SELECT ?s ?o { ?s ?p ?o } ORDER BY ?s")
    triples = graph.serialized("CONSTRUCT WHERE { ?s ?p ?o }", ox.RdfFormat.N_TRIPLES)
    assert from_n_triples(triples) == graph.construct("CONSTRUCT WHERE { ?s ?p ?o }")


def test_rows_without_variables_or_values_are_counted(graph: OxigraphGraph) -> None:
    for query in ("SELECT * { }", "SELECT ?none { ?s ?p ?o }", "SELECT ?x { FILTER(false) }"):
        assert endable(graph).select(query) == graph.select(query), query
        assert endable(graph).select(query, limit=1) == graph.select(query, limit=1), query


@pytest.mark.fault("SPARQL injection")
def test_what_the_engine_cannot_do_is_said_and_ends_nothing(graph: OxigraphGraph) -> None:
    asked = endable(graph)
    for query in (
        "SELECT * { SERVICE <http://127.0.0.1:9/sparql> { ?s ?p ?o } }",
        "CONSTRUCT { ?s ?p ?o } WHERE { SERVICE <http://127.0.0.1:9/sparql> { ?s ?p ?o } }",
        "SELECT (<urn:no-function>(1) AS ?x) { }",
    ):
        with pytest.raises(BackendError, match="could not answer"):
            asked.select(query) if query[0] == "S" else asked.construct(query)
    assert asked.ask("ASK { ?s ?p ?o }")

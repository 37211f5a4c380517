import threading
from pathlib import Path

import pytest

from kgnb.errors import BackendError, DataError
from kgnb.kg.endpoint_graph import EndpointGraph
from kgnb.kg.graph import Graph, Updatable
from kgnb.kg.oxigraph_graph import OxigraphGraph
from kgnb.kg.query_process import GIVEN_UP, EndableGraph, endable
from kgnb.kg.terms import Blank, Iri, Literal, TripleTerm

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

"""SPARQL updates on every kind of graph: asked for on purpose, all or nothing, nothing fetched."""

from collections.abc import Callable

import pytest
import rdflib

from kgnb.errors import BackendError, DataError
from kgnb.kg.graph import Graph, Updatable
from kgnb.kg.oxigraph_graph import OxigraphGraph
from kgnb.kg.rdflib_graph import RdflibGraph
from kgnb.tasks.querying import query
from tests.kg.stub_endpoint import Reply, StubEndpoint


def test_an_update_changes_what_the_next_query_sees(graph: Graph) -> None:
    assert isinstance(graph, Updatable)
    graph.update('INSERT DATA { <urn:a> <urn:p> "one" , "two" }')
    graph.update('DELETE { ?s ?p "one" } INSERT { ?s ?p "three" } WHERE { ?s ?p "one" }')
    found = graph.select("SELECT ?o { <urn:a> <urn:p> ?o } ORDER BY ?o")
    assert [term.text for (term,) in found] == ["three", "two"]  # type: ignore[union-attr]


def test_a_query_is_no_update_and_nothing_is_fetched(graph: Graph) -> None:
    assert isinstance(graph, Updatable)
    with pytest.raises(DataError, match="changes nothing"):
        graph.update("ASK { ?s ?p ?o }")
    with pytest.raises(DataError):
        graph.update("INSERT DATA { <urn:a> <urn:p> }")
    if "http" not in graph.name:
        with pytest.raises(DataError, match="LOAD would fetch"):
            graph.update("LOAD <http://127.0.0.1:9/x.ttl>")
    assert graph.count() == 0


def test_query_refuses_an_update_that_nobody_asked_for(graph: Graph) -> None:
    text = "INSERT DATA { <urn:a> <urn:p> 1 }"
    with pytest.raises(DataError, match="would change the graph"):
        query(graph, text)
    assert graph.count() == 0
    query(graph, text, update=True)
    assert graph.count() == 1


def test_a_store_for_reading_is_not_changed(tmp_path: object) -> None:
    folder = f"{tmp_path}/store"
    OxigraphGraph(folder).close()
    with OxigraphGraph(folder, read_only=True) as graph, pytest.raises(BackendError, match="reading only"):
        graph.update("INSERT DATA { <urn:a> <urn:p> 1 }")


def test_an_update_to_a_service_is_sent_once_even_if_it_breaks_off() -> None:
    from kgnb.kg.endpoint_graph import EndpointGraph

    stub = StubEndpoint(Reply(status=504))  # whether it was carried out is not known; 429 and 503 say it was not
    try:
        with pytest.raises(BackendError, match="1 tries|busy"):
            EndpointGraph(stub.url, update_url=stub.url).update("INSERT DATA { <urn:a> <urn:p> 1 }")
        assert len(stub.received) == 1
    finally:
        stub.stop()


def test_from_fetches_nothing_on_an_rdflib_graph(stub: Callable[..., StubEndpoint]) -> None:
    server = stub(Reply(body=b"<urn:a> <urn:p> 1 .", media_type="text/turtle"))
    found = RdflibGraph(rdflib.Dataset()).select(f"SELECT * FROM <{server.url}> {{ ?s ?p ?o }}")
    assert len(found) == 0 and server.received == []
    assert rdflib.plugins.sparql.SPARQL_LOAD_GRAPHS is True  # the caller's own queries are not touched

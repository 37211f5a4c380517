"""SPARQL updates on every kind of graph: asked for on purpose, all or nothing, nothing fetched."""

from collections.abc import Callable

import pytest
import rdflib

from kgnb.errors import DataError
from kgnb.kg.graph import Graph, Updatable
from kgnb.kg.rdflib_graph import RdflibGraph
from kgnb.tasks.querying import query
from tests.kg.stub_endpoint import Reply, StubEndpoint


def test_an_update_changes_what_the_next_query_sees(graph: Graph) -> None:
    assert isinstance(graph, Updatable)
    graph.update('INSERT DATA { <urn:a> <urn:p> "one" , "two" }')
    graph.update('DELETE { ?s ?p "one" } INSERT { ?s ?p "three" } WHERE { ?s ?p "one" }')
    found = graph.select("SELECT ?o { <urn:a> <urn:p> ?o } ORDER BY ?o")
    assert [term.text for (term,) in found] == ["three", "two"]  # type: ignore[union-attr]


def test_refuses_queries_and_fetches_nothing(graph: Graph) -> None:
    assert isinstance(graph, Updatable)
    with pytest.raises(DataError, match="changes nothing"):
        graph.update("ASK { ?s ?p ?o }")
    with pytest.raises(DataError):
        graph.update("INSERT DATA { <urn:a> <urn:p> }")
    if "http" not in graph.name:
        with pytest.raises(DataError, match="LOAD would fetch"):
            graph.update("LOAD <http://127.0.0.1:9/x.ttl>")
    assert graph.count() == 0


def test_query_refuses_an_unexpected_update(graph: Graph) -> None:
    text = "INSERT DATA { <urn:a> <urn:p> 1 }"
    with pytest.raises(DataError, match="would change the graph"):
        query(graph, text)
    assert graph.count() == 0
    query(graph, text, update=True)
    assert graph.count() == 1


def test_from_fetches_nothing_on_an_rdflib_graph(stub: Callable[..., StubEndpoint]) -> None:
    server = stub(Reply(body=b"<urn:a> <urn:p> 1 .", media_type="text/turtle"))
    found = RdflibGraph(rdflib.Dataset()).select(f"SELECT * FROM <{server.url}> {{ ?s ?p ?o }}")
    assert len(found) == 0 and server.received == []


def test_an_rdflib_graph_and_what_is_asked_of_it_stay_the_same() -> None:
    theirs = rdflib.Dataset()
    graph = RdflibGraph(theirs)
    named = theirs.graph(rdflib.URIRef("urn:g"))
    named.parse(
        data='<urn:a> <urn:p> 1.50 , 007 , "x"@en ; <urn:odd> <urn:not an iri> .', format="turtle"
    )
    assert len(graph.select("SELECT ?o { ?s <urn:p> ?o }")) == 3
    assert graph.select("SELECT ?o { GRAPH <urn:g> { ?s <urn:odd> ?o } }").rows == (
        ("urn:not%20an%20iri",),
    )
    named.remove((None, None, rdflib.Literal("x", lang="en")))
    named.add((rdflib.URIRef("urn:a"), rdflib.URIRef("urn:p"), rdflib.Literal("y")))
    assert graph.ask("ASK { ?s ?p 'y' }") and not graph.ask("ASK { ?s ?p 'x'@en }")
    named.remove((None, rdflib.URIRef("urn:odd"), None))
    assert not graph.ask("ASK { ?s <urn:odd> ?o }")
    graph.update(
        "DELETE { GRAPH <urn:g> { ?s ?p 1.5 } } INSERT { ?s ?p 2 } WHERE { GRAPH <urn:g> { ?s ?p 1.5 } }"
    )
    assert sorted(str(one) for one in named.objects()) == ["7", "y"]
    assert sorted(str(o) for _, _, o, _ in theirs.quads()) == ["2", "7", "y"] and graph.count() == 3
    with pytest.raises(DataError, match="no named graphs"):
        RdflibGraph(rdflib.Graph()).update("INSERT DATA { GRAPH <urn:g> { <urn:a> <urn:p> 1 } }")
    strange = rdflib.Graph()
    strange.add((rdflib.Literal("a subject"), rdflib.URIRef("urn:p"), rdflib.Literal(1)))
    with pytest.raises(DataError, match="not a triple of RDF 1.1"):
        RdflibGraph(strange).count()

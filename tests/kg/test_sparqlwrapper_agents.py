"""A SPARQLWrapper in the place of a graph: every agent asks a real server through it."""

import urllib.request
from pathlib import Path
from urllib.parse import quote

import pytest
from SPARQLWrapper import DIGEST, JSON, POST, XML, SPARQLWrapper

import kgnb
from kgnb.backends import open_graph
from kgnb.datasets import huts
from kgnb.kg.quads import written
from tests.virtuoso import virtuoso

QUESTION = "Who is the warden of the Hochkar House?"


def turtle_of(name: str) -> str:
    """The data set as Turtle."""
    triples = open_graph(f"huts:{name}").triples()
    return "".join(written(((triple, None) for triple in triples), "turtle"))


def wrapper_of(server: str, name: str) -> SPARQLWrapper:
    """The data set, put into a named graph of the server, behind a SPARQLWrapper."""
    graph = f"http://huts.example/graph/{name}"
    request = urllib.request.Request(
        f"{server}/store?graph={quote(graph)}",
        turtle_of(name).encode(),
        {"Content-Type": "text/turtle"},
        method="PUT",
    )
    urllib.request.urlopen(request, timeout=30).read()
    wrapper = SPARQLWrapper(f"{server}/query", defaultGraph=graph)
    wrapper.setReturnFormat(JSON)
    wrapper.setMethod(POST)
    return wrapper


@pytest.mark.slow
def test_matching_asks_two_wrappers(empty_server: str) -> None:
    sides = [wrapper_of(empty_server, name) for name in ("alpine", "refuge")]
    found = kgnb.match_ontologies(*sides, embedder="characters")
    files = kgnb.match_ontologies("huts:alpine", "huts:refuge", embedder="characters")
    assert {m.pair for m in found} == {m.pair for m in files} and len(found) > 5


@pytest.mark.slow
def test_questions_are_answered_from_a_wrapper(empty_server: str) -> None:
    wrapper = wrapper_of(empty_server, "graph")
    wrapper.setReturnFormat(XML)
    answer = kgnb.answer_question(QUESTION, wrapper, embedder="characters")
    files = kgnb.answer_question(QUESTION, "huts:graph", embedder="characters")
    assert answer.values == files.values and len(answer.values) == 1


@pytest.mark.slow
def test_entities_of_two_wrappers_are_aligned(empty_server: str) -> None:
    sides = [wrapper_of(empty_server, name) for name in ("hollenmark", "corvane")]
    found = kgnb.align_entities(*sides, embedder="characters")
    files = kgnb.align_entities("huts:hollenmark", "huts:corvane", embedder="characters")
    assert {m.pair for m in found} == {m.pair for m in files} and len(found) > 5


@pytest.mark.slow
def test_an_ontology_behind_a_wrapper_becomes_tools(empty_server: str) -> None:
    pack = kgnb.compile_ontology(wrapper_of(empty_server, "kitchen"))
    files = kgnb.compile_ontology("huts:kitchen")
    assert [tool.name for tool in pack.tools] == [tool.name for tool in files.tools]


@pytest.mark.slow
def test_a_graph_is_built_with_the_ontology_behind_a_wrapper(empty_server: str) -> None:
    notes = huts.path("kitchen-notes")
    built = kgnb.build_graph(notes, wrapper_of(empty_server, "kitchen"), judge="rule")
    files = kgnb.build_graph(notes, "huts:kitchen", judge="rule")
    assert built.graph.isomorphic(files.graph) and len(built.graph) > 20


@pytest.mark.slow
def test_virtuoso_with_a_digest_answers_questions(tmp_path: Path) -> None:
    with virtuoso(tmp_path, Path(huts.path("graph"))) as url:
        wrapper = SPARQLWrapper(f"{url}-auth")
        wrapper.setHTTPAuth(DIGEST)
        wrapper.setCredentials("dba", "dba", realm="SPARQL")
        wrapper.setReturnFormat(JSON)
        assert open_graph(wrapper).count() > 100
        answer = kgnb.answer_question(QUESTION, wrapper, embedder="characters")
        files = kgnb.answer_question(QUESTION, "huts:graph", embedder="characters")
    assert answer.values == files.values and len(answer.values) == 1


@pytest.mark.slow
def test_every_agent_asks_virtuoso_through_a_wrapper(tmp_path: Path) -> None:
    names = ("alpine", "refuge", "hollenmark", "corvane", "graph", "kitchen")
    texts = {f"http://huts.example/graph/{name}": turtle_of(name) for name in names}
    with virtuoso(tmp_path, named=texts) as url:
        ends = [SPARQLWrapper(url, defaultGraph=graph) for graph in texts]  # answers in XML
        *sides, graph, kitchen = ends
        found = kgnb.match_ontologies(*sides[:2], embedder="characters")
        pairs = kgnb.align_entities(*sides[2:], embedder="characters")
        answer = kgnb.answer_question(QUESTION, graph, embedder="characters")
        built = kgnb.build_graph(huts.path("kitchen-notes"), kitchen, judge="rule")
    files = kgnb.match_ontologies("huts:alpine", "huts:refuge", embedder="characters")
    assert {m.pair for m in found} == {m.pair for m in files} and len(found) > 5
    files = kgnb.align_entities("huts:hollenmark", "huts:corvane", embedder="characters")
    assert {m.pair for m in pairs} == {m.pair for m in files} and len(pairs) > 5
    assert [answer.label(value) for value in answer.values] == ["Wilma Aschauer"]
    assert len(built.graph) > 20

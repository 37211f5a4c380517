"""The embedded store on disk, and what only it does."""

import subprocess
import sys
from pathlib import Path

import pytest

from kgnb.errors import BackendError, DataError
from kgnb.kg.oxigraph_graph import OxigraphGraph
from kgnb.kg.terms import Blank, Iri, Literal, Triple, TripleTerm

TRIPLE: Triple = (Iri("urn:hut"), Iri("urn:name"), Literal("Hut", "en"))


def test_a_store_opened_for_reading_refuses_to_be_written(tmp_path: Path) -> None:
    with OxigraphGraph(tmp_path / "store") as graph:
        graph.add([TRIPLE])
    reading = OxigraphGraph(tmp_path / "store", read_only=True)
    assert reading.triples() == [TRIPLE]
    with pytest.raises(BackendError, match="reading only"):
        reading.add([TRIPLE])
    with pytest.raises(BackendError, match="reading only"):
        reading.update("INSERT DATA { <urn:a> <urn:p> 1 }")
    with pytest.raises(DataError, match="no store"):
        OxigraphGraph(tmp_path / "nothing", read_only=True)
    with pytest.raises(ValueError, match="folder"):
        OxigraphGraph(read_only=True)


def test_a_store_that_cannot_be_opened_says_why(tmp_path: Path) -> None:
    with OxigraphGraph(tmp_path / "store"):
        with pytest.raises(BackendError) as raised:
            OxigraphGraph(tmp_path / "store")
        assert "read_only=True" in raised.value.fix
    (tmp_path / "huts.ttl").write_text("")
    with pytest.raises(DataError, match="folder") as refused:
        OxigraphGraph(tmp_path / "huts.ttl")
    assert "load()" in refused.value.fix


def test_adds_all_triples_or_none() -> None:
    graph = OxigraphGraph()
    with pytest.raises(ValueError):
        graph.add([TRIPLE, (Iri("not absolute"), Iri("urn:p"), Literal("x"))])
    with pytest.raises(TypeError):
        graph.add([TRIPLE, (Literal("x"), Iri("urn:p"), Literal("x"))])  # type: ignore[list-item]
    assert graph.count() == 0


def test_triple_terms_and_blank_nodes_can_be_asked_for() -> None:
    graph = OxigraphGraph()
    said: Triple = (Blank("b1"), Iri("urn:says"), TripleTerm(*TRIPLE))
    graph.add([said])
    assert graph.triples(Blank("b1")) == [said]
    assert graph.triples(object=said[2]) == [said]
    assert graph.select("SELECT ?o { ?s ?p ?o }", bindings={"s": Blank("b1")}).rows == ((said[2],),)
    assert graph.select("SELECT ?o { ?s ?p ?o }", bindings={"s": Blank("other")}).rows == ()


def test_a_query_sees_all_graphs_or_those_it_names_with_from() -> None:
    graph = OxigraphGraph()
    graph.update("INSERT DATA { <urn:a> <urn:p> 1 . GRAPH <urn:g> { <urn:a> <urn:p> 2 } }")
    assert len(graph.select("SELECT ?o { <urn:a> <urn:p> ?o }")) == 2
    (row,) = graph.select("SELECT ?o FROM <urn:g> { <urn:a> <urn:p> ?o }")
    assert isinstance(row[0], Literal) and row[0].text == "2"


def test_a_long_query_is_stopped_between_rows() -> None:
    graph = OxigraphGraph()
    graph.add((Iri(f"urn:{n}"), Iri("urn:p"), Literal(str(n))) for n in range(300))
    with pytest.raises(BackendError, match="longer than 0.05 s"):
        graph.select("SELECT * { ?a ?p ?x . ?b ?p ?y . ?c ?p ?z }", timeout=0.05)


def test_equal_stores_dump_equal_bytes() -> None:
    triples: list[Triple] = [
        TRIPLE,
        (Iri("urn:b"), Iri("urn:p"), Iri("urn:c")),
        (Iri("urn:a"), Iri("urn:p"), Literal("1")),
    ]
    one, other = OxigraphGraph(), OxigraphGraph()
    one.add(triples)
    other.add(reversed(triples))
    assert one.dump() == other.dump()


def test_no_answer_aborts_the_process_when_threads_hand_it_on(tmp_path: Path) -> None:
    """A raw pyoxigraph iterator crossing threads ends the interpreter, so this runs in one of its
    own.
    """
    script = tmp_path / "threads.py"
    script.write_text(
        "from concurrent.futures import ThreadPoolExecutor as Pool\n"
        "from kgnb.kg.oxigraph_graph import OxigraphGraph\n"
        "from kgnb.kg.terms import Iri, Literal\n"
        "graph = OxigraphGraph()\n"
        "graph.add((Iri(f'urn:{n}'), Iri('urn:p'), Literal('x')) for n in range(500))\n"
        "asks = [lambda: graph.select('SELECT * { ?s ?p ?o }', limit=3), lambda: graph.triples(limit=3),\n"
        "        lambda: graph.construct('CONSTRUCT WHERE { ?s ?p ?o }'), lambda: graph.ask('ASK { ?s ?p ?o }')]\n"
        "with Pool(6) as pool:\n"
        "    for answer in [pool.submit(ask) for ask in asks * 30]:\n"
        "        repr(answer.result())\n"
        "print('whole')\n"
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "whole\n"), done.stderr

import pytest

from kgnb.kg.oxigraph_graph import OxigraphGraph
from kgnb.kg.quads import Quad, QuadWriter, quads, read_n_quads, written
from kgnb.kg.terms import Iri, Literal, Triple

TRIPLE: Triple = (Iri("urn:a"), Iri("urn:p"), Literal("b"))
TWICE: list[Quad] = [(TRIPLE, Iri("urn:g")), (TRIPLE, Iri("urn:h"))]


def test_formats_without_named_graphs_hold_each_triple_once() -> None:
    assert written(TWICE, "turtle") == written(TWICE, "n-triples") == '<urn:a> <urn:p> "b" .\n'
    assert read_n_quads(written(TWICE, "n-quads")) == TWICE
    with pytest.raises(ValueError, match="choose one of"):
        written(TWICE, "xml")
    with pytest.raises(ValueError, match="N-Quads"):
        read_n_quads("<urn:a>")


def test_a_writer_adds_and_removes_quads() -> None:
    graph = OxigraphGraph()
    writer = QuadWriter(graph)
    assert writer.lacking([*TWICE, TWICE[0]]) == TWICE
    writer.add(TWICE)
    writer.remove([(TRIPLE, None)])  # not there
    assert writer.graphs_of(TRIPLE) == [Iri("urn:g"), Iri("urn:h")] and not writer.lacking(TWICE)
    writer.remove(TWICE[:1])
    assert list(quads(graph)) == TWICE[1:] and writer.values(
        Iri("urn:a"), "urn:p", Iri("urn:h")
    ) == [Literal("b")]

"""Plain triples of names become a graph with labels, whatever the names hold; broken lines are named."""

import gzip
from pathlib import Path

import pytest

from kgnb.errors import DataError
from kgnb.kg.loading import load
from kgnb.kg.name_triples import BASE
from kgnb.kg.oxigraph_graph import OxigraphGraph
from kgnb.kg.terms import RDFS, XSD, Iri, Literal


def opened(tmp_path: Path, text: str, name: str = "huts.tsv") -> OxigraphGraph:
    (tmp_path / name).write_text(text, encoding="utf-8")
    graph = OxigraphGraph()
    load(graph, tmp_path / name)
    return graph


def label(graph: OxigraphGraph, iri: str) -> str:
    (found,) = graph.triples(Iri(iri), Iri(RDFS + "label"))
    assert isinstance(found[2], Literal)
    return found[2].text


def test_a_table_of_three_columns_is_not_a_list_of_triples(tmp_path: Path) -> None:
    graph = opened(tmp_path, "name\tbeds\topened\nAlder Hut\t36\t1874\nBirch Hut\t12\t1911\n")
    (found,) = graph.triples(Iri(BASE + "huts/Birch%20Hut"), Iri(BASE + "column/beds"))
    assert found[2] == Literal("12", datatype=XSD + "integer")


def test_names_become_iris_with_labels(tmp_path: Path) -> None:
    for name in ("huts.tsv", "huts.txt", "huts"):
        graph = opened(tmp_path, "ada_of_the_huts\tplace_of_birth\tles_ambrettes\n", name)
        (found,) = graph.triples(None, Iri(BASE + "relation/place_of_birth"))
        assert (found[0], found[2]) == (BASE + "entity/ada_of_the_huts", BASE + "entity/les_ambrettes")
        assert (label(graph, found[0]), label(graph, found[1])) == ("ada of the huts", "place of birth")
    (tmp_path / "kb.txt.gz").write_bytes(gzip.compress(b"a\t/people/person/place_of_birth\tb\na\twardenOf\tc\n"))
    load(graph := OxigraphGraph(), tmp_path / "kb.txt.gz")
    assert label(graph, BASE + "relation//people/person/place_of_birth") == "place of birth"
    assert label(graph, BASE + "relation/wardenOf") == "warden of"


def test_numbers_and_dates_become_literals_unless_they_are_heads_too(tmp_path: Path) -> None:
    graph = opened(tmp_path, "head\trelation\ttail\nhut\tbeds\t36\nhut\topened\t1926-06-20\nhut\tno\t7\n7\tafter\t6\n")
    values = {triple[1].rpartition("/")[2]: triple[2] for triple in graph.triples(Iri(BASE + "entity/hut"))}
    assert values["beds"] == Literal("36", datatype=XSD + "integer")
    assert values["opened"] == Literal("1926-06-20", datatype=XSD + "date")
    assert values["no"] == BASE + "entity/7"


def test_iris_stay_and_hostile_names_are_encoded(tmp_path: Path) -> None:
    graph = opened(tmp_path, 'http://huts.example/id/a\tknows\ta> . <b "c" #\\u0041?x\n<http://h/b>\tknows\té|{}^`%\n')
    found = graph.triples(None, Iri(BASE + "relation/knows"))
    assert {str(triple[0]) for triple in found} == {"http://huts.example/id/a", "http://h/b"}
    assert {str(triple[2]) for triple in found} == {
        BASE + "entity/a%3E%20.%20%3Cb%20%22c%22%20%23%5Cu0041%3Fx",
        BASE + "entity/é%7C%7B%7D%5E%60%25",
    }


def test_malformed_lines_and_other_text_are_refused(tmp_path: Path) -> None:
    for text, name, message in (
        ("a\tb\tc\n\na\tb\n" + "a\tb\tc\n" * 3, "huts.tsv", "huts.tsv:3: 2 columns"),
        ("a\tb\tc\na\t\tc\n", "huts.tsv", "huts.tsv:2: 3 columns, or an empty one"),
        ("a\tb\tc\td\n" * 5, "columns.txt", "cannot tell what this file holds"),
        ("just a note\n", "note.txt", "cannot tell what this file holds"),
    ):
        with pytest.raises(DataError) as caught:
            opened(tmp_path, text, name)
        assert message in caught.value.what
        assert "head TAB relation TAB tail" in caught.value.fix

"""Tables with a header as graphs."""

from pathlib import Path

import pytest

import kgnb
from kgnb.errors import DataError
from kgnb.kg.loading import load
from kgnb.kg.oxigraph_graph import OxigraphGraph
from kgnb.kg.terms import RDFS, XSD

TOOLS = '''sku;Bezeichnung;maker;weight;since;code;page
D-10;Bohrer, "18 V";Bosch;1,6;2019-04-01;007;http://a.example/d
D-11;"Säge ""K;2""";Bosch;2;2018-01-31;12;

S-20;Schleifer;;4,25;2020-12-24;1,200;http://a.example/s
'''
PREFIXES = "PREFIX c: <http://names.example/column/> PREFIX t: <http://names.example/tools/> "


def tools(path: Path, text: str = TOOLS, name: str = "tools.csv") -> OxigraphGraph:
    (path / name).write_text(text, encoding="utf-8")
    graph = OxigraphGraph()
    load(graph, path / name)
    return graph


def test_a_row_is_a_thing_with_a_name_and_typed_values(tmp_path: Path) -> None:
    graph = tools(tmp_path)

    def values(column: str) -> list[tuple[str, str]]:
        rows = graph.select(f"{PREFIXES} SELECT ?v {{ ?s c:{column} ?v }} ORDER BY ?s").rows
        return [(getattr(v, "text", str(v)), (getattr(v, "datatype", "") or "").removeprefix(XSD)) for (v,) in rows]

    assert values("weight") == [("1.6", "decimal"), ("2", "integer"), ("4.25", "decimal")]
    assert [kind for _, kind in values("since")] == ["date"] * 3
    assert values("code") == [("007", ""), ("12", ""), ("1,200", "")]  # 007 is no number, and 1,200 may be two
    assert values("maker") == [("Bosch", "")] * 2 and [v for v, _ in values("page")][0] == "http://a.example/d"
    named = 't:D-11 rdfs:label "Säge \\"K;2\\"" ; a <http://names.example/class/tools>'
    assert graph.ask(f"PREFIX rdfs: <{RDFS}> {PREFIXES} ASK {{ {named} }}")
    assert not graph.ask(f"{PREFIXES} ASK {{ ?s c:Bezeichnung ?v }}")  # it is the label
    assert set(tools(tmp_path).triples()) == set(graph.triples())


def test_a_table_without_a_key_counts_its_rows_and_tabs_are_read_too(tmp_path: Path) -> None:
    graph = tools(tmp_path, "colour\tn\tm\to\nred\t1\t1\t1\nred\t1\t1\t2.5\n\t\t\t1\n", "tools.tsv")
    assert graph.ask(f"{PREFIXES} ASK {{ t:1 c:o 1 . t:2 c:o 2.5 . t:3 c:o 1 }}")


def test_two_tables_of_the_same_things_are_aligned(tmp_path: Path) -> None:
    lines = ["1,Alder Hut,1874,2310", "2,Birch Hut,1911,1984", "3,Cedar Hut,1932,2050", "4,Dogwood Hut,1950,1720"]
    (tmp_path / "one.csv").write_text("\n".join(["no,name,built,height", *lines]), encoding="utf-8")
    (tmp_path / "two.csv").write_text("\n".join(["no,name,built,height", *lines[::-1]]), encoding="utf-8")
    found = kgnb.align_entities(tmp_path / "one.csv", tmp_path / "two.csv", embedder="characters")
    assert {(m.source.rpartition("/")[2], m.target.rpartition("/")[2]) for m in found} == {(n, n) for n in "1234"}


def test_a_malformed_table_is_refused_with_its_line(tmp_path: Path) -> None:
    for text, said in (
        ("a,b\n1,2\n1,2,3\n", "tools.csv:3: 3 cells below a header of 2"),
        ("a,b\n", "there is no row below the header"),
        ("a,a,\n1,2,3\n", "tools.csv:1: column names that are empty or repeated: a, (empty)"),
        ('a,b\n"1,2\n', "this is not a table"),
    ):
        with pytest.raises(DataError, match=".") as raised:
            tools(tmp_path, text)
        assert said in raised.value.what, raised.value.what
        assert raised.value.fix

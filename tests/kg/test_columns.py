"""Plain triples of names and tables with a header as graphs, whatever the names hold; broken lines
are named.
"""

import gzip
from pathlib import Path

import pytest

import kgnb
from kgnb.errors import DataError
from kgnb.kg.columns import BASE
from kgnb.kg.graph import reading_notes
from kgnb.kg.loading import load
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
        assert (found[0], found[2]) == (
            BASE + "entity/ada_of_the_huts",
            BASE + "entity/les_ambrettes",
        )
        assert (label(graph, found[0]), label(graph, found[1])) == (
            "ada of the huts",
            "place of birth",
        )
    (tmp_path / "kb.txt.gz").write_bytes(
        gzip.compress(b"a\t/people/person/place_of_birth\tb\na\twardenOf\tc\n")
    )
    load(graph := OxigraphGraph(), tmp_path / "kb.txt.gz")
    assert label(graph, BASE + "relation//people/person/place_of_birth") == "place of birth"
    assert label(graph, BASE + "relation/wardenOf") == "warden of"


def test_numbers_and_dates_become_literals_unless_they_are_heads_too(tmp_path: Path) -> None:
    graph = opened(
        tmp_path,
        "head\trelation\ttail\nhut\tbeds\t36\nhut\topened\t1926-06-20\nhut\tno\t7\n7\tafter\t6\n",
    )
    values = {
        triple[1].rpartition("/")[2]: triple[2]
        for triple in graph.triples(Iri(BASE + "entity/hut"))
    }
    assert values["beds"] == Literal("36", datatype=XSD + "integer")
    assert values["opened"] == Literal("1926-06-20", datatype=XSD + "date")
    assert values["no"] == BASE + "entity/7"


def test_iris_stay_and_hostile_names_are_encoded(tmp_path: Path) -> None:
    graph = opened(
        tmp_path,
        'http://huts.example/id/a\tknows\ta> . <b "c" #\\u0041?x\n<http://h/b>\tknows\té|{}^`%\n',
    )
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
        return [
            (getattr(v, "text", str(v)), (getattr(v, "datatype", "") or "").removeprefix(XSD))
            for (v,) in rows
        ]

    assert values("weight") == [("1.6", "decimal"), ("2", "integer"), ("4.25", "decimal")]
    assert [kind for _, kind in values("since")] == ["date"] * 3
    assert values("code") == [
        ("007", ""),
        ("12", ""),
        ("1,200", ""),
    ]  # 007 is no number, and 1,200 may be two
    assert (
        values("maker") == [("Bosch", "")] * 2
        and [v for v, _ in values("page")][0] == "http://a.example/d"
    )
    named = 't:D-11 rdfs:label "Säge \\"K;2\\"" ; a <http://names.example/class/tools>'
    assert graph.ask(f"PREFIX rdfs: <{RDFS}> {PREFIXES} ASK {{ {named} }}")
    assert not graph.ask(f"{PREFIXES} ASK {{ ?s c:Bezeichnung ?v }}")  # it is the label
    assert set(tools(tmp_path).triples()) == set(graph.triples())


def test_a_table_without_a_key_counts_its_rows_and_tabs_are_read_too(tmp_path: Path) -> None:
    graph = tools(tmp_path, "colour\tn\tm\to\nred\t1\t1\t1\nred\t1\t1\t2.5\n\t\t\t1\n", "tools.tsv")
    assert graph.ask(f"{PREFIXES} ASK {{ t:1 c:o 1 . t:2 c:o 2.5 . t:3 c:o 1 }}")


@pytest.mark.parametrize(
    ("rows", "by", "which"),
    [
        (["a,1,x", "b,2,x", "b,3,y", "d,4,x", "e,5,y", "f,6,y"], "the column 'n'", "1 ('b')"),
        (["a,1,x", "b,1,x", ",3,y", "d,4,x", "e,4,y", "g,7,y"], "their number", "1 ('')"),
    ],
)
def test_a_first_column_that_is_a_key_but_for_slips_is_said(
    rows: list[str], by: str, which: str, tmp_path: Path
) -> None:
    (note,) = reading_notes(tools(tmp_path, "\n".join(["no,n,colour", *rows])))
    assert f"in the first column, so that {by} names the rows: {which}" in note


def test_a_first_column_of_words_that_come_often_is_no_key_and_that_is_no_news(
    tmp_path: Path,
) -> None:
    assert reading_notes(tools(tmp_path, "colour,n\nred,1\nred,2\nblue,3\nblue,4\n")) == []


def test_two_tables_of_the_same_things_are_aligned(tmp_path: Path) -> None:
    lines = [
        "1,Alder Hut,1874,2310",
        "2,Birch Hut,1911,1984",
        "3,Cedar Hut,1932,2050",
        "4,Dogwood Hut,1950,1720",
    ]
    (tmp_path / "one.csv").write_text("\n".join(["no,name,built,height", *lines]), encoding="utf-8")
    (tmp_path / "two.csv").write_text(
        "\n".join(["no,name,built,height", *lines[::-1]]), encoding="utf-8"
    )
    found = kgnb.align_entities(tmp_path / "one.csv", tmp_path / "two.csv", embedder="characters")
    assert {(m.source.rpartition("/")[2], m.target.rpartition("/")[2]) for m in found} == {
        (n, n) for n in "1234"
    }


def test_a_malformed_table_is_refused_with_its_line(tmp_path: Path) -> None:
    for text, said in (
        ("a,b\n1,2\n1,2,3\n", "tools.csv:3: 3 cells below a header of 2"),
        ("a,b\n", "there is no row below the header"),
        ("Tools of 2024,,\na,b,c\n1,2,3\n", "tools.csv:1: most columns have no name"),
        ('a,b\n"1,2\n', "this is not a table"),
    ):
        with pytest.raises(DataError, match=".") as raised:
            tools(tmp_path, text)
        assert said in raised.value.what, raised.value.what
        assert raised.value.fix


def test_a_column_without_a_name_or_with_that_of_another_is_named_and_said_so(
    tmp_path: Path,
) -> None:
    graph = tools(tmp_path, "no,a,,a,Height [m],a (2)\n1,2,x,3,4,5\n2,3,y,4,5,6\n")
    names = ("no", "a", "column 3", "a (3)", "Height [m]", "a (2)")
    first = {term for _, _, term in graph.triples(None, Iri(RDFS + "label"))}
    assert {Literal(name) for name in names} <= first
    (note,) = reading_notes(graph)
    assert "columns named anew, as a name is missing or there twice: 2" in note
    for code in ("\x7f", "\ue000", "\ufffe", "\U0001fffe", "\U0010ffff", "]"):
        assert tools(tmp_path, f"no,odd{code}\n1,2\n").triples(None, Iri(RDFS + "label"))


def column(path: Path, text: str, name: str, file: str = "tools.csv") -> list[tuple[str, str]]:
    """The values of one column, with the names of their datatypes, in order of the rows."""
    graph = tools(path, text, file)
    rows = graph.select(
        f"SELECT ?v {{ ?s <{BASE}column/{name}> ?v ; a <{BASE}class/tools> }} ORDER BY ?s"
    ).rows
    return [
        (getattr(v, "text", str(v)), (getattr(v, "datatype", "") or "").removeprefix(XSD))
        for (v,) in rows
    ]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("id;a;b\n1;2.310;1.012,50\n2;1.250;9,00\n", ["2310", "1250"]),  # another column tells
        ("id;a\n1;2.310\n2;1.012,50\n", ["2310", "1012.5"]),  # the column itself tells
        ("id;a;b\n1;2.310;0.5\n2;1.250;3.25\n", ["2.31", "1.25"]),
        ("id;a;b\n1;61.500,00;59.91\n2;900,50;10.75\n", ["61500", "900.5"]),
        ("id,a\n1,2.310\n2,1.250\n", ["2.31", "1.25"]),  # commas divide: a point is a point
        ('id,a,b\n1,"2,310",1.5\n2,"1,250",2.5\n', ["2310", "1250"]),
        ("id\ta\n1\t1.234.567\n2\t2\n", ["1234567", "2"]),
        ("id\ta\n1\t1\u202f808\n2\t2\u00a0310,5\n", ["1808", "2310.5"]),
        ("id\ta\n1\t\u221212\n2\t1'808\n", ["-12", "1808"]),
        ("id,a\n1,n/a\n2,12\n", ["12"]),
        ("id,a\n1,-\n2,1.5e3\n", ["1500"]),
    ],
)
def test_numbers_are_read_as_the_whole_table_writes_them(
    text: str, values: list[str], tmp_path: Path
) -> None:
    found = column(tmp_path, text, "a")
    assert [value for value, _ in found] == values
    assert {kind for _, kind in found} <= {"integer", "decimal", "double"}


def test_numbers_with_two_readings_stay_text_and_that_is_said(tmp_path: Path) -> None:
    (tmp_path / "tools.csv").write_text("id;a\n1;2.310\n2;1.250\n")
    report = load(graph := OxigraphGraph(), tmp_path / "tools.csv")
    assert column(tmp_path, "id;a\n1;2.310\n2;1.250\n", "a") == [("2.310", ""), ("1.250", "")]
    (mended,) = report.mended
    assert (mended.count, "two readings" in mended.kind) == (2, True)
    assert "2.310 or 2310" in mended.example and graph.mended


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (
            ["2 January 1931", "12. Juli 1829", "1er mai 1950"],
            ["1931-01-02", "1829-07-12", "1950-05-01"],
        ),
        (["Mar 3, 2001", "December 24 1999"], ["2001-03-03", "1999-12-24"]),
        (["31.12.1999", "01.02.2000"], ["1999-12-31", "2000-02-01"]),
        (["13/02/1931", "01/02/1931"], ["1931-02-13", "1931-02-01"]),  # the first tells the order
        (["02/13/1931", "01/02/1931"], ["1931-02-13", "1931-01-02"]),
        (["2/29/2020", "2020-03-01"], ["2020-02-29", "2020-03-01"]),
        (["3 de enero de 2001", "2001/5/6"], ["2001-01-03", "2001-05-06"]),
    ],
)
def test_dates_are_read_where_they_have_one_reading(
    cells: list[str], values: list[str], tmp_path: Path
) -> None:
    lines = [f"{at}\t{cell}" for at, cell in enumerate(cells)]
    found = column(tmp_path, "\n".join(["id\ta", *lines]), "a", "tools.tsv")
    assert found == [(value, "date") for value in values]


def test_dates_with_two_readings_stay_text_and_impossible_ones_are_named(tmp_path: Path) -> None:
    (tmp_path / "tools.csv").write_text("id,a\n1,01/02/1931\n2,03/04/1950\n")
    report = load(OxigraphGraph(), tmp_path / "tools.csv")
    assert "1931-02-01 or 1931-01-02" in report.mended[0].example
    assert column(tmp_path, "id,a\n1,2022-02-30\n2,2022-02-28\n", "a") == [
        ("2022-02-30", ""),
        ("2022-02-28", "date"),
    ]
    assert column(tmp_path, "id,a\n1,2022-02-20 10:15\n2,2022-02-28T11:00:05Z\n", "a") == [
        ("2022-02-20T10:15:00", "dateTime"),
        ("2022-02-28T11:00:05Z", "dateTime"),
    ]


def test_excel_s_separator_line_is_no_row_and_lines_are_counted_with_it(tmp_path: Path) -> None:
    assert [value for value, _ in column(tmp_path, "sep=;\nid;a\n1;2\n", "a")] == ["2"]
    assert [value for value, _ in column(tmp_path, "sep=|\r\nid|a\r\n1|5\r\n", "a")] == ["5"]
    with pytest.raises(DataError, match="tools.csv:3: 1 cells below a header of 2"):
        tools(tmp_path, "sep=;\nid;a\n1\n")


def test_addresses_with_a_stray_percent_are_mended_and_counted(tmp_path: Path) -> None:
    text = "id,see\n1,http://a.example/50%\n2,http://a.example/x y\n3,http://a.example/ok\n"
    (tmp_path / "tools.csv").write_text(text)
    report = load(graph := OxigraphGraph(), tmp_path / "tools.csv")
    found = {
        str(row[0])
        for row in graph.select(f"SELECT ?v {{ ?s <{BASE}column/see> ?v FILTER(isIRI(?v)) }}")
    }
    assert found == {"http://a.example/50%25", "http://a.example/ok"}
    assert [one.count for one in report.mended if "percent" in one.kind] == [1]
    names = opened(tmp_path, "a\tsee\thttp://ex.org/50%zz\nb\tsee\thttp://ex.org/x\n", "names.tsv")
    assert len(names.triples(None, None, Iri("http://ex.org/50%25zz"))) == 1


def test_a_given_and_a_family_name_make_a_name(tmp_path: Path) -> None:
    for head in ("id,Vorname,Nachname", "id,given_name,familyName", "id,prénom,nom"):
        graph = tools(tmp_path, f"{head}\n1,Ada,Moor\n2,,Lund\n")
        assert label(graph, f"{BASE}tools/1") == "Ada Moor"
        assert label(graph, f"{BASE}tools/2") == "Lund"
        parts = head.split(",")[2]
        assert graph.ask(f'ASK {{ ?s <{BASE}column/{parts}> "Moor" }}')


def test_the_delimiter_is_what_makes_all_lines_one_width(tmp_path: Path) -> None:
    text = "id;a,b,c,d\n1;Hut, old, red\n2;Tower\n"
    assert column(tmp_path, text, "a,b,c,d") == []  # it names the rows
    assert label(tools(tmp_path, text), f"{BASE}tools/1") == "Hut, old, red"
    assert [value for value, _ in column(tmp_path, "id,a,\n1,2,\n3,4,\n", "a")] == ["2", "4"]


def test_a_cell_may_be_long(tmp_path: Path) -> None:
    text = "x" * 300_000
    assert [value for value, _ in column(tmp_path, f"id,name,a\n1,Gannet,{text}\n", "a")] == [text]


def test_truths_and_cells_without_a_value_are_read(tmp_path: Path) -> None:
    found = column(tmp_path, "id,name,a,b\n1,x,TRUE,n/a\n2,y,false,NA\n3,z,n/a,red\n", "a")
    assert found == [("true", "boolean"), ("false", "boolean")]
    text = "id,name,b\n1,x,n/a\n2,y,NA\n3,z,red\n"
    assert [value for value, _ in column(tmp_path, text, "b")] == ["NA", "red"]


def test_utf_16_without_its_mark_is_read(tmp_path: Path) -> None:
    (tmp_path / "tools.csv").write_bytes("id,a\n1,Hütte\n2,Höhe\n".encode("utf-16-le"))
    report = load(graph := OxigraphGraph(), tmp_path / "tools.csv")
    assert "UTF-16" in report.mended[0].kind and label(graph, f"{BASE}tools/2") == "Höhe"


@pytest.mark.parametrize(
    "rows",
    [
        ["id|lamp|watt", "1|Aurora|40", "2|Brisa|60"],
        ["code|city|zip", "a|Ulm|89073", "b|Bonn|53111", "c|Ulm|89074"],
        ["no|first|last", "1|Ada|Lind", "2|Bo|Kaya"],
    ],
)
def test_three_columns_below_a_header_are_a_table(rows: list[str], tmp_path: Path) -> None:
    (tmp_path / "three.tsv").write_text("\n".join(rows).replace("|", "\t") + "\n", "utf-8")
    load(graph := OxigraphGraph(), tmp_path / "three.tsv")
    found = graph.select(f"SELECT ?x {{ ?x a <{BASE}class/three> }}").rows
    assert len(found) == len(rows) - 1


@pytest.mark.parametrize(
    "rows",
    [
        ["ada|knows|bob", "ada|age|36", "bob|age|41"],
        ["1|5|7", "2|5|9", "3|6|1"],
        ["head|relation|tail", "ada|age|36", "bob|age|41"],
    ],
)
def test_three_columns_of_triples_stay_triples(rows: list[str], tmp_path: Path) -> None:
    (tmp_path / "three.tsv").write_text("\n".join(rows).replace("|", "\t") + "\n", "utf-8")
    load(graph := OxigraphGraph(), tmp_path / "three.tsv")
    assert not graph.select("SELECT ?x { ?x a ?type }").rows

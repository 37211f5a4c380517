from pathlib import Path

import pytest
import rdflib
from hypothesis import given
from hypothesis import strategies as st

from kgnb.errors import ConfigError, DataError
from kgnb.kg.graph import Solutions
from kgnb.kg.result_files import frame_of, inert, rows_as_json, save_rows, save_triples
from kgnb.kg.terms import XSD, Blank, Iri, Literal, TripleTerm
from tests.kg.n3_reader import parse_term

HUT = Iri("http://huts.example/id/hochkar")
TERMS = (
    HUT,
    Literal("Hütte", "de"),
    Literal("2264", datatype=f"{XSD}integer"),
    Blank("b0"),
    Literal("=1+1"),
)
SOLUTIONS = Solutions(("a", "b", "c", "d", "e", "empty"), ((*TERMS, None),))


def test_csv_holds_plain_values_and_no_formula(tmp_path: Path) -> None:
    written = save_rows(SOLUTIONS, tmp_path / "huts.csv").read_text(encoding="utf-8")
    assert written.splitlines() == [
        "a,b,c,d,e,empty",
        "http://huts.example/id/hochkar,Hütte,2264,_:b0,'=1+1,",
    ]


def test_tsv_and_json_lose_nothing(tmp_path: Path) -> None:
    head, row = save_rows(SOLUTIONS, tmp_path / "huts.tsv").read_text(encoding="utf-8").splitlines()
    assert head.split("\t") == [f"?{name}" for name in SOLUTIONS.variables]
    assert [parse_term(cell) if cell else None for cell in row.split("\t")] == [*TERMS, None]
    read = rdflib.query.Result.parse(
        save_rows(SOLUTIONS, tmp_path / "huts.srj").open("rb"), format="json"
    )
    assert [str(value) for value in next(iter(read)) if value is not None] == [
        str(HUT),
        "Hütte",
        "2264",
        "b0",
        "=1+1",
    ]


def test_a_triple_term_is_written_as_sparql_1_2_has_it() -> None:
    term = TripleTerm(HUT, Iri("urn:p"), Literal("x"))
    [binding] = rows_as_json(Solutions(("t",), ((term,),)))["results"]["bindings"]
    assert binding["t"]["type"] == "triple" and binding["t"]["value"]["object"] == {
        "type": "literal",
        "value": "x",
    }


def test_a_data_frame_has_types_and_keeps_what_breaks_them() -> None:
    rows = tuple(
        (Literal(text, datatype=f"{XSD}integer"), Literal(day, datatype=f"{XSD}date"))
        for text, day in (("3", "2026-06-20"), ("4", "2026-06-21"))
    )
    frame = frame_of(Solutions(("n", "day"), rows))
    assert str(frame["n"].dtype) == "Int64" and str(frame["day"].dtype).startswith("datetime64")
    wrong = frame_of(Solutions(("n",), ((Literal("many", datatype=f"{XSD}integer"),),)))
    assert wrong["n"].tolist() == ["many"]


def test_triples_are_read_back_the_same(tmp_path: Path) -> None:
    triples = [(HUT, Iri("http://huts.example/warden"), Literal('Wilma "W" Aschauer', "de"))]
    for ending, form in ((".ttl", "turtle"), (".nt", "nt"), (".jsonld", "json-ld")):
        path = save_triples(triples, tmp_path / f"huts{ending}", {"h": "http://huts.example/"})
        assert len(rdflib.Graph().parse(path, format=form)) == 1
    assert "h:warden" in (tmp_path / "huts.ttl").read_text(encoding="utf-8")


def test_an_unknown_suffix_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="rows cannot be written as .xlsx"):
        save_rows(SOLUTIONS, tmp_path / "huts.xlsx")
    with pytest.raises(DataError, match="rows come from SELECT"):
        save_triples([], tmp_path / "huts.csv")
    with pytest.raises(DataError, match="cannot be written"):
        save_rows(SOLUTIONS, tmp_path / "no folder" / "huts.csv")
    assert list(tmp_path.iterdir()) == []


def test_parquet_is_written_or_its_package_is_named(tmp_path: Path) -> None:
    try:
        import pandas

        path = save_rows(SOLUTIONS, tmp_path / "huts.parquet")
    except ConfigError as error:
        assert "pyarrow" in str(error)
    else:
        assert pandas.read_parquet(path)["c"].tolist() == [2264]


@given(st.text())
def test_no_cell_begins_as_a_formula_does(text: str) -> None:
    shown = inert(text)
    assert shown.lstrip("'") == text.lstrip("'")
    if shown[:1] and shown[0] in "=+-@\t\r":
        float(shown)

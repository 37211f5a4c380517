"""What a query gave, with everything hostile in it that a graph can hold: shown as text, in every
form.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from kgnb.errors import DataError
from kgnb.kg.graph import Solutions
from kgnb.kg.schema import Names, Schema, SchemaTerm
from kgnb.kg.terms import RDF, XSD, Blank, Iri, Literal, Term, Triple, TripleTerm
from kgnb.magics.kg import picture_of_schema
from kgnb.results.found import GraphUpdate, Rows, Triples, YesNo, rows_of, triples_of

HOSTILE = (
    "<script>alert(1)</script>",
    '<img src=x onerror="alert(1)">',
    "\"' onmouseover='alert(1)' x=\"",
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)//http://huts.example/",
    "data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==",
    "http://huts.example/\u202ecod.exe",
    'http://huts.example/" onclick="alert(1)',
    "]]></style></svg><script>alert(1)</script>",
    "\x1b[31mred\x1b[0m \x00\x07\x9b",
    "\u200bzero\ufeff width \U000e0041",
    "half \ud83d surrogate",
    '=HYPERLINK("http://evil.example")',
    "{{constructor}} ${alert(1)} %0d%0aSet-Cookie:",
    "x" * 100_000,
)
HUT = Iri("http://huts.example/hut")


def assert_inert(shown: Any, read: Callable[[str], Any]) -> None:
    bundle = shown._repr_mimebundle_()
    read(bundle["text/html"])
    for mime, form in bundle.items():
        written = form if isinstance(form, str) else json.dumps(form, ensure_ascii=False)
        written.encode("utf-8")  # it can be saved
        assert len(written) < 400_000
        if mime.startswith("text/"):
            assert not set("\x1b\x00\x07\x9b\u202e\u200b\ufeff") & set(written)


def everywhere(text: str) -> list[tuple[Term, ...]]:
    """A text in each place of a row where RDF has text; no engine checks what a service sends."""
    return [
        (Literal(text), Literal(text, "en"), Literal(text, None, f"{XSD}integer")),
        (Iri(text), Blank(text), TripleTerm(Iri(text), Iri(text), Literal(text))),
        (Literal("x", text), Literal("1", None, text), Iri("http://huts.example/" + text)),
    ]


def rows(text: str) -> Rows:
    return rows_of(
        Solutions((text[:50] or "a", "b", "c"), tuple(everywhere(text))), lambda iri: iri, (text,)
    )


def triples(text: str) -> Triples:
    told: tuple[Triple, ...] = (
        (Iri(text), Iri(text), Literal(text)),
        (HUT, Iri(f"{RDF}type"), Iri(text)),
        (Blank("b1"), HUT, TripleTerm(Iri(text), Iri(text), Literal(text, "en"))),
    )
    return triples_of(told, lambda iri: iri, Names({HUT: text}), {"": text})


def schema(text: str) -> Schema:
    classes = (SchemaTerm(text, (text,), 3), SchemaTerm("http://huts.example/b", (text,)))
    links = ((text, text, "http://huts.example/b", 2),)
    return Schema(
        classes,
        (SchemaTerm(text, (text,), 2),),
        links,
        (("http://huts.example/b", text),),
        notes=(text,),
    )


def everything(text: str) -> Iterable[object]:
    yield rows(text)
    yield triples(text)
    yield triples(text).table()
    yield YesNo(True)
    yield GraphUpdate(text, 1, 2)
    yield GraphUpdate(text)
    yield picture_of_schema(schema(text), text)


def test_hostile_text_is_inert_in_every_result(
    read: Callable[[str], Any], caplog: pytest.LogCaptureFixture
) -> None:
    for text in HOSTILE:
        for shown in everything(text):
            assert_inert(shown, read)
    assert not caplog.records  # a library's warning about it would stand above the result


@settings(max_examples=60, deadline=None)
@given(
    text=some.text(some.characters(), max_size=30)
    | some.sampled_from(HOSTILE[:-1]).flatmap(some.permutations).map("".join)
)
def test_any_text_is_inert_in_every_result(text: str, read: Callable[[str], Any]) -> None:
    for shown in everything(text):
        assert_inert(shown, read)


def test_no_spreadsheet_runs_what_is_exported(tmp_path: Path) -> None:
    texts = ["=1+1", "+1+1", "-cmd|' /C calc'!A0", "@SUM(A1)", "\t=1", "\r=1", "=HYPERLINK(1)"]
    cells = tuple((Literal(text),) for text in [*texts, "-12.5"])
    written = rows_of(Solutions(("a",), cells), str).save(tmp_path / "out.csv")
    with written.open(encoding="utf-8", newline="") as file:
        read = list(csv.reader(file))
    assert read[1:] == [[f"'{text}"] for text in texts] + [["-12.5"]]


def test_what_no_file_can_hold_is_an_error_that_says_so(tmp_path: Path) -> None:
    found = rows_of(Solutions(("a",), ((Iri("no iri> ."),),)), str)
    with pytest.raises(DataError, match="cannot be written in .tsv"):
        found.save(tmp_path / "out.tsv")
    assert "no iri> ." in found.save(tmp_path / "out.csv").read_text()
    with pytest.raises(DataError, match="cannot be written in .ttl"):
        triples_of(((Iri("no iri> ."), HUT, HUT),), str).save(tmp_path / "out.ttl")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["out.csv"]


def test_numbers_dates_and_truth_are_typed_and_what_breaks_its_type_stays_text() -> None:
    values = {
        "integer": ("3", "4"),
        "decimal": ("1.5", "2"),
        "date": ("2024-01-02", "1066-10-14"),
        "boolean": ("1", "false"),
    }
    values["dateTime"] = ("2024-01-02T10:00:00Z", "2024-01-02T12:00:00+02:00")
    cells = [
        tuple(Literal(pair[at], None, XSD + kind) for kind, pair in values.items()) for at in (0, 1)
    ]
    frame = rows_of(Solutions(tuple(values), tuple(cells)), str).df()
    assert [str(kind).partition("[")[0] for kind in frame.dtypes[:4]] == [
        "Int64",
        "Float64",
        "datetime64",
        "boolean",
    ]
    assert frame["dateTime"].iloc[0] == frame["dateTime"].iloc[1]  # the same moment
    broken = rows_of(Solutions(("n",), ((Literal("many", None, f"{XSD}integer"),),)), str)
    assert broken.df()["n"].tolist() == ["many"] and broken.columns[0].kind == "text"
    beds = rows_of(Solutions(("n",), ((Literal("48", None, f"{XSD}byte"),), (None,))), str)
    assert beds.columns[0].kind == "digits" and beds.rows == ((48,), (None,))
    prices = rows_of(Solutions(("price",), ((Literal("1278.5", None, f"{XSD}decimal"),),)), str)
    assert prices.columns[0].kind == "number" and "1,278.500" in str(prices)


def test_years_are_not_grouped_and_populations_are_the_small_ones_beside_them_too() -> None:
    rows = [
        (Literal("1998", None, f"{XSD}integer"), Literal("5588", None, f"{XSD}integer")),
        (Literal("2026", None, f"{XSD}integer"), Literal("17823", None, f"{XSD}integer")),
    ]
    text = rows_of(Solutions(("year", "people"), tuple(rows)), str).text()
    assert "1998   5,588" in text and "2026  17,823" in text


def test_triple_terms_are_shown_in_tables_and_pictures() -> None:
    term = TripleTerm(HUT, Iri("http://huts.example/beds"), Literal("48"))
    assert "<<( " in rows_of(Solutions(("t",), ((term,),)), str).text()
    told = triples_of(
        ((Blank("b"), Iri(f"{RDF}reifies"), term),), lambda iri: iri.rpartition("/")[2]
    )
    assert "<<( hut beds 48 )>>" in told.text()
    assert told.df()["object"].tolist() == [
        '<<( <http://huts.example/hut> <http://huts.example/beds> "48" )>>'
    ]

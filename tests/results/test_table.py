import json
import math
import pickle
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from kgnb.kg.terms import Blank, Iri, Literal, TripleTerm
from kgnb.results.bundle import HTML_ROWS, JSON_ROWS, TABLE_MIME, TEXT_ROWS
from kgnb.results.cells import share
from kgnb.results.table import Column, LabelledIri, Table, metrics, percents

HUTS = "https://huts.example.org/alps#"
XSD = "http://www.w3.org/2001/XMLSchema#"
COLUMNS = (
    Column("hut", "Hut", "iri"),
    Column("name", "Name"),
    Column("beds", "Beds", "number"),
    Column("full", "Full", "percent"),
    Column("open", "Open", "boolean"),
)


def huts(**more: Any) -> Table:
    return Table(
        COLUMNS,
        [
            [HUTS + "Vernagt", "Vernagthütte", 132, 0.875, True],
            [HUTS + "Breslau", LabelledIri(HUTS + "Breslau", "Breslauer Hütte"), 160, None, False],
        ],
        **more,
    )


def many(number: int) -> Table:
    return Table([Column("n", "n", "number")], [[n] for n in range(number)])


def test_reads_well_in_a_terminal() -> None:
    assert huts(caption="Huts above Vent", notes=["Beds as of 2026."]).text() == (
        "Huts above Vent\n"
        "\n"
        "Hut        Name             Beds    Full  Open\n"
        "---------  ---------------  ----  ------  ----\n"
        "…#Vernagt  Vernagthütte      132  87.5 %  yes\n"
        "…#Breslau  Breslauer Hütte   160          no\n"
        "Beds as of 2026."
    )


def test_a_table_that_holds_or_shows_the_first_rows_only_says_so_everywhere(
    read: Callable[[str], Any],
) -> None:
    table = huts(total=12_000)
    assert table.text().endswith("... and 11,998 more")
    assert "The first 2 of 12,000 rows." in table.html() and table.json()["total"] == 12_000
    assert repr(table) == "<Table: 12,000 rows, hut, name, beds, full, open>"
    assert many(145).text().endswith(f"24\n... and {145 - TEXT_ROWS} more")
    assert "more" not in many(TEXT_ROWS).text()
    page = read(many(HTML_ROWS + 1).html())
    assert page.tags.count("tr") == HTML_ROWS + 1
    assert f"The first {HTML_ROWS} of {HTML_ROWS + 1} rows." in page.text
    empty = Table(COLUMNS, [])
    assert empty.text().endswith("(no rows)") and "no rows" in read(empty.html()).text


def test_the_bundle_has_the_forms_that_were_asked_for_the_same_every_time() -> None:
    assert set(huts()._repr_mimebundle_()) == {TABLE_MIME, "text/html", "text/plain"}
    assert set(huts()._repr_mimebundle_(include={"text/plain"})) == {"text/plain"}
    assert set(huts()._repr_mimebundle_(exclude={"text/html"})) == {TABLE_MIME, "text/plain"}
    assert huts()._repr_mimebundle_() == huts()._repr_mimebundle_()


HOSTILE = "</td><script>alert(1)</script><img src=x onerror=alert(1)>\"'&\u202e"


def test_what_only_some_want_to_read_is_folded_away_and_kept_in_every_form(
    read: Callable[[str], Any],
) -> None:
    table = Table(
        [Column("hut", "Hut")], [["Vernagt"]], notes=["seen"], facts=[f"weights 4.8 {HOSTILE}"]
    )
    assert read(table.html()).links == []
    before, _, folded = table.html().partition("<details>")
    assert "seen" in before and "weights 4.8" not in before and "weights 4.8" in folded
    assert table.json()["facts"] == [f"weights 4.8 {HOSTILE}"] and "weights 4.8" in table.text()


def test_hostile_text_is_only_text_wherever_it_stands(read: Callable[[str], Any]) -> None:
    values = [
        HOSTILE,
        LabelledIri("javascript:alert(1)", HOSTILE),
        Iri("javascript:" + HOSTILE),
        Literal(HOSTILE, "en"),
    ]
    values += [
        Literal(HOSTILE, datatype=HOSTILE),
        Blank(HOSTILE),
        TripleTerm(Blank(HOSTILE), Iri(HOSTILE), Blank("b")),
    ]
    table = Table(
        [Column(f"c{n}", HOSTILE) for n in range(len(values))],
        [values],
        caption=HOSTILE,
        details=[[(HOSTILE, HOSTILE)]],
        notes=[HOSTILE],
    )
    page = read(table.html())
    assert page.links == []
    assert "\u202e" not in table.html() and "\u202e" not in table.text()


@given(
    some.lists(
        some.one_of(some.none(), some.booleans(), some.integers(), some.floats(), some.text()),
        min_size=1,
    )
)
def test_any_value_is_shown_and_its_json_is_strict(values: list[Any]) -> None:
    table = Table([Column("v", "v")], [[value] for value in values])
    assert json.loads(json.dumps(table.json(), allow_nan=False)) == table.json()
    assert len(table.text().split("\n")) >= 3
    assert table.html().count("<tr") >= 2


def test_json_keeps_what_a_term_says() -> None:
    row = [
        Literal("Hütte", "de"),
        Literal("01", datatype=XSD + "integer"),
        Blank("b0"),
        Iri(HUTS + "Hut"),
    ]
    row += [TripleTerm(Blank("b0"), Iri(HUTS + "p"), Literal("x")), 2**60, math.inf]
    table = Table([Column(f"c{n}", "") for n in range(len(row))], [row])
    assert table.json()["rows"][0]["cells"] == [
        {"literal": "Hütte", "language": "de"},
        {"literal": "01", "datatype": XSD + "integer"},
        {"blank": "b0"},
        {"iri": HUTS + "Hut"},
        {"triple": [{"blank": "b0"}, {"iri": HUTS + "p"}, {"literal": "x"}]},
        str(2**60),
        "Infinity",
    ]


def test_json_of_a_big_table_stays_small_enough_to_save() -> None:
    assert len(many(JSON_ROWS + 5).json()["rows"]) == JSON_ROWS
    wide = Table([Column("n", "n")], [["x" * 1900]] * 1500, details=[[("why", "y" * 1900)]] * 1500)
    data = wide.json()
    assert data["total"] == 1500
    assert len(json.dumps(data)) < 1_600_000
    assert len(wide.html()) < 400_000


def test_a_data_frame_reads_typed_literals() -> None:
    values = [Literal("2310", datatype=XSD + "int"), Literal("many", datatype=XSD + "int")]
    assert Table([Column("v", "v")], [[values[0]]]).df()["v"].tolist() == [2310]
    assert Table([Column("v", "v")], [[value] for value in values]).df()["v"].tolist() == [
        2310,
        "many",
    ]
    assert Table([Column("v", "v")], [[Literal("true", datatype=XSD + "boolean")]]).df()[
        "v"
    ].tolist() == [True]
    assert Table(COLUMNS, []).df().columns.tolist() == ["hut", "name", "beds", "full", "open"]


def test_says_what_is_wrong_with_a_table() -> None:
    makes: dict[str, Callable[[], object]] = {
        "2 values, the table has 5 columns": lambda: Table(COLUMNS, [[1, 2]]),
        "'huts'": lambda: Table(COLUMNS, [{"huts": 1}]),
        "same key": lambda: Table([Column("a", "A"), Column("a", "B")], []),
        "details are for 1 rows": lambda: huts(details=[[]]),
        "total is 1": lambda: huts(total=1),
        "'date'": lambda: Column("a", "A", "date"),  # type: ignore[arg-type]  # the mistake under test
        "cannot show a list": lambda: Table([Column("v", "v")], [[["a"]]]),  # type: ignore[list-item]  # likewise
    }
    for says, make in makes.items():
        with pytest.raises((ValueError, TypeError), match=says):
            make()


SCORES = metrics(
    cases={
        "cmt-conference": {"precision": 0.5, "recall": 0.4, "f1": 0.4444},
        "edas-iasted": {"precision": 1.0, "recall": 0.0, "f1": None},
    },
    summary={"micro": {"precision": 0.75, "recall": 0.6, "f1": 2 / 3}, "LogMap": {"f1": 0.68}},
    caption="OAEI conference",
    case_title="Pair",
    notes=["Reference: ra1-M3."],
)


def test_scores_read_well_in_a_terminal_with_a_rule_between_groups() -> None:
    assert SCORES.text() == (
        "OAEI conference\n"
        "\n"
        "Pair            Precision  Recall     F1\n"
        "--------------  ---------  ------  -----\n"
        "cmt-conference      0.500   0.400  0.444\n"
        "edas-iasted         1.000   0.000\n"
        "--------------  ---------  ------  -----\n"
        "micro               0.750   0.600  0.667\n"
        "LogMap                             0.680\n"
        "Reference: ra1-M3."
    )


def test_a_bar_is_drawn_where_there_is_a_share(read: Callable[[str], Any]) -> None:
    assert (
        SCORES.html().count("width: 56px") == 3 and "width: 37px" in SCORES.html()
    )  # two thirds of 56
    assert SCORES.json()["rows"][3] == {"group": "summary", "cells": ["LogMap", None, None, 0.68]}
    cut = read(metrics(cases={f"case {n}": {} for n in range(100)}).html())
    assert f"The first {HTML_ROWS} of 100 rows." in cut.text
    for wrong in (lambda: metrics(bar="hits"), lambda: metrics(cases={"a": {"f2": 1.0}})):
        with pytest.raises(ValueError):
            wrong()


def test_a_share_of_few_items_shows_their_number_in_every_form() -> None:
    few = share(1.0, 4)
    table = Table(percents(right="Right"), [[few], [share(0.5, 400)], [share(0.5, 4, mean=True)]])
    assert "100.0 % (60 to 100, n = 4)" in table.text() and "50.0 % (n = 4)" in table.text()
    assert "100.0 %<br>(60 to 100, n = 4)" in table.html()
    assert table.json()["rows"][0]["cells"] == ["100.0 % (60 to 100, n = 4)"]
    assert list(table.df()["right"]) == [1.0, 0.5, 0.5]
    assert pickle.loads(pickle.dumps(few)).bounds == few.bounds

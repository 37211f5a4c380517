import json
from collections.abc import Callable
from typing import Any

import pytest

from kgnb.results.bundle import HTML_ROWS, TABLE_MIME
from kgnb.results.table import ScoreRow, Table, metrics


def scores(**more: Any) -> Table:
    return metrics(
        cases=[
            ScoreRow("cmt-conference", {"precision": 0.5, "recall": 0.4, "f1": 0.4444}),
            ScoreRow("edas-iasted", {"precision": 1.0, "recall": 0.0, "f1": None}),
        ],
        summary=[ScoreRow("micro", {"precision": 0.75, "recall": 0.6, "f1": 2 / 3})],
        published=[
            ScoreRow("LogMap", {"f1": 0.68}, source="https://oaei.example.org/2023"),
            ScoreRow("Other", {}, "a book"),
        ],
        caption="OAEI conference",
        case_title="Pair",
        **more,
    )


def test_reads_well_in_a_terminal_with_a_rule_between_groups() -> None:
    assert scores(notes=["Reference: ra1-M3."]).text() == (
        "OAEI conference\n"
        "\n"
        "Pair                Precision  Recall     F1\n"
        "------------------  ---------  ------  -----\n"
        "cmt-conference          0.500   0.400  0.444\n"
        "edas-iasted             1.000   0.000\n"
        "------------------  ---------  ------  -----\n"
        "micro                   0.750   0.600  0.667\n"
        "------------------  ---------  ------  -----\n"
        "LogMap (published)                     0.680\n"
        "Other (published)\n"
        "Reference: ra1-M3.\n"
        "Other: a book"
    )


def test_html_survives_the_sanitiser_and_draws_a_bar_where_there_is_a_share(read: Callable[[str], Any]) -> None:
    text = scores().html()
    assert text.count("width: 56px") == 3 and "width: 37px" in text  # two thirds of 56
    assert read(text).links == ["https://oaei.example.org/2023"]
    hostile = "<script>alert(1)</script>\u202e"
    page = read(metrics(cases=[ScoreRow(hostile, {}, "javascript:alert(1)")], caption=hostile, notes=[hostile]).html())
    assert page.links == []
    made = metrics(cases=[ScoreRow(f"case {n}", {"f1": n / 100}) for n in range(100)])
    assert f"The first {HTML_ROWS} of 100 rows." in read(made.html()).text
    assert len(made.json()["rows"]) == 100  # what is cut in HTML is not in the data


def test_the_bundle_is_strict_json_with_a_row_for_every_score() -> None:
    bundle = scores()._repr_mimebundle_()
    assert set(bundle) == {TABLE_MIME, "text/html", "text/plain"}
    data = bundle[TABLE_MIME]
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    assert [row["group"] for row in data["rows"]] == ["case", "case", "summary", "published", "published"]
    link = {"iri": "https://oaei.example.org/2023", "label": "LogMap (published)"}
    assert data["rows"][3] == {"group": "published", "cells": [link, None, None, 0.68]}


def test_says_what_is_wrong() -> None:
    with pytest.raises(ValueError, match="bar is 'hits'"):
        metrics(bar="hits")
    with pytest.raises(ValueError, match="'f2'"):
        metrics(cases=[ScoreRow("a", {"f2": 1.0})])

"""Any number of models side by side: figures, cost, and where they disagree."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from kgnb.backends import recording
from kgnb.reporting import backbones
from kgnb.reporting.session import ReportSession, begin, current
from kgnb.results.cells import NoFigure
from kgnb.settings import Settings
from tests.llm.obliging import oblige
from tests.llm.stub_server import StubServer


def test_a_rule_a_recording_and_a_live_model_stand_side_by_side(tmp_path: Path) -> None:
    with StubServer(oblige) as server:
        session = ReportSession(tmp_path, Settings(cache=tmp_path / "cache", base_url=server.url))
        begin(session)
        found = backbones.run_models(
            of="ontology-matching", about="dataset=huts", models="rule,recorded:huts, stub"
        )
        assert current() is session and server.requests
    backbones.save(found, session)
    rows = json.loads((tmp_path / "metrics.json").read_text(encoding="utf-8"))["headline"]
    assert [row["model"] for row in rows] == ["rule", "recorded:huts", "stub"]
    assert rows[0]["calls"] == 0 < rows[1]["calls"] and all(0 < row["F1"] <= 100 for row in rows)
    assert "2 of 6 questions right" in rows[2]["remark"] and rows[2]["F1"] == rows[0]["F1"]
    apart, some = backbones.differing(found), backbones.examples(found)
    assert len(apart.rows) == 3 and all(row[2] for row in apart.rows)
    assert apart.rows[2][3], "a model that understands nothing differs from one that does"
    assert all(len(set(row[1:])) > 1 for row in some.rows)


def test_a_row_without_replies_has_no_figure_but_the_reason(tmp_path: Path) -> None:
    begin(ReportSession(tmp_path, Settings(cache=tmp_path / "cache", embedder="characters")))
    found = backbones.run_models(
        of="entity-alignment", about="pair=huts", models="rule,recorded:dairy", judge="cascade"
    )
    shown = backbones.shown(found)
    keys = [column.key for column in shown.columns if column.right]
    names = [column.key for column in shown.columns]
    rule, absent = (dict(zip(names, row, strict=True)) for row in shown.rows)
    assert all(isinstance(absent[key], NoFigure) for key in keys)
    assert "no reply recorded" in str(absent["value"])
    assert rule["value"] > 60 and rule["calls"] == 0


def test_a_missing_model_and_an_unknown_parameter_are_refused(tmp_path: Path) -> None:
    begin(ReportSession(tmp_path, Settings(cache=tmp_path)))
    with pytest.raises(ValueError, match="no model is named"):
        backbones.run_models(of="ontology-matching", about="", models=" , ")
    with pytest.raises(ValueError, match="datset"):
        backbones.run_models(of="ontology-matching", about="datset=huts", models="rule")


def test_a_recording_of_one_reading_has_no_spread_and_one_of_several_has(tmp_path: Path) -> None:
    again = tmp_path / "twice" / "reading-2"
    partial = tmp_path / "partly" / "reading-2"
    again.mkdir(parents=True)
    partial.mkdir(parents=True)
    replies = (recording("huts") / "replies.jsonl").read_text(encoding="utf-8")
    for folder in (again, again.parent, partial.parent):
        (folder / "replies.jsonl").write_text(replies, encoding="utf-8")
    (partial / "replies.jsonl").write_text("", encoding="utf-8")
    begin(ReportSession(tmp_path, Settings(cache=tmp_path / "cache")))
    models = f"rule,recorded:{partial.parent},recorded:{again.parent}"
    rule, partly, twice = backbones.run_models(
        of="ontology-matching", about="dataset=huts", models=models, judge="cascade"
    )
    assert [len(one.quality) for one in (rule, partly, twice)] == [1, 1, 2]
    # two readings that differ, as those of a model would
    twice = replace(twice, quality=[90.0, 94.0])
    table = backbones.shown([rule, partly, twice])
    at = {column.key: place for place, column in enumerate(table.columns)}
    spreads = [row[at["sd"]] for row in table.rows]
    assert spreads == [NoFigure("one run"), NoFigure("one reading"), 2.0]
    assert (table.rows[2][at["value"]], table.rows[2][at["runs"]]) == (92.0, 2)
    assert "sd" not in partly.row and twice.row["sd"] == 2.0

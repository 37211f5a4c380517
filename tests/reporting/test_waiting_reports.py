"""A report whose model is asked by file waits, goes on with the replies, and is made again from a recording."""

import json
from pathlib import Path

import pytest

from kgnb.errors import Waiting
from kgnb.llm.batch import record
from kgnb.reporting.report import run_report
from kgnb.reporting.sweep import run_sweep
from tests.cli.test_batch import answer_all
from tests.reporting.conftest import ASKS, notebook


def test_a_report_waits_round_by_round_and_replays_without_a_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KGNB_EMBEDDER", "characters")
    folder, rounds = tmp_path / "asked", 0
    while rounds < 8:
        try:
            given = {"judge": f"batch:{folder}@stub"}
            first = run_report("ontology-matching", given, tmp_path / "report")
            break
        except Waiting as error:
            assert "wait" in error.what and "replies.jsonl" in error.fix
            rounds += 1
            assert answer_all(folder, rounds)
    assert 0 < rounds < 8
    record(folder, tmp_path / "mine")
    given["judge"] = f"recorded:{tmp_path / 'mine'}"
    again = run_report("ontology-matching", given, tmp_path / "again")
    figures = [
        {name: value for name, value in made.metrics["headline"][0].items() if name.casefold() in ("f1", "precision")}
        for made in (first, again)
    ]
    assert figures[0] == figures[1] != {}, first.metrics["headline"]
    run = json.loads((tmp_path / "again" / "run" / "run.json").read_text())
    assert run["totals"]["calls"] == run["totals"]["cached"] > 0


@pytest.mark.slow
def test_a_sweep_waits_for_replies_and_goes_on_with_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KGNB_EMBEDDER", "characters")
    folder, rounds = tmp_path / "asked", 0
    grid = tmp_path / "grid.yaml"
    judges = ["rule", f"batch:{folder}@stub"]
    small = notebook(tmp_path, *ASKS)
    grid.write_text(json.dumps({"report": small, "parameters": {"judge": judges}}))
    while rounds < 8:
        try:
            result = run_sweep(grid, tmp_path / "sweep")
            break
        except Waiting as error:
            assert "1 of 2 reports wait" in error.what and "kgnb resume" in error.fix
            rounds += 1
            assert answer_all(folder, rounds)
    assert 0 < rounds < 8 and result.states == {"done": 2}

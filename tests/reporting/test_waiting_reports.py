"""Reports and sweeps that ask a model by file wait for the replies, continue with them, and replay
from a recording.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kgnb.errors import Waiting
from kgnb.llm.batch import record
from kgnb.reporting.report import run_report
from kgnb.reporting.sweep import run_sweep
from tests.cli.test_batch import answer_all
from tests.reporting.conftest import ASKS, notebook

pytestmark = pytest.mark.slow


def rounds(run: Callable[[], Any], folder: Path, *said: str) -> tuple[int, Any]:
    """Run until nothing waits, answering each round: the number of rounds, and the result."""
    for number in range(8):
        try:
            return number, run()
        except Waiting as error:
            assert all(text in f"{error.what} {error.fix}" for text in said), error
            assert answer_all(folder, number + 1)
    raise AssertionError("it never stops waiting")


def test_a_report_waits_round_by_round_and_replays_without_a_server(tmp_path: Path) -> None:
    folder, small = tmp_path / "asked", notebook(tmp_path, *ASKS)
    given = {"judge": f"batch:{folder}@stub"}
    number, first = rounds(
        lambda: run_report(small, given, tmp_path / "report"), folder, "wait", "replies.jsonl"
    )
    assert number == first.metrics["calls"] == 2
    record(folder, tmp_path / "mine")
    given["judge"] = f"recorded:{tmp_path / 'mine'}"
    assert run_report(small, given, tmp_path / "again").metrics == first.metrics


def test_a_sweep_waits_for_replies_and_goes_on_with_them(tmp_path: Path) -> None:
    folder, grid = tmp_path / "asked", tmp_path / "grid.yaml"
    parameters = {"judge": ["rule", f"batch:{folder}@stub"], "k": 1}
    grid.write_text(json.dumps({"report": notebook(tmp_path, *ASKS), "parameters": parameters}))
    number, result = rounds(
        lambda: run_sweep(grid, tmp_path / "sweep"), folder, "1 of 2 reports wait", "kgnb resume"
    )
    assert number == 1 and result.states == {"done": 2}

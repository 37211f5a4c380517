"""Many documents: what workers of a cluster read into one folder of journals is the same graph."""

from pathlib import Path

import pytest

from tests.benchmarks.scale.documents import apart, on_workers, write_notes


@pytest.mark.slow
def test_a_killed_reading_goes_on_and_workers_give_the_same_bytes(tmp_path: Path) -> None:
    paths = write_notes(tmp_path / "notes", 60, 700)
    whole = apart(paths, tmp_path / "whole")
    assert whole["requests"] == 60 and whole["facts"] > 200
    assert apart(paths, tmp_path / "killed", 30) == {}
    resumed = apart(paths, tmp_path / "killed")
    assert 0 < resumed["requests"] < 60 and resumed["sha256"] == whole["sha256"]
    spread = on_workers(paths, tmp_path / "spread", 2)
    assert spread["requests"] == 0 and spread["sha256"] == whole["sha256"]

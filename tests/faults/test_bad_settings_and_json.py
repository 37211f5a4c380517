"""Bad numbers in settings and JSON that nests without end: refused with a place, and the rest of
the work goes on.
"""

from pathlib import Path
from typing import Any

import pytest

from kgnb.cli import main
from kgnb.datasets.questions import scan_questions
from kgnb.errors import ConfigError
from kgnb.files import from_json
from kgnb.reporting.scan import scan
from kgnb.settings import Settings

pytestmark = pytest.mark.fault("bad settings and JSON")

DEEP = "[" * 100_000
WRONG = (
    "retries = 1e400",
    "retries = nan",
    "timeout = nan",
    "timeout = inf",
    "timeout = 0",
    "width = 0",
    "width = true",
)


def test_a_setting_that_is_not_a_proper_number_is_refused_by_name(
    tmp_path: Path, record_property: Any
) -> None:
    for table, line in [*(("model", one) for one in WRONG), ("folders", "cache = 5")]:
        (tmp_path / "kgnb.toml").write_text(f"[{table}]\n{line}\n")
        with pytest.raises(ConfigError, match=line.partition(" ")[0]):
            Settings.load(tmp_path)
    record_property("tries", len(WRONG) + 1)


def test_a_question_that_nests_without_end_is_one_wrong_line(tmp_path: Path) -> None:
    path = tmp_path / "questions.jsonl"
    path.write_text(f'{{"id": "q1", "question": "Who?"}}\n{DEEP}\n')
    questions, wrong = scan_questions(path)
    assert [one.id for one in questions] == ["q1"]
    assert [one.where for one in wrong] == [f"{path}:2"]


@pytest.mark.parametrize("text", [DEEP, "9" * 6000, b" " * (257 << 20)], ids=type)
def test_json_has_bounds(text: str | bytes) -> None:
    with pytest.raises(ValueError, match="too deep|digits|more than 256 MiB"):
        from_json(text)


def test_a_scan_goes_on_after_a_notebook_that_nests_without_end(tmp_path: Path) -> None:
    (tmp_path / "a.ipynb").write_text('{"cells": ' + DEEP)
    (tmp_path / "b.txt").write_text("api_key = 'hj3K9sLq0vXz81PdQ'\n")
    assert [finding.file.name for finding in scan(tmp_path)] == ["b.txt"]


READING = (
    ("q.jsonl", ["ask", "--graph", "huts:graph", "--questions", "FILE"]),
    ("a.sssom.tsv", ["evaluate", "FILE", "huts:reference"]),
    ("a.json", ["match", "FILE", "huts:refuge"]),
    ("run/events.jsonl", ["compare", "FILE", "FILE"]),
    ("item/metrics.json", ["run", "FILE"]),
)


def test_no_command_shows_a_traceback_for_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], record_property: Any
) -> None:
    for name, words in READING:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(DEEP + "\n")
        place = str(path if path.parent == tmp_path else path.parent)
        assert main([place if word == "FILE" else word for word in words]) in (1, 2), words
        said = capsys.readouterr()
        assert "Traceback" not in said.err + said.out
        assert said.err.count("\n") < 12
    record_property("tries", len(READING))

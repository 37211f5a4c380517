"""The nightly command, with a stub where the small model would be."""

import socket
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.benchmarks.llm.small_model import NAME, PORTIONS, below, figures, main, note_alone
from tests.llm.obliging import oblige
from tests.llm.stub_server import StubServer


def test_a_cascade_below_the_rule_is_named_and_no_other() -> None:
    rule = {"figures": {"P": 96.0, "F1": 90.6}}
    worse = {"figures": {"P": 99.0, "F1": 90.0}}
    assert below([rule, worse]) == "F1 90.0, the rule alone 90.6"
    assert below([rule, rule]) == ""
    assert "not measured: no reply" in below([rule, {"figures": {}, "error": "no reply"}])


def test_without_a_server_it_ends_at_once_and_says_so(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    ended = CliRunner().invoke(main, ["--server", address, "--out", str(tmp_path / "out")])
    assert ended.exit_code == 1 and f"no server answers at {address}" in ended.output
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_the_command_prints_a_table_and_its_status_says_whether_the_cascade_holds(
    tmp_path: Path,
) -> None:
    with StubServer(oblige) as server:
        given = ["--server", server.url, "--only", "ontology-matching", "--out", str(tmp_path)]
        ended = CliRunner().invoke(main, given)
    assert ended.exit_code == 0, ended.output
    for judge in ("'judge': 'rule'", NAME, "recorded:huts"):
        assert judge in ended.output


@pytest.mark.slow
def test_one_note_is_read_by_rule_and_model_and_measured_by_its_own_part(tmp_path: Path) -> None:
    about = PORTIONS["kg-construction"] | note_alone(tmp_path)
    with StubServer(oblige) as server:
        rows = figures("kg-construction", about, server.url, "key", tmp_path / "out")
    assert [row["parameters"]["model"] for row in rows] == ["", NAME, "recorded:huts"]
    assert rows[0]["figures"]["f1"] > 80
    assert rows[1]["cost"]["calls"] and below(rows)

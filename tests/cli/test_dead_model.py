"""A model server that is down, refuses or talks nonsense: every command says so in its first line
and ends with 1.
"""

import json
from pathlib import Path

import pytest

from kgnb.cli import main
from tests.cli.conftest import Pair
from tests.llm.obliging import oblige
from tests.llm.stub_server import HTML, Answer, Body, Fault, StubServer, server_error, unauthorised

NOWHERE = "http://127.0.0.1:9/v1"
HUTS = ["--graph", "huts:graph"]
QUESTIONS = [
    {"id": "a", "question": "Who is the warden of the Hochkar House?"},
    {"id": "b", "question": "Who are you?"},
]


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name, value in {
        "EMBEDDER": "characters",
        "MODEL": "stub",
        "BASE_URL": NOWHERE,
        "RETRIES": "0",
    }.items():
        monkeypatch.setenv(f"KGNB_{name}", value)
    monkeypatch.chdir(tmp_path)


def words(command: str, pair: Pair, judge: str) -> list[str]:
    Path("asked.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in QUESTIONS))
    return {
        "match": [
            "match",
            pair.left,
            pair.right,
            "--judge",
            judge,
            "--ask",
            "2",
            "--out",
            "out.sssom.tsv",
        ],
        "align": ["align", "huts:hollenmark", "huts:corvane", "--judge", judge, "--out", "out.tsv"],
        "ask": ["ask", str(QUESTIONS[0]["question"]), *HUTS, "--judge", judge],
        "batch": [
            "ask",
            "--questions",
            "asked.jsonl",
            *HUTS,
            "--judge",
            judge,
            "--out",
            "out.jsonl",
        ],
        "build": ["build", "huts:kitchen", "huts:kitchen-notes", "--judge", judge],
    }[command]


COMMANDS = ("match", "align", "ask", "batch", "build")


def test_a_server_that_is_not_there_is_said_before_the_first_stage(
    pair: Pair, capsys: pytest.CaptureFixture[str]
) -> None:
    for command in COMMANDS:
        assert main([*words(command, pair, "model"), "--run", f"run-{command}"]) == 1, command
        first = capsys.readouterr().err.splitlines()[0]
        assert "127.0.0.1:9" in first and "did not answer" in first, command
        record = Path(f"run-{command}/run.json")
        assert not record.exists() or not json.loads(record.read_text())["steps"], command
    assert main(words("match", pair, "cascade")) == 1


CHATTY = Fault(text="What a lovely day.")
FAILING = (
    (server_error(), "match"),
    (unauthorised(), "ask"),
    (HTML, "align"),
    (CHATTY, "match"),
    (CHATTY, "ask"),
    (server_error(), "align"),
)


def test_a_server_that_refuses_or_talks_nonsense_is_no_answer(
    pair: Pair, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for fault, command in FAILING:  # every pair of them: tests/faults/test_model_servers
        with StubServer(always=fault) as server:
            monkeypatch.setenv("KGNB_BASE_URL", server.url)
            assert main([*words(command, pair, "model"), "--quiet"]) == 1, command
            captured = capsys.readouterr()
            assert captured.err.startswith("kgnb: ") and not captured.out, command
    assert not Path("out.sssom.tsv").exists() and not Path("out.tsv").exists()


def test_what_the_server_failed_is_counted_and_the_cascade_keeps_the_rules_verdicts(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    alignment = ["match", "huts:alpine", "huts:refuge", "--ask", "0.1", "--out"]
    assert main([*alignment, "rule.tsv.sssom.tsv", "--judge", "rule", "--quiet"]) == 0
    by_rule = Path("rule.tsv.sssom.tsv").read_text().count("skos:exactMatch")
    calls = 0

    def first_only(body: Body) -> Answer:
        nonlocal calls
        calls += 1
        return oblige(body) if calls == 1 else "What a lovely day."

    monkeypatch.setattr("kgnb.agents.ontology_matching.judges.BATCH", 1)
    monkeypatch.setenv("KGNB_WIDTH", "1")
    with StubServer(first_only) as server:
        monkeypatch.setenv("KGNB_BASE_URL", server.url)
        assert main([*alignment, "tried.sssom.tsv", "--judge", "cascade"]) == 0
    assert "5 of its replies could not be read" in capsys.readouterr().err
    calls = 0
    monkeypatch.setattr("kgnb.judging.cascade.FIT", 0.0)  # whatever it says of what is known
    monkeypatch.setenv("KGNB_CACHE", "afresh")
    with StubServer(first_only) as server:
        monkeypatch.setenv("KGNB_BASE_URL", server.url)
        assert main([*alignment, "kept.sssom.tsv", "--judge", "cascade"]) == 1
    said = [line for line in capsys.readouterr().err.splitlines() if "judgements failed" in line]
    assert len(said) == 1 and "run this again" in said[0]
    assert Path("kept.sssom.tsv").read_text().count("skos:exactMatch") >= by_rule - 1

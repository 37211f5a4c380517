"""``batch:`` and ``recorded:`` models in every command: asked by file, round by round, to a live
model's result.
"""

import io
import json
import os
from pathlib import Path
from typing import Any

import pytest

from kgnb.cli import main
from kgnb.cli.outcome import WAITING
from kgnb.llm.batch import requests_in, standing
from tests.llm.obliging import oblige
from tests.llm.stub_server import Call, StubServer

QUESTIONS = (
    '{"id": "a", "question": "Who is the warden of the Hochkar House?"}\n'
    '{"id": "b", "question": "How many stages does the Two Slopes Way have?"}\n'
)
NOTE = "Lentil soup\nServes 4. Cook: Ada.\n1. Boil 200 g lentils for 20 minutes.\n"
MODEL = ("--judge", "model")
COMMANDS: dict[str, list[str]] = {
    "match": [
        "match",
        "huts:alpine",
        "huts:refuge",
        "--judge",
        "cascade",
        "--ask",
        "0.5",
        "-o",
        "out.sssom.tsv",
    ],
    "align": [
        "align",
        "huts:hollenmark",
        "huts:corvane",
        *MODEL,
        "--share",
        "0.05",
        "-o",
        "out.tsv",
    ],
    "ask": [
        *("ask", "--questions", "asked.jsonl", "-g", "huts:graph", "--rounds", "2"),
        *MODEL,
        "-o",
        "out.jsonl",
    ],
    "build": [
        *("build", "huts:kitchen", "notes", *MODEL),
        *("--calls", "3", "--together", "0", "-o", "out.ttl"),
    ],
}


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("KGNB_EMBEDDER", "characters")
    monkeypatch.chdir(tmp_path)
    Path("asked.jsonl").write_text(QUESTIONS)
    Path("notes").mkdir()
    for number in (1, 2):
        Path(f"notes/{number}.txt").write_text(NOTE.replace("4", str(number)))


def plain(said: Any) -> dict[str, Any]:
    """What a stub server says as a plain reply."""
    calls = [said] if isinstance(said, Call) else [] if isinstance(said, str) else list(said)
    made = [{"name": call.name, "arguments": call.arguments} for call in calls]
    return {"tool_calls": made} if made else {"text": said}


def answer_all(folder: Path, number: int) -> int:
    """Answers what waits, as a batch service would; how many that were."""
    waiting = standing(folder).waiting
    rows = {row["custom_id"]: row["body"] for row in requests_in(folder)}
    text = "".join(
        json.dumps({"custom_id": one, **plain(oblige(rows[one]))}) + "\n" for one in waiting
    )
    (folder / f"replies-{number}.jsonl").write_text(text)
    return len(waiting)


def result() -> dict[str, bytes]:
    found = {path.name: path.read_bytes() for path in Path().glob("out.*")}
    for path in Path().glob("out.*"):
        path.unlink()
    return found


@pytest.mark.parametrize("command", COMMANDS)
def test_rounds_of_files_come_to_what_a_live_model_comes_to(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = COMMANDS[command]
    folder = Path("batch")
    monkeypatch.setenv("KGNB_MODEL", f"batch:{folder}@stub")
    rounds = []
    while (status := main([*words, "--run", f"run-{len(rounds)}"])) == WAITING:
        said = capsys.readouterr().err
        assert "kgnb: waiting: " in said and "replies.jsonl" in said
        assert json.loads(Path(f"run-{len(rounds)}/run.json").read_text())["state"] == "waiting"
        assert main(words) == WAITING, "asked again with no reply, it waits on"
        rounds.append(answer_all(folder, len(rounds)))
        assert rounds[-1] and len(rounds) < 40
    unfinished = int(command == "build")  # three replies do not end a reading here
    assert status == unfinished, capsys.readouterr().err
    firsts = [
        [message["content"] for message in row["body"]["messages"][:2]]
        for row in requests_in(folder)
    ]
    assert len({system for system, _ in firsts}) <= 2, (
        "a job's instructions are the same from call to call"
    )
    if command in (
        "ask",
        "build",
    ):  # of these the user's part begins alike, too: the schema, the steps
        assert (
            len(os.path.commonprefix([user for _, user in firsts]))
            > min(len(user) for _, user in firsts) / 2
        )
    by_file = result()
    assert by_file and max(rounds) > 1 or command == "match"
    monkeypatch.setenv("KGNB_MODEL", "stub")
    monkeypatch.setenv("KGNB_REMEMBER", "no")
    with StubServer(oblige) as server:
        monkeypatch.setenv("KGNB_BASE_URL", server.url)
        assert main(words) == unfinished
        assert len(server.requests) == sum(rounds), (
            "no request was written that a live run does not make"
        )
    assert {name: _plain(text) for name, text in result().items()} == {
        n: _plain(t) for n, t in by_file.items()
    }

    assert main(["batch", "record", "mine", str(folder)]) == 0
    monkeypatch.setenv("KGNB_MODEL", "recorded:data/recordings/mine")
    monkeypatch.setenv("KGNB_BASE_URL", "http://127.0.0.1:9/v1")
    assert main(words) == unfinished, "a recording needs no server"
    assert {name: _plain(text) for name, text in result().items()} == {
        n: _plain(t) for n, t in by_file.items()
    }


def _plain(text: bytes) -> list[bytes]:
    """A result but for who judged, and when."""
    named = text.replace(b"recorded:data/recordings/mine", b"stub").split(b"\n")
    return [line for line in named if b"date" not in line and b"mapping_set_id" not in line]


def test_waiting_requests_are_shown_and_answered_by_hand(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KGNB_MODEL", "batch:batch")
    assert main(COMMANDS["build"]) == WAITING
    capsys.readouterr()
    assert main(["batch", "status", "batch"]) == 0
    assert capsys.readouterr().out.startswith("2 requests, 0 answered, 2 waiting (about ")
    assert main(["batch", "show", "batch"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("=== kgnb-") and "--- tool finish" in shown and "lentils" in shown
    assert shown.rstrip().endswith('"tool_calls": [{"name": NAME, "arguments": {...}}]}')
    assert main(["batch", "show", "batch", "--all", "--json"]) == 0
    assert [set(json.loads(line)) for line in capsys.readouterr().out.splitlines()] == [
        {"custom_id", "body"}
    ] * 2
    typed = '{"tool": "finish", "arguments": {}}\n.\n\n.\n'
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    assert main(["batch", "answer", "batch"]) == 0
    capsys.readouterr()
    assert main(["batch", "status", "batch"]) == 0
    assert "2 requests, 1 answered, 1 waiting" in capsys.readouterr().out
    assert main(["batch", "status", "nowhere"]) == 1
    assert main(["batch", "show", "batch", "kgnb-0"]) == 1

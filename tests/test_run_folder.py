"""A run in its folder: saved as it goes, whole after a kill, and the same when it is read again."""

import base64
import json
import os
import signal
import subprocess
import sys
import time
from html import escape
from pathlib import Path
from urllib.parse import quote, quote_plus

import pytest

from kgnb.errors import DataError
from kgnb.judging import CallableJudge, Option, Verdict
from kgnb.llm.model import Message, Request
from kgnb.llm.scripted import ScriptedModel
from kgnb.run import Run
from kgnb.run.folder import EVENTS, SUMMARY
from kgnb.secret import blot_forms, hide
from tests.test_run import Pair, TinyGraph


def whole_run(folder: Path) -> Run:
    run = Run("example", parameters={"k": 10}, data={"a.owl": "12ab"}, seed=3, folder=folder)
    model = run.watch(ScriptedModel(["yes", "no"], name="m"))
    judge = run.watch_judge(
        CallableJudge(lambda pair: Verdict("equivalent", "b#Bed", 0.7, "why"), "rule")
    )
    with run:
        run.do(model.ask, Request((Message("user", "Bunk \ud83d\ude00"),)))
        run.do(
            judge.judge,
            [Pair("1", "Bunk\u2028\x1b[31m"), Pair("2", "Bed", (Option("b#Bed", "Bed"),))],
        )
        run.do(run.watch_graph(TinyGraph()).select, "SELECT * WHERE { ?s ?p 'é' }")
    return run


def test_a_loaded_run_is_the_run_that_was_saved_and_is_never_written_to(tmp_path: Path) -> None:
    run = whole_run(tmp_path)
    loaded = Run.load(tmp_path)
    assert loaded.to_json() == run.to_json() == json.loads((tmp_path / SUMMARY).read_text())
    before = (tmp_path / EVENTS).read_bytes()
    loaded.do(len, [1])
    assert loaded.steps[-1].number == 4
    assert (tmp_path / EVENTS).read_bytes() == before


def test_a_run_cut_anywhere_loads_up_to_the_last_whole_line(tmp_path: Path) -> None:
    whole_run(tmp_path)
    content = (tmp_path / EVENTS).read_bytes()
    first = content.index(b"\n")
    for end in range(first + 1, len(content), 7):
        (tmp_path / EVENTS).write_bytes(content[:end])
        run = Run.load(tmp_path)
        assert run.agent == "example"
    (tmp_path / EVENTS).write_bytes(content[: content.rindex(b'{"event": "run_end"')])
    assert Run.load(tmp_path).state == "running"


def test_a_broken_line_in_the_middle_is_named(tmp_path: Path) -> None:
    whole_run(tmp_path)
    lines = (tmp_path / EVENTS).read_text().splitlines()
    lines[2] = lines[2][:20]
    (tmp_path / EVENTS).write_text("\n".join(lines) + "\n")
    with pytest.raises(DataError, match=r"events\.jsonl:3"):
        Run.load(tmp_path)


def test_a_file_that_holds_no_run_is_refused(tmp_path: Path) -> None:
    for content in (
        "",
        '{"event": "step"',
        "not json\n",
        "[1]\n",
        '{"event": "call", "step": 4}\n',
    ):
        (tmp_path / EVENTS).write_text(content)
        with pytest.raises(DataError):
            Run.load(tmp_path)
    (tmp_path / EVENTS).write_text('{"event": "run", "version": 99, "agent": "a"}\n')
    with pytest.raises(DataError, match="version 99"):
        Run.load(tmp_path)
    with pytest.raises(DataError, match="nowhere"):
        Run.load(tmp_path / "nowhere")


def test_what_an_earlier_run_left_is_kept(tmp_path: Path) -> None:
    for _ in range(3):
        whole_run(tmp_path)
    assert {file.name for file in tmp_path.iterdir()} == {
        EVENTS,
        "events-1.jsonl",
        "events-2.jsonl",
        SUMMARY,
    }


PROGRAM = """
import signal, sys, time
from kgnb.llm.model import Message, Request
from kgnb.llm.scripted import ScriptedModel
from kgnb.run import Run
signal.signal(signal.SIGINT, signal.default_int_handler)
run = Run("example", folder=sys.argv[1])
model = run.watch(ScriptedModel(lambda request: "yes", name="m"))
def stage():
    for number in range(50):
        model.ask(Request((Message("user", str(number)),)))
    print("asked", flush=True)
    time.sleep(60)
run.do(stage)
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows sends no SIGINT to one process")
@pytest.mark.parametrize(
    ("sent", "state"), [(signal.SIGKILL, "running"), (signal.SIGINT, "cancelled")]
)
def test_a_run_that_is_ended_keeps_every_call_it_made(
    tmp_path: Path, sent: signal.Signals, state: str
) -> None:
    words = [sys.executable, "-c", PROGRAM, str(tmp_path)]
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdout is not None and process.stdout.readline() == "asked\n"
        time.sleep(0.1)
        process.send_signal(sent)
    run = Run.load(tmp_path)
    assert (run.state, run.steps[0].state, len(run.steps[0].calls)) == (state, state, 50)
    assert (tmp_path / SUMMARY).exists() == (state == "cancelled")


@pytest.mark.fault("small files that kill or hang a reader")
@pytest.mark.parametrize("after", ["", "a-" * 20, "-" * 60], ids=len)
def test_a_text_of_keys_that_never_end_is_blotted_in_time(after: str) -> None:
    text = f"-----BEGIN PRIVATE KEY-----\n{after}" * 20_000  # pragma: allowlist secret
    began = time.monotonic()
    assert "BEGIN PRIVATE KEY" not in blot_forms(text)
    assert time.monotonic() - began < 20  # it took the square of their number


@pytest.mark.fault("planted secrets")
@pytest.mark.parametrize("before", ["", "\n", r"x\n", "x", "-"])
def test_a_private_key_is_blotted_whatever_stands_before_it(before: str) -> None:
    key = "-----BEGIN RSA PRIVATE KEY-----\nMIIabc\n"  # pragma: allowlist secret
    text = f'{{"a": "{before}{key}-----END RSA PRIVATE KEY-----"}}'
    assert blot_forms(text) == f'{{"a": "{before}[redacted]"}}'


def test_secrets_are_blotted_and_the_record_around_them_stays(tmp_path: Path) -> None:
    said = 'say "Hütte"'
    hide(said, "271828")
    encoded = [
        base64.b64encode(said.encode()).decode().rstrip("="),
        quote(said),
        quote_plus(said),
        escape(said),
    ]
    texts = [
        said,
        *encoded,
        "271828",
        "-----BEGIN PRIVATE KEY-----",  # pragma: allowlist secret
        "told",
        "-----END PRIVATE KEY-----",
    ]
    run = Run("example", folder=tmp_path)
    judge = run.watch_judge(
        CallableJudge(lambda pair: Verdict("different", None, 0.271828, pair.text), "rule")
    )
    with run:
        run.do(judge.judge, [Pair(str(number), text) for number, text in enumerate(texts)])
    [step] = Run.load(tmp_path).steps
    told = [(judgement.text, judgement.confidence) for judgement in step.judgements]
    assert told == [
        (text if text == "told" or "END" in text else "[redacted]", 0.271828) for text in texts
    ]
    assert len(json.loads((tmp_path / SUMMARY).read_text())["steps"][0]["judgements"]) == len(texts)


@pytest.mark.parametrize("place", ["file", "file/run", "/proc/run", "/proc/sys"])
def test_a_folder_that_cannot_be_written_to_is_refused_before_the_work(
    tmp_path: Path, place: str
) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(DataError, match="the run cannot be saved here"):
        Run("example", folder=tmp_path / place)

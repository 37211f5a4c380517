"""kill -9 in the middle of two dozen documents: resumed, the graph is the same and nothing is asked twice."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

pytestmark = pytest.mark.fault("kill -9")

WIDTH = 8  # documents at once: the default
ROOT = Path(__file__).parents[3]
TBOX = """
@prefix : <https://hut.example/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
<https://hut.example> a owl:Ontology .
:Hut a owl:Class ; rdfs:label "hut" .
"""


class Stub(ThreadingHTTPServer):
    """An OpenAI-compatible server that creates a hut for each passage, then finishes; it counts every request."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answers)
        self.asked: Counter[str] = Counter()
        self.hold = threading.Event()
        self.hold_at = 0
        self.held = threading.Semaphore(0)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class _Answers(BaseHTTPRequestHandler):
    server: Stub

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.server.hold_at and sum(self.server.asked.values()) >= self.server.hold_at:
            self.server.held.release()
            self.server.hold.wait(300)  # the client is killed while it waits; what it asked last was never answered
            return
        said = body["messages"][-1]["content"] if len(body["messages"]) == 1 else body["messages"][1]["content"]
        about = "The text (" in said  # else the server is only tried out
        self.server.asked[json.dumps(body["messages"], sort_keys=True)] += about
        called = [message for message in body["messages"] if message["role"] == "tool"] or not about
        document = said.split("The text (")[1].split(",")[0] if about else ""
        name, arguments = ("finish", {}) if called else ("create_hut", {"label": document, "quote": "Hut"})
        call = {"id": "c", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
        answer = {
            "id": "x", "object": "chat.completion", "created": 0, "model": body["model"],
            "choices": [{"index": 0, "finish_reason": "tool_calls",
                         "message": {"role": "assistant", "content": None, "tool_calls": [call]}}],
            "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
        }  # fmt: skip
        data = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *arguments: object) -> None:
        """Say nothing."""


@contextmanager
def stub() -> Iterator[Stub]:
    server = Stub()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server
    finally:
        server.hold.set()
        server.shutdown()
        server.server_close()


def build(server: Stub, folder: Path, work: Path) -> subprocess.Popen[str]:
    environment = {
        "PYTHONPATH": str(ROOT), "PATH": os.environ.get("PATH", ""), "HOME": str(work), "KGNB_MODEL": "stub",
        "KGNB_BASE_URL": server.url, "KGNB_CACHE": str(work / "cache"), "STUB_KEY": "none", "OPENAI_API_KEY": "none",
    }  # fmt: skip
    arguments = ["build", str(folder / "huts.ttl"), str(folder / "notes"), "--judge", "model"]
    arguments += ["--run", str(work / "run")]
    return subprocess.Popen(
        [sys.executable, "-m", "kgnb", *arguments, "--out", str(work / "built.trig")],
        env=environment, cwd=work, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


@pytest.mark.slow
def test_a_killed_batch_goes_on_where_it_was(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "huts.ttl").write_text(TBOX)
    for number in range(24):
        (tmp_path / "notes" / f"note-{number:02d}.txt").write_text(f"Hut number {number}.")
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    whole.mkdir()
    broken.mkdir()
    with stub() as server:
        process = build(server, tmp_path, whole)
        _, said = process.communicate(timeout=300)
        assert process.returncode == 0, said
        assert max(server.asked.values()) == 1
        wanted = Counter(server.asked)
    with stub() as server:
        server.hold_at = 23  # in the middle of a document: it takes two replies
        process = build(server, tmp_path, broken)
        assert all(server.held.acquire(timeout=120) for _ in range(WIDTH))  # who asks anew has kept what was answered
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        journals = sorted((broken / "run" / "journals").glob("*.json"))
        assert 0 < len(journals) < 24
        assert all(json.loads(file.read_text())["acts"] for file in journals)  # none is half-written
        assert not (broken / "built.trig").exists()
        server.hold_at = 0
        server.hold.set()
        process = build(server, tmp_path, broken)
        _, said = process.communicate(timeout=300)
        assert process.returncode == 0, said
        assert server.asked == wanted  # every question once, over both runs together
    assert (broken / "built.trig").read_bytes() == (whole / "built.trig").read_bytes()

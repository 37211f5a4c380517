"""kill -9 in the middle of two dozen documents: a resumed run gives the same graph and asks nothing
twice.
"""

import json
import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path

import pytest

from tests.agents.kg_construction.kitchen import HUTS
from tests.llm.stub_server import Answer, Body, Call, StubServer

pytestmark = pytest.mark.fault("kill -9")

WIDTH = 8  # documents at once: the default
ROOT = Path(__file__).parents[3]


class Model:
    """Creates a hut for each passage, then finishes; counts every request, and hangs from the
    ``hold_at``-th on.
    """

    def __init__(self, hold_at: int = 0) -> None:
        self.asked: Counter[str] = Counter()
        self.hold_at, self.hold, self.held = hold_at, threading.Event(), threading.Semaphore(0)

    def __call__(self, body: Body) -> Answer:
        if self.hold_at and sum(self.asked.values()) >= self.hold_at:
            self.held.release()
            self.hold.wait(300)  # the client is killed meanwhile
            return "never read"
        messages = body["messages"]
        if "The text (" not in str(messages):
            return Call("finish")  # the server is only tried out
        self.asked[json.dumps(messages, sort_keys=True)] += 1
        if any(message["role"] == "tool" for message in messages):
            return Call("finish")
        document = messages[1]["content"].split("The text (")[1].split(",")[0]
        return Call("create_hut", {"label": document, "quote": "Hut"})


def build(server: StubServer, folder: Path, work: Path) -> subprocess.Popen[str]:
    environment = {
        "PYTHONPATH": str(ROOT),
        "PATH": os.environ.get("PATH", ""),
        "HOME": str(work),
        "KGNB_MODEL": "stub",
        "KGNB_BASE_URL": server.url,
        "KGNB_CACHE": str(work / "cache"),
        "STUB_KEY": "none",
        "OPENAI_API_KEY": "none",
    }
    arguments = ["build", str(folder / "huts.ttl"), str(folder / "notes"), "--judge", "model"]
    arguments += ["--run", str(work / "run"), "--out", str(work / "built.trig")]
    command = [sys.executable, "-m", "kgnb", *arguments]
    return subprocess.Popen(command, env=environment, cwd=work, stderr=subprocess.PIPE, text=True)


@pytest.mark.slow
def test_a_killed_batch_is_resumed(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "huts.ttl").write_text(HUTS)
    for number in range(24):
        (tmp_path / "notes" / f"note-{number:02d}.txt").write_text(f"Hut number {number}.\n" * 50)
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    whole.mkdir()
    broken.mkdir()
    calm = Model()
    with StubServer(calm) as server:
        process = build(server, tmp_path, whole)
        _, said = process.communicate(timeout=300)
        assert process.returncode == 0, said
    assert max(calm.asked.values()) == 1
    model = Model(hold_at=23)  # in the middle of a document, which takes two replies
    with StubServer(model) as server:
        process = build(server, tmp_path, broken)
        assert all(model.held.acquire(timeout=120) for _ in range(WIDTH))
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        journals = sorted((broken / "run" / "journals").glob("*.json"))
        assert 0 < len(journals) < 24
        assert all(
            json.loads(file.read_text())["acts"] for file in journals
        )  # none is half-written
        assert not (broken / "built.trig").exists()
        model.hold_at = 0
        model.hold.set()
        process = build(server, tmp_path, broken)
        _, said = process.communicate(timeout=300)
        assert process.returncode == 0, said
    assert model.asked == calm.asked  # every question once, over both runs together
    assert (broken / "built.trig").read_bytes() == (whole / "built.trig").read_bytes()

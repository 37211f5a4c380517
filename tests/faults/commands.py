"""kgnb as a person runs it, in a process of its own, over a model server on loopback."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.llm.stub_server import StubServer

MATCH = (
    "match",
    "huts:alpine",
    "huts:refuge",
    "--judge",
    "model",
    "--embedder",
    "characters",
    "-o",
    "out.sssom.tsv",
)
ALIGN = ("align", "huts:hollenmark", "huts:corvane", "--judge", "model", "-o", "out.tsv")
BUILD = (
    "build",
    "huts:kitchen",
    "huts:kitchen-notes",
    "--judge",
    "rule",
    "--run",
    "run",
    "-o",
    "out.trig",
)
ASK = (
    "ask",
    "--graph",
    "huts:graph",
    "--questions",
    "questions.jsonl",
    "--out",
    "out.jsonl",
    "--judge",
    "rule",
)
QUESTIONS = "".join(
    f'{{"id": "q{number}", "question": "{text}"}}\n'
    for number, text in enumerate(
        [
            "Who is the warden of the Hochkar House?",
            "Which huts lie above 2000 m?",
            "Who runs the Gamsjoch Hut?",
        ]
        * 2
    )
)
OUTPUTS = {"match": "out.sssom.tsv", "align": "out.tsv", "build": "out.trig", "ask": "out.jsonl"}


@dataclass(frozen=True)
class Place:
    """A folder with a cache of its own, and the model server its commands ask, if any."""

    home: Path
    server: StubServer | None = None
    more: Mapping[str, str] = ()  # type: ignore[assignment]

    def begin(self, *words: str) -> subprocess.Popen[str]:
        """Start a command here."""
        self.home.mkdir(parents=True, exist_ok=True)
        (self.home / "questions.jsonl").write_text(QUESTIONS)
        environment = {
            **os.environ,
            "KGNB_CACHE": str(self.home / "cache"),
            "OMP_NUM_THREADS": "1",
            **dict(self.more),
        }
        if self.server is not None:
            environment |= {
                "KGNB_MODEL": "stub",
                "KGNB_BASE_URL": self.server.url,
                "KGNB_RETRIES": "0",
            }
        return subprocess.Popen(
            [sys.executable, "-m", "kgnb", *words],
            cwd=self.home,
            env=environment,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )

    def run(self, *words: str) -> tuple[int, str, str]:
        """Exit status, standard output and standard error of a command, waited for."""
        process = self.begin(*words)
        said, told = process.communicate(timeout=300)
        return process.returncode, said, told

    def killed(self, *words: str, after: float) -> bool:
        """Start a command and end it by SIGKILL so many seconds later; whether it was still
        running.
        """
        process = self.begin(*words)
        time.sleep(after)
        running = process.poll() is None
        process.send_signal(signal.SIGKILL)
        process.wait()
        for pipe in (process.stdout, process.stderr):  # a kernel that it started may hold them open
            pipe.close()  # type: ignore[union-attr]
        return running

    def out(self, command: str) -> bytes:
        """What a command has written, b"" where it has not."""
        path = self.home / OUTPUTS[command]
        return path.read_bytes() if path.exists() else b""

    def halves(self) -> list[str]:
        """Files that a write left half way."""
        return [
            one.name
            for one in self.home.rglob("*")
            if one.suffix in (".part", ".partial") and one.is_file()
        ]

"""A sweep that is killed, resumed and interrupted ends as if nothing had happened, and pays for no
call twice.
"""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from kgnb.reporting.grid import read_grid
from kgnb.reporting.item import read_state
from kgnb.reporting.session import read_ledger
from tests.faults.tries import WHOLE
from tests.llm.obliging import oblige
from tests.llm.stub_server import StubServer
from tests.reporting.conftest import ASKS, notebook

pytestmark = pytest.mark.fault("kill -9")

HUTS = {"dataset": "huts", "judge": "cascade", "embedder": "characters", "k": [2, 3, 4, 5, 6]}


@dataclass
class Sweep:
    """One sweep in a process of its own, with its own cache of replies."""

    file: Path
    home: Path
    server: StubServer

    @property
    def out(self) -> Path:
        return self.home / "out"

    def begin(self, *words: str) -> subprocess.Popen[str]:
        environment = os.environ | {
            "KGNB_CACHE": str(self.home / "cache"),
            "KGNB_MODEL": "stub",
            "KGNB_EMBEDDER": "characters",
            "KGNB_BASE_URL": self.server.url,
            "OMP_NUM_THREADS": "1",
        }
        return subprocess.Popen(
            [sys.executable, "-m", "kgnb", *words],
            env=environment,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )

    def run(self, *words: str) -> str:
        process = self.begin(*words)
        said, _ = process.communicate(timeout=900)
        assert process.returncode == 0, said
        return said

    def states(self) -> Counter[str]:
        return Counter(read_state(home).state for home in self.items())

    def items(self) -> list[Path]:
        return [self.out / "items" / item.name for item in read_grid(self.file).items]

    def pages(self) -> tuple[bytes, bytes]:
        return (self.out / "comparison.html").read_bytes(), (
            self.out / "comparison.json"
        ).read_bytes()


def asked(server: StubServer) -> Counter[str]:
    return Counter(json.dumps(seen.body, sort_keys=True) for seen in server.requests)


def whole(tmp_path: Path, content: dict[str, Any], width: str) -> tuple[Sweep, Counter[str]]:
    """The sweep run to its end, and what it asked."""
    file = tmp_path / "grid.yaml"
    file.write_text(json.dumps({"report": "ontology-matching"} | content))
    with StubServer(oblige, delay=0.05) as server:
        sweep = Sweep(file, tmp_path / "whole", server)
        sweep.run("sweep", str(file), "--out", str(sweep.out), "-j", width)
        assert sweep.states() == {"done": len(sweep.items())}
        return sweep, asked(server)


def check(tmp_path: Path, content: dict[str, Any], width: str = "2") -> None:
    """Run the sweep whole; then again, killed at a third, resumed, interrupted at two thirds, and
    resumed.
    """
    first, wanted = whole(tmp_path, content, width)
    number = len(first.items())
    assert len(wanted) >= number // 2
    with StubServer(oblige, delay=0.05) as server:
        cut = Sweep(first.file, tmp_path / "cut", server)
        (cut.home / "cache").mkdir(parents=True)
        for vectors in (first.home / "cache").glob("vectors.sqlite"):
            shutil.copy(vectors, cut.home / "cache")
        stopped(
            cut,
            ("sweep", str(cut.file), "--out", str(cut.out), "-j", width),
            number // 3,
            signal.SIGKILL,
        )
        assert asked(server).keys() < wanted.keys()
        stopped(cut, ("resume", str(cut.out), "-j", width), 2 * number // 3, signal.SIGINT)
        cut.run("resume", str(cut.out), "-j", width)
        assert cut.states() == {"done": number} and cut.pages() == first.pages()
        assert asked(server) == Counter(
            wanted.keys()
        )  # each question once, before a signal or after


def stopped(cut: Sweep, words: tuple[str, ...], done: int, stop: signal.Signals) -> None:
    """Start the command, send it the signal once so many items are done, and check what it leaves."""
    process = cut.begin(*words)
    deadline = time.monotonic() + 600
    while cut.states()["done"] < done and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(stop)
    process.communicate(timeout=120)
    assert process.returncode == (-stop if stop == signal.SIGKILL else 128 + stop)
    while cut.states()["running"] and time.monotonic() < deadline:
        time.sleep(0.1)  # after a kill the items notice by themselves
    check_states(cut)


def check_states(cut: Sweep) -> None:
    """The state of every item agrees with its folder; some are done, some are not."""
    states = cut.states()
    assert (
        states["done"]
        and states["done"] < states.total()
        and set(states) <= {"done", "cancelled", "not run"}
    )
    for home in cut.items():
        said, ledger = read_state(home).state, read_ledger(home)
        if said == "done":
            assert (
                ledger is not None and ledger.state == "ran" and (home / "metrics.json").is_file()
            )
        elif said == "cancelled":
            assert (
                ledger is None or ledger.state != "failed"
            )  # its page may not be drawn though every cell ran
        else:
            assert ledger is None


@pytest.mark.slow
def test_an_interrupted_sweep_ends_like_a_whole_one_and_asks_nothing_twice(tmp_path: Path) -> None:
    if WHOLE:
        check(tmp_path, {"parameters": HUTS})
    else:
        check(tmp_path, {"report": notebook(tmp_path, *ASKS), "parameters": {"k": [2, 3, 4]}}, "1")


@pytest.mark.slow
@pytest.mark.skipif(not WHOLE, reason="twenty kills: only by make faults")
def test_a_sweep_killed_twenty_times_ends_like_a_whole_one_and_asks_nothing_twice(
    tmp_path: Path, record_property: Any
) -> None:
    first, wanted = whole(tmp_path, {"parameters": HUTS}, "2")
    draw, killed = random.Random(21), 0
    with StubServer(oblige, delay=0.05) as server:
        cut = Sweep(first.file, tmp_path / "cut", server)
        again, anew = ("resume", str(cut.out)), ("sweep", str(cut.file), "--out", str(cut.out))
        for number in range(20):
            process = cut.begin(
                *(again if number % 2 and (cut.out / "sweep.json").is_file() else anew), "-j", "2"
            )
            with suppress(subprocess.TimeoutExpired):
                process.wait(draw.uniform(1.0, 6.0))
            killed += process.poll() is None
            process.kill()
            process.communicate(timeout=120)
        cut.run(*anew, "-j", "2")
        assert (
            cut.states() == {"done": 5} and cut.pages() == first.pages() and asked(server) == wanted
        )
    record_property("tries", killed)

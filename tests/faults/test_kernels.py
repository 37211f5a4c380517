"""Cells in real kernels: killed in a stage, two at once, twice with another hash seed; no key in what they say."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.manager import KernelManager

from kgnb.agents.question_answering.agent import AGENT
from kgnb.settings import Settings
from kgnb.tasks.agent_tools import call
from tests.faults.test_killed import IN_FLIGHT, Counting
from tests.faults.tries import tries
from tests.llm.stub_server import StubServer

pytestmark = [pytest.mark.slow]
START = "%load_ext kgnb\n%om start huts:alpine huts:refuge --embedder characters --judge model"
CELLS = (
    START,
    "%om retrieve\n%om store\n%om search\n%om summarise",
    "%om validate",
    "%om merge\n%om export out.sssom.tsv",
)
PATIENCE = 120  # seconds


class Kernel:
    """A kernel in a folder, with a cache of its own there."""

    def __init__(self, home: Path, more: Mapping[str, str]) -> None:
        home.mkdir(parents=True, exist_ok=True)
        environment = {**os.environ, "KGNB_CACHE": str(home / "cache"), "OMP_NUM_THREADS": "1", **more}
        self.home, self.manager = home, KernelManager()
        self.manager.start_kernel(cwd=str(home), env=environment)
        self.client: BlockingKernelClient = self.manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=PATIENCE)

    def begin(self, cell: str) -> str:
        """Start a cell and do not wait for it."""
        asked: str = self.client.execute(cell, stop_on_error=False)
        return asked

    def end(self, asked: str) -> list[dict[str, Any]]:
        """Everything the kernel said while a cell ran, in order."""
        said = []
        while True:
            message = self.client.get_iopub_msg(timeout=PATIENCE)
            if message["parent_header"].get("msg_id") != asked:
                continue
            said.append({"type": message["msg_type"], **message["content"]})
            if said[-1].get("execution_state") == "idle":
                return said

    def run(self, *cells: str) -> list[dict[str, Any]]:
        """Run cells that must not fail, one after the other; everything they said."""
        said = [one for cell in cells for one in self.end(self.begin(cell))]
        assert not [one for one in said if one["type"] == "error"], said[-3:]
        return said

    def kill(self) -> None:
        """End it by SIGKILL."""
        self.manager.shutdown_kernel(now=True)
        self.client.stop_channels()


@contextmanager
def kernel(home: Path, **more: str) -> Iterator[Kernel]:
    started = Kernel(home, more)
    try:
        yield started
    finally:
        started.kill()


def asking(server: StubServer) -> dict[str, str]:
    return {"KGNB_MODEL": "stub", "KGNB_BASE_URL": server.url, "KGNB_RETRIES": "0"}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """What the cells write when nothing happens to them."""
    home = tmp_path_factory.mktemp("whole")
    with StubServer(Counting()) as server, kernel(home, **asking(server)) as undisturbed:
        undisturbed.run(*CELLS)
    return (home / "out.sssom.tsv").read_bytes()


@pytest.mark.fault("kill -9")
@pytest.mark.parametrize("number", tries(1, 10))
def test_a_kernel_killed_in_a_stage_runs_again_to_the_same_bytes(tmp_path: Path, whole: bytes, number: int) -> None:
    counting = Counting()
    with StubServer(counting) as server:
        with kernel(tmp_path, **asking(server)) as first:
            first.run(*CELLS[:2])
            first.begin(CELLS[2])
            while not counting.answered:
                time.sleep(0.02)
            time.sleep(IN_FLIGHT * (1 + number / 4))
            first.kill()
        killed = time.monotonic()
        with kernel(tmp_path, **asking(server)) as second:
            second.run(*CELLS)
    assert (tmp_path / "out.sssom.tsv").read_bytes() == whole
    twice = [times for times in counting.answered.values() if len(times) > 1]
    assert not [times for times in twice if times[0] < killed - IN_FLIGHT], "a reply that had arrived was asked again"


@pytest.mark.fault("two notebooks, one project")
def test_two_kernels_at_once_in_one_folder_with_one_cache_write_the_same(tmp_path: Path, whole: bytes) -> None:
    with (
        StubServer(Counting()) as server,
        kernel(tmp_path, **asking(server)) as one,
        kernel(tmp_path, **asking(server)) as other,
    ):
        for cell in (*CELLS[:-1], "%om merge"):
            for both, asked in [(each, each.begin(cell)) for each in (one, other)]:
                assert not [said for said in both.end(asked) if said["type"] == "error"]
        for number, each in enumerate((one, other)):
            each.run(f"%om export {number}.sssom.tsv")
    assert (tmp_path / "0.sssom.tsv").read_bytes() == (tmp_path / "1.sssom.tsv").read_bytes() == whole


BOOK = (
    "%load_ext kgnb\n%kg open huts:graph",
    "%%sparql\nSELECT ?hut ?altitude { ?hut a :StaffedHut ; :altitude ?altitude }",
    "%%sparql\nCONSTRUCT { ?hut :warden ?w } { ?hut :warden ?w }",
    "%kg schema",
    "%om start huts:alpine huts:refuge --reference huts:reference --embedder characters --judge rule",
    "%om run",
    "%om evaluate",
    "%om explain Season",
    "%qa start huts:graph --judge rule --embedder characters",
    '%qa ask "Who is the warden of the Hochkar House?"',
    "%ea start huts:hollenmark huts:corvane --reference huts:entity-reference --embedder characters --judge rule",
    "%ea run",
    "%ea evaluate",
    "%kgc compile huts:kitchen",
    "%kgc run huts:kitchen-notes --judge rule",
)


@pytest.mark.fault("determinism")
def test_a_notebook_shows_the_same_in_kernels_with_other_hash_seeds_and_languages(tmp_path: Path) -> None:
    shown = []
    surroundings = ({"PYTHONHASHSEED": "1"}, {"PYTHONHASHSEED": "271828", "LC_ALL": "de_DE.UTF-8", "TZ": "Asia/Tokyo"})
    for number, more in enumerate(surroundings):
        with kernel(tmp_path / str(number), **more) as fresh:
            said = fresh.run(*BOOK)
        shown.append([one["data"] for one in said if one["type"] == "execute_result"])
    assert len(shown[0]) == len(BOOK)
    for cell, first, second in zip(BOOK, *shown, strict=True):
        assert first == second, cell


KEY, PASSWORD = "plain-looking-value-of-a-key-78", "open-sesame-4712"  # pragma: allowlist secret
TOML = f"""
[model]
name = "stub"
base_url = "BASE"
key = "env:OUR_MODEL"
[endpoints.ours]
url = "http://reader:{PASSWORD}@127.0.0.1:9/sparql?api_key={KEY}"
"""
TOLD = (
    "%llm",
    "%qa ask --form",
    "%om start huts:alpine huts:refuge --embedder characters --judge person",
    "%om run",
    "%om review",
    "%kg connect ours --form",
    "%kg connect ours",
    f"%kg connect http://reader:{PASSWORD}@127.0.0.1:9/sparql?api_key={KEY}",
    "%llm test",
)


@pytest.mark.fault("planted secrets")
def test_no_key_is_in_what_a_kernel_says_its_widgets_and_errors_among_it(tmp_path: Path) -> None:
    with StubServer(lambda body: "no") as server:
        (tmp_path / "kgnb.toml").write_text(TOML.replace("BASE", server.url))
        with kernel(tmp_path, OUR_MODEL=KEY) as asked:
            asked.run("%load_ext kgnb")
            said = [one for cell in TOLD for one in asked.end(asked.begin(cell)) if one["type"] != "execute_input"]
    told = json.dumps(said)
    assert {"comm_open", "error", "execute_result"} <= {one["type"] for one in said}
    assert re.search("cannot be reached", told)
    assert KEY not in told and PASSWORD not in told


@pytest.mark.fault("planted secrets")
def test_no_key_is_in_an_error_of_a_tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OUR_MODEL", KEY)
    monkeypatch.chdir(tmp_path)
    Path("kgnb.toml").write_text(TOML.replace("BASE", "http://127.0.0.1:9/v1"))
    asked = {"graph": "ours", "question": "Who is the warden of the Hochkar House?"}
    told = json.dumps(call(AGENT, asked, Settings.load()))
    assert '"ok": false' in told
    assert KEY not in told and PASSWORD not in told

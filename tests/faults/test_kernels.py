"""Cells in real kernels: killed in a stage, two at once, twice with another hash seed; no key in
what they say.
"""

import json
import os
import random
import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.manager import KernelManager

from kgnb.agents.question_answering.agent import AGENT
from kgnb.settings import Settings
from kgnb.tasks.agents import call
from tests.agents.kg_construction.kitchen import HUTS
from tests.faults.test_killed import NARROW, Counting
from tests.faults.tries import IN_A_ROW, WHOLE, tries
from tests.llm.obliging import oblige
from tests.llm.stub_server import Answer, Body, Call, StubServer

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
        environment = {
            **os.environ,
            "KGNB_CACHE": str(home / "cache"),
            "OMP_NUM_THREADS": "1",
            **more,
        }
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
    return {"KGNB_MODEL": "stub", "KGNB_BASE_URL": server.url, "KGNB_RETRIES": "0", **NARROW}


BOOKS: dict[str, tuple[str, ...]] = {
    "om": CELLS,
    "ea": (
        "%load_ext kgnb\n%ea start huts:hollenmark huts:corvane --embedder characters --judge model",
        "%ea run",
        "%ea export out.tsv",
    ),
    "qa": (
        "%load_ext kgnb\n%qa start huts:graph --judge model --embedder characters",
        '%qa ask "Who is the warden of the Hochkar House?"',
        '%qa ask "Which huts lie above 2000 m?"',
        "%qa export out.jsonl",
    ),
    "kgc": (
        "%load_ext kgnb\n%kgc compile huts.ttl",
        "%kgc run notes --judge model",
        "%kgc export out.trig",
    ),
}


def building(body: Body) -> Answer:
    """Creates a hut for each document, then finishes."""
    said = body["messages"][1]["content"] if len(body["messages"]) > 1 else ""
    if "The text (" not in said or body["messages"][-1]["role"] == "tool":
        return Call("finish")
    return Call("create_hut", {"label": said.split("The text (")[1].split(",")[0], "quote": "Hut"})


def notes_in(home: Path) -> None:
    """What the cells of kgc read."""
    (home / "notes").mkdir(parents=True)
    (home / "huts.ttl").write_text(HUTS)
    for number in range(12):
        text = f"Hut number {number}. " + "Its roof is of shingle. " * 60  # one request a note
        (home / "notes" / f"note-{number:02d}.txt").write_text(text)


@dataclass(frozen=True)
class Undisturbed:
    """What an agent's cells write when nothing happens to them, and how many seconds they take."""

    written: bytes
    seconds: float


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Undisturbed]:

    @cache
    def get(agent: str) -> Undisturbed:
        home = tmp_path_factory.mktemp(agent)
        notes_in(home)
        with StubServer(counting(agent)) as server, kernel(home, **asking(server)) as calm:
            begun = time.monotonic()
            calm.run(*BOOKS[agent])
            return Undisturbed(exported(home), time.monotonic() - begun)

    return get


def counting(agent: str) -> Counting:
    return Counting(building if agent == "kgc" else oblige)


def exported(home: Path) -> bytes:
    [file] = home.glob("out.*")
    assert file.stat().st_size
    return file.read_bytes()


@pytest.mark.fault("kill -9")
@pytest.mark.parametrize("number", tries(1, 4))
@pytest.mark.parametrize("agent", BOOKS if WHOLE else ["om"])
def test_an_agent_whose_kernel_is_killed_again_and_again_ends_with_the_same_bytes(
    tmp_path: Path,
    undisturbed: Callable[[str], Undisturbed],
    agent: str,
    number: int,
    record_property: Any,
) -> None:
    """Each kernel is killed at another moment and the next goes on from its cache; the last is left
    alone.
    """
    calm, replies, kills = undisturbed(agent), counting(agent), list[float]()
    notes_in(tmp_path)
    draw = random.Random(f"{agent}{number}")
    with StubServer(replies) as server:
        for _ in range(IN_A_ROW):
            with kernel(tmp_path, **asking(server)) as cut:
                for cell in BOOKS[agent]:
                    cut.begin(cell)
                time.sleep(draw.uniform(0.05, 0.95) * calm.seconds)
                cut.kill()
            kills.append(time.monotonic())
        with kernel(tmp_path, **asking(server)) as last:
            last.run(*BOOKS[agent])
    record_property("tries", len(kills))
    assert exported(tmp_path) == calm.written
    assert not replies.needlessly_twice(kills), "a reply that had arrived was asked again"


@pytest.mark.fault("two notebooks, one project")
def test_two_kernels_at_once_in_one_folder_with_one_cache_write_the_same(
    tmp_path: Path, undisturbed: Callable[[str], Undisturbed]
) -> None:
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
    assert (
        (tmp_path / "0.sssom.tsv").read_bytes()
        == (tmp_path / "1.sssom.tsv").read_bytes()
        == undisturbed("om").written
    )


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
def test_a_notebook_shows_the_same_in_kernels_with_other_hash_seeds_and_languages(
    tmp_path: Path,
) -> None:
    shown = []
    surroundings = (
        {"PYTHONHASHSEED": "1"},
        {"PYTHONHASHSEED": "271828", "LC_ALL": "de_DE.UTF-8", "TZ": "Asia/Tokyo"},
    )
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
            asked.run("%kg trust")
            said = [
                one
                for cell in TOLD
                for one in asked.end(asked.begin(cell))
                if one["type"] != "execute_input"
            ]
    told = json.dumps(said)
    assert {"comm_open", "error", "execute_result"} <= {one["type"] for one in said}
    assert re.search("cannot be reached", told)
    assert KEY not in told and PASSWORD not in told


@pytest.mark.fault("planted secrets")
def test_no_key_is_in_an_error_of_a_tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OUR_MODEL", KEY)
    monkeypatch.chdir(tmp_path)
    Path("kgnb.toml").write_text(TOML.replace("BASE", "http://127.0.0.1:9/v1"))
    monkeypatch.setenv("KGNB_CONFIG", "kgnb.toml")
    asked = {"graph": "ours", "question": "Who is the warden of the Hochkar House?"}
    told = json.dumps(call(AGENT, asked, Settings.load()))
    assert '"ok": false' in told
    assert KEY not in told and PASSWORD not in told

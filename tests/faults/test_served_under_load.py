# ruff: noqa: E501
"""``kgnb serve`` with eight clients at once: nothing lost, nothing doubled, and a write costs the
same at any size.
"""

import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
import rdflib
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from kgnb.agents.kg_construction.graph_file import GraphFile
from kgnb.agents.kg_construction.serve import Shared
from kgnb.agents.kg_construction.tool_values import Source
from kgnb.tasks.building import compile_ontology
from tests.agents.kg_construction.kitchen import HUTS
from tests.apart import run_apart
from tests.faults.tries import WHOLE, tries

pytestmark = [pytest.mark.fault("MCP server under load"), pytest.mark.slow]

CLIENTS, CALLS = 8, 1_000 if WHOLE else 15
BEDS = rdflib.URIRef("https://hut.example/beds")


@contextmanager
def serving(
    home: Path,
    *words: str,
    program: Sequence[str] = ("-m", "kgnb"),
    heard: list[str] | None = None,
    **more: str,
) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """A server in a process of its own, by default one that keeps its graph in ``built.trig``; its
    URL.

    ``heard`` gets what it said on standard error, ``more`` is in its environment.
    """
    (home / "huts.ttl").write_text(HUTS)
    command = [
        sys.executable,
        *program,
        "serve",
        "huts.ttl",
        "--http",
        *(words or ("--no-token", "--out", "built.trig")),
    ]
    process = subprocess.Popen(
        command, cwd=home, stderr=subprocess.PIPE, text=True, env={**os.environ, **more}
    )
    try:
        assert process.stderr is not None
        said = (
            line.strip().removeprefix("kgnb: ") for line in process.stderr
        )  # how many facts were read, then where
        yield next(line for line in said if line.startswith("http")), process
    finally:
        process.terminate()
        process.wait(60)
        ([] if heard is None else heard).append(process.stderr.read())  # type: ignore[union-attr]
        process.stderr.close()  # type: ignore[union-attr]


def client_of(url: str) -> Client:
    return Client(streamable_http_client(url, http_client=httpx2.AsyncClient(timeout=120)))


async def write(
    url: str, name: str, calls: int, acknowledged: dict[str, str], seconds: list[float]
) -> None:
    async with client_of(url) as client:
        for number in range(calls):
            begun = time.monotonic()
            said = (
                await client.call_tool("create_hut", {"label": f"Hut {name} {number}"})
            ).structured_content
            seconds.append(time.monotonic() - begun)
            assert said and said["ok"], said
            acknowledged[f"Hut {name} {number}"] = said["iri"]


def kept(home: Path) -> dict[str, str]:
    """Label and IRI of every hut in the file and its journal."""
    session = compile_ontology(home / "huts.ttl").session()
    GraphFile(home / "built.trig", session, None).close()
    huts = session.labels()
    return {label: str(iri) for iri, label in huts.items()}


def preloaded(home: Path, huts: int) -> dict[str, str]:
    """A file with so many huts, a type and a label each: label and IRI."""
    session = compile_ontology(rdflib.Graph().parse(data=HUTS, format="turtle")).session()
    file = GraphFile(home / "built.trig", session, None)
    made = {
        f"Old hut {n}": session.call("create_hut", {"label": f"Old hut {n}"}).iri
        for n in range(huts)
    }
    file.close()
    return made


@pytest.mark.parametrize("facts", [0, 200, 20_000] if WHOLE else [0])
def test_eight_clients_lose_nothing_and_double_nothing(
    tmp_path: Path, facts: int, record_property: Any
) -> None:
    """From nothing, 8 x 1,000 calls (short form: 8 x 15); at 200 and at 20,000 facts, 8 x 100."""
    acknowledged: dict[str, str] = {}
    seconds: list[float] = []
    before = preloaded(tmp_path, facts // 2)
    calls = CALLS // 10 if facts else CALLS
    with serving(tmp_path) as (url, _):

        async def talk() -> None:
            async with anyio.create_task_group() as group:
                for name in "abcdefgh":
                    group.start_soon(write, url, name, calls, acknowledged, seconds)

        run_apart(talk)
    record_property("tries", CLIENTS * calls)
    assert len(acknowledged) == len(set(acknowledged.values())) == CLIENTS * calls
    assert kept(tmp_path) == before | acknowledged
    fifth = len(seconds) // 5
    parts = [sorted(seconds[at : at + fifth]) for at in range(0, 5 * fifth, fifth)]
    told = [
        f"{1000 * one[fifth // 2]:.0f}/{1000 * one[fifth * 99 // 100]:.0f}"
        for one in (*parts, sorted(seconds))
    ]
    print(
        f"{len(seconds):,} calls of 8 clients from {facts:,} facts on: p50/p99 by fifths {', '.join(told[:5])} ms"
    )


def test_a_write_costs_the_same_at_twenty_thousand_facts(
    tmp_path: Path, record_property: Any
) -> None:
    """CPU time of a call without HTTP, at 200 facts and at 20,000 (short form: 2,000)."""
    pack = compile_ontology(rdflib.Graph().parse(data=HUTS, format="turtle"))
    session = pack.session()
    file = GraphFile(tmp_path / "huts.trig", session, None)
    shared = Shared(pack, session, file)
    most = 20_000 if WHOLE else 2_000
    spent: list[float] = []
    for number in range(most // 2 + 50):  # a hut is a type and a label
        begun = time.thread_time()
        assert shared.call("create_hut", {"label": f"Hut {number}"}).ok
        spent.append(time.thread_time() - begun)
    file._session.log = None
    file._let_go()
    few, many = sorted(spent[100:200]), sorted(spent[-100:])
    said = [f"p50 {1000 * part[50]:.2f} ms, p99 {1000 * part[98]:.2f} ms" for part in (few, many)]
    print(f"a write at 200 facts: {said[0]}; at {most:,}: {said[1]}")
    record_property("tries", len(spent))
    assert many[50] <= 3 * few[50] + 0.002


@pytest.mark.fault("kill -9")
@pytest.mark.parametrize("number", tries(1, 20))
def test_a_server_killed_under_load_keeps_what_it_acknowledged(tmp_path: Path, number: int) -> None:
    acknowledged: dict[str, str] = {}
    with serving(tmp_path) as (url, process):
        timer = threading.Timer(random.Random(number).uniform(0.5, 3.0), process.kill)

        async def talk() -> None:
            async with anyio.create_task_group() as group:
                for name in "ab":
                    group.start_soon(write, url, name, 10_000, acknowledged, [])

        timer.start()
        with pytest.raises(BaseException):  # noqa: B017  # the server is gone: an ExceptionGroup of the SDK's
            run_apart(talk)
        timer.join()
    found = kept(tmp_path)
    assert acknowledged.items() <= found.items()
    assert len(found) - len(acknowledged) <= 2  # what was on its way


def test_two_hundred_silent_connections_do_not_block_others(tmp_path: Path) -> None:
    import socket

    with serving(tmp_path) as (url, _):
        port = int(url.split(":")[2].split("/")[0])
        idle = [socket.create_connection(("127.0.0.1", port)) for _ in range(200)]
        acknowledged: dict[str, str] = {}
        run_apart(write, url, "a", 3, acknowledged, [])
        for one in idle:
            one.close()
    assert kept(tmp_path) == acknowledged


def test_a_document_source_is_kept_with_each_fact_under_load(tmp_path: Path) -> None:
    pack = compile_ontology(rdflib.Graph().parse(data=HUTS, format="turtle"))
    session = pack.session()
    file = GraphFile(tmp_path / "huts.trig", session, None)

    def call(name: str) -> None:
        for number in range(30):
            assert session.call("create_hut", {"label": f"{name} {number}"}, Source(name)).ok

    threads = [threading.Thread(target=call, args=(f"guide {n}",)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    file.close()
    again = pack.session()
    GraphFile(tmp_path / "huts.trig", again, None).close()
    assert len(again.labels()) == 240
    assert again.trig() == session.trig()

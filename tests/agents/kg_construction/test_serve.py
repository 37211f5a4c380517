"""The tools over MCP with the SDK's client: stdio, streamable HTTP, tokens."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from kgnb.agents.kg_construction.generic_tools import BUDGET, schema_tokens
from kgnb.agents.kg_construction.serve import Shared, mcp_server, serve
from kgnb.errors import ConfigError
from kgnb.tasks.building import compile_ontology
from tests.agents.kg_construction.kitchen import HUTS
from tests.apart import run_apart

pytestmark = pytest.mark.fault("MCP server")
SOURCE = Path(__file__).parents[3]


@pytest.fixture
def tbox(tmp_path: Path) -> Path:
    file = tmp_path / "huts.ttl"
    file.write_text(HUTS)
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
    invented = said(
        await client.call_tool("add_beds", {"subject": "https://nowhere.example/x", "value": 1})
    )
    assert not invented["ok"]
    unknown = await client.call_tool("create_castle", {})
    assert unknown.is_error
    assert "create_hut" in said(unknown)["error"]


def environment() -> dict[str, str]:
    return {
        "PYTHONPATH": str(SOURCE),
        "PATH": os.environ.get("PATH", ""),
        "HOME": os.environ.get("HOME", "/tmp"),
    }


def command(tbox: Path, *more: str) -> list[str]:
    return ["-m", "kgnb", "serve", str(tbox), *more]


@contextmanager
def listening(tbox: Path) -> Iterator[tuple[str, str]]:
    """A server in a process of its own; its URL and token."""
    process = subprocess.Popen(
        [sys.executable, *command(tbox, "--http")],
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
    )
    try:
        assert process.stderr is not None
        url = process.stderr.readline().strip().removeprefix("kgnb: ")
        token = process.stderr.readline().strip().removeprefix("Authorization: Bearer ")
        yield url, token
    finally:
        process.terminate()
        process.wait(120)
        assert process.stderr is not None
        process.stderr.close()


def over_http(url: str, token: str) -> Any:
    headers = {"Authorization": f"Bearer {token}"}
    return streamable_http_client(url, http_client=httpx2.AsyncClient(headers=headers, timeout=120))


def test_a_fact_has_its_document_and_span_and_a_wrong_quote_is_refused(tbox: Path) -> None:
    pack = compile_ontology(tbox)
    session = pack.session()
    shared = Shared(pack, session, documents={"guide": "Long ago. The Ambre has  28 beds."})

    async def talk() -> None:
        async with Client(mcp_server(shared)) as client:
            listed = {tool.name: tool for tool in (await client.list_tools()).tools}
            assert {"quote", "document"} <= set(listed["create_hut"].input_schema["properties"])
            assert "quote" not in listed["find_hut"].input_schema["properties"]
            wrong = await client.call_tool(
                "create_hut", {"label": "Ambre", "document": "guide", "quote": "The Sorne"}
            )
            assert "word for word" in said(wrong)["violations"][0]["hint"]
            lost = await client.call_tool(
                "create_hut", {"label": "Ambre", "document": "guides", "quote": "x"}
            )
            assert "guide" in said(lost)["violations"][0]["hint"]
            told = {"label": "Ambre", "document": "guide", "quote": "the ambre has 28 beds"}
            assert said(await client.call_tool("create_hut", told))["ok"]

    run_apart(talk)
    trig = session.trig()
    assert "urn:kgnb:document:guide" in trig
    assert "oa:start 10 " in trig
    assert "oa:end 32 " in trig


def test_a_large_ontology_is_served_by_generic_tools_and_long_lists_in_pages(
    tmp_path: Path,
) -> None:
    file = tmp_path / "large.ttl"
    file.write_text(HUTS + "".join(f":Thing{n} a owl:Class .\n" for n in range(150)))
    pack = compile_ontology(file)
    assert schema_tokens(pack) > BUDGET

    async def talk(face: Any) -> list[str]:
        async with Client(mcp_server(Shared(pack, pack.session(), face=face))) as client:
            page = await client.list_tools()
            names = [tool.name for tool in page.tools]
            while page.next_cursor:
                page = await client.list_tools(cursor=page.next_cursor)
                names += [tool.name for tool in page.tools]
            if face == "auto":
                made = said(
                    await client.call_tool(
                        "create", {"class": "hut", "label": "Ambre", "facts": {"beds": 28}}
                    )
                )
                assert made == {"ok": True, "id": "hut:h1"}
                wrong = await client.call_tool(
                    "add", {"subject": "hut:h1", "property": "beds", "value": 29}
                )
                assert wrong.is_error
                assert "28" in said(wrong)["refused"][0]
                seen = said(await client.call_tool("search", {"words": "thing 77"}))
                assert seen["found"][0] == "class Thing 77"
            return names

    few = run_apart(talk, "auto")
    assert {"create", "add", "search", "describe", "retract", "missing", "finish"} <= set(few)
    assert len(few) < 15
    every = run_apart(talk, "typed")
    assert every == [tool.name for tool in pack.tools]


def test_stdio_keeps_a_file_that_the_next_session_continues(tbox: Path, tmp_path: Path) -> None:
    out = tmp_path / "built.trig"
    given = StdioServerParameters(
        command=sys.executable, args=command(tbox, "--out", str(out)), env=environment()
    )

    async def talk(name: str) -> None:
        async with Client(given) as client:
            if name:
                assert said(await client.call_tool("create_hut", {"label": name}))["created"]
            else:
                await build_two_huts(client)

    async def look() -> None:
        async with Client(given) as client:
            assert len((await client.list_tools()).tools) > 3

    run_apart(talk, "")
    first = out.read_bytes()
    assert b'"Ambre"' in first and b"28" in first
    run_apart(look)
    assert out.read_bytes() == first
    run_apart(talk, "Basodine")
    assert b'"Ambre"' in out.read_bytes() and b'"Basodine"' in out.read_bytes()


def test_http_serves_a_client_and_rejects_wrong_tokens_and_hosts(
    tbox: Path, record_property: Any
) -> None:
    hosts = ("evil.example", "127.0.0.1:80@evil.example", "127.0.0.1.evil.example", "localhost:1:2")
    record_property("tries", len(hosts))
    with listening(tbox) as (url, token):
        assert url.startswith("http://127.0.0.1:")
        post = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        for headers in ({}, {"Authorization": "Bearer wrong"}):
            assert httpx2.post(url, json=post, headers=headers).status_code == 401
        for host in hosts:  # a web page of another host may not talk to it either
            headers = {"Authorization": f"Bearer {token}", "Host": host}
            assert httpx2.post(url, json=post, headers=headers).status_code == 421

        async def talk() -> None:
            async with Client(over_http(url, token)) as client:
                await build_two_huts(client)
                assert said(await client.call_tool("find_hut", {"label": "Hut"}))["ok"]

        run_apart(talk)


def test_an_open_host_requires_a_token_of_ones_own(tbox: Path) -> None:
    pack = compile_ontology(tbox)
    with pytest.raises(ConfigError, match="anyone who reaches"):
        serve(Shared(pack, pack.session()), "http", host="0.0.0.0")


def test_clients_read_prompts_and_resources(tbox: Path) -> None:
    pack = compile_ontology(tbox)
    shared = Shared(pack, pack.session())

    async def ask() -> None:
        async with Client(mcp_server(shared)) as client:
            await client.call_tool("create_hut", {"label": "Ambre", "beds": 28})
            names = {one.name for one in (await client.list_prompts()).prompts}
            assert {"instructions", "read"} <= names
            told = await client.get_prompt("read")
            assert "hut" in told.messages[0].content.text  # type: ignore[union-attr]
            addresses = {str(one.uri) for one in (await client.list_resources()).resources}
            assert {"kgnb://graph", "kgnb://provenance", "kgnb://ontology"} <= addresses
            read = {}
            for address in addresses:
                content = (await client.read_resource(address)).contents[0]
                read[address] = content.text  # type: ignore[union-attr]
            assert "Ambre" in read["kgnb://graph"] and "prov" in read["kgnb://provenance"]
            assert "beds" in read["kgnb://ontology"] and json.loads(read["kgnb://plan"])["steps"]
            with pytest.raises(Exception, match="no resource"):
                await client.read_resource("kgnb://nothing")

    run_apart(ask)


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("http", [False, True])
@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT"])
def test_a_signal_writes_the_file_at_once(
    tbox: Path, tmp_path: Path, http: bool, name: str, record_property: Any
) -> None:
    record_property("tries", 1)
    out = tmp_path / "huts.trig"
    words = ["serve", str(tbox), "--out", str(out), *(["--http", "--no-token"] if http else [])]
    process = subprocess.Popen(
        [sys.executable, "-m", "kgnb", *words],
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdin and process.stdout and process.stderr
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}}
    hello["clientInfo"] = {"name": "test", "version": "1"}
    create = {"name": "create_hut", "arguments": {"label": "Ambre"}}
    messages: list[dict[str, Any]] = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": create},
    ]
    if http:
        url = process.stderr.readline().split()[1]
        headers = {"accept": "application/json, text/event-stream"}
        for message in messages:
            answer = httpx2.post(url, json=message, headers=headers)
            headers |= {"mcp-session-id": answer.headers.get("mcp-session-id", "")}
            headers = {key: value for key, value in headers.items() if value}
    else:
        for message in messages:
            process.stdin.write(json.dumps(message) + "\n")
            process.stdin.flush()
            if "id" in message:
                assert json.loads(process.stdout.readline())["id"] == message["id"]
    number = getattr(signal, name)
    process.send_signal(number)
    assert process.wait(30) == -number  # it ends by the signal, as whoever sent it expects
    assert '"Ambre"' in out.read_text() and not Path(f"{out}.journal").exists()
    for stream in (process.stdin, process.stdout, process.stderr):
        stream.close()

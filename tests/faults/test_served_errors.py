# ruff: noqa: E501
"""What ``kgnb serve`` says when a call fails: a reason that the client is told, and never a key, a
password or the token.
"""

import base64
import errno
import json
import socket
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx2
import pytest
import rdflib
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from kgnb.agents.kg_construction import serve
from kgnb.agents.kg_construction.generic_tools import model_tools
from kgnb.agents.kg_construction.graph_file import GraphFile
from kgnb.agents.kg_construction.http_clients import (
    FREE,
    LONGEST,
    MOST_ADDRESSES,
    Guesses,
    Strangers,
)
from kgnb.agents.kg_construction.outside import function_tool
from kgnb.agents.kg_construction.serve import Face, Shared, mcp_server
from kgnb.errors import BackendError
from kgnb.llm.model import ToolSpec
from kgnb.llm.tools import Tool
from kgnb.settings import Settings
from kgnb.tasks.agents import agent_called, call
from kgnb.tasks.building import compile_ontology
from tests.agents.kg_construction.kitchen import HUTS
from tests.apart import run_apart
from tests.faults.test_served_under_load import serving
from tests.kg.stub_endpoint import Reply, StubEndpoint, solutions

KEY, PASSWORD, TOKEN = (
    "plain-looking-value-of-a-key-79",
    "open-sesame-4713",
    "token-of-a-server-4713",
)  # pragma: allowlist secret
NAMES = {
    "typed": ("create_hut", {"label": "Ambre"}),
    "generic": ("create", {"class": "hut", "label": "Ambre"}),
}


@pytest.mark.fault("full disk, hostile names")
@pytest.mark.parametrize("face", NAMES)
def test_a_client_hears_that_the_disk_is_full_and_may_call_again(
    tmp_path: Path, face: Face, monkeypatch: pytest.MonkeyPatch
) -> None:
    pack = compile_ontology(rdflib.Graph().parse(data=HUTS, format="turtle"))
    session = pack.session()
    file = GraphFile(tmp_path / "built.trig", session, None)
    name, given = NAMES[face]
    append = file._append

    def full(data: bytes) -> None:
        append(data[:20])
        raise OSError(errno.ENOSPC, "No space left on device")

    async def talk() -> list[Any]:
        async with Client(mcp_server(Shared(pack, session, file, face=face))) as client:
            monkeypatch.setattr(file, "_append", full)
            refused = await client.call_tool(name, given)
            monkeypatch.setattr(file, "_append", append)
            return [refused, await client.call_tool(name, given)]

    assert "create" in {tool.name for tool in model_tools(partial=True)}
    refused, done = run_apart(talk)
    assert refused.is_error and "No space left on device" in refused.content[0].text
    assert "the same call can be made again" in refused.content[0].text
    assert not done.is_error, done.content[0].text
    file.close()
    again = pack.session()
    GraphFile(tmp_path / "built.trig", again, None).close()
    assert list(again.labels().values()) == ["Ambre"]


@pytest.mark.fault("SPARQL endpoint fails")
def test_a_client_hears_that_a_service_behind_a_tool_is_gone() -> None:
    def look(label: str) -> str:
        raise BackendError("cannot be reached", service="http://graphs.example")

    pack = compile_ontology(rdflib.Graph().parse(data=HUTS, format="turtle"))
    spec = ToolSpec(
        "look", "Look it up.", {"type": "object", "properties": {"label": {"type": "string"}}}
    )
    shared = Shared(pack, pack.session(), outside={"look": Tool(spec, look)})

    async def talk() -> Any:
        async with Client(mcp_server(shared)) as client:
            return await client.call_tool("look", {"label": "Ambre"})

    said = run_apart(talk)
    assert said.is_error and "cannot be reached" in said.content[0].text


@pytest.mark.fault("odd tool arguments")
@pytest.mark.parametrize(
    "given", [{}, {"label": 5}, {"label": ["x"]}, {"label": "x", "more": 1}, {"label": None}]
)
def test_odd_arguments_of_a_tool_of_others_are_refused_in_words(given: dict[str, Any]) -> None:
    def look(label: str) -> str:
        """Look it up."""
        return label.lower()

    pack = compile_ontology(rdflib.Graph().parse(data=HUTS, format="turtle"))
    shared = Shared(pack, pack.session(), outside={"look": function_tool(look)})

    async def talk() -> Any:
        async with Client(mcp_server(shared)) as client:
            return await client.call_tool("look", given)

    said = run_apart(talk)
    assert said.is_error and "look: $" in said.content[0].text


@pytest.mark.fault("odd tool arguments")
@pytest.mark.parametrize("odd", [None, 5, ["x"], {}], ids=str)
@pytest.mark.parametrize(
    "agent", ["question_answering", "ontology_matching", "entity_alignment", "kg_construction"]
)
def test_odd_arguments_of_an_agent_are_refused_in_words(agent: str, odd: Any) -> None:
    ours = agent_called(agent)
    names = [one.name for one in (*ours.inputs, *ours.asked)]
    said = call(ours, dict.fromkeys(names, odd), Settings())
    assert not said["ok"] and "it is a text" in said["error"]


@pytest.mark.slow
@pytest.mark.fault("planted secrets")
def test_no_key_is_in_what_a_server_says_over_http(tmp_path: Path) -> None:
    (tmp_path / "kgnb.toml").write_text('[model]\nname = "openai:m"\nkey = "env:OUR_MODEL"\n')
    endpoint = StubEndpoint(Reply(solutions()))
    address = endpoint.url.replace("//", f"//reader:{PASSWORD}@") + f"?api_key={KEY}"
    words = ["--token", "env:OUR_TOKEN", "--reference", address, "--out", "built.trig"]
    heard: list[str] = []
    with serving(
        tmp_path, *words, heard=heard, OUR_TOKEN=TOKEN, OUR_MODEL=KEY, KGNB_CONFIG="kgnb.toml"
    ) as (url, _):
        heard.append(url)
        endpoint.stop()
        headers = {"Authorization": f"Bearer {TOKEN}"}

        async def talk() -> None:
            http = httpx2.AsyncClient(headers=headers, timeout=60)
            async with Client(streamable_http_client(url, http_client=http)) as client:
                heard.append((await client.list_tools()).model_dump_json())
                calls: list[tuple[str, dict[str, Any]]] = [
                    ("look_up", {"label": "Ambre"}),
                    ("look_up", {}),
                    ("look_up", {"label": 5, "kind": []}),
                    ("create_hut", {"label": ["x"]}),
                    ("create_hut", {"label": "Ambre", "quote": "x", "document": "y"}),
                    ("castle", {}),
                    ("add_beds", {"subject": "https://nowhere.example/x", "value": "many"}),
                ]
                for name, given in calls:
                    heard.append((await client.call_tool(name, given)).model_dump_json())

        run_apart(talk)
        kinds = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
        }
        for body in (
            b"{",
            b"[]",
            b"[" * 50_000,
            b"\xff",
            b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call"}',
        ):
            answer = httpx2.post(url, content=body, headers=headers | kinds)
            assert 400 <= answer.status_code < 500
            heard.append(f"{answer.headers} {answer.text}")
        for wrong in ({}, {"Authorization": f"Bearer {TOKEN[:-1]}"}):
            answer = httpx2.post(url, content=b"{}", headers=wrong | kinds)
            assert answer.status_code == 401
            heard.append(f"{answer.headers} {answer.text}")
    told = "\n".join(heard) + "".join(one.read_text() for one in tmp_path.glob("built.trig*"))
    assert told.count('"is_error":true') + told.count('"isError":true') >= 4
    assert "Traceback" not in told
    login = base64.b64encode(f"reader:{PASSWORD}".encode()).decode()
    for secret in (KEY, PASSWORD, TOKEN, login, json.dumps(login)):
        assert secret not in told


FEW = (
    "from kgnb.agents.kg_construction import serve; serve.MOST_AT_ONCE = 20; serve.MOST_SESSIONS = 3;"
    "from kgnb.cli import main; import sys; sys.exit(main(sys.argv[1:]))"
)


@pytest.mark.slow
@pytest.mark.fault("MCP server")
def test_a_page_of_another_site_a_long_body_and_a_crowd_are_turned_away(tmp_path: Path) -> None:
    crowd: list[socket.socket] = []
    with serving(tmp_path, "--token", "env:OUR_TOKEN", program=("-c", FEW), OUR_TOKEN=TOKEN) as (
        url,
        _,
    ):
        headers = {
            "Authorization": f"Bearer {TOKEN}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
        }
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}).encode()

        def status(content: bytes = body, **more: str) -> int:
            return httpx2.post(url, content=content, headers=headers | more, timeout=60).status_code

        assert status(Origin="http://evil.example") == 403
        assert status(Origin="null") == 403
        with suppress(httpx2.TransportError):  # it may hang up before it has been sent all
            assert status(b'{"x": "' + b"x" * (5 << 20) + b'"}') == 413
        plain = status()
        assert plain != 503
        port = int(url.split(":")[2].split("/")[0])
        crowd += [socket.create_connection(("127.0.0.1", port)) for _ in range(30)]
        # who has the token is served however many have shown none
        assert [status() for _ in range(3)] == [plain] * 3
        for one in crowd:
            one.close()
        assert status() == plain


PROMPT = FEW.replace("serve.MOST_AT_ONCE = 20", "serve.SLOWEST = 0.5")


@pytest.mark.slow
@pytest.mark.fault("MCP server")
@pytest.mark.parametrize(
    "begun", [b"", b"POST /mcp HT", b"POST /mcp HTTP/1.1\r\nContent-Length: 9\r\n\r\n{"]
)
def test_a_request_that_does_not_arrive_ends_its_connection(begun: bytes, tmp_path: Path) -> None:
    with serving(tmp_path, program=("-c", PROMPT)) as (url, _):
        port = int(url.split(":")[2].split("/")[0])
        with socket.create_connection(("127.0.0.1", port), timeout=30) as stranger:
            stranger.sendall(begun)
            while stranger.recv(4096):
                pass


@pytest.mark.fault("MCP server")
def test_clients_that_ask_too_often_get_429_and_retry_after(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(serve, "MOST_A_SECOND", 5)
    told: list[int] = []

    async def well(scope: Any, receive: Any, send: Any) -> None:
        await send({"status": 200})

    async def note(said: dict[str, Any]) -> None:
        told.extend([said["status"]] if "status" in said else [])
        assert said.get("status") != 429 or (b"retry-after", b"1") in said["headers"]

    async def crowd() -> None:
        guard = serve.guarded(well, "")
        for _ in range(1_000):
            await guard({"type": "http", "headers": []}, None, note)

    run_apart(crowd)
    assert told[:5] == [200] * 5
    assert set(told) == {200, 429}


INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"},
    },
}


@pytest.mark.slow
@pytest.mark.fault("MCP server")
def test_clients_that_go_without_a_word_make_room_and_wrong_tokens_wait(tmp_path: Path) -> None:
    heard: list[str] = []
    kinds = {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
    }
    headers = kinds | {"Authorization": f"Bearer {TOKEN}"}
    with serving(
        tmp_path, "--token", "env:OUR_TOKEN", program=("-c", FEW), heard=heard, OUR_TOKEN=TOKEN
    ) as (url, _):
        opened = []

        def call(session: str) -> int:
            listing = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
            more = headers | {"mcp-session-id": session}
            return httpx2.post(url, json=listing, headers=more, timeout=60).status_code

        for _ in range(8):
            answer = httpx2.post(url, json=INITIALIZE, headers=headers, timeout=60)
            assert answer.status_code == 200
            opened.append(answer.headers["mcp-session-id"])
            # the first client goes on, so it is never the one that is idle for longest
            assert call(opened[0]) == 200
        assert [call(one) for one in opened] == [200, 404, 404, 404, 404, 404, 200, 200]
        guess = kinds | {"Authorization": f"Bearer {TOKEN[:-1]}x"}
        seconds = []
        for number in range(FREE + 2):
            begun = time.monotonic()
            # as if a proxy had passed it on
            address = {"X-Forwarded-For": f"10.0.0.{number}", "Forwarded": f"for=10.0.0.{number}"}
            told = httpx2.post(url, content=b"{}", headers=guess | address, timeout=60)
            assert told.status_code == 401
            seconds.append(time.monotonic() - begun)
            # who has the token does not wait with those who have not
            assert call(opened[0]) == 200
        assert seconds[-2] >= 0.2 and seconds[-1] >= 0.4
    assert f"{FREE + 1} wrong tokens from 127.0.0.1; further ones wait" in heard[0]


@pytest.mark.fault("MCP server")
def test_wrong_tokens_wait_in_line_and_are_kept_in_bounded_memory() -> None:
    now = 0.0
    guesses = Guesses(lambda: now)
    waits = [guesses.delay("10.0.0.1") for _ in range(50)]
    assert waits[:FREE] == [0.0] * FREE
    assert waits[FREE:] == sorted(waits[FREE:]) and waits[-1] == LONGEST
    assert guesses.delay("10.0.0.2") == 0.0
    now = 10_000.0
    assert guesses.delay("10.0.0.1") == 0.0
    for number in range(3 * MOST_ADDRESSES):
        guesses.delay(f"host {number}")
    assert len(guesses) == MOST_ADDRESSES


@pytest.mark.fault("MCP server")
def test_the_connection_that_has_been_silent_for_longest_makes_room() -> None:
    closed: list[int] = []
    strangers = Strangers(2)
    for port in (1, 2):
        strangers.came(("127.0.0.1", port), lambda port=port: closed.append(port))
    strangers.left(("127.0.0.1", 1))
    for port in (3, 4):
        strangers.came(("127.0.0.1", port), lambda port=port: closed.append(port))
    assert closed == [2]

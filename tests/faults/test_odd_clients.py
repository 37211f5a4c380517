"""Clients of ``kgnb serve`` that send batches, no messages, or arguments that are no object."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest

pytestmark = pytest.mark.fault("MCP clients of their own kind")

FIRST = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-03-26",
        "capabilities": {},
        "clientInfo": {"name": "c", "version": "1"},
    },
}
Ask = Callable[..., list[Any]]


@pytest.fixture(scope="module", params=["stdio", "http"])
def ask(request: pytest.FixtureRequest) -> Iterator[Ask]:
    """Sends a line to a server, and returns so many answers, by id."""
    with over_stdio() if request.param == "stdio" else over_http() as say:

        def asked(line: Any, answers: int = 1) -> list[Any]:
            got = say(line if isinstance(line, str) else json.dumps(line), answers)
            return sorted(got, key=lambda one: str(one["id"]))

        asked(FIRST)
        asked({"jsonrpc": "2.0", "method": "notifications/initialized"}, 0)
        yield asked


@contextmanager
def over_stdio() -> Iterator[Callable[[str, int], list[Any]]]:
    words = [sys.executable, "-m", "kgnb", "serve", "huts:kitchen"]
    process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin is not None and process.stdout is not None

    def say(text: str, answers: int) -> list[Any]:
        print(text, file=process.stdin, flush=True)
        got: list[Any] = []
        while len(got) < answers and (said := process.stdout.readline()):  # type: ignore[union-attr]
            got += [json.loads(said)] if said.strip() else []
        return got

    yield say
    process.stdin.close()
    assert process.wait(60) == 0


@contextmanager
def over_http() -> Iterator[Callable[[str, int], list[Any]]]:
    words = [sys.executable, "-m", "kgnb", "serve", "huts:kitchen", "--http"]
    process = subprocess.Popen(words, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    url = process.stderr.readline().split()[-1]
    token = process.stderr.readline().split()[-1]
    headers = {
        "authorization": f"Bearer {token}",
        "accept": "application/json, text/event-stream",
        "content-type": "application/json",
    }

    def say(text: str, answers: int) -> list[Any]:
        reply = httpx.post(url, content=text, headers=headers, timeout=60)
        if session := reply.headers.get("mcp-session-id"):
            headers["mcp-session-id"] = session
        data = [line[5:] for line in reply.text.splitlines() if line.startswith("data:")]
        got = [json.loads(text) for text in data or [reply.text] if text.strip()]
        got = got[0] if got and isinstance(got[0], list) else got
        assert len(got) == answers, reply.text
        return got

    try:
        yield say
    finally:
        process.terminate()
        process.wait(60)


def test_every_message_of_a_batch_is_answered(ask: Ask) -> None:
    batch = [
        {"jsonrpc": "2.0", "id": 20, "method": "ping"},
        {"jsonrpc": "2.0", "method": "notifications/nothing"},
        {"jsonrpc": "2.0", "id": 21, "method": "tools/list"},
        {"id": "x"},
    ]
    ping, tools, wrong = ask(batch, 3)
    assert (ping["id"], ping["result"]) == (20, {})
    assert tools["id"] == 21 and tools["result"]["tools"]
    assert (wrong["id"], wrong["error"]["code"]) == ("x", -32600)


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ([], -32600),
        ([{"jsonrpc": "2.0", "id": 1, "method": "ping"}] * 101, -32600),
        ("{nonsense", -32700),
        ('"text"', -32600),
        ({"id": 7, "method": 3}, -32600),
    ],
)
def test_what_is_no_message_gets_an_error_and_the_server_goes_on(
    ask: Ask, line: Any, code: int
) -> None:
    [answer] = ask(line)
    assert answer["error"]["code"] == code
    assert ask({"jsonrpc": "2.0", "id": 40, "method": "ping"}) == [
        {"jsonrpc": "2.0", "id": 40, "result": {}}
    ]


@pytest.mark.parametrize(
    ("arguments", "kind"), [('{"a": 1}', "a text"), ([1], "a list"), (5, "a number")]
)
def test_arguments_that_are_no_object_are_refused_in_words(
    ask: Ask, arguments: Any, kind: str
) -> None:
    params = {"name": "missing", "arguments": arguments}
    [answer] = ask({"jsonrpc": "2.0", "id": 30, "method": "tools/call", "params": params})
    assert answer["id"] == 30 and answer["error"]["code"] == -32602
    assert f"a JSON object, and these are {kind}" in answer["error"]["message"]

"""Clients of ``kgnb serve`` that send batches, no messages, or arguments that are no object."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

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


@pytest.fixture(scope="module")
def ask() -> Iterator[Ask]:
    """Sends a line to a server, and returns so many answers, by id."""
    words = [sys.executable, "-m", "kgnb", "serve", "huts:kitchen"]
    process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin is not None and process.stdout is not None

    def asked(line: Any, answers: int = 1) -> list[Any]:
        text = line if isinstance(line, str) else json.dumps(line)
        print(text, file=process.stdin, flush=True)
        got: list[Any] = []
        while len(got) < answers and (said := process.stdout.readline()):  # type: ignore[union-attr]
            got += [json.loads(said)] if said.strip() else []
        return sorted(got, key=lambda one: str(one["id"]))

    asked(FIRST)
    asked({"jsonrpc": "2.0", "method": "notifications/initialized"}, 0)
    yield asked
    process.stdin.close()
    assert process.wait(60) == 0


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

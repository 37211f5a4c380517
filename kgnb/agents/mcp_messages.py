"""Messages of MCP, of which each gets an answer: those in a batch (which protocol 2025-03-26 has),
and those that are no message at all: over standard input and output, and over HTTP.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from kgnb.files import from_json

MOST = 100
"""Messages in a batch."""


@asynccontextmanager
async def stdio_streams() -> AsyncIterator[tuple[Any, Any]]:
    """The streams of messages for a server to read and to write."""
    import anyio
    from mcp.server.stdio import stdio_server

    async with stdio_server() as (arriving, write), anyio.create_task_group() as group:
        send, read = anyio.create_memory_object_stream[Any](0)

        async def forward() -> None:
            async with send:
                async for message in arriving:
                    for part, back in _parts(message):
                        await (write if back else send).send(part)

        group.start_soon(forward)
        yield read, write
        group.cancel_scope.cancel()


def _parts(message: Any) -> list[tuple[Any, bool]]:
    """The messages in what arrived, each with whether it goes straight back."""
    if not isinstance(message, Exception):
        return [_checked(message)]
    content = _input(message)
    if not isinstance(content, list) or not content or len(content) > MOST:
        return [(_error(content), True)]
    return [read_message(one) for one in content]


def read_message(content: Any) -> tuple[Any, bool]:
    """The message that a JSON value is, or the error that answers it; True for an error."""
    from mcp.shared.message import SessionMessage
    from mcp_types import jsonrpc_message_adapter
    from pydantic import ValidationError

    try:
        message = jsonrpc_message_adapter.validate_python(content, by_name=False)
    except ValidationError:
        return _error(content), True
    return _checked(SessionMessage(message))


def _checked(message: Any) -> tuple[Any, bool]:
    """A message, or what is wrong with the arguments of the call in it."""
    asked = message.message
    given = (getattr(asked, "params", None) or {}).get("arguments")
    if getattr(asked, "method", "") != "tools/call" or given is None or isinstance(given, dict):
        return message, False
    kind = {str: "a text", list: "a list", bool: "yes or no"}.get(type(given), "a number")
    said = f"the arguments of a call are a JSON object, and these are {kind}"
    return _refusal(getattr(asked, "id", None), -32602, said), True


def _input(error: Exception) -> Any:
    """What could not be read as a message; None if it is not JSON."""
    from pydantic import ValidationError

    if not isinstance(error, ValidationError):
        return None
    errors = error.errors(include_url=False)
    if errors[0]["type"] == "json_invalid":
        return None
    # what lacks a field is the message itself, and a batch is no message of any kind
    whole = [one["input"] for one in errors if one["type"] == "missing" or len(one["loc"]) <= 1]
    return next((one for one in whole if isinstance(one, list | dict)), {})


def _error(content: Any) -> Any:
    asked = content.get("id") if isinstance(content, dict) else None
    asked = asked if isinstance(asked, int | str) and not isinstance(asked, bool) else None
    code, said = (-32700, "this is not JSON") if content is None else (-32600, "this is no message")
    if isinstance(content, list):
        said = f"a batch holds 1 to {MOST} messages"
    return _refusal(asked, code, said)


def _refusal(asked: Any, code: int, said: str) -> Any:
    from mcp.shared.message import SessionMessage
    from mcp_types import ErrorData, JSONRPCError

    error = ErrorData(code=code, message=said)
    return SessionMessage(JSONRPCError(jsonrpc="2.0", id=asked, error=error))


LARGEST = 4 << 20
"""Bytes of a request that is looked at; the server itself refuses a larger one."""


class Messages:
    """An MCP application that answers the messages of a batch one by one, and those that are none
    in the words that standard output has for them.
    """

    def __init__(self, app: Any) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer a request, as any ASGI application."""
        from starlette.responses import JSONResponse, Response

        if scope["type"] != "http" or scope["method"] != "POST":
            await self._app(scope, receive, send)
            return
        pieces = await _pieces(receive)
        body = b"".join(piece.get("body", b"") for piece in pieces)
        try:
            content = from_json(body)
        except ValueError:
            content = None
        if isinstance(content, list) and 0 < len(content) <= MOST:
            answers = [
                answer for each in content for answer in await self._each(each, scope, receive)
            ]
            answer = JSONResponse(answers) if answers else Response(status_code=202)
            await answer(scope, receive, send)
            return
        if content is not None:
            message, wrong = read_message(content)
            if wrong:
                await JSONResponse(_written(message), 400)(scope, receive, send)
                return
        await self._app(scope, _again(pieces, receive), send)

    async def _each(self, content: Any, scope: Any, receive: Any) -> list[Any]:
        """What the application answers to one message of a batch; nothing to a notification."""
        message, wrong = read_message(content)
        if wrong:
            return [_written(message)]
        body = json.dumps(content).encode()
        kept = [(name, value) for name, value in scope["headers"] if name != b"content-length"]
        one = {**scope, "headers": [*kept, (b"content-length", str(len(body)).encode())]}
        answered = bytearray()

        async def collect(part: Any) -> None:
            answered.extend(part.get("body", b""))

        sent = [{"type": "http.request", "body": body, "more_body": False}]
        await self._app(one, _again(sent, receive), collect)
        return _answers(bytes(answered))


async def _pieces(receive: Any) -> list[Any]:
    """What has arrived of a request once it is complete, or too large."""
    pieces = [await receive()]
    size = len(pieces[0].get("body", b""))
    while pieces[-1].get("more_body") and size <= LARGEST:
        pieces.append(await receive())
        size += len(pieces[-1].get("body", b""))
    return pieces


def _again(pieces: list[Any], receive: Any) -> Any:
    """Gives what has arrived once more, and then what comes."""
    waiting = list(pieces)

    async def received() -> Any:
        return waiting.pop(0) if waiting else await receive()

    return received


def _answers(body: bytes) -> list[Any]:
    """The answers in a response: JSON, or the data of events."""
    lines = [line[5:] for line in body.splitlines() if line.startswith(b"data:")]
    found = []
    for text in lines or [body]:
        try:
            content = from_json(text)
        except ValueError:
            continue
        if isinstance(content, dict) and ("result" in content or "error" in content):
            found.append(content)
    return found


def _written(message: Any) -> Any:
    content = message.message.model_dump(mode="json", by_alias=True, exclude_none=True)
    return {"id": None, **content}

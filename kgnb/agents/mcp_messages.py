"""Messages of MCP, of which each gets an answer: those in a batch (which protocol 2025-03-26 has),
and those that are no message at all; and the streams of standard input and output.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

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

"""An MCP server that a command starts: what it says is read to a bound.

The SDK's own client keeps a line of any length in memory, and hears notifications without end.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from anyio.abc import Process

MOST_BYTES = 16 << 20
"""What a server may say to one request."""
_LEAST = 1 << 10  # that a message counts for: many small ones take long to read
_MOST_SAID = 64 << 10  # bytes of its standard error that are shown
_PATIENCE = 2.0  # seconds for it to end by itself, and then after a signal


class OutsideProcess:
    """A server's process; ``fault`` says why it was broken off, "" if it was not."""

    def __init__(self, command: Sequence[str]) -> None:
        self.command = command
        self.fault = ""
        self._left = MOST_BYTES

    @asynccontextmanager
    async def streams(self) -> AsyncIterator[tuple[Any, Any]]:
        """The streams of messages from the server and to it, while its process runs."""
        import anyio
        from mcp.client.stdio import get_default_environment

        process = await anyio.open_process(
            self.command,
            env=get_default_environment(),
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        arriving, read = anyio.create_memory_object_stream[Any](0)
        write, asked = anyio.create_memory_object_stream[Any](0)
        async with anyio.create_task_group() as group:
            group.start_soon(self._hear, process, arriving)
            group.start_soon(self._tell, process, asked, arriving)
            group.start_soon(_show, process)
            try:
                yield read, write
            finally:
                with anyio.CancelScope(shield=True):
                    await _stop(process)
                group.cancel_scope.cancel()

    async def _hear(self, process: Process, arriving: Any) -> None:
        """Passes on what the server says, line by line, until it says too much."""
        import anyio

        assert process.stdout is not None
        line: list[bytes] = []
        with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
            async with arriving:
                async for piece in process.stdout:
                    *ended, rest = piece.split(b"\n")
                    self._left -= len(piece) + _LEAST * len(ended)
                    if self._left < 0:
                        self.fault = f"it said more than {MOST_BYTES >> 20} MiB to one request"
                        _signal(process, signal.SIGKILL)
                        return
                    for end in ended:
                        await arriving.send(_message(b"".join([*line, end])))
                        line.clear()
                    line.append(rest)

    async def _tell(self, process: Process, asked: Any, arriving: Any) -> None:
        """Passes on what is asked; each request has a bound of its own."""
        import anyio

        assert process.stdin is not None
        try:
            async with asked:
                async for one in asked:
                    text = one.message.model_dump_json(by_alias=True, exclude_unset=True)
                    self._left = MOST_BYTES
                    await process.stdin.send(text.encode() + b"\n")
        except (anyio.BrokenResourceError, anyio.ClosedResourceError, OSError):
            # it takes nothing any more: whoever waits for an answer is to know
            await arriving.aclose()


def _message(line: bytes) -> Any:
    """The message on a line, or what is wrong with it."""
    from mcp.shared.message import SessionMessage
    from mcp_types import jsonrpc_message_adapter

    try:
        return SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False))
    except ValueError as error:
        return error


async def _show(process: Process) -> None:
    """Prints what the server says to people, up to a bound; the rest is read and dropped."""
    import anyio

    assert process.stderr is not None
    left = _MOST_SAID
    with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
        async for piece in process.stderr:
            # a terminal is written to by way of sys.stderr, which makes it harmless
            sys.stderr.write(piece[:left].decode("utf-8", "replace"))
            left = max(0, left - len(piece))


async def _stop(process: Process) -> None:
    """Ends the server: by closing its input, else by signals to it and all that it started."""
    import anyio

    assert process.stdin is not None
    with suppress(OSError, anyio.BrokenResourceError, anyio.ClosedResourceError):
        await process.stdin.aclose()
    for number in (None, signal.SIGTERM, signal.SIGKILL):
        if number is not None:
            _signal(process, number)
        with anyio.move_on_after(_PATIENCE):
            # not process.wait(), which waits for all who have inherited its output
            while process.returncode is None:
                await anyio.sleep(0.01)
            break
    with anyio.move_on_after(_PATIENCE), suppress(OSError):
        await process.aclose()


def _signal(process: Process, number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)

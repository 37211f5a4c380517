"""Who is served over HTTP when many want to be: wrong tokens wait, connections that have not shown
a token make room for new ones, and so do the sessions that nobody has used for longest.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Any

App = Callable[[Any, Any, Any], Awaitable[None]]

FREE = 5
"""Wrong tokens of an address that are answered at once: somebody's mistakes."""
LONGEST = 8.0
"""Seconds that a wrong token waits at most for its answer."""
FORGOTTEN = 600.0
"""Seconds without a wrong token after which those of an address are forgotten."""
MOST_ADDRESSES = 1024


class Guesses:
    """Wrong tokens by address. Each waits longer for its answer, and one after the other."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        # how many, when the last one is answered
        self._wrong: OrderedDict[str, tuple[int, float]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._wrong)

    def delay(self, address: str) -> float:
        """Seconds until a wrong token of this address is answered; it is counted."""
        now = self._clock()
        wrong, last = self._wrong.pop(address, (0, now))
        if now - last > FORGOTTEN:
            wrong = 0
        wrong += 1
        wait = 0.0 if wrong <= FREE else min(LONGEST, 0.1 * 2.0 ** min(wrong - FREE, 10))
        if wrong == FREE + 1:
            print(
                f"kgnb: {wrong} wrong tokens from {address}; further ones wait",
                file=sys.stderr,
                flush=True,
            )
        # never further ahead than the longest wait, however many there are
        due = min(max(now, last) + wait, now + LONGEST)
        self._wrong[address] = wrong, due
        while len(self._wrong) > MOST_ADDRESSES:
            self._wrong.popitem(last=False)
        return due - now


class Strangers:
    """Connections that have sent no token yet, by the client's address and port; the one that has
    been silent for longest is closed where there are too many.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._waiting: OrderedDict[tuple[str, int], Callable[[], object]] = OrderedDict()

    def came(self, client: tuple[str, int], close: Callable[[], object]) -> None:
        """A connection was made."""
        self._waiting[client] = close
        while len(self._waiting) > self._most:
            self._waiting.popitem(last=False)[1]()

    def left(self, client: tuple[str, int] | None) -> None:
        """A connection was closed, or has shown the token."""
        if client is not None:
            self._waiting.pop(client, None)


class Sessions:
    """An MCP application whose longest idle session is ended where another one would be too many.

    Nothing but HTTP is used: sessions are known by the header of their answers, and ended as a
    client would, by DELETE. One with a request under way, such as an open stream, is not idle.
    """

    def __init__(self, app: App, most: int) -> None:
        self._app = app
        self._most = most
        # requests under way; the one used last comes last
        self._uses: OrderedDict[bytes, int] = OrderedDict()
        self._opening = asyncio.Lock()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer a request, as any ASGI application."""
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        session = _session(scope["headers"])
        if session is None and scope["method"] == "POST":
            async with self._opening:
                await self._make_room(scope)

        async def watched(message: Any) -> None:
            if message["type"] == "http.response.start":
                self._answered(scope["method"], session, message)
            await send(message)

        if session is None or session not in self._uses:
            return await self._app(scope, receive, watched)
        self._uses[session] += 1
        try:
            await self._app(scope, receive, watched)
        finally:
            if session in self._uses:
                self._uses[session] -= 1
                self._uses.move_to_end(session)

    def _answered(self, method: str, session: bytes | None, message: Any) -> None:
        opened = _session(message["headers"])
        if session is None and opened is not None and message["status"] < 400:
            self._uses[opened] = 0
        elif session is not None and (method == "DELETE" or message["status"] == 404):
            self._uses.pop(session, None)

    async def _make_room(self, scope: Any) -> None:
        while len(self._uses) >= self._most:
            idle = next((one for one, requests in self._uses.items() if not requests), None)
            if idle is None:
                return
            del self._uses[idle]
            await self._end(idle, scope)

    async def _end(self, session: bytes, scope: Any) -> None:
        kept = [(n, v) for n, v in scope["headers"] if n in (b"host", b"authorization")]
        ending = {**scope, "method": "DELETE", "headers": [*kept, (_HEADER, session)]}

        async def nothing() -> Any:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def unread(message: Any) -> None:
            pass

        await self._app(ending, nothing, unread)


_HEADER = b"mcp-session-id"


def _session(headers: Any) -> bytes | None:
    return next((value for name, value in headers if name.lower() == _HEADER), None)

"""HTTP connections that time out while a request arrives, which uvicorn's own never do."""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

SECONDS = 10.0
"""How long a connection may take to send a request, head and body."""


class PromptRequests(H11Protocol):
    """Closes a connection whose request is incomplete after ``seconds``; answers may take any time."""

    seconds = SECONDS
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Starts the timer for the first request."""
        super().connection_made(transport)
        self._start_timer()

    def data_received(self, data: bytes) -> None:
        """Stops the timer when the request is complete."""
        super().data_received(data)
        if self.conn.their_state in (h11.DONE, h11.MUST_CLOSE, h11.CLOSED):
            self._stop_timer()

    def on_response_complete(self) -> None:
        """Starts the timer for the next request."""
        super().on_response_complete()
        self._start_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stops the timer."""
        self._stop_timer()
        super().connection_lost(exc)

    def _start_timer(self) -> None:
        self._stop_timer()
        self._timer = self.loop.call_later(self.seconds, self.transport.close)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

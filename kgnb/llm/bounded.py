"""A bound on what one HTTP call may take, headers and body together: seconds and bytes.

The client's own time-out begins anew at every read, and it reads and unpacks whatever is sent.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

MOST = 64 * 2**20
"""Bytes a server may answer with; no reply is that long."""


class Bounds:
    """What is left to the call that a thread is making; a client's connections look here before they read or write."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._own = threading.local()

    @contextmanager
    def of(self, seconds: float) -> Iterator[None]:
        """For one call in this thread."""
        self._own.end, self._own.left = time.monotonic() + seconds, self._most
        try:
            yield
        finally:
            self._own.end = None

    def seconds(self, timeout: float | None) -> float | None:
        """The time-out of one read or write; 0 or less where the call's time is over."""
        end: float | None = getattr(self._own, "end", None)
        if end is None:
            return timeout
        left = end - time.monotonic()
        return left if timeout is None else min(timeout, left)

    def took(self, number: int) -> None:
        """Notes bytes that have come.

        Raises:
            ValueError: they are too many.
        """
        if getattr(self._own, "end", None) is not None:
            self._own.left -= number
            if self._own.left < 0:
                raise ValueError(f"the answer is longer than {self._most // 2**20} MiB")

    def around(self, client: Any) -> None:
        """Bounds all connections that an httpx (or httpx2) client is going to make, also those by a proxy."""
        for transport in (client._transport, *client._mounts.values()):
            pool = getattr(transport, "_pool", None)
            if pool is not None:
                pool._network_backend = _Backend(pool._network_backend, self, type(pool).__module__.partition(".")[0])


def plain_only(response: Any) -> None:
    """A hook of a client that asks for nothing packed: what comes packed all the same may unpack to any length.

    Raises:
        ValueError: it is packed.
    """
    if response.headers.get("content-encoding", "identity") != "identity":
        raise ValueError("the answer is compressed, and none that is was asked for")


class _Backend:
    """Makes connections whose reads and writes are bounded."""

    def __init__(self, inner: Any, bounds: Bounds, library: str) -> None:
        self._inner, self._bounds, self._library = inner, bounds, library

    def connect_tcp(self, host: str, port: int, timeout: float | None = None, **how: Any) -> _Stream:
        stream = self._inner.connect_tcp(host, port, timeout=self._bounds.seconds(timeout), **how)
        return _Stream(stream, self._bounds, self._library)

    def connect_unix_socket(self, path: str, timeout: float | None = None, **how: Any) -> _Stream:
        stream = self._inner.connect_unix_socket(path, timeout=self._bounds.seconds(timeout), **how)
        return _Stream(stream, self._bounds, self._library)

    def sleep(self, seconds: float) -> None:
        self._inner.sleep(seconds)


class _Stream:
    """A connection, read and written within the bounds of the call that a thread is making."""

    def __init__(self, inner: Any, bounds: Bounds, library: str) -> None:
        self._inner, self._bounds, self._library = inner, bounds, library

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        data: bytes = self._inner.read(max_bytes, self._left(timeout, "ReadTimeout"))
        self._bounds.took(len(data))
        return data

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._inner.write(buffer, self._left(timeout, "WriteTimeout"))

    def close(self) -> None:
        self._inner.close()

    def start_tls(self, ssl_context: Any, server_hostname: str | None = None, timeout: float | None = None) -> _Stream:
        inner = self._inner.start_tls(ssl_context, server_hostname, self._left(timeout, "ConnectTimeout"))
        return _Stream(inner, self._bounds, self._library)

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)

    def _left(self, timeout: float | None, over: str) -> float | None:
        left = self._bounds.seconds(timeout)
        if left is not None and left <= 0:
            raise getattr(sys.modules[self._library], over)("timed out")
        return left

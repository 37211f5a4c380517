"""Courtesy towards services that others share: who asks is said, and they are asked only so often."""

from __future__ import annotations

import ipaddress
import threading
import time
from collections.abc import Callable
from importlib import metadata
from urllib.parse import urlsplit

AGENT = f"kgnb/{metadata.version('kgnb')} (agents over knowledge graphs)"
PUBLIC_QUERIES_PER_SECOND = 5.0
"""How often a service on the public network is asked unless a caller says otherwise."""


def is_public(url: str) -> bool:
    """Whether a URL leads out of this machine and its own network.

    >>> [is_public(f"http://{host}/sparql") for host in ("localhost:7878", "10.0.0.7", "graphs", "query.wikidata.org")]
    [False, False, False, True]
    """
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_global
    except ValueError:
        return "." in host and not host.endswith((".localhost", ".local", ".internal"))


class Courtesy:
    """Lets requests to one service start at most so many times a second; shared by threads. 0: no limit."""

    def __init__(
        self,
        per_second: float,
        *,
        seconds: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        if per_second < 0:
            raise ValueError(f"{per_second} queries a second: 0 or more")
        self.per_second = per_second
        self._seconds, self._sleep = seconds, sleep
        self._lock = threading.Lock()
        self._next = 0.0

    def wait(self) -> None:
        """Waits until the next request may start."""
        if not self.per_second:
            return
        with self._lock:
            now = self._seconds()
            start = max(now, self._next)
            self._next = start + 1 / self.per_second
        if start > now:
            self._sleep(start - now)


_shared: dict[str, Courtesy] = {}
_shared_lock = threading.Lock()


def courtesy_towards(url: str) -> Courtesy:
    """The one pace of this process for the service at a URL: several graphs on one host share it."""
    host = (urlsplit(url).hostname or "").lower()
    with _shared_lock:
        return _shared.setdefault(host, Courtesy(PUBLIC_QUERIES_PER_SECOND if is_public(url) else 0.0))

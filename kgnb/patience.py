"""How often, and how long apart, a service that is busy is asked again."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from itertools import count
from typing import TypeVar
from urllib.parse import urlsplit

BUSY = frozenset({408, 409, 425, 429, 502, 503, 504, 529})
"""HTTP statuses by which a service says that asking again may help.

500 is none: a SPARQL service means by it that it cannot do this query. Models and vector indexes
fail with it by chance, see ``may_pass``.
"""

T = TypeVar("T")


def may_pass(status: int) -> bool:
    """Whether a call may succeed later that was refused through no fault of its own."""
    return status in BUSY or (status >= 500 and status != 501)


class TryAgain(Exception):
    """A failure that may pass, for ``Patience.repeat``.

    ``given_up`` makes the error to raise after so many tries. ``asked`` is the pause that the
    service asked for; of a pause of ours, a ``share`` is kept. ``tries``: at most so many.
    """

    def __init__(
        self,
        given_up: Callable[[int], Exception],
        *,
        asked: float | None = None,
        share: float = 1.0,
        tries: int | None = None,
    ) -> None:
        super().__init__()
        self.given_up, self.asked, self.share, self.tries = given_up, asked, share, tries


def on_this_machine(url: str) -> bool:
    """Whether a service runs here: a proxy that the environment names is for the world outside."""
    host = urlsplit(url).hostname or ""
    return host in ("localhost", "::1") or host.startswith("127.")


@dataclass(frozen=True, slots=True)
class Patience:
    """Asks ``tries`` times in all and doubles the pause each time, unless the service says how long
    to wait.

    A service that asks for a pause above ``longest`` seconds is not waited for. ``sleep`` can be
    replaced in tests.
    """

    tries: int = 5
    first: float = 0.5  # seconds
    longest: float = 60.0  # seconds
    sleep: Callable[[float], None] = field(default=time.sleep, repr=False)

    def repeat(self, ask: Callable[[], T]) -> T:
        """What ``ask`` returns, called again as long as it raises ``TryAgain`` and patience
        lasts.
        """
        for tried in count(1):
            try:
                return ask()
            except TryAgain as again:
                last = again.tries is not None and tried >= again.tries
                if last or not self.pause(tried, again.asked, again.share):
                    raise again.given_up(tried) from again.__cause__
        raise AssertionError("unreachable: the last try returns or raises")

    def pause(self, tried: int, asked: float | None = None, share: float = 1.0) -> bool:
        """Wait after the try number ``tried`` (from 1) failed; False, without waiting, if it was
        the last.

        ``asked`` is the pause that the service asked for; of a pause of ours, a ``share`` is kept.
        """
        if tried >= self.tries or (asked is not None and asked > self.longest):
            return False
        self.sleep(
            share * min(self.longest, self.first * 2 ** (tried - 1)) if asked is None else asked
        )
        return True


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait, from lower-case headers: ``retry-after-ms``, or ``retry-after`` in seconds
    or as a date.

    >>> retry_after({"retry-after": "2.5"}), retry_after({"retry-after-ms": "40"}), retry_after({"retry-after": "soon"})
    (2.5, 0.04, None)
    """
    for name, unit in (("retry-after-ms", 1000), ("retry-after", 1)):
        if re.fullmatch(r"\s*\d{1,9}(\.\d*)?\s*", headers.get(name, "")):
            return float(headers[name]) / unit
    try:  # a date counts from the server's own clock where it tells it
        until = parsedate_to_datetime(headers.get("retry-after", ""))
        now = (
            parsedate_to_datetime(headers["date"]).timestamp() if "date" in headers else time.time()
        )
    except (TypeError, ValueError):
        return None
    return max(0.0, until.timestamp() - now)

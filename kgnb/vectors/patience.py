"""How often, and how long apart, a service that is busy is asked again."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

BUSY = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})  # HTTP statuses after which asking again may help


@dataclass(frozen=True)
class Patience:
    """Asks ``tries`` times in all and doubles the pause each time, unless the service says how long to wait.

    A service that asks for a pause above ``longest`` seconds is not waited for. ``sleep`` can be replaced in tests.
    """

    tries: int = 5
    first: float = 0.5  # seconds
    longest: float = 60.0  # seconds
    sleep: Callable[[float], None] = time.sleep

    def pause(self, tried: int, asked: float | None = None) -> bool:
        """Wait after the try number ``tried`` (from 1) failed; False, without waiting, if it was the last."""
        if tried >= self.tries or (asked is not None and asked > self.longest):
            return False
        self.sleep(min(self.longest, self.first * 2 ** (tried - 1)) if asked is None else asked)
        return True


def retry_after(headers: Mapping[str, str]) -> float | None:
    """The seconds a reply asks to wait, in ``retry-after-ms`` or ``retry-after`` (seconds or a date), or None.

    >>> retry_after({"retry-after": "2"}), retry_after({"retry-after-ms": "250"}), retry_after({"retry-after": "soon"})
    (2.0, 0.25, None)
    """
    try:
        if "retry-after-ms" in headers:
            return max(0.0, float(headers["retry-after-ms"]) / 1000)
        if "retry-after" not in headers:
            return None
        asked = headers["retry-after"]
        if asked.strip().replace(".", "", 1).isdigit():
            return float(asked)
        return max(0.0, parsedate_to_datetime(asked).timestamp() - time.time())
    except (ValueError, TypeError):
        return None

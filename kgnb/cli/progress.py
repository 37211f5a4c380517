"""Progress on a terminal: one line on standard error, rewritten in place, gone when the work is done."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Mapping
from typing import Any, TextIO

from kgnb.cli.terminal import raw
from kgnb.results.escaping import one_line, visible

EVERY = 0.1  # seconds between two drawings


class TerminalLine:
    """Draws what a run is doing; where standard error is no terminal, only what is to stay; ``quiet``: not that."""

    def __init__(self, stream: TextIO | None = None, *, quiet: bool = False) -> None:
        self._stream = raw(stream if stream is not None else sys.stderr)
        self._shows, self._quiet = self._stream.isatty(), quiet
        self._drawn = 0.0
        self._calls = 0
        self._step = ""

    def event(self, event: Mapping[str, Any]) -> None:
        """Take in one event of a run."""
        match event["event"]:
            case "step":
                self._step, self._calls = event["name"], 0
                self.draw(self._step, now=True)
            case "call":
                self._calls += 1
                self.draw(f"{self._step}: {self._calls:,} model calls")
            case "estimate":
                self.say(": ".join(filter(None, (event["name"], event["text"]))))
            case "progress":
                total = f" of {event['total']:,}" if event["total"] else ""
                self.draw(f"{self._step}: {event['done']:,}{total} {event['unit']}")

    def draw(self, text: str, now: bool = False) -> None:
        """Show a line, unless one was shown a moment ago."""
        if not self._shows or (not now and time.monotonic() - self._drawn < EVERY):
            return
        self._drawn = time.monotonic()
        self._stream.write("\r\x1b[K" + one_line(text)[: shutil.get_terminal_size().columns - 1])
        self._stream.flush()

    def say(self, text: str) -> None:
        """Show a line that stays."""
        self.clear()
        if not self._quiet:
            self._stream.write(f"kgnb: {visible(text)}\n")
            self._stream.flush()

    def clear(self) -> None:
        """Take the line away."""
        if self._shows and self._drawn:
            self._stream.write("\r\x1b[K")
            self._stream.flush()

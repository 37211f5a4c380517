"""What a terminal is shown: text from outside can do no harm, and progress is one line that goes when all is done."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TextIO, cast

from kgnb.results.escaping import one_line, visible


class _Harmless:
    """A text stream whose control and direction characters are written out, as ⟨U+001B⟩."""

    def __init__(self, stream: TextIO) -> None:
        self.raw_stream = stream

    def write(self, text: str) -> int:
        self.raw_stream.write("\r\n".join(map(visible, text.split("\r\n"))))
        return len(text)

    def writelines(self, lines: Any) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.raw_stream, name)


def raw(stream: TextIO) -> TextIO:
    """The stream below, for those who draw on a terminal; what they draw they make ``visible`` themselves."""
    return cast(TextIO, getattr(stream, "raw_stream", stream))


@contextmanager
def terminal_safe() -> Iterator[None]:
    """While this lasts, standard error, and standard output where it is a terminal, show nothing but text.

    A file or a pipe gets standard output as it is: there it is data.
    """
    before = sys.stdout, sys.stderr
    if sys.stdout.isatty():
        sys.stdout = cast(TextIO, _Harmless(sys.stdout))
    sys.stderr = cast(TextIO, _Harmless(sys.stderr))
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


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

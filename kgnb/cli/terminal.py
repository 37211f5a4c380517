"""What a terminal is shown: text from outside cannot move its cursor, ring its bell or turn words around."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO, cast

from kgnb.results.escaping import visible


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

"""One line that shows how far a run is, on a terminal or in a notebook; and what its model calls
took, in words.
"""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any, Self, TextIO, cast

from kgnb.results.bundle import count, one_of
from kgnb.results.escaping import one_line, visible
from kgnb.results.run_view import cached_fact
from kgnb.results.wording import money
from kgnb.results.wording import seconds as in_time
from kgnb.run.watched import CALLS


class ProgressLine:
    """Turns the events of a run into a line of text; a subclass shows it, and as a
    context removes it at the end.

    Args:
        every: least seconds between two lines.
        clock: the time in seconds.
    """

    shown = False  # whether a line is on show

    def __init__(self, *, every: float = 0.1, clock: Callable[[], float] = time.monotonic) -> None:
        self._every, self._clock = every, clock
        self._begun = self._drawn = clock()
        self._stage, self._calls = "", 0
        self._calls_expected: int | None = None

    def event(self, event: Mapping[str, Any]) -> None:
        """Takes in one event of a run: ``Run(on_event=line.event)``."""
        match event["event"]:
            case "step":
                self._stage, self._calls, self._calls_expected = event["name"], 0, None
                self._begun = self._clock()
                self.draw(f"{self._stage} ...", now=True)  # it may send nothing for long
            case "call":
                self._calls += 1
                self.update(self._calls, self._calls_expected, CALLS)
            case "estimate":
                self.say(": ".join(filter(None, (event["name"], event["text"]))))
            case "progress" if (
                event["unit"] == CALLS
            ):  # calls to come are announced; each is then counted
                self._calls, self._calls_expected = event["done"], event["total"]
                self._begun = self._clock()
            case "progress":
                self.update(event["done"], event["total"], event["unit"])

    def update(self, done: int, total: int | None, unit: str) -> None:
        """Shows how far the stage is, with the time left at the pace so far."""
        share = f" of {total:,}" if total else ""
        left = ""
        if total and 0 < done < total and (taken := self._clock() - self._begun) >= 1:
            left = f", {in_time(taken / done * (total - done))} left"
        things = one_of(unit) if (total or done) == 1 else unit
        self.draw(f"{self._stage}: {done:,}{share} {things}{left}")

    def draw(self, text: str, now: bool = False) -> None:
        """Shows a line, unless another was shown a moment ago."""
        if now or self._clock() - self._drawn >= self._every:
            self._drawn = self._clock()
            self.show(text)

    def show(self, text: str) -> None:
        """Puts a line on show in place of the last one."""
        raise NotImplementedError

    def say(self, text: str) -> None:
        """Shows a line that stays."""
        raise NotImplementedError

    def clear(self) -> None:
        """Removes the line."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failed: object) -> None:
        self.clear()


class TerminalLine(ProgressLine):
    """The line on standard error. If that is not a terminal, only lines that stay are shown; with
    ``quiet``, none.
    """

    def __init__(self, stream: TextIO | None = None, *, quiet: bool = False, **timing: Any) -> None:
        super().__init__(**timing)
        self._stream = raw(stream if stream is not None else sys.stderr)
        self._terminal, self._quiet = self._stream.isatty(), quiet

    def show(self, text: str) -> None:
        """Puts a line on show in place of the last one."""
        if self._terminal:
            self.shown = True
            self._stream.write(
                "\r\x1b[K" + one_line(text)[: shutil.get_terminal_size().columns - 1]
            )
            self._stream.flush()

    def say(self, text: str) -> None:
        """Shows a line that stays."""
        self.clear()
        if not self._quiet:
            self._stream.write(f"kgnb: {visible(text)}\n")
            self._stream.flush()

    def clear(self) -> None:
        """Removes the line."""
        if self.shown:
            self.shown = False
            self._stream.write("\r\x1b[K")
            self._stream.flush()


def raw(stream: TextIO) -> TextIO:
    """The stream below one that makes text harmless; what is drawn on it must be made ``visible``
    first.
    """
    return cast(TextIO, getattr(stream, "raw_stream", stream))


def spent(totals: Mapping[str, Any]) -> list[str]:
    """What model calls took, in words: how many, tokens, money."""
    words = [count(totals["calls"], "model call") + cached_fact(totals)]
    if totals["calls"]:
        tokens = totals["prompt_tokens"] + totals["completion_tokens"]
        words += [f"{tokens:,} tokens", cost(totals["usd"])]
    return words


def cost(usd: float | None) -> str:
    """An amount of money, or that it is unknown."""
    return "price not known" if usd is None else money(usd)

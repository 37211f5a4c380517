"""One line that says how far a stage is: silent when it is quick, and replaced by what the stage did."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from typing import Any, Generic, TextIO, TypeVar

from IPython.display import DisplayHandle

from kgnb.judging import Judge, Question, Verdict

Q = TypeVar("Q", bound=Question, contravariant=True)
Tell = Callable[[int, int, str], object]  # done, of how many, of what


class Progress:
    """The progress of one cell. It listens to a run's events and draws at most a few times a second.

    In a notebook one display is updated in place and ends as the summary, so a saved notebook keeps one short line;
    on a terminal the line is rewritten on standard error; anywhere else only the summary is shown.

    Args:
        live: whether a notebook front end shows displays in place.
        quiet: seconds before the first line appears.
        every: seconds between two drawings.
        seconds: the clock.
        terminal: where the line is rewritten when there is no notebook.
    """

    def __init__(
        self,
        *,
        live: bool,
        quiet: float = 1.0,
        every: float = 0.25,
        seconds: Callable[[], float] = time.monotonic,
        terminal: TextIO | None = None,
    ) -> None:
        self._live, self._quiet, self._every, self._seconds = live, quiet, every, seconds
        self._terminal = terminal if terminal is not None else sys.stderr
        self._handle: DisplayHandle | None = None
        self._width = 0
        self._begun = self._drawn = seconds()
        self._stage, self._calls = "", 0

    def event(self, event: Any) -> None:
        """Takes in one event of a run: ``Run(on_event=progress.event)``."""
        kind = event["event"]
        if kind == "step":
            self._stage, self._calls, self._begun = event["name"], 0, self._seconds()
        elif kind == "call":
            self._calls += 1
            self._draw(f"{self._stage}: {self._calls} model calls")
        elif kind == "progress":
            self.update(event["done"], event["total"], event["unit"])

    def update(self, done: int, total: int | None, unit: str) -> None:
        """Says how far the stage is, with the time left at the pace so far."""
        share = f" of {total:,}" if total else ""
        left = ""
        if total and done:
            left = f", {duration((self._seconds() - self._begun) / done * (total - done))} left"
        calls = f", {self._calls} model calls" if self._calls else ""
        self._draw(f"{self._stage}: {done:,}{share} {unit}{calls}{left}".replace("  ", " "))

    def say(self, line: str) -> None:
        """Shows a line that stays: in place of the progress, if any was shown."""
        if self._handle is not None:
            self._handle.update({"text/plain": line}, raw=True)
            self._handle = None
            return
        self.clear()
        if self._live:
            DisplayHandle().display({"text/plain": line}, raw=True)
        else:
            print(line)

    def clear(self) -> None:
        """Takes the progress away; what it said is over."""
        if self._handle is not None:
            self._handle.update({"text/plain": ""}, raw=True)
            self._handle = None
        if self._width:
            self._terminal.write("\r" + " " * self._width + "\r")
            self._terminal.flush()
            self._width = 0

    def _draw(self, line: str) -> None:
        now = self._seconds()
        shown = self._handle is not None or self._width
        if now - self._drawn < (self._every if shown else self._quiet):
            return
        self._drawn = now
        if self._live:
            if self._handle is None:
                self._handle = DisplayHandle()
                self._handle.display({"text/plain": line}, raw=True)
            else:
                self._handle.update({"text/plain": line}, raw=True)
        elif self._terminal.isatty():
            self._terminal.write("\r" + line.ljust(self._width))
            self._terminal.flush()
            self._width = len(line)


class JudgeInSteps(Generic[Q]):
    """A judge asked a few questions at a time, so that one sees it advance and can stop it in between."""

    def __init__(self, judge: Judge[Q], tell: Tell, *, step: int = 32) -> None:
        self._judge, self._tell, self._step = judge, tell, step

    @property
    def name(self) -> str:
        """The judge's own name."""
        return self._judge.name

    @property
    def simulation(self) -> bool:
        """Whether the judge knows the answers it is asked for."""
        return bool(getattr(self._judge, "simulation", False))

    def judge(self, questions: Sequence[Q]) -> list[Verdict]:
        """The judge's verdicts, in order."""
        verdicts: list[Verdict] = []
        for start in range(0, len(questions), self._step):
            verdicts += self._judge.judge(questions[start : start + self._step])
            self._tell(len(verdicts), len(questions), "questions")
        return verdicts


def duration(seconds: float) -> str:
    """A duration as a person says it.

    >>> duration(0.04), duration(75), duration(4000)
    ('0.0 s', '1 min 15 s', '1 h 06 min')
    """
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02} min"

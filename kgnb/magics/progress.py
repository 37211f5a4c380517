"""One line that says how far a stage is: silent when it is quick, and replaced by what the stage did."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, wait
from contextvars import copy_context
from dataclasses import replace
from typing import Any, Generic, TextIO, TypeVar

from IPython.display import DisplayHandle

from kgnb.errors import BackendError
from kgnb.judging import Cascade, Estimate, Judge, ModelJudge, Question, Remembered, Reviewed, Verdict
from kgnb.kg.query_process import GIVEN_UP
from kgnb.results.bundle import count, one_of
from kgnb.results.wording import money
from kgnb.results.wording import seconds as in_time
from kgnb.run import Call, Step

Q = TypeVar("Q", bound=Question)
CALLS = "model calls"
LONG = 10  # calls: what fewer will cost is known sooner than read


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
        self._calls_expected: int | None = None

    def event(self, event: Any) -> None:
        """Takes in one event of a run: ``Run(on_event=progress.event)``."""
        kind = event["event"]
        if kind == "step":
            self._stage, self._calls, self._begun = event["name"], 0, self._seconds()
            self._calls_expected = None
        elif kind == "call":
            self._calls += 1
            self.update(self._calls, self._calls_expected, CALLS)
        elif kind == "estimate" and event["calls"] >= LONG:
            self.say(": ".join(filter(None, (event["name"], event["text"]))))
        elif kind == "progress" and event["unit"] == CALLS:
            self._calls, self._calls_expected, self._begun = event["done"], event["total"], self._seconds()
        elif kind == "progress":
            self.update(event["done"], event["total"], event["unit"])

    def update(self, done: int, total: int | None, unit: str) -> None:
        """Says how far the stage is, with the time left at the pace so far."""
        share = f" of {total:,}" if total else ""
        left = ""
        if total and 0 < done < total:
            left = f", {in_time((self._seconds() - self._begun) / done * (total - done))} left"
        self._draw(f"{self._stage}: {done:,}{share} {unit}{left}")

    def say(self, line: str) -> None:
        """Shows a line that stays: in place of the progress, if any was shown."""
        if self._handle is not None:
            _show(self._handle, line, update=True)
            self._handle = None
            return
        self.clear()
        if self._live:
            _show(_handle(), line)
        else:
            print(line)

    def clear(self) -> None:
        """Takes the progress away; what it said is over."""
        if self._handle is not None:
            _show(self._handle, "", update=True)
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
                self._handle = _handle()
                _show(self._handle, line)
            else:
                _show(self._handle, line, update=True)
        elif self._terminal.isatty():
            self._terminal.write("\r" + line.ljust(self._width))
            self._terminal.flush()
            self._width = len(line)


def _handle() -> DisplayHandle:
    return DisplayHandle()  # type: ignore[no-untyped-call]  # IPython is untyped


def _show(handle: DisplayHandle, line: str, *, update: bool = False) -> None:
    (handle.update if update else handle.display)({"text/plain": line}, raw=True)  # type: ignore[no-untyped-call]


class AnnouncedJudge(Generic[Q]):
    """A judge by model that tells, before it asks, how many calls it will take: what a time left is reckoned from.

    The questions go on in one batch, as they came: how they are split into calls decides what the cache can answer.
    """

    def __init__(self, judge: ModelJudge[Q], tell: Callable[[int, int | None, str], object]) -> None:
        self._judge, self._tell = judge, tell

    @property
    def name(self) -> str:
        """The judge's own name."""
        return self._judge.name

    def judge(self, questions: Sequence[Q]) -> list[Verdict]:
        """The judge's verdicts."""
        self._tell(0, self.estimate(questions).calls, CALLS)
        return self._judge.judge(questions)

    def estimate(self, questions: Sequence[Q]) -> Estimate:
        """What the judge would cost."""
        return self._judge.estimate(questions)


def announced(judge: Judge[Q], tell: Callable[[int, int | None, str], object]) -> Judge[Q]:
    """The judge, announcing the calls of the model in it, if there is one."""
    if isinstance(judge, Cascade):
        return replace(judge, costly=announced(judge.costly, tell))
    if isinstance(judge, Remembered | Reviewed):
        return judge.around(lambda inner: announced(inner, tell))
    return AnnouncedJudge(judge, tell) if isinstance(judge, ModelJudge) else judge


def summary(*steps: Step, name: str = "") -> str:
    """What one step did, or several together, in one line: counts of the last, calls, tokens, money, seconds.

    >>> summary(Step(1, "search", counts={"pairs": 1200}, seconds=0.52))
    'search: 1,200 pairs; 0 model calls; 520 ms'
    """
    last = steps[-1]
    counts = ", ".join(f"{value:,} {one_of(what) if value == 1 else what}" for what, value in last.counts.items())
    calls = [call for step in steps for call in step.calls]
    parts = [": ".join(filter(None, (name or last.name, counts))), *spent(calls)]
    return "; ".join([*parts, in_time(sum(step.seconds or 0.0 for step in steps))])


def spent(calls: Iterable[Call]) -> list[str]:
    """What model calls took: how many, tokens, money."""
    made = list(calls)
    cached = sum(call.cached for call in made)
    said = [count(len(made), "model call") + (f" ({cached:,} from cache)" if cached else "")]
    if made:
        tokens = sum(call.prompt_tokens + call.completion_tokens for call in made)
        known = [call.usd for call in made if call.usd is not None]
        said += [f"{tokens:,} tokens", cost(sum(known) if len(known) == len(made) else None)]
    return said


def cost(usd: float | None) -> str:
    """A sum of money, or that it is not known."""
    return "price not known" if usd is None else money(usd)


T = TypeVar("T")
GRACE = 1.0  # seconds an engine may take to notice the time limit by itself, and say it better


def stopped(what: str) -> KeyboardInterrupt:
    """The interrupt of a person who pressed Stop, shown in one line: where our code was at that moment helps nobody."""
    error = KeyboardInterrupt(f"Stopped: {what} was ended by you.")
    error._render_traceback_ = lambda: [str(error)]  # type: ignore[attr-defined]  # IPython looks for it
    return error


def interruptible(work: Callable[[], T], *, timeout: float | None = None, what: str = "the query") -> T:
    """What ``work`` returns; KeyboardInterrupt and a time limit end the waiting at once.

    The work runs in a thread of its own. When it is given up, the queries it asks of an ``endable`` graph are ended
    with their process, and the thread with them; a server may go on until its own limit.

    Raises:
        KeyboardInterrupt: a person pressed Stop.
        BackendError: it took longer than ``timeout`` seconds.
    """
    given_up, done = threading.Event(), Future[T]()

    def worked() -> None:
        try:
            done.set_result(work())
        except BaseException as error:  # it is raised again in the thread that waits
            done.set_exception(error)
            if not isinstance(error, Exception):
                raise

    context = copy_context()
    context.run(GIVEN_UP.set, given_up)
    threading.Thread(target=context.run, args=(worked,), name="kgnb query", daemon=True).start()
    waited, step = 0.0, 0.05
    try:
        while not wait([done], step).done:  # short waits, so that Python sees the interrupt between them
            waited += step
            if timeout is not None and waited > timeout + GRACE:
                raise BackendError(
                    f"{what} took longer than {timeout:g} s",
                    service="query",
                    fix="Ask a narrower query, add a LIMIT, or give it a longer --timeout.",
                )
    except KeyboardInterrupt:
        raise stopped(what) from None
    finally:
        given_up.set()
    return done.result()

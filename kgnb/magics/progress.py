"""The progress line of a cell, Stop for long queries, and what a stage did in one line."""

from __future__ import annotations

import _thread
import os
import signal
import threading
import traceback
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, wait
from contextlib import contextmanager
from contextvars import copy_context
from types import FrameType
from typing import Any, TypeVar

from IPython.display import DisplayHandle

from kgnb.cli.progress import ProgressLine, TerminalLine, spent
from kgnb.errors import BackendError
from kgnb.kg.query_process import GIVEN_UP
from kgnb.results.bundle import one_of
from kgnb.results.wording import seconds as in_time
from kgnb.run import Step
from kgnb.run.record import totals_of

LONG = 10  # calls from which on the estimate is shown


class NotebookLine(ProgressLine):
    """The line as a display of its cell: updated in place, and replaced by the summary, so little
    is saved.
    """

    def __init__(self, **timing: Any) -> None:
        super().__init__(**{"every": 0.25} | timing)
        self._handle: DisplayHandle | None = None

    def event(self, event: Mapping[str, Any]) -> None:
        """Takes in one event; the cost of a few calls is known sooner than it could be read."""
        if event["event"] != "estimate" or event["calls"] >= LONG:
            super().event(event)

    def show(self, text: str) -> None:
        """Puts a line on show in place of the last one."""
        if self._handle is None:
            self._handle = DisplayHandle()  # type: ignore[no-untyped-call]  # IPython is untyped
        (self._handle.update if self.shown else self._handle.display)(
            {"text/plain": text}, raw=True
        )  # type: ignore[no-untyped-call]
        self.shown = True

    def say(self, text: str) -> None:
        """Shows a line that stays: in place of the progress, if any was shown."""
        self.show(text)
        self._handle, self.shown = None, False

    def clear(self) -> None:
        """Removes the line."""
        if self.shown:
            self.say("")


class ShellLine(TerminalLine):
    """The line in a terminal's IPython: rewritten on standard error, while the summary is printed."""

    def say(self, text: str) -> None:
        """Prints a line."""
        self.clear()
        print(text)


def summary(*steps: Step, name: str = "") -> str:
    """What steps did, in one line: the counts of the last one, and calls, tokens, money and time of
    all.

    >>> summary(Step(1, "search", counts={"pairs": 1200}, seconds=0.52))
    'search: 1,200 pairs; 0 model calls; 520 ms'
    """
    last = steps[-1]
    counts = ", ".join(
        f"{value:,} {one_of(what) if value == 1 else what}" for what, value in last.counts.items()
    )
    totals = totals_of(steps)
    parts = [": ".join(filter(None, (name or last.name, counts))), *spent(totals)]
    return "; ".join([*parts, in_time(totals["seconds"])])


T = TypeVar("T")
GRACE = 1.0  # seconds for an engine to notice the time limit by itself: its own message is better


def stopped(what: str) -> KeyboardInterrupt:
    """The interrupt of a person who pressed Stop, shown in one line without a traceback, which
    would help nobody.
    """
    error = KeyboardInterrupt(f"Stopped: you interrupted {what}.")
    error._render_traceback_ = lambda: [str(error)]  # type: ignore[attr-defined]  # IPython looks for it
    return error


def _importing(frame: FrameType | None) -> bool:
    return any(
        each.f_code.co_filename == "<frozen importlib._bootstrap>"
        for each, _ in traceback.walk_stack(frame)
    )


def _interrupt(main: int) -> None:
    if os.name == "nt":
        _thread.interrupt_main()
    else:  # a signal ends a wait for the system as well
        signal.pthread_kill(main, signal.SIGINT)


@contextmanager
def imports_finished_first() -> Iterator[None]:
    """Meanwhile Stop waits for an import under way; without effect outside the main thread.

    The start of a compiled module may swallow every exception (Cython's memory views do, so
    numpy.random did): Stop had no effect there. Elsewhere in an import it would leave half a module.
    """
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield
        return
    waiting: list[threading.Timer] = []

    def heard(number: int, frame: FrameType | None) -> None:
        while waiting:
            waiting.pop().cancel()
        if not _importing(frame):
            before(number, frame)
            return
        again = threading.Timer(0.05, _interrupt, [threading.get_ident()])
        again.daemon = True
        waiting.append(again)
        again.start()

    signal.signal(signal.SIGINT, heard)
    try:
        yield
        if waiting:  # the import was the last thing to do
            raise KeyboardInterrupt
    finally:
        signal.signal(signal.SIGINT, before)
        while waiting:
            waiting.pop().cancel()


def interruptible(work: Callable[[], T], *, timeout: float | None = None) -> T:
    """What ``work`` returns; KeyboardInterrupt and a time limit end the wait at once.

    The work runs in its own thread. When it is given up, its queries to an ``endable`` graph are
    killed with their process, which ends the thread; a server may continue until its own limit.

    Raises:
        KeyboardInterrupt: a person pressed Stop.
        BackendError: it took longer than ``timeout`` seconds.
    """
    given_up, done = threading.Event(), Future[T]()

    def worked() -> None:
        try:
            done.set_result(work())
        except BaseException as error:  # raised again in the waiting thread
            done.set_exception(error)
            if not isinstance(error, Exception):
                raise

    context = copy_context()
    context.run(GIVEN_UP.set, given_up)
    threading.Thread(target=context.run, args=(worked,), name="kgnb query", daemon=True).start()
    waited, step = 0.0, 0.05
    try:
        while not wait(
            [done], step
        ).done:  # short waits, so that Python sees the interrupt between them
            waited += step
            if timeout is not None and waited > timeout + GRACE:
                raise BackendError(
                    f"the query took longer than {timeout:g} s",
                    service="query",
                    fix="Narrow the query, add a LIMIT, or allow it a longer --timeout.",
                )
    except KeyboardInterrupt:
        raise stopped("the query") from None
    finally:
        given_up.set()
    return done.result()

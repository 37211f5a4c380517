"""Work that Stop ends at once, even where an engine or a server is deep in it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextvars import copy_context
from typing import Generic, TypeVar

from kgnb.errors import BackendError
from kgnb.kg.query_process import GIVEN_UP

T = TypeVar("T")
GRACE = 1.0  # seconds an engine may take to notice the time limit by itself, and say it better


def stopped(what: str) -> KeyboardInterrupt:
    """The interrupt of a person who pressed Stop, shown in one line: where our code was at that moment helps nobody."""
    error = KeyboardInterrupt(f"Stopped: {what} was ended by you.")
    error._render_traceback_ = lambda: [str(error)]  # type: ignore[attr-defined]  # IPython looks for it
    return error


class _Work(Generic[T]):
    def __init__(self, work: Callable[[], T]) -> None:
        self.work = work
        self.done = threading.Event()
        self.result: list[T] = []
        self.error: BaseException | None = None

    def __call__(self) -> None:
        try:
            self.result.append(self.work())
        except BaseException as error:  # it is raised again in the thread that waits
            self.error = error
            if not isinstance(error, Exception):
                raise
        finally:
            self.done.set()


def interruptible(work: Callable[[], T], *, timeout: float | None = None, what: str = "the query") -> T:
    """What ``work`` returns; KeyboardInterrupt and a time limit end the waiting at once.

    The work runs in a thread of its own. When it is given up, the queries it asks of an ``endable`` graph are ended
    with their process, and the thread with them; a server may go on until its own limit.

    Raises:
        KeyboardInterrupt: a person pressed Stop.
        BackendError: it took longer than ``timeout`` seconds.
    """
    given = _Work(work)
    given_up = threading.Event()
    context = copy_context()
    context.run(GIVEN_UP.set, given_up)
    threading.Thread(target=context.run, args=(given,), name="kgnb query", daemon=True).start()
    waited, step = 0.0, 0.05
    try:
        while not given.done.wait(step):  # short waits, so that Python sees the interrupt between them
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
    if given.error is not None:
        raise given.error
    return given.result[0]

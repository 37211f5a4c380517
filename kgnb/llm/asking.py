"""Asking many requests at once, in bounded width, with the answers in the order of the questions."""

from __future__ import annotations

import contextvars
import queue
import threading
from collections.abc import Callable, Sequence
from typing import TypeAlias

from kgnb.errors import BackendError, LimitError, ReplyError
from kgnb.llm.model import ChatModel, Reply, Request
from kgnb.llm.pacing import stopped

Outcome: TypeAlias = Reply | BackendError | ReplyError | LimitError


def ask_many(
    model: ChatModel,
    requests: Sequence[Request],
    width: int = 4,
    on_done: Callable[[int, Outcome], object] | None = None,
) -> list[Outcome]:
    """One outcome a request, in the order of the requests, at most ``width`` being asked at a time.

    A request that fails for good (BackendError, ReplyError, LimitError) gives its error as a value: the others go on.
    ``on_done(index, outcome)`` is called in the caller's thread as each one ends. Workers see the caller's context
    variables. Anything else ends it: an interrupt, a fault in ``on_done``, a ConfigError or DataError (a wrong key, a
    reply missing from a replay: the next call would fail alike). Then what has not begun is never asked, who waits to
    try again stops waiting, and the error is raised at once.
    """
    if width < 1:
        raise ValueError("width is 1 or more")
    waiting: queue.SimpleQueue[tuple[int, contextvars.Context]] = queue.SimpleQueue()
    done: queue.SimpleQueue[tuple[int, Reply | BaseException]] = queue.SimpleQueue()
    stop = threading.Event()

    def work() -> None:
        while not stop.is_set():
            try:
                index, context = waiting.get_nowait()
            except queue.Empty:
                return
            try:
                done.put((index, context.run(model.ask, requests[index])))
            except BaseException as error:  # carried to the caller's thread, which alone may raise it
                if not isinstance(error, Outcome):
                    stop.set()
                done.put((index, error))

    for index in range(len(requests)):
        context = contextvars.copy_context()
        context.run(stopped.set, stop)
        waiting.put((index, context))
    outcomes: dict[int, Outcome] = {}
    try:
        for _ in range(min(width, len(requests))):
            threading.Thread(target=work, daemon=True, name="kgnb-ask").start()
        while len(outcomes) < len(requests):
            index, outcome = _next(done)
            if not isinstance(outcome, Outcome):
                raise outcome
            outcomes[index] = outcome
            if on_done:
                on_done(index, outcome)
    finally:
        stop.set()
    return [outcomes[index] for index in range(len(requests))]


def _next(done: queue.SimpleQueue[tuple[int, Reply | BaseException]]) -> tuple[int, Reply | BaseException]:
    while True:
        try:
            return done.get(timeout=0.2)  # an endless wait cannot be interrupted on Windows
        except queue.Empty:
            continue

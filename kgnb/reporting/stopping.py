"""What SIGINT and SIGTERM do while a report or a sweep runs: they end it in order."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


class Interrupted(KeyboardInterrupt):
    """The work was stopped by a signal; ``signal`` is its number."""

    def __init__(self, number: int) -> None:
        super().__init__(f"stopped by {signal.Signals(number).name}")
        self.signal = number


def interrupt(number: int) -> None:
    """Raises Interrupted."""
    raise Interrupted(number)


@contextmanager
def on_signals(stop: Callable[[int], object] = interrupt) -> Iterator[None]:
    """While this lasts, SIGINT and SIGTERM call ``stop`` with their number. In other threads than the main one it does
    nothing, as Python hears signals there alone.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def heard(number: int, frame: FrameType | None) -> None:
        stop(number)

    before = {number: signal.signal(number, heard) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)

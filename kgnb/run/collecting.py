"""Fewer searches for circles of objects while a stage makes millions that stay."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_SELDOM = (100_000, 20, 50)
"""New objects between two searches among the newest, and how many of these go before one among the
older: a stage whose result is large is else searched again and again, an eighth of its time."""

_lock = threading.Lock()
_inside = 0
_usual: tuple[int, int, int] = (700, 10, 10)


@contextmanager
def collecting_seldom() -> Iterator[None]:
    """Python's collector runs seldom in here; stages may run side by side, and in each other."""
    global _inside, _usual
    with _lock:
        if not _inside:
            _usual = gc.get_threshold()
            if _usual[0]:  # 0: somebody turned it off
                gc.set_threshold(*map(max, _SELDOM, _usual))
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if not _inside:
                gc.set_threshold(*_usual)

"""One asker at a time for one question, among the threads of this process and among processes that share a cache."""

from __future__ import annotations

import errno
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows: processes may ask the same question twice at the same moment; threads may not
    fcntl = None  # type: ignore[assignment]

_PLACES = 256  # questions share a place where their digests happen to agree; that costs a wait, no more


class Turns:
    """Locks by digest. A process that dies lets go of its locks; the file beside the cache stays empty."""

    def __init__(self, path: Path) -> None:
        self._path = path.with_name(f"{path.name}-turns")
        self._threads = [threading.Lock() for _ in range(_PLACES)]
        self._opening = threading.Lock()
        self._file: tuple[int, int] | None = None  # the process that opened it, and its descriptor

    @contextmanager
    def of(self, digest: str) -> Iterator[None]:
        """Wait for the turn to ask the question with this (hexadecimal) digest, and hold it."""
        place = int(digest[:8], 16) % _PLACES
        with self._threads[place]:  # POSIX locks do not tell threads apart
            file = self._descriptor()
            if fcntl is None or file is None:
                yield
                return
            while not _taken(file, place):
                time.sleep(0.05)
            try:
                yield
            finally:
                fcntl.lockf(file, fcntl.LOCK_UN, 1, place)

    def _descriptor(self) -> int | None:
        with self._opening:
            if self._file is None or self._file[0] != os.getpid():
                try:
                    self._file = (os.getpid(), os.open(self._path, os.O_RDWR | os.O_CREAT, 0o666))
                except OSError:  # a cache that can only be read
                    return None
            return self._file[1]


def _taken(file: int, place: int) -> bool:
    """Waits for a place; False where the system sees a deadlock with another process: it does not tell threads apart,
    each of which holds one place at most."""
    try:
        fcntl.lockf(file, fcntl.LOCK_EX, 1, place)
    except OSError as error:
        if error.errno != errno.EDEADLK:
            raise
        return False
    return True

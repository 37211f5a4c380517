"""One pace for all processes of a machine that ask the same server: notebooks, the reports of a sweep, its shards."""

from __future__ import annotations

import hashlib
import socket
import sqlite3
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from kgnb.errors import DataError
from kgnb.llm.pacing import MINUTE, Pace, Sent, rest

_TABLES = (
    "CREATE TABLE IF NOT EXISTS sent (number INTEGER PRIMARY KEY, server TEXT, at REAL, tokens INTEGER)",
    "CREATE TABLE IF NOT EXISTS held (server TEXT PRIMARY KEY, until REAL)",
)


class SharedPace(Pace):
    """A pace whose calls and holds are noted in a file in ``folder``, one a machine, so that all processes keep it.

    What is shared is requests and tokens in any minute, and how long a server wants to be left alone; ``at_once`` is
    this process's own. A process that dies leaves what it has sent, which counts until its minute is over.

    Raises:
        DataError: the file cannot be written.
    """

    def __init__(
        self,
        folder: Path,
        server: str,
        requests_per_minute: float = 0,
        tokens_per_minute: float = 0,
        at_once: int = 0,
        *,
        minute: float = MINUTE,
        clock: Callable[[], float] = time.time,
        sleep: Callable[[float], None] = rest,
    ) -> None:
        super().__init__(requests_per_minute, tokens_per_minute, at_once, minute=minute, clock=clock, sleep=sleep)
        self.server = server
        host = hashlib.sha256(socket.gethostname().encode()).hexdigest()[:8]  # a folder may be several machines'
        self.path = folder / f"pace-{host}.sqlite"
        with self._writing() as db:
            for table in _TABLES:
                db.execute(table)

    @contextmanager
    def turn(self, tokens: int) -> Iterator[Sent]:
        """As of any pace; the true count of tokens is noted for the other processes too."""
        with super().turn(tokens) as sent:
            try:
                yield sent
            finally:
                if sent.tokens != tokens:
                    with self._writing() as db:
                        db.execute("UPDATE sent SET tokens = ? WHERE number = ?", (sent.tokens, sent.number))

    def hold(self, seconds: float) -> None:
        """Lets nobody of any process start before so many seconds have passed."""
        until = self.clock() + seconds
        with self._writing() as db:
            db.execute(
                "INSERT INTO held VALUES (?, ?) ON CONFLICT (server) DO UPDATE SET until = max(until, excluded.until)",
                (self.server, until),
            )

    def _enter_or_wait(self, tokens: int) -> Sent | float:
        with self._writing() as db:
            now = self.clock()
            kept = now - max(self.window, self.minute)
            # what is ahead of the clock was noted before somebody set it back
            db.execute("DELETE FROM sent WHERE server = ? AND (at <= ? OR at > ?)", (self.server, kept, now))
            rows = db.execute("SELECT at, tokens, number FROM sent WHERE server = ? ORDER BY at", (self.server,))
            self._sent = deque(Sent(*row) for row in rows)
            held = db.execute("SELECT until FROM held WHERE server = ?", (self.server,)).fetchone()
            self._held_until = held[0] if held else float("-inf")
            turn = self._next(tokens, now)
            if isinstance(turn, Sent):
                added = db.execute("INSERT INTO sent VALUES (NULL, ?, ?, ?)", (self.server, now, tokens))
                turn.number = added.lastrowid or 0
            return turn

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """The file, this process's alone for a moment; opened anew, since processes are forked from one another."""
        with self._lock:
            try:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                db = sqlite3.connect(self.path, timeout=30, isolation_level=None)
                try:
                    db.execute("PRAGMA synchronous = OFF")  # a minute's memory need not outlive the machine
                    db.execute("BEGIN IMMEDIATE")
                    yield db
                    db.execute("COMMIT")
                finally:
                    db.close()
            except (sqlite3.Error, OSError) as error:
                raise DataError(
                    f"the pace that processes share cannot be kept: {error}",
                    where=str(self.path),
                    fix="Name a folder that can be written to ($KGNB_CACHE), or set no limits a minute.",
                ) from error

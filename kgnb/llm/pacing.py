"""One pace for all calls of a process, or of all processes of a machine that ask one server;
retries on record.
"""

from __future__ import annotations

import contextvars
import hashlib
import socket
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from itertools import count as counted
from pathlib import Path

from kgnb.errors import DataError
from kgnb.files import make_private
from kgnb.llm.model import Attempt, ChatModel, ModelError, Reply, Request
from kgnb.llm.prices import estimate_usage
from kgnb.patience import Patience, TryAgain

MINUTE = 60.0  # seconds
_SLICE = 0.2  # seconds: how late an interrupt may be noticed

stopped: contextvars.ContextVar[threading.Event | None] = contextvars.ContextVar(
    "kgnb_llm_stopped", default=None
)
"""Set for the workers of ``do_many``: once the event is set, nothing more is sent and nobody sleeps
on.
"""


def rest(seconds: float) -> None:
    """Sleep in slices, so that an interrupt or a stop is noticed within a fifth of a second.

    Raises:
        ModelError: the batch that this call belongs to was stopped.
    """
    event = stopped.get() or threading.Event()
    end = time.monotonic() + seconds
    while not event.is_set() and (left := end - time.monotonic()) > 0:
        event.wait(min(left, _SLICE))
    if event.is_set():
        raise ModelError("not asked: the batch was stopped", service="")


@dataclass
class Sent:
    """A call under way: its number in the records of its pace, and its tokens, estimated until it
    is back.
    """

    number: int
    tokens: int


_TABLES = (
    "CREATE TABLE IF NOT EXISTS sent (number INTEGER PRIMARY KEY, server TEXT, at REAL, tokens INTEGER)",
    "CREATE TABLE IF NOT EXISTS held (server TEXT PRIMARY KEY, until REAL)",
)


class Pace:
    """How fast the models that share it may be asked: requests and tokens per minute, calls at
    once. 0: no limit.

    With a ``folder``, a file in it (one per machine) records calls and holds, so that all processes
    keep one pace per ``server``; ``at_once`` remains a limit of this process. A process that dies
    leaves what it has sent, which counts until its minute is over. ``minute``, ``clock`` and
    ``sleep`` are for tests.

    Raises:
        DataError: the file cannot be written.
    """

    def __init__(
        self,
        requests_per_minute: float = 0,
        tokens_per_minute: float = 0,
        at_once: int = 0,
        *,
        folder: Path | None = None,
        server: str = "",
        minute: float = MINUTE,
        clock: Callable[[], float] | None = None,
        sleep: Callable[[float], None] = rest,
    ) -> None:
        self.requests_per_minute = requests_per_minute
        self.tokens_per_minute = tokens_per_minute
        self.server = server
        self.minute = minute
        self.clock = clock or (
            time.time if folder else time.monotonic
        )  # processes only share the former
        self.sleep = sleep
        self._lock = threading.Lock()
        self._free = threading.BoundedSemaphore(at_once) if at_once else None
        self._memory = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        host = hashlib.sha256(socket.gethostname().encode()).hexdigest()[
            :8
        ]  # several machines may share a folder
        self.path = folder / f"pace-{host}.sqlite" if folder else None
        with self._records():
            pass  # fails now if it cannot be written

    @contextmanager
    def turn(self, tokens: int) -> Iterator[Sent]:
        """Wait for a turn to send about so many tokens; set its ``tokens`` once the true count is
        known.
        """
        while self._free and not self._free.acquire(timeout=_SLICE):
            rest(0)
        try:
            while isinstance(turn := self._enter(tokens), float):
                self.sleep(turn)
            try:
                yield turn
            finally:
                if (
                    turn.tokens != tokens
                ):  # if it cannot be recorded, the estimate counts: the reply is paid for
                    with suppress(DataError), self._records() as db:
                        db.execute(
                            "UPDATE sent SET tokens = ? WHERE number = ?",
                            (turn.tokens, turn.number),
                        )
        finally:
            if self._free:
                self._free.release()

    def ask(self, model: ChatModel, request: Request, retries: int) -> Reply:
        """The model's reply in its turn, with every try that it took.

        What may pass is tried again: no answer, timeouts, 408, 409, 429, 5xx, and bodies that are
        not a completion. The wait is what the server says (Retry-After, retry-after-ms), else 1, 2,
        4, ... 60 seconds, less up to half of it: how much less is drawn from the request itself, so
        that the same run waits the same. A server that asks for more than 60 seconds is not asked
        again.

        Raises:
            ModelError: the last try failed as well; its ``attempts`` are all of them.
        """
        patience = Patience(retries + 1, first=1.0, longest=60.0, sleep=self.sleep)
        tokens = estimate_usage(request).total + (request.max_tokens or 0)
        attempts: list[Attempt] = []
        tried = counted()

        def once() -> Reply:
            try:
                with self.turn(tokens) as turn:
                    rest(0)
                    reply = model.ask(request)
                    turn.tokens = reply.usage.total
                return replace(reply, attempts=(*attempts, *reply.attempts))
            except ModelError as error:
                attempts.extend(error.attempts)
                error.attempts = tuple(attempts)
                if error.retry_after is not None and error.retry_after <= patience.longest:
                    self.hold(error.retry_after)
                if not error.passing:
                    raise
                drawn = hashlib.sha256(f"{next(tried)}{request}".encode("utf-8", "replace"))
                share = 1 - drawn.digest()[0] / 512
                failed, asked = error, error.retry_after
                raise TryAgain(lambda _: failed, asked=asked, share=share) from None

        return patience.repeat(once)

    def hold(self, seconds: float) -> None:
        """Let nobody start for so many seconds: a server that turns one call away means all of
        them.
        """
        with self._records() as db:
            db.execute(
                "INSERT INTO held VALUES (?, ?) ON CONFLICT (server) DO UPDATE SET until = max(until, excluded.until)",
                (self.server, self.clock() + seconds),
            )

    def _enter(self, tokens: int) -> Sent | float:
        """A turn, recorded; or the seconds after which to try again."""
        burst = max(1, int(self.requests_per_minute))  # requests that may leave at once
        window = (
            self.minute * burst / self.requests_per_minute
            if self.requests_per_minute
            else self.minute
        )
        with self._records() as db:
            now = self.clock()
            held = db.execute("SELECT until FROM held WHERE server = ?", (self.server,)).fetchone()
            free_at = held[0] if held else now
            if not self.requests_per_minute and not self.tokens_per_minute:
                return free_at - now if free_at > now else Sent(0, tokens)
            # what is ahead of the clock was recorded before somebody set it back
            old = now - max(window, self.minute)
            db.execute(
                "DELETE FROM sent WHERE server = ? AND (at <= ? OR at > ?)", (self.server, old, now)
            )
            query = "SELECT at, tokens FROM sent WHERE server = ? ORDER BY at"
            sent: list[tuple[float, int]] = db.execute(query, (self.server,)).fetchall()
            if self.requests_per_minute and len(sent) >= burst:
                free_at = max(free_at, sent[-burst][0] + window)
            if self.tokens_per_minute:
                free_at = max(
                    free_at,
                    self._room_at([one for one in sent if one[0] + self.minute > now], tokens, now),
                )
            if free_at > now:
                return free_at - now
            added = db.execute(
                "INSERT INTO sent VALUES (NULL, ?, ?, ?)", (self.server, now, tokens)
            )
            return Sent(added.lastrowid or 0, tokens)

    def _room_at(self, recent: list[tuple[float, int]], tokens: int, now: float) -> float:
        """When the last minute's tokens leave room; a call larger than the limit goes alone."""
        total = sum(count for _, count in recent)
        for when, count in recent:
            if total + tokens <= self.tokens_per_minute:
                break
            total -= count
            now = when + self.minute
        return now

    @contextmanager
    def _records(self) -> Iterator[sqlite3.Connection]:
        """The records, in one transaction; a shared file is opened each time, since processes may
        be forked.
        """
        with self._lock:
            try:
                with self._connection() as db, db:
                    db.execute(
                        "PRAGMA synchronous = OFF"
                    )  # a minute's memory need not outlive the machine
                    db.execute("BEGIN IMMEDIATE")
                    for table in _TABLES:  # also after somebody emptied the folder
                        db.execute(table)
                    yield db
            except (sqlite3.Error, OSError) as error:
                raise DataError(
                    f"the pace that processes share cannot be recorded: {error}",
                    where=str(self.path),
                    fix="Name a folder that can be written to ($KGNB_CACHE), or set no limits per minute.",
                ) from error

    def _connection(self) -> AbstractContextManager[sqlite3.Connection]:
        if self.path is None:
            return nullcontext(self._memory)
        make_private(self.path.parent)
        return closing(sqlite3.connect(self.path, timeout=30, isolation_level=None))

"""One pace for all calls of a process, or all processes of a machine that ask one server; retries the ledger sees."""

from __future__ import annotations

import contextvars
import hashlib
import socket
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from kgnb.errors import DataError
from kgnb.llm.model import Attempt, ChatModel, ModelError, Reply, Request
from kgnb.llm.prices import estimate_usage

MINUTE = 60.0  # seconds
_SLICE = 0.2  # seconds: how late an interrupt may be noticed

stopped: contextvars.ContextVar[threading.Event | None] = contextvars.ContextVar("kgnb_llm_stopped", default=None)
"""Set for the workers of ``ask_many``: once the event is set, nothing more is sent and nobody sleeps on."""


def rest(seconds: float) -> None:
    """Sleeps, in slices, so that an interrupt or a stop is noticed within a fifth of a second.

    Raises:
        ModelError: the batch this call belongs to was stopped.
    """
    event = stopped.get() or threading.Event()
    end = time.monotonic() + seconds
    while not event.is_set() and (left := end - time.monotonic()) > 0:
        event.wait(min(left, _SLICE))
    if event.is_set():
        raise ModelError("not asked: the batch was stopped", service="")


class Pace:
    """How fast all models that share it may be asked: requests and tokens in any minute, calls at once. 0: no limit.

    Make one for a process and pass it to every ``Paced`` model. ``minute``, ``clock`` and ``sleep`` are for tests.
    """

    def __init__(
        self,
        requests_per_minute: float = 0,
        tokens_per_minute: float = 0,
        at_once: int = 0,
        *,
        minute: float = MINUTE,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = rest,
    ) -> None:
        if min(requests_per_minute, tokens_per_minute, at_once) < 0:
            raise ValueError("a limit is 0 (none) or more")
        self.requests_per_minute = requests_per_minute
        self.tokens_per_minute = tokens_per_minute
        self.minute = minute
        self.clock = clock
        self.sleep = sleep
        self._lock = threading.Lock()
        self._sent: deque[Sent] = deque()  # oldest first, none older than matters
        self._held_until = float("-inf")
        self._free = threading.Semaphore(at_once) if at_once else None

    @contextmanager
    def turn(self, tokens: int) -> Iterator[Sent]:
        """Waits for a turn to send about so many tokens; set its ``tokens`` once the true count is known."""
        while self._free and not self._free.acquire(timeout=_SLICE):
            rest(0)
        try:
            while isinstance(turn := self._enter_or_wait(tokens), float):
                self.sleep(turn)
            yield turn
        finally:
            if self._free:
                self._free.release()

    def hold(self, seconds: float) -> None:
        """Lets nobody start before so many seconds have passed: a server that turns one call away means all of them."""
        with self._lock:
            self._held_until = max(self._held_until, self.clock() + seconds)

    @property
    def burst(self) -> int:
        """How many requests may leave at once, before ``window`` seconds have passed since the first of them."""
        return max(1, int(self.requests_per_minute))

    @property
    def window(self) -> float:
        """Seconds; a minute, or longer where less than one request a minute is allowed."""
        return self.minute * self.burst / self.requests_per_minute if self.requests_per_minute else self.minute

    def _enter_or_wait(self, tokens: int) -> Sent | float:
        """A turn, noted; or the seconds after which to ask again."""
        with self._lock:
            now = self.clock()
            while self._sent and self._sent[0].when + max(self.window, self.minute) <= now:
                self._sent.popleft()
            turn = self._next(tokens, now)
            if isinstance(turn, Sent):
                self._sent.append(turn)
            return turn

    def _next(self, tokens: int, now: float) -> Sent | float:
        """A turn at this moment, or the seconds until there may be one."""
        free_at = self._held_until
        if self.requests_per_minute and len(self._sent) >= self.burst:
            free_at = max(free_at, self._sent[-self.burst].when + self.window)
        if self.tokens_per_minute:
            free_at = max(free_at, self._room_at(tokens, now))
        return free_at - now if free_at > now else Sent(now, tokens)

    def _room_at(self, tokens: int, now: float) -> float:
        """When the last minute's tokens leave room; a call larger than the limit goes alone."""
        recent = [sent for sent in self._sent if sent.when + self.minute > now]
        total = sum(sent.tokens for sent in recent)
        for sent in recent:
            if total + tokens <= self.tokens_per_minute:
                break
            total -= sent.tokens
            now = sent.when + self.minute
        return now


@dataclass
class Sent:
    """One call on its way: when it left, and its tokens, estimated until it is back."""

    when: float
    tokens: int
    number: int = 0  # where a pace is shared between processes


class Paced:
    """A model asked at a shared pace and asked again when the failure may pass.

    What is tried again: no answer, time-outs, 408, 409, 429, 5xx, and bodies that are no completion. Waits as long as
    the server says (Retry-After, retry-after-ms), else 1, 2, 4, ... ``longest_wait`` seconds, less up to half of it:
    how much less is drawn from the request itself, so that the same run waits the same. A server that wants to be left
    alone for longer than ``longest_wait`` is not asked again. Every try is in ``Reply.attempts`` or the error's.
    """

    def __init__(
        self, model: ChatModel, pace: Pace | None = None, retries: int = 4, *, longest_wait: float = 60.0
    ) -> None:
        if retries < 0:
            raise ValueError("retries is 0 or more")
        self.model = model
        self.pace = pace or Pace()
        self.retries = retries
        self.longest_wait = longest_wait

    def __repr__(self) -> str:
        return f"Paced({self.model!r}, retries={self.retries})"

    @property
    def name(self) -> str:
        """The model's name."""
        return self.model.name

    def ask(self, request: Request) -> Reply:
        """The reply, with all that it took."""
        tokens = estimate_usage(request).total + (request.max_tokens or 0)
        attempts: tuple[Attempt, ...] = ()
        wait = 0.0
        for number in range(self.retries + 1):
            try:
                if wait:
                    self.pace.sleep(wait)
                with self.pace.turn(tokens) as turn:
                    rest(0)
                    reply = self.model.ask(request)
                    turn.tokens = reply.usage.total
                return replace(reply, attempts=attempts + reply.attempts)
            except ModelError as error:
                attempts += error.attempts
                error.attempts = attempts
                wait = self._wait(error, request, number)
                if number == self.retries or not error.passing or wait > self.longest_wait:
                    raise
        raise AssertionError("the last try returns or raises")

    def _wait(self, error: ModelError, request: Request, number: int) -> float:
        if error.retry_after is not None:
            if error.retry_after <= self.longest_wait:
                self.pace.hold(error.retry_after)
            return error.retry_after
        drawn = hashlib.sha256(f"{number}{request}".encode("utf-8", "replace")).digest()
        return min(2.0**number, self.longest_wait) * (1 - drawn[0] / 512)


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
        with self._writing():
            pass  # says now that it cannot be written

    @contextmanager
    def turn(self, tokens: int) -> Iterator[Sent]:
        """As of any pace; the true count of tokens is noted for the other processes too."""
        with super().turn(tokens) as sent:
            try:
                yield sent
            finally:
                if sent.tokens != tokens:  # where it cannot be noted, the estimate counts: the reply is paid for
                    with suppress(DataError), self._writing() as db:
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
                    for table in _TABLES:  # also where somebody emptied the folder meanwhile
                        db.execute(table)
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

"""An SQLite file that threads and processes share, and that says why it cannot be used."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, ClassVar, Self, TypeVar

from kgnb.errors import DataError, NotKept
from kgnb.files import knows_locks, make_private

_PAUSE = 0.005  # seconds; switching to the write-ahead log takes about one millisecond
_NOT_NOW = {  # kinds of errors that a sound file may meet
    *(sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM),
    *(sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR),
}
TODAY = "CAST(julianday('now', '12:00') AS INTEGER)"
"""Today's number in SQL: Julian days begin at noon."""

_KEYS_A_QUERY = 500  # below SQLite's oldest limit of 999 parameters


def remove(path: Path) -> None:
    """Remove a file of SQLite's, and what it keeps beside it.

    Raises:
        OSError: one of them is there and cannot be removed.
    """
    for name in (path.name, f"{path.name}-wal", f"{path.name}-shm"):
        path.with_name(name).unlink(missing_ok=True)


class InUse(DataError):
    """A sound file that cannot be used now: it is locked or read-only, or the disk is full."""


class Locked(InUse):
    """Another process is writing to it, or holds it."""


class SqliteFile:
    """One table in an SQLite file, created if missing (``:memory:`` works too).

    Threads share one connection per process and take turns; processes wait for each other for up to
    ``patience`` seconds. Subclasses say what the file holds.

    Raises:
        InUse: the file is locked or read-only, or the disk is full.
        DataError: the file is damaged, holds something else, or was written by a later version. It
            stays unchanged.
    """

    what: ClassVar[str]  # its name in messages
    version: ClassVar[int]  # of its format, kept as user_version; earlier ones can be read
    table: ClassVar[str]
    columns: ClassVar[str]  # their definitions in SQL, in parentheses
    # what tells entries apart, in SQL about new.*, where the day of each is kept: beside them, in
    # the table ``days``, so that earlier versions still read the file
    dated: ClassVar[str] = ""
    patience = 8.0  # seconds to wait for another process; its writes take milliseconds

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self._lock = threading.RLock()
        self._process = 0
        self._db: sqlite3.Connection | None = None
        with self.use():
            pass

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self.path)!r})"

    def __reduce__(self) -> tuple[type[Self], tuple[Path]]:
        return type(self), (self.path,)  # another process opens its own connection

    def __len__(self) -> int:
        with self.use() as db:
            return int(db.execute(f"SELECT count(*) FROM {self.table}").fetchone()[0])

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        with self._lock:
            if self._db is not None and self._process == os.getpid():
                self._db.close()
            self._db = None

    @contextmanager
    def use(self) -> Iterator[sqlite3.Connection]:
        """The connection, for this thread alone; every statement is committed at once."""
        with self._lock:
            try:
                if (
                    self._db is None or self._process != os.getpid()
                ):  # a fork must not use its parent's connection
                    self._db, self._process = self._opened(), os.getpid()
                yield self._db
            except (sqlite3.Error, OSError, UnicodeDecodeError) as error:
                raise self._explained(error) from error

    def select(self, query: str, first: str, keys: Sequence[Any]) -> list[tuple[Any, ...]]:
        """The rows of a query that ends in ``... = ? AND key IN``, for any number of keys."""
        rows = []
        with self.use() as db:
            for start in range(0, len(keys), _KEYS_A_QUERY):
                part = keys[start : start + _KEYS_A_QUERY]
                rows += db.execute(
                    f"{query} ({','.join('?' * len(part))})", (first, *part)
                ).fetchall()
        return rows

    def insert(self, rows: Sequence[tuple[Any, ...]]) -> int:
        """Add rows in one transaction and return how many were new; existing ones stay as they are."""
        if not rows:
            return 0
        with self.use() as db, db:
            db.execute("BEGIN IMMEDIATE")
            places = ",".join("?" * len(rows[0]))
            query = f"INSERT OR IGNORE INTO {self.table} VALUES ({places})"
            return db.executemany(query, rows).rowcount

    def damaged(self, why: str) -> DataError:
        """The error for a file that holds something it should not."""
        return DataError(
            f"{self.what} is damaged: {why}",
            where=self.path,
            fix="Nothing in it was changed. Move it away (and the -wal and -shm files beside it) to start a new one.",
        )

    def _opened(self) -> sqlite3.Connection:
        make_private(self.path.parent)
        if str(self.path) != ":memory:":
            # texts of others: the files beside it get its permissions. One that is there is not
            # opened: to close it again would drop the locks that this process has on it
            # (sqlite.org/howtocorrupt.html, 2.2), and others would take its log for left over
            with suppress(FileExistsError):
                os.close(os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
        db = sqlite3.connect(
            self.path, timeout=self.patience, isolation_level=None, check_same_thread=False
        )
        try:
            [version] = db.execute("PRAGMA user_version").fetchone()
            tables = {
                name
                for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            }
            if version > self.version:
                raise DataError(
                    "was written by a later version of kgnb",
                    where=self.path,
                    fix="Update kgnb.",
                )
            if tables and self.table not in tables:
                what = f"is an SQLite file, but not {self.what}"
                raise DataError(what, where=self.path, fix="Name another file.")
            write_ahead(db, self.patience)
            if version < self.version:
                db.execute(f"CREATE TABLE IF NOT EXISTS {self.table} {self.columns}")
                db.execute(f"PRAGMA user_version = {self.version}")
            if self.dated and "days" not in tables:
                self._keep_days(db)
        except BaseException:
            db.close()
            raise
        return db

    def _keep_days(self, db: sqlite3.Connection) -> None:
        old = self.dated.replace("new.", "old.")
        texts = (
            "TABLE IF NOT EXISTS days (entry TEXT PRIMARY KEY, day INTEGER NOT NULL)",
            f"TRIGGER IF NOT EXISTS came AFTER INSERT ON {self.table} BEGIN "
            f"INSERT OR REPLACE INTO days VALUES ({self.dated}, {TODAY}); END",
            f"TRIGGER IF NOT EXISTS went AFTER DELETE ON {self.table} BEGIN "
            f"DELETE FROM days WHERE entry = {old}; END",
        )
        try:
            for text in texts:
                db.execute(f"CREATE {text}")
        except sqlite3.OperationalError as error:
            # one that can only be read is read all the same
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_READONLY:
                raise
            db.execute(f"CREATE TEMP {texts[0]}")

    def _explained(self, error: Exception) -> DataError:
        kind = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if not isinstance(error, OSError) and kind not in _NOT_NOW:
            return self.damaged(str(error))
        if kind in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            writers = _writers(self.path)
            if not writers and not knows_locks(self.path.parent):
                why = f"{self.what} needs locks, which the file system there does not know"
                fix = "Name a folder on a local disk ($KGNB_CACHE)."
                return InUse(why, where=self.path, fix=fix)
            why = f"is locked: {' and '.join(writers) or 'another process'} is writing to it"
            fix = "Wait for it, or end it. Nothing in the file was changed."
            return Locked(f"{self.what} {why}", where=self.path, fix=fix)
        if kind in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM):
            why, fix = (
                "may not be written to",
                "Make it writable, or choose another cache folder ($KGNB_CACHE).",
            )
        else:
            why = f"cannot be used: {error}"
            fix = "Check the folder, its permissions and the free space, or choose another ($KGNB_CACHE)."
        return InUse(f"{self.what} {why}", where=self.path, fix=fix)


def write_ahead(connection: sqlite3.Connection, patience: float) -> None:
    """Switch a file to the write-ahead log, so that readers and a writer do not wait for each
    other.

    A power cut may then lose the last transactions, never the file. The switch needs the file for
    itself, and SQLite does not wait for it as it does for other locks
    (sqlite.org/pragma.html#pragma_busy_timeout holds for transactions): of processes that open a
    new file at the same moment, all but one are told that it is locked. So it is tried again for up
    to ``patience`` seconds.

    Raises:
        sqlite3.OperationalError: it is still locked after that, or cannot be written at all.
    """
    until = time.monotonic() + patience
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            break
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
        time.sleep(_PAUSE)
    connection.execute("PRAGMA synchronous = NORMAL")


def _writers(path: Path) -> list[str]:
    """The processes that hold a lock for writing on an SQLite file or the files beside it; Linux
    only.
    """
    files = {
        file.stat().st_ino
        for end in ("", "-wal", "-shm")
        if (file := Path(f"{path}{end}")).exists()
    }
    try:
        locks = [line.split() for line in Path("/proc/locks").read_text().splitlines()]
    except OSError:
        return []
    writing = [
        words for words in locks if "WRITE" in words and int(words[-3].rpartition(":")[2]) in files
    ]
    found = {int(words[-4]) for words in writing} - {os.getpid()}
    return [f"process {process}{_command(process)}" for process in sorted(found) if process > 0]


def _command(process: int) -> str:
    try:
        words = Path(f"/proc/{process}/cmdline").read_bytes().decode("utf-8", "replace").split("\0")
    except OSError:
        return ""
    command = " ".join([Path(words[0]).name, *words[1:4]])
    return f" ({' '.join(command.split())[:60]})" if command.strip() else ""


File = TypeVar("File", bound=SqliteFile)


def opened_or_said(kind: type[File], path: Path) -> File | None:
    """The file; None, with a warning, where it cannot be opened: what is kept matters less than the
    work. Raises Locked for one that is only busy.
    """
    try:
        return kind(path)
    except Locked:
        raise
    except DataError as error:
        said = f"{kind.what} is not used, and nothing is kept: {error.what} {error.fix}"
        warnings.warn(said, NotKept, stacklevel=3)
        return None

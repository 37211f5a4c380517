"""SQLite's write-ahead log for the files that processes share."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import Literal as OneOf

PATIENCE = 8.0
"""Seconds a file that another process writes to is waited for; such a write takes milliseconds."""

_PAUSE = 0.005  # seconds; the switch itself takes about one millisecond


def write_ahead(connection: sqlite3.Connection, patience: float = PATIENCE) -> None:
    """Have a file written ahead, so that readers and a writer do not wait for each other.

    A power cut may lose the last transactions, never the file. The switch needs the file for itself, and SQLite does
    not wait for it as it does for other locks (sqlite.org/pragma.html#pragma_busy_timeout holds for transactions): of
    processes that open a new file at the same moment, all but one are told that it is locked. So they ask again.

    Args:
        connection: outside of a transaction.
        patience: seconds to ask again for.

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


def opened(
    path: Path,
    patience: float,
    set_up: Callable[[sqlite3.Connection], None],
    isolation: OneOf["DEFERRED"] | None = None,
) -> sqlite3.Connection:
    """A connection for all threads to a file, whose folder is made, once it is set up; SQLite's errors alone."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise sqlite3.OperationalError(str(error)) from error
    connection = sqlite3.connect(path, timeout=patience, isolation_level=isolation, check_same_thread=False)
    try:
        set_up(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def unusable(path: Path, error: sqlite3.Error | UnicodeDecodeError) -> tuple[str, str] | None:
    """What keeps a sound file from being used, and what to do: it is locked, read-only or on a full disk.

    None where the file itself is at fault (damaged, or none of SQLite's).
    """
    kind = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CANTOPEN) & 0xFF
    if not isinstance(error, sqlite3.OperationalError):
        return None
    if kind in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        by = " and ".join(_writers(path)) or "another process"
        return f"{path} is locked: {by} is writing to it", "Wait for it, or end it. Nothing in the file was changed."
    if kind in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM):
        return f"{path} may not be written to", "Make it writable, or choose another cache folder ($KGNB_CACHE)."
    fix = "Check the folder, its permissions and the free space, or choose another ($KGNB_CACHE)."
    return f"{path} cannot be used: {error}", fix


def _writers(path: Path) -> list[str]:
    """The processes that hold a lock for writing on a file of SQLite's or what lies beside it, where Linux tells."""
    files = {file.stat().st_ino for end in ("", "-wal", "-shm") if (file := Path(f"{path}{end}")).exists()}
    found: dict[int, None] = {}
    try:
        lines = Path("/proc/locks").read_text().splitlines()
    except OSError:
        return []
    for line in lines:
        words = line.split()
        if "WRITE" in words and int(words[-3].rpartition(":")[2]) in files and int(words[-4]) not in (0, os.getpid()):
            found[int(words[-4])] = None
    return [f"process {process}{_command(process)}" for process in sorted(found) if process > 0]


def _command(process: int) -> str:
    try:
        words = Path(f"/proc/{process}/cmdline").read_bytes().decode("utf-8", "replace").split("\0")
    except OSError:
        return ""
    told = " ".join(Path(word).name if number == 0 else word for number, word in enumerate(words[:4]))
    return f" ({' '.join(told.split())[:60]})" if told.strip() else ""

"""SQLite's write-ahead log for the files that processes share."""

from __future__ import annotations

import sqlite3
import time

_PAUSE = 0.005  # seconds; the switch itself takes about one millisecond


def write_ahead(connection: sqlite3.Connection, patience: float = 60.0) -> None:
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

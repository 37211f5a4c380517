"""Files written whole or not at all, and JSON read so that bad text is one kind of error."""

from __future__ import annotations

import errno
import gzip
import json
import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from typing import IO, Any, BinaryIO, cast
from typing import Literal as OneOf

from kgnb.errors import DataError

_ANOTHER = "Name another place, in a folder that exists and may be written to."
_WAYS = dict.fromkeys((errno.ENOSPC, errno.EDQUOT, errno.EFBIG), "Make room there, or name another place.")


def write_whole(
    path: Path, content: str | bytes | Callable[[IO[bytes]], object], *, lasting: bool = False
) -> Path:  # fmt: skip
    """Write beside ``path`` and rename into place: a reader sees the old file or the new one, and no half stays.

    Text is written as UTF-8, its line ends as they are; a function writes its own content. A power cut, too, leaves the
    old file or the new one; ``lasting`` waits until it is sure to be the new one.

    Raises:
        DataError: it cannot be written; the old file stays.
    """
    data = content.encode("utf-8") if isinstance(content, str) else content
    with _written(path):
        part = path.with_name(f".{path.name[:200]}.{token_hex(4)}.part")
        try:
            with part.open("xb") as stream:
                if path.exists():
                    part.chmod(path.stat().st_mode & 0o777)
                data(stream) if callable(data) else stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
            part.replace(path)
        except BaseException:
            part.unlink(missing_ok=True)  # interrupted just after the renaming: there is nothing left to take away
            raise
        if lasting:
            settle(path.parent)
    return path


@contextmanager
def _written(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise DataError(
            f"cannot be written: {error.strerror or error}",
            where=str(path),
            fix=_WAYS.get(error.errno or 0, _ANOTHER),
        ) from error


def write_json(path: Path, content: Any) -> Path:
    """The same for what JSON can say, indented and as UTF-8."""
    return write_whole(path, json.dumps(content, indent=1, ensure_ascii=False) + "\n")


def read_at_most(stream: BinaryIO | gzip.GzipFile, most: int) -> bytes:
    """The first bytes of a stream, piece by piece: Python sets aside at once whatever a single read asks for."""
    pieces = []
    while most and (piece := stream.read(min(16 << 20, most))):
        pieces.append(piece)
        most -= len(piece)
    return b"".join(pieces)


def from_json(text: str | bytes) -> Any:
    """What a JSON text says; ValueError also where it nests deeper than Python reads.

    >>> from_json("[" * 100_000)
    Traceback (most recent call last):
    ValueError: it nests too deep
    """
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("it nests too deep") from None


def settle(folder: Path) -> None:
    """Wait until a folder's entries are on the disk, a new file among them, where the system knows such a thing."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


CUT = " <- cut short"  # ends a line that a kill left unfinished: whoever wrote it was never told that it was kept


def append_lines(path: Path, entries: Sequence[Mapping[str, Any]]) -> None:
    """Add entries in one write that reaches the disk before this returns; a cut last line is closed and marked first.

    ASCII only, so that a write that is cut anywhere leaves valid UTF-8.

    Raises:
        DataError: it cannot be written.
    """
    if not entries:
        return
    text = "".join(json.dumps(entry, ensure_ascii=True, allow_nan=False) + "\n" for entry in entries)
    with _written(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        new = not path.exists()
        with path.open("ab+", buffering=0) as file:
            rest = (_closing(cast(BinaryIO, file)) + text).encode()
            while rest:  # all of it in the first write, save on a full disk: then that says so
                rest = rest[file.write(rest) :]
            os.fsync(file.fileno())
        if new:
            settle(path.parent)


def read_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Each entry with the number of its line; no file, no entries. Lines that were cut short are left out.

    Raises:
        DataError: a line is not a JSON object.
    """
    if not path.exists():
        return
    lines = path.read_text(encoding="utf-8-sig", errors="replace").split("\n")
    for number, line in enumerate(lines, start=1):
        if not line.strip() or line.endswith(CUT):
            continue
        entry = _entry(line)
        if entry is not None:
            yield number, entry
        elif number < len(lines):
            raise DataError(
                "not a JSON object", where=f"{path}:{number}", fix="Mend the line, or delete it: each stands alone."
            )


def _entry(line: str) -> dict[str, Any] | None:
    try:
        entry = from_json(line)
    except (ValueError, RecursionError):
        return None
    return entry if isinstance(entry, dict) else None


def _closing(file: BinaryIO) -> str:
    """What ends the last line, if it has no end of its own."""
    size = file.seek(0, os.SEEK_END)
    if not size:
        return ""
    file.seek(size - 1)
    if file.read(1) == b"\n":
        return ""
    file.seek(0)
    last = file.read().decode("utf-8", "replace").rpartition("\n")[2]
    return "\n" if _entry(last) is not None else f"{CUT}\n"


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

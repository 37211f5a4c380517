"""Files written whole or not at all, and JSON read so that bad text is one kind of error."""

from __future__ import annotations

import errno
import json
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, BinaryIO, cast

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
    try:
        mode = path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask()
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
        try:
            with os.fdopen(descriptor, "wb") as stream:
                data(stream) if callable(data) else stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
            os.chmod(name, mode)
            os.replace(name, path)
        except BaseException:
            with suppress(FileNotFoundError):  # interrupted just after the renaming: there is nothing left to take away
                os.unlink(name)
            raise
        if lasting:
            settle(path.parent)
    except OSError as error:
        raise DataError(
            f"cannot be written: {error.strerror or error}",
            where=str(path),
            fix=_WAYS.get(error.errno or 0, _ANOTHER),
        ) from error
    return path


def write_json(path: Path, content: Any) -> Path:
    """The same for what JSON can say, indented and as UTF-8."""
    return write_whole(path, json.dumps(content, indent=1, ensure_ascii=False) + "\n")


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


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


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
    """
    if not entries:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(entry, ensure_ascii=True, allow_nan=False) + "\n" for entry in entries)
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
    lines = path.read_text(encoding="utf-8", errors="replace").split("\n")
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

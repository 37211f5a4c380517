"""Files of one JSON object a line that only ever grow, so that nothing written to them is lost."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, cast

from kgnb.errors import DataError
from kgnb.files import from_json, settle

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

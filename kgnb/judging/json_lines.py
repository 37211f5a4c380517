"""Files of one JSON object a line that only ever grow, so that nothing written to them is lost."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from kgnb.errors import DataError


def append_lines(path: Path, entries: Sequence[Mapping[str, Any]]) -> None:
    """Add entries in one write that reaches the disk before this returns; a cut last line is closed first.

    ASCII only, so that a write that is cut anywhere leaves valid UTF-8.
    """
    if not entries:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(entry, ensure_ascii=True, allow_nan=False) + "\n" for entry in entries)
    with path.open("ab+", buffering=0) as file:
        size = file.seek(0, os.SEEK_END)
        if size:
            file.seek(size - 1)
            text = text if file.read(1) == b"\n" else "\n" + text
        file.write(text.encode())
        os.fsync(file.fileno())


def read_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Each entry with the number of its line; no file, no entries. A last line without its newline is left out if cut.

    Raises:
        DataError: a line is not a JSON object.
    """
    if not path.exists():
        return
    lines = path.read_text(encoding="utf-8", errors="replace").split("\n")
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            entry = json.loads(line)
        except ValueError:
            entry = None
        if isinstance(entry, dict):
            yield number, entry
        elif number < len(lines):
            raise DataError(
                "not a JSON object", where=f"{path}:{number}", fix="Mend the line, or delete it: each stands alone."
            )

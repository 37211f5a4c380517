"""The rows of a spreadsheet as JSON on standard output: run as a program of its own, for the reader
ends its process where a cell far out asks for more memory than there is.

It imports nothing of kgnb: it starts in the time that Python takes.
"""

from __future__ import annotations

import datetime
import json
import os
import sys
from contextlib import suppress
from typing import Any

import python_calamine as calamine

MOST = 4 << 30
"""Bytes of memory, where the system has such limits."""


def limit_memory(path: str) -> None:
    """Let this process have the memory that a file of this size may need, and no more."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        most = min(MOST, (1 << 30) + 400 * os.path.getsize(path))
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def read(path: str) -> dict[str, Any]:
    """The rows of the first sheet that holds any, and the names of the others that do."""
    book = calamine.CalamineWorkbook.from_path(path)
    sheets = ((name, book.get_sheet_by_name(name).to_python()) for name in book.sheet_names)
    filled = [(name, rows) for name, rows in sheets if rows]
    rows = [[as_text(value) for value in row] for row in filled[0][1]] if filled else []
    return {"rows": [row for row in rows if any(row)], "others": [name for name, _ in filled[1:]]}


def as_text(value: Any) -> str:
    """A cell as a person would write it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, datetime.datetime) and value.time() == datetime.time():
        return value.date().isoformat()
    if isinstance(value, datetime.date | datetime.datetime):
        return value.isoformat()
    return str(value).strip()


if __name__ == "__main__":
    limit_memory(sys.argv[1])
    try:
        found = read(sys.argv[1])
    except (calamine.CalamineError, OSError, ValueError) as error:
        found = {"error": str(error)}
    json.dump(found, sys.stdout)

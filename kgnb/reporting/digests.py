"""Digests of the data a report's parameters name."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

from kgnb.reporting.parameters import Value
from kgnb.settings import Settings


def data_digests(values: Mapping[str, Value], settings: Settings) -> dict[str, str]:
    """SHA-256 of every file a parameter names, by name of the parameter, and of the files of its data set."""
    found = {}
    for name, value in values.items():
        if isinstance(value, str) and value and _is_file(value):
            found[name] = digest(Path(value))
    return found


def digest(path: Path) -> str:
    """SHA-256 of a file's bytes."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _is_file(text: str) -> bool:
    try:
        return Path(text).is_file()
    except (OSError, ValueError):  # too long for a path, or no path at all
        return False

"""Files written whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

from kgnb.errors import DataError


def write_whole(file: Path, text: str) -> Path:
    """Replace a file by this text in one step; DataError, and the old file stays, if it cannot be written."""
    part = file.with_name(f".{file.name}.{os.getpid()}.part")
    try:
        part.write_bytes(text.encode("utf-8"))
        os.replace(part, file)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise DataError(
            f"cannot be written: {error.strerror}",
            where=str(file),
            fix="Name a folder that exists and may be written to.",
        ) from error
    return file

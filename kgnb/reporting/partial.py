"""What a report says of itself where a budget was spent before it was through."""

from __future__ import annotations

from pathlib import Path

from kgnb.files import from_json, write_json
from kgnb.run.folder import why_partial


def mark_partial(folder: Path) -> str:
    """Why the report in a folder is partial ("": it is not); its ``metrics.json`` then says so.

    ``"partial": true`` and ``"partial_reason"`` are written to the metrics, whichever report wrote them.
    """
    why = why_partial(folder / "run")
    path = folder / "metrics.json"
    if why and path.is_file():
        try:
            content = from_json(path.read_text(encoding="utf-8"))
        except ValueError:  # a notebook of one's own may write what it likes
            return why
        if isinstance(content, dict):
            content |= {"partial": True, "partial_reason": why}
            write_json(path, content)
    return why

"""What a report was asked, written before its first cell runs, so that it can be asked again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kgnb.files import from_json, write_json
from kgnb.reporting.redaction import redact

FILE = "request.json"


@dataclass(frozen=True)
class ReportRequest:
    """A report's name (or its notebook) and the value of every parameter."""

    report: str
    values: Mapping[str, Any]

    def save(self, folder: Path, secrets: tuple[str, ...]) -> None:
        """Write it, secrets blotted out."""
        content = redact({"report": self.report, "values": dict(self.values)}, secrets)
        write_json(folder / FILE, content)


def read_request(folder: Path) -> ReportRequest | None:
    """What the report in a folder was asked, or None."""
    try:
        content = from_json((folder / FILE).read_text(encoding="utf-8"))
        return ReportRequest(str(content["report"]), dict(content["values"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None

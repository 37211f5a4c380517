"""What a report's notebook knows of the run it is part of: where results go, with which settings.

``kgnb report`` calls ``begin`` in the kernel before the first cell, leaving no trace in the notebook. A notebook opened
by hand finds a session of its own: the settings of the folder it is in, and a folder ``reports/by-hand``.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from kgnb.files import from_json, write_json
from kgnb.reporting.redaction import redact
from kgnb.run import Event
from kgnb.secret import hide
from kgnb.settings import Endpoint, Settings, known_secrets

BY_HAND = Path("reports") / "by-hand"
TOLD = "kgnb: "  # how a line begins that is told while a report runs, and is no part of it


@dataclass(frozen=True)
class ReportSession:
    """The folder a report's results go to, the settings it runs with, and the command that runs it again."""

    folder: Path
    settings: Settings
    command: str = ""
    data: tuple[tuple[str, str], ...] = ()  # what was read and its digest


_current: list[ReportSession] = []


def begin(session: ReportSession) -> None:
    """Make this the session of the running kernel; the secrets its settings lead to are kept out of what it writes."""
    hide(*known_secrets(session.settings))
    _current[:] = [session]


def current() -> ReportSession:
    """The session ``kgnb report`` began, or one for a notebook run by hand."""
    if not _current:
        BY_HAND.mkdir(parents=True, exist_ok=True)
        begin(ReportSession(BY_HAND, Settings.load()))
    return _current[0]


def tell(event: Event) -> None:
    """Say on standard error what a run expects to spend; the engine hands it on and keeps it out of the report."""
    if event["event"] == "estimate":
        print(TOLD + ": ".join(filter(None, (event["name"], event["text"]))), file=sys.stderr, flush=True)


def as_text(session: ReportSession) -> str:
    """This session as one line of JSON; settings name their secrets and hold none."""
    values = {
        name: str(value) if isinstance(value, Path) else value for name, value in asdict(session.settings).items()
    }
    return json.dumps([str(session.folder), values, session.command, session.data])


def as_code(session: ReportSession) -> str:
    """Python that begins this session in another process."""
    content = as_text(session)
    return (
        f"from kgnb.reporting import session as _session\n_session.begin(_session.from_text({content!r}))\ndel _session"
    )


def from_text(text: str) -> ReportSession:
    """The session that ``as_text`` wrote."""
    folder, values, command, data = json.loads(text)
    return ReportSession(
        Path(folder), Settings(**_paths(values)), command, tuple((name, digest) for name, digest in data)
    )


def _paths(values: dict[str, Any]) -> dict[str, Any]:
    folders = {name: Path(values[name]) for name in ("cache", "data") if values.get(name) is not None}
    endpoints = tuple(Endpoint(**entry) for entry in values.get("endpoints", ()))
    return values | folders | {"endpoints": endpoints}


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

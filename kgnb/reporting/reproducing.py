"""How to run a report again: everything that decides its result."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

from kgnb.reporting.session import ReportSession
from kgnb.results.table import Column, Table, Value
from kgnb.run import Run

BY_HAND = "this notebook, opened by hand"
MOST = 24  # files listed one by one; the RO-Crate lists all


def reproduce(session: ReportSession, run: Run, read: Iterable[tuple[str, str]] = ()) -> Table:
    """Command, run, versions and digests; ``read`` are digests of graphs as they were understood, by name."""
    record = run.to_json()
    rows: list[list[Value]] = [["command", session.command or BY_HAND], ["run", record["id"]]]
    rows += [[f"version of {name}", version] for name, version in record["versions"].items()]
    rows += _files(session.data)
    rows += [[f"digest of what was read of {name}", digest] for name, digest in read]
    notes = [
        "As long as all of these and the cache are the same, metrics.json, the pictures and this page (but for the "
        "times under Cost) are the same, byte for byte. The whole record, with times, is ro-crate-metadata.json.",
    ]
    if "KGNB_DATA=DIR" in session.command:
        notes.append("DIR is the folder of benchmark data: kgnb data list says what there is, kgnb data get gets it.")
    return Table([Column("what", "What"), Column("value", "Value")], rows, caption="How to reproduce", notes=notes)


def _files(data: Sequence[tuple[str, str]]) -> list[list[Value]]:
    if len(data) <= MOST:
        return [[f"SHA-256 of {name}", digest] for name, digest in data]
    together = hashlib.sha256("".join(f"{digest}  {name}\n" for name, digest in data).encode()).hexdigest()
    return [[f"SHA-256 of the list of {len(data)} files and their SHA-256", together]]

"""``ro-crate-metadata.json``: what a report was made of, with what and when, as an RO-Crate 1.1 (researchobject.org).

This file and ``timing.json`` are where a report's times are; ``provenance.json`` holds the same. The figures and the
page are the same whenever it is made.
"""

from __future__ import annotations

import json
import mimetypes
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from kgnb.datasets.fetch import digest
from kgnb.files import write_whole
from kgnb.reporting.parameters import Value
from kgnb.reporting.session import Ledger

FILE = "ro-crate-metadata.json"
COPY = "provenance.json"
CONTEXT = ["https://w3id.org/ro/crate/1.1/context", {"sha256": "http://schema.org/sha256"}]  # younger than RO-Crate 1.1
TYPES = {".ipynb": "application/x-ipynb+json", ".jsonl": "application/jsonl", ".ttl": "text/turtle",
         ".trig": "application/trig", ".rdf": "application/rdf+xml", ".tsv": "text/tab-separated-values"}  # fmt: skip
Entity = dict[str, Any]


def write_provenance(
    folder: Path,
    *,
    title: str,
    summary: str,
    report: str,
    command: str,
    values: Mapping[str, Value],
    data: Mapping[str, str],
    versions: Mapping[str, str],
    ledger: Ledger,
    begun: datetime,
    ended: datetime,
) -> Path:
    """Describe everything in the folder, the action that made it and what that read; gives the file's path."""
    files = sorted(
        path for path in folder.rglob("*") if path.is_file() and path.name not in (FILE, COPY) and path.name[0] != "."
    )
    parts = [_file(path, folder) for path in files]
    inputs = [_input(name, sha) for name, sha in data.items()]
    given = [_parameter(name, value) for name, value in values.items()]
    software = [_software(name, version) for name, version in versions.items()]
    done = ledger.state == "ran"
    action = {
        "@id": "#report-run",
        "@type": "CreateAction",
        "name": f"Report {report}",
        "description": command,
        "instrument": _refs(software),
        "object": _refs([*inputs, *given]),
        "result": _refs(parts),
        "startTime": begun.isoformat(timespec="seconds"),
        "endTime": ended.isoformat(timespec="seconds"),
        "actionStatus": {"@id": f"http://schema.org/{'Completed' if done else 'Failed'}ActionStatus"},
    }
    root = {
        "@id": "./",
        "@type": "Dataset",
        "name": title,
        "description": summary or title,
        "datePublished": ended.date().isoformat(),
        "license": {"@id": "#licence"},
        "hasPart": _refs(parts),
        "mentions": {"@id": "#report-run"},
    }
    licence = {
        "@id": "#licence",
        "@type": "CreativeWork",
        "name": "No licence is stated",
        "description": "Whoever publishes this report says under which licence; that of its data may bind them.",
    }
    about = {
        "@id": FILE,
        "@type": "CreativeWork",
        "conformsTo": {"@id": "https://w3id.org/ro/crate/1.1"},
        "about": {"@id": "./"},
    }
    graph = [about, root, *parts, action, *inputs, *given, *software, licence]
    text = json.dumps({"@context": CONTEXT, "@graph": graph}, indent=1, ensure_ascii=False) + "\n"
    write_whole(folder / COPY, text)
    write_whole(folder / FILE, text)
    return folder / FILE


def _file(path: Path, folder: Path) -> Entity:
    kind = TYPES.get(path.suffix) or mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    name = path.relative_to(folder).as_posix()
    size = str(path.stat().st_size)
    quoted = name.replace("%", "%25").replace(" ", "%20")
    return {
        "@id": quoted,
        "@type": "File",
        "name": name,
        "encodingFormat": kind,
        "contentSize": size,
        "sha256": digest(path),
    }


def _input(name: str, sha: str) -> Entity:
    return {"@id": f"#input-{sha[:16]}-{_slug(name)}", "@type": "CreativeWork", "name": name, "sha256": sha}


def _parameter(name: str, value: Value) -> Entity:
    shown = value if value is not None else "none"
    return {"@id": f"#parameter-{_slug(name)}", "@type": "PropertyValue", "name": name, "value": shown}


def _software(name: str, version: str) -> Entity:
    return {"@id": f"#software-{_slug(name)}", "@type": "SoftwareApplication", "name": name, "version": version}


def _refs(entities: list[Entity]) -> list[dict[str, str]]:
    return [{"@id": entity["@id"]} for entity in entities]


def _slug(text: str) -> str:
    return "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in text)

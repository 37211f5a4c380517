"""The page of a report: one HTML file that needs no network, runs no script, is readable in light
and dark, and prints.

A browser prints it as PDF, where there is one. Beside it ``ro-crate-metadata.json`` (RO-Crate 1.1,
researchobject.org) describes the inputs, the software and the times of the report.
"""

from __future__ import annotations

import mimetypes
import os
import re
import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import date, datetime
from html import escape
from pathlib import Path
from typing import Any

import nbformat
from nbconvert import HTMLExporter
from traitlets.config import Config

from kgnb.datasets.fetch import digest
from kgnb.errors import BackendError
from kgnb.files import write_json
from kgnb.reporting.parameters import Value
from kgnb.reporting.session import Ledger
from kgnb.results.bundle import count

TEMPLATES = Path(__file__).parent
TIMED = re.compile(r"^#+\s+(costs?|times?)\b", re.IGNORECASE | re.MULTILINE)
_SECTION = re.compile(r"^## +(.+)", re.MULTILINE)
TIMES = re.compile(r"<!-- times -->.*?<!-- /times -->", re.DOTALL)


def page(notebook: Path, title: str, ledger: Ledger, partial: str = "", byline: str = "") -> str:
    """The HTML of an executed notebook, with a policy that forbids any request and any script.

    ``partial`` says why the result is partial; ``byline`` is HTML below the heading. Outputs are
    drawn from text/html, pictures, Markdown or plain text, in this order; widgets and our own JSON
    fall back to those.
    """
    shown = ["text/html", "image/svg+xml", "image/png", "image/jpeg", "text/markdown", "text/plain"]
    drawn = {"embed_images": True, "exclude_anchor_links": True}
    exporter = HTMLExporter(  # type: ignore[no-untyped-call]
        template_name="template",
        extra_template_basedirs=[str(TEMPLATES)],
        config=Config({"NbConvertBase": {"display_data_priority": shown}, "HTMLExporter": drawn}),
    )
    content = nbformat.read(notebook, as_version=4)  # type: ignore[no-untyped-call]
    content.metadata.pop("widgets", None)
    _mark_times(content)
    contents, left_out = _mark_sections(content)
    resources = {
        "ledger": ledger,
        "title": title,
        "partial": partial,
        "byline": byline,
        "contents": contents,
    }
    resources |= {"left_out": left_out}
    html, _ = exporter.from_notebook_node(content, resources)
    return str(html)


def byline_of(data: Iterable[str], day: date, author: str) -> str:
    """The HTML of the line below a report's heading: its data, then day and author in a block of
    times.

    ``data`` names the files that were read; many files are summed up by folder.
    """
    names = list(data)
    if len(names) > 4:
        folders = {name: name.rpartition("/")[0] for name in names}
        many = Counter(folder for folder in folders.values() if folder)
        names = [f"{folder} ({count(number, 'file')})" for folder, number in sorted(many.items())]
        names += [name for name, folder in folders.items() if not folder]
        names = names if len(names) < 5 else [*names[:3], f"{len(names) - 3:,} more"]
    when = " · ".join(filter(None, (day.isoformat(), author)))
    parts = [
        escape(f"Data: {', '.join(names)}" if names else ""),
        f"<!-- times -->{escape(when)}<!-- /times -->",
    ]
    return f'<p class="byline">{"<br>".join(filter(None, parts))}</p>'


def _mark_sections(notebook: Any) -> tuple[list[tuple[str, str]], list[str]]:
    """Give each section an id for the table of contents, and mark those that were not part of this
    run.

    Returns the ids and titles of the former, and the titles of the latter.
    """
    sections: list[tuple[str, list[Any]]] = []
    for cell in notebook.cells:
        heading = _SECTION.search(cell.source) if cell.cell_type == "markdown" else None
        if heading:
            sections.append((heading[1].strip(), []))
        if sections:
            sections[-1][1].append(cell)
    contents, left_out = [], []
    for number, (title, cells) in enumerate(sections, start=1):
        shown = [
            str(output.get("data", {}).get("text/html", ""))
            for cell in cells
            for output in cell.get("outputs", ())
        ]
        if shown and all(html.startswith('<p class="off">') for html in shown):
            left_out.append(title)
            for cell in cells:
                cell.metadata["kgnb_off"] = True
        else:
            cells[0].metadata["kgnb_section"] = f"section-{number}"
            contents.append((f"section-{number}", title))
    return contents, left_out


def _mark_times(notebook: Any) -> None:
    """Mark the outputs under a heading "Cost" or "Times", which differ in every run, as one block."""
    timed: list[Any] | None = None
    for cell in [*notebook.cells, None]:
        heading = cell is None or (
            cell.cell_type == "markdown" and cell.source.lstrip().startswith("#")
        )
        if heading and timed:
            timed[0].metadata["kgnb_times_begin"] = timed[-1].metadata["kgnb_times_end"] = True
        if heading:
            timed = [] if cell is not None and TIMED.search(cell.source) else None
        elif timed is not None and cell.cell_type == "code":
            timed.append(cell)


BROWSERS = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "msedge",
    "brave-browser",
)
PATIENCE = 120  # seconds


def print_pdf(page: Path, command: str | None = None) -> Path:
    """Print a page to ``report.pdf`` beside it, without network and script; returns the path.

    Raises:
        BackendError: there is no browser, or it failed.
    """
    command = command or next((found for name in BROWSERS if (found := shutil.which(name))), None)
    fix = "Open the page in any browser and print it to PDF, or install Chromium."
    if command is None:
        raise BackendError(f"there is no browser to print {page} with", service="browser", fix=fix)
    target = page.with_suffix(".pdf").resolve()
    root = (
        ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    )  # Chromium refuses root otherwise
    with tempfile.TemporaryDirectory() as profile:
        words = [
            command,
            "--headless",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            *root,
            "--no-pdf-header-footer",
            f"--user-data-dir={profile}",
            "--host-resolver-rules=MAP * ~NOTFOUND",
            f"--print-to-pdf={target}",
            page.resolve().as_uri(),
        ]
        try:
            done = subprocess.run(
                words, capture_output=True, text=True, timeout=PATIENCE, check=False
            )
            lines = done.stderr.strip().splitlines()
        except (OSError, subprocess.TimeoutExpired) as error:
            lines = [str(error)]
    if not target.is_file():
        why = lines[-1] if lines else ""
        raise BackendError(f"the browser did not print {page}: {why}", service=command, fix=fix)
    return target


FILE = "ro-crate-metadata.json"
COPY = "provenance.json"
CONTEXT = [
    "https://w3id.org/ro/crate/1.1/context",
    {"sha256": "http://schema.org/sha256"},
]  # newer than RO-Crate 1.1
TYPES = {
    ".ipynb": "application/x-ipynb+json",
    ".jsonl": "application/jsonl",
    ".ttl": "text/turtle",
    ".trig": "application/trig",
    ".rdf": "application/rdf+xml",
    ".tsv": "text/tab-separated-values",
}
LICENCE = (
    "Whoever publishes this report chooses its licence; that of its data may restrict the choice."
)


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
    """Describe all files in the folder, the run that made them and its inputs; returns the
    description's path.
    """
    graph: list[dict[str, Any]] = []

    def add(id: str, kind: str, **more: Any) -> dict[str, str]:
        graph.append({"@id": id, "@type": kind, **more})
        return {"@id": id}

    def named(what: str, kind: str, name: str, **more: Any) -> dict[str, str]:
        slug = "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in name)
        return add(f"#{what}-{slug}", kind, name=name, **more)

    add(
        FILE,
        "CreativeWork",
        conformsTo={"@id": "https://w3id.org/ro/crate/1.1"},
        about={"@id": "./"},
    )
    parts = []
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.name not in (FILE, COPY) and path.name[0] != ".":
            kind = (
                TYPES.get(path.suffix)
                or mimetypes.guess_type(path.name)[0]
                or "application/octet-stream"
            )
            name, size = path.relative_to(folder).as_posix(), str(path.stat().st_size)
            id = name.replace("%", "%25").replace(" ", "%20")
            parts.append(
                add(
                    id,
                    "File",
                    name=name,
                    encodingFormat=kind,
                    contentSize=size,
                    sha256=digest(path),
                )
            )
    inputs = [
        named(f"input-{sha[:16]}", "CreativeWork", name, sha256=sha) for name, sha in data.items()
    ]
    given = {name: "none" if value is None else value for name, value in values.items()}
    parameters = [
        named("parameter", "PropertyValue", name, value=value) for name, value in given.items()
    ]
    software = [
        named("software", "SoftwareApplication", name, version=one)
        for name, one in versions.items()
    ]
    status = "Completed" if ledger.state == "ran" else "Failed"
    run = add(
        "#report-run",
        "CreateAction",
        name=f"Report {report}",
        description=command,
        instrument=software,
        object=[*inputs, *parameters],
        result=parts,
        startTime=begun.isoformat(timespec="seconds"),
        endTime=ended.isoformat(timespec="seconds"),
        actionStatus={"@id": f"http://schema.org/{status}ActionStatus"},
    )
    licence = add("#licence", "CreativeWork", name="No licence is stated", description=LICENCE)
    day, about = ended.date().isoformat(), {"name": title, "description": summary or title}
    add("./", "Dataset", **about, datePublished=day, license=licence, hasPart=parts, mentions=run)
    write_json(folder / COPY, {"@context": CONTEXT, "@graph": graph})
    return write_json(folder / FILE, {"@context": CONTEXT, "@graph": graph})

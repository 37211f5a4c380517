"""Pages beside the reports, without script or network: what comparisons are drawn with, the index of reports."""

from __future__ import annotations

import html
from collections.abc import Collection, Sequence
from pathlib import Path

from kgnb.files import write_whole
from kgnb.reporting.figures import headline_figures, marks, read_metrics
from kgnb.reporting.ledger import read_ledger
from kgnb.reporting.parameters import assignments
from kgnb.reporting.report import find_template
from kgnb.reporting.session import ReportRequest, read_request

STYLES = Path(__file__).parent / "template" / "report.css"
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"


def document(title: str, body: str) -> str:
    """A whole page; ``body`` is HTML already, the title is escaped here."""
    styles = STYLES.read_text(encoding="utf-8")
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{html.escape(title)}</title>
<style>{styles}</style>
</head>
<body>
<main>
<h1>{html.escape(title)}</h1>
{body}
</main>
</body>
</html>
"""


def table(names: Sequence[str], rows: Sequence[Sequence[str]], numbers: Collection[int] = ()) -> str:
    """A table; the cells are HTML already, the names are escaped here. Columns of ``numbers`` are flush right."""
    styles = [' style="text-align: right"' if at in numbers else "" for at in range(len(names))]
    head = "".join(f"<th{style}>{html.escape(name)}</th>" for name, style in zip(names, styles, strict=True))
    cells = (zip(row, styles, strict=True) for row in rows)
    body = "".join(f"<tr>{''.join(f'<td{style}>{cell}</td>' for cell, style in row)}</tr>\n" for row in cells)
    return f'<div class="output"><table><thead><tr>{head}</tr></thead><tbody>\n{body}</tbody></table></div>'


def write_index(folder: Path) -> Path:
    """Write the index of all reports below a folder; one that cannot be read is listed as such."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for cells in sorted(folder.rglob("cells.json")):
        home = cells.parent
        if "items" not in home.relative_to(folder).parts:  # a sweep's items are in its comparison
            rows.append(_row(home, folder))
    sweeps = [
        [html.escape(page.parent.name), f'<a href="{_link(page, folder)}">comparison</a>']
        for page in sorted(folder.rglob("comparison.html"))
    ]
    note = "<p>Scores in percent, an MRR between 0 and 1; each page says what its figures cover and stand beside.</p>"
    body = note + table(["report", "what is not at its default", "state", "headline", ""], rows)
    if not rows:
        body = "<p>There is no report yet: <code>kgnb report</code> lists those one can run.</p>"
    if sweeps:
        body += "<h2>Sweeps and comparisons</h2>" + table(["sweep", ""], sweeps)
    write_whole(folder / "index.html", document("Reports", body))
    return folder / "index.html"


def _row(home: Path, folder: Path) -> list[str]:
    request = read_request(home)
    try:
        ledger = read_ledger(home)
        state: str = ledger.state if ledger else "not run"
    except (ValueError, KeyError, TypeError):
        state = "cannot be read"
    metrics = read_metrics(home)
    figures = ", ".join(f"{name} {value:g}" for name, value in list(headline_figures(metrics).items())[:5])
    notes = "; ".join(marks(metrics))
    page = home / "report.html"
    link = f'<a href="{_link(page, folder)}">open</a>' if page.is_file() else ""
    name = Path(request.report).stem if request else home.parent.name
    said = "done" if state == "ran" else state
    return [html.escape(name), _changed(request), html.escape(said), html.escape(f"{figures} {notes}".strip()), link]


def _changed(request: ReportRequest | None) -> str:
    if request is None:
        return ""
    try:
        defaults = {entry.name: entry.default for entry in find_template(request.report).parameters}
    except (ValueError, KeyError, OSError):
        defaults = {}
    changed = {name: value for name, value in request.values.items() if value != defaults.get(name, "")}
    return f"<code>{html.escape(' '.join(assignments(changed)))}</code>" if changed else ""


def _link(page: Path, folder: Path) -> str:
    return html.escape(page.relative_to(folder).as_posix(), quote=True)

"""Pages beside the reports (comparisons, the index): the reports' own style, no script, no network."""

from __future__ import annotations

import html
from collections.abc import Collection, Sequence
from pathlib import Path

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

"""The page of a report: one HTML file that needs no network, runs no script, reads in light and dark, and prints."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import nbformat
from nbconvert import HTMLExporter
from traitlets.config import Config

from kgnb.reporting.ledger import Ledger

TEMPLATES = Path(__file__).parent
TIMED = re.compile(r"^#+\s+(costs?|times?)\b", re.IGNORECASE | re.MULTILINE)
TIMES = re.compile(r"<!-- times -->.*?<!-- /times -->", re.DOTALL)


def page(notebook: Path, title: str, ledger: Ledger, partial: str = "") -> str:
    """The HTML of an executed notebook. Its policy forbids the browser any request and any script.

    ``partial`` says on top why the result is partial.

    Outputs are drawn from text/html, pictures, Markdown or plain text, in this order; widgets and our own JSON fall
    back to those, since nothing here runs.
    """
    exporter = HTMLExporter(  # type: ignore[no-untyped-call]
        template_name="template",
        extra_template_basedirs=[str(TEMPLATES)],
        config=Config(
            {
                "NbConvertBase": {
                    "display_data_priority": [
                        "text/html",
                        "image/svg+xml",
                        "image/png",
                        "image/jpeg",
                        "text/markdown",
                        "text/plain",
                    ]
                },
                "HTMLExporter": {"embed_images": True, "exclude_anchor_links": True},
            }
        ),
    )
    content = nbformat.read(notebook, as_version=4)  # type: ignore[no-untyped-call]
    content.metadata.pop("widgets", None)
    _mark_times(content)
    styles = (TEMPLATES / "template" / "report.css").read_text(encoding="utf-8")
    resources = {"ledger": ledger, "styles": styles, "title": title, "partial": partial}
    html, _ = exporter.from_notebook_node(content, resources)
    return str(html)


def without_times(html: str) -> str:
    """A page without the blocks that hold times: the same bytes whenever the report is made."""
    return TIMES.sub("", html)


def _mark_times(notebook: Any) -> None:
    """What stands under a heading "Cost" or "Times" says how long things took: its outputs become one marked block."""
    timed: list[Any] | None = None
    for cell in [*notebook.cells, None]:
        heading = cell is None or (cell.cell_type == "markdown" and cell.source.lstrip().startswith("#"))
        if heading and timed:
            timed[0].metadata["kgnb_times_begin"] = timed[-1].metadata["kgnb_times_end"] = True
        if heading:
            timed = [] if cell is not None and TIMED.search(cell.source) else None
        elif timed is not None and cell.cell_type == "code":
            timed.append(cell)

"""The page of a report: one HTML file that needs no network, runs no script, reads in light and dark, and prints."""

from __future__ import annotations

from pathlib import Path

import nbformat
from nbconvert import HTMLExporter
from traitlets.config import Config

from kgnb.reporting.ledger import Ledger

TEMPLATES = Path(__file__).parent


def page(notebook: Path, title: str, ledger: Ledger) -> str:
    """The HTML of an executed notebook. Its policy forbids the browser any request and any script.

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
    styles = (TEMPLATES / "template" / "report.css").read_text(encoding="utf-8")
    html, _ = exporter.from_notebook_node(content, {"ledger": ledger, "styles": styles, "title": title})
    return str(html)

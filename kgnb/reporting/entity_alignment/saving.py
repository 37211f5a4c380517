"""``metrics.json`` and the alignment: the same bytes every time for the same parameters, data and cache."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kgnb.files import write_json
from kgnb.mapping_files import save as save_alignment
from kgnb.reporting.costs import spent
from kgnb.reporting.entity_alignment.aligning import AlignmentResults
from kgnb.reporting.entity_alignment.sections import figures, rows_of
from kgnb.reporting.sections import in_percent
from kgnb.reporting.session import ReportSession

SHARES = ("hits1", "hits10", "precision", "recall", "f1")
SIMULATED = "oracle judge: it answers from the reference"


def save(results: AlignmentResults, session: ReportSession) -> Path:
    """Write the metrics and the alignment without seeds; the report's folder."""
    folder = session.folder
    write_json(folder / "metrics.json", metrics(results))
    write_json(folder / "timing.json", timing(results))
    (folder / "alignments").mkdir(exist_ok=True)
    save_alignment(results.headline[0].outcome.alignment, folder / "alignments" / "no-seeds.sssom.tsv")
    return folder


def timing(results: AlignmentResults) -> dict[str, Any]:
    """The seconds of every setting in this run: different every time."""
    return {
        part: {one.name: round(one.seconds, 3) for one in getattr(results, part)} for part in ("headline", "ablation")
    }


def metrics(results: AlignmentResults) -> dict[str, Any]:
    """What is the same every time."""
    return {
        "report": "entity-alignment",
        "pair": results.pair,
        "judge": results.judge,
        "embedder": results.embedder,
        "data": {graph.name: graph.digest for graph in (results.sides.left, results.sides.right)},
        "headline": [in_percent(row, 2) for row in figures(results)],
        "cost": spent(results.headline[0].outcome.run.totals),
        "settings": rows_of(results.headline),
        "ablation": rows_of(results.ablation),
        "curve": {
            title: [[ratio, round(found.ranking.hits1, 6)] for ratio, found in points]
            for title, points in results.curve.items()
        },
        "simulation": SIMULATED if any(one.simulation for one in results.headline) else None,
    }

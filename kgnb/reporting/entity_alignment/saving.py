"""``metrics.json`` and the alignment: the same bytes every time for the same parameters, data and cache."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from kgnb.mapping_files import save as save_alignment
from kgnb.reporting.entity_alignment.aligning import Results
from kgnb.reporting.entity_alignment.sections import rows_of
from kgnb.reporting.files import write_whole
from kgnb.reporting.session import Session


def save(results: Results, session: Session) -> Path:
    """Write the metrics, the alignment without seeds, the policy and the recorded ways; the report's folder."""
    folder = session.folder
    write_whole(folder / "metrics.json", json.dumps(metrics(results), indent=1, sort_keys=True) + "\n")
    (folder / "alignments").mkdir(exist_ok=True)
    save_alignment(results.headline[0].outcome.alignment, folder / "alignments" / "no-seeds.sssom.tsv")
    if results.simulation is not None:
        results.simulation.learned.policy.save(folder / "policy-simulation.json")
    return folder


def metrics(results: Results) -> dict[str, Any]:
    """What is the same every time."""
    headline = [
        {
            "setting": row["setting"],
            "hits1": round(100 * float(row["hits1"]), 2),
            "hits10": round(100 * float(row["hits10"]), 2),
            "mrr": f"{float(row['mrr']):.3f}",
            "f1": round(100 * float(row["f1"]), 2),
        }
        for row in rows_of(results.headline)
    ]
    return {
        "report": "entity-alignment",
        "pair": results.pair,
        "judge": results.judge,
        "embedder": results.embedder,
        "data": {graph.name: graph.digest for graph in (results.sides.left, results.sides.right)},
        "headline": headline,
        "settings": rows_of(results.headline),
        "ablation": rows_of(results.ablation),
        "curve": {
            title: [[ratio, round(found.ranking.hits1, 6)] for ratio, found in points]
            for title, points in results.curve.items()
        },
        "simulation": {
            "error_rate": results.simulation.error_rate,
            "planners": [asdict(one) for one in results.simulation.planners],
        }
        if results.simulation is not None
        else None,
    }

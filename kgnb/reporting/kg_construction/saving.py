"""The report's files: ``metrics.json`` without times, ``timing.json`` with them, the graph and its links."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from kgnb.files import write_json, write_whole
from kgnb.reporting.costs import spent
from kgnb.reporting.kg_construction.enforcement import PLANTED
from kgnb.reporting.kg_construction.running import BuildingResults
from kgnb.reporting.kg_construction.scoring import micro
from kgnb.reporting.kg_construction.sections import figures
from kgnb.reporting.sections import in_percent
from kgnb.reporting.session import ReportSession


def save(results: BuildingResults, session: ReportSession) -> Path:
    """Write the metrics and the graph; the report's folder."""
    write_json(session.folder / "metrics.json", metrics(results))
    write_json(session.folder / "timing.json", timing(results))
    results.built.save(session.folder / "graph.trig")
    if results.grounding is not None:
        write_whole(session.folder / "links.ttl", results.grounding.turtle())
    return session.folder


def timing(results: BuildingResults) -> dict[str, Any]:
    """What this run took: different every time."""
    steps = {f"{step.number} {step.name}": step.seconds for step in results.run.steps}
    return {
        "compile": {pack.name: pack.counts()["milliseconds"] / 1000 for pack in results.packs},
        "steps": steps,
    }


def metrics(results: BuildingResults) -> dict[str, Any]:
    """What is the same every time."""
    total = micro(results.scores)
    return {
        "report": "kg-construction",
        "reader": results.reader,
        "headline": [in_percent(row) for row in figures(results)],
        "cost": spent(results.run.totals),
        "tboxes": {
            pack.name: {k: v for k, v in pack.counts().items() if k != "milliseconds"} for pack in results.packs
        },
        "planted": sum(planted for _, planted, _, _ in PLANTED),
        "refused": sum(refused for _, _, refused, _ in PLANTED),
        "accepted": sum(accepted for _, _, _, accepted in PLANTED),
        "built": {name: value for name, value in results.built.counts().items() if name != "resumed"},
        "scores": {name: round(one.f1, 6) for name, one in results.scores.items()} | {"micro": round(total.f1, 6)},
        "feedback": {str(one.feedback): {k: round(v, 6) for k, v in one.f1.items()} for one in results.ablation},
        "grounded": dict(Counter(link.outcome for link in results.grounding.links)) if results.grounding else {},
    }

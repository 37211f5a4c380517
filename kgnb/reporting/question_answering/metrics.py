"""The report's figures as files beside the page: ``metrics.json`` without times, ``timing.json`` with them."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from kgnb.files import write_json
from kgnb.reporting.costs import spent
from kgnb.reporting.question_answering.results import AnsweringResults
from kgnb.reporting.question_answering.sections import figures
from kgnb.reporting.sections import in_percent
from kgnb.reporting.session import ReportSession


def metrics(results: AnsweringResults) -> dict[str, Any]:
    """The figures that are the same whenever the report is run again."""
    return {
        "report": "question-answering",
        "title": results.title,
        "judge": results.judge,
        "embedder": results.embedder,
        "entities": results.entities,
        "simulation": results.simulation,
        "options": asdict(results.options),
        "headline": [in_percent(row) for row in figures(results)],
        "all": asdict(results.whole) if results.items else None,
        "kinds": {kind: asdict(measures) for kind, measures in results.kinds.items()} if results.items else {},
        "judges": {one.name: asdict(one.measures) | {"calls": one.cost.calls} for one in results.judges},
        "variants": {one.name: asdict(one.measures) for one in results.variants},
        "queries": results.cost.queries,
        "calls": results.cost.calls,
        "tokens": results.cost.tokens,
        "cost": spent(results.run.totals),
    }


def save(results: AnsweringResults, session: ReportSession) -> None:
    """Writes both files into the session's folder; the answers are there already."""
    write_json(session.folder / "metrics.json", metrics(results))
    seconds = {"all": results.cost.seconds, "questions": {one.asked.id: one.cost.seconds for one in results.measured}}
    write_json(session.folder / "timing.json", seconds)

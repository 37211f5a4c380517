"""The report's figures as files beside the page: ``metrics.json`` without times, ``timing.json`` with them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from kgnb.files import write_whole
from kgnb.reporting.costs import spent
from kgnb.reporting.question_answering.results import Results
from kgnb.reporting.question_answering.sections import figures
from kgnb.reporting.session import Session


def metrics(results: Results) -> dict[str, Any]:
    """The figures that are the same whenever the report is run again."""
    return {
        "report": "question-answering",
        "title": results.title,
        "judge": results.judge,
        "embedder": results.embedder,
        "entities": results.entities,
        "simulation": results.simulation,
        "options": asdict(results.options),
        "headline": [_percent(row) for row in figures(results)],
        "all": asdict(results.whole) if results.items else None,
        "kinds": {kind: asdict(measures) for kind, measures in results.kinds.items()} if results.items else {},
        "judges": {one.name: asdict(one.measures) | {"calls": one.cost.calls} for one in results.judges},
        "variants": {one.name: asdict(one.measures) for one in results.variants},
        "queries": results.cost.queries,
        "calls": results.cost.calls,
        "tokens": results.cost.tokens,
        "cost": spent(results.run.totals),
    }


def save(results: Results, session: Session) -> None:
    """Writes both files into the session's folder; the answers are there already."""
    _write(session, "metrics.json", metrics(results))
    seconds = {"all": results.cost.seconds, "questions": {one.asked.id: one.cost.seconds for one in results.measured}}
    _write(session, "timing.json", seconds)


def _percent(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row of the headline as ``kgnb report`` prints it, shares in percent."""
    return {name: round(100 * value, 1) if isinstance(value, float) else value for name, value in row.items()}


def _write(session: Session, name: str, content: Any) -> None:
    write_whole(session.folder / name, json.dumps(content, indent=1, ensure_ascii=False) + "\n")

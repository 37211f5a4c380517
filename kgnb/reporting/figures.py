"""The headline figures of a report, whatever report wrote them: what a table of many reports shows of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from kgnb.files import from_json

Figure: TypeAlias = float | int
WHOLE = ("all", "micro", "scores", "mean")  # where reports without a headline keep the figures of the whole
COSTS = ("calls", "tokens", "prompt_tokens", "completion_tokens")
OURS = "this run"  # the source of a headline's row that the report itself found
MOST = 8


def read_metrics(folder: Path) -> dict[str, Any]:
    """A report's ``metrics.json``; empty where there is none that can be read."""
    try:
        content = from_json((folder / "metrics.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def headline_figures(metrics: Mapping[str, Any]) -> dict[str, Figure]:
    """The numbers in this run's first row of ``headline``, else those of the whole; at most eight, in its order.

    Published figures may stand above this run's in a table that is sorted; a row of this run has it as its source.

    >>> rows = [{"matcher": "other", "P": 97.0, "source": "a paper"}, {"matcher": "kgnb", "P": 96.0, "mrr": "0.989"}]
    >>> headline_figures({"headline": rows[1:]})
    {'P': 96.0, 'mrr': 0.989}
    >>> headline_figures({"headline": [rows[0], {"P": 96.0, "source": "this run"}]})
    {'P': 96.0}
    >>> headline_figures({"all": {"f1": 0.5, "kind": "x"}, "calls": 3})
    {'f1': 0.5}
    """
    rows = metrics.get("headline")
    rows = [row for row in rows if isinstance(row, Mapping)] if isinstance(rows, list) else []
    whole = next((row for row in rows if row.get("source") == OURS), rows[0] if rows else None)
    if not isinstance(whole, Mapping):
        whole = next((metrics[name] for name in WHOLE if isinstance(metrics.get(name), Mapping)), None)
    if whole is None:
        whole = {name: value for name, value in metrics.items() if name not in COSTS}
    return dict(list(_numbers(whole))[:MOST])


def costs(metrics: Mapping[str, Any]) -> dict[str, Figure]:
    """Model calls and tokens, as if nothing had been cached; times are not among them, for they never repeat."""
    kept = metrics.get("cost")
    where = kept if isinstance(kept, Mapping) else metrics
    return {name: where[name] for name in COSTS if isinstance(where.get(name), int)}


def marks(metrics: Mapping[str, Any]) -> list[str]:
    """What must not be overlooked about the figures: a simulation, a partial result."""
    found = []
    if metrics.get("simulation") and isinstance(metrics["simulation"], str):
        found.append(f"simulation: {metrics['simulation']}")
    if metrics.get("partial"):
        why = metrics.get("partial_reason") or metrics["partial"]
        found.append(f"partial: {why}" if isinstance(why, str) else "partial")
    return found


def _numbers(values: Mapping[str, Any]) -> Iterator[tuple[str, Figure]]:
    for name, value in values.items():
        if isinstance(value, str):
            try:
                yield name, float(value)
            except ValueError:
                continue
        elif isinstance(value, int | float) and not isinstance(value, bool):
            yield name, value

"""The headline figures of a report, whatever report wrote them: what a table of many reports shows of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

Figure: TypeAlias = float | int
WHOLE = ("all", "micro", "scores", "mean")  # where reports without a headline keep the figures of the whole
COSTS = ("calls", "tokens", "prompt_tokens", "completion_tokens")
MOST = 8


def headline_figures(metrics: Mapping[str, Any]) -> dict[str, Figure]:
    """The numbers in the first row of ``headline``, else those of the whole; at most eight, in the report's order.

    >>> headline_figures({"headline": [{"matcher": "kgnb", "P": 96.0, "mrr": "0.989"}, {"matcher": "other", "P": 80}]})
    {'P': 96.0, 'mrr': 0.989}
    >>> headline_figures({"all": {"f1": 0.5, "kind": "x"}, "calls": 3})
    {'f1': 0.5}
    """
    rows = metrics.get("headline")
    whole = rows[0] if isinstance(rows, list) and rows else None
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
        found.append(f"partial: {metrics['partial']}" if isinstance(metrics["partial"], str) else "partial")
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

"""Cost beside quality: what one item took in this run, and what the papers print for theirs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kgnb.datasets.published import PublishedRow, published
from kgnb.reporting.figures import (
    NOT_PUBLISHED,
    Figure,
    FigureRow,
    absent_figure,
    figure_table,
    measured,
    no_better,
)
from kgnb.reporting.figures import published as cited
from kgnb.reporting.sections import SOURCE, heard, requests, silence, spent
from kgnb.results.table import Column, Table, numbers, percents, texts
from kgnb.run import Run

NO_PRICE, NOT_APART = "price not set", "known of the whole run only"
EACH = ("calls_each", "tokens_each", "usd_each", "seconds_each")
TITLES = {
    "calls_each": "Calls",
    "tokens_each": "Tokens",
    "usd_each": "US dollars",
    "seconds_each": "Seconds",
}


@dataclass(frozen=True)
class Priced:
    """What a report's costs are told by: the item, the figure of quality and where published costs
    and that figure stand.
    """

    report: str
    item: str
    quality: str  # key of the figure
    title: str
    published_quality: tuple[str, str]  # the data, and the key there


PRICED = {
    one.report: one
    for one in (
        Priced("ontology-matching", "entity", "f1", "F1", ("oaei-anatomy", "f1")),
        Priced("question-answering", "question", "exact", "Exact set", ("qald10", "lenient")),
        Priced("entity-alignment", "entity", "hits1", "Hits@1", ("dbp15k/fr_en", "hits1")),
        Priced("kg-construction", "document", "f1", "F1", ("mop-papers", "f1")),
    )
}


def each(totals: Mapping[str, object], items: int, seconds: float) -> dict[str, Figure]:
    """What one item took on average; money only where every price is known, and where ``totals``
    are those of a run.
    """
    if not items:
        return dict.fromkeys(EACH, absent_figure("there is no item"))
    calls = _number(totals["calls"])
    tokens = _number(totals["prompt_tokens"]) + _number(totals["completion_tokens"])
    usd = totals.get("usd", NOT_APART) if calls else 0.0
    dollars = (
        measured(usd / items)
        if isinstance(usd, int | float)
        else absent_figure(str(usd or NO_PRICE))
    )
    return {
        "calls_each": measured(round(calls / items, 4)),
        "tokens_each": measured(round(tokens / items, 2)),
        "usd_each": dollars,
        "seconds_each": measured(round(seconds / items, 4)),
    }


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


def common_metrics(
    report: str, run: Run, rows: Sequence[FigureRow], costs: Sequence[FigureRow], digits: int = 1
) -> dict[str, Any]:
    """What ``metrics.json`` of every report has: the headline, how its model did, and the costs of
    the first row.
    """
    return {
        "report": report,
        "headline": [row.to_json(digits) for row in rows],
        "judged": heard(run),
        "silent": silence(run) or no_better(rows),
        "cost": spent(run.totals),
        "requests": requests(run),
        "cost_each": {name: costs[0].value(name) for name in ("calls_each", "tokens_each")},
    }


def _theirs(report: str, row: PublishedRow) -> FigureRow:
    told = PRICED[report]
    data, key = told.published_quality
    same = [
        one for one in published(data) if one.system.split(" (")[0] == row.system.split(" (")[0]
    ]
    found = {name: cited(row.get(name), row.source) for name in EACH}
    quality = cited(same[0].get(key), same[0].source) if same else absent_figure(NOT_PUBLISHED)
    if key != told.quality and quality.value is not None:
        quality = absent_figure(f"{100 * quality.value:.1f} %, {key}")
    covers = f"{row.covers}; {row.note}" if row.note else row.covers
    return FigureRow(row.system, covers, found | {told.quality: quality}, elsewhere=True)


def cost_table(report: str, ours: Sequence[FigureRow], papers: bool) -> Table:
    """What an item takes, and how good the result is: our rows, and the papers' if they are wanted."""
    told = PRICED[report]
    rows = [*ours, *(_theirs(report, row) for row in published(f"cost/{report}") if papers)]
    columns: list[Column] = [*percents(**{told.quality: told.title})]
    columns += numbers(**{key: f"{TITLES[key]}, each {told.item}" for key in EACH})
    first = texts(system="System", covers="Covers")
    notes = ["Seconds are those of this run on this machine, and differ every time."]
    caption = "Cost beside quality"
    return figure_table(rows, columns, first, [SOURCE], caption=caption, notes=notes)

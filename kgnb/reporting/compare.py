"""Reports side by side: parameters against headline figures and costs, without times or absolute
paths.

As data, and as the pages that list and compare reports.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader
from markupsafe import Markup

from kgnb.errors import DataError
from kgnb.files import write_json, write_whole
from kgnb.reporting.grid import Grid
from kgnb.reporting.item import read_state
from kgnb.reporting.parameters import Value as Given
from kgnb.reporting.parameters import assignments, typed
from kgnb.reporting.plot import Axes, Plot, Theme
from kgnb.reporting.report import DATA_SETS, OWN_DATA, find_template
from kgnb.reporting.session import (
    Amount,
    ReportRequest,
    costs,
    headline_figures,
    marks,
    read_ledger,
    read_metrics,
    read_request,
)
from kgnb.results.bundle import count

MAIN = ("f1", "hits1", "hits@1", "accuracy", "exact", "micro f1")
AMOUNTS = frozenset({"entities", "found", "nobody", "seeds", "unsure", "written"})
"""Figures of which neither more nor less is better: what there was, and what was made of it."""
BARS = 40  # at most


@dataclass(frozen=True)
class Row:
    """One report: its parameters, state, headline figures and costs."""

    parameters: Mapping[str, Given]
    state: str
    page: str = ""
    figures: Mapping[str, Amount] = field(default_factory=dict)
    cost: Mapping[str, Amount] = field(default_factory=dict)
    notes: Sequence[str] = ()
    error: str = ""

    @property
    def label(self) -> str:
        """What sets it apart, as one would type it, shortened for a plot."""
        words = " ".join(
            assignments({name: value for name, value in self.parameters.items() if value})
        )
        return words if len(words) <= 48 else words[:47] + "…"


@dataclass(frozen=True)
class Compared:
    """Reports as rows: ``varied`` are the parameters in which they differ, ``fixed`` the others."""

    report: str
    varied: tuple[str, ...]
    fixed: Mapping[str, Given]
    rows: tuple[Row, ...]

    def to_json(self) -> dict[str, Any]:
        """As plain JSON, the same bytes for the same results."""
        return asdict(self) | {"states": self.states}

    @property
    def states(self) -> dict[str, int]:
        """How many reports are in which state, by name."""
        return dict(sorted(Counter(row.state for row in self.rows).items()))

    @property
    def main(self) -> str:
        """The figure that reports are ranked by: the first of ``MAIN`` that they have, else their
        first that has a better and a worse; "" where there is none.
        """
        known = {name.casefold(): name for name in reversed(self.columns)}
        ranking = [name for name in self.columns if name not in AMOUNTS]
        return next((known[name] for name in MAIN if name in known), next(iter(ranking), ""))

    @property
    def ranked(self) -> list[Row]:
        """The rows, best first; those without figures last."""
        return sorted(self.rows, key=lambda row: -row.figures.get(self.main, float("-inf")))

    @property
    def columns(self) -> list[str]:
        """The names of all figures, in the order in which they first occur."""
        return list(dict.fromkeys(name for row in self.rows for name in row.figures))

    @property
    def cost_columns(self) -> list[str]:
        """The names of all costs; tokens in and out only where they are not added up as well."""
        names = list(dict.fromkeys(name for row in self.rows for name in row.cost))
        return [name for name in names if "tokens" not in names or not name.endswith("_tokens")]

    @property
    def best(self) -> dict[str, Amount]:
        """The highest value of each figure, where there is more than one row."""
        several = self.columns if len(self.rows) > 1 else []
        return {
            name: max(row.figures[name] for row in self.rows if name in row.figures)
            for name in several
            if name not in AMOUNTS
        }

    @property
    def failed(self) -> list[Row]:
        """The rows with an error."""
        return [row for row in self.rows if row.error]

    @property
    def given(self) -> dict[str, str]:
        """The parameters that are the same in all, as one would type them, without those that are
        empty and the data set that data of one's own take the place of.
        """
        kept = {name: value for name, value in self.fixed.items() if value not in ("", None)}
        if any(name in self.varied or name in kept for name in OWN_DATA):
            kept = {name: value for name, value in kept.items() if name not in DATA_SETS}
        return {name: typed(value) for name, value in kept.items()}


def compare_items(folder: Path, grid: Grid) -> Compared:
    """The items of a sweep, in the order of its grid."""
    rows = []
    sent: dict[str, str] = {}
    for item in grid.items:
        home = folder / "items" / item.name
        item_state = read_state(home)
        state = item_state.state
        page = f"items/{item.name}/report.html" if (home / "report.html").is_file() else ""
        error = item_state.error if state == "failed" else ""
        parameters = {name: item.values[name] for name in grid.varied}
        rows.append(
            _row(
                parameters,
                state,
                page,
                read_metrics(home) if state == "done" else {},
                error,
                {},
                sent,
            )
        )
    fixed = {name: value for name, value in grid.items[0].values.items() if name not in grid.varied}
    return Compared(_name(grid.report), grid.varied, fixed, tuple(rows))


def _row(
    parameters: Mapping[str, Given],
    state: str,
    page: str,
    metrics: Mapping[str, Any],
    error: str,
    spelled: dict[str, str],
    sent: dict[str, str],
) -> Row:
    """One report as a row; a figure spelled in two ways (F1, f1) goes under the spelling met first.

    ``sent`` holds, by the digest of what its model was sent, the first row that sent the same.
    """
    figures = headline_figures(metrics) if metrics else {}
    figures = {spelled.setdefault(name.casefold(), name): value for name, value in figures.items()}
    row = Row(parameters, state, page, figures, costs(metrics), marks(metrics), error)
    requests = metrics.get("requests")
    first = sent.setdefault(requests, row.label) if requests else row.label
    same = f"asked its model the same as {first}: what sets them apart is not measured"
    return row if first == row.label else replace(row, notes=[*row.notes, same])


def compare_reports(folders: Iterable[Path | str], start: Path | str | None = None) -> Compared:
    """Reports (their folders) side by side, of one kind or of several; links to them go from the
    folder ``start``.

    Raises:
        DataError: a folder holds no report.
    """
    found = []
    for folder in map(Path, folders):
        ledger, request = read_ledger(folder), read_request(folder)
        if ledger is None:
            raise DataError(
                "there is no report",
                where=str(folder),
                fix="Name a folder that kgnb report has written.",
            )
        asked = (
            {"report": _name(request.report)} | dict(request.values)
            if request
            else {"report": folder.parent.name}
        )
        error = next((cell.error for cell in ledger.cells.values() if cell.state == "failed"), "")
        page = os.path.relpath(folder, start) if start else folder.resolve().name
        state = "done" if ledger.state == "ran" else ledger.state
        found.append(
            (asked, state, f"{Path(page).as_posix()}/report.html", read_metrics(folder), error)
        )
    parameters = [asked for asked, *_ in found]
    names = list(dict.fromkeys(name for one in parameters for name in one))
    # Reports of several kinds share few parameters: one that only some have is compared among
    # those.
    varied = tuple(
        name
        for name in names
        if len({json.dumps(one[name]) for one in parameters if name in one}) > 1
    )
    spelled: dict[str, str] = {}
    sent: dict[str, str] = {}
    rows = tuple(
        _row(
            {name: asked[name] for name in varied if name in asked},
            state,
            page,
            metrics,
            error,
            spelled,
            sent,
        )
        for asked, state, page, metrics, error in found
    )
    shared = [
        name for name in names if name not in varied and all(name in one for one in parameters)
    ]
    fixed = {name: parameters[0][name] for name in shared}
    return Compared(str(fixed.pop("report", "several")), varied, fixed, rows)


def _name(report: str) -> str:
    return Path(report).stem if report.endswith(".ipynb") else report


def text_of(compared: Compared) -> str:
    """The rows as aligned columns."""
    rows = [[*compared.varied, "state", *compared.columns, *compared.cost_columns]]
    for row in compared.rows:
        values = [typed(row.parameters.get(name, "")) or "-" for name in compared.varied]
        figures = [str(row.figures.get(name, "-")) for name in compared.columns]
        rows.append(
            [
                *values,
                row.state,
                *figures,
                *(str(row.cost.get(name, "-")) for name in compared.cost_columns),
            ]
        )
    return "\n".join(aligned(rows))


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows of cells as lines, each column as wide as its widest cell."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


@cache
def _lists() -> Any:
    """The macros of the pages."""
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "template"), autoescape=True
    )
    environment.filters |= {"typed": typed, "plain": plain_figure}
    return environment.get_template("lists.html.j2").module


def plain_figure(value: Amount) -> str:
    """A figure as one reads it: whole, in percent, or (an MRR) below one.

    >>> plain_figure(1200), plain_figure(92.34), plain_figure(0.875)
    ('1,200', '92.3', '0.875')
    """
    return (
        f"{value:,}"
        if isinstance(value, int)
        else f"{value:.1f}"
        if abs(value) > 1
        else f"{value:.3f}"
    )


def write_index(folder: Path) -> Path:
    """Write the index of all reports below a folder; one that cannot be read is listed as such."""
    folder.mkdir(parents=True, exist_ok=True)
    homes = [cells.parent for cells in sorted(folder.rglob("cells.json"))]
    reports = [
        _listed(home, folder) for home in homes if "items" not in home.relative_to(folder).parts
    ]  # not of sweeps
    sweeps = [
        (page.parent.name, page.relative_to(folder).as_posix())
        for page in folder.rglob("comparison.html")
    ]
    return write_whole(
        folder / "index.html", _lists().page("Reports", _lists().index(reports, sorted(sweeps)))
    )


def _listed(home: Path, folder: Path) -> dict[str, str]:
    request, ledger, metrics = read_request(home), read_ledger(home), read_metrics(home)
    state = (
        "cannot be read" if ledger is None else "done" if ledger.state == "ran" else ledger.state
    )
    figures = ", ".join(
        f"{name} {value:g}" for name, value in list(headline_figures(metrics).items())[:5]
    )
    page = home / "report.html"
    return {
        "name": Path(request.report).stem if request else home.parent.name,
        "changed": _changed(request) if request else "",
        "state": state,
        "headline": f"{figures} {'; '.join(marks(metrics))}".strip(),
        "page": page.relative_to(folder).as_posix() if page.is_file() else "",
    }


def _changed(request: ReportRequest) -> str:
    try:
        defaults = {entry.name: entry.default for entry in find_template(request.report).parameters}
    except (ValueError, DataError):  # a notebook that is gone or broken
        defaults = {}
    changed = {
        name: value for name, value in request.values.items() if value != defaults.get(name, "")
    }
    return " ".join(assignments(changed))


def comparison_page(compared: Compared, title: str, again: str = "") -> str:
    """The comparison as one HTML file without network or script; ``again`` says how to repeat it."""
    partial = ", ".join(
        f"{count} {state}" for state, count in compared.states.items() if state != "done"
    )
    ranked = [row for row in compared.ranked if compared.main in row.figures]
    best = ranked[0] if ranked and compared.states.get("done", 0) > 1 else None
    plot = cost_against_quality(compared)
    drawn = Markup(plot._repr_mimebundle_()["text/html"]) if plot else ""
    return str(_lists().page(title, _lists().comparison(compared, best, partial, drawn, again)))


def write_comparison(
    folder: Path, compared: Compared, title: str, again: str = ""
) -> tuple[Path, Path]:
    """Write ``comparison.html`` and ``comparison.json`` into the folder; returns their paths."""
    data = write_json(folder / "comparison.json", compared.to_json())
    return write_whole(folder / "comparison.html", comparison_page(compared, title, again)), data


def cost_against_quality(compared: Compared) -> Plot | None:
    """The main figure over its cost, or bars where nothing was paid; None where there is nothing to
    compare.
    """
    main = compared.main
    rows = [row for row in compared.ranked if main in row.figures]
    if not main or len(rows) < 2:
        return None
    names, values = [row.label for row in rows], [float(row.figures[main]) for row in rows]
    cost = next(
        (name for name in ("tokens", "calls") if len({row.cost.get(name) for row in rows}) > 1), ""
    )
    if cost and all(cost in row.cost for row in rows):
        return _over_cost(names, [float(row.cost[cost]) for row in rows], values, cost, main)
    return _bars(names[:BARS], values[:BARS], main, len(names))


def _over_cost(
    names: Sequence[str], costs: Sequence[float], values: Sequence[float], cost: str, main: str
) -> Plot:
    front: list[
        int
    ] = []  # the points that no cheaper point equals (the Pareto front), cheapest first
    for at in sorted(range(len(costs)), key=lambda at: (costs[at], -values[at], at)):
        if not front or values[at] > values[front[-1]]:
            front.append(at)

    def draw(axes: Axes, theme: Theme) -> None:
        axes.plot(
            [costs[at] for at in front],
            [values[at] for at in front],
            "--",
            color=theme.line,
            zorder=1,
        )
        axes.scatter(costs, values, color=theme.series[0], s=28, zorder=3, clip_on=False)
        for at in front:
            axes.annotate(
                names[at],
                (costs[at], values[at]),
                (4, 4),
                textcoords="offset points",
                fontsize=7,
                color=theme.soft,
            )
        axes.margins(x=0.15, y=0.15)
        axes.set_xlim(left=0)
        axes.xaxis.set_major_formatter("{x:,.0f}")
        axes.set_xlabel(cost)
        axes.set_ylabel(main)
        axes.grid()
        axes.set_axisbelow(True)

    cheapest = ", ".join(
        f"{names[at]}: {main} {values[at]:g} for {costs[at]:,.0f} {cost}" for at in front
    )
    caption = f"{main} against {cost}. Nothing that costs less is as good as those on the dashed line, which are named."
    return Plot(
        draw,
        caption,
        f"{main} against {cost} of {count(len(names), 'report')}. Nothing cheaper is as good as {cheapest}.",
    )


def _bars(names: Sequence[str], values: Sequence[float], main: str, number: int) -> Plot:
    def draw(axes: Axes, theme: Theme) -> None:
        places = range(len(names) - 1, -1, -1)
        drawn = axes.barh(places, values, 0.7, color=theme.series[0])
        axes.bar_label(
            drawn, [f"{value:g}" for value in values], padding=3, fontsize=7, color=theme.soft
        )
        axes.set_yticks(places, names)
        axes.tick_params(axis="y", length=0)
        axes.margins(x=0.1)
        axes.set_xlabel(main)
        axes.grid(axis="x")
        axes.set_axisbelow(True)

    first = f" The best {len(names)} of {number}." if len(names) < number else ""
    alt = ", ".join(f"{name} {value:g}" for name, value in zip(names, values, strict=True))
    return Plot(
        draw,
        f"{main}, best first.{first}",
        f"Bars of {main}: {alt}.",
        size=(7.2, 0.8 + 0.26 * len(names)),
    )

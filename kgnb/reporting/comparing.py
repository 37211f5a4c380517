"""Reports side by side: parameters against headline figures and costs. No time and no path of this machine is in it."""

from __future__ import annotations

import html
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from kgnb.errors import DataError
from kgnb.reporting.figures import Figure, costs, headline_figures, marks
from kgnb.reporting.files import write_whole
from kgnb.reporting.grid import Grid
from kgnb.reporting.item import read_state
from kgnb.reporting.ledger import read_ledger
from kgnb.reporting.listing import document, table
from kgnb.reporting.parameters import Value, assignments
from kgnb.reporting.request import read_request
from kgnb.run import Run


@dataclass(frozen=True)
class Row:
    """One report: what it was told, how it ended, what it found and what that cost."""

    parameters: Mapping[str, Value]
    state: str
    page: str = ""
    figures: Mapping[str, Figure] = field(default_factory=dict)
    cost: Mapping[str, Figure] = field(default_factory=dict)
    notes: Sequence[str] = ()
    error: str = ""


@dataclass(frozen=True)
class Compared:
    """Reports as rows: ``varied`` are the parameters in which they differ, ``fixed`` the others."""

    report: str
    varied: tuple[str, ...]
    fixed: Mapping[str, Value]
    rows: tuple[Row, ...]

    def to_json(self) -> dict[str, Any]:
        """As plain JSON, the same bytes for the same results."""
        counts: dict[str, int] = {}
        for row in self.rows:
            counts[row.state] = counts.get(row.state, 0) + 1
        return asdict(self) | {"states": dict(sorted(counts.items()))}

    @property
    def columns(self) -> list[str]:
        """The names of all figures, in the order in which they first occur."""
        return list(dict.fromkeys(name for row in self.rows for name in row.figures))

    @property
    def cost_columns(self) -> list[str]:
        """The names of all costs."""
        return list(dict.fromkeys(name for row in self.rows for name in row.cost))


def compare_items(folder: Path, grid: Grid) -> Compared:
    """The items of a sweep, in the order of its grid."""
    rows = []
    for item in grid.items:
        home = folder / "items" / item.name
        state = read_state(home)
        said = state.state if state else "not run"
        page = f"items/{item.name}/report.html" if (home / "report.html").is_file() else ""
        told = {name: item.values[name] for name in grid.varied}
        metrics = _metrics(home) if said == "done" else {}
        error = state.error if state and said == "failed" else ""
        rows.append(
            Row(told, said, page, headline_figures(metrics) if metrics else {}, costs(metrics), marks(metrics), error)
        )
    first = grid.items[0].values
    fixed = {name: value for name, value in first.items() if name not in grid.varied}
    return Compared(_name(grid.report), grid.varied, fixed, tuple(rows))


def compare_reports(folders: Iterable[Path | str]) -> Compared:
    """Reports (their folders) side by side, of one kind or of several.

    Raises:
        DataError: a folder holds no report.
    """
    found = []
    for folder in map(Path, folders):
        ledger, metrics, request = read_ledger(folder), _metrics(folder), read_request(folder)
        if ledger is None:
            raise DataError("there is no report", where=str(folder), fix="Name a folder that kgnb report has written.")
        asked = {"report": _name(request.report)} | dict(request.values) if request else {"report": folder.parent.name}
        found.append((folder, asked, "done" if ledger.state == "ran" else ledger.state, metrics))
    told = [asked for _, asked, _, _ in found]
    names = list(dict.fromkeys(name for one in told for name in one))
    varied = tuple(name for name in names if len({json.dumps(one.get(name, "-")) for one in told}) > 1)
    rows = tuple(
        Row({name: one.get(name) for name in varied}, state, f"{folder.name}/report.html",
            headline_figures(metrics) if metrics else {}, costs(metrics), marks(metrics))
        for one, (folder, _, state, metrics) in zip(told, found, strict=True)
    )  # fmt: skip
    fixed = {name: told[0][name] for name in names if name not in varied} if told else {}
    return Compared(str(fixed.pop("report", "several")), varied, fixed, rows)


def load_run(folder: Path) -> Run:
    """The run in a folder, or in a report's folder."""
    return Run.load(folder / "run" if (folder / "run").is_dir() else folder)


def text_of(compared: Compared) -> str:
    """The rows as aligned columns."""
    names = [*compared.varied, "state", *compared.columns, *compared.cost_columns]
    rows = [names]
    for row in compared.rows:
        told = [assignments({"": row.parameters[name]})[0][1:] or "-" for name in compared.varied]
        found = [str(values.get(name, "-")) for values, columns in
                 ((row.figures, compared.columns), (row.cost, compared.cost_columns)) for name in columns]  # fmt: skip
        rows.append([*told, row.state, *found])
    widths = [max(len(row[column]) for row in rows) for column in range(len(names))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


def write_comparison(folder: Path, compared: Compared, title: str) -> tuple[Path, Path]:
    """Write ``comparison.html`` and ``comparison.json`` into the folder and say where."""
    page, data = folder / "comparison.html", folder / "comparison.json"
    text = json.dumps(compared.to_json(), indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    write_whole(data, text)
    write_whole(page, comparison_page(compared, title))
    return page, data


def comparison_page(compared: Compared, title: str) -> str:
    """The comparison as one HTML file without network or script."""
    done = sum(row.state == "done" for row in compared.rows)
    fixed = " ".join(word for word in assignments(compared.fixed) if not word.endswith("="))
    parts = [f"<p>{done} of {len(compared.rows)} reports are done. Best figures are bold.</p>"]
    if done < len(compared.rows):
        parts.append('<p class="alarm"><strong>This comparison is partial</strong>: some reports are missing.</p>')
    parts.append(comparison_table(compared))
    if fixed:
        parts.append(f"<h2>The same in all</h2><p><code>{html.escape(fixed)}</code></p>")
    return document(title, "".join(parts))


def comparison_table(compared: Compared) -> str:
    """The rows as an HTML table; what is best of each figure is bold (the largest: none of them is better small)."""
    best = {
        name: max((row.figures[name] for row in compared.rows if name in row.figures), default=None)
        for name in compared.columns
    }
    names = [*compared.varied, "state", *compared.columns, *compared.cost_columns, "note", "page"]
    rows = []
    for row in compared.rows:
        told = [html.escape(assignments({"": row.parameters[name]})[0][1:]) for name in compared.varied]
        figures = [_figure(row.figures.get(name), best[name], len(compared.rows)) for name in compared.columns]
        paid = [f"{row.cost[name]:,}" if name in row.cost else "-" for name in compared.cost_columns]
        note = html.escape("; ".join([*row.notes, *([row.error] if row.error else [])]))
        link = f'<a href="{html.escape(row.page, quote=True)}">open</a>' if row.page else ""
        rows.append([*told, html.escape(row.state), *figures, *paid, note, link])
    return table(names, rows)


def _figure(value: Figure | None, best: Figure | None, rows: int) -> str:
    if value is None:
        return "-"
    shown = f"{value:,}" if isinstance(value, int) else f"{value:.1f}" if abs(value) > 1 else f"{value:.3f}"
    return f"<strong>{shown}</strong>" if value == best and rows > 1 else shown


def _metrics(folder: Path) -> dict[str, Any]:
    try:
        content = json.loads((folder / "metrics.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def _name(report: str) -> str:
    return Path(report).stem if report.endswith(".ipynb") else report

"""Reports side by side: parameters against headline figures and costs, without times or absolute paths."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from kgnb.errors import DataError
from kgnb.reporting.grid import Grid
from kgnb.reporting.item import read_state
from kgnb.reporting.parameters import Value, typed
from kgnb.reporting.session import Figure, costs, headline_figures, marks, read_ledger, read_metrics, read_request

MAIN = ("f1", "hits1", "hits@1", "accuracy", "exact", "micro f1")


@dataclass(frozen=True)
class Row:
    """One report: its parameters, state, headline figures and costs."""

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
        return asdict(self) | {"states": self.states}

    @property
    def states(self) -> dict[str, int]:
        """How many reports are in which state, by name."""
        return dict(sorted(Counter(row.state for row in self.rows).items()))

    @property
    def main(self) -> str:
        """The figure that reports are ranked by: the first of ``MAIN`` that they have, else their first."""
        known = {name.casefold(): name for name in reversed(self.columns)}
        return next((known[name] for name in MAIN if name in known), self.columns[0] if self.columns else "")

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


def compare_items(folder: Path, grid: Grid) -> Compared:
    """The items of a sweep, in the order of its grid."""
    rows = []
    for item in grid.items:
        home = folder / "items" / item.name
        item_state = read_state(home)
        state = item_state.state if item_state else "not run"
        page = f"items/{item.name}/report.html" if (home / "report.html").is_file() else ""
        error = item_state.error if item_state and state == "failed" else ""
        parameters = {name: item.values[name] for name in grid.varied}
        rows.append(_row(parameters, state, page, read_metrics(home) if state == "done" else {}, error, {}))
    fixed = {name: value for name, value in grid.items[0].values.items() if name not in grid.varied}
    return Compared(_name(grid.report), grid.varied, fixed, tuple(rows))


def _row(
    parameters: Mapping[str, Value], state: str, page: str, metrics: Mapping[str, Any], error: str,
    spelled: dict[str, str],
) -> Row:  # fmt: skip
    """One report as a row; a figure spelled in two ways (F1, f1) goes under the spelling met first."""
    figures = headline_figures(metrics) if metrics else {}
    figures = {spelled.setdefault(name.casefold(), name): value for name, value in figures.items()}
    return Row(parameters, state, page, figures, costs(metrics), marks(metrics), error)


def compare_reports(folders: Iterable[Path | str], start: Path | str | None = None) -> Compared:
    """Reports (their folders) side by side, of one kind or of several; links to them go from the folder ``start``.

    Raises:
        DataError: a folder holds no report.
    """
    found = []
    for folder in map(Path, folders):
        ledger, request = read_ledger(folder), read_request(folder)
        if ledger is None:
            raise DataError("there is no report", where=str(folder), fix="Name a folder that kgnb report has written.")
        asked = {"report": _name(request.report)} | dict(request.values) if request else {"report": folder.parent.name}
        error = next((cell.error for cell in ledger.cells.values() if cell.state == "failed"), "")
        page = os.path.relpath(folder, start) if start else folder.resolve().name
        state = "done" if ledger.state == "ran" else ledger.state
        found.append((asked, state, f"{Path(page).as_posix()}/report.html", read_metrics(folder), error))
    parameters = [asked for asked, *_ in found]
    names = list(dict.fromkeys(name for one in parameters for name in one))
    # Reports of several kinds share few parameters: one that only some have is compared among those.
    varied = tuple(name for name in names if len({json.dumps(one[name]) for one in parameters if name in one}) > 1)
    spelled: dict[str, str] = {}
    rows = tuple(
        _row({name: asked[name] for name in varied if name in asked}, state, page, metrics, error, spelled)
        for asked, state, page, metrics, error in found
    )
    shared = [name for name in names if name not in varied and all(name in one for one in parameters)]
    fixed = {name: parameters[0][name] for name in shared}
    return Compared(str(fixed.pop("report", "several")), varied, fixed, rows)


def text_of(compared: Compared) -> str:
    """The rows as aligned columns."""
    rows = [[*compared.varied, "state", *compared.columns, *compared.cost_columns]]
    for row in compared.rows:
        values = [typed(row.parameters.get(name, "")) or "-" for name in compared.varied]
        figures = [str(row.figures.get(name, "-")) for name in compared.columns]
        rows.append([*values, row.state, *figures, *(str(row.cost.get(name, "-")) for name in compared.cost_columns)])
    return "\n".join(aligned(rows))


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows of cells as lines, each column as wide as its widest cell."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def _name(report: str) -> str:
    return Path(report).stem if report.endswith(".ipynb") else report

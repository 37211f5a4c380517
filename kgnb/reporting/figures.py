"""What a report states: a figure with where it comes from, or why there is none.

A figure is measured in the run that prints it, or published and cited, or absent with a reason; no
cell of a headline or of an ablation is anything else.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from kgnb.datasets.published import PublishedRow
from kgnb.evaluate.alignment import Score
from kgnb.reporting.session import OURS
from kgnb.results.cells import NoFigure, OfFew, share
from kgnb.results.table import Column, Table, Value

NOT_PUBLISHED = "not published"
SCORE_KEYS = ("precision", "recall", "f1")
NOTHING_FOUND = "nothing found"
NOTHING_WANTED = "the reference is empty"
ELSEWHERE = "other data"


@dataclass(frozen=True, slots=True)
class Figure:
    """A value and its source, ``OURS`` or a citation; without a value, why there is none.

    A share of few items is an ``OfFew``.

    Raises:
        ValueError: a value without a source, or neither a value nor a reason.
    """

    value: float | int | None
    source: str = ""
    why: str = ""

    def __post_init__(self) -> None:
        if self.value is None and not self.why:
            raise ValueError("a figure without a value says why there is none")
        if self.value is not None and (not self.source or self.why):
            raise ValueError("a figure with a value says where it comes from, and nothing else")

    @property
    def cell(self) -> Value:
        """What a table shows: the value, or the reason."""
        return NoFigure(self.why) if self.value is None else self.value


def measured(
    value: float | int | None, why: str = "not measured", *, of: int = 0, mean: bool = False
) -> Figure:
    """A figure of this run; without a value, why this run has none.

    ``of`` says of how many items a share is, or a ``mean`` of shares.
    """
    if value is None:
        return Figure(None, why=why)
    return Figure(share(value, of, mean=mean), OURS)


def scored(score: Score) -> dict[str, Figure]:
    """Precision, recall and F1 of counts; of nothing found or wanted there is none."""
    found, wanted = score.tp + score.fp, score.tp + score.fn
    precision = score.precision if found else None
    recall, f1 = (score.recall, score.f1) if wanted else (None, None)
    return {
        "precision": measured(precision, NOTHING_FOUND, of=found),
        "recall": measured(recall, NOTHING_WANTED, of=wanted),
        "f1": measured(f1, NOTHING_WANTED, of=wanted, mean=True),
    }


def cells_of(score: Score) -> list[Value]:
    """Precision, recall and F1 of counts as cells of a row."""
    return [figure.cell for figure in scored(score).values()]


def published(value: float | int | None, source: str) -> Figure:
    """A figure that another system is published with."""
    return Figure(None, why=NOT_PUBLISHED) if value is None else Figure(value, source)


def absent_figure(why: str) -> Figure:
    """No figure, and why."""
    return Figure(None, why=why)


NO_REFERENCE = absent_figure("no reference")


@dataclass(frozen=True)
class FigureRow:
    """One row: a system, what its figures cover, and the figures by the key of their column.

    ``elsewhere`` marks figures on other data than the report's own, ``unasked`` those that the
    report's model was not asked for, and has to be better than.
    """

    system: str
    covers: str
    figures: Mapping[str, Figure]
    elsewhere: bool = False
    unasked: bool = False

    def __post_init__(self) -> None:
        if bare := [key for key, one in self.figures.items() if not isinstance(one, Figure)]:
            raise TypeError(f"{', '.join(bare)}: a number alone does not say where it comes from")

    @property
    def source(self) -> str:
        """Where the figures of the row come from; "" where it has none."""
        sources = dict.fromkeys(one.source for one in self.figures.values() if one.source)
        return "; ".join(sources)

    @property
    def covered(self) -> str:
        """What the figures cover, marked where that is other data."""
        return f"{ELSEWHERE}: {self.covers}" if self.elsewhere else self.covers

    def value(self, key: str) -> float | int | None:
        """One figure's value."""
        return self.figures[key].value if key in self.figures else None

    def cells(self, columns: Iterable[Column]) -> dict[str, Value]:
        """The row of a table that has these columns of figures."""
        shown: dict[str, Value] = {
            column.key: self.figures[column.key].cell
            for column in columns
            if column.key in self.figures
        }
        return {"system": self.system, "covers": self.covered, **shown, "source": self.source}

    def to_json(self, digits: int = 1, plain: Sequence[str] = ("mrr",)) -> dict[str, Any]:
        """As ``metrics.json`` has it: shares in percent, those in ``plain`` as they are."""
        values = {
            key: round(100 * one.value, digits)
            if isinstance(one.value, float) and key not in plain
            else one.value
            for key, one in self.figures.items()
        }
        empty = {key: one.why for key, one in self.figures.items() if one.value is None}
        few = {
            key: _few(one.value, digits)
            for key, one in self.figures.items()
            if isinstance(one.value, OfFew)
        }
        told: dict[str, Any] = {"system": self.system, "covers": self.covered}
        told |= values | {"source": self.source}
        return told | ({"empty": empty} if empty else {}) | ({"few": few} if few else {})


def peer_row(row: PublishedRow, keys: Iterable[str], *, elsewhere: bool = False) -> FigureRow:
    """These figures of a published row, each cited."""
    found = {key: published(row.get(key), row.source) for key in keys}
    return FigureRow(row.system, row.covers, found, elsewhere)


def no_better(rows: Sequence[FigureRow]) -> str:
    """Which rows without the model have an F1 as good as the first one, or ""."""
    ours = rows[0].value("f1") or 0.0
    names = [row.system for row in rows if row.unasked and (row.value("f1") or 0.0) >= ours]
    return f"no better than {' and '.join(names)}" if names else ""


def _few(value: OfFew, digits: int) -> dict[str, Any]:
    """Of how few items a share is, and its bounds in percent."""
    bounds = [round(100 * bound, digits) for bound in value.bounds or ()]
    return {"n": value.of, **({"between": bounds} if bounds else {})}


def reasoned(table: Table, why: str) -> Table:
    """The table with this reason in every cell of a figure that is empty."""
    figures = [column.right for column in table.columns]
    rows = [
        [
            NoFigure(why) if value is None and figure else value
            for value, figure in zip(row, figures, strict=True)
        ]
        for row in table.rows
    ]
    return replace(table, rows=rows)


def figure_table(
    rows: Sequence[FigureRow],
    columns: Sequence[Column],
    first: Sequence[Column],
    last: Sequence[Column] = (),
    *,
    caption: str = "",
    notes: Sequence[str] = (),
) -> Table:
    """A table of figures between columns of text."""
    shown = (*first, *columns, *last)
    keys = {column.key for column in shown}
    cells = [
        {key: value for key, value in row.cells(columns).items() if key in keys} for row in rows
    ]
    return Table(shown, cells, caption=caption, notes=notes)

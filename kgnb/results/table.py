"""A table that shows itself: drawn by the extension, as HTML, as plain text; and as a pandas data
frame.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

from kgnb.results import cells, columns
from kgnb.results.bundle import (
    FIRST_ROWS,
    HTML_ROWS,
    JSON_ROWS,
    TABLE_MIME,
    TEXT_ROWS,
    Bundled,
    Json,
    count,
)
from kgnb.results.cells import Kind, LabelledIri, Value
from kgnb.results.chart import Chart, chart
from kgnb.results.escaping import EDGE, ROW, escaped, fold, kept, one_line, shortened

if TYPE_CHECKING:
    import pandas

__all__ = [
    "Column",
    "Kind",
    "LabelledIri",
    "Table",
    "TableRows",
    "Value",
    "numbers",
    "percents",
    "texts",
]

TableRows: TypeAlias = list[list[Value]]
"""Rows while they are put together."""
_JSON_LENGTH = 1_500_000  # characters all rows may take in a saved notebook, details included
_TABLE = "border-collapse: collapse; table-layout: auto; font-size: 13px; margin: 4px 0; border: 0"
_CELL = "padding: 4px 12px 4px 0; vertical-align: top; border: 0; max-width: 420px"


@dataclass(frozen=True, slots=True)
class Column:
    """A column: the key of its values, the title over it, and what kind of value it holds.

    ``percent`` takes shares between 0 and 1; ``iri`` takes IRIs as plain text; ``digits`` are numbers
    that may be years, and are not grouped.
    """

    key: str
    title: str
    kind: Kind = "text"

    def __post_init__(self) -> None:
        if self.kind not in cells.KINDS:
            raise ValueError(
                f"column {self.key!r} has kind {self.kind!r}; it can be one of {', '.join(cells.KINDS)}"
            )

    @property
    def right(self) -> bool:
        """Whether the values are set to the right, as numbers are."""
        return self.kind in ("number", "digits", "percent")


def _kind(column: Column) -> Json:
    """The kind as JSON; an extension that knows no digits shows them as numbers."""
    return {"kind": "number", "digits": True} if column.kind == "digits" else {"kind": column.kind}


def texts(**titles: str) -> tuple[Column, ...]:
    """Columns of text: the title of each by the key of its values.

    >>> [column.title for column in (*texts(hut="Hut"), *numbers(beds="Beds"), *percents(full="Full"))]
    ['Hut', 'Beds', 'Full']
    """
    return tuple(Column(key, title) for key, title in titles.items())


def numbers(**titles: str) -> tuple[Column, ...]:
    """Columns of numbers, likewise."""
    return tuple(Column(key, title, "number") for key, title in titles.items())


def percents(**titles: str) -> tuple[Column, ...]:
    """Columns of shares between 0 and 1, likewise."""
    return tuple(Column(key, title, "percent") for key, title in titles.items())


@dataclass(frozen=True, repr=False)
class Table(Bundled):
    """Columns and rows. A row is a sequence in column order, or a mapping by column key (a missing
    key is empty).

    ``details`` holds, for each row, the (heading, text) pairs shown when the row is opened.
    ``total`` is the number of rows there are when ``rows`` holds only the first of them. ``groups``
    has, for each row, the group it belongs to: a rule parts groups, and those called "summary"
    stand out. ``bar`` is the column whose shares are drawn as bars too. ``facts`` are notes that
    are folded away.

    >>> huts = Table([Column("hut", "Hut"), Column("beds", "Beds", "number")], [["Vernagt", 80], ["Breslau", 120]])
    >>> print(huts.text())
    Hut      Beds
    -------  ----
    Vernagt    80
    Breslau   120

    Raises:
        ValueError: a row does not have one value per column, two columns share a key, or counts
            disagree.
        TypeError: a cell cannot show a value of this type.
    """

    columns: Sequence[Column]
    rows: Sequence[Sequence[Value] | Mapping[str, Value]]
    _: KW_ONLY
    caption: str = ""
    details: Sequence[Sequence[tuple[str, str]]] | None = None
    notes: Sequence[str] = ()
    facts: Sequence[str] = ()
    total: int | None = None
    groups: Sequence[str] = ()
    bar: str = ""
    mime = TABLE_MIME

    def __post_init__(self) -> None:
        keys = [column.key for column in self.columns]
        if len(set(keys)) != len(keys):
            raise ValueError(f"two columns have the same key: {', '.join(keys)}")
        rows = tuple(_row(row, keys) for row in self.rows)
        if self.details is not None and len(self.details) != len(rows):
            raise ValueError(f"details are for {len(self.details)} rows, the table has {len(rows)}")
        if self.total is not None and self.total < len(rows):
            raise ValueError(f"total is {self.total}, the table has {len(rows)} rows")
        if self.groups and len(self.groups) != len(rows):
            raise ValueError(f"groups are for {len(self.groups)} rows, the table has {len(rows)}")
        if self.bar and self.bar not in keys:
            raise ValueError(f"bar is {self.bar!r}, the columns are {', '.join(keys)}")
        details = self.details and tuple(
            tuple((str(head), str(text)) for head, text in row) for row in self.details
        )
        object.__setattr__(self, "rows", rows)
        object.__setattr__(self, "details", details)
        for name in ("columns", "notes", "facts", "groups"):
            object.__setattr__(self, name, tuple(getattr(self, name)))

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return f"<Table: {count(self._total, 'row')}, {', '.join(column.key for column in self.columns)}>"

    @property
    def _total(self) -> int:
        return len(self.rows) if self.total is None else self.total

    @property
    def _cells(self) -> Sequence[tuple[Value, ...]]:
        return self.rows  # type: ignore[return-value]  # __post_init__ has made tuples of them

    def _written(
        self, row: tuple[Value, ...], write: Callable[[Value, Kind, bool], str]
    ) -> list[str]:
        return [
            write(*cell)
            for cell in zip(row, (c.kind for c in self.columns), self._decimals, strict=True)
        ]

    @cached_property
    def _decimals(self) -> list[bool]:
        return [
            cells.has_decimals(row[at] for row in self._cells) for at in range(len(self.columns))
        ]

    def json(self) -> Json:
        """Return the JSON the extension draws (``TableData`` in ``table-data.ts``), capped with the
        total beside it.
        """
        rows: list[Json] = []
        length = 0
        for at, values in enumerate(self._cells[:JSON_ROWS]):
            row: Json = {
                "cells": [
                    cells.as_json(v, c.kind) for v, c in zip(values, self.columns, strict=True)
                ]
            }
            if self.details and self.details[at]:
                row["details"] = [[kept(head), kept(text)] for head, text in self.details[at]]
            if self.groups:
                row["group"] = self.groups[at]
            length += len(json.dumps(row, ensure_ascii=False))
            if length > _JSON_LENGTH and rows:
                break
            rows.append(row)
        return {
            "version": 1,
            "caption": kept(self.caption),
            "columns": [
                {"key": kept(c.key), "title": kept(c.title), **_kind(c)} for c in self.columns
            ],
            "rows": rows,
            "total": self._total,
            "notes": [kept(note) for note in self.notes],
            "facts": [kept(fact) for fact in self.facts],
            "bar": self.bar,
        }

    def html(self) -> str:
        """Return the first rows as HTML that JupyterLab's sanitiser leaves as it is, light or dark."""
        titles = "".join(
            f'<th scope="col" style="{_CELL}; border-bottom: {EDGE}; text-align: {_side(column)}; font-weight: 600">'
            f"{escaped(kept(column.title))}</th>"
            for column in self.columns
        )
        shown = self._first(HTML_ROWS)
        first, rest = shown[:FIRST_ROWS], shown[FIRST_ROWS:]
        if len(rest) <= FIRST_ROWS // 2 or self.groups:  # a fold for a few rows is not worth it
            first, rest = shown, ()
        empty = f'<tr style="{ROW}"><td colspan="{max(1, len(self.columns))}" style="{_CELL}">no rows</td></tr>'
        body = "".join(map(self._html_row, first)) or empty
        more = (
            f'<table style="{_TABLE}"><tbody>{"".join(map(self._html_row, rest))}</tbody></table>'
        )
        name = (
            '<caption style="caption-side: top; text-align: left; font-weight: 600; padding: 0 0 6px 0">'
            f"{escaped(one_line(kept(self.caption)))}</caption>"
        )
        return (
            f'<div style="overflow-x: auto; max-width: 100%; font-size: 13px"><table style="{_TABLE}">'
            f'{name if self.caption else ""}<thead><tr style="{ROW}">{titles}</tr></thead><tbody>{body}</tbody></table>'
            f"{fold(count(len(rest), 'more row'), more) if rest else ''}{_lines(self._notices(len(shown)))}"
            f"{fold('In figures', _lines(self.facts)) if self.facts else ''}</div>"
        )

    def _first(self, limit: int) -> Sequence[int]:
        """The rows a form shows; where rows have groups, only the first group is cut."""
        if not self.groups:
            return range(min(len(self.rows), limit))
        first = self.groups.count(self.groups[0])
        return [*range(min(first, limit)), *range(first, len(self.rows))]

    def _new_group(self, at: int) -> bool:
        return bool(self.groups) and at > 0 and self.groups[at] != self.groups[at - 1]

    def _html_row(self, at: int) -> str:
        details = self.details[at] if self.details else ()
        style = f"{_CELL}; border-bottom: {'0' if details else EDGE}"
        style += "; border-top: 2px solid rgba(128, 128, 128, 0.6)" if self._new_group(at) else ""
        style += "; font-weight: 600" if self.groups and self.groups[at] == "summary" else ""
        written = self._written(self._cells[at], cells.as_html)
        shown = "".join(
            f'<td style="{style}; text-align: {_side(column)}">'
            f"{_bar(value) if column.key == self.bar else ''}{cell}</td>"
            for cell, value, column in zip(written, self._cells[at], self.columns, strict=True)
        )
        row = f'<tr style="{ROW}">{shown}</tr>'
        if not details:
            return row
        pairs = "".join(
            '<div style="margin: 2px 0; white-space: pre-wrap; overflow-wrap: break-word">'
            f"<b>{escaped(head)}</b> {escaped(shortened(text))}</div>"
            for head, text in details
        )
        inner = f'<div style="padding: 2px 0 4px 16px">{pairs}</div>'
        return (
            f'{row}<tr style="{ROW}"><td colspan="{len(self.columns)}" '
            f'style="padding: 0 0 4px 0; border: 0; border-bottom: {EDGE}; text-align: left">'
            f"{fold('Details', inner)}</td></tr>"
        )

    def text(self) -> str:
        """Return aligned plain text of the first rows."""
        first = self._first(TEXT_ROWS)
        shown = [
            [one_line(text) for text in self._written(self._cells[at], cells.as_text)]
            for at in first
        ]
        titles = [one_line(kept(column.title)) for column in self.columns]
        lines = [one_line(kept(self.caption)), ""] if self.caption else []
        drawn = columns.aligned(titles, shown, [column.right for column in self.columns])
        for line, at in enumerate(first):
            lines += [drawn[1]] if self._new_group(at) else drawn[:2] if line == 0 else []
            lines.append(drawn[2 + line])
        lines += [] if first else drawn
        if not self.rows:
            lines.append("(no rows)")
        if self._total > len(shown):
            lines.append(f"... and {self._total - len(shown):,} more")
        return "\n".join([*lines, *(one_line(kept(note)) for note in (*self.notes, *self.facts))])

    def df(self) -> pandas.DataFrame:
        """Return the rows as a typed data frame: IRIs and text as strings, numbers, shares and
        booleans nullable.
        """
        import pandas  # slow to import, and most tables are only looked at

        frame = pandas.DataFrame(
            {
                column.key: pandas.Series(
                    [cells.as_pandas(row[at]) for row in self._cells], dtype=object
                )
                for at, column in enumerate(self.columns)
            }
        )
        if self.groups:
            frame.insert(0, "group", list(self.groups))
        return frame.convert_dtypes()

    def plot(self, kind: str = "") -> Chart:
        """The rows as a chart: map, line, bar, scatter or histogram, by default the first that fits.

        Raises:
            ValueError: there is no such kind, or the columns do not fit.
        """
        values = {
            column.title: [_drawable(row[at]) for row in self._cells]
            for at, column in enumerate(self.columns)
        }
        return chart(values, kind, self.caption)

    def _notices(self, shown: int) -> list[str]:
        cut = (
            [f"The first {shown:,} of {count(self._total, 'row')}."] if self._total > shown else []
        )
        return [*cut, *self.notes]


def _row(row: Sequence[Value] | Mapping[str, Value], keys: Sequence[str]) -> tuple[Value, ...]:
    if isinstance(row, Mapping):
        unknown = [key for key in row if key not in keys]
        if unknown:
            raise ValueError(f"a row has {unknown[0]!r}, but the columns are {', '.join(keys)}")
        row = [row.get(key) for key in keys]
    if len(row) != len(keys):
        raise ValueError(f"a row has {len(row)} values, the table has {len(keys)} columns")
    return tuple(cells.checked(value) for value in row)


def _drawable(value: Value) -> object:
    return value.label if isinstance(value, LabelledIri) else cells.as_pandas(value)


def _bar(value: Value) -> str:
    # A styled box rather than <meter>: browsers colour a meter by their own rules, light or dark.
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return ""
    width = round(56 * min(1.0, max(0.0, value)))
    return (
        '<div style="display: inline-block; width: 56px; height: 4px; margin: 0 8px 0 0; vertical-align: middle; '
        'text-align: left; background-color: rgba(128, 128, 128, 0.25)">'
        f'<div style="width: {width}px; height: 4px; background-color: rgba(66, 133, 214, 0.9)"></div></div>'
    )


def _lines(notes: Iterable[str]) -> str:
    return "".join(
        f'<div style="opacity: 0.75; margin: 2px 0">{escaped(kept(note))}</div>' for note in notes
    )


def _side(column: Column) -> str:
    return "right" if column.right else "left"


PRECISION_RECALL_F1 = numbers(precision="Precision", recall="Recall", f1="F1")
COUNTS = numbers(right="Right", found="Found", wanted="Reference")


def metrics(
    columns: Sequence[Column] = PRECISION_RECALL_F1,
    cases: Mapping[str, Mapping[str, Value]] = MappingProxyType({}),
    *,
    summary: Mapping[str, Mapping[str, Value]] = MappingProxyType({}),
    caption: str = "",
    notes: Sequence[str] = (),
    bar: str = "f1",
    case_title: str = "",
) -> Table:
    """The table of scores, a row a name; the column ``bar`` holds shares between 0 and 1 and is
    drawn as a bar too. A score that is missing or None is shown empty.

    >>> print(metrics(summary={"micro": {"precision": 0.8, "recall": 0.5, "f1": 0.615}}).text())
           Precision  Recall     F1
    -----  ---------  ------  -----
    micro      0.800   0.500  0.615

    Raises:
        ValueError: a score has a key without a column, or ``bar`` does not name a column.
    """
    return Table(
        (Column("name", case_title), *columns),
        [{"name": name, **row} for part in (cases, summary) for name, row in part.items()],
        caption=caption,
        notes=notes,
        groups=[*["case"] * len(cases), *["summary"] * len(summary)],
        bar=bar,
    )


class Tabled:
    """A value that notebooks show as a table."""

    def table(self) -> Table:
        """What is shown."""
        raise NotImplementedError

    def df(self) -> pandas.DataFrame:
        """What is shown, as a data frame."""
        return self.table().df()

    def plot(self, kind: str = "") -> Chart:
        """What is shown, as a chart."""
        return self.table().plot(kind)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return self.table()._repr_mimebundle_(include, exclude)

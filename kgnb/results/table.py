"""A table that shows itself: drawn by the extension, as HTML, as plain text; and as a pandas data frame."""

from __future__ import annotations

import json
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from kgnb.results import cells, columns, escaping
from kgnb.results.bundle import HTML_ROWS, JSON_ROWS, TABLE_MIME, TEXT_ROWS, Json, count, mimebundle
from kgnb.results.cells import Kind, Link, Value
from kgnb.results.frame import EDGE, ROW, framed, whole_line

if TYPE_CHECKING:
    import pandas

__all__ = ["Column", "Kind", "Link", "Table", "Value"]

_JSON_LENGTH = 1_500_000  # characters all rows may take in a saved notebook, details included
_CELL = "padding: 4px 12px 4px 0; vertical-align: top; border: 0; max-width: 420px"


@dataclass(frozen=True, slots=True)
class Column:
    """A column: the key of its values, the title over it, and what kind of value it holds.

    ``percent`` takes shares between 0 and 1; ``iri`` takes IRIs as plain text.
    """

    key: str
    title: str
    kind: Kind = "text"

    def __post_init__(self) -> None:
        if self.kind not in cells.KINDS:
            raise ValueError(f"column {self.key!r} has kind {self.kind!r}; it can be one of {', '.join(cells.KINDS)}")

    @property
    def right(self) -> bool:
        """Whether the values are set to the right, as numbers are."""
        return self.kind in ("number", "percent")


@dataclass(frozen=True, repr=False)
class Table:
    """Columns and rows. A row is a sequence in column order, or a mapping by column key (a missing key is empty).

    ``details`` has, for each row, the (heading, text) pairs shown when the row is opened. ``total`` is the number of
    rows there are when ``rows`` holds only the first of them.

    >>> huts = Table([Column("hut", "Hut"), Column("beds", "Beds", "number")], [["Vernagt", 80], ["Breslau", 120]])
    >>> print(huts.text())
    Hut      Beds
    -------  ----
    Vernagt    80
    Breslau   120

    Raises:
        ValueError: if a row has not one value for each column, two columns share a key, or counts do not agree.
        TypeError: if a value is of a type no cell can show.
    """

    columns: Sequence[Column]
    rows: Sequence[Sequence[Value] | Mapping[str, Value]]
    _: KW_ONLY
    caption: str = ""
    details: Sequence[Sequence[tuple[str, str]]] | None = None
    notes: Sequence[str] = ()
    total: int | None = None

    def __post_init__(self) -> None:
        keys = [column.key for column in self.columns]
        if len(set(keys)) != len(keys):
            raise ValueError(f"two columns have the same key: {', '.join(keys)}")
        rows = tuple(_row(row, keys) for row in self.rows)
        if self.details is not None and len(self.details) != len(rows):
            raise ValueError(f"details are for {len(self.details)} rows, the table has {len(rows)}")
        if self.total is not None and self.total < len(rows):
            raise ValueError(f"total is {self.total}, the table has {len(rows)} rows")
        details = self.details and tuple(tuple((str(head), str(text)) for head, text in row) for row in self.details)
        object.__setattr__(self, "columns", tuple(self.columns))
        object.__setattr__(self, "rows", rows)
        object.__setattr__(self, "details", details)
        object.__setattr__(self, "notes", tuple(self.notes))

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return f"<Table: {count(self._total, 'row')}, {', '.join(column.key for column in self.columns)}>"

    def __str__(self) -> str:
        return self.text()

    @property
    def _total(self) -> int:
        return len(self.rows) if self.total is None else self.total

    @property
    def _cells(self) -> Sequence[tuple[Value, ...]]:
        return self.rows  # type: ignore[return-value]  # __post_init__ has made tuples of them

    def _written(self, row: tuple[Value, ...], write: Callable[[Value, Kind, bool], str]) -> list[str]:
        return [write(*cell) for cell in zip(row, (c.kind for c in self.columns), self._decimals, strict=True)]

    @cached_property
    def _decimals(self) -> list[bool]:
        return [cells.has_decimals(row[at] for row in self._cells) for at in range(len(self.columns))]

    def _repr_mimebundle_(
        self, include: Container[str] | None = None, exclude: Container[str] | None = None
    ) -> dict[str, Any]:
        makers = {TABLE_MIME: self.json, "text/html": self.html, "text/plain": self.text}
        return mimebundle(makers, include, exclude)

    def json(self) -> Json:
        """Return the JSON the extension draws (``TableData`` in ``table-data.ts``), capped with the total beside it."""
        rows: list[Json] = []
        length = 0
        for at, values in enumerate(self._cells[:JSON_ROWS]):
            row: Json = {"cells": [cells.as_json(v, c.kind) for v, c in zip(values, self.columns, strict=True)]}
            if self.details and self.details[at]:
                row["details"] = [[_kept(head), _kept(text)] for head, text in self.details[at]]
            length += len(json.dumps(row, ensure_ascii=False))
            if length > _JSON_LENGTH and rows:
                break
            rows.append(row)
        return {
            "version": 1,
            "caption": _kept(self.caption),
            "columns": [{"key": _kept(c.key), "title": _kept(c.title), "kind": c.kind} for c in self.columns],
            "rows": rows,
            "total": self._total,
            "notes": [_kept(note) for note in self.notes],
        }

    def html(self) -> str:
        """Return the first rows as HTML that JupyterLab's sanitiser leaves as it is, light or dark."""
        titles = "".join(
            f'<th scope="col" style="{_CELL}; border-bottom: {EDGE}; text-align: {_side(column)}; font-weight: 600">'
            f"{escaping.escaped(_kept(column.title))}</th>"
            for column in self.columns
        )
        body = "".join(self._html_row(at) for at in range(min(len(self.rows), HTML_ROWS)))
        return framed(
            _kept(self.caption), titles, body or whole_line("no rows", len(self.columns)), self._notices(HTML_ROWS)
        )

    def _html_row(self, at: int) -> str:
        details = self.details[at] if self.details else ()
        edge = "0" if details else EDGE
        shown = "".join(
            f'<td style="{_CELL}; border-bottom: {edge}; text-align: {_side(column)}">{cell}</td>'
            for cell, column in zip(self._written(self._cells[at], cells.as_html), self.columns, strict=True)
        )
        row = f'<tr style="{ROW}">{shown}</tr>'
        if not details:
            return row
        summary = escaping.one_line(", ".join(dict.fromkeys(head for head, _ in details)))
        pairs = "".join(
            '<div style="margin: 2px 0; white-space: pre-wrap; overflow-wrap: break-word">'
            f"<b>{escaping.escaped(head)}</b> {escaping.escaped(escaping.shortened(text))}</div>"
            for head, text in details
        )
        return (
            f'{row}<tr style="{ROW}"><td colspan="{len(self.columns)}" '
            f'style="padding: 0 0 4px 0; border: 0; border-bottom: {EDGE}; text-align: left">'
            f'<details><summary style="opacity: 0.75; cursor: pointer">'
            f"{escaping.escaped(escaping.shortened(summary, 100))}</summary>"
            f'<div style="padding: 2px 0 4px 16px">{pairs}</div></details></td></tr>'
        )

    def text(self) -> str:
        """Return aligned plain text of the first rows."""
        shown = [
            [escaping.one_line(text) for text in self._written(row, cells.as_text)] for row in self._cells[:TEXT_ROWS]
        ]
        titles = [escaping.one_line(_kept(column.title)) for column in self.columns]
        lines = [escaping.one_line(_kept(self.caption)), ""] if self.caption else []
        lines += columns.aligned(titles, shown, [column.right for column in self.columns])
        if not self.rows:
            lines.append("(no rows)")
        if self._total > len(shown):
            lines.append(f"... and {self._total - len(shown):,} more")
        return "\n".join([*lines, *(escaping.one_line(_kept(note)) for note in self.notes)])

    def df(self) -> pandas.DataFrame:
        """Return the rows as a typed data frame: IRIs and text as strings, numbers, shares and booleans nullable."""
        import pandas  # slow to import, and most tables are only looked at

        frame = pandas.DataFrame(
            {
                column.key: pandas.Series([cells.as_pandas(row[at]) for row in self._cells], dtype=object)
                for at, column in enumerate(self.columns)
            }
        )
        return frame.convert_dtypes()

    def _notices(self, shown: int) -> list[str]:
        shown = min(shown, len(self.rows))
        cut = [f"The first {shown:,} of {count(self._total, 'row')}."] if self._total > shown else []
        return [*cut, *map(_kept, self.notes)]


def _row(row: Sequence[Value] | Mapping[str, Value], keys: Sequence[str]) -> tuple[Value, ...]:
    if isinstance(row, Mapping):
        unknown = [key for key in row if key not in keys]
        if unknown:
            raise ValueError(f"a row has {unknown[0]!r}, but the columns are {', '.join(keys)}")
        row = [row.get(key) for key in keys]
    if len(row) != len(keys):
        raise ValueError(f"a row has {len(row)} values, the table has {len(keys)} columns")
    return tuple(cells.checked(value) for value in row)


def _side(column: Column) -> str:
    return "right" if column.right else "left"


def _kept(text: str) -> str:
    return escaping.shortened(escaping.whole(text))

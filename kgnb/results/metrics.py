"""Scores that show themselves: one row a case, then what they sum up to, then figures others have published."""

from __future__ import annotations

import math
from collections.abc import Container, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from kgnb.results import cells, columns, escaping
from kgnb.results.bundle import HTML_ROWS, METRICS_MIME, Json, count, mimebundle
from kgnb.results.cells import Value
from kgnb.results.frame import EDGE, ROW, framed, whole_line
from kgnb.results.table import Column, Table

if TYPE_CHECKING:
    import pandas

PRECISION_RECALL_F1 = (
    Column("precision", "Precision", "number"),
    Column("recall", "Recall", "number"),
    Column("f1", "F1", "number"),
)

_CELL = f"padding: 4px 12px 4px 0; vertical-align: middle; border: 0; border-bottom: {EDGE}; white-space: nowrap"


@dataclass(frozen=True, slots=True)
class Score:
    """One row: what was scored and its values by column key; a missing or None value is shown empty.

    ``source`` says where a published figure stands (a title, a DOI, an IRI).
    """

    name: str
    values: Mapping[str, Value]
    source: str = ""


@dataclass(frozen=True, repr=False)
class Metrics:
    """Scores of cases, their summaries (micro, mean) and published figures beside them.

    ``columns`` are free; the one with key ``bar`` holds shares between 0 and 1 and is drawn as a bar too.

    >>> ours = Score("micro", {"precision": 0.8, "recall": 0.5, "f1": 0.615})
    >>> print(Metrics(PRECISION_RECALL_F1, summary=[ours]).text())
           Precision  Recall     F1
    -----  ---------  ------  -----
    micro      0.800   0.500  0.615

    Raises:
        ValueError: if a score has a key that is no column, or ``bar`` is none.
    """

    columns: Sequence[Column] = PRECISION_RECALL_F1
    cases: Sequence[Score] = ()
    _: KW_ONLY
    summary: Sequence[Score] = ()
    published: Sequence[Score] = ()
    caption: str = ""
    notes: Sequence[str] = ()
    bar: str = "f1"
    case_title: str = ""

    def __post_init__(self) -> None:
        keys = [column.key for column in self.columns]
        if self.bar and self.bar not in keys:
            raise ValueError(f"bar is {self.bar!r}, the columns are {', '.join(keys)}")
        for name in ("columns", "cases", "summary", "published", "notes"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        for score in self._scores():
            for key, value in score.values.items():
                if key not in keys:
                    raise ValueError(f"the score of {score.name} has {key!r}, the columns are {', '.join(keys)}")
                cells.checked(value)

    def __repr__(self) -> str:
        return f"<Metrics: {count(len(self.cases), 'case')}, {', '.join(column.key for column in self.columns)}>"

    def __str__(self) -> str:
        return self.text()

    def _repr_mimebundle_(
        self, include: Container[str] | None = None, exclude: Container[str] | None = None
    ) -> dict[str, Any]:
        makers = {METRICS_MIME: self.json, "text/html": self.html, "text/plain": self.text}
        return mimebundle(makers, include, exclude)

    def _groups(self) -> list[tuple[str, Sequence[Score]]]:
        groups = [("case", self.cases), ("summary", self.summary), ("published", self.published)]
        return [(group, scores) for group, scores in groups if scores]

    @cached_property
    def _decimals(self) -> frozenset[str]:
        """The keys of the columns whose numbers have decimals."""
        columns = {c.key: [cells.checked(score.values.get(c.key)) for score in self._scores()] for c in self.columns}
        return frozenset(key for key, values in columns.items() if cells.has_decimals(values))

    def _scores(self) -> list[Score]:
        return [score for _, scores in self._groups() for score in scores]

    def json(self) -> Json:
        """Return the JSON the extension draws (``MetricsData`` in ``metrics-data.ts``)."""
        rows = [
            {
                "group": group,
                "name": _kept(score.name),
                "cells": [cells.as_json(cells.checked(score.values.get(c.key)), c.kind) for c in self.columns],
                "source": _kept(score.source),
            }
            for group, scores in self._groups()
            for score in scores
        ]
        return {
            "version": 1,
            "caption": _kept(self.caption),
            "case_title": _kept(self.case_title),
            "columns": [{"key": c.key, "title": _kept(c.title), "kind": c.kind} for c in self.columns],
            "bar": self.bar,
            "rows": rows,
            "notes": [_kept(note) for note in self.notes],
        }

    def html(self) -> str:
        """Return the scores as HTML that JupyterLab's sanitiser leaves as it is."""
        cell = f"{_CELL}; font-weight: 600"
        titles = f'<th scope="col" style="{cell}; text-align: left">{escaping.escaped(self.case_title) or "<br>"}</th>'
        titles += "".join(
            f'<th scope="col" style="{cell}; text-align: {"right" if c.right else "left"}">'
            f"{escaping.escaped(c.title)}</th>"
            for c in self.columns
        )
        body = ""
        for group, scores in self._groups():
            shown = scores if group != "case" else scores[:HTML_ROWS]
            body += "".join(self._html_row(group, score) for score in shown)
            if len(scores) > len(shown):
                body += whole_line(f"and {count(len(scores) - len(shown), 'more case')}", len(self.columns) + 1)
        return framed(self.caption, titles, body, self.notes)

    def _html_row(self, group: str, score: Score) -> str:
        weight = "600" if group == "summary" else "400"
        cell = f"{_CELL}; font-weight: {weight}"
        name = escaping.escaped(escaping.shortened(escaping.one_line(score.name), 200))
        if target := escaping.link_target(score.source):
            name = f'<a href="{escaping.escaped(target)}" rel="nofollow">{name}</a>'
        elif score.source:
            name = f'<span title="{escaping.escaped(escaping.shortened(score.source))}">{name}</span>'
        mark = ' <span style="opacity: 0.75">published</span>' if group == "published" else ""
        row = [f'<th scope="row" style="{cell}; text-align: left">{name}{mark}</th>']
        for column in self.columns:
            value = cells.checked(score.values.get(column.key))
            text = cells.as_html(value, column.kind, column.key in self._decimals)
            bar = _bar(value) if column.key == self.bar else ""
            row.append(f'<td style="{cell}; text-align: {"right" if column.right else "left"}">{bar}{text}</td>')
        return f'<tr style="{ROW}">{"".join(row)}</tr>'

    def text(self) -> str:
        """Return the scores in aligned columns, a rule between cases, summaries and published figures."""
        rows: list[list[str]] = []
        breaks: list[int] = []
        for group, scores in self._groups():
            breaks.append(len(rows))
            for score in scores:
                name = escaping.one_line(score.name) + (" (published)" if group == "published" else "")
                values = [
                    cells.as_text(cells.checked(score.values.get(c.key)), c.kind, c.key in self._decimals)
                    for c in self.columns
                ]
                rows.append([name, *map(escaping.one_line, values)])
        titles = [escaping.one_line(text) for text in (self.case_title, *(c.title for c in self.columns))]
        lines = columns.aligned(titles, rows, [False, *(c.right for c in self.columns)])
        for at in reversed(breaks[1:]):
            lines.insert(2 + at, lines[1])
        caption = [escaping.one_line(self.caption), ""] if self.caption else []
        return "\n".join([*caption, *lines, *(escaping.one_line(note) for note in self.notes)])

    def df(self) -> pandas.DataFrame:
        """Return all rows as a typed data frame with the columns ``group`` and ``name`` before the values."""
        rows = [
            [group, score.name, *(score.values.get(c.key) for c in self.columns)]
            for group, scores in self._groups()
            for score in scores
        ]
        return Table([Column("group", "Group"), Column("name", "Name"), *self.columns], rows).df()


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


def _kept(text: str) -> str:
    return escaping.shortened(escaping.whole(text))

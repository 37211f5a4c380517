"""Scores as a table: one row a case, then what they sum up to, then figures others have published."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kgnb.results.cells import Link, Value
from kgnb.results.escaping import link_target
from kgnb.results.table import Column, Table, numbers

PRECISION_RECALL_F1 = numbers(precision="Precision", recall="Recall", f1="F1")


@dataclass(frozen=True, slots=True)
class Score:
    """One row: what was scored and its values by column key; a missing or None value is shown empty.

    ``source`` says where a published figure stands (a title, a DOI, an IRI).
    """

    name: str
    values: Mapping[str, Value]
    source: str = ""


def metrics(
    columns: Sequence[Column] = PRECISION_RECALL_F1,
    cases: Sequence[Score] = (),
    *,
    summary: Sequence[Score] = (),
    published: Sequence[Score] = (),
    caption: str = "",
    notes: Sequence[str] = (),
    bar: str = "f1",
    case_title: str = "",
) -> Table:
    """The table of scores; the column ``bar`` holds shares between 0 and 1 and is drawn as a bar too.

    >>> print(metrics(summary=[Score("micro", {"precision": 0.8, "recall": 0.5, "f1": 0.615})]).text())
           Precision  Recall     F1
    -----  ---------  ------  -----
    micro      0.800   0.500  0.615

    Raises:
        ValueError: if a score has a key that is no column, or ``bar`` is none.
    """
    groups = (("case", cases), ("summary", summary), ("published", published))
    rows: list[Mapping[str, Value]] = []
    for group, scores in groups:
        for score in scores:
            said = f"{score.name} (published)" if group == "published" else score.name
            linked = bool(link_target(score.source))
            rows.append({"name": Link(score.source, said) if linked else said, **score.values})
    sources = [f"{one.name}: {one.source}" for one in published if one.source and not link_target(one.source)]
    return Table(
        (Column("name", case_title), *columns),
        rows,
        caption=caption,
        notes=[*notes, *sources],
        groups=[group for group, scores in groups for _ in scores],
        bar=bar,
    )

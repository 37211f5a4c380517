"""The stages' values as tables: what a notebook cell shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgnb.results.cells import Link, Value
from kgnb.results.table import Column, Table

if TYPE_CHECKING:
    from kgnb.agents.entity_alignment.values import Proposal

SHOWN = 1000  # a browser has to hold them; the whole lies in the arrays


def proposal(value: Proposal) -> Table:
    """One row an entity with its first alignment, its candidates behind it; the least sure first."""
    columns = [Column("source", "source"), Column("target", "first alignment")]
    columns += [Column("confidence", "confidence", "number"), Column("margin", "margin", "number")]
    columns += [Column("why", "matched, or why not")]
    rows: list[list[Value]] = []
    details: list[list[tuple[str, str]]] = []
    for row in value.confidence.argsort(kind="stable")[:SHOWN].tolist():
        source, target = int(value.sources[row]), int(value.first[row])
        entity = Link(value.left.entities[source], value.left.called(source))
        chosen = Link(value.right.entities[target], value.right.called(target)) if target >= 0 else None
        sure = round(float(value.confidence[row]), 3), round(float(value.margin[row]), 3)
        rows.append([entity, chosen, *sure, value.why(row)])
        details.append(candidates(value, row))
    counts = value.counts()
    caption = f"{counts['matched']} of {len(value)} entities have a first alignment; the least sure first"
    notes = [f"{number:,} {what}" for what, number in counts.items() if what.startswith("unmatched")]
    if len(value) > SHOWN:
        notes.append(f"The {SHOWN:,} least sure of {len(value):,} entities.")
    return Table(columns, rows, caption=caption, details=details, notes=[*notes, *value.notes])


def candidates(value: Proposal, row: int) -> list[tuple[str, str]]:
    """One line a candidate: its name, its similarity before and its score after assignment, and every view's."""
    lines = []
    for place, target in enumerate(value.candidates[row].tolist()):
        if target < 0:
            break
        views = ", ".join(
            f"{view} {score:.2f}" for view, score in zip(value.views, value.evidence[row, place].tolist(), strict=True)
        )
        said = f"similarity {value.similarities[row, place]:.3f}, after assignment {value.scores[row, place]:.3f}"
        lines.append((f"{place + 1}. {value.right.called(target)}", f"{said}; {views}"))
    return lines

"""The ablation: the same documents read by the same model, told why its calls are refused and not told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kgnb.agents.kg_construction.built import Built
from kgnb.results.table import Column, Table, Value


@dataclass(frozen=True)
class Ablation:
    """One setting: what was built, and the F1 by category, "micro" among them."""

    feedback: bool
    built: Built
    f1: Mapping[str, float]


def feedback_table(both: Sequence[Ablation]) -> Table:
    """F1 by category with feedback and without, and the calls that were refused, mended and left to a person."""
    titles = {True: "with feedback", False: "without"}
    columns = [Column("what", "what"), *(Column(str(one.feedback), titles[one.feedback], "percent") for one in both)]
    rows: list[list[Value]] = [[f"F1, {name}", *(one.f1.get(name) for one in both)] for name in both[0].f1]
    counts = [one.built.counts() for one in both]
    notes = [f"{titles[one.feedback]}: {count['calls']:,} calls, {count['refused']:,} refused, "
             f"{count['repaired']:,} mended, {count['to review']:,} left to a person"
             for one, count in zip(both, counts, strict=True)]  # fmt: skip
    return Table(columns, rows, caption=f"Read by {both[0].built.journals[0].reader}", notes=notes)

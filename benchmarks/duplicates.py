"""Duplicates in one table, as installed: how many are found, how many of them are right, and how many
are said to be right.

    python -m benchmarks.duplicates            drawn tables (``tests.benchmarks.agents.one_tables``)
    KGNB_DATA=DIR python -m benchmarks.duplicates   also restaurants and cora (DIR/er-tables), whole

A pair is counted once; what is written is closed first, since duplicates of one row are duplicates.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.tables import Line, said_of
from kgnb.tasks.aligning import align
from tests.benchmarks.agents.one_tables import FIRST_ONES, ONES, OneTable, drawn_once, pairs_of

MAKES = {"first": FIRST_ONES}


def tables(makes: Sequence[str], data: Path | None) -> Iterator[tuple[str, OneTable]]:
    """Every table with the name of its kind."""
    for make in makes:
        for kind in MAKES[make]:
            for size, share, mess, alike in ONES:
                yield (
                    kind,
                    drawn_once(MAKES[make], kind, size, 1, share=share, mess=mess, alike=alike),
                )


def installed(kind: str, table: OneTable, folder: Path) -> Line:
    """What ``kgnb align`` writes for one table by default."""
    settled = align(table.written(folder), judge="rule").settled
    head: dict[str, set[str]] = {}
    for one, other, _ in settled.pairs():
        ends = [iri.rsplit("/", 1)[-1] for iri in (one, other)]
        joined = set().union(*(head.get(end, {end}) for end in ends))
        head |= dict.fromkeys(joined, joined)
    pairs = pairs_of([frozenset(some) for some in {id(one): one for one in head.values()}.values()])
    return Line(
        kind,
        table.name,
        len(pairs),
        len(pairs & table.truth),
        len(table.truth),
        settled.estimated_precision or 0.0,
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--make", action="append", choices=MAKES, help="which kinds; default all")
    given = parser.parse_args(arguments)
    data = Path(os.environ["KGNB_DATA"]) if os.environ.get("KGNB_DATA") else None
    print("| table | pairs | written | P | R | said |")
    lines: dict[str, list[Line]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for kind, table in tables(given.make or list(MAKES), data):
            line = installed(kind, table, Path(folder))
            lines.setdefault(kind, []).append(line)
            print(
                f"| {line.name} | {line.wanted} | {line.written} | {line.precision:.3f} | "
                f"{line.recall:.3f} | {line.said:.3f} |",
                flush=True,
            )
    print("| kind | P | R | both aims | written where nothing is shared | estimate within .05 |")
    lines["all"] = [line for some in lines.values() for line in some]
    for kind, some in lines.items():
        print(f"| {kind} | {said_of(some)} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Duplicates in one table, as installed: how many are found, how many of them are right, and how many
are said to be right.

    KGNB_DATA=DIR python -m benchmarks.duplicates         drawn tables (``tests.benchmarks.agents.one_tables``)
        and samples of restaurants and cora (DIR/er-tables)
    KGNB_DATA=DIR python -m benchmarks.duplicates --fit   the constants of the second reading, fitted on
        the first make, on one table of every kind that ``benchmarks.tables`` draws, and on such samples

A pair is counted once; what is written is closed first, since duplicates of one row are duplicates.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from pathlib import Path

import numpy as np

from benchmarks.tables import TWICE, TWICE_REAL, Line, once, regression, said_of
from kgnb.agents.entity_alignment.records import compare_records
from kgnb.agents.entity_alignment.second_reading import AGAIN, OUT, read_again
from kgnb.tasks.aligning import align
from kgnb.tasks.sides import open_sides
from tests.benchmarks.agents.later_tables import LAST_KINDS, LATER_KINDS
from tests.benchmarks.agents.messy_tables import ALL_KINDS, Record, TablePair, listed_twice
from tests.benchmarks.agents.one_tables import (
    FIRST_ONES,
    LAST_ONES,
    ONES,
    Kind,
    OneTable,
    drawn_once,
    pairs_of,
)
from tests.benchmarks.agents.other_tables import OTHER_KINDS, Draw, Make

MAKES = {"first": FIRST_ONES, "last": LAST_ONES}
REAL_SETS = ("restaurants-1", "cora")
OTHER_SAMPLES = ((60, 0.3, 11), (150, 0.15, 12), (300, 0.1, 13), (100, 0.5, 14))
"""Samples of real sets that the fit does not read: size, share that is listed twice, seed."""


def tables(makes: Sequence[str], data: Path | None) -> Iterator[tuple[str, OneTable]]:
    """Every table with the name of its kind; real ones in the samples of the fit and in others."""
    for make in makes:
        for kind in MAKES[make]:
            for size, share, mess, alike in ONES:
                yield (
                    kind,
                    drawn_once(MAKES[make], kind, size, 1, share=share, mess=mess, alike=alike),
                )
    samples = (("", TWICE_REAL), (", other samples", OTHER_SAMPLES))
    for name, (which, sizes) in product(REAL_SETS if data else (), samples):
        for size, share, seed in sizes:
            table = once(Path(str(data)) / "er-tables" / name, size, share, seed)
            pairs = tuple(frozenset(pair) for pair in table.truth)
            yield name + which, OneTable(table.name, table.left, pairs)


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


def fitted_on(data: Path | None) -> Iterator[tuple[str, TablePair]]:
    """Tables with their pairs, both ways round, that the second reading is fitted on."""
    more = ((150, 0.3, 1.0, 0.15, 25), (100, 0.2, 1.2, 0.2, 26))
    for kind, (size, share, noise, twins, seed) in product(ALL_KINDS, (*TWICE, *more)):
        yield kind, listed_twice(kind, size, seed, share=share, noise=noise, twins=twins)
    for name, (size, share, seed) in product(REAL_SETS, TWICE_REAL if data else ()):
        yield name, once(Path(str(data)) / "er-tables" / name, size, share, seed)
    drawn = [
        (kind, FIRST_ONES[kind], one, seed)
        for kind in FIRST_ONES
        for one in ONES
        for seed in (1, 2)
    ]
    for kind, make in (LATER_KINDS | LAST_KINDS | OTHER_KINDS).items():
        alike = 1.0 if kind not in OTHER_KINDS else 0.0
        left, right = (_of_two(make, write) for write in (make.left, make.right))
        drawn += [
            (kind, left, (60, 0.3, 1.0, 0.15 * alike), 7),
            (kind, left, (150, 0.2, 1.0, 0.2 * alike), 7),
        ]
        drawn.append((kind, right, (100, 0.25, 0.8, 0.1 * alike), 8))
    for kind, one_kind, (size, share, mess, near), seed in drawn:
        table = drawn_once({kind: one_kind}, kind, size, seed, share=share, mess=mess, alike=near)
        truth = table.truth | {pair[::-1] for pair in table.truth}
        yield kind, TablePair(table.name, table.rows, table.rows, truth)


def _of_two(make: Make, write: Callable[[Draw, Record], Record]) -> Kind:
    """One side of two tables, as a table in which things are listed again."""
    return Kind(
        make.thing,
        lambda draw, thing: make.thing(draw) | {key: thing[key] for key in make.alike},
        lambda draw, thing, again: write(draw, thing),
    )


def fit(data: Path | None) -> dict[str, float]:
    """The constants of the second reading; every kind counts the same."""
    parts: list[tuple[str, np.ndarray, np.ndarray]] = []
    with tempfile.TemporaryDirectory() as folder:
        for kind, table in fitted_on(data):
            graph = open_sides(table.written(Path(folder))[0]).left
            match = compare_records(graph, graph)
            if match is None:
                continue
            pairs = match.pairs
            at = np.flatnonzero((match.odds > OUT) & (pairs.rows < pairs.columns))
            keys = [iri.rsplit("/", 1)[-1] for iri in graph.entities]
            ends = zip(pairs.rows[at].tolist(), pairs.columns[at].tolist(), strict=True)
            right = np.array([(keys[one], keys[other]) in table.truth for one, other in ends])
            parts.append((kind, read_again(match, at), right.astype(bool)))
    often = Counter(kind for kind, *_ in parts)
    weight = [np.full(len(y), 1 / (often[kind] * max(len(y), 1) ** 0.5)) for kind, _, y in parts]
    x, y = (np.concatenate([part[at] for part in parts]) for at in (1, 2))
    return dict(zip(AGAIN, regression(x, y, np.concatenate(weight)).round(2).tolist(), strict=True))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--make", action="append", choices=MAKES, help="which kinds; default all")
    parser.add_argument("--fit", action="store_true", help="print the constants")
    given = parser.parse_args(arguments)
    data = Path(os.environ["KGNB_DATA"]) if os.environ.get("KGNB_DATA") else None
    if given.fit:
        print(fit(data))
        return 0
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

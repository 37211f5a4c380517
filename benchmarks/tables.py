"""Tables compared as records: how many pairs are found, how many of them are right, and how many are
said to be right; and the fit of the constants behind that.

    KGNB_DATA=DIR python -m benchmarks.tables             as installed, beside ten lines of rapidfuzz
    KGNB_DATA=DIR python -m benchmarks.tables --left-out  every kind judged by a fit on the others
    KGNB_DATA=DIR python -m benchmarks.tables --fit       also the constants fitted on all of them

Tables are drawn (``tests.benchmarks.agents.messy_tables``, ``other_tables``, ``later_tables``) and taken from real ones
with known matches (DIR/er-tables): each whole, and samples of 30 to 300 rows. Without DIR only drawn
ones. ``--cases FOLDER`` adds its crm_customers.csv, erp_companies.csv, people_a.csv and people_b.csv.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np
from rapidfuzz import fuzz, process, utils
from scipy.optimize import minimize

from kgnb.agents.entity_alignment.candidates import places
from kgnb.agents.entity_alignment.record_proposal import bar_of
from kgnb.agents.entity_alignment.records import (
    CALIBRATION,
    DUPLICATES,
    LIKENESS,
    RecordMatch,
    compare_records,
    features,
    in_doubt,
    mutual,
    traits,
)
from kgnb.agents.entity_alignment.values import Options
from kgnb.tasks.aligning import align
from kgnb.tasks.sides import open_sides
from tests.benchmarks.agents.later_tables import LAST_KINDS, LATER, LATER_KINDS, drawn_later
from tests.benchmarks.agents.messy_tables import ALL_KINDS, Record, TablePair, drawn, listed_twice
from tests.benchmarks.agents.other_tables import OTHER_KINDS, drawn_other

ONE_TABLE = ", one table"
LIKELY = -3.0  # log-odds from which a pair of one table may be duplicates
NEAR = 3  # candidates of a row that the fit reads, by fields and by spelling
PARTLY = "restaurants-2"
"""Its reference lists 89 of 113 restaurants; streets, towns and kitchens have rows there too."""
REAL = {
    "abt-buy": ("abt.csv", "buy.csv"),
    "restaurants-2": ("rest1.csv", "rest2.csv"),
    "restaurants-1": ("restaurants.csv",),
    "cora": ("cora.csv",),
    "acm-dblp": ("acm.csv", "dblp.csv"),
}
SIZES = (30, 60, 120, 200)
SHARES = (0.0, 0.3, 0.6, 0.8, 1.0)
WHOLE = 2000  # pairs up to which a real table is read whole as well
DRAWN = (
    (40, 0.6, 1.2, 0.15, 11),
    (90, 0.9, 1.5, 0.1, 12),
    (60, 0.3, 0.8, 0.05, 13),
    (50, 0.0, 1.0, 0.05, 14),
    (100, 0.7, 1.7, 0.2, 15),
    (80, 0.4, 1.0, 0.4, 16),
)
"""Drawn tables: size, overlap, noise, twins, seed."""
TWICE = (
    (60, 0.0, 1.0, 0.1, 21),
    (80, 0.1, 1.3, 0.15, 22),
    (120, 0.05, 0.8, 0.08, 23),
    (50, 0.4, 1.0, 0.1, 24),
)
"""Single tables: size, share that is listed twice, noise, twins, seed."""
TWICE_REAL = ((40, 0.0, 1), (80, 0.1, 2), (120, 0.3, 3), (200, 0.2, 4))
OTHERS = (
    (40, 0.75, 1.0, 0.0),
    (150, 0.75, 1.0, 0.0),
    (300, 0.5, 1.0, 0.0),
    (150, 0.75, 1.5, 0.0),
    (150, 0.75, 1.0, 0.1),
    (100, 0.0, 1.0, 0.0),
)
"""Tables of other kinds: size, overlap, mess, share that is listed twice."""


@dataclass(frozen=True)
class Set:
    """The likeliest pairs of two tables, and which of them are right, as far as that is known."""

    kind: str
    name: str
    match: RecordMatch
    right: np.ndarray
    known: np.ndarray
    wanted: int  # pairs to be found
    once: bool = False  # whether it is one table, searched for duplicates


def rows_of(path: Path) -> list[Record]:
    """The rows of a file, with a key called id."""
    with path.open(encoding="utf-8", newline="") as file:
        first = file.readline()
        file.seek(0)
        table = list(csv.DictReader(file, delimiter="|" if "|" in first else ","))
    keyed = []
    for row in table:
        key, *others = ((name, value or "") for name, value in row.items() if name)
        keyed.append({"id": key[1]} | dict(others))
    return keyed


def real(folder: Path) -> TablePair:
    """Two real tables; of one table with duplicates, two of each thing on different sides."""
    files = REAL[folder.name]
    with (folder / "gt.csv").open(encoding="utf-8") as file:
        links = [tuple(line.strip().replace("|", ",").split(",")) for line in file]
    if len(files) == 2:
        tables = [rows_of(folder / name) for name in files]
        pairs = links[1:]
        if pairs and folder.name == "acm-dblp":  # its pairs are written the other way round
            pairs = [pair[::-1] for pair in pairs]
        return TablePair(folder.name, tables[0], tables[1], frozenset(pairs))
    rows = {row["id"]: row for row in rows_of(folder / files[0])}
    left, right, truth, used = [], [], set(), set()
    for one, other in sorted(links, key=lambda pair: (int(pair[0]), int(pair[1]))):
        if one not in used and other not in used and one != other:
            used |= {one, other}
            truth.add((one, other))
            left.append(rows[one])
            right.append(rows[other])
    repeated = {key for link in links for key in link}
    alone = [row for key, row in rows.items() if key not in repeated]
    # of a thing with more than two rows one pair is taken, so that a row has one counterpart
    clusters = _clusters(links)
    first = {}
    for pair in sorted(truth, key=lambda pair: int(pair[0])):
        first.setdefault(clusters[pair[0]], pair)
    kept = set(first.values())
    keep_left, keep_right = {one for one, _ in kept}, {other for _, other in kept}
    left = [row for row in left if row["id"] in keep_left] + alone[::2]
    right = [row for row in right if row["id"] in keep_right] + alone[1::2]
    return TablePair(folder.name, left, right, frozenset(kept))


def _clusters(links: Sequence[tuple[str, ...]]) -> dict[str, str]:
    head: dict[str, str] = {}

    def of(key: str) -> str:
        while head.setdefault(key, key) != key:
            key = head[key]
        return key

    for one, other in links:
        head[of(one)] = of(other)
    return {key: of(key) for key in list(head)}


def sampled(table: TablePair, size: int, overlap: float, seed: int) -> TablePair:
    """So many rows of both tables, a share of which is in both."""
    draw = np.random.default_rng(seed)
    links = sorted(table.truth)
    both = [links[at] for at in draw.permutation(len(links))[: round(size * overlap)]]
    sides = []
    for end, rows in enumerate((table.left, table.right)):
        taken = {pair[end] for pair in both}
        partners = {pair[end] for pair in links}
        strangers = [row for row in rows if row["id"] not in partners]
        # counterparts of which the other side was left out
        strangers += [row for row in rows if row["id"] in partners - taken][end::2]
        picked = [strangers[at] for at in draw.permutation(len(strangers))[: size - len(both)]]
        sides.append([row for row in rows if row["id"] in taken] + picked)
    keys = [{row["id"] for row in side} for side in sides]
    truth = frozenset(pair for pair in links if pair[0] in keys[0] and pair[1] in keys[1])
    return TablePair(f"{table.name}-{size}-{overlap:g}-{seed}", sides[0], sides[1], truth)


def once(folder: Path, size: int, share: float, seed: int) -> TablePair:
    """So many rows of one real table, a share of which are listed again."""
    draw = np.random.default_rng(seed)
    rows = rows_of(folder / REAL[folder.name][0])
    with (folder / "gt.csv").open(encoding="utf-8") as file:
        links = [tuple(line.strip().replace("|", ",").split(",")) for line in file]
    head = _clusters(links)
    by_head: dict[str, list[Record]] = {}
    for row in rows:
        by_head.setdefault(head.get(row["id"], row["id"]), []).append(row)
    things = list(by_head.values())
    picked = [things[at] for at in draw.permutation(len(things))]
    several = sorted(picked, key=lambda found: len(found) < 2)[: round(size * share)]
    taken = [found[:4] for found in several]
    alone = [found[:1] for found in picked if found not in several]
    taken += alone[: size - len(several)]
    truth = {
        (one["id"], other["id"])
        for found in taken
        for one, other in product(found, found)
        if one is not other
    }
    table = [row for found in taken for row in found]
    table = [table[at] for at in draw.permutation(len(table))]
    return TablePair(f"{folder.name}-{size}-{share:g}-once", table, table, frozenset(truth))


def cases(folder: Path) -> Iterator[TablePair]:
    """Two lists of companies and two of people, with what they share."""
    names = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
    left, right = rows_of(folder / "crm_customers.csv"), rows_of(folder / "erp_companies.csv")
    truth = {
        pair
        for pair in product(names["L"], names["R"])
        if names["L"][pair[0]] == names["R"][pair[1]]
    }
    yield TablePair("companies at hand", left, right, frozenset(truth))
    left, right = rows_of(folder / "people_a.csv"), rows_of(folder / "people_b.csv")
    keys = {row["id"] for row in right}
    pairs = {(row["id"], "B" + row["id"][1:]) for row in left} & set(
        product((row["id"] for row in left), keys)
    )
    yield TablePair("people at hand", left, right, frozenset(pairs))


def tables(data: Path | None) -> Iterator[tuple[str, TablePair]]:
    """Every table that the fit reads, with its kind: drawn ones, then real ones whole and in samples;
    of each, two tables, then one with things that are listed twice.
    """
    for kind in ALL_KINDS:
        for size, overlap, noise, twins, seed in DRAWN:
            yield kind, drawn(kind, size, seed, overlap=overlap, noise=noise, twins=twins)
        for size, share, noise, twins, seed in TWICE:
            yield kind, listed_twice(kind, size, seed, share=share, noise=noise, twins=twins)
    if data is None:
        return
    folder = data / "er-tables"
    for name, (size, share, seed) in product(("restaurants-1", "cora"), TWICE_REAL):
        yield name, once(folder / name, size, share, seed)
    for name in REAL:
        table = real(folder / name)
        if len(table.truth) < WHOLE:
            yield name, table
        for seed, (size, overlap) in enumerate(product(SIZES, SHARES)):
            if seed % 3 == 0 and round(size * overlap) <= len(table.truth):
                yield name, sampled(table, size, overlap, seed)


def compared(kind: str, table: TablePair, folder: Path) -> Set | None:
    """The likeliest pairs of two tables; None where nothing can be compared."""
    files = table.written(folder)
    once = table.left is table.right
    sides = open_sides(files[0]) if once else open_sides(*files)
    match = compare_records(sides.left, sides.right)
    if match is None:
        return None
    near = np.zeros(len(match.whole), dtype=bool)
    for score in (match.speaks.sum(axis=1), match.whole):
        for ends in match.pairs:
            near |= places(ends, np.arange(len(ends)), score.astype(np.float32)) < NEAR
    match = match.kept(near)
    keys = [[iri.rsplit("/", 1)[-1] for iri in side.entities] for side in (sides.left, sides.right)]
    pairs = [
        (keys[0][row], keys[1][column])
        for row, column in zip(match.pairs.rows.tolist(), match.pairs.columns.tolist(), strict=True)
    ]
    right = np.array([pair in table.truth for pair in pairs], dtype=bool)
    ends = [{pair[end] for pair in table.truth} for end in (0, 1)]
    known = np.array([kind != PARTLY or one in ends[0] or other in ends[1] for one, other in pairs])
    return Set(kind, table.name, match, right, known, len(table.truth), once)


def regression(x: np.ndarray, y: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """The weights of a logistic regression; the last is the constant."""
    x = np.column_stack([x, np.ones(len(x))])
    weight = weight * len(y) / weight.sum()
    scale = np.maximum(x.std(axis=0), 1e-6)
    scale[-1] = 1.0

    def loss(beta: np.ndarray) -> tuple[float, np.ndarray]:
        odds = x @ (beta / scale)
        chance = 1 / (1 + np.exp(-np.clip(odds, -40, 40)))
        total = weight @ (np.logaddexp(0, odds) - y * odds) + 2.0 * beta[:-1] @ beta[:-1]
        slope = (weight * (chance - y)) @ x / scale
        slope[:-1] += 4.0 * beta[:-1]
        return float(total), slope

    return minimize(loss, np.zeros(x.shape[1]), jac=True, method="L-BFGS-B").x / scale


Read = Callable[[Set], tuple[np.ndarray, np.ndarray]]


def learnt(sets: Sequence[Set], read: Read) -> np.ndarray:
    """A regression over the pairs that are read of every set; every kind counts the same, and of a
    kind every set.
    """
    often = Counter(one.kind for one in sets)
    parts = []
    for one in sets:
        x, at = read(one)
        x, at = x[one.known[at]], at[one.known[at]]
        if len(at):
            parts.append(
                (x, one.right[at], np.full(len(at), 1 / (often[one.kind] * np.sqrt(len(at)))))
            )
    return regression(*(np.concatenate(part) for part in zip(*parts, strict=True)))


def of_mutual(one: Set, likeness: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What the calibration reads of the pairs that are each other's best under these weights."""
    vars(one.match)["odds"] = traits(one.match) @ likeness[:-1] + likeness[-1]
    at = mutual(one.match)
    at = at[~in_doubt(one.match, at)]
    return features(one.match, at), at


def of_likely(one: Set, likeness: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The same of one table: what is read of pairs that may be duplicates, each pair once."""
    vars(one.match)["odds"] = traits(one.match) @ likeness[:-1] + likeness[-1]
    pairs = one.match.pairs
    at = np.flatnonzero((one.match.odds > LIKELY) & (pairs.rows < pairs.columns))
    at = at[~in_doubt(one.match, at, repeated=True)]
    return features(one.match, at, repeated=True), at


class Fit(NamedTuple):
    """Weights that are fitted: of the likeness, of pairs in two tables, and of duplicates in one."""

    likeness: np.ndarray
    pairs: np.ndarray
    duplicates: np.ndarray

    def read(self, one: Set) -> tuple[np.ndarray, np.ndarray]:
        """The chances of the pairs of a set that may be written, and which pairs those are."""
        read, at = (of_likely if one.once else of_mutual)(one, self.likeness)
        weights = self.duplicates if one.once else self.pairs
        return 1 / (1 + np.exp(-(read @ weights[:-1] + weights[-1]))), at


def fitted(sets: Sequence[Set]) -> Fit:
    """The weights of the likeness, then those of the two calibrations."""
    two, one_table = ([one for one in sets if one.once is once] for once in (False, True))
    likeness = learnt(two, lambda one: (traits(one.match), np.arange(len(one.right))))
    return Fit(
        likeness,
        learnt(two, lambda one: of_mutual(one, likeness)),
        learnt(one_table, lambda one: of_likely(one, likeness)),
    )


@dataclass(frozen=True)
class Line:
    """What a set comes to."""

    kind: str
    name: str
    written: int
    right: int
    wanted: int
    said: float

    @property
    def precision(self) -> float:
        """The share that is right of what is written."""
        return self.right / self.written if self.written else 1.0

    @property
    def recall(self) -> float:
        """The share that is found of what is to be found."""
        return self.right / self.wanted if self.wanted else 1.0

    @property
    def f1(self) -> float:
        """Twice the right ones over all that are written and wanted."""
        return 2 * self.right / max(self.written + self.wanted, 1)

    @property
    def off(self) -> float:
        """How far the estimate is above the truth."""
        return self.said - self.precision if self.written else 0.0


def judged(one: Set, fit: Fit) -> Line:
    """What is written of a set under these weights, pairs that its reference leaves open aside."""
    chance, at = fit.read(one)
    kept = chance >= bar_of(chance.astype(np.float32), Options())
    said = float(chance[kept].mean()) if kept.any() else 0.0
    kept &= one.known[at]
    kind = one.kind + ONE_TABLE * one.once
    wanted = one.wanted // (1 + one.once)  # of one table a pair and its reverse are one
    return Line(kind, one.name, int(kept.sum()), int(one.right[at][kept].sum()), wanted, said)


def said_of(lines: Sequence[Line]) -> str:
    """Mean precision and recall over sets in which there is something to find, and how true the
    estimates are.
    """
    some = [line for line in lines if line.wanted]
    recall = np.mean([line.recall for line in some])
    precision = np.mean([line.precision for line in some])
    spurious = sum(line.written for line in lines if not line.wanted)
    near = np.mean([abs(line.off) <= 0.05 for line in lines if line.written])
    both = np.mean([line.recall >= 0.9 and line.precision >= 0.97 for line in some])
    return f"{precision:.3f} | {recall:.3f} | {both:.0%} | {spurious} | {near:.0%}"


def rapidfuzz_lines(table: TablePair, least: float = 70.0) -> set[tuple[str, str]]:
    """The baseline: rows that are each other's best by the words of all their values."""
    texts = [
        [" ".join(list(row.values())[1:]) for row in rows] for rows in (table.left, table.right)
    ]
    scores = process.cdist(*texts, scorer=fuzz.token_ratio, processor=utils.default_process)
    best = (
        (scores == scores.max(axis=1, keepdims=True))
        & (scores == scores.max(axis=0))
        & (scores >= least)
    )
    return {
        (table.left[row]["id"], table.right[column]["id"])
        for row, column in zip(*np.nonzero(best), strict=True)
    }


def installed(kind: str, table: TablePair, folder: Path, *, turned: bool = False) -> Line:
    """What ``kgnb align`` writes for two tables by default."""
    files = table.written(folder)
    settled = align(*(files[::-1] if turned else files), judge="rule").settled
    pairs = {tuple(iri.rsplit("/", 1)[-1] for iri in pair[:2]) for pair in settled.pairs()}
    pairs = {pair[::-1] for pair in pairs} if turned else pairs
    return Line(
        kind,
        table.name + " (turned)" * turned,
        len(pairs),
        len(pairs & table.truth),
        len(table.truth),
        settled.estimated_precision or 0.0,
    )


def as_installed(data: Path | None, more: Path | None, folder: Path) -> None:
    """Print what is written by default for every set, beside the baseline."""
    sets: list[tuple[str, TablePair]] = []
    sets += [("at hand, not fitted on", table) for table in (cases(more) if more else ())]
    for kind in ALL_KINDS:
        sets.append(("drawn, kind fitted on", drawn(kind, 120, 41)))
    for kind in OTHER_KINDS:
        sets += [
            ("not fitted on", drawn_other(kind, size, 1, overlap=overlap, mess=mess, twice=twice))
            for size, overlap, mess, twice in OTHERS
        ]
    for kind in LATER_KINDS | LAST_KINDS:
        make = "of a fourth make" if kind in LAST_KINDS else "of a third make"
        sets += [
            (make, drawn_later(kind, size, 1, overlap=overlap, mess=mess, twins=twins))
            for size, overlap, mess, twins in LATER
        ]
    for name in REAL if data is not None else ():
        table = real(data / "er-tables" / name)
        sets.append(("real, fitted on", table))
        if name == PARTLY:
            sets.append(
                (
                    "real, fitted on",
                    replace(
                        table,
                        name=f"{name}, rows of its reference",
                        left=[
                            row
                            for row in table.left
                            if row["id"] in {one for one, _ in table.truth}
                        ],
                    ),
                )
            )
    print("| set | | written | P | R | F1 | said | rapidfuzz: P | R | F1 |")
    lines: dict[str, list[Line]] = {}
    for kind, table in sets:
        plain = rapidfuzz_lines(table)
        other = Line(kind, "", len(plain), len(plain & table.truth), len(table.truth), 0.0)
        for turned in (False, True) if kind.startswith(("real", "at hand")) else (False,):
            line = installed(kind, table, folder, turned=turned)
            lines.setdefault(kind, []).append(line)
            print(
                f"| {line.name} | {kind} | {line.written} | {line.precision:.3f} | {line.recall:.3f} | {line.f1:.3f} | "
                f"{line.said:.3f} | {other.precision:.3f} | {other.recall:.3f} | {other.f1:.3f} |",
                flush=True,
            )
    print("| | P | R | both aims | written where nothing is shared | estimate within .05 |")
    for kind, some in lines.items():
        print(f"| {kind} | {said_of(some)} |")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=os.environ.get("KGNB_DATA"))
    parser.add_argument("--cases", type=Path, help="a folder of further tables")
    parser.add_argument("--left-out", action="store_true", help="judge each kind by the others")
    parser.add_argument("--fit", action="store_true", help="print the constants as well")
    given = parser.parse_args(arguments)
    data = Path(given.data) if given.data else None
    with tempfile.TemporaryDirectory() as folder:
        if not (given.left_out or given.fit):
            as_installed(data, given.cases, Path(folder))
            return 0
        found = [compared(kind, table, Path(folder)) for kind, table in tables(data)]
    sets = [one for one in found if one is not None]
    return report(sets, fit=given.fit)


def report(sets: Sequence[Set], *, fit: bool) -> int:
    """Print the tables, and the constants with ``fit``."""
    print(
        "| kind, judged by the others | P | R | both aims | written where nothing is shared | within .05 |"
    )
    every: list[Line] = []
    for kind in dict.fromkeys(one.kind for one in sets):
        weights = fitted([one for one in sets if one.kind != kind])
        every += [judged(one, weights) for one in sets if one.kind == kind]
        print(f"| {kind} | {said_of([line for line in every if line.kind == kind])} |")
    for name, some in (
        ("two tables", [line for line in every if not line.kind.endswith(ONE_TABLE)]),
        ("one table", [line for line in every if line.kind.endswith(ONE_TABLE)]),
    ):
        print(f"| {name} | {said_of(some)} |")
    for line in every:
        if line.name in REAL or abs(line.off) > 0.05:
            print(
                f"{line.kind} {line.name}: written {line.written}, P {line.precision:.3f}, "
                f"said {line.said:.3f}, R {line.recall:.3f}"
            )
    if fit:
        for names, weights in zip((LIKENESS, CALIBRATION, DUPLICATES), fitted(sets), strict=True):
            print(dict(zip(names, weights.round(2).tolist(), strict=True)))
    return 0


if __name__ == "__main__":
    sys.exit(main())

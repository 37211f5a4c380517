"""Tables compared as records: how many pairs are found, how many of them are right, and how many are
said to be right; and the fit of the constants behind that.

    KGNB_DATA=DIR python -m benchmarks.tables          every kind of table judged by a fit on the others
    KGNB_DATA=DIR python -m benchmarks.tables --fit    also the constants fitted on all of them

Tables are drawn (``tests.benchmarks.agents.messy_tables``) and taken from real ones with known
matches (DIR/er-tables): each whole, and samples of 30 to 300 rows. Without DIR only drawn ones.
"""

from __future__ import annotations

import argparse
import csv
import os
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

from kgnb.agents.entity_alignment.record_proposal import ALLOWANCE
from kgnb.agents.entity_alignment.records import (
    CALIBRATION,
    compare_records,
    features,
    mutual,
    shared,
    shifted,
)
from kgnb.tasks.sides import open_sides
from tests.benchmarks.agents.messy_tables import KINDS, UNSEEN, Record, TablePair, drawn

PRECISION = 0.95  # the default of --precision
REAL = {
    "abt-buy": ("abt.csv", "buy.csv"),
    "acm-dblp": ("acm.csv", "dblp.csv"),
    "restaurants-2": ("rest1.csv", "rest2.csv"),
    "restaurants-1": ("restaurants.csv",),
    "cora": ("cora.csv",),
}
SIZES = (30, 60, 120, 300)
SHARES = (0.0, 0.3, 0.6, 0.8, 1.0)


@dataclass(frozen=True)
class Set:
    """The pairs of two tables that are each other's best, and which of them are right."""

    kind: str
    name: str
    features: np.ndarray
    right: np.ndarray
    wanted: int  # pairs to be found


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


def tables(data: Path | None) -> Iterator[tuple[str, TablePair]]:
    """Every table with its kind: drawn ones, then real ones whole and in samples."""
    for kind, (size, overlap) in product(
        KINDS | UNSEEN, product((30, 60, 150, 300), (0.0, 0.5, 0.8, 1.0))
    ):
        if size < 300 or overlap == 0.8:
            noise = {0.5: 1.4, 1.0: 0.6}.get(overlap, 1.0)
            yield kind, drawn(kind, size, 7, overlap=overlap, noise=noise, twins=0.08)
    for name in REAL if data is not None else ():
        table = real(data / "er-tables" / name)
        yield name, table
        for seed, (size, overlap) in enumerate(product(SIZES, SHARES)):
            if round(size * overlap) <= len(table.truth):
                yield name, sampled(table, size, overlap, seed)


def compared(kind: str, table: TablePair, folder: Path) -> Set | None:
    """The features of the pairs that are each other's best; None where nothing can be compared."""
    sides = open_sides(*table.written(folder))
    match = compare_records(sides.left, sides.right)
    if match is None:
        return None
    at = mutual(match)
    keys = [[iri.rsplit("/", 1)[-1] for iri in side.entities] for side in (sides.left, sides.right)]
    pairs = zip(match.pairs.rows[at].tolist(), match.pairs.columns[at].tolist(), strict=True)
    right = [(keys[0][row], keys[1][column]) in table.truth for row, column in pairs]
    return Set(kind, table.name, features(match, at), np.array(right, dtype=bool), len(table.truth))


def fitted(sets: Sequence[Set]) -> tuple[np.ndarray, float]:
    """The weights of a logistic regression (the last is the constant), and the share that is right.

    Every kind counts as much as any other, and of a kind every set.
    """
    often = defaultdict(int)
    for one in sets:
        often[one.kind] += 1
    x = np.vstack([np.column_stack([one.features, np.ones(len(one.right))]) for one in sets])
    y = np.concatenate([one.right for one in sets])
    weight = np.concatenate(
        [
            np.full(len(one.right), 1 / (often[one.kind] * np.sqrt(max(len(one.right), 1))))
            for one in sets
        ]
    )
    weight *= len(y) / weight.sum()
    scale = np.maximum(x.std(axis=0), 1e-6)
    scale[-1] = 1.0

    def loss(beta: np.ndarray) -> tuple[float, np.ndarray]:
        odds = x @ (beta / scale)
        chance = 1 / (1 + np.exp(-np.clip(odds, -40, 40)))
        total = weight @ (np.logaddexp(0, odds) - y * odds) + 2.0 * beta[:-1] @ beta[:-1]
        slope = (weight * (chance - y)) @ x / scale
        slope[:-1] += 4.0 * beta[:-1]
        return float(total), slope

    found = minimize(loss, np.zeros(x.shape[1]), jac=True, method="L-BFGS-B")
    return found.x / scale, float(weight @ y / weight.sum())


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
    def off(self) -> float:
        """How far the estimate is above the truth."""
        return self.said - self.precision if self.written else 0.0


def judged(one: Set, weights: np.ndarray, usual: float) -> Line:
    """What is written of a set under these weights."""
    odds = np.column_stack([one.features, np.ones(len(one.right))]) @ weights
    chance = 1 / (1 + np.exp(-odds))
    chance = shifted(chance, usual, shared(chance, usual))
    kept = chance >= PRECISION - ALLOWANCE
    said = float(chance[kept].mean()) if kept.any() else 0.0
    return Line(one.kind, one.name, int(kept.sum()), int(one.right[kept].sum()), one.wanted, said)


def said_of(lines: Sequence[Line]) -> str:
    """Mean precision and recall over sets in which there is something to find, and how true the
    estimates are.
    """
    some = [line for line in lines if line.wanted]
    recall = np.mean([line.right / line.wanted for line in some])
    precision = np.mean([line.precision for line in some])
    none = [line for line in lines if not line.wanted]
    spurious = sum(line.written for line in none)
    near = np.mean([abs(line.off) <= 0.05 for line in lines if line.written])
    return f"{precision:.3f} | {recall:.3f} | {spurious} | {near:.0%}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=os.environ.get("KGNB_DATA"))
    parser.add_argument("--fit", action="store_true", help="print the constants as well")
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        found = [compared(kind, table, Path(folder)) for kind, table in tables(given.data)]
    sets = [one for one in found if one is not None]
    return report(sets, fit=given.fit)


def report(sets: Sequence[Set], *, fit: bool) -> int:
    """Print the tables, and the constants with ``fit``."""
    print("| kind, judged by the others | P | R | written where nothing is shared | within .05 |")
    every: list[Line] = []
    for kind in dict.fromkeys(one.kind for one in sets):
        weights, usual = fitted([one for one in sets if one.kind != kind])
        lines = [judged(one, weights, usual) for one in sets if one.kind == kind]
        every += lines
        print(f"| {kind} | {said_of(lines)} |")
    print(f"| all | {said_of(every)} |")
    for line in every:
        if line.name in REAL or abs(line.off) > 0.05:
            print(
                f"{line.name}: written {line.written}, P {line.precision:.3f}, said {line.said:.3f}, "
                f"R {line.right / max(line.wanted, 1):.3f}"
            )
    if fit:
        weights, usual = fitted(sets)
        print(dict(zip(CALIBRATION, weights.round(2).tolist(), strict=True)), round(usual, 2))
    return 0


if __name__ == "__main__":
    sys.exit(main())

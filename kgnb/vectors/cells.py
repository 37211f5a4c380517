"""Near neighbours among many vectors without comparing all with all: a coarse quantiser, and exact within its cells.

The vectors of one side are sorted into cells around centres (spherical k-means on a seeded sample); each vector of the
other side is compared with those in the few cells whose centres are nearest to it (the inverted file of Sivic and
Zisserman, ICCV 2003, as in Jégou et al., TPAMI 33(1), 2011). A neighbour in a cell
that was not looked into is missed: of 50,000 generated names a side, one in forty of the ten nearest, in about a third
of the time of all against all (tests/benchmarks/vectors). A graph of neighbours (HNSW) was not tried: it answers
faster, but has to be built for each pair of ontologies, which are centred together.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kgnb.vectors.embedder import Vectors

Integers = NDArray[np.int64]

CELLS = 2.0  # times the square root of the number of vectors
PROBED = 0.06  # share of the cells that each vector looks into
_SAMPLE = 40  # vectors a cell that the centres are learnt from
_ROUNDS = 6
_ROWS = 8192  # vectors compared with all centres at a time
_CELLS_AT_A_TIME = 8_000_000  # cosines held at a time: 32 MB


class Pairs(NamedTuple):
    """Pairs of rows, one of each side, with their cosines as float32 adds them up."""

    rows: Integers
    columns: Integers
    cosines: NDArray[np.float32]


def close_pairs(a: Vectors, b: Vectors, k: int, *, probed: float = PROBED, seed: int = 0) -> Pairs:
    """Pairs (row of ``a``, row of ``b``) that hold nearly all of the ``k`` nearest of each row of either side.

    Both sides look into the other's cells, which finds more than one side looking twice as far would. Unordered; a
    pair may be there more than once. Deterministic in ``seed``.
    """
    found = [*_looked_up(a, b, k, probed, seed)]
    found += [Pairs(pairs.columns, pairs.rows, pairs.cosines) for pairs in _looked_up(b, a, k, probed, seed)]
    return Pairs(*(np.concatenate(parts) for parts in zip(*found, strict=True)))


def _looked_up(a: Vectors, b: Vectors, k: int, probed: float, seed: int) -> tuple[Pairs, Pairs]:
    """The best of each row of ``a`` and of each row of ``b`` among what ``a`` met in the cells of ``b``."""
    centres = _centres(b, max(1, round(CELLS * sqrt(len(b)))), seed)
    home = _nearest_centres(b, centres, 1)[:, 0]
    order = np.argsort(home, kind="stable")
    bounds = np.searchsorted(home[order], np.arange(len(centres) + 1))
    visits = _nearest_centres(a, centres, max(1, min(len(centres), round(probed * len(centres)))))
    visitor = np.repeat(np.arange(len(a)), visits.shape[1])
    by_cell = np.argsort(visits.ravel(), kind="stable")
    visit_bounds = np.searchsorted(visits.ravel()[by_cell], np.arange(len(centres) + 1))
    there, back = _Best(len(a), k), _Best(len(b), k)
    for cell in range(len(centres)):
        columns = order[bounds[cell] : bounds[cell + 1]]
        rows = visitor[by_cell[visit_bounds[cell] : visit_bounds[cell + 1]]]
        if len(columns):
            right = b[columns]
            for part in _parts(rows, len(columns)):
                cosines = a[part] @ right.T
                there.take(part, columns, cosines)
                back.take(columns, part, np.ascontiguousarray(cosines.T))
    met = back.pairs()
    return there.pairs(), Pairs(met.columns, met.rows, met.cosines)


class _Best:
    """The ``k`` best partners seen so far of every row."""

    def __init__(self, rows: int, k: int) -> None:
        self._scores = np.full((rows, k), -np.inf, dtype=np.float32)
        self._partners = np.full((rows, k), -1, dtype=np.int64)

    def take(self, rows: Integers, partners: Integers, cosines: NDArray[np.float32]) -> None:
        """Cosines of these rows with these partners: (rows, partners), each pair seen once only."""
        k = self._scores.shape[1]
        passed = np.flatnonzero(cosines.max(axis=1) > self._scores[rows, -1])  # the last is the lowest
        if not len(passed):
            return
        rows, cosines = rows[passed], cosines[passed]
        if cosines.shape[1] > k:
            top = np.argpartition(cosines, -k, axis=1)[:, -k:]
            cosines, found = np.take_along_axis(cosines, top, axis=1), partners[top]
        else:
            found = np.broadcast_to(partners, cosines.shape)
        scores = np.concatenate([self._scores[rows], cosines], axis=1)
        everyone = np.concatenate([self._partners[rows], found], axis=1)
        best = np.argsort(-scores, axis=1, kind="stable")[:, :k]
        self._scores[rows] = np.take_along_axis(scores, best, axis=1)
        self._partners[rows] = np.take_along_axis(everyone, best, axis=1)

    def pairs(self) -> Pairs:
        """Row and partner of all that was kept."""
        rows, places = np.nonzero(self._partners >= 0)
        return Pairs(rows, self._partners[rows, places], self._scores[rows, places])


def _centres(vectors: Vectors, number: int, seed: int) -> Vectors:
    """Centres of unit length, learnt from a sample; a centre that nothing is near to stays where it was."""
    draw = np.random.default_rng(seed)
    sample = vectors[np.sort(draw.choice(len(vectors), min(len(vectors), _SAMPLE * number), replace=False))]
    number = min(number, len(sample))
    centres = sample[np.sort(draw.choice(len(sample), number, replace=False))].copy()
    for _ in range(_ROUNDS):
        nearest = _nearest_centres(sample, centres, 1)[:, 0]
        order = np.argsort(nearest, kind="stable")
        filled, starts = np.unique(nearest[order], return_index=True)
        sums = np.add.reduceat(sample[order], starts, axis=0, dtype=np.float64)
        lengths = np.linalg.norm(sums, axis=1, keepdims=True)
        centres[filled] = np.where(lengths > 0, sums / np.where(lengths > 0, lengths, 1.0), centres[filled])
    return centres


def _nearest_centres(vectors: Vectors, centres: Vectors, number: int) -> Integers:
    """The ``number`` nearest centres of every vector, in no order: (vectors, number)."""
    nearest = np.empty((len(vectors), number), dtype=np.int64)
    for start in range(0, len(vectors), _ROWS):
        cosines = vectors[start : start + _ROWS] @ centres.T
        part = nearest[start : start + _ROWS]
        if number == 1:
            part[:, 0] = np.argmax(cosines, axis=1)
        elif number < len(centres):
            part[:] = np.argpartition(cosines, -number, axis=1)[:, -number:]
        else:
            part[:] = np.arange(len(centres))
    return nearest


def _parts(rows: Integers, width: int) -> Iterator[Integers]:
    step = max(1, _CELLS_AT_A_TIME // width)
    for start in range(0, len(rows), step):
        yield rows[start : start + step]

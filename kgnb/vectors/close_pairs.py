"""Near neighbours among many vectors without comparing all with all: an inverted file of faiss.

The vectors of one side are sorted into cells; each vector of the other side is compared with those
in the few cells nearest to it (Sivic and Zisserman, ICCV 2003; Jégou et al., TPAMI 33(1), 2011),
which are held as 16-bit floats. Neighbours in other cells are missed: with 50,000 generated vectors
per side, one in fifty of the ten nearest. faiss is the extra ``kgnb[large]``: check first whether
it is ``available``. Vectors are put on the grid of ``reproducible`` and the centres are learnt
here, so that the same pairs are found on every processor.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from importlib.util import find_spec
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kgnb.vectors.embedder import Vectors
from kgnb.vectors.reproducible import on_grid, unit

Integers = NDArray[np.int64]
Each = Callable[..., Iterator[Any]]

# share of the cells that are searched: 0.978 of the ten nearest at 0.03, 0.988 at twice that
PROBED = 0.04
_PROBED_LEAST = 12  # cells, if that share is less: with 2 x 4,000 names
_PROBED_MOST = (
    25  # cells: that share at 100,000 names; of 200,000 the right one is found for .987, not .996
)
_CELLS = 2.0  # times the square root of the number of vectors
_ROWS = 16_384  # looked up at a time
_SAMPLE = 40  # vectors per cell that the centres are learnt from
_ROUNDS = 6  # of learning them


def alone(work: Callable[..., Any], blocks: Iterable[Any], *shared: Any) -> Iterator[Any]:
    """``work(block, *shared)`` of every block, in order; what a cluster's workers do, done here."""
    return (work(block, *shared) for block in blocks)


def available() -> bool:
    """Whether faiss is installed."""
    return find_spec("faiss") is not None


def close_pairs(a: Vectors, b: Vectors, k: int, *, each: Each = alone) -> tuple[Integers, Integers]:
    """Pairs (row of ``a``, row of ``b``) that include nearly all of the ``k`` nearest of each row
    of either side.

    Unordered; a pair may occur twice. Deterministic. ``each`` looks up blocks of rows, in order.
    """
    (rows, columns), (their_columns, their_rows) = (
        _looked_up(a, b, k, each),
        _looked_up(b, a, k, each),
    )
    return np.concatenate([rows, their_rows]), np.concatenate([columns, their_columns])


def _search(block: Vectors, index: Any, k: int) -> Integers:
    """The k nearest of each row of a block, -1 if there are fewer."""
    columns: Integers = index.search(on_grid(block), k)[1]
    return columns


def _looked_up(a: Vectors, b: Vectors, k: int, each: Each) -> tuple[Integers, Integers]:
    import faiss  # large, and only here

    if not len(a) or not len(b):
        return np.empty(0, np.int64), np.empty(0, np.int64)
    cells = min(len(b), max(1, round(_CELLS * sqrt(len(b)))))
    centres = faiss.IndexFlatIP(b.shape[1])
    index = faiss.IndexIVFScalarQuantizer(
        centres, b.shape[1], cells, faiss.ScalarQuantizer.QT_fp16, faiss.METRIC_INNER_PRODUCT
    )
    held = on_grid(b)
    centres.add(_centres(held, cells))
    index.train(held[:1])  # there is nothing left to learn
    index.add(held)
    del held
    index.nprobe = min(cells, _PROBED_MOST, max(_PROBED_LEAST, round(PROBED * cells)))
    blocks = (a[first : first + _ROWS] for first in range(0, len(a), _ROWS))
    columns = np.concatenate(list(each(_search, blocks, index, min(k, len(b)))))
    rows, places = np.nonzero(columns >= 0)
    return rows, columns[rows, places].astype(np.int64)


def _centres(vectors: Vectors, cells: int) -> Vectors:
    """The centre of each cell (spherical k-means, Dhillon and Modha 2001); all sums are exact."""
    draw = np.random.default_rng(0)
    sample = vectors[
        np.sort(draw.choice(len(vectors), min(len(vectors), _SAMPLE * cells), replace=False))
    ]
    centres = sample[np.sort(draw.choice(len(sample), cells, replace=False))]
    for _ in range(_ROUNDS):
        blocks = (sample[at : at + _ROWS] for at in range(0, len(sample), _ROWS))
        cell = np.concatenate([(block @ centres.T).argmax(axis=1) for block in blocks])
        order = np.argsort(cell, kind="stable")
        filled, starts = np.unique(cell[order], return_index=True)
        centres[filled] = unit(np.add.reduceat(sample[order], starts, axis=0, dtype=np.float64))
    return centres

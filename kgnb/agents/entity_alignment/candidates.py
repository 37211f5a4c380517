"""Candidate pairs without comparing in memory all with all: blocked products, the best of every row and column."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from kgnb.vectors.close_pairs import Each, alone, available, close_pairs

EXACT_UP_TO = 30_000
"""Rows on a side up to which all are compared with all."""

_DENSE, _SPARSE = 512, 32_768  # pairs multiplied at a time: what a core's cache holds, and some 40 MB

Longs = NDArray[np.int64]
Singles = NDArray[np.float32]


class Pairs(NamedTuple):
    """Pairs (row, column), sorted by row, then column; each once."""

    rows: Longs
    columns: Longs


def nearest_pairs(left: Singles, right: Singles, k: int, block_rows: int, each: Each = alone) -> Pairs:
    """The ``k`` best columns of each row and the ``k`` best rows of each column, by the product of the two.

    A row without any vector (all zero) has no pair. Beyond ``EXACT_UP_TO`` rows on both sides only near ones are
    compared, if faiss is installed: nearly all of the best are found, the same ones every time. ``each`` does the work
    on blocks of rows, in order.
    """
    k_row, k_column = min(k, len(right)), min(k, len(left))
    if not k_row or not k_column:
        return Pairs(np.empty(0, np.int64), np.empty(0, np.int64))
    if min(len(left), len(right)) > EXACT_UP_TO and available():
        near = close_pairs(left, right, k, each=each)
        return _between_filled(united(Pairs(near.rows, near.columns), width=len(right)), left, right)
    rows, columns = [], []
    best = np.full((len(right), 0), -np.inf, dtype=np.float32)
    who = np.empty((len(right), 0), dtype=np.int64)
    right, blocks = right.astype(np.float32, copy=False), range(0, len(left), block_rows)
    parts = (left[first : first + block_rows] for first in blocks)
    for first, (top, mine, scores) in zip(blocks, each(_best_of, parts, right, k_row, k_column), strict=True):
        rows.append(np.repeat(np.arange(first, first + len(top)), k_row))
        columns.append(top.ravel())
        best, who = np.hstack([best, scores]), np.hstack([who, mine + first])
        if best.shape[1] > k_column:
            kept = _top(best, k_column)
            best, who = np.take_along_axis(best, kept, axis=1), np.take_along_axis(who, kept, axis=1)
    rows.append(who.ravel())
    columns.append(np.repeat(np.arange(len(right)), who.shape[1]))
    return _between_filled(united(Pairs(np.concatenate(rows), np.concatenate(columns)), width=len(right)), left, right)


def _best_of(block: Singles, right: Singles, k_row: int, k_column: int) -> tuple[Longs, Longs, Singles]:
    """The best columns of each row of a block; the best rows in it of each column, and their scores."""
    scores = _products(block, right)
    turned = np.ascontiguousarray(scores.T)
    mine = _top(turned, min(k_column, turned.shape[1]))
    return _top(scores, k_row), mine, np.take_along_axis(turned, mine, axis=1)


def _products(block: Singles, right: Singles) -> Singles:
    products: Singles = block.astype(np.float32, copy=False) @ right.T
    return products


def nearest_rows(left: Singles, right: Singles, k: int, block_rows: int) -> Pairs:
    """The ``k`` best columns of each row alone."""
    k = min(k, len(right))
    right = right.astype(np.float32, copy=False)
    blocks = range(0, len(left) if k else 0, block_rows)
    tops = [_top(_products(left[first : first + block_rows], right), k) for first in blocks]
    columns = np.concatenate([top.ravel() for top in tops]) if tops else np.empty(0, np.int64)
    rows = np.repeat(np.arange(len(left)), k) if tops else np.empty(0, np.int64)
    return _between_filled(Pairs(rows, columns), left, right)


def _between_filled(pairs: Pairs, left: Singles, right: Singles) -> Pairs:
    seen = _filled(left)[pairs.rows] & _filled(right)[pairs.columns]
    return Pairs(pairs.rows[seen], pairs.columns[seen])


def best_pairs(pairs: Pairs, scores: Singles, row_best: int, column_best: int) -> NDArray[np.bool_]:
    """Whether each pair is among the best of its row or of its column."""
    return (places(pairs.rows, pairs.columns, scores) < row_best) | (
        places(pairs.columns, pairs.rows, scores) < column_best
    )


def places(groups: Longs, ties: Longs, scores: Singles) -> Longs:
    """The 0-based place of each score in its group, best first, equal scores by ``ties``."""
    order = np.lexsort((ties, -scores, groups))
    sorted_groups = groups[order]
    found = np.empty(len(order), dtype=np.int64)
    found[order] = np.arange(len(order)) - np.searchsorted(sorted_groups, sorted_groups)
    return found


def united(*pairs: Pairs, width: int) -> Pairs:
    """All of the pairs, each once; columns are below ``width``."""
    keys = np.sort(np.concatenate([part.rows * width + part.columns for part in pairs]))  # np.unique takes ten times
    keys = keys[np.r_[True, keys[1:] != keys[:-1]]] if len(keys) else keys  # as long: it hashes
    return Pairs(keys // width, keys % width)


def _filled(rows: Singles) -> NDArray[np.bool_]:
    filled: NDArray[np.bool_] = np.any(rows != 0, axis=1)
    return filled


def _top(scores: Singles, k: int) -> Longs:
    if k >= scores.shape[1]:
        return np.broadcast_to(np.arange(scores.shape[1]), scores.shape)
    return np.argpartition(scores, -k, axis=1)[:, -k:].astype(np.int64)


def dense_dots(left: Singles, right: Singles, pairs: Pairs, block: int = _DENSE) -> Singles:
    """The product of the two rows of each pair."""
    found = np.empty(len(pairs.rows), dtype=np.float32)
    for first in range(0, len(found), block):
        part = slice(first, first + block)
        mine, yours = (
            side.astype(np.float32, copy=False) for side in (left[pairs.rows[part]], right[pairs.columns[part]])
        )
        found[part] = np.einsum("ij,ij->i", mine, yours)
    return found


def sparse_dots(left: sparse.csr_matrix, right: sparse.csr_matrix, pairs: Pairs, block: int = _SPARSE) -> Singles:
    """The product of the two sparse rows of each pair."""
    found = np.empty(len(pairs.rows), dtype=np.float32)
    for first in range(0, len(found), block):
        part = slice(first, first + block)
        product = left[pairs.rows[part]].multiply(right[pairs.columns[part]])
        found[part] = np.asarray(product.sum(axis=1)).ravel()
    return found

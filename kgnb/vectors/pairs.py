"""Cosines of chosen pairs of entities: what a judge wants to know of a candidate that another view proposed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kgnb.vectors.nearest import Grouped, Integers

_ROWS = 4096  # text pairs multiplied at a time: 2 x 6 MB at 384 dimensions


def pair_cosines(a: Grouped, b: Grouped, rows: Integers, columns: Integers) -> NDArray[np.float32]:
    """For each pair (entity ``rows[i]`` of ``a``, ``columns[i]`` of ``b``) the highest cosine over their text pairs.

    An entity without a text, or with empty texts only, has cosine 0 with everything.
    """
    if len(rows) != len(columns):
        raise ValueError(f"{len(rows)} rows and {len(columns)} columns do not pair up")
    left, left_starts = _sorted(a)
    right, right_starts = _sorted(b)
    left_counts, right_counts = np.diff(left_starts)[rows], np.diff(right_starts)[columns]
    counts = left_counts * right_counts
    best = np.full(len(rows), -np.inf, dtype=np.float32)
    pair = np.repeat(np.arange(len(rows)), counts)
    within = np.arange(len(pair)) - np.repeat(np.cumsum(counts) - counts, counts)
    width = np.repeat(right_counts, counts)
    one = left_starts[rows][pair] + within // np.maximum(width, 1)
    other = right_starts[columns][pair] + within % np.maximum(width, 1)
    for start in range(0, len(pair), _ROWS):
        part = slice(start, start + _ROWS)
        cosines = np.einsum("ij,ij->i", left[one[part]], right[other[part]], dtype=np.float64)
        np.maximum.at(best, pair[part], cosines.astype(np.float32))
    return np.clip(np.where(np.isfinite(best), best, 0.0), -1.0, 1.0).astype(np.float32)


def _sorted(side: Grouped) -> tuple[NDArray[np.float32], Integers]:
    """The vectors by entity, and where each entity's begin (one more than there are entities)."""
    owners = np.asarray(side.owners, dtype=np.int64)
    order = np.argsort(owners, kind="stable")
    starts = np.searchsorted(owners[order], np.arange(side.entities + 1))
    return np.asarray(side.vectors, dtype=np.float32)[order], starts.astype(np.int64)

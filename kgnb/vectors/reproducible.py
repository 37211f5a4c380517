"""Arithmetic that comes to the same bits on every processor.

The order in which a BLAS library adds and the formulas by which NumPy computes exponentials depend
on the processor; differences in the last bit are carried through rounds of matching into the
result. Vectors on a grid of 2^-11 have products of 22 bits: a sum of these below 4 is exact in
float32 in any order (Cauchy and Schwarz: so are all partial sums, for rows of unit length).
Exponentials and logarithms here consist of element-wise additions and products, which IEEE 754
defines to the bit.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Singles = NDArray[np.float32]
Doubles = NDArray[np.float64]

GRID = 2048  # float16 holds such vectors as well; cosines are off by 2e-4 (one standard deviation)
_LN2_HIGH, _LN2_LOW = (
    float.fromhex("0x1.62e42fee00000p-1"),
    float.fromhex("0x1.a39ef35793c76p-33"),
)  # fdlibm's


def on_grid(values: NDArray[np.floating], steps: int = GRID, out: Singles | None = None) -> Singles:
    """The values as multiples of 1 / ``steps``, a power of two."""
    found: Singles = np.multiply(values, steps, dtype=np.float32, out=out)
    np.rint(found, out=found)
    found /= steps
    return found


def unit(rows: NDArray[np.floating]) -> Singles:
    """Rows of unit length, on the grid; rows that are (nearly) zero become zero."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return on_grid(np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 1e-6))


def exp(values: NDArray[np.floating]) -> Doubles:
    """e to the power of each value.

    >>> [float(value) for value in np.round(exp(np.array([-1000.0, 0.0, 1.0])), 12)]
    [0.0, 1.0, 2.718281828459]
    """
    found = np.array(values, dtype=np.float64, order="C", copy=True)
    every = found.reshape(-1)
    for first in range(0, every.size, _NEAR_PROCESSOR):
        _raise(every[first : first + _NEAR_PROCESSOR])
    return found


_NEAR_PROCESSOR = 1 << 14  # numbers worked on at a time, so that they stay near the processor


def _raise(x: Doubles) -> None:
    """e to the power of each number, in their place."""
    np.clip(x, -746.0, 709.0, out=x)
    halvings = np.rint(x / (_LN2_HIGH + _LN2_LOW))
    rest = (x - halvings * _LN2_HIGH) - halvings * _LN2_LOW
    x[:] = 1.0
    for power in range(13, 0, -1):  # Horner's scheme; |rest| < 0.35
        x *= rest
        x /= power
        x += 1.0
    np.ldexp(x, halvings.astype(np.int32), out=x)


def log(values: NDArray[np.number]) -> Doubles:
    """The natural logarithm of each value; all are positive.

    >>> [float(value) for value in np.round(log(np.array([0.001, 1.0, 10.0])), 12)]
    [-6.907755278982, 0.0, 2.302585092994]
    """
    part, doublings = np.frexp(np.asarray(values, dtype=np.float64))
    low = part < math.sqrt(0.5)
    part, doublings = np.where(low, 2 * part, part), doublings - low
    ratio = (part - 1.0) / (part + 1.0)
    square = ratio * ratio
    found = np.zeros_like(part)
    for power in range(23, 0, -2):  # of artanh; |ratio| < 0.18
        found = found * square + 1.0 / power
    whole: Doubles = doublings * _LN2_HIGH + (2.0 * ratio * found + doublings * _LN2_LOW)
    return whole


def solved(matrix: Doubles, right: Doubles) -> Doubles:
    """``x`` with ``matrix @ x = right``, for a small symmetric positive definite matrix (Gauss and
    Jordan).
    """
    table = np.column_stack([matrix, right])
    for at in range(len(table)):
        row = table[at] / table[at, at]
        table -= table[:, at, None] * row
        table[at] = row
    found: Doubles = table[:, -1].copy()
    return found


def principal(sample: Singles, narrow: int) -> Singles:
    """The approximate directions in which these rows differ most, on the grid: (width, narrow).

    Orthogonal iteration (Golub and Van Loan, Matrix Computations, 8.2.4) instead of LAPACK's
    eigenvectors.
    """
    rows = on_grid(sample).astype(np.float64)
    spread = rows.T @ rows  # exact: 22 bits and those of the number of rows
    found = on_grid(np.random.default_rng(0).standard_normal((spread.shape[1], narrow))).astype(
        np.float64
    )
    for _ in range(_ROUNDS):
        found = on_grid(_orthonormal(spread @ found)).astype(np.float64)
    return found.astype(np.float32)


_ROUNDS = 10  # of orthogonal iteration


def _orthonormal(columns: Doubles) -> Doubles:
    """Orthonormal columns (modified Gram-Schmidt)."""
    rows = np.ascontiguousarray(columns.T)
    for at, row in enumerate(rows):
        row /= np.sqrt(np.sum(row * row)) or 1.0
        later = rows[at + 1 :]
        later -= np.sum(later * row, axis=1, keepdims=True) * row
    return rows.T

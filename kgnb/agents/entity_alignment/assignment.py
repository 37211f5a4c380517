"""Who gets whom: sparse Sinkhorn, Hungarian, stable marriage; all over candidate pairs, never over all pairs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import min_weight_full_bipartite_matching

from kgnb.agents.entity_alignment.candidates import Longs, Pairs, Singles

Doubles = NDArray[np.float64]


def sinkhorn(pairs: Pairs, logits: Singles, height: int, width: int, *, rounds: int, even: bool = True) -> Singles:
    """Chances of the pairs once every row has one column and every column one row (Sinkhorn and Knopp, 1967).

    ``even``: every column is taken by someone; otherwise by at most one, as where entities have no counterpart.
    Rows come last, so each adds up to one. Pairs that are not listed have no chance.
    """
    chances = np.exp(logits.astype(np.float64) - row_best(pairs, logits, height)[pairs.rows])
    for _ in range(rounds):
        chances /= _sums(pairs.rows, chances, height)[pairs.rows]
        full = _sums(pairs.columns, chances, width)
        chances /= (full if even else np.maximum(full, 1.0))[pairs.columns]
    chances /= _sums(pairs.rows, chances, height)[pairs.rows]
    return chances.astype(np.float32)


def _sums(places: Longs, values: Doubles, size: int) -> Doubles:
    return np.maximum(np.bincount(places, weights=values, minlength=size), 1e-300)


def row_best(pairs: Pairs, values: Singles, height: int) -> Singles:
    """The highest value of each row; -inf where a row has no pair."""
    best = np.full(height, -np.inf, dtype=values.dtype)
    if len(pairs.rows):
        starts = np.flatnonzero(np.r_[True, pairs.rows[1:] != pairs.rows[:-1]])
        best[pairs.rows[starts]] = np.maximum.reduceat(values, starts)
    return best


def stable(pairs: Pairs, scores: Singles, height: int, width: int) -> Longs:
    """The column of each row, -1 for none: nobody could do better with someone who agrees.

    As both sides go by the same scores, it is best pair first. All pairs that are best for both of their ends are
    joined at once, and what is left goes on; equal scores are broken by row and column.
    """
    given = np.full(height, -1, dtype=np.int64)
    order = np.lexsort((pairs.columns, pairs.rows, -scores))
    rows, columns = pairs.rows[order], pairs.columns[order]
    while len(rows):
        place = np.arange(len(rows))
        first_row, first_column = np.full(height, len(rows)), np.full(width, len(rows))
        np.minimum.at(first_row, rows, place)
        np.minimum.at(first_column, columns, place)
        joined = (first_row[rows] == place) & (first_column[columns] == place)
        given[rows[joined]] = columns[joined]
        gone = np.zeros(width, dtype=bool)
        gone[columns[joined]] = True
        left = (given[rows] < 0) & ~gone[columns]
        rows, columns = rows[left], columns[left]
    return given


def hungarian(pairs: Pairs, scores: Singles, height: int, width: int) -> Longs:
    """The column of each row, -1 for none, so that the scores add up to most; every score is worth more than none."""
    if not len(pairs.rows):
        return np.full(height, -1, dtype=np.int64)
    low, high = float(scores.min()), float(scores.max())
    costs = 1.0 + (high - scores.astype(np.float64))
    nobody = np.full(height, 2.0 + 2 * (high - low))  # a column of its own for each row that finds no other
    table = sparse.csr_matrix(
        (
            np.concatenate([costs, nobody]),
            (
                np.concatenate([pairs.rows, np.arange(height)]),
                np.concatenate([pairs.columns, width + np.arange(height)]),
            ),
        ),
        shape=(height, width + height),
    )
    rows, columns = min_weight_full_bipartite_matching(table)
    given = np.full(height, -1, dtype=np.int64)
    given[rows] = np.where(columns < width, columns, -1)
    return given


MOST = 20_000  # rows that weights are learnt from: of more, every second, third, ... is taken


def fitted(pairs: Pairs, views: Singles, truth: Singles, prior: Doubles, *, height: int, strength: float) -> Doubles:
    """The weights under which each row would choose as ``truth`` (chances, a row of pairs adding up to one) does.

    A conditional logit (McFadden 1974), held near ``prior`` as if ``strength`` rows had said so; a row whose ``truth``
    is zero throughout does not count. No weight turns negative: every view is made so that more is better.
    """
    told = np.bincount(pairs.rows, weights=truth, minlength=height) > 0
    if (number := int(told.sum())) > MOST:
        told[np.setdiff1d(np.flatnonzero(told), np.flatnonzero(told)[:: -(-number // MOST)])] = False
    kept = told[pairs.rows]
    rows, columns = pairs.rows[kept], pairs.columns[kept]
    if not len(rows):
        return prior.copy()
    _, rows = np.unique(rows, return_inverse=True)
    rows = rows.ravel()
    few = Pairs(rows, columns)
    number = int(rows[-1]) + 1
    x, target = views[kept].astype(np.float64), truth[kept].astype(np.float64)
    mass = np.bincount(rows, weights=target, minlength=number)

    def loss(weights: Doubles) -> tuple[float, Doubles]:
        logits = x @ weights
        highest = row_best(few, logits.astype(np.float32), number)
        raised = np.exp(logits - highest[rows])
        total = np.bincount(rows, weights=raised, minlength=number)
        expected = raised / total[rows] * mass[rows]
        value = float((mass * (np.log(total) + highest)).sum() - target @ logits)
        away = (weights - prior) / scale
        return (value + strength * float(away @ away)) / number, (
            (expected - target) @ x + 2 * strength * away / scale
        ) / number

    scale = np.maximum(np.abs(prior), 1.0)
    bounds = [(0.0, None)] * len(prior)
    from scipy.optimize import minimize  # slow to import

    found = minimize(loss, prior, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": 60})
    weights: Doubles = found.x
    return weights

"""Candidate pairs (the best of every row and column, by blocked products), their assignment and
learnt weights.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from kgnb.vectors.close_pairs import Each, alone, available, close_pairs
from kgnb.vectors.nearest import kth_best, turned
from kgnb.vectors.reproducible import exp, log, on_grid, solved

EXACT_UP_TO = 30_000
BLOCK_ROWS = 1024  # compared at a time, which bounds the memory; decides nothing
"""Rows per side up to which all pairs are compared."""

_OFTEN = 4  # times k: rows above a column's bar from which on it is cheaper to sort all
_DENSE, _SPARSE = (
    512,
    32_768,
)  # pairs multiplied at a time: what a core's cache holds, and some 40 MB

Longs = NDArray[np.int64]
Singles = NDArray[np.float32]


class CandidatePairs(NamedTuple):
    """Pairs (row, column), sorted by row, then column; each once."""

    rows: Longs
    columns: Longs


def nearest_pairs(
    left: Singles, right: Singles, k: int, each: Each = alone, block_rows: int = BLOCK_ROWS
) -> CandidatePairs:
    """The ``k`` best columns of each row and the ``k`` best rows of each column, by dot product.

    Vectors are on the grid of ``kgnb.vectors.reproducible``; of equal products the first count.
    Rows of zeros have no pair. Beyond ``EXACT_UP_TO`` rows on both sides faiss, if installed, finds
    nearly all of them, the same ones every time. ``each`` works on blocks of rows, in order.
    """
    k_row, k_column = min(k, len(right)), min(k, len(left))
    if not k_row or not k_column:
        return CandidatePairs(np.empty(0, np.int64), np.empty(0, np.int64))
    if min(len(left), len(right)) > EXACT_UP_TO and available():
        near = CandidatePairs(*close_pairs(left, right, k, each=each))
        return _between_filled(united(near, width=len(right)), left, right)
    rows, columns = [], []
    best = np.full((len(right), 0), -np.inf, dtype=np.float32)
    who = np.empty((len(right), 0), dtype=np.int64)
    bars = np.full(len(right), -np.inf, dtype=np.float32)
    right, blocks = right.astype(np.float32, copy=False), range(0, len(left), block_rows)
    parts = (left[first : first + block_rows] for first in blocks)
    for first, (top, mine, scores) in zip(
        blocks, each(_best_of, parts, right, k_row, k_column, bars), strict=True
    ):
        rows.append(np.repeat(np.arange(first, first + len(top)), k_row))
        columns.append(top.ravel())
        best, who = np.hstack([best, scores]), np.hstack([who, mine + first])
        if best.shape[1] > k_column:
            kept = _top(best, k_column)
            best, who = (
                np.take_along_axis(best, kept, axis=1),
                np.take_along_axis(who, kept, axis=1),
            )
        if best.shape[1] == k_column:
            # in place, for the blocks to come, unless they are computed elsewhere
            best.min(axis=1, out=bars)
    rows.append(who.ravel())
    columns.append(np.repeat(np.arange(len(right)), who.shape[1]))
    return _between_filled(
        united(CandidatePairs(np.concatenate(rows), np.concatenate(columns)), width=len(right)),
        left,
        right,
    )


def _best_of(
    block: Singles, right: Singles, k_row: int, k_column: int, bars: Singles
) -> tuple[Longs, Longs, Singles]:
    """The best columns of each row of a block; for each column its best rows and their scores."""
    scores = _products(block, right)
    mine = _above(scores, bars, _OFTEN * k_column)
    if mine is None:
        across = turned(scores)
        best = _top(across, min(k_column, across.shape[1]))
        mine = best, np.take_along_axis(across, best, axis=1)
    return _top(scores, k_row), *mine


def _above(scores: Singles, bars: Singles, most: int) -> tuple[Longs, Singles] | None:
    """For each column the rows whose scores are above its bar, and these scores, -inf after the
    last; None if a column has no bar yet, or more than ``most`` such rows.

    ``k`` earlier rows reach a bar, so that no other row is among the ``k`` best.
    """
    if np.isneginf(bars).any():
        return None
    height, width = scores.shape
    rows, columns = np.divmod(np.flatnonzero(scores > bars), width)
    often = np.bincount(columns, minlength=width)
    if often.max() > most:
        return None
    order = np.argsort(columns, kind="stable")
    rows, columns = rows[order], columns[order]
    place = np.arange(len(rows)) - np.repeat(np.cumsum(often) - often, often)
    found = np.full((width, int(often.max())), -np.inf, dtype=np.float32)
    who = np.zeros(found.shape, dtype=np.int64)
    who[columns, place] = rows
    found[columns, place] = scores[rows, columns]
    return who, found


def _products(block: Singles, right: Singles) -> Singles:
    products: Singles = block.astype(np.float32, copy=False) @ right.T
    return products


def nearest_rows(
    left: Singles, right: Singles, k: int, block_rows: int = BLOCK_ROWS
) -> CandidatePairs:
    """The ``k`` best columns of each row alone."""
    k = min(k, len(right))
    right = right.astype(np.float32, copy=False)
    blocks = range(0, len(left) if k else 0, block_rows)
    tops = [_top(_products(left[first : first + block_rows], right), k) for first in blocks]
    columns = np.concatenate([top.ravel() for top in tops]) if tops else np.empty(0, np.int64)
    rows = np.repeat(np.arange(len(left)), k) if tops else np.empty(0, np.int64)
    return _between_filled(CandidatePairs(rows, columns), left, right)


def _between_filled(pairs: CandidatePairs, left: Singles, right: Singles) -> CandidatePairs:
    seen = _filled(left)[pairs.rows] & _filled(right)[pairs.columns]
    return CandidatePairs(pairs.rows[seen], pairs.columns[seen])


def best_pairs(
    pairs: CandidatePairs, scores: Singles, row_best: int, column_best: int
) -> NDArray[np.bool_]:
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


def united(*pairs: CandidatePairs, width: int) -> CandidatePairs:
    """All of the pairs, each once; columns are below ``width``."""
    keys = np.sort(
        np.concatenate([part.rows * width + part.columns for part in pairs])
    )  # np.unique takes ten times
    keys = keys[np.r_[True, keys[1:] != keys[:-1]]] if len(keys) else keys  # as long: it hashes
    return CandidatePairs(keys // width, keys % width)


def _filled(rows: Singles) -> NDArray[np.bool_]:
    filled: NDArray[np.bool_] = np.any(rows != 0, axis=1)
    return filled


def _top(scores: Singles, k: int) -> Longs:
    """Where the ``k`` best of each row stand, in order of place; of equal ones the first."""
    if k >= scores.shape[1]:
        return np.broadcast_to(np.arange(scores.shape[1]), scores.shape)
    least = kth_best(scores, k)[:, None]
    kept = scores >= least
    for row in np.flatnonzero(np.count_nonzero(kept, axis=1) > k):
        equal = np.flatnonzero(scores[row] == least[row])
        kept[row, equal[k - np.count_nonzero(kept[row]) :]] = False
    where: Longs = np.flatnonzero(kept) % scores.shape[1]
    return where.reshape(len(scores), k)


def dense_dots(
    left: Singles, right: Singles, pairs: CandidatePairs, block: int = _DENSE
) -> Singles:
    """The product of the two rows of each pair."""
    found = np.empty(len(pairs.rows), dtype=np.float32)
    for first in range(0, len(found), block):
        part = slice(first, first + block)
        mine, yours = (
            side.take(ends[part], axis=0).astype(np.float32, copy=False)
            for side, ends in ((left, pairs.rows), (right, pairs.columns))
        )
        found[part] = np.einsum("ij,ij->i", mine, yours)
    return found


def sparse_dots(
    left: scipy.sparse.csr_matrix,
    right: scipy.sparse.csr_matrix,
    pairs: CandidatePairs,
    block: int = _SPARSE,
) -> Singles:
    """The product of the two sparse rows of each pair."""
    found = np.empty(len(pairs.rows), dtype=np.float32)
    for first in range(0, len(found), block):
        part = slice(first, first + block)
        product = left[pairs.rows[part]].multiply(right[pairs.columns[part]])
        found[part] = np.asarray(product.sum(axis=1)).ravel()
    return found


# who gets whom: sparse Sinkhorn, Hungarian, stable marriage; over candidate pairs, never over all
# pairs

Doubles = NDArray[np.float64]


def sinkhorn(
    pairs: CandidatePairs,
    logits: Singles,
    height: int,
    width: int,
    *,
    rounds: int,
    even: bool = True,
) -> Singles:
    """Chances of the pairs when every row has one column and every column one row (Sinkhorn and
    Knopp, 1967).

    ``even``: every column is taken; otherwise by at most one row, as some entities have no
    counterpart. Each row adds up to one.
    """
    chances = exp(logits - row_best(pairs, logits, height)[pairs.rows])
    for _ in range(rounds):
        chances /= _sums(pairs.rows, chances, height)[pairs.rows]
        full = _sums(pairs.columns, chances, width)
        chances /= (full if even else np.maximum(full, 1.0))[pairs.columns]
    chances /= _sums(pairs.rows, chances, height)[pairs.rows]
    return chances.astype(np.float32)


def _sums(places: Longs, values: Doubles, size: int) -> Doubles:
    return np.maximum(np.bincount(places, weights=values, minlength=size), 1e-300)


def row_best(pairs: CandidatePairs, values: Singles, height: int) -> Singles:
    """The highest value of each row; -inf where a row has no pair."""
    best = np.full(height, -np.inf, dtype=values.dtype)
    if len(pairs.rows):
        starts = np.flatnonzero(np.r_[True, pairs.rows[1:] != pairs.rows[:-1]])
        best[pairs.rows[starts]] = np.maximum.reduceat(values, starts)
    return best


def corrected(
    pairs: CandidatePairs, logits: Singles, height: int, width: int, *, nearest: int = 5
) -> Singles:
    """Scores less the mean of the nearest few of row and column, so that hubs do not win.

    Cross-domain similarity local scaling (Conneau et al., ICLR 2018, section 2.3).
    """
    mine = _mean_of_best(pairs.rows, logits, height, nearest)[pairs.rows]
    yours = _mean_of_best(pairs.columns, logits, width, nearest)[pairs.columns]
    scaled: Singles = (2 * logits - mine - yours).astype(np.float32)
    return scaled


def _mean_of_best(places: Longs, values: Singles, size: int, number: int) -> Singles:
    order = np.lexsort((-values, places))
    sorted_places = places[order]
    best = np.arange(len(order)) - np.searchsorted(sorted_places, sorted_places) < number
    total = np.bincount(sorted_places[best], weights=values[order][best], minlength=size)
    count = np.bincount(sorted_places[best], minlength=size)
    return (total / np.maximum(count, 1)).astype(np.float32)


def precise(confidence: Singles, precision: float) -> float:
    """The lowest confidence down to which the expected share of right matches is at least
    ``precision``.

    Above 1 if not even the surest match is enough.

    >>> round(precise(np.array([0.99, 0.95, 0.4, 0.3], dtype=np.float32), 0.9), 2)
    0.95
    """
    ranked = np.sort(confidence.astype(np.float64))[::-1]
    kept = np.flatnonzero(np.cumsum(ranked) >= precision * np.arange(1, len(ranked) + 1))
    return float(np.float32(ranked[kept[-1]])) if len(kept) else 2.0


def stable(pairs: CandidatePairs, scores: Singles, height: int, width: int) -> Longs:
    """The column of each row (-1: none) in a stable matching.

    As both sides rank by the same scores, that is the best pair first. All pairs that are best for
    both of their ends are joined at once, then the rest; ties are broken by row and column.
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


def hungarian(pairs: CandidatePairs, scores: Singles, height: int, width: int) -> Longs:
    """The column of each row (-1: none) with the largest sum of scores; any match is better than
    none.
    """
    if not len(pairs.rows):
        return np.full(height, -1, dtype=np.int64)
    low, high = float(scores.min()), float(scores.max())
    costs = 1.0 + (high - scores.astype(np.float64))
    nobody = np.full(height, 2.0 + 2 * (high - low))  # each row has a column of its own in reserve
    every = np.arange(height)
    ends = np.concatenate([pairs.rows, every]), np.concatenate([pairs.columns, width + every])
    table = scipy.sparse.csr_matrix(
        (np.concatenate([costs, nobody]), ends), shape=(height, width + height)
    )
    rows, columns = scipy.sparse.csgraph.min_weight_full_bipartite_matching(table)
    given = np.full(height, -1, dtype=np.int64)
    given[rows] = np.where(columns < width, columns, -1)
    return given


MOST = 20_000  # rows that weights are learnt from: of more, every second, third, ... is taken
FINE = (
    1 << 16
)  # grid steps between 0 and 1 of views and weights: their products add up exactly in float64
_COARSE = 1 << 8  # the same where three numbers are multiplied
_STEPS, _HALVINGS = 20, 10  # of Newton's method, and of a step that goes too far
_NEAR = 1e-3  # the last step


def fitted(
    pairs: CandidatePairs,
    views: Singles,
    truth: Singles,
    prior: Doubles,
    *,
    height: int,
    strength: float,
) -> Doubles:
    """The weights under which each row would choose as ``truth`` (chances, adding up to one per
    row) does.

    A conditional logit (McFadden 1974) with a prior worth ``strength`` rows; rows whose ``truth``
    is zero throughout do not count. Weights are never negative, as more is better in every view.
    Projected Newton method (Bertsekas 1982); all sums are of numbers on grids coarse enough to be
    exact.
    """
    told = np.bincount(pairs.rows, weights=truth, minlength=height) > 0
    if (number := int(told.sum())) > MOST:
        told[np.setdiff1d(np.flatnonzero(told), np.flatnonzero(told)[:: -(-number // MOST)])] = (
            False
        )
    kept = told[pairs.rows]
    rows = pairs.rows[kept]
    if not len(rows):
        return on_grid(prior, FINE).astype(np.float64)
    starts = np.flatnonzero(np.r_[True, rows[1:] != rows[:-1]])
    rows = np.repeat(np.arange(len(starts)), np.diff(np.r_[starts, len(rows)]))
    x, target = views[kept].astype(np.float64), on_grid(truth[kept], FINE).astype(np.float64)
    coarse = on_grid(x, _COARSE).astype(np.float64)
    mass = np.add.reduceat(target, starts)
    scale = np.maximum(np.abs(prior), 1.0)

    def chosen(weights: Doubles) -> tuple[float, Doubles]:
        """The loss, and the mass of each row distributed over its pairs."""
        logits = x @ weights
        highest = np.maximum.reduceat(logits, starts)
        raised = exp(logits - highest[rows])
        total = np.add.reduceat(raised, starts)
        away = (weights - prior) / scale
        loss = (
            np.sum(mass * (log(total) + highest))
            - np.sum(target * logits)
            + strength * np.sum(away * away)
        )
        return float(loss), on_grid(raised * (mass / total)[rows], FINE).astype(np.float64)

    weights = on_grid(prior, FINE).astype(np.float64)
    loss, expected = chosen(weights)
    for _ in range(_STEPS):
        wrong = expected - target
        amiss, likely = np.flatnonzero(wrong), np.flatnonzero(expected)  # few of all
        slope = wrong[amiss] @ x[amiss] + 2 * strength * (weights - prior) / scale**2
        seen = coarse[likely] * expected[likely, None]
        sums = [np.bincount(rows[likely], view, len(starts)) for view in seen.T]
        mean = np.column_stack(sums) / np.maximum(mass, 1 / FINE)[:, None]
        mean = on_grid(mean, _COARSE).astype(np.float64)
        bend = seen.T @ coarse[likely] - (mean * mass[:, None]).T @ mean
        bend += np.diag(2 * strength / scale**2)
        free = (weights > 0) | (slope < 0)
        step = np.zeros_like(weights)
        step[free] = solved(bend[np.ix_(free, free)], slope[free])
        for _ in range(_HALVINGS):
            trial = on_grid(np.maximum(weights - step, 0.0), FINE).astype(np.float64)
            reached = chosen(trial)
            if reached[0] < loss:
                break
            step /= 2
        else:
            break
        moved = float(np.max(np.abs(trial - weights)))
        weights, (loss, expected) = trial, reached
        if moved < _NEAR:
            break
    return weights

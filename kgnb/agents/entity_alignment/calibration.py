"""How far a choice can be trusted, estimated without a reference.

Two things can be wrong. Another candidate may be meant: what the assignment leaves to the others says so. Or none may:
an entity without a counterpart has a best candidate, too. How good such a candidate looks is known from the *second*
best of everyone, which where each has one counterpart at most are wrong all of them (target-decoy estimation: Elias and
Gygi, Nature Methods 4, 2007).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kgnb.agents.entity_alignment.candidates import Longs, Pairs, Singles

Doubles = NDArray[np.float64]

_BINS = 40


def corrected(pairs: Pairs, logits: Singles, height: int, width: int, *, nearest: int = 5) -> Singles:
    """Scores less what row and column give their nearest few: a pair that is good for everyone is good for no one.

    Cross-domain similarity local scaling (Conneau et al., ICLR 2018, section 2.3). It decides every row by itself.
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


def chance_of_a_counterpart(best: Singles, second: Singles) -> Singles:
    """For each entity the chance that its best candidate is right, from how the second best of all look.

    ``second`` is -inf where there is none. With few entities it says little.
    """
    decoys = second[np.isfinite(second) & (second < best)]  # of two that are equally good neither is known to be wrong
    there = np.isfinite(best)
    chances = np.zeros(len(best), dtype=np.float32)
    if not there.any():
        return chances
    if not len(decoys):
        chances[there] = 0.5
        return chances
    share = min(1.0, 2 * float(np.mean(best[there] <= np.median(decoys))))  # of entities without a counterpart
    edges = np.unique(np.quantile(np.concatenate([best[there], decoys]), np.linspace(0, 1, _BINS + 1)))
    place = np.clip(np.searchsorted(edges, best[there], side="right") - 1, 0, len(edges) - 1)
    found = np.bincount(place, minlength=len(edges)).astype(np.float64)
    wrong = np.bincount(
        np.clip(np.searchsorted(edges, decoys, side="right") - 1, 0, len(edges) - 1), minlength=len(edges)
    )
    expected = share * wrong * (there.sum() / len(decoys))
    right = 1 - (expected + 0.5 * share) / (found + 0.5)
    chances[there] = rising(np.clip(right, 0.0, 1.0), found + 0.5)[place]
    return chances


def expected_best(confidence: Singles, most: int) -> float:
    """The confidence from which on choices are worth keeping: where the F1 to be expected is highest.

    ``most`` is how many right pairs there can be. If confidences are what they say, the sum of those kept is the number
    of hits to be expected; keeping a pair pays while its confidence is above half of the F1 reached.

    >>> expected_best(np.array([0.9, 0.8, 0.1], dtype=np.float32), 2) > 0.1
    True
    """
    ranked = np.sort(confidence.astype(np.float64))[::-1]
    ranked = ranked[ranked > 0]
    if not len(ranked):
        return 0.0
    f1 = 2 * np.cumsum(ranked) / (np.arange(1, len(ranked) + 1) + max(most, 1))
    return float(np.float32(ranked[int(np.argmax(f1))]))


def precise(confidence: Singles, precision: float) -> float:
    """The lowest confidence down to which the share of right choices to be expected is still ``precision``.

    Above 1 where not even the surest will do.

    >>> round(precise(np.array([0.99, 0.95, 0.4, 0.3], dtype=np.float32), 0.9), 2)
    0.95
    """
    ranked = np.sort(confidence.astype(np.float64))[::-1]
    kept = np.flatnonzero(np.cumsum(ranked) >= precision * np.arange(1, len(ranked) + 1))
    return float(np.float32(ranked[kept[-1]])) if len(kept) else 2.0


def rising(values: Doubles, weights: Doubles) -> Doubles:
    """The nearest values that never fall (pool adjacent violators)."""
    blocks: list[list[float]] = []  # value, weight, length
    for value, weight in zip(values.tolist(), weights.tolist(), strict=True):
        blocks.append([value, weight, 1])
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            last = blocks.pop()
            total = blocks[-1][1] + last[1]
            blocks[-1] = [(blocks[-1][0] * blocks[-1][1] + last[0] * last[1]) / total, total, blocks[-1][2] + last[2]]
    return np.repeat([block[0] for block in blocks], [int(block[2]) for block in blocks])

"""One to one, softly: what is left of each pair's odds once every rival has its claim (part of the rule judge).

Each entity takes one counterpart or none. The probability of a pair is its share of all ways to pair the entities up,
each way weighed by the product of its pairs' odds. Exact shares are out of reach; belief propagation comes close and
always settles (Williams and Lau, 2014, on data association). A rival that has its own certain counterpart therefore
stands in nobody's way, and ten weak rivals do not add up to a strong one.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from kgnb.agents.ontology_matching.values import Pair

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

TURNS = 60
SETTLED = 1e-4
LIMIT = 30.0  # log-odds beyond which nothing changes


def shares(evidence: Mapping[Pair, float]) -> dict[Pair, float]:
    """The probability of each pair, 0 to 1, from log-odds; those of one entity add up to at most 1."""
    pairs = list(evidence)
    if not pairs:
        return {}
    rows = {key: n for n, key in enumerate(dict.fromkeys((source, kind) for source, _, kind in pairs))}
    columns = {key: n for n, key in enumerate(dict.fromkeys((target, kind) for _, target, kind in pairs))}
    row = np.array([rows[source, kind] for source, _, kind in pairs])
    column = np.array([columns[target, kind] for _, target, kind in pairs])
    odds = np.exp(np.clip(np.array([evidence[pair] for pair in pairs]), -LIMIT, LIMIT))
    return dict(zip(pairs, marginals(row, column, odds).tolist(), strict=True))


def marginals(row: Integers, column: Integers, odds: Floats) -> Floats:
    """The probability of each pair, given as positions and odds; the same if rows and columns change places."""
    to_row: Floats = np.ones_like(odds)  # how free a column would be, were it not for this pair
    to_column: Floats = np.ones_like(odds)
    for _ in range(TURNS):
        # both sides listen to the last turn's messages, so that neither goes first
        free_column, free_row = _without(column, odds * to_column), _without(row, odds * to_row)
        change = max(float(np.abs(free_column - to_row).max()), float(np.abs(free_row - to_column).max()))
        to_row, to_column = free_column, free_row
        if change < SETTLED:
            break
    by_row, by_column = _share(row, odds * to_row), _share(column, odds * to_column)
    return np.minimum(by_row, by_column)  # the same once settled; of neither do an entity's shares add up to over 1


def _share(place: Integers, claims: Floats) -> Floats:
    """What each claim gets where staying alone claims 1."""
    return np.asarray(claims / (1.0 + np.bincount(place, claims)[place]))


def _without(place: Integers, claims: Floats) -> Floats:
    """How free each pair's entity is, 0 to 1, were it not for that pair."""
    others = np.bincount(place, claims)[place] - claims
    return np.asarray(1.0 / (1.0 + np.maximum(others, 0.0)))

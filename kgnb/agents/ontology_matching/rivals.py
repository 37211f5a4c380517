"""One to one, softly: what is left of each pair's odds once every other pair has its claim (part of the rule judge).

Each entity takes one counterpart or none. A pair's share is ``odds * free(source) * free(target)``, where an entity is
free to the degree that its pairs do not claim it; solved by turns, as Sinkhorn and Knopp (1967) balance a matrix, with
staying alone as one more choice. A rival that has its own certain counterpart therefore stands in nobody's way.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from kgnb.agents.ontology_matching.values import Pair

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

TURNS = 30
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
    free_column: Floats = np.ones(len(columns))
    free_row = _free(row, odds, len(rows))
    for _ in range(TURNS):
        free_column = _free(column, odds * free_row[row], len(columns))
        free_row = _free(row, odds * free_column[column], len(rows))
    claimed = odds * free_row[row] * free_column[column]
    # the last turn balanced the rows; an oscillation between the two cannot push a pair above what is free
    return dict(zip(pairs, np.minimum(claimed, 1.0).tolist(), strict=True))


def _free(place: Integers, claims: Floats, size: int) -> Floats:
    """How much of each entity no claim takes, 0 to 1."""
    return np.asarray(1.0 / (1.0 + np.bincount(place, claims, size)))

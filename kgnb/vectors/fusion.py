"""Reciprocal rank fusion: several rankings of the same things become one.

Our own code and not the store's, because stores disagree: Qdrant counts ranks from 0 (the paper's c = 0 is its k = 1),
orders ties arbitrarily, and one of its engines divides by zero.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fused:
    """One thing after fusion: its score, and its rank among all (1 is best; equal scores share a rank)."""

    id: str
    score: float
    rank: int


def ranks(scores: Mapping[str, float]) -> dict[str, int]:
    """The 1-based rank of each id, highest score first; equal scores share a rank and the next rank follows on.

    >>> ranks({"a": 0.9, "b": 0.7, "c": 0.9, "d": 0.1})
    {'a': 1, 'c': 1, 'b': 2, 'd': 3}
    """
    if any(math.isnan(score) for score in scores.values()):
        raise ValueError("a score that is not a number has no rank")
    rank_of = {score: rank for rank, score in enumerate(sorted(set(scores.values()), reverse=True), start=1)}
    return {id: rank_of[scores[id]] for id in sorted(scores, key=lambda id: (-scores[id], id))}


def reciprocal_rank(
    rankings: Sequence[Mapping[str, int]], constant: float = 0.0, weights: Sequence[float] | None = None
) -> list[Fused]:
    """The rankings fused: each id scores the sum of weight / (constant + rank) over the rankings that have it.

    Ranks count from 1. ``constant`` is the paper's c (Agent-OM: 0; Cormack, Clarke and Büttcher, SIGIR 2009: 60): the
    larger, the less the first places weigh. Best first; ids of equal score in alphabetical order.

    >>> reciprocal_rank([{"a": 1, "b": 2}, {"b": 1}])
    [Fused(id='b', score=1.5, rank=1), Fused(id='a', score=1.0, rank=2)]
    """
    weights = [1.0] * len(rankings) if weights is None else weights
    if len(weights) != len(rankings):
        raise ValueError(f"{len(rankings)} rankings need as many weights, not {len(weights)}")
    if not constant >= 0 or math.isinf(constant):
        raise ValueError(f"constant must be 0 or more, not {constant}")
    if any(not weight >= 0 or math.isinf(weight) for weight in weights):
        raise ValueError(f"weights must be 0 or more, not {list(weights)}")
    shares: dict[str, list[float]] = {}
    for ranking, weight in zip(rankings, weights, strict=True):
        for id, rank in ranking.items():
            if rank < 1:
                raise ValueError(f"ranks count from 1, but {id!r} has rank {rank}")
            shares.setdefault(id, []).append(weight / (constant + rank))
    # fsum rounds once: the same shares give the same score in whatever order the rankings came.
    scores = {id: math.fsum(parts) for id, parts in shares.items()}
    return [Fused(id, scores[id], rank) for id, rank in ranks(scores).items()]

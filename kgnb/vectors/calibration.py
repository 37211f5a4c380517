"""A similarity threshold for one embedder and view, found without any reference.

Thresholds do not transfer between embedders (the paper's 0.90 suits one model), so the scores themselves are asked:

1. *Found*: pairs that are each other's nearest entity. Some are matches; something must be nearest to the rest, too.
2. *Decoys*: take those pairs away and pair the same entities again in the same manner. Where an entity has one match at
   most, these are wrong, and they look as wrong pairs look at the top of this very list (target-decoy estimation: Elias
   and Gygi, Nature Methods 4, 2007).
3. The threshold is the score above which the found exceed the decoys by most: higher up, a nearest pair is more often
   found than decoy; lower down, it is no better than a random neighbour.
4. It never lies below the 95 % quantile of a seeded sample of random pairs, which alone decides if nothing was found.

It is a bar for candidates, set for recall: a judge comes after. On cmt-confof, the one benchmark pair looked at, it
kept every correct mutual pair under three embedders (tests/vectors/test_calibration.py). With a few dozen entities a
side the threshold rests on a few dozen scores: look at the histogram.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kgnb.vectors.nearest import Grouped, Integers, Neighbours, nearest_entities

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95, 0.99)
_FLOOR = QUANTILES.index(0.95)
_SAMPLE = 20_000  # random text pairs
_BINS = 20

Scores = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Bin:
    """One bar of the histogram: how many scores of each sort lie in [low, high)."""

    low: float
    high: float
    found: int
    decoys: int
    random: int


@dataclass(frozen=True, slots=True)
class Calibration:
    """A threshold and the distributions it comes from, so that it can be shown and doubted."""

    threshold: float
    background: tuple[float, ...]  # scores of random pairs at QUANTILES
    mutual: int  # pairs that are each other's nearest
    decoys: int
    n: tuple[int, int]  # entities on each side
    histogram: tuple[Bin, ...]

    def __str__(self) -> str:
        """One line for a log or a caption."""
        return (
            f"similarity {self.threshold:.3f} from {self.mutual} mutual and {self.decoys} decoy pairs "
            f"of {self.n[0]} and {self.n[1]} entities; random pairs: median {self.background[2]:.3f}, "
            f"95 % below {self.background[_FLOOR]:.3f}"
        )


def calibrate(
    a: Grouped, b: Grouped, *, seed: int = 0, neighbours: tuple[Neighbours, Neighbours] | None = None
) -> Calibration:
    """The threshold for these two sides (centred first, if centred vectors are compared); deterministic in ``seed``.

    ``neighbours``, from ``nearest_entities(a, b, k)`` with k of 2 or more, spares doing that again.
    """
    if neighbours is not None and neighbours[0].indices.shape[1] < 2:
        raise ValueError("to calibrate, each entity's two nearest are needed")
    forward, backward = neighbours or nearest_entities(a, b, 2)
    found, decoys = _found(forward, backward), _decoys(forward, backward)
    random = _random_scores(a, b, seed)
    background = tuple(float(q) for q in np.quantile(random, QUANTILES)) if len(random) else (0.0,) * len(QUANTILES)
    threshold = max(_parting(found, decoys, otherwise=background[_FLOOR]), background[_FLOOR])
    return Calibration(
        threshold=round(threshold, 6),
        background=tuple(round(quantile, 6) for quantile in background),
        mutual=len(found),
        decoys=len(decoys),
        n=(a.entities, b.entities),
        histogram=_histogram(found, decoys, random),
    )


def _found(forward: Neighbours, backward: Neighbours) -> Scores:
    return _mutual(forward.indices[:, 0], forward.scores[:, 0], backward.indices[:, 0])[1]


def _decoys(forward: Neighbours, backward: Neighbours) -> Scores:
    """Scores of the mutual pairs once the first mutual pairs are taken away, their entities left with the second."""
    rows, _ = _mutual(forward.indices[:, 0], forward.scores[:, 0], backward.indices[:, 0])
    choice = np.zeros(len(forward.indices), dtype=np.int64)
    choice[rows] = 1
    other = np.zeros(len(backward.indices), dtype=np.int64)
    other[forward.indices[rows, 0]] = 1
    everyone, everybody = np.arange(len(choice)), np.arange(len(other))
    return _mutual(
        forward.indices[everyone, choice], forward.scores[everyone, choice], backward.indices[everybody, other]
    )[1]


def _mutual(there: Integers, scores: Scores, back: Integers) -> tuple[Integers, Scores]:
    """The rows whose neighbour has them as its neighbour, and their scores."""
    rows = np.flatnonzero(there >= 0)
    rows = rows[back[there[rows]] == rows]
    return rows, scores[rows]


def _parting(found: Scores, decoys: Scores, *, otherwise: float) -> float:
    """The lowest score above which found exceed decoys by most; ``otherwise`` where they never do."""
    levels = np.unique(found)
    if not len(levels):
        return otherwise
    above = len(found) - np.searchsorted(np.sort(found), levels)
    decoys_above = len(decoys) - np.searchsorted(np.sort(decoys), levels)
    gain = above - decoys_above
    if gain.max() <= 0:
        return otherwise
    return float(levels[np.argmax(gain)])


def _random_scores(a: Grouped, b: Grouped, seed: int) -> Scores:
    """Cosines of texts of one kind, drawn at random from both sides; the same ones if the sides change places."""
    a, b = sorted((a, b), key=_by_content)
    rows_a = np.flatnonzero(np.any(a.vectors != 0, axis=1))
    rows_b = np.flatnonzero(np.any(b.vectors != 0, axis=1))
    if not len(rows_a) or not len(rows_b):
        return np.empty(0, dtype=np.float32)
    draw = np.random.default_rng(seed)
    left, right = draw.choice(rows_a, _SAMPLE), draw.choice(rows_b, _SAMPLE)
    if a.kinds is not None and b.kinds is not None:
        kinds_a = np.asarray(a.kinds)[np.asarray(a.owners)[left]]
        kinds_b = np.asarray(b.kinds)[np.asarray(b.owners)[right]]
        left, right = left[kinds_a == kinds_b], right[kinds_a == kinds_b]
    scores: Scores = np.einsum("ij,ij->i", a.vectors[left], b.vectors[right], dtype=np.float64).astype(np.float32)
    return scores


def _by_content(side: Grouped) -> tuple[int, bytes]:
    vectors = np.asarray(side.vectors)
    return len(vectors), vectors[:64].tobytes()


def _histogram(found: Scores, decoys: Scores, random: Scores) -> tuple[Bin, ...]:
    everything = np.concatenate([found, decoys, random])
    if not len(everything):
        return ()
    edges = np.linspace(float(everything.min()), float(everything.max()) + 1e-6, _BINS + 1)
    counts = [np.histogram(scores, edges)[0].tolist() for scores in (found, decoys, random)]
    spans = zip(edges[:-1].tolist(), edges[1:].tolist(), *counts, strict=True)
    return tuple(Bin(round(low, 6), round(high, 6), *numbers) for low, high, *numbers in spans)

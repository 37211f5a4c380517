"""What is known of an entity spread to its neighbours: names and labels of seeds, hop by hop."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from kgnb.agents.entity_alignment.graphs import Integers
from kgnb.agents.entity_alignment.relations import Matrix
from kgnb.vectors.embedder import Vectors


def averaging(weights: Matrix) -> Matrix:
    """The same neighbours, the weights of each row adding up to one."""
    total = np.asarray(weights.sum(axis=1)).ravel()
    scale = np.divide(1.0, total, out=np.zeros_like(total), where=total > 0)
    return sparse.csr_matrix(sparse.diags(scale.astype(np.float32), format="csr") @ weights)


def spread(rows: Vectors, weights: Matrix, hops: int, kept: type = np.float32) -> list[Vectors]:
    """What arrives after one hop, after two, ... : unit rows, each like ``rows``, held as numbers of the type ``kept``.

    What comes back to where it started (two hops there and back) is taken off: it would say of an entity what was
    known of it anyway, and of a seed, that it is a seed.
    """
    arrived: list[Vectors] = []
    mean = averaging(weights)
    back = np.asarray(mean.multiply(mean.T).sum(axis=1)).ravel().astype(np.float32)
    current = rows
    for hop in range(1, hops + 1):
        current = np.asarray(mean @ current, dtype=np.float32)
        if hop == 2:
            current -= back[:, None] * rows
        arrived.append(unit(current).astype(kept, copy=False))
    return arrived


def labels(anchors: Integers, size: int, side: int, dimensions: int, seed: int) -> Vectors:
    """A random unit vector for each anchor, the same on both sides; zero rows for all others: (size, dimensions)."""
    draw = np.random.default_rng(seed).standard_normal((len(anchors), dimensions), dtype=np.float32)
    found = np.zeros((size, dimensions), dtype=np.float32)
    found[anchors[:, side]] = unit(draw)
    return found


def unit(rows: NDArray[np.float32]) -> Vectors:
    """Rows of unit length; what is (nearly) zero is zero."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    found: Vectors = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 1e-6)
    return found


WIDE = 512  # dimensions up to which vectors stay as they are
NARROW = 384  # dimensions kept of wider ones; as many as the bundled embedder has
MANY = 30_000  # rows on both sides together up to which they stay as they are
LARGE = 60_000  # rows on both sides from which on memory counts: fewer dimensions, and half precision where these rest
SPREAD = 256  # dimensions kept of what spreads over relations, beyond that
_SAMPLE = 8192  # rows that the directions are learnt from
_ROWS = 8192  # made at a time, of what is wider in between


def narrowed(left: Vectors, right: Vectors, *, many: int = MANY) -> tuple[Vectors, Vectors]:
    """Both sides in the directions in which they differ most, unit rows; as they are where they are few or not wide.

    Principal directions of an evenly drawn sample; cosines are about kept. ``left`` and ``right`` are centred.
    """
    rows = len(left) + len(right)
    if rows <= many or left.shape[1] <= WIDE:
        return left, right
    directions = principal(np.vstack([left[sampled(rows)], right[sampled(rows)]]), NARROW)
    return unit(left @ directions), unit(right @ directions)


def sampled(rows: int) -> slice:
    """Evenly drawn rows, enough to learn directions from."""
    return slice(None, None, -(-rows // _SAMPLE))


def principal(sample: Vectors, narrow: int) -> Vectors:
    """The directions in which these rows differ most: (width, narrow)."""
    directions: Vectors = np.linalg.eigh(sample.T @ sample)[1][:, -narrow:]  # the last have the greatest variance
    return directions


def in_blocks(work: Callable[[slice], Vectors], rows: int) -> Vectors:
    """What ``work`` gives for all rows, asked for a few thousand at a time: what it needs in between is large."""
    return np.concatenate([work(slice(at, at + _ROWS)) for at in range(0, max(rows, 1), _ROWS)])

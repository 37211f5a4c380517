"""Many wide vectors made narrow: what spreads over relations has to fit into memory several times."""

from __future__ import annotations

import numpy as np

from kgnb.agents.entity_alignment.propagation import unit
from kgnb.vectors.embedder import Vectors

WIDE = 512  # dimensions up to which vectors stay as they are
NARROW = 384  # dimensions kept of wider ones; as many as the bundled embedder has
MANY = 30_000  # rows on both sides together up to which they stay as they are
_SAMPLE = 8192  # rows that the directions are learnt from


def narrowed(left: Vectors, right: Vectors, *, many: int = MANY) -> tuple[Vectors, Vectors]:
    """Both sides in the directions in which they differ most, unit rows; as they are where they are few or not wide.

    Principal directions of an evenly drawn sample; cosines are about kept. ``left`` and ``right`` are centred.
    """
    rows, width = len(left) + len(right), left.shape[1]
    if rows <= many or width <= WIDE:
        return left, right
    step = -(-rows // _SAMPLE)
    sample = np.vstack([left[::step], right[::step]])
    directions = np.linalg.eigh(sample.T @ sample)[1][:, -NARROW:]  # the last have the greatest variance
    return unit(left @ directions), unit(right @ directions)

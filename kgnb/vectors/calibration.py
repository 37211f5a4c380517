"""What cosine unrelated texts have, for one embedder and view: a floor for candidates, found without any reference.

Thresholds do not transfer between embedders (the paper's 0.90 suits one model), so the scores themselves are asked. The
floor is set for recall: a judge comes after.
"""

from __future__ import annotations

import numpy as np

from kgnb.vectors.nearest import Grouped

SHARE = 0.95  # of random pairs that score below the floor
_SAMPLE = 20_000  # random text pairs


def floor(a: Grouped, b: Grouped, *, seed: int = 0) -> float:
    """The cosine, -1 to 1, that 95 % of random text pairs of one kind lie below; 0 where there are none.

    Vectors are centred first, if centred ones are compared. Deterministic in ``seed``, and the same if the sides change
    places.
    """
    a, b = sorted((a, b), key=_by_content)
    rows_a = np.flatnonzero(np.any(a.vectors != 0, axis=1))
    rows_b = np.flatnonzero(np.any(b.vectors != 0, axis=1))
    if not len(rows_a) or not len(rows_b):
        return 0.0
    draw = np.random.default_rng(seed)
    left, right = draw.choice(rows_a, _SAMPLE), draw.choice(rows_b, _SAMPLE)
    if a.kinds is not None and b.kinds is not None:
        kinds_a = np.asarray(a.kinds)[np.asarray(a.owners)[left]]
        kinds_b = np.asarray(b.kinds)[np.asarray(b.owners)[right]]
        left, right = left[kinds_a == kinds_b], right[kinds_a == kinds_b]
    scores = np.einsum("ij,ij->i", a.vectors[left], b.vectors[right], dtype=np.float64).astype(np.float32)
    return round(float(np.quantile(scores, np.float64(SHARE))), 6) if len(scores) else 0.0


def _by_content(side: Grouped) -> tuple[int, bytes]:
    vectors = np.asarray(side.vectors)
    return len(vectors), vectors[:64].tobytes()

"""Where the names of lines stand in a picture: beside nodes and each other, not upon them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from kgnb.results.graph_layout import HEIGHT, Places
from kgnb.results.graph_svg import Arrow, Spot, middle, named, width

ALONG = (0.5, 0.42, 0.58, 0.34, 0.66)  # how far along its line a name may stand, the best place first
HIGH = 11.0  # pixels of a name
FEW = 12  # names: as many are all drawn, be it one upon another
CROWDED = 0.3  # share of a name that may be covered


def with_places(arrows: Sequence[Arrow], places: Places, spots: Sequence[Spot]) -> list[Arrow]:
    """The arrows, each with how far along it its name stands; 0 where there is no room for it.

    Emphasised ones choose first and are always drawn; then those that come first.
    """
    nodes = [(x, y, width(spot.name), HEIGHT) for (x, y), spot in zip(places.tolist(), spots, strict=True)]
    taken = np.array(nodes, dtype=float).reshape(-1, 4)
    few = sum(bool(arrow.name) for arrow in arrows) <= FEW
    found: dict[int, float] = {}
    for at in sorted(range(len(arrows)), key=lambda at: not arrows[at].emphasis):
        arrow = arrows[at]
        if not arrow.name:
            continue
        boxes = [(*middle(arrow, places, along), named(arrow.name), HIGH) for along in ALONG]
        covered = [_covered(np.array(box), taken) for box in (boxes[:1] if arrow.source == arrow.target else boxes)]
        best = min(range(len(covered)), key=lambda which: (round(covered[which], 2), which))
        if covered[best] <= CROWDED or few or arrow.emphasis:
            found[at] = ALONG[best]
            taken = np.vstack([taken, boxes[best]])
    return [replace(arrow, along=found.get(at, 0.0)) for at, arrow in enumerate(arrows)]


def _covered(box: NDArray[np.float64], taken: NDArray[np.float64]) -> float:
    """The share of a box (middle, width, height) that lies on others, added up."""
    apart = np.abs(taken[:, :2] - box[:2])
    shared = np.minimum((taken[:, 2:] + box[2:]) / 2 - apart, np.minimum(taken[:, 2:], box[2:]))
    both = (shared > 0).all(axis=1)
    return float((shared[both, 0] * shared[both, 1]).sum() / max(1.0, box[2] * box[3]))

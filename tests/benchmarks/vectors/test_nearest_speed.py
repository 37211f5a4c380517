"""How much faster one blocked product is than a search per entity. Prints the ratio; both must find the same."""

import time
from collections.abc import Callable

import numpy as np
import pytest

from kgnb.vectors.nearest import Grouped, Neighbours, nearest, nearest_entities

ROWS, DIMENSIONS, K, SAMPLE = 5000, 384, 10, 250


def seconds(work: Callable[[], object]) -> float:
    """The best of two, against the noise of a shared machine."""
    times = []
    for _ in range(2):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


@pytest.mark.slow
def test_beats_a_search_per_entity() -> None:
    draw = np.random.default_rng(0)
    a, b = (draw.standard_normal((ROWS, DIMENSIONS)).astype(np.float32) for _ in range(2))
    a /= np.linalg.norm(a, axis=1, keepdims=True)
    b /= np.linalg.norm(b, axis=1, keepdims=True)

    def one_by_one(rows: int) -> list[np.ndarray]:
        return [np.argsort(-(b @ row), kind="stable")[:K] for row in a[:rows]]

    found: Neighbours = nearest(a, b, K)
    assert [row.tolist() for row in one_by_one(SAMPLE)] == found.indices[:SAMPLE].tolist()
    loop = seconds(lambda: one_by_one(SAMPLE)) * ROWS / SAMPLE
    blocked = seconds(lambda: nearest(a, b, K))
    each = np.arange(ROWS)
    both = seconds(lambda: nearest_entities(Grouped(a, each, ROWS), Grouped(b, each, ROWS), K))
    owners = np.arange(ROWS) // 2
    grouped = seconds(lambda: nearest_entities(Grouped(a, owners, ROWS // 2), Grouped(b, owners, ROWS // 2), K))
    print(
        f"\n{ROWS} x {ROWS}, {DIMENSIONS} dimensions, top {K}: loop {loop:.2f} s, blocked {blocked:.2f} s "
        f"({loop / blocked:.1f} times), both directions {both:.2f} s ({2 * loop / both:.1f} times two loops), "
        f"two texts an entity, both directions {grouped:.2f} s"
    )

from collections.abc import Callable

import numpy as np

from kgnb.vectors.embedder import Vectors
from kgnb.vectors.nearest import Grouped, floor


def each(vectors: Vectors, kinds: list[str] | None = None) -> Grouped:
    return Grouped(vectors, range(len(vectors)), len(vectors), kinds)


def test_few_random_pairs_and_every_copy_pass_the_floor(unit: Callable[..., Vectors]) -> None:
    a, b = unit(300, 32), unit(300, 32, seed=1)
    found = floor(each(a), each(b))
    assert 0.03 <= float(np.mean(a @ b.T >= found)) <= 0.07
    copies = a + 0.5 * unit(300, 32, seed=2)
    assert np.all(np.sum(a * copies, axis=1) / np.linalg.norm(copies, axis=1) > found)


def test_is_the_same_every_time_and_whichever_side_comes_first(unit: Callable[..., Vectors]) -> None:
    a, b = each(unit(90, 32)), each(unit(130, 32, seed=4))
    assert floor(a, b) == floor(a, b) == floor(b, a) != floor(a, b, seed=7)


def test_unlike_kinds_are_no_background(unit: Callable[..., Vectors]) -> None:
    a = unit(60, 16)
    b = np.vstack([a[:30], -a[30:]])
    mixed = floor(each(a), each(b))
    assert floor(each(a, ["class"] * 60), each(b, ["property"] * 60)) == 0.0
    kinds = ["class"] * 30 + ["property"] * 30
    assert floor(each(a, kinds), each(b, kinds)) != mixed


def test_with_nothing_to_compare_it_is_0(unit: Callable[..., Vectors]) -> None:
    a = unit(40, 16)
    assert floor(each(a[:0]), each(a)) == 0.0
    assert floor(each(a), each(np.zeros_like(a))) == 0.0

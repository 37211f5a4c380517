import numpy as np
import pytest

from kgnb.vectors.close_pairs import close_pairs
from kgnb.vectors.embedder import Vectors

K = 10
pytest.importorskip("faiss")


def families(rows: int, seed: int, dimensions: int = 64) -> tuple[Vectors, Vectors]:
    """Two sides of unit vectors around common centres, as names of one field are."""
    draw = np.random.default_rng(seed)
    centres = draw.standard_normal((60, dimensions))
    one, other = (
        centres[draw.integers(0, len(centres), rows)]
        + 0.6 * draw.standard_normal((rows, dimensions))
        for _ in range(2)
    )
    return tuple(
        (side / np.linalg.norm(side, axis=1, keepdims=True)).astype(np.float32)
        for side in (one, other)
    )


def test_nearly_every_neighbour_is_found_in_both_directions_and_the_same_ones_every_time() -> None:
    a, b = families(3000, seed=2)
    found = set(zip(*map(np.ndarray.tolist, close_pairs(a, b, K)), strict=True))
    assert found == set(zip(*map(np.ndarray.tolist, close_pairs(a, b, K)), strict=True))
    nearest = {
        (row, column)
        for row, best in enumerate(np.argsort(-(a @ b.T))[:, :K])
        for column in best.tolist()
    }
    nearest |= {
        (row, column)
        for column, best in enumerate(np.argsort(-(b @ a.T))[:, :K])
        for row in best.tolist()
    }
    assert len(found & nearest) / len(nearest) >= 0.97
    assert len(found) <= 2 * K * len(a)


def test_few_or_no_rows_are_all_found() -> None:
    a, b = families(4, seed=1)
    assert len(set(zip(*map(np.ndarray.tolist, close_pairs(a, b, K)), strict=True))) == 16
    assert [len(part) for part in close_pairs(a, b[:0], K)] == [0, 0]

from collections.abc import Callable

import numpy as np
import pytest

from kgnb.vectors.embedder import Vectors
from kgnb.vectors.nearest import centred


def test_the_mean_over_all_sides_is_taken_out(unit: Callable[..., Vectors]) -> None:
    cone = unit(60, 8) * 0.3 + np.eye(8, dtype=np.float32)[0]
    cone /= np.linalg.norm(cone, axis=1, keepdims=True)
    a, b = centred(cone[:20], cone[20:])
    assert (a.shape, b.shape, a.dtype) == ((20, 8), (40, 8), np.float32)
    assert np.linalg.norm(np.concatenate([a, b]), axis=1) == pytest.approx(1, abs=1e-6)
    assert float((cone @ cone.T).mean()) > 0.5
    both = np.concatenate([a, b])
    assert abs(float((both @ both.T).mean())) < 0.05


def test_zero_rows_stay_zero_and_count_for_nothing(unit: Callable[..., Vectors]) -> None:
    vectors = unit(10, 5)
    with_gap = np.insert(vectors, 3, 0, axis=0)
    (plain,) = centred(vectors)
    (gapped,) = centred(with_gap)
    assert not gapped[3].any()
    assert np.array_equal(np.delete(gapped, 3, axis=0), plain)


def test_a_row_that_is_the_mean_has_no_direction_left() -> None:
    same = np.tile(np.array([[0.6, 0.8]], dtype=np.float32), (7, 1))
    assert not centred(same)[0].any()


def test_refuses_sides_of_different_width() -> None:
    with pytest.raises(ValueError, match="widths"):
        centred(np.ones((1, 2), dtype=np.float32), np.ones((1, 3), dtype=np.float32))


def test_many_rows_are_centred_as_a_few_are(unit: Callable[..., Vectors]) -> None:
    vectors = unit(5000, 3)  # more than are centred at a time
    vectors[[0, 4999]] = 0.0
    (found,) = centred(vectors)
    shifted = vectors - vectors[1:4999].mean(axis=0, dtype=np.float64)
    shifted[[0, 4999]] = 0.0
    assert found == pytest.approx(shifted / np.maximum(np.linalg.norm(shifted, axis=1, keepdims=True), 1e-9), abs=1e-6)

import numpy as np
import pytest
from hypothesis import given, settings

from kgnb.vectors.embedder import Vectors
from kgnb.vectors.nearest import Grouped, nearest_entities
from tests.vectors.test_nearest import as_lists, plainly, sides

K = 10
pytest.importorskip("faiss")


def families(rows: int, seed: int, dimensions: int = 64) -> tuple[Vectors, Vectors]:
    """Two sides of unit vectors around common centres, as names of one field are."""
    draw = np.random.default_rng(seed)
    centres = draw.standard_normal((60, dimensions))
    one, other = (
        centres[draw.integers(0, len(centres), rows)] + 0.6 * draw.standard_normal((rows, dimensions)) for _ in range(2)
    )
    return tuple((side / np.linalg.norm(side, axis=1, keepdims=True)).astype(np.float32) for side in (one, other))


def grouped(vectors: Vectors, texts: int = 1) -> Grouped:
    entities = -(-len(vectors) // texts)
    return Grouped(vectors, np.arange(len(vectors)) // texts, entities)


def recall(found: np.ndarray, wanted: np.ndarray) -> float:
    return float(np.mean([len(set(a) & set(b)) / len(b) for a, b in zip(found.tolist(), wanted.tolist(), strict=True)]))


def test_nearly_every_neighbour_is_found_in_both_directions() -> None:
    a, b = families(3000, seed=1)
    exact = nearest_entities(grouped(a), grouped(b), K, exact_up_to=None)
    near = nearest_entities(grouped(a), grouped(b), K, exact_up_to=100)
    for found, wanted in zip(near, exact, strict=True):
        assert recall(found.indices, wanted.indices) >= 0.97
        assert (found.indices[:, 0] == wanted.indices[:, 0]).mean() >= 0.98


def test_so_are_those_of_entities_with_several_texts() -> None:
    a, b = families(3000, seed=2)
    one, other = grouped(a, 2), grouped(b, 3)
    exact = nearest_entities(one, other, K)
    for found, wanted in zip(nearest_entities(one, other, K, exact_up_to=100), exact, strict=True):
        assert recall(found.indices, wanted.indices) >= 0.97


def test_what_is_found_has_its_exact_score_and_its_place() -> None:
    a, b = families(1500, seed=3)
    there, back = nearest_entities(grouped(a), grouped(b), K, exact_up_to=0)
    for found, one, other in ((there, a, b), (back, b, a)):
        rows = np.arange(len(one))[:, None]
        scores = np.einsum("rkd,rkd->rk", one[rows], other[found.indices], dtype=np.float64)
        assert np.array_equal(found.scores, np.clip(scores, -1, 1).astype(np.float32))
        assert (np.diff(found.scores, axis=1) <= 0).all()
        assert all(len(set(row)) == K for row in found.indices.tolist())


def test_the_same_every_time() -> None:
    a, b = families(1500, seed=4)
    first, second = (nearest_entities(grouped(a), grouped(b), K, exact_up_to=0) for _ in range(2))
    assert all(
        np.array_equal(x, y) for one, other in zip(first, second, strict=True) for x, y in zip(one, other, strict=True)
    )


@settings(max_examples=60, deadline=None)
@given(both=sides())
def test_nothing_is_made_up_however_odd_the_sides(both: tuple[Grouped, Grouped]) -> None:
    a, b = both
    everything = dict(enumerate(plainly(a, b, 100)))
    there, back = nearest_entities(a, b, 3, exact_up_to=0)
    for row, found in enumerate(as_lists(there)):
        assert set(found) <= set(everything[row])
        assert found == sorted(found, key=lambda pair: (-pair[1], pair[0]))
    assert len(back.indices) == b.entities


def test_a_limit_below_zero_is_refused() -> None:
    a, b = families(10, seed=7)
    with pytest.raises(ValueError, match="exact_up_to"):
        nearest_entities(grouped(a), grouped(b), 1, exact_up_to=-1)

import numpy as np
import pytest
from hypothesis import given, settings

from kgnb.vectors import nearest as module
from kgnb.vectors.embedder import Vectors
from kgnb.vectors.nearest import Grouped, NearestRows, nearest_entities
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


def near(a: Grouped, b: Grouped, k: int = K) -> tuple[NearestRows, NearestRows]:
    """What faiss finds, whatever the number of texts."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "EXACT_UP_TO", -1)
        return nearest_entities(a, b, k)


def recall(found: np.ndarray, wanted: np.ndarray) -> float:
    return float(np.mean([len(set(a) & set(b)) / len(b) for a, b in zip(found.tolist(), wanted.tolist(), strict=True)]))


@pytest.mark.parametrize("texts", [(1, 1), (2, 3)])
def test_nearly_every_neighbour_is_found_in_both_directions(texts: tuple[int, int]) -> None:
    a, b = families(3000, seed=sum(texts))
    one, other = grouped(a, texts[0]), grouped(b, texts[1])
    for found, wanted in zip(near(one, other), nearest_entities(one, other, K), strict=True):
        assert recall(found.indices, wanted.indices) >= 0.97
        assert (found.indices[:, 0] == wanted.indices[:, 0]).mean() >= 0.98


def test_neighbours_have_exact_scores_and_are_the_same_every_time() -> None:
    a, b = families(1500, seed=3)
    there, back = near(grouped(a), grouped(b))
    for found, again, one, other in zip((there, back), near(grouped(a), grouped(b)), (a, b), (b, a), strict=True):
        rows = np.arange(len(one))[:, None]
        scores = np.einsum("rkd,rkd->rk", one[rows], other[found.indices], dtype=np.float64)
        assert np.array_equal(found.scores, np.clip(scores, -1, 1).astype(np.float32))
        assert (np.diff(found.scores, axis=1) <= 0).all()
        assert all(len(set(row)) == K for row in found.indices.tolist())
        assert np.array_equal(found.indices, again.indices)


@settings(max_examples=60, deadline=None)
@given(both=sides())
def test_nothing_is_made_up_however_odd_the_sides(both: tuple[Grouped, Grouped]) -> None:
    a, b = both
    everything = dict(enumerate(plainly(a, b, 100)))
    there, back = near(a, b, 3)
    for row, found in enumerate(as_lists(there)):
        assert set(found) <= set(everything[row])
        assert found == sorted(found, key=lambda pair: (-pair[1], pair[0]))
    assert len(back.indices) == b.entities

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgnb.vectors.embedder import Vectors
from kgnb.vectors.nearest import Grouped, Neighbours, nearest, nearest_entities


def each_its_own(vectors: Vectors) -> Grouped:
    return Grouped(vectors, np.arange(len(vectors)), len(vectors))


def plainly(a: Grouped, b: Grouped, k: int) -> list[list[tuple[int, float]]]:
    """The definition, written out: every pair of entities of one kind, its best text pair, sorted."""
    found: list[list[tuple[int, float]]] = []
    for one in range(a.entities):
        scores = []
        for other in range(b.entities):
            pairs = [
                float(np.float32(np.clip(np.dot(x.astype(np.float64), y.astype(np.float64)), -1, 1)))
                for x, owner in zip(a.vectors, a.owners, strict=True)
                for y, owner_b in zip(b.vectors, b.owners, strict=True)
                if owner == one and owner_b == other and x.any() and y.any()
            ]
            if pairs and (a.kinds is None or b.kinds is None or a.kinds[one] == b.kinds[other]):
                scores.append((other, max(pairs)))
        found.append(sorted(scores, key=lambda score: (-score[1], score[0]))[:k])
    return found


def as_lists(neighbours: Neighbours) -> list[list[tuple[int, float]]]:
    return [
        [(int(i), float(s)) for i, s in zip(indices, scores, strict=True) if i >= 0]
        for indices, scores in zip(*neighbours, strict=True)
    ]


@st.composite
def sides(draw: st.DrawFn) -> tuple[Grouped, Grouped]:
    """Two small sides with many equal vectors, empty texts, entities without text, and kinds."""
    width = draw(st.integers(1, 4))
    kinded = draw(st.booleans())

    def side() -> Grouped:
        entities = draw(st.integers(0, 7))
        texts = draw(st.integers(0, 14)) if entities else 0
        rows = draw(
            st.lists(st.lists(st.integers(-2, 2), min_size=width, max_size=width), min_size=texts, max_size=texts)
        )
        vectors = np.array(rows, dtype=np.float64).reshape(texts, width)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        vectors = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
        owners = draw(st.lists(st.integers(0, max(0, entities - 1)), min_size=texts, max_size=texts))
        kinds = draw(st.lists(st.sampled_from(["class", "property"]), min_size=entities, max_size=entities))
        return Grouped(vectors.astype(np.float32), owners, entities, kinds if kinded else None)

    return side(), side()


@settings(max_examples=60, deadline=None)
@given(sides(), st.integers(1, 5), st.sampled_from([None, 1, 2, 3, 100]))
def test_both_directions_are_what_the_definition_says(
    pair: tuple[Grouped, Grouped], k: int, block_rows: int | None
) -> None:
    a, b = pair
    there, home = nearest_entities(a, b, k, block_rows=block_rows)
    assert there.indices.shape == there.scores.shape == (a.entities, k)
    assert as_lists(there) == plainly(a, b, k)
    assert as_lists(home) == plainly(b, a, k)


def test_many_rows_are_what_the_definition_says_whatever_the_blocks(unit: Callable[..., Vectors]) -> None:
    a, b = unit(230, 24), unit(170, 24, seed=1)
    b[100:140] = b[:40]
    a[7] = 0
    b[9] = 0
    exact = np.clip(a.astype(np.float64) @ b.astype(np.float64).T, -1, 1).astype(np.float32)
    exact[:, 9] = -np.inf
    expected = np.array([np.lexsort((np.arange(170), -row))[:6] for row in exact])
    expected[7] = -1
    for block_rows in (None, 1, 17, 229, 1000):
        there, home = nearest_entities(each_its_own(a), each_its_own(b), 6, block_rows=block_rows)
        assert np.array_equal(there.indices, expected)
        assert np.array_equal(home.indices, nearest(b, a, 6).indices)
        assert np.array_equal(home.scores, nearest(b, a, 6, block_rows=5).scores)


def test_the_missing_are_minus_one_and_minus_infinity() -> None:
    a = np.array([[1, 0], [0, 0]], dtype=np.float32)
    indices, scores = nearest(a, a, 3)
    assert indices.tolist() == [[0, -1, -1], [-1, -1, -1]]
    assert scores[0].tolist() == [1.0, -np.inf, -np.inf]
    assert (indices.dtype, scores.dtype) == (np.int64, np.float32)


def test_equal_texts_tie_exactly_and_go_by_index(unit: Callable[..., Vectors]) -> None:
    a, many = unit(3, 384), np.repeat(unit(1, 384, seed=5), 700, axis=0)
    indices, scores = nearest(a, many, 4)
    assert indices.tolist() == [[0, 1, 2, 3]] * 3
    assert all(len(set(row)) == 1 for row in scores.tolist())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"owners": [0]}, "owners"),
        ({"owners": [0, 5]}, "owners"),
        ({"owners": [0, -1]}, "owners"),
        ({"kinds": ["class"]}, "kinds"),
        ({"vectors": np.array([[np.nan, 0], [0, 1]], np.float32)}, "finite"),
        ({"vectors": np.ones((2, 3), np.float32)}, "shapes"),
    ],
)
def test_refuses_sides_that_do_not_fit(change: dict[str, object], message: str) -> None:
    good = {"vectors": np.eye(2, dtype=np.float32), "owners": [0, 1], "entities": 2, "kinds": ["class", "class"]}
    with pytest.raises(ValueError, match=message):
        nearest_entities(Grouped(**{**good, **change}), Grouped(**good), 1)  # type: ignore[arg-type]


def test_refuses_no_neighbours_and_half_given_kinds() -> None:
    one = np.eye(2, dtype=np.float32)
    with pytest.raises(ValueError, match="k must"):
        nearest(one, one, 0)
    with pytest.raises(ValueError, match="block_rows"):
        nearest(one, one, 1, block_rows=0)
    with pytest.raises(ValueError, match="both sides"):
        nearest_entities(Grouped(one, [0, 1], 2, ["a", "b"]), Grouped(one, [0, 1], 2), 1)

"""Neighbours of all against all, the floor below which pairs are chance, centring, and fused
rankings.
"""

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgnb.vectors import nearest as module
from kgnb.vectors.embedder import Vectors
from kgnb.vectors.nearest import (
    Fused,
    Grouped,
    NearestRows,
    centred,
    floor,
    kth_best,
    nearest_entities,
    pair_cosines,
    ranks,
    reciprocal_rank,
)


def each(vectors: Vectors, kinds: list[str] | None = None) -> Grouped:
    return Grouped(vectors, np.arange(len(vectors)), len(vectors), kinds)


def plainly(a: Grouped, b: Grouped, k: int) -> list[list[tuple[int, float]]]:
    """The definition, written out: every pair of entities of one kind, its best text pair, sorted."""
    found: list[list[tuple[int, float]]] = []
    for one in range(a.entities):
        scores = []
        for other in range(b.entities):
            pairs = [
                float(
                    np.float32(np.clip(np.dot(x.astype(np.float64), y.astype(np.float64)), -1, 1))
                )
                for x, owner in zip(a.vectors, a.owners, strict=True)
                for y, owner_b in zip(b.vectors, b.owners, strict=True)
                if owner == one and owner_b == other and x.any() and y.any()
            ]
            if pairs and (a.kinds is None or b.kinds is None or a.kinds[one] == b.kinds[other]):
                scores.append((other, max(pairs)))
        found.append(sorted(scores, key=lambda score: (-score[1], score[0]))[:k])
    return found


def as_lists(neighbours: NearestRows) -> list[list[tuple[int, float]]]:
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
        row = st.lists(st.integers(-2, 2), min_size=width, max_size=width)
        vectors = np.array(
            draw(st.lists(row, min_size=texts, max_size=texts)), dtype=np.float64
        ).reshape(texts, width)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        vectors = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
        owners = draw(
            st.lists(st.integers(0, max(0, entities - 1)), min_size=texts, max_size=texts)
        )
        kinds = draw(
            st.lists(st.sampled_from(["class", "property"]), min_size=entities, max_size=entities)
        )
        return Grouped(vectors.astype(np.float32), owners, entities, kinds if kinded else None)

    return side(), side()


@settings(max_examples=60, deadline=None)
@given(sides(), st.integers(1, 5), st.sampled_from([1, 8, 4_000_000]))
def test_both_directions_are_what_the_definition_says(
    pair: tuple[Grouped, Grouped], k: int, cells: int
) -> None:
    a, b = pair
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_BLOCK_CELLS", cells)
        there, back = nearest_entities(a, b, k)
    assert there.indices.shape == there.scores.shape == (a.entities, k)
    assert as_lists(there) == plainly(a, b, k)
    assert as_lists(back) == plainly(b, a, k)


def test_equal_texts_tie_exactly_and_missing_neighbours_are_marked(
    unit: Callable[..., Vectors],
) -> None:
    a, many = unit(3, 384), np.repeat(unit(1, 384, seed=5), 700, axis=0)
    indices, scores = nearest_entities(each(a), each(many), 4)[0]
    assert indices.tolist() == [[0, 1, 2, 3]] * 3
    assert all(len(set(row)) == 1 for row in scores.tolist())
    with_gap = np.array([[1, 0], [0, 0]], dtype=np.float32)
    indices, scores = nearest_entities(each(with_gap), each(with_gap), 3)[0]
    assert indices.tolist() == [[0, -1, -1], [-1, -1, -1]] and scores[0].tolist() == [
        1.0,
        -np.inf,
        -np.inf,
    ]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"owners": [0]}, "owners"),
        ({"owners": [0, 5]}, "owners"),
        ({"kinds": ["class"]}, "kinds"),
        ({"kinds": None}, "both sides"),
        ({"vectors": np.array([[np.nan, 0], [0, 1]], np.float32)}, "finite"),
        ({"vectors": np.ones((2, 3), np.float32)}, "shapes"),
    ],
)
def test_refuses_sides_that_do_not_fit(change: dict[str, object], message: str) -> None:
    good = {
        "vectors": np.eye(2, dtype=np.float32),
        "owners": [0, 1],
        "entities": 2,
        "kinds": ["class", "class"],
    }
    with pytest.raises(ValueError, match=message):
        nearest_entities(Grouped(**{**good, **change}), Grouped(**good), 1)  # type: ignore[arg-type]


@settings(max_examples=40, deadline=None)
@given(sides())
def test_the_cosine_of_given_entities_is_that_of_their_best_text_pair(
    pair: tuple[Grouped, Grouped],
) -> None:
    a, b = pair
    rows, columns = (part.ravel() for part in np.indices((a.entities, b.entities)))
    expected = np.full((a.entities, b.entities), -np.inf)
    np.maximum.at(expected, np.ix_(a.owners, b.owners), a.vectors.astype(np.float64) @ b.vectors.T)
    expected[np.isinf(expected)] = 0.0  # an entity without texts
    assert pair_cosines(a, b, rows, columns) == pytest.approx(expected.ravel(), abs=1e-6)


# ------------------------------------------------------------------------------------------------
# floor


def test_few_random_pairs_and_every_copy_pass_the_floor(unit: Callable[..., Vectors]) -> None:
    a, b = unit(300, 32), unit(300, 32, seed=1)
    found = floor(each(a), each(b))
    assert 0.03 <= float(np.mean(a @ b.T >= found)) <= 0.07
    assert found == floor(each(b), each(a))
    copies = a + 0.5 * unit(300, 32, seed=2)
    assert np.all(np.sum(a * copies, axis=1) / np.linalg.norm(copies, axis=1) > found)
    assert floor(each(a[:0]), each(a)) == floor(each(a), each(np.zeros_like(a))) == 0.0


def test_only_pairs_of_one_kind_set_the_floor(unit: Callable[..., Vectors]) -> None:
    a = unit(60, 16)
    b = np.vstack([a[:30], -a[30:]])
    assert floor(each(a, ["class"] * 60), each(b, ["property"] * 60)) == 0.0
    kinds = ["class"] * 30 + ["property"] * 30
    assert floor(each(a, kinds), each(b, kinds)) != floor(each(a), each(b))


# ------------------------------------------------------------------------------------------------
# centring


def test_the_mean_over_all_sides_is_subtracted(unit: Callable[..., Vectors]) -> None:
    cone = (
        unit(5000, 8) * 0.3 + np.eye(8, dtype=np.float32)[0]
    )  # more rows than are centred at a time
    cone /= np.linalg.norm(cone, axis=1, keepdims=True)
    cone[[0, 4999]] = 0.0
    a, b = centred(cone[:20], cone[20:])
    assert (a.shape, b.shape, a.dtype) == ((20, 8), (4980, 8), np.float32)
    shifted = cone - cone[1:4999].mean(axis=0, dtype=np.float64)
    shifted[[0, 4999]] = 0.0
    expected = shifted / np.maximum(np.linalg.norm(shifted, axis=1, keepdims=True), 1e-9)
    assert np.concatenate([a, b]) == pytest.approx(expected, abs=1e-6)


def test_a_row_that_equals_the_mean_becomes_zero_and_widths_must_agree() -> None:
    same = np.tile(np.array([[0.6, 0.8]], dtype=np.float32), (7, 1))
    assert not centred(same)[0].any()
    with pytest.raises(ValueError, match="widths"):
        centred(np.ones((1, 2), dtype=np.float32), np.ones((1, 3), dtype=np.float32))


# ------------------------------------------------------------------------------------------------
# fusion

IDS = st.text("abcdefgh", min_size=1, max_size=2)
RANKINGS = st.lists(st.dictionaries(IDS, st.integers(1, 50), max_size=8), max_size=5)


def test_what_several_rankings_agree_on_comes_first() -> None:
    assert reciprocal_rank([{"a": 1, "b": 2, "c": 3}]) == [
        Fused("a", 1, 1),
        Fused("b", 0.5, 2),
        Fused("c", 1 / 3, 3),
    ]
    fused = reciprocal_rank([{"a": 1, "b": 2}, {"c": 1, "b": 2}, {"d": 1, "b": 2}])
    assert [(one.id, one.rank) for one in fused] == [("b", 1), ("a", 2), ("c", 2), ("d", 2)]


@pytest.mark.parametrize(
    ("rankings", "constant"), [([{"a": 0}], 0.0), ([{"a": 1}], -1.0), ([{"a": 1}], math.nan)]
)
def test_refuses_ranks_from_zero_odd_constants_and_scores(
    rankings: list[dict[str, int]], constant: float
) -> None:
    with pytest.raises(ValueError):
        reciprocal_rank(rankings, constant)
    with pytest.raises(ValueError):
        ranks({"a": math.nan})


@settings(max_examples=40)
@given(RANKINGS, st.floats(0, 100), st.randoms())
def test_every_id_comes_once_best_first_whatever_the_order_of_rankings(
    rankings: list[dict[str, int]], constant: float, random: object
) -> None:
    fused = reciprocal_rank(rankings, constant)
    assert sorted(one.id for one in fused) == sorted({id for ranking in rankings for id in ranking})
    assert fused == sorted(fused, key=lambda one: (-one.score, one.id))
    turned = [dict(reversed(ranking.items())) for ranking in rankings]
    random.shuffle(turned)  # type: ignore[attr-defined]
    assert reciprocal_rank(turned, constant) == fused


@pytest.mark.parametrize("width", [7, 100, 900, 5000])
@pytest.mark.parametrize("k", [1, 3, 20])
def test_the_kth_best_of_a_row_is_found_among_few_as_among_all(width: int, k: int) -> None:
    scores = np.random.default_rng(0).standard_normal((40, width)).astype(np.float32)
    scores[:5] = 0.0  # all equal
    scores[5:15] = np.round(scores[5:15], 1)  # many equal
    scores[15:18] = -np.inf
    k = min(k, width - 1)
    assert np.array_equal(kth_best(scores, k), np.sort(scores, axis=1)[:, width - k])

"""The numeric parts behind propose: candidates, assignment, weighing, calibration, propagation,
relations.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from scipy import sparse
from scipy.optimize import linear_sum_assignment

from kgnb.agents.entity_alignment.candidates import (
    CandidatePairs,
    fitted,
    hungarian,
    nearest_pairs,
    nearest_rows,
    sinkhorn,
    stable,
)
from kgnb.agents.entity_alignment.graphs import EntityGraph
from kgnb.agents.entity_alignment.propose import chance_of_a_counterpart, rising
from kgnb.agents.entity_alignment.relations import (
    NARROW,
    WIDE,
    adjacency,
    averaging,
    counterparts,
    edges_of,
    narrowed,
    spread,
    unit,
)

HEIGHT, WIDTH = 5, 6


@some.composite
def scored(draw: some.DrawFn) -> tuple[CandidatePairs, np.ndarray]:
    """Some pairs of a small table, sorted, and a score of each."""
    cells = draw(
        some.lists(some.integers(0, HEIGHT * WIDTH - 1), unique=True, max_size=20).map(sorted)
    )
    scores = draw(
        some.lists(some.sampled_from([-3.0, -1.0, 0.0, 0.5, 0.5, 2.0, 7.0]), min_size=len(cells))
    )
    keys = np.array(cells, dtype=np.int64)
    return CandidatePairs(keys // WIDTH, keys % WIDTH), np.array(
        scores[: len(cells)], dtype=np.float32
    )


@given(scored())
def test_nobody_could_do_better_with_someone_who_agrees(
    table: tuple[CandidatePairs, np.ndarray],
) -> None:
    pairs, scores = table
    given_ = stable(pairs, scores, HEIGHT, WIDTH)
    value = {(r, c): s for r, c, s in zip(*pairs, scores, strict=True)}
    taken = given_[given_ >= 0]
    assert len(set(taken)) == len(taken)
    holder = {c: r for r, c in enumerate(given_) if c >= 0}
    for (row, column), score in value.items():
        mine = value[row, given_[row]] if given_[row] >= 0 else -np.inf
        theirs = value[holder[column], column] if column in holder else -np.inf
        assert mine >= score or theirs >= score


@given(scored())
def test_the_hungarian_way_joins_as_many_as_can_be_at_the_highest_sum(
    table: tuple[CandidatePairs, np.ndarray],
) -> None:
    pairs, scores = table
    dense = np.full((HEIGHT, WIDTH), -1000.0)
    dense[pairs.rows, pairs.columns] = scores
    given_ = hungarian(pairs, scores, HEIGHT, WIDTH)
    found = np.flatnonzero(given_ >= 0)
    assert len(set(given_[found])) == len(found)
    best = dense[linear_sum_assignment(dense, maximize=True)].sum()
    assert dense[found, given_[found]].sum() - 1000.0 * (HEIGHT - len(found)) == pytest.approx(best)


def test_huge_scores_neither_overflow_nor_vanish() -> None:
    pairs = CandidatePairs(np.array([0, 0, 1]), np.array([0, 1, 1]))
    found = sinkhorn(pairs, np.array([1e5, -1e5, 3e4], dtype=np.float32), 2, 2, rounds=50)
    assert found.tolist() == pytest.approx([1, 0, 1])


@given(
    some.integers(1, 12),
    some.integers(1, 12),
    some.integers(1, 5),
    some.integers(1, 7),
    some.integers(0, 99),
)
def test_the_best_of_rows_and_columns_are_found_whatever_the_block(
    height: int, width: int, k: int, block: int, seed: int
) -> None:
    draw = np.random.default_rng(seed)
    left, right = (
        unit(draw.random((height, 3), dtype=np.float32)),
        unit(draw.random((width, 3), dtype=np.float32)),
    )
    found = set(zip(*nearest_pairs(left, right, k, block_rows=block), strict=True))
    scores = left @ right.T
    for row in range(height):
        assert (row, int(np.argmax(scores[row]))) in found or np.sort(scores[row])[-1] == np.sort(
            scores[row]
        )[-2]
    wanted = {(row, int(c)) for row in range(height) for c in np.argsort(-scores[row])[:k]}
    wanted |= {
        (int(r), column) for column in range(width) for r in np.argsort(-scores[:, column])[:k]
    }
    assert len(found) == len(wanted)
    alone = nearest_rows(left, right, k, block_rows=block)
    assert len(alone.rows) == height * min(k, width)
    equal = [unit(np.round(draw.random((size, 3)))) for size in (8 * height, width)]
    at_once, in_blocks = (nearest_pairs(*equal, k, block_rows=rows) for rows in (1000, block + k))
    np.testing.assert_array_equal(at_once, in_blocks)


def test_weights_follow_the_view_that_tells_and_stay_where_nothing_is_said() -> None:
    draw = np.random.default_rng(0)
    rows, columns = np.repeat(np.arange(200), 5), np.tile(np.arange(5), 200)
    truth = (columns == rows % 5).astype(np.float32)
    telling = truth * 0.5 + draw.random(1000).astype(np.float32) * 0.6
    views = np.column_stack([telling, draw.random(1000).astype(np.float32)])
    prior = np.array([2.0, 2.0])
    weights = fitted(CandidatePairs(rows, columns), views, truth, prior, height=200, strength=1.0)
    assert weights[0] > 4 > 1.5 > weights[1] >= 0
    silent = fitted(
        CandidatePairs(rows, columns), views, truth * 0, prior, height=200, strength=1.0
    )
    np.testing.assert_array_equal(silent, prior)


def test_second_bests_tell_which_bests_can_be_trusted() -> None:
    draw = np.random.default_rng(0)
    wrong = draw.normal(0, 1, 1000).astype(np.float32)
    best = np.concatenate([draw.normal(8, 1, 700), draw.normal(0, 1, 300)]).astype(np.float32)
    chances = chance_of_a_counterpart(best, wrong)
    assert chances[:700].mean() > 0.95
    assert chances[700:].mean() < 0.2
    assert chance_of_a_counterpart(np.array([-np.inf], np.float32), wrong).tolist() == [0]
    assert chance_of_a_counterpart(np.array([1.0], np.float32), wrong[:0]).tolist() == [0.5]
    assert (
        chance_of_a_counterpart(best, best).tolist() == [0.5] * 1000
    )  # equally good ones say nothing


@given(some.lists(some.floats(0, 1), min_size=1, max_size=30))
def test_what_should_rise_rises_and_keeps_its_mean(values: list[float]) -> None:
    found = rising(np.array(values), np.ones(len(values)))
    assert (np.diff(found) >= -1e-12).all()
    assert found.mean() == pytest.approx(np.mean(values))


def graph(triples: list[tuple[int, int, int]], size: int, relations: int = 2) -> EntityGraph:
    rows = np.array(triples, dtype=np.int32).reshape(-1, 3)
    iris = tuple(f"http://e.example/{number}" for number in range(size))
    return EntityGraph(
        "g", iris, ("",) * size, tuple(f"http://r.example/{r}" for r in range(relations)), rows
    )


def test_nothing_comes_back_to_where_it_started() -> None:
    weights = adjacency(edges_of(graph([(0, 0, 1), (1, 0, 2)], 3)))
    one, two = spread(np.eye(3, dtype=np.float32), weights, 2)
    assert one[0].tolist() == [0, 1, 0]
    assert two[0].tolist() == pytest.approx([0, 0, 1])
    assert two[1].tolist() == pytest.approx([0, 0, 0], abs=1e-5)
    assert np.asarray(averaging(weights).sum(axis=1)).ravel().tolist() == pytest.approx([1, 1, 1])


def test_relations_find_their_counterparts_between_anchors() -> None:
    left = edges_of(
        graph([(n, 0, n + 1) for n in range(20)] + [(n + 1, 1, n) for n in range(0, 20, 2)], 21)
    )
    right = edges_of(
        graph([(n, 1, n + 1) for n in range(20)] + [(n + 1, 0, n) for n in range(0, 20, 2)], 21)
    )
    alike = counterparts(left, right, sparse.identity(21, dtype=np.float32, format="csr"))
    assert alike[0].toarray().argmax() == 1
    assert alike[2].toarray().argmax() == 3  # the inverses as well
    assert alike.max() <= 1


def test_many_wide_vectors_are_made_narrow_and_stay_as_alike_as_they_were() -> None:
    draw = np.random.default_rng(0)
    scale = 1 / np.arange(
        1, WIDE + 9
    )  # as embeddings are: most of what differs lies in few directions
    left, right = (
        unit((draw.standard_normal((rows, len(scale))) * scale).astype(np.float32))
        for rows in (700, 500)
    )
    left[3] = 0.0
    few, other = narrowed(left, right, many=1000)
    assert (few.shape, other.shape, few.dtype) == ((700, NARROW), (500, NARROW), np.float32)
    assert np.allclose(few @ other.T, left @ right.T, atol=0.01)
    assert not few[3].any()
    again = narrowed(left, right, many=1000)
    assert np.array_equal(few, again[0])

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgnb.vectors.nearest import Fused, ranks, reciprocal_rank

IDS = st.text("abcdefgh", min_size=1, max_size=2)
RANKINGS = st.lists(st.dictionaries(IDS, st.integers(1, 50), max_size=8), max_size=5)
SCORES = st.dictionaries(IDS, st.floats(allow_nan=False), max_size=12)


def test_the_papers_constant_gives_a_first_place_one_point() -> None:
    assert reciprocal_rank([{"a": 1, "b": 2, "c": 3}]) == [
        Fused("a", 1.0, 1),
        Fused("b", 0.5, 2),
        Fused("c", 1 / 3, 3),
    ]


def test_what_several_rankings_agree_on_comes_first() -> None:
    fused = reciprocal_rank([{"a": 1, "b": 2}, {"c": 1, "b": 2}, {"d": 1, "b": 2}])
    assert [one.id for one in fused] == ["b", "a", "c", "d"]
    assert [one.rank for one in fused] == [1, 2, 2, 2]


@pytest.mark.parametrize(
    ("rankings", "constant"),
    [([{"a": 0}], 0.0), ([{"a": -1}], 1.0), ([{"a": 1}], -1.0), ([{"a": 1}], math.nan), ([{"a": 1}], math.inf)],
)
def test_refuses_ranks_from_zero_and_odd_constants(rankings: list[dict[str, int]], constant: float) -> None:
    with pytest.raises(ValueError):
        reciprocal_rank(rankings, constant)


@settings(max_examples=40)
@given(RANKINGS, st.floats(0, 100))
def test_every_id_comes_once_best_first(rankings: list[dict[str, int]], constant: float) -> None:
    fused = reciprocal_rank(rankings, constant)
    assert sorted(one.id for one in fused) == sorted({id for ranking in rankings for id in ranking})
    assert fused == sorted(fused, key=lambda one: (-one.score, one.id))
    assert ranks({one.id: one.score for one in fused}) == {one.id: one.rank for one in fused}


@settings(max_examples=40)
@given(RANKINGS, st.floats(0, 100), st.randoms())
def test_the_order_of_rankings_and_ids_changes_nothing(
    rankings: list[dict[str, int]], constant: float, random: object
) -> None:
    turned = [dict(reversed(ranking.items())) for ranking in rankings]
    random.shuffle(turned)  # type: ignore[attr-defined]
    assert reciprocal_rank(turned, constant) == reciprocal_rank(rankings, constant)


def test_a_score_that_is_not_a_number_has_no_rank() -> None:
    with pytest.raises(ValueError):
        ranks({"a": math.nan})

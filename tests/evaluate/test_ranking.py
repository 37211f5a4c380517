"""Hits, MRR and chosen pairs."""

from hypothesis import given
from hypothesis import strategies as some

from kgnb.evaluate.alignment import Score
from kgnb.evaluate.ranking import IDENTICAL, OTHER, chosen, measure, ranking

targets = some.sampled_from([f"b#{number}" for number in range(30)])
sources = some.sampled_from([f"a#{number}" for number in range(30)])
lists = some.dictionaries(sources, some.lists(targets, max_size=20))
some_links = some.lists(some.tuples(sources, targets), min_size=1, max_size=40)


@given(lists, some_links)
def test_figures_are_shares_and_bound_each_other(
    rankings: dict[str, list[str]], links: list[tuple[str, str]]
) -> None:
    found = ranking(rankings, links)
    assert 0 <= found.hits1 <= found.mrr <= 1
    assert found.hits1 <= found.hits10
    assert found.mrr <= found.hits1 + (1 - found.hits1) / 2


def test_degenerate_answers_score_nothing() -> None:
    links = [("a#1", "b#1"), ("a#2", "b#2")]
    for empty in ("", "e"):
        assert ranking({source: [empty] for source, _ in links}, links).mrr == 0
    assert ranking({}, links) == ranking({"a#1": [], "a#2": []}, links)
    assert chosen([], links) == Score(0, 0, 2)


def test_a_closed_reference_does_not_judge_what_it_does_not_mention() -> None:
    links = [("a#1", "b#1")]
    pairs = [("a#1", "b#1"), ("a#9", "b#9"), ("a#9", "b#1")]
    assert chosen(pairs, links) == Score(1, 1, 0)
    assert chosen(pairs, links, closed=False) == Score(1, 2, 0)


def test_measured_states_universe_seeds_and_slices() -> None:
    links = [("a#1", "b#1"), ("a#2", "b#2")]
    found = measure(
        {"a#1": ["b#1"]},
        [("a#1", "b#1")],
        links,
        universe="2 test targets",
        seeds=2,
        names=({"a#1": "Hut", "a#2": "Bed"}, {"b#1": "hut", "b#2": "Lit"}),
    )
    assert (found.universe, found.seed_ratio) == ("2 test targets", 0.5)
    assert found.slices[IDENTICAL].hits1 == 1.0
    assert found.slices[OTHER].hits1 == 0.0


def test_hits_at_ten_ends_at_ten() -> None:
    wrong = [f"b#w{number}" for number in range(10)]
    assert ranking({"a#1": [*wrong[:9], "b#1"]}, [("a#1", "b#1")]).hits10 == 1
    assert ranking({"a#1": [*wrong, "b#1"]}, [("a#1", "b#1")]).hits10 == 0

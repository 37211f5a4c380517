import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgnb.agents.ontology_matching.rule import shares
from kgnb.agents.ontology_matching.values import Pair


def pair(source: str, target: str) -> Pair:
    return (source, target, "class")


def test_two_equal_claims_share_what_there_is() -> None:
    found = shares({pair("a", "x"): 8.0, pair("a", "y"): 8.0})
    assert found[pair("a", "x")] == pytest.approx(found[pair("a", "y")])
    assert 0.4 < found[pair("a", "x")] <= 0.5


def test_a_rival_with_a_certain_counterpart_stands_in_nobodys_way() -> None:
    alone = shares({pair("b", "y"): 3.0})[pair("b", "y")]
    taken = shares({pair("b", "y"): 3.0, pair("b", "x"): 4.0, pair("a", "x"): 14.0})
    contested = shares({pair("b", "y"): 3.0, pair("b", "x"): 4.0})
    assert taken[pair("b", "y")] > contested[pair("b", "y")] + 0.3
    assert taken[pair("b", "y")] == pytest.approx(alone, abs=0.05)


def test_kinds_do_not_compete() -> None:
    one: Pair = ("a", "x", "class")
    other: Pair = ("a", "y", "object property")
    assert shares({one: 3.0, other: 3.0})[one] == shares({one: 3.0})[one]


def test_no_pair_no_share() -> None:
    assert shares({}) == {}


ends = st.sampled_from("abcd")


@given(st.dictionaries(st.tuples(ends, ends, st.just("class")), st.floats(-100, 100), max_size=16))
def test_shares_are_probabilities_that_add_up_to_one_at_most(evidence: dict[Pair, float]) -> None:
    found = shares(evidence)
    assert found.keys() == evidence.keys()
    assert all(0.0 <= share <= 1.0 for share in found.values())
    for source in "abcd":
        assert sum(share for one, share in found.items() if one[0] == source) <= 1.0 + 1e-9

import numpy as np
import pytest

from kgnb.agents.ontology_matching.rule import AS_IT_IS, chances, fit
from kgnb.agents.ontology_matching.values import Pair


def pair(source: str, target: str) -> Pair:
    return (source, target, "class")


def test_likenesses_as_strong_beside_certain_counterparts_are_not_believed() -> None:
    by_chance = np.repeat([-4.0, 0.0, 2.0, 4.0], 100)
    open_ = np.concatenate([np.repeat([-4.0, 0.0, 2.0, 4.0], 100), np.repeat([8.0], 60)])
    found = fit(by_chance, open_)
    assert found.odds(4.0) < found.odds(4.0, 0.5) < 2.5
    assert found.odds(8.0) > 2.5


def test_evidence_that_never_arises_by_chance_is_believed() -> None:
    by_chance = np.repeat([-8.0, -6.0], 200)
    open_ = np.concatenate([np.repeat([-8.0, -6.0], 100), np.repeat([1.0, 3.0], 100)])
    assert fit(by_chance, open_).odds(3.0) > 2.5


def test_too_little_to_learn_from_changes_nothing_much() -> None:
    assert fit(np.array([]), np.array([1.0])) == AS_IT_IS
    assert fit(np.array([3.0]), np.array([3.0])).odds(5.0) == pytest.approx(5.0, abs=1.0)


def test_a_candidate_with_a_certain_counterpart_is_spoken_for() -> None:
    evidence = {pair(f"s{n}", f"t{n}"): 9.0 for n in range(40)}
    evidence |= {pair(f"s{n}", f"t{n + 1}"): 6.0 for n in range(39)}
    certain = [pair(f"s{n}", f"t{n}") for n in range(40)]
    assert chances({**evidence, pair("a", "b"): 3.0}, certain)["class"].odds(3.0) > 2.0


def test_both_orders_learn_the_same() -> None:
    evidence = {pair("a", "x"): 9.0, pair("a", "y"): 2.0, pair("b", "y"): 3.0, pair("c", "z"): -1.0}
    swapped = {(t, s, k): value for (s, t, k), value in evidence.items()}
    assert chances(evidence, [pair("a", "x")]) == chances(swapped, [pair("x", "a")])

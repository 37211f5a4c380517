"""The rule judge: its verdicts, what it makes of chance likenesses, and how rivals share what there is."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgnb.agents.ontology_matching.rule import AS_IT_IS, RuleJudge, chances, fit, shares
from kgnb.agents.ontology_matching.values import Candidate, MatchQuestion, Pair, Summarised
from tests.agents.ontology_matching.small import HUT, REFUGE


def test_finds_the_counterparts_of_the_small_ontologies(summarised: Summarised) -> None:
    verdicts = RuleJudge().judge(summarised.questions)
    said = {q.about.iri: v.choice for q, v in zip(summarised.questions, verdicts, strict=True) if q.side == "source"}
    assert said[HUT + "Warden"] == REFUGE + "RF_0000003"
    assert said[HUT + "MountainHut"] == REFUGE + "RF_0000002"
    assert said[HUT + "hasElevation"] == REFUGE + "RF_0000012"


def test_the_order_of_questions_changes_nothing(summarised: Summarised) -> None:
    forwards = RuleJudge().judge(summarised.questions)
    assert RuleJudge().judge(summarised.questions[::-1])[::-1] == forwards


def test_what_unlike_definitions_say_against_a_pair_has_its_limit(summarised: Summarised) -> None:
    def said(meaning: float | None) -> float:
        def told(one: Candidate) -> Candidate:
            return replace(one, cosines=one.cosines._replace(meaning=meaning))

        questions: list[MatchQuestion] = [
            replace(q, candidates=tuple(map(told, q.candidates))) for q in summarised.questions
        ]
        pair = (HUT + "Warden", REFUGE + "RF_0000003", "class")
        return RuleJudge().weigh(questions)[pair].evidence  # type: ignore[index]  # a kind, as text

    assert said(-0.9) == said(0.1) < said(0.3) < said(None) < said(0.9)
    assert said(None) - said(-0.9) < 3.0


def pair(source: str, target: str) -> Pair:
    return (source, target, "class")


def test_likenesses_as_strong_beside_certain_counterparts_are_not_believed() -> None:
    by_chance = np.repeat([-4.0, 0.0, 2.0, 4.0], 100)
    open_ = np.concatenate([np.repeat([-4.0, 0.0, 2.0, 4.0], 100), np.repeat([8.0], 60)])
    found = fit(by_chance, open_)
    assert found.odds(4.0) < found.odds(4.0, 0.5) < 2.5
    assert found.odds(8.0) > 2.5


def test_too_little_to_learn_from_changes_nothing_much() -> None:
    assert fit(np.array([]), np.array([1.0])) == AS_IT_IS
    assert fit(np.array([3.0]), np.array([3.0])).odds(5.0) == pytest.approx(5.0, abs=1.0)


def test_a_candidate_with_a_certain_counterpart_is_spoken_for() -> None:
    evidence = {pair(f"s{n}", f"t{n}"): 9.0 for n in range(40)}
    evidence |= {pair(f"s{n}", f"t{n + 1}"): 6.0 for n in range(39)}
    certain = [pair(f"s{n}", f"t{n}") for n in range(40)]
    assert chances({**evidence, pair("a", "b"): 3.0}, certain)["class"].odds(3.0) > 2.0


def test_a_rival_with_a_certain_counterpart_stands_in_nobodys_way() -> None:
    alone = shares({pair("b", "y"): 3.0})[pair("b", "y")]
    taken = shares({pair("b", "y"): 3.0, pair("b", "x"): 4.0, pair("a", "x"): 14.0})
    contested = shares({pair("b", "y"): 3.0, pair("b", "x"): 4.0})
    assert taken[pair("b", "y")] > contested[pair("b", "y")] + 0.3
    assert taken[pair("b", "y")] == pytest.approx(alone, abs=0.05)


ends = st.sampled_from("abcd")


@given(st.dictionaries(st.tuples(ends, ends, st.just("class")), st.floats(-100, 100), max_size=16))
def test_shares_are_probabilities_that_add_up_to_one_at_most(evidence: dict[Pair, float]) -> None:
    found = shares(evidence)
    assert found.keys() == evidence.keys()
    assert all(0.0 <= share <= 1.0 for share in found.values())
    for source in "abcd":
        assert sum(share for one, share in found.items() if one[0] == source) <= 1.0 + 1e-9

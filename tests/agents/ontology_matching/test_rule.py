"""The rule judge: its verdicts, and how rivals share what there is."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgnb.agents.ontology_matching.rule import RuleJudge, shares
from kgnb.agents.ontology_matching.values import Candidate, MatchQuestion, Summarised
from tests.agents.ontology_matching.small import HUT, REFUGE


def test_finds_the_counterparts_of_the_small_ontologies(summarised: Summarised) -> None:
    verdicts = RuleJudge().judge(summarised.questions)
    said = {
        q.about.iri: v.choice
        for q, v in zip(summarised.questions, verdicts, strict=True)
        if q.side == "source"
    }
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


def shared(evidence: dict[tuple[str, str], float]) -> dict[tuple[str, str], float]:
    row, column = (
        np.array([ord(pair[end]) for pair in evidence], dtype=np.int64) for end in (0, 1)
    )
    found = shares(row, column, np.array(list(evidence.values())))
    return dict(zip(evidence, found.tolist(), strict=True))


def test_a_rival_with_a_certain_counterpart_stands_in_nobodys_way() -> None:
    alone = shared({("b", "y"): 3.0})["b", "y"]
    taken = shared({("b", "y"): 3.0, ("b", "x"): 4.0, ("a", "x"): 14.0})
    contested = shared({("b", "y"): 3.0, ("b", "x"): 4.0})
    assert taken["b", "y"] > contested["b", "y"] + 0.3
    assert taken["b", "y"] == pytest.approx(alone, abs=0.05)


ends = st.sampled_from("abcd")


@given(st.dictionaries(st.tuples(ends, ends), st.floats(-100, 100), max_size=16))
def test_shares_are_probabilities_that_add_up_to_one_at_most(
    evidence: dict[tuple[str, str], float],
) -> None:
    found = shared(evidence)
    assert found.keys() == evidence.keys()
    assert all(0.0 <= share <= 1.0 for share in found.values())
    for source in "abcd":
        assert sum(share for one, share in found.items() if one[0] == source) <= 1.0 + 1e-9

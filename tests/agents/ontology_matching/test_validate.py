from collections.abc import Sequence

import pytest

from kgnb.agents.ontology_matching.validate import validate
from kgnb.agents.ontology_matching.values import MatchQuestion, Summarised
from kgnb.judging import UNSURE, Verdict


class Stubborn:
    """A judge that says the same to everything."""

    name = "stubborn"

    def __init__(self, verdict: Verdict) -> None:
        self.verdict = verdict

    def judge(self, questions: Sequence[MatchQuestion]) -> list[Verdict]:
        return [self.verdict for _ in questions]


@pytest.mark.parametrize(
    ("verdict", "reason"),
    [
        (Verdict("equivalent", "http://invented.example/x", 1.0), "was not among the candidates"),
        (Verdict("same", None, 1.0), "'same' is not a decision"),
        (Verdict("broader", None, 0.9), "without a candidate"),
        (Verdict("different", None, 7.0), "not between 0 and 1"),
    ],
)
def test_what_was_not_offered_counts_as_unsure(summarised: Summarised, verdict: Verdict, reason: str) -> None:
    for one in validate(summarised, Stubborn(verdict)).judged:
        assert one.verdict.decision == UNSURE and one.verdict.choice is None
        assert reason in one.verdict.rationale


def test_alternatives_that_were_not_offered_are_left_out(summarised: Summarised) -> None:
    verdict = Verdict("different", None, 0.5, also=(("http://invented.example/x", 0.4),))
    assert all(one.verdict.also == () for one in validate(summarised, Stubborn(verdict)).judged)


def test_a_judge_that_skips_questions_is_refused(summarised: Summarised) -> None:
    class Lazy(Stubborn):
        def judge(self, questions: Sequence[MatchQuestion]) -> list[Verdict]:
            return []

    with pytest.raises(ValueError, match=f"0 verdicts on {len(summarised.questions)} questions"):
        validate(summarised, Lazy(Verdict(UNSURE)))

from dataclasses import replace

from kgnb.agents.ontology_matching.rule import RuleJudge
from kgnb.agents.ontology_matching.values import Candidate, MatchQuestion, Summarised
from tests.agents.ontology_matching.small import HUT, REFUGE


def test_finds_the_counterparts_of_the_small_ontologies(summarised: Summarised) -> None:
    verdicts = RuleJudge().judge(summarised.questions)
    said = {q.about.iri: v.choice for q, v in zip(summarised.questions, verdicts, strict=True) if q.side == "source"}
    assert said[HUT + "Warden"] == REFUGE + "RF_0000003"
    assert said[HUT + "MountainHut"] == REFUGE + "RF_0000002"
    assert said[HUT + "hasElevation"] == REFUGE + "RF_0000012"


def test_both_sides_hold_a_pair_equally_probable(summarised: Summarised) -> None:
    verdicts = RuleJudge().judge(summarised.questions)
    by_pair: dict[frozenset[str], set[float]] = {}
    for question, verdict in zip(summarised.questions, verdicts, strict=True):
        if verdict.choice:
            by_pair.setdefault(frozenset((question.about.iri, verdict.choice)), set()).add(verdict.confidence)
    assert by_pair and all(len(confidences) == 1 for confidences in by_pair.values())


def test_the_order_of_questions_changes_nothing(summarised: Summarised) -> None:
    forwards = RuleJudge().judge(summarised.questions)
    assert RuleJudge().judge(summarised.questions[::-1])[::-1] == forwards


def test_no_question_no_verdict() -> None:
    assert RuleJudge().judge([]) == []


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

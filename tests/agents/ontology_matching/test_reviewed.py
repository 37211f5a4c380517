from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from kgnb.agents.ontology_matching.reviewed import (
    GivenDecisions,
    MatchDecisions,
    PairDecision,
    ReviewedMatches,
    honoured,
)
from kgnb.agents.ontology_matching.search import search
from kgnb.agents.ontology_matching.summarise import summarise
from kgnb.agents.ontology_matching.values import MatchQuestion, Options, Side, Stored, Summarised
from kgnb.judging import Verdict
from kgnb.mappings import Alignment, Dropped, Mapping
from tests.agents.ontology_matching.small import HUT, REFUGE, alpine, refuge

KEEPER, HUTS, GLACIER = REFUGE + "RF_0000003", REFUGE + "RF_0000002", REFUGE + "RF_0000005"


class Asked:
    """A judge that takes the first candidate, and remembers what it was asked."""

    name = "first"

    def __init__(self) -> None:
        self.questions: list[MatchQuestion] = []

    def judge(self, questions: Sequence[MatchQuestion]) -> list[Verdict]:
        self.questions += questions
        return [Verdict("equivalent", one.others[0].iri, 0.9) for one in questions]


@pytest.fixture
def summarised(stored: Stored) -> Summarised:
    """Every entity with several candidates."""
    return summarise(search(stored, options=Options(similarity=0.0)))


@pytest.fixture
def decisions(tmp_path: Path) -> MatchDecisions:
    return MatchDecisions(tmp_path / "mine.jsonl", now=lambda: "2025-03-01T10:00:00Z")


def about(summarised: Summarised, side: Side, iri: str) -> MatchQuestion:
    return next(q for q in summarised.questions if (q.side, q.about.iri) == (side, iri))


def test_a_decision_answers_from_either_side_with_its_relation_turned(
    summarised: Summarised, decisions: MatchDecisions
) -> None:
    there = about(summarised, "source", HUT + "Warden")
    back = about(summarised, "target", KEEPER)
    decisions.decide(there, "broader", KEEPER, who="Ada", note="guardians too")
    judge = Asked()
    said = ReviewedMatches(decisions, judge).judge([there, back])
    assert [(one.decision, one.choice) for one in said] == [
        ("broader", KEEPER),
        ("narrower", HUT + "Warden"),
    ]
    assert {(one.judged_by, one.confidence, one.rationale) for one in said} == {
        ("person:Ada", 1.0, "guardians too")
    }
    assert judge.questions == []
    assert decisions.by_pair()[HUT + "Warden", KEEPER, "class"].when == "2025-03-01T10:00:00Z"
    changed = replace(there, context="mountain huts")
    assert (
        changed.id != there.id
        and ReviewedMatches(decisions, judge).judge([changed])[0].choice == KEEPER
    )
    turned = GivenDecisions([PairDecision(KEEPER, HUT + "Warden", "individual", "broader", "Ada")])
    [verdict] = ReviewedMatches(turned, judge).judge([there])  # whatever the kind and the direction
    assert (verdict.decision, verdict.choice) == ("narrower", KEEPER)


def test_a_decision_made_from_the_target_is_kept_as_seen_from_the_source(
    summarised: Summarised, decisions: MatchDecisions
) -> None:
    decisions.decide(about(summarised, "target", KEEPER), "narrower", HUT + "Warden", who="Ada")
    (one,) = decisions.by_pair().values()
    assert (one.pair, one.relation) == ((HUT + "Warden", KEEPER, "class"), "broader")


def test_a_rejected_candidate_is_not_offered_again_and_the_others_are(
    summarised: Summarised, decisions: MatchDecisions
) -> None:
    question = next(q for q in summarised.questions if len(q.others) > 2)
    first, second = question.others[:2]
    decisions.reject(question, first.iri)
    decisions.reject(question, second.iri)
    judge = Asked()
    [verdict] = ReviewedMatches(decisions, judge).judge([question])
    assert [other.iri for other in judge.questions[0].others] == [
        other.iri for other in question.others[2:]
    ]
    assert verdict.choice == question.others[2].iri and verdict.judged_by == "first"


def test_what_is_taken_is_offered_to_nobody_else_unless_many_to_many(
    summarised: Summarised, decisions: MatchDecisions
) -> None:
    question = about(summarised, "source", HUT + "Warden")
    rival = next(
        q
        for q in summarised.questions
        if q.side == "source"
        and q.about.iri != HUT + "Warden"
        and KEEPER in {o.iri for o in q.others}
    )
    decisions.decide(question, "equivalent", KEEPER)
    strict, loose = Asked(), Asked()
    ReviewedMatches(decisions, strict).judge([rival])
    ReviewedMatches(decisions, loose, exclusive=False).judge([rival])
    assert KEEPER not in {other.iri for one in strict.questions for other in one.others}
    assert KEEPER in {other.iri for other in loose.questions[0].others}


def test_what_is_taken_over_twice_is_added_once(decisions: MatchDecisions) -> None:
    rulings = [
        PairDecision("a", "b", "class", "equivalent", "Ada", "2025-01-01"),
        PairDecision("a", "c", "class", "different", "Ada", "2025-01-01"),
    ]
    assert decisions.take_over(rulings) == 2
    assert decisions.take_over(rulings) == 0
    assert list(decisions.by_pair().values()) == rulings


def test_what_was_decided_stands_in_the_alignment_though_nobody_found_or_kept_it() -> None:
    found = Mapping(HUT + "Building", REFUGE + "RF_0000001")
    lost = Mapping(HUT + "Warden", KEEPER)
    wrong = Mapping(HUT + "Booking", GLACIER)
    alignment = Alignment((found, wrong), dropped=(Dropped(lost, "one to one"),))
    rulings = GivenDecisions(
        [
            PairDecision(HUT + "Warden", KEEPER, "class", "equivalent", "Ada"),
            PairDecision(HUT + "Booking", REFUGE + "RF_0000004", "class", "equivalent", "Ada"),
            PairDecision(HUT + "Nowhere", KEEPER, "class", "equivalent", "Ada"),
        ]
    ).by_pair()
    kept = honoured(alignment, rulings, alpine(), refuge())
    assert [mapping.source for mapping in kept] == [
        HUT + "Booking",
        HUT + "Building",
        HUT + "Warden",
    ]
    assert {mapping.judged_by for mapping in kept} == {"", "person:Ada"}
    assert [(one.mapping, one.reason) for one in kept.dropped] == [
        (wrong, "person:Ada decided otherwise for one of the two")
    ]
    assert honoured(alignment, {}, alpine(), refuge()) is alignment
    loose = honoured(alignment, rulings, alpine(), refuge(), exclusive=False)
    assert wrong in loose.mappings


def test_a_rejected_pair_never_stands_in_the_alignment() -> None:
    pair = Mapping(HUT + "Warden", KEEPER)
    rejected = {(*pair.pair, "class"): PairDecision(*pair.pair, "class", "different", "Bo")}
    kept = honoured(Alignment((pair,)), rejected, alpine(), refuge())  # type: ignore[arg-type]
    assert len(kept) == 0 and "person:Bo decided" in kept.dropped[0].reason

from collections.abc import Callable

import pytest

from kgnb.agents.ontology_matching.merge import merge
from kgnb.agents.ontology_matching.values import (
    Candidate,
    Cosines,
    Described,
    Judged,
    MatchQuestion,
    Options,
    Side,
    Validated,
)
from kgnb.judging import Verdict
from kgnb.mappings import Alignment
from tests.agents.ontology_matching.small import HUT, REFUGE

Say = tuple[Side, str, str, str, float]  # side, source, target, decision, confidence


@pytest.fixture
def merged(described: Described) -> Callable[..., Alignment]:
    """Merges verdicts written as (side, source, target, decision, confidence)."""

    def merge_them(*said: Say, **options: object) -> Alignment:
        judged = []
        for side, source, target, decision, confidence in said:
            source, target = HUT + source, REFUGE + target
            kind = next(d.kind for d in described.of("source") if d.iri == source)
            candidate = Candidate(source, target, kind, 1.0, 1, Cosines(0.5, 0.5, 0.5))
            about, other = described.find("source", source, kind), described.find("target", target, kind)
            if side == "target":
                about, other = other, about
            question = MatchQuestion(side, about, (candidate,), (other,))
            choice = None if decision in ("different", "unsure") else other.iri
            judged.append(Judged(question, Verdict(decision, choice, confidence, "because", "test")))
        return merge(Validated(described, tuple(judged), "test"), options=Options(**options))  # type: ignore[arg-type]

    return merge_them


def pairs(alignment: Alignment) -> list[tuple[str, str, str]]:
    return [(m.source.removeprefix(HUT), m.relation, m.target.removeprefix(REFUGE)) for m in alignment]


def test_what_both_sides_found_is_kept(merged: Callable[..., Alignment]) -> None:
    alignment = merged(
        ("source", "Warden", "RF_0000003", "equivalent", 0.6), ("target", "Warden", "RF_0000003", "equivalent", 0.6)
    )
    assert pairs(alignment) == [("Warden", "equivalent", "RF_0000003")]


def test_one_side_alone_is_kept_when_confident_and_reported_when_not(merged: Callable[..., Alignment]) -> None:
    assert len(merged(("source", "Warden", "RF_0000003", "equivalent", 0.9))) == 1
    weak = merged(("source", "Warden", "RF_0000003", "equivalent", 0.6))
    assert len(weak) == 0
    assert "from the source side is below 0.70" in weak.dropped[0].reason


def test_the_assignment_is_best_in_total_not_greedily(merged: Callable[..., Alignment]) -> None:
    said: list[Say] = [
        ("source", "Warden", "RF_0000003", "equivalent", 0.95),
        ("target", "Warden", "RF_0000004", "equivalent", 0.9),
        ("target", "Booking", "RF_0000003", "equivalent", 0.9),
    ]
    alignment = merged(*said)
    assert pairs(alignment) == [("Booking", "equivalent", "RF_0000003"), ("Warden", "equivalent", "RF_0000004")]
    assert "together are worth more" in alignment.dropped[0].reason


def test_n_to_m_keeps_them_all(merged: Callable[..., Alignment]) -> None:
    alignment = merged(
        ("source", "Warden", "RF_0000003", "equivalent", 0.95),
        ("target", "Booking", "RF_0000003", "equivalent", 0.9),
        cardinality="n:m",
    )
    assert len(alignment) == 2


def test_broader_seen_from_the_target_is_narrower_seen_from_the_source(merged: Callable[..., Alignment]) -> None:
    alignment = merged(("target", "MountainHut", "RF_0000001", "narrower", 0.9))
    assert pairs(alignment) == [("MountainHut", "broader", "RF_0000001")]


def test_what_the_judge_could_not_decide_waits_for_a_person(merged: Callable[..., Alignment]) -> None:
    alignment = merged(("source", "Warden", "RF_0000003", "unsure", 0.0))
    assert len(alignment) == 0
    (waiting,) = alignment.unsure
    assert (waiting.relation, waiting.rationale) == ("unsure", "because")


def test_a_crossed_hierarchy_loses_its_weaker_mapping(merged: Callable[..., Alignment]) -> None:
    alignment = merged(
        ("source", "Building", "RF_0000002", "equivalent", 0.8),
        ("source", "MountainHut", "RF_0000001", "equivalent", 0.95),
    )
    assert pairs(alignment) == [("MountainHut", "equivalent", "RF_0000001")]
    assert "crosses Mountain hut = structure" in alignment.dropped[0].reason


def test_disjoint_classes_do_not_become_kin(merged: Callable[..., Alignment]) -> None:
    alignment = merged(
        ("source", "MountainHut", "RF_0000001", "equivalent", 0.95),
        ("source", "Warden", "RF_0000002", "equivalent", 0.8),
    )
    assert pairs(alignment) == [("MountainHut", "equivalent", "RF_0000001")]
    assert "disjoint in the source" in alignment.dropped[0].reason


def test_a_rule_s_probability_is_shown_as_how_often_it_is_right(described: Described) -> None:
    source = described.find("source", HUT + "Warden", "class")
    target = described.find("target", REFUGE + "RF_0000003", "class")
    candidate = Candidate(source.iri, target.iri, "class", 1.0, 1, Cosines(0.5, 0.5, 0.5))

    def merged_at(probability: float, by: str, **options: float) -> list[float]:
        verdict = Verdict("equivalent", target.iri, probability, "because", by)
        back = Verdict("equivalent", source.iri, probability, "because", by)
        judged = (
            Judged(MatchQuestion("source", source, (candidate,), (target,)), verdict),
            Judged(MatchQuestion("target", target, (candidate,), (source,)), back),
        )
        return [m.confidence for m in merge(Validated(described, judged, by), options=Options(**options))]  # type: ignore[arg-type]

    assert merged_at(0.99, "a model") == [0.99]
    shown = [merged_at(probability, "rule")[0] for probability in (0.5, 0.7, 0.9, 1.0)]
    assert shown == sorted(shown) and 0.5 <= shown[0] < shown[-1] <= 0.99
    assert merged_at(0.6, "rule", one_sided=0.0) and not merged_at(0.6, "rule", confidence=0.95)

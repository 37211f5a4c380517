"""Verdicts merged into an alignment, and broader and narrower classes read off names."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from kgnb.agents.ontology_matching.merge import merge
from kgnb.agents.ontology_matching.retrieve import retrieve
from kgnb.agents.ontology_matching.rule import RuleJudge, Weights
from kgnb.agents.ontology_matching.search import search
from kgnb.agents.ontology_matching.store import store
from kgnb.agents.ontology_matching.summarise import summarise
from kgnb.agents.ontology_matching.validate import validate
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
from kgnb.judging import Judge, Verdict
from kgnb.kg.ontology import Entity, Kind, Ontology
from kgnb.mappings import Alignment
from kgnb.vectors.character_embedder import CharacterEmbedder
from kgnb.vectors.index import MemoryIndex
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


RELATIONS = Options(relations=True)
RULE = RuleJudge()


def ontology(name: str, *names: str, kind: Kind = "class") -> Ontology:
    iri = f"http://{name}.example/"
    return Ontology(name, iri, name, tuple(Entity(iri + one, kind) for one in names))


def judged(source: Ontology, target: Ontology, judge: Judge[MatchQuestion]) -> Validated:
    stored = store(retrieve(source, target), MemoryIndex(), CharacterEmbedder())
    return validate(summarise(search(stored)), judge)


def told(
    source: Ontology, target: Ontology, options: Options = RELATIONS, judge: Judge[MatchQuestion] = RULE
) -> set[tuple[str, str, str]]:
    return {
        (m.source.rpartition("/")[2], m.relation, m.target.rpartition("/")[2])
        for m in merge(judged(source, target, judge), options=options)
        if m.relation != "equivalent"
    }


@pytest.mark.parametrize(
    ("one", "other", "relation"),
    [
        ("Room", "WinterRooms", "narrower"),
        ("LengthOfRoute", "Length", "broader"),
        ("LengthOfRoute", "Route", ""),  # what a thing is of is not what it is
        ("RoomKey", "Room", ""),
    ],
)
def test_a_name_that_ends_in_another_is_narrower(one: str, other: str, relation: str) -> None:
    wanted = {(one, relation, other)} if relation else set()
    assert told(ontology("a", one, "Glacier"), ontology("b", other, "Glacier")) == wanted


def test_only_on_request_only_classes_and_only_if_so_much_confidence_is_enough() -> None:
    pair = ontology("a", "WinterRoom", "Glacier"), ontology("b", "Room", "Glacier")
    assert told(*pair, options=Options()) == set()
    assert told(*pair, options=Options(relations=True, confidence=0.9)) == set()
    properties = (ontology(p.name, *(e.local_name for e in p), kind="object property") for p in pair)
    assert told(*properties) == set()


def elements(name: str, *sorts: str) -> Ontology:
    """Lead and iron, as they are and as each of the sorts."""
    iri = f"http://{name}.example/"
    plain = tuple(Entity(iri + one, "class", parents=(iri + "Substance",)) for one in ("Lead", "Iron"))
    further = tuple(
        Entity(iri + one + sort, "class", parents=(iri + sort,)) for one in ("Lead", "Iron") for sort in sorts
    )
    above = tuple(Entity(iri + one, "class") for one in ("Substance", *sorts))
    return Ontology(name, iri, name, (*above, *plain, *further))


def test_lead_has_both_lead_and_lead_atom_for_counterparts() -> None:
    def equal(options: Options, judge: RuleJudge) -> set[tuple[str, str, str]]:
        found = merge(judged(elements("a"), elements("b", "Atom"), judge), options=options)
        return {(m.source_label, m.relation, m.target_label) for m in found if m.source_label == "Lead"}

    plain = ("Lead", "equivalent", "Lead")
    assert equal(Options(), RULE) == {plain}
    assert equal(RELATIONS, RULE) == {plain, ("Lead", "related", "Lead atom")}
    assert equal(Options(cardinality="n:m"), RuleJudge(Weights(rivals=False))) == {
        plain,
        ("Lead", "equivalent", "Lead atom"),
    }

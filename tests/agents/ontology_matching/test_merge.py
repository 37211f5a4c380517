"""Verdicts merged into an alignment, and broader and narrower classes read off names."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

import pytest

from kgnb.agents.ontology_matching.judges import after_the_rule
from kgnb.agents.ontology_matching.merge import merge
from kgnb.agents.ontology_matching.rule import RuleJudge, Weights
from kgnb.agents.ontology_matching.validate import validate
from kgnb.agents.ontology_matching.values import (
    SIDES,
    Candidate,
    Cosines,
    Described,
    Judged,
    MatchQuestion,
    Options,
    Side,
    Validated,
)
from kgnb.judging import CallableJudge, Judge, Verdict
from kgnb.kg.ontology import Entity, Kind, Ontology
from kgnb.mappings import Alignment
from tests.agents.ontology_matching.small import HUT, REFUGE, questions_of

Say = tuple[Side, str, str, str, float]  # side, source, target, decision, confidence


@pytest.fixture
def merged(described: Described) -> Callable[..., Alignment]:
    """Merges verdicts written as (side, source, target, decision, confidence)."""

    def merge_them(
        *said: Say, by: Callable[[str], str] = lambda name: "test", **options: object
    ) -> Alignment:
        judged = []
        for side, source, target, decision, confidence in said:
            judge = by(source)
            source, target = HUT + source, REFUGE + target
            kind = next(d.kind for d in described.of("source") if d.iri == source)
            candidate = Candidate(source, target, kind, 1.0, 1, Cosines(0.5, 0.5, 0.5))
            about, other = (
                described.find("source", source, kind),
                described.find("target", target, kind),
            )
            if side == "target":
                about, other = other, about
            question = MatchQuestion(side, about, (candidate,), (other,))
            choice = None if decision in ("different", "unsure") else other.iri
            judged.append(Judged(question, Verdict(decision, choice, confidence, "because", judge)))
        return merge(Validated(described, tuple(judged), "test"), options=Options(**options))  # type: ignore[arg-type]

    return merge_them


def pairs(alignment: Alignment) -> list[tuple[str, str, str]]:
    return [
        (m.source.removeprefix(HUT), m.relation, m.target.removeprefix(REFUGE)) for m in alignment
    ]


def test_the_assignment_is_best_in_total_not_greedily(described: Described) -> None:
    def judged(side: Side, iri: str, *choices: tuple[str, float]) -> Judged:
        about = described.find(side, iri, "class")
        other: Side = "target" if side == "source" else "source"
        others = tuple(described.find(other, choice, "class") for choice, _ in choices)
        candidates = []
        for choice, _ in choices:
            ends = (iri, choice) if side == "source" else (choice, iri)
            candidates.append(Candidate(*ends, "class", 1.0, 1, Cosines(0.5, 0.5, 0.5)))
        question = MatchQuestion(side, about, tuple(candidates), others)
        verdict = Verdict("equivalent", *choices[0], "because", "test", choices[1:])
        return Judged(question, verdict)

    warden, booking = HUT + "Warden", HUT + "Booking"
    third, fourth = REFUGE + "RF_0000003", REFUGE + "RF_0000004"
    said = (
        judged("source", warden, (third, 0.95), (fourth, 0.9)),
        judged("target", fourth, (warden, 0.9)),
        judged("target", third, (booking, 0.9), (warden, 0.9)),
    )
    alignment = merge(Validated(described, said, "test"))
    assert pairs(alignment) == [
        ("Booking", "equivalent", "RF_0000003"),
        ("Warden", "equivalent", "RF_0000004"),
    ]
    assert "together are worth more" in alignment.dropped[0].reason


RELATIONS = Options(relations=True)
RULE = RuleJudge()


def ontology(name: str, *names: str, kind: Kind = "class") -> Ontology:
    iri = f"http://{name}.example/"
    return Ontology(name, iri, name, tuple(Entity(iri + one, kind) for one in names))


def told(
    source: Ontology,
    target: Ontology,
    options: Options = RELATIONS,
    judge: Judge[MatchQuestion] = RULE,
) -> set[tuple[str, str, str]]:
    return {
        (m.source.rpartition("/")[2], m.relation, m.target.rpartition("/")[2])
        for m in merge(validate(questions_of(source, target), judge), options=options)
        if m.relation != "equivalent"
    }


def elements(name: str, *sorts: str) -> Ontology:
    """Lead and iron, as they are and as each of the sorts."""
    iri = f"http://{name}.example/"
    plain = tuple(
        Entity(iri + one, "class", parents=(iri + "Substance",)) for one in ("Lead", "Iron")
    )
    further = tuple(
        Entity(iri + one + sort, "class", parents=(iri + sort,))
        for one in ("Lead", "Iron")
        for sort in sorts
    )
    above = tuple(Entity(iri + one, "class") for one in ("Substance", *sorts))
    return Ontology(name, iri, name, (*above, *plain, *further))


def test_lead_has_both_lead_and_lead_atom_for_counterparts() -> None:
    def equal(options: Options, judge: RuleJudge) -> set[tuple[str, str, str]]:
        found = merge(
            validate(questions_of(elements("a"), elements("b", "Atom")), judge), options=options
        )
        return {
            (m.source_label, m.relation, m.target_label) for m in found if m.source_label == "Lead"
        }

    plain = ("Lead", "equivalent", "Lead")
    assert equal(Options(), RULE) == {plain}
    assert equal(RELATIONS, RULE) == {plain, ("Lead", "related", "Lead atom")}
    assert equal(Options(cardinality="n:m"), RuleJudge(Weights(rivals=False))) == {
        plain,
        ("Lead", "equivalent", "Lead atom"),
    }


def test_verdicts_become_mappings_or_are_dropped_with_a_reason(
    merged: Callable[..., Alignment],
) -> None:
    warden, hut = (
        ("Warden", "equivalent", "RF_0000003"),
        ("MountainHut", "equivalent", "RF_0000001"),
    )
    sure: Say = ("source", "MountainHut", "RF_0000001", "equivalent", 0.95)
    cases: tuple[tuple[list[Say], list[tuple[str, str, str]], str], ...] = (
        ([("source", "Warden", "RF_0000003", "equivalent", 0.9)], [warden], ""),
        (
            [("source", "Warden", "RF_0000003", "equivalent", 0.6)],
            [],
            "from the source side is below 70.0 %",
        ),
        # broader seen from the target is narrower seen from the source
        (
            [("target", "MountainHut", "RF_0000001", "narrower", 0.9)],
            [("MountainHut", "broader", "RF_0000001")],
            "",
        ),
        (
            [sure, ("source", "Warden", "RF_0000002", "equivalent", 0.8)],
            [hut],
            "disjoint in the source",
        ),
    )
    for said, found, reason in cases:
        alignment = merged(*said)
        assert pairs(alignment) == found
        assert [reason in one.reason for one in alignment.dropped] == ([True] if reason else [])
    (waiting,) = merged(("source", "Warden", "RF_0000003", "unsure", 0.0)).unsure
    assert (waiting.relation, waiting.rationale) == ("unsure", "because")


def test_broader_and_narrower_classes_are_found_by_name_on_request() -> None:
    for one, other, relation in (
        ("Room", "WinterRooms", "narrower"),
        ("LengthOfRoute", "Length", "broader"),
        ("LengthOfRoute", "Route", ""),  # the complement is not the head
        ("RoomKey", "Room", ""),
    ):
        wanted = {(one, relation, other)} if relation else set()
        assert told(ontology("a", one, "Glacier"), ontology("b", other, "Glacier")) == wanted
    pair = ontology("a", "WinterRoom", "Glacier"), ontology("b", "Room", "Glacier")
    for options in (Options(), Options(relations=True, confidence=0.9)):
        assert told(*pair, options=options) == set()
    assert (
        told(*(ontology(p.name, *(e.local_name for e in p), kind="object property") for p in pair))
        == set()
    )


CLASSES = """Hut Warden Booking Glacier Bed Blanket Kitchen Stove Trail Summit Ridge Cairn Rope Guide Map
Weather Spring Lake Meadow Marmot Cowshed Cheese Ladder Tunnel Bridge Avalanche Helicopter Radio Flag
Bench""".split()
SHARED = CLASSES[:20]


def chance(*what: object) -> float:
    """A number from 0 to 1 that depends on these alone."""
    digest = hashlib.sha256(repr(what).encode()).hexdigest()
    return int(digest[:8], 16) / 2**32


def noisy(wrong: float, missed: float, *, correlated: bool) -> CallableJudge[MatchQuestion]:
    """A judge that misses some counterparts, and says yes to something in some questions without.

    Its errors belong to a question, or to a pair: then both sides make the same.
    """

    def judge(question: MatchQuestion) -> Verdict:
        def about(other: str) -> tuple[str, ...]:
            if correlated:
                return tuple(sorted((question.about.iri, other)))
            return (question.side, question.about.iri)

        name = question.about.entity.local_name
        for option in question.others:
            equal = name in SHARED and option.entity.local_name == name
            if equal and chance("missed", *about(option.iri)) > missed:
                return Verdict("equivalent", option.iri, 0.9, "yes")
            share = wrong / len(question.others) if correlated else wrong
            if not equal and chance("wrong", *about(option.iri)) < share:
                return Verdict("equivalent", option.iri, 0.9, "yes")
        return Verdict("different", None, 0.9, "no")

    return CallableJudge(judge)


def f1(found: set[tuple[str, str]]) -> float:
    right = sum(source == target for source, target in found)
    return 2 * right / (len(found) + len(SHARED))


def names(alignment: Alignment) -> set[tuple[str, str]]:
    return {(m.source_label, m.target_label) for m in alignment if m.relation == "equivalent"}


@pytest.mark.parametrize("correlated", [False, True])
def test_the_merge_is_never_below_what_both_sides_agree_on(correlated: bool) -> None:
    questions = questions_of(
        ontology("a", *CLASSES), ontology("b", *SHARED, "Cable", "Car", "Pass", "Col", "Scree")
    )
    for wrong in (0.0, 0.1, 0.3, 0.5):
        for missed in (0.0, 0.15, 0.5):
            validated = validate(questions, noisy(wrong, missed, correlated=correlated))
            both = names(merge(validated, options=Options(merge="both")))
            assert f1(names(merge(validated))) >= f1(both)
            sides = [names(merge(validated, options=Options(merge=m))) for m in SIDES]
            assert both <= sides[0] & sides[1]
            assert f1(both) > 0


def test_two_answers_of_one_side_do_not_evict_one_of_both(merged: Callable[..., Alignment]) -> None:
    said: list[Say] = [
        ("source", "Warden", "RF_0000003", "equivalent", 0.8),
        ("target", "Warden", "RF_0000003", "equivalent", 0.8),
        ("target", "Warden", "RF_0000004", "equivalent", 0.95),
        ("source", "Booking", "RF_0000003", "equivalent", 0.95),
    ]
    alignment = merged(*said)
    assert pairs(alignment) == [("Warden", "equivalent", "RF_0000003")]
    assert alignment.mappings[0].confidence == 0.96


def test_one_sided_answers_can_be_dropped_altogether(merged: Callable[..., Alignment]) -> None:
    said: list[Say] = [
        ("source", "Warden", "RF_0000003", "equivalent", 1.0),
        ("source", "MountainHut", "RF_0000002", "equivalent", 1.0),
        ("target", "MountainHut", "RF_0000002", "equivalent", 1.0),
    ]
    mutual = ("MountainHut", "equivalent", "RF_0000002")
    one_sided = ("Warden", "equivalent", "RF_0000003")
    assert pairs(merged(*said)) == [mutual, one_sided]
    for options in ({"one_sided": 1.0}, {"merge": "both"}, {"merge": "target"}):
        alignment = merged(*said, **options)
        assert pairs(alignment) == [mutual]
        assert "side" in alignment.dropped[0].reason
    assert pairs(merged(*said, merge="source")) == [mutual, one_sided]


def test_of_two_that_contradict_each_other_the_one_that_a_model_confirmed_stays(
    merged: Callable[..., Alignment],
) -> None:
    hut, warden = ("MountainHut", "RF_0000001"), ("Warden", "RF_0000002")
    said: list[Say] = [
        (side, *pair, "equivalent", confidence)
        for pair, confidence in ((hut, 0.97), (warden, 0.9))
        for side in SIDES
    ]
    confirmed = {"Warden": "rule + model:m"}
    assert pairs(merged(*said, by=lambda name: "rule")) == [("MountainHut", "equivalent", hut[1])]
    alignment = merged(*said, by=lambda name: confirmed.get(name, "rule"))
    assert pairs(alignment) == [("Warden", "equivalent", warden[1])]
    assert "contradicts" in alignment.dropped[0].reason


def test_a_contradiction_is_not_certain(merged: Callable[..., Alignment]) -> None:
    said: list[Say] = [
        ("source", "Warden", "RF_0000003", "equivalent", 0.9),
        ("target", "Warden", "RF_0000003", "different", 0.93),
    ]
    assert pairs(merged(*said)) == []

    class Denies:
        name = "rule"

        def judge(self, questions: list[MatchQuestion]) -> list[Verdict]:
            return [Verdict("different", None, 0.93, "no", "rule") for _ in questions]

    def yes(question: MatchQuestion) -> Verdict:
        return Verdict("equivalent", question.others[0].iri, 0.9, "yes", "model")

    questions = questions_of(ontology("a", "Account"), ontology("b", "Holding"))
    judge = after_the_rule(CallableJudge(yes), rule=Denies())
    (mapping,) = merge(validate(questions, judge))
    assert mapping.confidence <= 0.9

"""Figures on plain triples: what the definitions say, and what an adversary would try."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgnb.evaluate import alignment as evaluate
from kgnb.evaluate.alignment import Score
from kgnb.mapping_files import load, load_reference

HUT = ("a#Hut", "b#Refuge", "equivalent")
BED = ("a#Bed", "b#Lit", "equivalent")
RESCUE = ("a#RescueHut", "b#Refuge", "broader")

some = st.sets(
    st.tuples(st.sampled_from("abcd"), st.sampled_from("wxyz"), st.sampled_from(["equivalent", "broader", "narrower"])),
    max_size=12,
)
confident = st.lists(
    st.tuples(st.tuples(st.sampled_from("ab"), st.sampled_from("xyz"), st.just("equivalent")), st.floats(0, 1))
)


def test_nothing_found_scores_nothing_even_where_there_is_nothing_to_find() -> None:
    for reference in ([], [HUT]):
        nothing = evaluate.score([], reference)
        assert (nothing.precision, nothing.recall, nothing.f1) == (0, 0, 0)


def test_a_pair_in_reverse_order_or_with_another_relation_is_wrong() -> None:
    assert evaluate.score([("b#Refuge", "a#Hut", "equivalent")], [HUT]) == Score(0, 1, 1)
    assert evaluate.score([("a#Hut", "b#Refuge", "broader")], [HUT]) == Score(0, 1, 1)
    assert evaluate.score([("a#Hut", "b#Refuge", "broader")], [HUT], by_pair=True) == Score(1, 0, 0)


@given(some, some)
def test_figures_stay_in_bounds_and_mirror(found: set[evaluate.Triple], reference: set[evaluate.Triple]) -> None:
    here, there = evaluate.score(found, reference), evaluate.score(reference, found)
    assert (
        0
        <= min(here.precision, here.recall)
        <= here.f1 + 1e-12
        <= max(here.precision, here.recall) + 2e-12
        <= 1 + 2e-12
    )
    assert (here.precision, here.recall, here.f1) == (there.recall, there.precision, there.f1)
    assert here.tp + here.fn == len(reference)
    assert evaluate.micro(evaluate.per_relation(found, reference).values()) == here
    assert evaluate.micro(evaluate.per_kind(found, reference, {"a": "class", "b": "individual"}).values()) == here


def test_micro_and_mean_differ_and_mean_f1_is_the_mean_of_f1s() -> None:
    small, large = Score(1, 0, 0), Score(10, 30, 60)
    assert evaluate.micro([small, large]) == Score(11, 30, 60)
    average = evaluate.mean([small, large])
    assert average.f1 == pytest.approx((1 + large.f1) / 2)
    assert average.f1 != pytest.approx(2 * average.precision * average.recall / (average.precision + average.recall))
    assert average.tasks == 2
    with pytest.raises(ValueError, match="no task"):
        evaluate.mean([])
    assert evaluate.micro([]) == Score(0, 0, 0)


def test_relations_and_kinds_are_scored_apart() -> None:
    found, reference = [HUT, ("a#Bed", "b#Lit", "broader")], [HUT, BED, RESCUE]
    assert evaluate.per_relation(found, reference) == {"broader": Score(0, 1, 1), "equivalent": Score(1, 0, 1)}
    kinds = {"a#Hut": "class", "a#Bed": "object property"}
    assert evaluate.per_kind(found, reference, kinds) == {
        "class": Score(1, 0, 0),
        "object property": Score(0, 1, 1),
        "unknown": Score(0, 0, 1),
    }


def test_names_are_the_same_across_case_and_punctuation_in_any_script() -> None:
    rule = evaluate.same_name(
        {
            "a": ["Wetterstation", "山小屋"],
            "b": ["WETTER_STATION"],
            "c": ["山 小屋"],
            "d": ["!!"],
            "e": ["??"],
            "f": ["Hu\u0308tte"],
            "g": ["HÜTTE"],
        }
    )
    assert rule("a", "b") and rule("a", "c") and rule("f", "g")
    assert not rule("b", "c")
    assert not rule("d", "e")  # punctuation alone is no name
    assert not rule("a", "missing")


def test_owl_thing_and_the_obo_vocabulary_are_not_scored() -> None:
    thing = "http://www.w3.org/2002/07/owl#Thing"
    obo = "http://www.geneontology.org/formats/oboInOwl#Synonym"
    found = [
        HUT,
        (thing, thing, "equivalent"),
        (obo, obo, "equivalent"),
        ("http://mouse.owl#UNDEFINED_part_of", "http://human.owl#UNDEFINED_part_of", "equivalent"),
        ("a#Ada", "b#Ada", "equivalent"),
    ]
    assert evaluate.scored_by_oaei(found) == {HUT, found[-1]}


def test_a_reference_given_the_other_way_round_is_turned() -> None:
    source, target = {"a#Hut", "a#Bed", "a#RescueHut"}, {"b#Refuge", "b#Lit"}
    turned = evaluate.oriented(evaluate.flipped([HUT, BED, RESCUE]), source, target)
    assert turned.flipped
    assert turned.triples == {HUT, BED, RESCUE}
    straight = evaluate.oriented([HUT, BED, RESCUE], source, target)
    assert not straight.flipped
    assert straight.strangers == frozenset()


@pytest.mark.parametrize(("reference", "advice"), [([HUT], "check that the reference belongs"), ([], "holds no pair")])
def test_a_reference_of_other_ontologies_is_refused(reference: list[evaluate.Triple], advice: str) -> None:
    with pytest.raises(ValueError, match=advice):
        evaluate.oriented(reference, {"x"}, {"y"})


def test_risk_falls_as_coverage_does_if_confidence_means_something() -> None:
    found = [(HUT, 0.9), (BED, 0.8), (("a#x", "b#y", "equivalent"), 0.8), (("a#z", "b#y", "equivalent"), 0.1)]
    points = evaluate.risk_coverage(found, [HUT, BED, RESCUE])
    assert [(p.confidence, p.coverage, round(p.risk, 3)) for p in points] == [
        (0.9, 0.25, 0.0),
        (0.8, 0.75, 0.333),
        (0.1, 1.0, 0.5),
    ]
    assert points[-1].score == evaluate.score([triple for triple, _ in found], [HUT, BED, RESCUE])
    assert evaluate.best_threshold(points).confidence == 0.8
    assert evaluate.risk_coverage([], [HUT]) == []
    with pytest.raises(ValueError, match="nothing was found"):
        evaluate.best_threshold([])


@pytest.mark.benchmark
def test_published_figures_of_the_anatomy_track_are_met_exactly(benchmark_data: Path) -> None:
    """OAEI 2023, result.csv and result_filter.csv: trivial pairs are those of the track's own trivial alignment."""
    anatomy = benchmark_data / "oaei-anatomy"
    reference = evaluate.triples(load_reference(anatomy / "reference.rdf"))
    trivial = {triple[:2] for triple in evaluate.triples(load(anatomy / "baselines/2023/trivial.rdf.gz"))}
    for system, whole, hard in (
        ("LogMap", (91.65, 84.76, 88.07), (75.00, 60.21, 66.80)),
        ("Matcha", (95.08, 93.07, 94.07), (87.01, 81.85, 84.35)),
    ):
        found = evaluate.scored_by_oaei(
            evaluate.triples(load(anatomy / f"baselines/2023/{system}.rdf.gz"), "equivalent")
        )
        for measured, published in (
            (evaluate.score(found, reference), whole),
            (evaluate.non_trivial(found, reference, trivial), hard),
        ):
            assert [round(100 * figure, 2) for figure in (measured.precision, measured.recall, measured.f1)] == list(
                published
            )


def test_pairs_of_strangers_still_count_as_missed_and_are_listed() -> None:
    dummy = ("a#None1", "b#None1", "equivalent")
    known = evaluate.oriented([HUT, dummy], {"a#Hut"}, {"b#Refuge"})
    assert known.triples == {HUT, dummy}
    assert known.strangers == {dummy}

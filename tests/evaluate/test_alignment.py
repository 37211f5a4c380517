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
    st.tuples(
        st.sampled_from("abcd"),
        st.sampled_from("wxyz"),
        st.sampled_from(["equivalent", "broader", "narrower"]),
    ),
    max_size=12,
)


def test_finding_nothing_the_wrong_way_round_or_with_another_relation_scores_nothing() -> None:
    for reference in ([], [HUT]):
        nothing = evaluate.score([], reference)
        assert (nothing.precision, nothing.recall, nothing.f1) == (0, 0, 0)
    assert evaluate.score([("b#Refuge", "a#Hut", "equivalent")], [HUT]) == Score(0, 1, 1)
    assert evaluate.score([("a#Hut", "b#Refuge", "broader")], [HUT]) == Score(0, 1, 1)
    assert evaluate.score([("a#Hut", "b#Refuge", "broader")], [HUT], by_pair=True) == Score(1, 0, 0)


@given(some, some)
def test_figures_stay_in_bounds_and_mirror(
    found: set[evaluate.Triple], reference: set[evaluate.Triple]
) -> None:
    here, there = evaluate.score(found, reference), evaluate.score(reference, found)
    low, high = sorted((here.precision, here.recall))
    assert 0 <= low <= here.f1 + 1e-12 <= high + 2e-12 <= 1 + 2e-12
    assert (here.precision, here.recall, here.f1) == (there.recall, there.precision, there.f1)
    assert here.tp + here.fn == len(reference)
    assert evaluate.micro(evaluate.per_relation(found, reference).values()) == here
    assert (
        evaluate.micro(
            evaluate.per_kind(found, reference, {"a": "class", "b": "individual"}).values()
        )
        == here
    )


def test_micro_and_mean_differ_and_mean_f1_is_the_mean_of_f1s() -> None:
    small, large = Score(1, 0, 0), Score(10, 30, 60)
    assert evaluate.micro([small, large]) == Score(11, 30, 60) and evaluate.micro([]) == Score(
        0, 0, 0
    )
    average = evaluate.mean([small, large])
    assert (average.f1, average.tasks) == (pytest.approx((1 + large.f1) / 2), 2)
    assert average.f1 != pytest.approx(
        2 * average.precision * average.recall / (average.precision + average.recall)
    )
    with pytest.raises(ValueError, match="no task"):
        evaluate.mean([])


def test_relations_and_kinds_are_scored_apart() -> None:
    found, reference = [HUT, ("a#Bed", "b#Lit", "broader")], [HUT, BED, RESCUE]
    assert evaluate.per_relation(found, reference) == {
        "broader": Score(0, 1, 1),
        "equivalent": Score(1, 0, 1),
    }
    kinds = {"a#Hut": "class", "a#Bed": "object property"}
    assert evaluate.per_kind(found, reference, kinds) == {
        "class": Score(1, 0, 0),
        "object property": Score(0, 1, 1),
        "unknown": Score(0, 0, 1),
    }


def test_names_are_the_same_across_case_and_punctuation_in_any_script() -> None:
    names = {
        "a": ["Wetterstation", "山小屋"],
        "b": ["WETTER_STATION"],
        "c": ["山 小屋"],
        "d": ["!!"],
        "e": ["??"],
    }
    rule = evaluate.same_name(names | {"f": ["Hu\u0308tte"], "g": ["HÜTTE"]})
    assert rule("a", "b") and rule("a", "c") and rule("f", "g")
    assert not rule("b", "c") and not rule("a", "missing")
    assert not rule("d", "e")  # punctuation alone is no name


def test_owl_thing_and_the_obo_vocabulary_are_not_scored() -> None:
    left_out = (
        "http://www.w3.org/2002/07/owl#Thing",
        "http://www.w3.org/2002/07/owl#topDataProperty",
        "http://www.geneontology.org/formats/oboInOwl#Synonym",
        "http://mouse.owl#UNDEFINED_part_of",
    )
    thing_like = (
        "http://huts.example/owl#Thing",
        "http://www.w3.org/2002/07/owl#Things",
        "equivalent",
    )
    found = [HUT, thing_like, *((iri, "b#Hut", "equivalent") for iri in left_out)]
    assert evaluate.scored_by_oaei(found) == {HUT, thing_like}


def test_a_reference_given_the_other_way_round_is_turned_and_strangers_still_count_as_missed() -> (
    None
):
    source, target = {"a#Hut", "a#Bed", "a#RescueHut"}, {"b#Refuge", "b#Lit"}
    turned = evaluate.oriented(evaluate.flipped([HUT, BED, RESCUE]), source, target)
    assert turned.flipped and turned.triples == {HUT, BED, RESCUE}
    straight = evaluate.oriented([HUT, BED, RESCUE], source, target)
    assert not straight.flipped and straight.strangers == frozenset()
    dummy = ("a#None1", "b#None1", "equivalent")
    known = evaluate.oriented([HUT, dummy], {"a#Hut"}, {"b#Refuge"})
    assert known.triples == {HUT, dummy} and known.strangers == {dummy}
    for reference, advice in (([HUT], "check that the reference belongs"), ([], "holds no pair")):
        with pytest.raises(ValueError, match=advice):
            evaluate.oriented(reference, {"x"}, {"y"})


def test_risk_falls_as_coverage_does_if_confidence_means_something() -> None:
    found = [
        (HUT, 0.9),
        (BED, 0.8),
        (("a#x", "b#y", "equivalent"), 0.8),
        (("a#z", "b#y", "equivalent"), 0.1),
    ]
    points = evaluate.risk_coverage(found, [HUT, BED, RESCUE])
    told = [(point.confidence, point.coverage, round(point.risk, 3)) for point in points]
    assert told == [(0.9, 0.25, 0.0), (0.8, 0.75, 0.333), (0.1, 1.0, 0.5)]
    assert points[-1].score == evaluate.score([triple for triple, _ in found], [HUT, BED, RESCUE])
    assert evaluate.best_threshold(points).confidence == 0.8
    assert evaluate.risk_coverage([], [HUT]) == []
    with pytest.raises(ValueError, match="nothing was found"):
        evaluate.best_threshold([])


@pytest.mark.benchmark
def test_published_figures_of_the_anatomy_track_are_met_exactly(benchmark_data: Path) -> None:
    """OAEI 2023, result.csv and result_filter.csv: trivial pairs are those of the track's own
    trivial alignment.
    """
    anatomy = benchmark_data / "oaei-anatomy"
    reference = evaluate.triples(load_reference(anatomy / "reference.rdf"))
    trivial = {
        triple[:2] for triple in evaluate.triples(load(anatomy / "baselines/2023/trivial.rdf.gz"))
    }
    for system, whole, hard in (
        ("LogMap", (91.65, 84.76, 88.07), (75.00, 60.21, 66.80)),
        ("Matcha", (95.08, 93.07, 94.07), (87.01, 81.85, 84.35)),
    ):
        alignment = load(anatomy / f"baselines/2023/{system}.rdf.gz")
        found = evaluate.scored_by_oaei(evaluate.triples(alignment, "equivalent"))
        measured = (
            evaluate.score(found, reference),
            evaluate.non_trivial(found, reference, trivial),
        )
        for one, published in zip(measured, (whole, hard), strict=True):
            assert (
                tuple(round(100 * figure, 2) for figure in (one.precision, one.recall, one.f1))
                == published
            )

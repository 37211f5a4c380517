import pytest

from kgnb.agents.ontology_matching.summarise import summarise
from kgnb.agents.ontology_matching.values import Cosines, Described, Found, Options, Ranked
from tests.agents.ontology_matching.small import HUT, REFUGE


def test_fused_scores_follow_the_formula(described: Described) -> None:
    warden, keeper, structure = HUT + "Warden", REFUGE + "RF_0000003", REFUGE + "RF_0000001"
    rankings = (
        Ranked(warden, keeper, "class", "syntactic", "source", 2, 0.5),
        Ranked(warden, structure, "class", "syntactic", "source", 1, 0.6),
        Ranked(warden, keeper, "class", "lexical", "source", 1, 0.9),
    )
    cosines = {(warden, iri, "class"): Cosines(0.0, 0.0, 0.0) for iri in (keeper, structure)}
    question, *_ = summarise(Found(described, rankings, cosines), options=Options(fusion_constant=1.0)).questions  # type: ignore[arg-type]
    assert [(c.target, c.rank) for c in question.candidates] == [(keeper, 1), (structure, 2)]
    assert question.candidates[0].score == pytest.approx(1 / 3 + 1 / 2, abs=1e-6)


def test_a_pair_that_one_direction_found_is_judged_in_both(described: Described) -> None:
    warden, keeper = HUT + "Warden", REFUGE + "RF_0000003"
    ranked = Ranked(warden, keeper, "class", "lexical", "target", 1, 0.5)
    cosines = {(warden, keeper, "class"): Cosines(0.0, 0.0, 0.0)}
    questions = summarise(Found(described, (ranked,), cosines)).questions  # type: ignore[arg-type]
    assert [(q.side, q.about.iri, [c.pair[:2] for c in q.candidates]) for q in questions] == [
        ("source", warden, [(warden, keeper)]),
        ("target", keeper, [(warden, keeper)]),
    ]

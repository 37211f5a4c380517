import pytest

from kgnb.agents.ontology_matching.search import search
from kgnb.agents.ontology_matching.summarise import summarise
from kgnb.agents.ontology_matching.values import Cosines, Described, Found, Options, Ranked, Stored, Summarised
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


def test_equal_scores_share_a_rank_and_may_exceed_k(described: Described) -> None:
    warden = HUT + "Warden"
    targets = [REFUGE + f"RF_000000{n}" for n in (1, 2, 3)]
    rankings = tuple(Ranked(warden, t, "class", "lexical", "source", 1, 0.5) for t in targets)
    cosines = {(warden, t, "class"): Cosines(0.0, 0.0, 0.0) for t in targets}
    question, *_ = summarise(Found(described, rankings, cosines), options=Options(k=1)).questions  # type: ignore[arg-type]
    assert [(c.target, c.rank) for c in question.candidates] == [(t, 1) for t in targets]


def test_an_entity_without_candidates_asks_nothing(stored: Stored) -> None:
    options = Options(similarity=0.9)
    summarised = summarise(search(stored, options=options), options=options)
    assert "glacier" not in {question.about.name for question in summarised.questions}
    assert summarised.counts()["entities without candidates"] >= 1


def test_among_so_few_entities_every_one_is_asked_about(summarised: Summarised) -> None:
    assert summarised.counts()["entities without candidates"] == 0


def test_a_question_keeps_its_id_and_a_changed_context_changes_it(found: Found, summarised: Summarised) -> None:
    again = summarise(found)
    other = summarise(found, options=Options(context="mountain sports"))
    assert [q.id for q in again.questions] == [q.id for q in summarised.questions]
    assert not {q.id for q in other.questions} & {q.id for q in again.questions}


def test_a_pair_that_one_direction_found_is_judged_in_both(described: Described) -> None:
    warden, keeper = HUT + "Warden", REFUGE + "RF_0000003"
    ranked = Ranked(warden, keeper, "class", "lexical", "target", 1, 0.5)
    cosines = {(warden, keeper, "class"): Cosines(0.0, 0.0, 0.0)}
    questions = summarise(Found(described, (ranked,), cosines)).questions  # type: ignore[arg-type]
    assert [(q.side, q.about.iri, [c.pair[:2] for c in q.candidates]) for q in questions] == [
        ("source", warden, [(warden, keeper)]),
        ("target", keeper, [(warden, keeper)]),
    ]

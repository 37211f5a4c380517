from __future__ import annotations

import pytest

from kgnb.agents.question_answering.link import link
from tests.agents.question_answering.worlds import TURTLE, V, desk, state


def found(text: str, *entities: str, turtle: str = TURTLE) -> list[tuple[str, str]]:
    linked = link(state(text, *entities, on=desk(turtle))).linked
    return [(each.iri.removeprefix(V), each.how) for each in linked.links if not each.is_class]


def test_finds_a_label_word_for_word_in_every_language() -> None:
    assert found("Who lives in Deepvale?") == [("village", "exact")]
    assert found("Wer wohnt in Tiefental?") == [("village", "exact")]


def test_finds_an_alias_and_a_label_in_other_case() -> None:
    assert found("who lives in the vale")[0][0] == "village"
    assert found("WHO IS THE WARDEN OF UPPER HUT?")[0][0] == "upper"


def test_finds_a_misspelt_name_and_says_so() -> None:
    assert found("Who lives in Deepvalle?") == [("village", "fuzzy")]


def test_keeps_every_meaning_of_an_ambiguous_name() -> None:
    linked = link(
        state("How high is Twin Hut?", on=desk(TURTLE + ':a rdfs:label "Twin Hut" . :b rdfs:label "Twin Hut" .'))
    ).linked
    assert {each.iri for each in linked.ambiguous} == {V + "a", V + "b"}
    assert all(each.score == 1.0 for each in linked.ambiguous)


def test_takes_the_entities_it_is_given_and_follows_a_redirect() -> None:
    linked = link(state("Who lives there?", "oldvillage")).linked
    assert linked.given and linked.entities == (V + "village",)
    assert "redirects" in linked.notes[0]


def test_refuses_an_entity_that_is_no_iri() -> None:
    question = state("Who?", "upper")
    from dataclasses import replace

    with pytest.raises(ValueError, match="not an absolute IRI"):
        link(replace(question, question=replace(question.question, entities=("upper> . ?s ?p ?o",))))


def test_finds_nothing_where_nothing_is_named() -> None:
    assert link(state("What about Zanzibar?")).linked.links == ()

import pytest

from kgnb.agents.question_answering.link import link
from kgnb.agents.question_answering.pipeline import answer_question, begin
from kgnb.agents.question_answering.values import Question
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


RIVERS = """
:River a rdfs:Class ; rdfs:label "river" . :State a rdfs:Class ; rdfs:label "state" .
:colorado-state a :State ; rdfs:label "Colorado" . :colorado-stream a :River ; rdfs:label "Colorado" .
"""


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("How long is the Colorado river?", "colorado-stream"),
        ("How long is the river Colorado?", "colorado-stream"),
        ("Who governs the state of Colorado?", "colorado-state"),
    ],
)
def test_the_class_named_beside_a_name_says_which_of_its_homonyms_is_meant(text: str, first: str) -> None:
    linked = link(state(text, on=desk(TURTLE + RIVERS))).linked
    assert linked.entities[0] == V + first
    assert {each.iri for each in linked.ambiguous} == {V + "colorado-state", V + "colorado-stream"}


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


FREEBASE = """
@prefix fb: <http://rdf.freebase.com/ns/> .
fb:m.01 fb:type.object.name "Ann Fels"@en ; fb:common.topic.alias "Annie"@en ; fb:people.person.place_of_birth fb:m.02 .
fb:m.02 fb:type.object.name "Vale"@en .
"""


@pytest.mark.parametrize("text", ["What is the place of birth of Ann Fels?", "What is the place of birth of Annie?"])
def test_a_graph_that_names_things_as_freebase_does_is_asked_by_name(text: str) -> None:
    answer = answer_question(text, desk(FREEBASE))
    assert [answer.label(value) for value in answer.values] == ["Vale"]


def test_a_property_that_has_a_name_is_no_entity() -> None:
    turtle = """
    @prefix : <http://kin.example/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
    :P22 <http://wikiba.se/ontology#directClaim> :father ; rdfs:label "father" .
    :ann :father :bob ; rdfs:label "Ann Fels" . :bob rdfs:label "Bob Fels" .
    """
    state = link(begin(Question("q", "Who is the father of Ann Fels?"), desk(turtle)))
    assert [each.label for each in state.linked.links] == ["Ann Fels"]

import pytest

from kgnb.agents.question_answering.link import link
from kgnb.agents.question_answering.observe import observe
from kgnb.agents.question_answering.pipeline import answer_question, open_context
from kgnb.agents.question_answering.values import Observation, Options, Question
from kgnb.kg.terms import Iri
from kgnb.vectors.character_embedder import CharacterEmbedder
from tests.agents.question_answering.worlds import TURTLE, V, big, context, state


def seen(text: str, *entities: str, **options: object) -> Observation:
    return observe(link(state(text, *entities, **options))).observation


def test_options_say_how_far_and_which_way_is_looked() -> None:
    asked = ("Who lives in Deepvale?", "village")
    assert any(one.inverse for one in seen(*asked).triples)
    assert not any(one.inverse for one in seen(*asked, directions="outgoing").triples)
    off = seen(*asked, observation=False)
    assert off.triples == () and "switched off" in off.notes[-1]
    assert len(seen("What does the Upper Hut serve?", "upper", breadth=2, depth=1).triples) == 2
    far = seen("Where does the warden of Upper Hut live?", "upper", share=1.0, tools="paper")
    assert {one.turn for one in far.triples} >= {1, 2}, "goes on from the best ends"


def test_reads_the_question_over_two_relations_but_takes_no_name_of_a_relation_apart() -> None:
    best = seen("Where does the warden of Upper Hut live?", "upper").interpretations[0]
    assert [hop.relation for hop in best.hops] == [V + "warden", V + "livesIn"]
    land = ':owner rdfs:label "owner of land" . :land rdfs:label "land" . :upper :land :field . :lower :owner :ann .'
    interpretations = seen(
        "What is the owner of land of Upper Hut?", "upper", on=context(TURTLE + land)
    ).interpretations
    assert all(len(interpretation.hops) == 1 for interpretation in interpretations)
    assert interpretations[0].confidence < 0.1, "the graph has that relation, but not for this hut"


def test_a_second_question_about_the_same_entity_computes_vectors_of_itself_alone() -> None:
    opened = context()
    asked = "Who is the warden of Upper Hut?"
    seen(asked, "upper", on=opened)
    before = opened.wording.computed
    seen(asked, "upper", on=opened)
    assert opened.wording.computed == before


PAGE, MOST, GUESTS = 100, 1000, 3000


def test_an_entity_with_very_many_neighbours_costs_what_a_small_one_does() -> None:
    opened = open_context(
        big(GUESTS), embedder=CharacterEmbedder(), options=Options(page=PAGE, most=MOST)
    )
    looked = {"depth": 1, "tools": "paper", "page": PAGE, "on": opened}
    first = seen("Who slept at the inn?", "inn", **looked)
    assert opened.reader.queries < 30
    assert any("were taken" in note and f"{GUESTS:,}" in note for note in first.notes)
    assert seen("Who slept at the inn?", "inn", **looked).triples == first.triples, (
        "sampled alike every time"
    )


@pytest.mark.parametrize(
    ("text", "values", "queries"),
    [
        ("Who is the landlord of the inn?", 1, 40),
        ("Who slept at the inn?", MOST, 80),
        ("How many slept at the inn?", 1, 80),
    ],
)
def test_queries_stay_bounded_whatever_is_asked_of_it(text: str, values: int, queries: int) -> None:
    options = Options(page=PAGE, most=MOST)
    opened = open_context(big(GUESTS), embedder=CharacterEmbedder(), options=options)
    found = answer_question(Question("q", text, (V + "inn",)), opened, options=options)
    assert len(found.values) == values and opened.reader.queries <= queries, (
        found.rationale,
        opened.reader.queries,
    )
    if values > 1:
        assert any("there are more" in note for note in found.notes)
    elif text.startswith("How"):
        assert getattr(found.values[0], "text", "") == str(GUESTS)
    else:
        assert found.values == (Iri(V + "carla"),)

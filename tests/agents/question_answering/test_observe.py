from kgnb.agents.question_answering.interpretation import Hop
from kgnb.agents.question_answering.link import link
from kgnb.agents.question_answering.observe import observe
from kgnb.agents.question_answering.pipeline import open_desk
from kgnb.kg.oxigraph_graph import OxigraphGraph
from kgnb.kg.terms import Iri
from kgnb.vectors.character_embedder import CharacterEmbedder
from tests.agents.question_answering.worlds import TURTLE, V, big, desk, state


def test_sees_triples_in_both_directions_unless_told_otherwise() -> None:
    both = observe(link(state("Who lives in Deepvale?", "village"))).observation
    assert any(seen.inverse for seen in both.triples)
    outgoing = observe(link(state("Who lives in Deepvale?", "village", directions="outgoing"))).observation
    assert not any(seen.inverse for seen in outgoing.triples)


def test_keeps_no_more_triples_a_turn_than_asked() -> None:
    seen = observe(link(state("What does the Upper Hut serve?", "upper", breadth=2, depth=1))).observation.triples
    assert len(seen) == 2


def test_goes_on_from_the_best_ends() -> None:
    seen = observe(
        link(state("Where does the warden of Upper Hut live?", "upper", share=1.0, tools="paper"))
    ).observation.triples
    assert {one.turn for one in seen} >= {1, 2}


def test_reads_the_question_over_two_relations() -> None:
    readings = observe(link(state("Where does the warden of Upper Hut live?", "upper"))).observation.readings
    assert [hop.relation for hop in readings[0].hops] == [V + "warden", V + "livesIn"]


def test_can_be_switched_off() -> None:
    observation = observe(link(state("Who lives in Deepvale?", "village", observation=False))).observation
    assert observation.triples == () and "switched off" in observation.notes[-1]


def test_an_entity_with_very_many_neighbours_costs_what_a_small_one_does() -> None:
    class Counting(OxigraphGraph):
        rows = 0

        def select(self, *args, **kwargs):  # type: ignore[no-untyped-def]
            solutions = super().select(*args, **kwargs)
            self.rows += len(solutions)
            return solutions

    graph = Counting(name="big")
    graph.add(big().triples())
    opened = open_desk(graph, embedder=CharacterEmbedder())
    first = observe(link(state("Who slept at the inn?", "inn", on=opened, depth=1, tools="paper"))).observation
    assert opened.hood.queries < 30 and graph.rows < 8000
    assert any("were taken" in note and "20,000" in note for note in first.notes)
    again = observe(link(state("Who slept at the inn?", "inn", on=opened, depth=1, tools="paper"))).observation
    assert again.triples == first.triples, "sampled alike every time"


def test_a_second_question_about_the_same_entity_computes_vectors_of_itself_alone() -> None:
    opened = desk()
    observe(link(state("Who is the warden of Upper Hut?", "upper", on=opened)))
    before = opened.wording.computed
    observe(link(state("Who is the warden of Upper Hut?", "upper", on=opened)))
    assert opened.wording.computed == before


def test_pages_through_more_rows_than_one_query_may_give() -> None:
    hood = open_desk(big(2500), embedder=CharacterEmbedder()).hood
    paths, note = hood.along(Iri(V + "inn"), (Hop(Iri(V + "sleptAt"), inverse=True),))
    assert len(paths) == 2500 and note == ""
    hood.most = 1500
    paths, note = hood.along(Iri(V + "inn"), (Hop(Iri(V + "sleptAt"), inverse=True),))
    assert len(paths) == 1500 and "there are more" in note


def test_a_phrase_that_is_the_name_of_a_relation_is_not_taken_apart() -> None:
    turtle = (
        TURTLE
        + ':owner rdfs:label "owner of land" . :land rdfs:label "land" . :upper :land :field . :lower :owner :ann .'
    )
    readings = observe(
        link(state("What is the owner of land of Upper Hut?", "upper", on=desk(turtle)))
    ).observation.readings
    assert all(len(reading.hops) == 1 for reading in readings)
    assert readings[0].confidence < 0.1, "the graph has that relation, but not for this hut"

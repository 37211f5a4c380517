import pytest

from kgnb.agents.question_answering.pipeline import answer_question
from kgnb.agents.question_answering.values import Answer, Options, Question
from kgnb.agents.question_answering.views import answered
from kgnb.kg.terms import Iri, Literal
from kgnb.llm.scripted import ScriptedModel
from tests.agents.question_answering.worlds import TURTLE, V, desk


def ask(text: str, *entities: str, turtle: str = TURTLE, **options: object) -> Answer:
    return answer_question(
        Question("q", text, tuple(V + e for e in entities)), desk(turtle), options=Options(**options)
    )  # type: ignore[arg-type]


def texts(answer: Answer) -> list[str]:
    return [str(v).removeprefix(V) if isinstance(v, Iri) else getattr(v, "text", "") for v in answer.values]


@pytest.mark.parametrize(
    ("text", "entities", "values"),
    [
        ("Who is the warden of Upper Hut?", ("upper",), ["ann"]),
        ("Where does the warden of Upper Hut live?", ("upper",), ["village"]),
        ("What is the altitude of Lower Hut?", ("lower",), ["1500"]),
        ("Which hut has a warden who lives in Deepvale?", ("village",), ["lower", "upper"]),
        ("Who lives in Deepvale?", ("village",), ["ann", "bob"]),
        ("How many huts serve soup?", ("soup",), ["2"]),
        ("Which hut is the highest?", (), ["upper"]),
        ("Which hut is the lowest?", (), ["lower"]),
        ("Which huts have an altitude of more than 2000?", (), ["upper"]),
        ("Is Upper Hut higher than Lower Hut?", ("upper", "lower"), ["true"]),
        ("Does Lower Hut serve cake?", ("lower", "cake"), ["false"]),
        ("Does Upper Hut serve cake?", ("upper", "cake"), ["true"]),
        ("List all huts.", (), ["lower", "upper"]),
    ],
)
def test_answers_every_kind_of_question(text: str, entities: tuple[str, ...], values: list[str]) -> None:
    found = ask(text, *entities)
    assert (found.status, texts(found)) == ("answered", values), found.rationale
    assert found.support and found.source == "graph" and found.confidence > 0.25


def test_every_triple_of_the_proof_is_in_the_graph_and_the_query_gives_the_values() -> None:
    found = ask("Where does the warden of Upper Hut live?", "upper")
    graph = desk().graph
    assert all(graph.triples(*triple) for triple in found.support)
    assert tuple(row[0] for row in graph.select(found.sparql)) == found.values


def test_is_unsure_where_the_graph_has_the_relation_but_not_for_this_entity() -> None:
    found = ask("What is the religion of Ann Berger?", "ann")
    assert (found.status, found.values, found.sparql) == ("unsure", (), "")


def test_what_is_unsure_offers_what_its_best_reading_gives_and_no_answer() -> None:
    found = ask("Who is the warden of Upper Hut?", "upper", confidence=1.0)
    assert (found.status, found.values, found.sparql, found.support) == ("unsure", (), "", ())
    assert found.guess is not None and found.guess.values == (V + "ann",)
    assert tuple(row[0] for row in desk().graph.select(found.guess.sparql)) == found.guess.values
    card = answered(found)
    assert card.json()["answers"] == [] and card.json()["query"] == ""
    for shown in (card.html(), card.plain()):
        assert "Not an answer" in shown and "Ann Berger" in shown and "SPARQL of that reading" in shown
    assert "SELECT" not in " ".join(card.json()["notes"])  # behind a fold, for those who ask how it was found
    sure = ask("Who is the warden of Upper Hut?", "upper")
    assert sure.guess is None and "Not an answer" not in answered(sure).html()


def test_does_not_take_a_relation_backwards_for_the_one_that_is_asked_for() -> None:
    assert ask("Who is the warden of Ann Berger?", "ann").status == "unsure"


def test_is_unsure_where_no_entity_is_named() -> None:
    found = ask("What is the meaning of it all?")
    assert found.status == "unsure" and found.rationale


def test_gives_all_values_even_where_memory_keeps_few() -> None:
    turtle = TURTLE + " ".join(f":upper :serves :dish{n} ." for n in range(40))
    found = ask("What does Upper Hut serve?", "upper", turtle=turtle, keep=3)
    assert len(found.values) == 42 and len(found.paths) == 3


def test_the_models_own_answer_is_marked_and_has_no_proof() -> None:
    model = ScriptedModel(['{"values": ["Buddhism"], "confidence": 0.4}'])
    opened = desk(model=model)
    question = Question("q", "What is the religion of Ann Berger?", (V + "ann",))
    found = answer_question(question, opened, options=Options(own_knowledge=True))
    assert (found.source, found.values, found.support, found.sparql) == ("model", (Literal("Buddhism"),), (), "")
    assert answer_question(question, opened).source == "graph", "only where it is allowed"


def test_the_same_question_has_the_same_answer() -> None:
    assert ask("Who lives in Deepvale?", "village") == ask("Who lives in Deepvale?", "village")


def test_says_whether_an_entity_belongs_to_a_class() -> None:
    assert texts(ask("Is Upper Hut a hut?", "upper")) == ["true"]
    assert texts(ask("Is Deepvale a hut?", "village")) in (["false"], [])

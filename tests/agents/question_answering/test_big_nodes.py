"""An entity with three times as many neighbours as are read costs a bounded number of queries, whatever is asked."""

from __future__ import annotations

import pytest

from kgnb.agents.question_answering.pipeline import answer_question, open_desk
from kgnb.agents.question_answering.values import Question
from kgnb.kg.oxigraph_graph import OxigraphGraph
from kgnb.kg.terms import RDFS, Iri, Literal
from kgnb.vectors.character_embedder import CharacterEmbedder
from tests.agents.question_answering.worlds import V

PEOPLE = 30_000


@pytest.fixture(scope="module")
def town() -> OxigraphGraph:
    label, lives, mayor, hub = Iri(RDFS + "label"), Iri(V + "livesIn"), Iri(V + "mayor"), Iri(V + "hub")
    graph = OxigraphGraph(name="town")
    graph.add(
        [(hub, label, Literal("Hubtown", "en")), (lives, label, Literal("lives in", "en")),
         (mayor, label, Literal("mayor", "en")), (hub, mayor, Iri(V + "p7"))]
    )  # fmt: skip
    graph.add((Iri(f"{V}p{number}"), lives, hub) for number in range(PEOPLE))
    return graph


@pytest.mark.parametrize(
    ("text", "values", "queries"),
    [
        ("Who is the mayor of Hubtown?", 1, 40),
        ("Who lives in Hubtown?", 10_000, 400),
        ("How many lives in Hubtown?", 1, 400),
    ],
)
def test_queries_stay_bounded(town: OxigraphGraph, text: str, values: int, queries: int) -> None:
    desk = open_desk(town, embedder=CharacterEmbedder())
    answer = answer_question(Question("q", text, (V + "hub",)), desk)
    assert len(answer.values) == values and desk.hood.queries <= queries, (answer.rationale, desk.hood.queries)
    if values > 1:
        assert any("there are more" in note for note in answer.notes)
    if text.startswith("How"):
        assert answer.values[0].text == str(PEOPLE)  # type: ignore[union-attr]  # a count is a literal

from __future__ import annotations

import pytest

from kgnb.errors import DataError
from kgnb.kg.graph import Graph, Solutions
from kgnb.kg.many import select_many
from kgnb.kg.oxigraph_graph import OxigraphGraph
from kgnb.kg.terms import Iri, Literal

HUTS = [Iri(f"http://huts.example/id/{number}") for number in range(9)]
BEDS = Iri("http://huts.example/beds")
QUERY = f"SELECT ?beds ?hut {{ ?hut <{BEDS}> ?beds }}"


def test_each_term_gets_its_own_rows_whatever_the_batch(graph: Graph) -> None:
    graph.add([(hut, BEDS, Literal(str(number))) for number, hut in enumerate(HUTS[:7])])
    found = select_many(graph, QUERY, "hut", HUTS, batch=4)
    assert list(found) == HUTS and [len(rows) for rows in found.values()] == [1] * 7 + [0, 0]
    assert found[HUTS[3]] == [(Literal("3"), HUTS[3])]


class Cutting(OxigraphGraph):
    """A service that gives two rows at most, and says so."""

    asked = 0

    def select(self, query: str, **given: object) -> Solutions:  # type: ignore[override]
        self.asked += 1
        whole = super().select(query)
        return Solutions(whole.variables, whole.rows[:2], truncated=len(whole) > 2)


def test_an_answer_that_was_cut_is_asked_for_again_in_halves() -> None:
    graph = Cutting()
    graph.add([(hut, BEDS, Literal("1")) for hut in HUTS])
    assert all(len(rows) == 1 for rows in select_many(graph, QUERY, "hut", HUTS).values())
    assert graph.asked < len(HUTS) + 8
    graph.add([(HUTS[0], BEDS, Literal(str(number))) for number in range(5)])
    with pytest.raises(DataError, match="even for one term"):
        select_many(graph, QUERY, "hut", HUTS)


def test_wrong_questions_are_refused() -> None:
    with pytest.raises(ValueError, match="does not give"):
        select_many(OxigraphGraph(), f"SELECT ?beds {{ ?hut <{BEDS}> ?beds }}", "hut", HUTS)
    with pytest.raises(ValueError, match="1 or more"):
        select_many(OxigraphGraph(), QUERY, "hut", HUTS, batch=0)
    with pytest.raises(DataError):
        select_many(OxigraphGraph(), "ASK { ?hut ?p ?o }", "hut", HUTS)

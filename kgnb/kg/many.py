"""One question about many terms: asked of the graph in a few queries, not one for each term."""

from __future__ import annotations

from collections.abc import Iterable

from kgnb.errors import DataError
from kgnb.kg.graph import Graph, Row
from kgnb.kg.sparql import expect_form, put_first
from kgnb.kg.terms import Iri, Literal, Term, n3

BATCH = 200  # terms in one query: more makes some services refuse its length, fewer gains little


def select_many(
    graph: Graph, query: str, variable: str, terms: Iterable[Iri | Literal], *, batch: int = BATCH
) -> dict[Term, list[Row]]:
    """The rows of a SELECT query for each term that ``variable`` may be; a term nothing is found for has none.

    The query must give the variable back, and have no LIMIT of its own: it would hold for a batch, not for a term.
    An answer that a service cut short is asked for again in halves.

    >>> from kgnb.kg.oxigraph_graph import OxigraphGraph
    >>> graph = OxigraphGraph()
    >>> graph.add([(Iri("urn:hut"), Iri("urn:beds"), Literal("48"))])
    >>> select_many(graph, "SELECT ?hut ?n { ?hut <urn:beds> ?n }", "hut", [Iri("urn:hut"), Iri("urn:other")])
    {Iri('urn:hut'): [(Iri('urn:hut'), Literal(text='48', language=None, datatype=None))], Iri('urn:other'): []}

    Raises:
        ValueError: the batch is empty, or the query does not give the variable back.
        DataError: the query is malformed or no SELECT query.
    """
    if batch < 1:
        raise ValueError(f"batch is {batch}: it must be 1 or more")
    expect_form(query, "SELECT")
    wanted = list(dict.fromkeys(terms))
    found: dict[Term, list[Row]] = {term: [] for term in wanted}
    waiting = [wanted[start : start + batch] for start in range(0, len(wanted), batch)]
    while waiting:
        some = waiting.pop(0)
        solutions = graph.select(put_first(query, f"VALUES ?{variable} {{ {' '.join(map(n3, some))} }}"))
        if variable not in solutions.variables:
            raise ValueError(f"the query does not give ?{variable} back, so its rows cannot be told apart")
        if solutions.truncated:
            if len(some) == 1:
                raise DataError(
                    f"{graph.name} cuts its answer short even for one term",
                    where=n3(some[0]),
                    fix="Ask for less, or in pages with ORDER BY, LIMIT and OFFSET.",
                )
            waiting = [some[: len(some) // 2], some[len(some) // 2 :], *waiting]
            continue
        at = solutions.variables.index(variable)
        for row in solutions.rows:
            term = row[at]
            if term in found and term is not None:
                found[term].append(row)
    return found

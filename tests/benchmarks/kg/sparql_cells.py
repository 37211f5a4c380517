"""How fast SPARQL cells are: a large result shown, a completion.

python -m tests.benchmarks.kg.sparql_cells
"""

import json
import time
from collections.abc import Callable

from kgnb.kg.oxigraph_graph import OxigraphGraph
from kgnb.kg.schema import Named, Schema
from kgnb.kg.terms import XSD, Iri, Literal
from kgnb.magics.completing import complete
from kgnb.tasks.querying import query

ROWS, CLASSES = 100_000, 1_000
BEDS = Iri("http://huts.example/beds")


def best(work: Callable[[], object], times: int = 3) -> float:
    """Seconds of the fastest of several runs."""
    seconds = []
    for _ in range(times):
        began = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - began)
    return min(seconds)


def large_result() -> tuple[float, float, int]:
    """Seconds until a result of 100,000 rows is shown, those of the bare query, and the bytes it takes when saved."""
    graph = OxigraphGraph()
    graph.add(
        (Iri(f"http://huts.example/id/{at}"), BEDS, Literal(str(at), datatype=f"{XSD}integer")) for at in range(ROWS)
    )
    text = f"SELECT ?hut ?beds {{ ?hut <{BEDS}> ?beds }}"
    saved = [0]

    def shown() -> None:
        saved[0] = len(json.dumps(query(graph, text)._repr_mimebundle_()))

    return best(shown), best(lambda: graph.select(text)), saved[0]


def completion() -> float:
    """Seconds until classes are offered, with a schema of 1,000 classes at hand."""
    names = [
        Named(f"http://huts.example/Class{at}", (f"kind {at} of hut", f"Hüttenart {at}"), at) for at in range(CLASSES)
    ]
    schema, text = Schema(tuple(names), tuple(names)), "SELECT * { ?x a hüttenart 77"
    return best(lambda: complete(text[:-3], len(text) - 3, schema))


def main() -> None:
    """Prints the figures, each beside its baseline in the same run."""
    shown, asked, saved = large_result()
    print(f"{ROWS:,} rows shown in {shown:.2f} s (the bare query {asked:.2f} s), {saved / 1000:,.0f} kB saved")
    print(f"completion with {CLASSES:,} classes and as many properties: {completion() * 1000:.1f} ms")


if __name__ == "__main__":
    main()

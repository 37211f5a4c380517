"""Loading and querying beside the bare engine, in one run: ``python benchmarks/graphs.py [THINGS]``.

Prints processor seconds (this process and its query process) of kgnb and of pyoxigraph with pandas,
and their ratio, over a generated graph of nine triples a thing; 34,000 things (306,000 triples)
unless a number is given.
"""

from __future__ import annotations

import io
import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pandas
import pyoxigraph as ox

import kgnb
from kgnb.kg.loading import load
from kgnb.kg.oxigraph_graph import OxigraphGraph
from kgnb.kg.query_process import endable

SPACE = "http://gen.example/"
ROWS = (
    f"SELECT ?s ?o ?n {{ ?s <{SPACE}p1>|<{SPACE}p2>|<{SPACE}p3> ?o ; <{SPACE}n> ?n }} LIMIT 100000"
)
ONE = f"SELECT ?n {{ <{SPACE}thing/7> <{SPACE}n> ?n }}"


def lines(things: int) -> str:
    """The graph as N-Triples."""
    random.seed(1)
    xsd, made = "http://www.w3.org/2001/XMLSchema#", []
    for at in range(things):
        thing = f"<{SPACE}thing/{at}>"
        made.append(
            f"{thing} <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <{SPACE}Class{at % 7}> ."
        )
        for tag in ("en", "de"):
            made.append(
                f'{thing} <http://www.w3.org/2000/01/rdf-schema#label> "Thing {at} {tag}"@{tag} .'
            )
        for number in range(4):
            made.append(f"{thing} <{SPACE}p{number}> <{SPACE}thing/{random.randrange(things)}> .")
        made.append(f'{thing} <{SPACE}n> "{random.randrange(10**6)}"^^<{xsd}integer> .')
        made.append(f'{thing} <{SPACE}y> "{1900 + at % 120}"^^<{xsd}gYear> .')
    return "\n".join(made) + "\n"


def seconds(work: Callable[[], object], *, wall: bool = False) -> float:
    """The least of three times that the work took, in seconds."""
    clock = time.perf_counter if wall else time.process_time
    times = []
    for _ in range(3):
        begun = clock()
        work()
        times.append(clock() - begun)
    return min(times)


def main(things: int) -> None:
    """Prints the table."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "graph.nt")
        path.write_text(lines(things), encoding="utf-8")
        data = path.read_bytes()
        graph = OxigraphGraph()
        load(graph, path)
        asked = endable(graph)
        pairs = {
            "load, processor s": (
                seconds(lambda: load(OxigraphGraph(), path)),
                seconds(lambda: ox.Store().load(data, format=ox.RdfFormat.N_TRIPLES)),
            ),
            "one row, wall s": (
                seconds(lambda: asked.select(ONE), wall=True),
                seconds(lambda: list(graph.store.query(ONE)), wall=True),
            ),
            "100,000 rows to a data frame, wall s": (
                seconds(lambda: kgnb.query(asked, ROWS).df(), wall=True),
                seconds(
                    lambda: pandas.read_csv(
                        io.BytesIO(graph.serialized(ROWS, ox.QueryResultsFormat.CSV))
                    ),
                    wall=True,
                ),
            ),
        }
    print(f"{graph.count():,} triples")
    for name, (ours, engine) in pairs.items():
        print(f"{name:38} kgnb {ours:8.4f}  engine {engine:8.4f}  ratio {ours / engine:6.1f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 34_000)

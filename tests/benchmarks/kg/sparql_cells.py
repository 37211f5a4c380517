"""How fast SPARQL cells are: look-ups beside bare SPARQLWrapper, a large result shown, a completion.

python -m tests.benchmarks.kg.sparql_cells
"""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from SPARQLWrapper import JSON, POST, SPARQLWrapper

from kgnb.kg.completing import complete
from kgnb.kg.endpoint_graph import EndpointGraph
from kgnb.kg.many import select_many
from kgnb.kg.oxigraph_graph import OxigraphGraph
from kgnb.kg.schema import Named, Schema
from kgnb.kg.terms import XSD, Iri, Literal
from kgnb.tasks.querying import query

LOOKUPS, ROWS, CLASSES = 200, 100_000, 1_000
BEDS = Iri("http://huts.example/beds")


def best(work: Callable[[], object], times: int = 3) -> float:
    """Seconds of the fastest of several runs."""
    seconds = []
    for _ in range(times):
        began = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - began)
    return min(seconds)


@contextmanager
def server() -> Iterator[str]:
    """The address of an Oxigraph server that runs meanwhile."""
    beside = Path(sys.executable).with_name("oxigraph")
    program = str(beside) if beside.exists() else shutil.which("oxigraph") or "oxigraph"
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
    process = subprocess.Popen([program, "serve", "--bind", url[7:]], stderr=subprocess.DEVNULL)
    try:
        for _ in range(200):
            try:
                urllib.request.urlopen(f"{url}/query?query=ASK%7B%7D", timeout=5).read()
                break
            except urllib.error.URLError:
                time.sleep(0.05)
        yield url
    finally:
        process.terminate()
        process.wait(timeout=10)


def look_ups(url: str) -> tuple[float, float]:
    """Seconds for the same 200 look-ups: ours, and bare SPARQLWrapper one after another."""
    graph = EndpointGraph(f"{url}/query", update_url=f"{url}/update")
    huts = [Iri(f"http://huts.example/id/{number}") for number in range(20_000)]
    graph.add([(hut, BEDS, Literal(str(at), datatype=f"{XSD}integer")) for at, hut in enumerate(huts)])
    wanted = huts[:: len(huts) // LOOKUPS]
    question = f"SELECT ?hut ?beds {{ ?hut <{BEDS}> ?beds }}"
    found: dict[str, str] = {}

    def ours() -> None:
        rows = select_many(graph, question, "hut", wanted)
        found.update({str(hut): str(found[0][1].text) for hut, found in rows.items()})  # type: ignore[union-attr]

    def bare() -> None:
        for hut in wanted:
            asked = SPARQLWrapper(f"{url}/query")
            asked.setMethod(POST)
            asked.setReturnFormat(JSON)
            asked.setQuery(f"SELECT ?beds {{ <{hut}> <{BEDS}> ?beds }}")
            [row] = asked.queryAndConvert()["results"]["bindings"]  # type: ignore[index,call-overload]
            assert not found or found[str(hut)] == row["beds"]["value"]

    return best(ours), best(bare)


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
    with server() as url:
        ours, bare = look_ups(url)
    print(f"{LOOKUPS} look-ups: {ours * 1000:.0f} ms; bare SPARQLWrapper {bare * 1000:.0f} ms: {bare / ours:.1f} x")
    shown, asked, saved = large_result()
    print(f"{ROWS:,} rows shown in {shown:.2f} s (the bare query {asked:.2f} s), {saved / 1000:,.0f} kB saved")
    print(f"completion with {CLASSES:,} classes and as many properties: {completion() * 1000:.1f} ms")


if __name__ == "__main__":
    main()

"""How long the rule judge takes for a question to a SPARQL server, and to the same graph at hand.

``KGNB_DATA=DIR python -m tests.benchmarks.questions.endpoint codex-m`` loads the graph of a file of
questions into an Oxigraph server on loopback, asks them, and prints seconds (p50, p90) and queries
a question for both; what the first question reads of the schema and the relations is told apart.
"""

import json
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import quantiles

import click

from kgnb.agents.question_answering.pipeline import answer_question, open_context
from kgnb.agents.question_answering.values import Question
from kgnb.backends import open_graph
from kgnb.kg.graph import Graph
from kgnb.vectors.cached_embedder import CachedEmbedder, VectorCache
from kgnb.vectors.embedder import Embedder
from kgnb.vectors.local_embedder import LocalEmbedder
from tests.benchmarks.questions.graphs import GRAPHS, HERE, lines_of


@dataclass(frozen=True)
class Took:
    """Seconds and queries of questions to one graph."""

    first: float  # of the first question, with the schema and the vectors of the relations' names
    schema: float  # to read the schema in full
    again: int  # queries to read it a second time
    p50: float
    p90: float
    queries: float  # a question
    answered: int

    def __str__(self) -> str:
        return (
            f"p50 {self.p50:.3f} s, p90 {self.p90:.3f} s, {self.queries:.1f} queries a question; first "
            f"{self.first:.2f} s, schema {self.schema:.2f} s, again {self.again} queries; {self.answered} answered"
        )


def took(graph: Graph, asked: Sequence[str], embedder: Embedder) -> Took:
    """Ask all of them, the first one apart."""
    context = open_context(graph, embedder=embedder)
    begun = time.perf_counter()
    answer_question(Question("first", asked[0]), context)
    first, begun = time.perf_counter() - begun, time.perf_counter()
    _ = context.reader.schema
    schema, before = time.perf_counter() - begun, context.reader.queries
    _ = context.reader.schema
    again, before, seconds, answered = (
        context.reader.queries - before,
        context.reader.queries,
        [],
        0,
    )
    for at, text in enumerate(asked[1:]):
        begun = time.perf_counter()
        answered += answer_question(Question(f"q{at}", text), context).status == "answered"
        seconds.append(time.perf_counter() - begun)
    cuts = quantiles(seconds, n=10, method="inclusive")
    return Took(
        first,
        schema,
        again,
        cuts[4],
        cuts[8],
        (context.reader.queries - before) / len(seconds),
        answered,
    )


@contextmanager
def serving(file: Path, folder: Path) -> Iterator[str]:
    """The address of an Oxigraph server that holds a file; it is loaded first."""
    beside = Path(sys.executable).with_name("oxigraph")
    program = str(beside) if beside.exists() else shutil.which("oxigraph")
    if program is None:
        raise click.ClickException("the oxigraph server is not installed: pip install oxigraph")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        at = f"127.0.0.1:{free.getsockname()[1]}"
    store = ["--location", str(folder / "store")]
    subprocess.run(
        [program, "load", *store, "--file", str(file)], check=True, stderr=subprocess.DEVNULL
    )
    server = subprocess.Popen(
        [program, "serve-read-only", *store, "--bind", at], stderr=subprocess.DEVNULL
    )
    try:
        for _ in range(200):
            try:
                urllib.request.urlopen(f"http://{at}/query?query=ASK%7B%7D", timeout=5).read()
                break
            except urllib.error.URLError:
                time.sleep(0.05)
        yield f"http://{at}/query"
    finally:
        server.terminate()
        server.wait(timeout=10)


@click.command()
@click.argument("name", type=click.Choice(sorted(GRAPHS)))
def main(name: str) -> None:
    """Print what a question takes over a server, over the graph at hand, and the ratio."""
    texts = [
        json.loads(line)["question"] for line in (HERE / f"{name}.jsonl").read_text().splitlines()
    ]
    embedder = CachedEmbedder(LocalEmbedder(), VectorCache(":memory:"))
    with tempfile.TemporaryDirectory() as kept:
        file = Path(kept) / f"{name}.nt"
        file.write_text("\n".join(lines_of(name)) + "\n")
        embedder.embed(texts)
        with serving(file, Path(kept)) as url:
            served = took(open_graph(url), texts, embedder)
        click.echo(f"server: {served}")
        local = took(open_graph(file), texts, embedder)
        click.echo(f"at hand: {local}")
        click.echo(
            f"server / at hand: {served.p50 / local.p50:.2f} at p50, {served.p90 / local.p90:.2f} at p90"
        )


if __name__ == "__main__":
    main()

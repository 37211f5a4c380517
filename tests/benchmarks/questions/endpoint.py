"""How long the rule judge takes for a question to a SPARQL server, and to the same graph at hand.

``KGNB_DATA=DIR python -m tests.benchmarks.questions.endpoint codex-m`` loads the graph of a file of
questions into an Oxigraph server on loopback, asks them, and prints seconds (p50, p90) and queries
a question for both; what the first question reads of the schema and the relations is told apart.
Then the seconds until a model is shown its first prompt, each question over a context of its own,
so that nothing is known yet. ``generated`` is the graph of a million triples of
``tests.benchmarks.speed``, and needs no data folder.
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
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles

import click

from kgnb.agents.question_answering.pipeline import answer_question, open_context
from kgnb.agents.question_answering.values import Question
from kgnb.backends import open_graph
from kgnb.kg.graph import Graph
from kgnb.llm.model import ModelError, Request
from kgnb.llm.scripted import ScriptedModel
from kgnb.tasks import asking
from kgnb.vectors.cached_embedder import CachedEmbedder, VectorCache
from kgnb.vectors.embedder import Embedder
from kgnb.vectors.local_embedder import LocalEmbedder
from tests.benchmarks.questions.graphs import GRAPHS, HERE, lines_of
from tests.benchmarks.speed import MILLION, lines

PROMPTS = 11  # questions until whose first prompt it is measured


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


def until_prompt(graph: Graph, asked: Sequence[str], embedder: Embedder) -> list[float]:
    """Seconds from each question to a model's first prompt, for those that a model is shown."""
    found: list[float] = []
    for text in asked:
        begun = time.perf_counter()

        def shown(_: Request, begun: float = begun) -> str:
            found.append(time.perf_counter() - begun)
            raise ModelError("enough is known", service="none")

        context = asking.open_context(
            graph, embedder=embedder, model=ScriptedModel(shown), judge="model"
        )
        with suppress(ModelError):
            answer_question(Question("prompt", text), context)
    return found


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
@click.argument("name", type=click.Choice([*sorted(GRAPHS), "generated"]))
def main(name: str) -> None:
    """Print what a question takes over a server, over the graph at hand, and the ratio."""
    rows = [] if name == "generated" else (HERE / f"{name}.jsonl").read_text().splitlines()
    texts = [json.loads(line)["question"] for line in rows] or [
        f"What is the {relation} of Thing {at} en?"
        for at in range(77, 77 + 11 * 9_001, 9_001)
        for relation in ("y", "n")
    ]
    embedder = CachedEmbedder(LocalEmbedder(), VectorCache(":memory:"))
    with tempfile.TemporaryDirectory() as kept:
        file = Path(kept) / f"{name}.nt"
        file.write_text("\n".join(lines_of(name)) + "\n" if rows else "".join(lines(MILLION)))
        embedder.embed(texts)
        with serving(file, Path(kept)) as url:
            served = took(open_graph(url), texts, embedder)
            shown = until_prompt(open_graph(url), texts[:PROMPTS], embedder)
        click.echo(f"server: {served}")
        click.echo(
            f"server, until a model's first prompt: p50 {median(shown):.3f} s of {len(shown)}"
        )
        local = took(open_graph(file), texts, embedder)
        click.echo(f"at hand: {local}")
        click.echo(
            f"server / at hand: {served.p50 / local.p50:.2f} at p50, {served.p90 / local.p90:.2f} at p90"
        )


if __name__ == "__main__":
    main()

"""How long the rule judge takes for a question to a SPARQL server with a million triples, and to the graph at hand.

``python -m tests.benchmarks.questions.endpoint`` generates the graph from a seed, loads it into an Oxigraph server on
loopback, asks, and prints seconds (p50, p90) and queries a question for both; what the first question reads of the
schema and the relations is told apart.
"""

import random
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

SPACE = "http://million.example/"
RDF, RDFS = "http://www.w3.org/1999/02/22-rdf-syntax-ns#", "http://www.w3.org/2000/01/rdf-schema#"
XSD = "http://www.w3.org/2001/XMLSchema#"
CLASSES = {
    "person": 0.5,
    "film": 0.2,
    "company": 0.12,
    "city": 0.08,
    "university": 0.06,
    "band": 0.035,
    "country": 0.005,
}
RELATIONS = (
    ("born in", "person", "city"), ("employer", "person", "company"), ("spouse", "person", "person"),
    ("educated at", "person", "university"), ("influenced by", "person", "person"), ("member of", "person", "band"),
    ("director", "film", "person"), ("cast member", "film", "person"), ("production company", "film", "company"),
    ("headquarters location", "company", "city"), ("founded by", "company", "person"), ("capital", "country", "city"),
    ("located in", "city", "country"), ("located in", "university", "city"), ("formed in", "band", "city"),
)  # fmt: skip
NUMBERS = (("population", "city"), ("number of employees", "company"), ("running time", "film"), ("height", "person"))
ASKED = (
    ("Where was {person} born?", "Who is the spouse of {person}?", "Which university was {person} educated at?")
    + ("Who directed {film}?", "Who is the employer of {person}?", "What is the running time of {film}?")
    + ("Where is the headquarters of {company}?", "What is the capital of {country}?", "Who founded {company}?")
    + ("In which country is the city where {person} was born?", "Who is the spouse of the director of {film}?")
    + ("How many cast members does {film} have?", "Which films did {person} direct?", "Who was born in {city}?")
    + ("What is the population of {city}?", "Which city in {country} has the highest population?")
    + ("Was {person} born in {city}?", "Which companies have their headquarters in {city}?")
)
_SYLLABLES = "ba den kor lin mar nes ol pra ri sto tal ven wim zu fer gol".split()  # noqa: SIM905


def triples(number: int, seed: int = 0) -> Iterator[str]:
    """N-Triples, ``number`` of them: typed and labelled things, and relations and numbers drawn at random."""
    draw = random.Random(seed)
    things = {kind: max(20, round(share * number / 5)) for kind, share in CLASSES.items()}
    made = 0
    for kind in CLASSES:
        yield f'<{SPACE}{kind}> <{RDFS}label> "{kind}"@en .'
    for relation in dict.fromkeys(name for name, *_ in (*RELATIONS, *NUMBERS)):
        yield f'<{_relation(relation)}> <{RDFS}label> "{relation}"@en .'
    for kind, many in things.items():
        for at in range(many):
            yield f"<{SPACE}{kind}/{at}> <{RDF}type> <{SPACE}{kind}> ."
            yield f'<{SPACE}{kind}/{at}> <{RDFS}label> "{name(kind, at)}"@en .'
            made += 2
    for relation, kind in NUMBERS:
        for at in range(things[kind]):
            yield f'<{SPACE}{kind}/{at}> <{_relation(relation)}> "{draw.randrange(50, 900_000)}"^^<{XSD}integer> .'
            made += 1
    while made < number:  # low numbers are drawn more often: a few cities have very many people
        relation, start, end = RELATIONS[draw.randrange(len(RELATIONS))]
        one, other = int(things[start] * draw.random()), int(things[end] * draw.random() ** 3)
        yield f"<{SPACE}{start}/{one}> <{_relation(relation)}> <{SPACE}{end}/{other}> ."
        made += 1


def name(kind: str, at: int) -> str:
    """What the thing of this number is called: no two of a kind alike."""
    digits = []
    while at or not digits:
        at, digit = divmod(at, len(_SYLLABLES))
        digits.append(_SYLLABLES[digit])
    word = "".join(digits).capitalize()
    ending = {
        "person": "Aldo",
        "film": "The Night of",
        "company": "Works",
        "university": "University of",
        "band": "The",
    }
    return f"{word} Works" if kind == "company" else f"{ending.get(kind, kind.capitalize())} {word}"


def questions(number: int, seed: int = 1) -> list[str]:
    """Questions of every kind the rule judge reads, about things drawn at random."""
    draw = random.Random(seed)
    few = {kind: 20 for kind in CLASSES}
    return [
        ASKED[at % len(ASKED)].format(**{k: name(k, draw.randrange(few[k])) for k in CLASSES}) for at in range(number)
    ]


def _relation(said: str) -> str:
    return f"{SPACE}relation/{said.replace(' ', '_')}"


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
    again, before, seconds, answered = context.reader.queries - before, context.reader.queries, [], 0
    for at, text in enumerate(asked[1:]):
        begun = time.perf_counter()
        answered += answer_question(Question(f"q{at}", text), context).status == "answered"
        seconds.append(time.perf_counter() - begun)
    cuts = quantiles(seconds, n=10, method="inclusive")
    return Took(first, schema, again, cuts[4], cuts[8], (context.reader.queries - before) / len(seconds), answered)


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
    subprocess.run([program, "load", *store, "--file", str(file)], check=True, stderr=subprocess.DEVNULL)
    server = subprocess.Popen([program, "serve-read-only", *store, "--bind", at], stderr=subprocess.DEVNULL)
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
@click.option("--triples", "number", default=1_000_000, show_default=True)
@click.option("--questions", "asked", default=55, show_default=True)
def main(number: int, asked: int) -> None:
    """Print what a question takes over a server, over the graph at hand, and the ratio."""
    texts = questions(asked)
    embedder = CachedEmbedder(LocalEmbedder(), VectorCache(":memory:"))
    with tempfile.TemporaryDirectory() as kept:
        file = Path(kept) / "million.nt"
        with file.open("w") as out:
            out.writelines(f"{line}\n" for line in triples(number))
        embedder.embed(texts)
        with serving(file, Path(kept)) as url:
            served = took(open_graph(url), texts, embedder)
        click.echo(f"server, {number:,} triples: {served}")
        local = took(open_graph(file), texts, embedder)
        click.echo(f"at hand: {local}")
        click.echo(f"server / at hand: {served.p50 / local.p50:.2f} at p50, {served.p90 / local.p90:.2f} at p90")


if __name__ == "__main__":
    main()

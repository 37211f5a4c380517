"""``kgnb subgraph``: the neighbourhood of some entities as a file, for work without the service."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from kgnb.backends import open_graph
from kgnb.cli.options import QUIET
from kgnb.cli.outcome import FAILED
from kgnb.cli.work import Work
from kgnb.datasets.questions import read_questions
from kgnb.errors import DataError
from kgnb.files import read_input
from kgnb.kg.subgraph import Wanted, named_iri, read_subgraph
from kgnb.kg.terms import Iri
from kgnb.results.bundle import count


@click.command()
@click.option(
    "--entities",
    required=True,
    metavar="FILE",
    help="The entities to begin with: one IRI a line (wd:Q42 will do), or questions (.jsonl) with "
    "their entities.",
)
@click.option("--endpoint", required=True, metavar="URL|FILE", help="Where to read.")
@click.option("--out", "-o", required=True, metavar="FILE.nt", help="Where the triples go.")
@click.option("--hops", type=click.IntRange(1, 6), default=3, show_default=True, help="How far.")
@click.option(
    "--only",
    multiple=True,
    metavar="NAMESPACE",
    help="Only relations whose IRIs begin so, besides names and types. Repeatable.",
)
@click.option(
    "--language",
    "languages",
    multiple=True,
    default=("en",),
    show_default=True,
    help="Languages of texts to keep, besides those without one. Repeatable.",
)
@click.option(
    "--most",
    type=click.IntRange(1, 100_000),
    default=1000,
    show_default=True,
    help="Most triples of one entity.",
)
@QUIET
def subgraph(entities: str, endpoint: str, out: str, hops: int, most: int, **given: Any) -> int:
    """Read the outgoing triples within some hops of entities, and the names of all that is met.

    It asks politely, a few entities a query. A run that broke off goes on where it was: say the
    same command again; FILE.nt.progress is there until all was read.

    \b
    Examples:
      kgnb subgraph --entities topics.txt --hops 3 --endpoint https://example.org/sparql --out near.nt
      kgnb subgraph --entities questions.jsonl --endpoint http://localhost:7878/query --out near.nt
      --only http://www.wikidata.org/prop/direct/
    """
    work = Work(given)
    if not out.endswith((".nt", ".ttl")) or not Path(out).expanduser().absolute().parent.is_dir():
        raise DataError(
            "it is not FILE.nt in a folder that exists",
            where=out,
            fix="Triples are written as N-Triples: name a file such as near.nt.",
        )
    wanted = Wanted(given["only"], given["languages"], most)
    found = read_subgraph(
        open_graph(endpoint),
        _entities(entities),
        Path(out),
        hops=hops,
        wanted=wanted,
        on_batch=lambda hop, done, total: work.line.draw(
            f"hop {hop} of {hops}, {done:,} of {count(total, 'entity', 'entities')}"
            if hop <= hops
            else f"names, {done:,} of {total:,}"
        ),
    )
    work.line.clear()
    entity_count = count(found.entities, "entity", "entities")
    lines = [f"{count(found.triples, 'triple')} of {entity_count}, {work.seconds:.1f} s"]
    if found.empty:
        some = ", ".join(found.empty[:3])
        lines.append(
            f"{count(len(found.empty), 'entity', 'entities')} given without any triple there ({some}): "
            "check how the endpoint writes its IRIs, --only and --language"
        )
    if found.cut:
        lines.append(
            f"{count(len(found.cut), 'entity', 'entities')} with more than {count(most, 'triple')}"
        )
    if found.blank:
        lines.append(f"{count(found.blank, 'triple')} with blank nodes left out")
    if found.failed:
        some = ", ".join(found.failed[:3])
        lines.append(f"{len(found.failed)} could not be read ({some}): run it again to try these")
    work.say(*lines)
    return FAILED if found.failed or not found.triples else 0


def _entities(file: str) -> list[Iri]:
    if file.endswith(".jsonl"):
        questions = read_questions(file)
        named = [(name, f"{file}, {asked.id}") for asked in questions for name in asked.entities]
    else:
        fix = "Name a text file with one IRI a line, in UTF-8."
        lines = read_input(file, fix).splitlines()
        rows = [(line.strip(), f"{file}:{at}") for at, line in enumerate(lines, start=1)]
        named = [(text, where) for text, where in rows if text and not text.startswith("#")]
    if not named:
        raise DataError(
            "there is no entity in it",
            where=file,
            fix='Write one IRI a line, or name questions with "entities": ["http://..."].',
        )
    return list(dict.fromkeys(named_iri(text, where) for text, where in named))

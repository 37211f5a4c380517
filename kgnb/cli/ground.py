"""``kgnb ground``: the entities of a graph linked to those of a reference graph."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from time import perf_counter
from typing import Any

import click

from kgnb.agents.kg_construction.ground import Grounding, Options
from kgnb.backends import open_graph
from kgnb.cli.outcome import TerminalLine
from kgnb.errors import DataError
from kgnb.files import write_whole
from kgnb.kg.oxigraph_graph import OxigraphGraph
from kgnb.kg.quads import Quad, quads, written
from kgnb.kg.result_files import inert
from kgnb.kg.terms import Iri, Term
from kgnb.settings import Settings
from kgnb.tasks.building import ground as ground_graph

FORMS = {".trig": "trig", ".nq": "n-quads", ".nt": "n-triples", ".ttl": "turtle", ".jsonld": "json-ld"}


@click.command()
@click.argument("graph")
@click.argument("reference")
@click.option("--out", "-o", metavar="FILE", default="-", help="Where owl:sameAs goes (.ttl); - for standard output.")
@click.option(
    "--rewrite", metavar="FILE", help="Also write GRAPH with the reference's IRIs; .trig and .nq keep its named graphs."
)
@click.option("--review", metavar="FILE", help="Write what is unsure as CSV, to be decided by a person.")
@click.option("--decisions", metavar="FILE", help="CSV of entity,target: what a person decided; they hold.")
@click.option("--schema", metavar="FILE", help="An ontology whose subclasses say which classes fit.")
@click.option("--label", "labels", multiple=True, metavar="IRI", help="A label property; default: found by sampling.")
@click.option("--similarity", type=click.FloatRange(0.5, 1), default=Options().similarity, show_default=True,
              help="A name as like as this is a candidate.")  # fmt: skip
@click.option("--margin", type=click.FloatRange(0, 0.5), default=Options().margin, show_default=True,
              help="How far the best has to stand above the next.")  # fmt: skip
@click.option("--any-type", is_flag=True, help="Do not compare classes.")
@click.option("--cache", type=click.Path(file_okay=False), metavar="FOLDER", help="Keep the reference's labels here.")
@click.option("--quiet", "-q", is_flag=True, help="No summary on standard error.")
def ground(graph: str, reference: str, **given: Any) -> None:
    """Find which entities of GRAPH are the same as entities of REFERENCE, a file or a SPARQL endpoint's URL.

    \b
    Examples:
      kgnb ground kitchen.trig huts:pantry --out links.ttl --review unsure.csv
      kgnb ground papers.trig https://example.org/sparql --cache labels/ --rewrite papers-linked.trig
    """
    settings, begun, line = Settings.load(), perf_counter(), TerminalLine(quiet=given["quiet"])
    options = Options(given["similarity"], given["margin"], not given["any_type"])
    decided = _decisions(Path(given["decisions"])) if given["decisions"] else None
    if given["rewrite"] and Path(given["rewrite"]).suffix.lower() not in FORMS:  # before any work is done
        raise click.BadParameter(f"{given['rewrite']} ends in none of {', '.join(FORMS)}", param_hint="--rewrite")
    try:
        mine = open_graph(graph, settings)
        found = ground_graph(
            mine, reference, options=options, schema=given["schema"], predicates=given["labels"], decisions=decided,
            cache=given["cache"], settings=settings, on_event=line.event,
        )  # fmt: skip
    finally:
        line.clear()
    if given["out"] == "-":
        sys.stdout.write(found.turtle())
    else:
        write_whole(Path(given["out"]), found.turtle())
    if given["rewrite"]:
        stored: Iterable[Quad] = quads(mine) if isinstance(mine, OxigraphGraph) else ((t, None) for t in mine.triples())
        rewriting = Path(given["rewrite"])
        write_whole(rewriting, written(linked(stored, found.mapping), FORMS[rewriting.suffix.lower()]))
    if given["review"]:
        write_whole(Path(given["review"]), _review(found))
    if not given["quiet"]:
        parts = [f"{value:,} {name}" for name, value in found.counts().items()]
        click.echo(f"kgnb: {', '.join(parts)}, {perf_counter() - begun:.1f} s", err=True)
        if found.note:
            click.echo(f"kgnb: {found.note}", err=True)


def linked(content: Iterable[Quad], new: Mapping[str, str]) -> Iterator[Quad]:
    """The quads with every linked IRI replaced by the reference's; predicates and names of graphs stay."""

    def mapped(term: Term) -> Term:
        return Iri(new.get(term, term)) if isinstance(term, Iri) else term

    for (subject, predicate, value), name in content:
        yield (mapped(subject), predicate, mapped(value)), name  # type: ignore[misc]  # an IRI becomes an IRI


def _review(found: Grounding) -> str:
    """What is unsure as CSV: the column target is for a person to fill in; no cell acts as a formula."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["entity", "target", "label", "candidates"])
    for link in found.unsure:
        others = " | ".join(f"{one.target} {one.label} {one.score:.2f}" for one in link.candidates)
        writer.writerow([link.entity, "", inert(link.label), inert(others)])
    return text.getvalue()


def _decisions(path: Path) -> dict[str, str | None]:
    """What a person decided: the columns entity and target; an empty target: there is none; "?": not decided."""
    try:
        rows = list(csv.DictReader(path.read_text(encoding="utf-8-sig").splitlines()))
    except OSError as error:
        raise DataError(f"it cannot be read: {error.strerror}", where=str(path), fix="Check the name.") from error
    if rows and not {"entity", "target"} <= set(rows[0]):
        raise DataError("it has no columns entity and target", where=str(path), fix="The file of --review has them.")
    return {row["entity"]: row["target"] or None for row in rows if row["target"] != "?"}

"""``kgnb match``: two ontologies in, an alignment out."""

from __future__ import annotations

import sys
from typing import Any

import click

from kgnb.agents.ontology_matching import AGENT
from kgnb.agents.ontology_matching.values import Options
from kgnb.agents.options import given_of
from kgnb.backends import open_ontology
from kgnb.cli.evaluate import scores_in_words
from kgnb.cli.outcome import refuse_unwritable
from kgnb.cli.work import Work, agent_command
from kgnb.evaluate.alignment import Triple, score, scored_by_oaei, triples
from kgnb.mapping_files import WRITERS, save, writer_for
from kgnb.reporting.references import turned
from kgnb.tasks import digests, match_ontologies, open_reference


@click.command()
@click.argument("source")
@click.argument("target")
@click.option(
    "--out",
    "-o",
    multiple=True,
    metavar="FILE",
    help="Where to write: .sssom.tsv, .rdf or .ttl; - for standard output. Repeatable.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(list(WRITERS)),
    default="sssom",
    show_default=True,
    help="What standard output gets.",
)
@click.option(
    "--plan",
    type=click.Choice(["fixed", "model"]),
    default="fixed",
    show_default=True,
    help="Who chooses the next stage.",
)
@agent_command(AGENT)
def match(source: str, target: str, **given: Any) -> int:
    """Find which classes and properties of SOURCE and TARGET mean the same.

    Either is a file or folder of RDF, the URL of a SPARQL endpoint, or huts:alpine / huts:refuge (our own example).
    Existing output files are replaced, whole or not at all. Without --out the alignment goes to standard output.
    Exit status 1 if the model's server failed on the way: what it was asked and did not answer is said and counted.

    \b
    Examples:
      kgnb match cmt.owl confof.owl --out cmt-confof.rdf
      kgnb match a.ttl b.ttl --context "mountain huts" -o ab.sssom.tsv -o ab.ttl
      kgnb match a.ttl b.ttl --judge oracle --reference ab.rdf > ab.tsv
      kgnb match a.ttl https://example.org/sparql --k 10 --format turtle | less
    """
    outs = given["out"] or ("-",)
    for out in outs:
        if out != "-":
            writer_for(out)
            refuse_unwritable(out, (source, target, given["reference"], given["decisions"]))
    options = Options(**given_of(Options, given))
    work = Work(given)
    with work.reading(source, target):
        left, right = (open_ontology(spec, work.settings, individuals=options.individuals) for spec in (source, target))
        wanted, pairs = frozenset[Triple](), None
        if given["reference"]:  # read before any work is done: a wrong one costs nothing
            wanted = turned(open_reference(given["reference"]), left, right, given["reference"]).triples
            pairs = {triple[:2] for triple in wanted if triple[2] == "equivalent"}
        parameters = {"source": source, "target": target} | {name: given[name] for name in ("judge", "plan", "seed")}
        parameters |= {"embedder": given["embedder"] or None} | given_of(Options, given)
        run = work.run(AGENT, digests(left, right), parameters)
        told: dict[str, Any] = {name: given[name] for name in ("judge", "error_rate", "seed", "plan")}
        told |= {name: given[name] or None for name in ("embedder", "index", "decisions")}
        with work.stoppable(run):
            alignment = match_ontologies(
                left, right, options=options, reference=pairs, run=run, settings=work.settings, **told
            )
    for out in outs:
        if out == "-":
            sys.stdout.write(WRITERS[given["form"]](alignment))
        else:
            save(alignment, out)
    scored = []
    if wanted:
        found = scored_by_oaei(triples(alignment, *{triple[2] for triple in wanted}))
        scored = [scores_in_words(score(found, wanted))]
    counts = f"{len(alignment)} mappings, {len(alignment.unsure)} unsure, {len(alignment.dropped)} dropped"
    return work.end(run, counts, *scored)

"""``kgnb match``: two ontologies in, an alignment out; ``kgnb evaluate``: an alignment against a
reference.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import click

from kgnb.agents.ontology_matching import AGENT
from kgnb.cli.outcome import refuse_unwritable, stoppable
from kgnb.cli.work import Work, agent_command
from kgnb.evaluate.alignment import (
    Score,
    Triple,
    flipped,
    per_relation,
    score,
    scored_by_oaei,
    triples,
)
from kgnb.mapping_files import WRITERS, load, save, writer_for
from kgnb.reporting.references import turned
from kgnb.results.bundle import count
from kgnb.tasks.matching import open_reference


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
    help="The format of standard output.",
)
@click.option(
    "--plan",
    type=click.Choice(["fixed", "model"]),
    default="fixed",
    show_default=True,
    help="Fixed order, or the model picks each stage.",
)
@agent_command(AGENT)
def match(source: str, target: str, **given: Any) -> int:
    """Find which classes and properties of SOURCE and TARGET mean the same.

    Each is a file or folder of RDF, the URL of a SPARQL endpoint, or huts:alpine / huts:refuge (our
    own example). Existing output files are replaced, whole or not at all. Without --out the
    alignment goes to standard output. Exit status 1 if the model's server failed on the way;
    unanswered questions are reported and counted.

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
    work = Work(given)
    with work.reading(source, target):
        task = work.task(AGENT, {"source": source, "target": target, "plan": given["plan"]}, given)
        wanted = frozenset[Triple]()
        if reference := given["reference"]:
            wanted = turned(
                open_reference(reference), task["source"], task["target"], reference
            ).triples
            task.given["reference"] = {triple[:2] for triple in wanted if triple[2] == "equivalent"}
        with stoppable(task.run):
            alignment = task.run_through()
    for out in outs:
        if out == "-":
            sys.stdout.write(WRITERS[given["form"]](alignment))
        else:
            save(alignment, out)
    scored = []
    if wanted:
        found = scored_by_oaei(triples(alignment, *{triple[2] for triple in wanted}))
        scored = [scores_in_words(score(found, wanted))]
    counts = f"{count(len(alignment), 'mapping')}, {len(alignment.unsure)} unsure, {len(alignment.dropped)} dropped"
    return work.end(task.run, counts, *scored)


@click.command()
@click.argument("found", type=click.Path(exists=True, dir_okay=False))
@click.argument("reference")
@click.option("--any-relation", is_flag=True, help="Count a pair as found whatever its relation.")
@click.option("--json", "as_json", is_flag=True, help="Write JSON, with scores between 0 and 1.")
def evaluate(found: str, reference: str, any_relation: bool, as_json: bool) -> None:
    """Measure the alignment FOUND against REFERENCE: precision, recall, F1.

    Both are .sssom.tsv, .rdf (OAEI Alignment), .ttl, or the plain .tsv of kgnb align. Relations
    that the reference does not use are left out, and so are mappings of owl:Thing, as the OAEI
    does. The reference may name the two ontologies in either order.

    \b
    Examples:
      kgnb evaluate huts.sssom.tsv huts:reference
      kgnb evaluate cmt-confof.rdf reference/cmt-confof.rdf
      kgnb evaluate found.sssom.tsv reference.rdf --json | jq .f1
    """
    wanted = scored_by_oaei(triples(open_reference(reference)))
    given = scored_by_oaei(triples(load(found)))
    swapped = score(given, wanted, by_pair=True).tp < score(given, flipped(wanted), by_pair=True).tp
    wanted = flipped(wanted) if swapped else wanted
    if not any_relation:
        relations = {triple[2] for triple in wanted}
        given = frozenset(triple for triple in given if triple[2] in relations)
    parts = {"all": score(given, wanted, by_pair=any_relation)}
    if not any_relation:
        parts |= (
            per_relation(given, wanted) if len({triple[2] for triple in given | wanted}) > 1 else {}
        )
    if as_json:
        content = _json(parts.pop("all"))
        content |= (
            {"relations": {name: _json(part) for name, part in parts.items()}} if parts else {}
        )
        click.echo(json.dumps(content))
    else:
        click.echo("\n".join(_lines(parts)))
    if swapped:
        click.echo(
            "kgnb: the reference names the ontologies in the other order; it was swapped", err=True
        )


def scores_in_words(measured: Score) -> str:
    """One line: ``precision 80.0 %, recall 60.0 %, F1 68.6 % (24 right of 30 found, 40 in the
    reference)``.
    """
    shares = (("precision", measured.precision), ("recall", measured.recall), ("F1", measured.f1))
    said = ", ".join(f"{name} {100 * share:.1f} %" for name, share in shares)
    found, wanted = measured.tp + measured.fp, measured.tp + measured.fn
    return f"{said} ({measured.tp} right of {found} found, {wanted} in the reference)"


def _lines(parts: dict[str, Score]) -> list[str]:
    lines = [
        f"{'':12} {'precision':>9} {'recall':>9} {'F1':>9} {'right':>7} {'found':>7} {'reference':>9}"
    ]
    for name, part in parts.items():
        shares = " ".join(
            f"{f'{100 * share:.1f} %':>9}" for share in (part.precision, part.recall, part.f1)
        )
        lines.append(
            f"{name:12} {shares} {part.tp:>7} {part.tp + part.fp:>7} {part.tp + part.fn:>9}"
        )
    return lines


def _json(part: Score) -> dict[str, Any]:
    shares = {"precision": part.precision, "recall": part.recall, "f1": part.f1}
    return shares | {"right": part.tp, "found": part.tp + part.fp, "reference": part.tp + part.fn}

"""``kgnb match``: two ontologies in, an alignment out."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

import click

from kgnb.agents.ontology_matching.judges import JUDGES
from kgnb.agents.ontology_matching.values import Options
from kgnb.agents.options import given_of
from kgnb.backends import open_ontology
from kgnb.cli.evaluate import scores_in_words
from kgnb.cli.outcome import ended, refuse_unwritable, stoppable
from kgnb.cli.progress import TerminalLine
from kgnb.cli.stage_options import stage_options
from kgnb.evaluate.alignment import Triple, score, scored_by_oaei, triples
from kgnb.mapping_files import alignment_rdf, format_of, save, sssom, turtle
from kgnb.mappings import Alignment
from kgnb.reporting.references import turned
from kgnb.run import Run
from kgnb.settings import Settings
from kgnb.tasks import digests, match_ontologies, new_run, open_reference

WRITERS: dict[str, Callable[[Alignment], str]] = {
    "sssom": sssom.write,
    "rdf": alignment_rdf.write,
    "turtle": turtle.write,
}


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
    "--judge",
    type=click.Choice(JUDGES),
    default="auto",
    show_default=True,
    help="Who decides. auto: cascade if a model is set, else rule.",
)
@click.option("--model", metavar="NAME", help="Chat model; default: the settings' model, or none.")
@click.option(
    "--embedder", metavar="NAME", help="local, characters, tiny, openai:MODEL or sentence-transformers:MODEL."
)
@click.option("--index", metavar="WHERE", help="memory, a folder or a Qdrant URL.")
@click.option(
    "--plan",
    type=click.Choice(["fixed", "model"]),
    default="fixed",
    show_default=True,
    help="Who chooses the next stage.",
)
@stage_options(Options)
@click.option(
    "--decisions",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="A person's decisions (.jsonl of %om review, or SSSOM); they override any judge.",
)
@click.option(
    "--reference",
    metavar="FILE",
    help="A reference alignment, or huts:reference: scores the result; the oracle judge answers from it.",
)
@click.option(
    "--error-rate",
    type=click.FloatRange(0, 1),
    default=0.0,
    show_default=True,
    help="Share of its questions the oracle judge answers wrongly (simulation).",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Which questions those are.")
@click.option(
    "--run",
    "folder",
    type=click.Path(file_okay=False),
    metavar="FOLDER",
    help="Keep the trace here: steps, judgements, model calls.",
)
@click.option("--quiet", "-q", is_flag=True, help="No summary on standard error.")
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
    _check_outs(outs, [source, target, given["reference"], given["decisions"]])
    options = Options(**given_of(Options, given))
    settings = Settings.load()
    settings = settings.with_(model=given["model"]) if given["model"] is not None else settings
    begun, line = perf_counter(), TerminalLine(quiet=given["quiet"])
    try:
        line.draw(f"reading {source} and {target}", now=True)
        left, right = (open_ontology(spec, settings, individuals=options.individuals) for spec in (source, target))
        wanted, pairs = frozenset[Triple](), None
        if given["reference"]:  # read before any work is done: a wrong one costs nothing
            wanted = turned(open_reference(given["reference"]), left, right, given["reference"]).triples
            pairs = {triple[:2] for triple in wanted if triple[2] == "equivalent"}
        parameters = {"source": source, "target": target} | {
            name: given[name] for name in ("judge", "embedder", "plan", "seed")
        }
        run = new_run(
            "ontology_matching",
            digests(left, right),
            parameters=parameters | given_of(Options, given),
            settings=settings,
            folder=Path(given["folder"]) if given["folder"] else None,
            on_event=line.event,
        )
        with run, stoppable(run):
            alignment = match_ontologies(
                left,
                right,
                options=options,
                reference=pairs,
                run=run,
                settings=settings,
                **{
                    name: given[name]
                    for name in ("judge", "embedder", "index", "error_rate", "seed", "plan", "decisions")
                },
            )
    finally:
        line.clear()
    for out in outs:
        if out == "-":
            sys.stdout.write(WRITERS[given["form"]](alignment))
        else:
            save(alignment, out)
    status = ended(run)
    if not given["quiet"]:
        click.echo(_summary(alignment, run, perf_counter() - begun), err=True)
        if wanted:
            found = scored_by_oaei(triples(alignment, *{triple[2] for triple in wanted}))
            click.echo(f"kgnb: {scores_in_words(score(found, wanted))}", err=True)
    return status


def _check_outs(outs: tuple[str, ...], inputs: list[str | None]) -> None:
    """Refuse, before any work is done, what could not be written at the end."""
    for out in outs:
        if out == "-":
            continue
        path = Path(out)
        format_of(path)
        if path.name.lower().endswith(".gz"):
            raise ValueError(f"--out {out}: alignments are written unpacked; leave out .gz")
        refuse_unwritable(out, inputs)


def _summary(alignment: Alignment, run: Run, seconds: float) -> str:
    totals = run.totals
    parts = [f"{len(alignment)} mappings", f"{len(alignment.unsure)} unsure", f"{len(alignment.dropped)} dropped"]
    calls = f"{totals['calls']} model calls" + (f" ({totals['cached']} cached)" if totals["cached"] else "")
    tokens = totals["prompt_tokens"] + totals["completion_tokens"]
    parts += [calls, *([f"{tokens:,} tokens"] if tokens else []), f"{seconds:.1f} s"]
    limited = "; a budget was spent, so this is partial" if run.state == "limited" else ""
    return f"kgnb: {', '.join(parts)}{limited}"

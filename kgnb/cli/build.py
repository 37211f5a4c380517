"""``kgnb build``: an ontology and documents in, a graph out that keeps the ontology."""

from __future__ import annotations

import sys
from pathlib import Path
from time import perf_counter
from typing import Any

import click

from kgnb.agents.kg_construction.built import Built
from kgnb.agents.kg_construction.instantiate import Options
from kgnb.agents.options import given_of
from kgnb.cli.outcome import refuse_unwritable
from kgnb.cli.progress import TerminalLine
from kgnb.cli.stage_options import stage_options
from kgnb.files import write_whole
from kgnb.kg.result_files import inert
from kgnb.run import Run
from kgnb.settings import Settings
from kgnb.tasks import new_run
from kgnb.tasks.building import READERS, build_graph, compile_ontology

SUFFIXES = (".trig", ".ttl", ".jsonld")


@click.command()
@click.argument("tbox")
@click.argument("documents", nargs=-1, required=True)
@click.option("--out", "-o", multiple=True, metavar="FILE",
              help="Where to write: .trig with provenance, .ttl or .jsonld without; - for the screen.")  # fmt: skip
@click.option("--shapes", metavar="FILE", help="SHACL shapes, besides those in the T-Box.")
@click.option("--judge", type=click.Choice(READERS), default="auto", show_default=True,
              help="Who reads. auto: the model if one is set, else rule.")  # fmt: skip
@click.option("--model", metavar="NAME", help="Chat model; default: the settings' model, or none.")
@click.option("--namespace", metavar="IRI", help="What the IRIs of new entities begin with.")
@click.option("--open-world", is_flag=True, help='Do not read "some" as "must be stated".')
@click.option("--only", multiple=True, metavar="CLASS", help="Compile the part of a large T-Box that CLASS needs.")
@click.option("--tools", "outside", multiple=True, metavar="TOOL",
              help="What the model may ask: MODULE:FUNCTION, or an MCP server by URL or command.")  # fmt: skip
@click.option("--notes", "extractor", metavar="MODEL",
              help="A model that first notes what each passage says; the other one builds from the notes.")  # fmt: skip
@stage_options(Options)
@click.option("--run", "folder", type=click.Path(file_okay=False), metavar="FOLDER",
              help="Keep trace and journals here; a run that was broken off goes on where it was.")  # fmt: skip
@click.option("--review", metavar="FILE", help="Write what is left to a person as CSV.")
@click.option("--quiet", "-q", is_flag=True, help="No summary on standard error.")
def build(tbox: str, documents: tuple[str, ...], **given: Any) -> int:
    """Read DOCUMENTS through the tools of the ontology TBOX and write what they say as a graph.

    TBOX is a file or folder of RDF, the URL of a SPARQL endpoint, or huts:kitchen (our own example). DOCUMENTS are
    files, folders or patterns: plain text, Markdown, HTML, PDF. Exit status 1 if a document could not be read; the
    graph of the others is written all the same.

    \b
    Examples:
      kgnb build huts:kitchen huts:kitchen-notes --judge rule --out kitchen.trig
      kgnb build tbox.ttl papers/ --shapes shapes.ttl --model gpt-4o --run runs/papers -o papers.trig -o papers.ttl
    """
    outs = given["out"] or ("-",)
    _check_outs(outs)
    settings = Settings.load()
    settings = settings.with_(model=given["model"]) if given["model"] is not None else settings
    options = Options(**given_of(Options, given))
    begun, line = perf_counter(), TerminalLine(quiet=given["quiet"])
    try:
        line.draw(f"compiling {tbox}", now=True)
        pack = compile_ontology(
            tbox, given["shapes"], closed_world=not given["open_world"], only=given["only"], settings=settings
        )
        run = new_run(
            "kg_construction",
            {"tbox": pack.manifest["tbox_sha256"][:16], "shapes": pack.manifest["shapes_sha256"][:16]},
            parameters={"tbox": tbox, "documents": list(documents), "judge": given["judge"]},
            settings=settings,
            folder=Path(given["folder"]) if given["folder"] else None,
            on_event=line.event,
        )
        with run:
            built = build_graph(
                list(documents), pack, judge=given["judge"], options=options, namespace=given["namespace"],
                outside=given["outside"], extractor=given["extractor"], folder=given["folder"], run=run,
                settings=settings,
            )  # fmt: skip
    finally:
        line.clear()
    for out in outs:
        if out == "-":
            sys.stdout.write(built.session.trig())
        else:
            built.save(out)
    if given["review"]:
        rows = built.review().df().map(lambda cell: inert(cell) if isinstance(cell, str) else cell)
        write_whole(Path(given["review"]), rows.to_csv(index=False))
    if not given["quiet"]:
        click.echo(_summary(built, run, perf_counter() - begun), err=True)
        for journal in built.failed:
            click.echo(f"kgnb: {journal.document}: {journal.error}", err=True)
    return int(bool(built.failed))


def _check_outs(outs: tuple[str, ...]) -> None:
    """Refuse, before any work is done, what could not be written at the end."""
    for out in outs:
        if out == "-":
            continue
        if Path(out).suffix not in SUFFIXES:
            raise ValueError(f"--out {out}: name a file that ends in {', '.join(SUFFIXES)}")
        refuse_unwritable(out)


def _summary(built: Built, run: Run, seconds: float) -> str:
    counts, totals = built.counts(), run.totals
    parts = [f"{value:,} {name}" for name, value in counts.items() if value or name in ("documents", "facts")]
    tokens = totals["prompt_tokens"] + totals["completion_tokens"]
    parts += [f"{totals['calls']} model calls", *([f"{tokens:,} tokens"] if tokens else []), f"{seconds:.1f} s"]
    limited = "; a budget was spent, so this is partial" if built.limited else ""
    return f"kgnb: {', '.join(parts)}{limited}"

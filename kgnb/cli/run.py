"""``kgnb run``: look at a saved run, or hand it to a tool that reads OpenTelemetry."""

from __future__ import annotations

import json
from pathlib import Path

import click


@click.group()
def run() -> None:
    """Show a saved run, or export it.

    \b
    Examples:
      kgnb run show reports/ontology-matching/17190f336b6b
      kgnb run export reports/ontology-matching/17190f336b6b --otel spans.json
    """


@run.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False))
def show(folder: str) -> None:
    """Show the run in FOLDER (a run's, or a report's): its steps, calls and costs."""
    from kgnb.reporting.comparing import load_run

    click.echo(load_run(Path(folder))._repr_mimebundle_()["text/plain"])


@run.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False))
@click.option("--otel", type=click.Path(dir_okay=False), required=True, metavar="FILE.json", help="Where to write.")
def export(folder: str, otel: str) -> None:
    """Write the run in FOLDER as OpenTelemetry spans (OTLP JSON, gen_ai.* attributes) to a file."""
    from kgnb.files import write_whole
    from kgnb.reporting.comparing import load_run

    write_whole(Path(otel), json.dumps(load_run(Path(folder)).to_otel(), indent=1) + "\n")
    click.echo(otel)

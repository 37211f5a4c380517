"""``kgnb data``: which benchmark data there is, and how to get it."""

from __future__ import annotations

from pathlib import Path

import click

from kgnb.cli.outcome import TerminalLine
from kgnb.datasets import fetch
from kgnb.datasets.fetch import KNOWN
from kgnb.errors import DataError
from kgnb.settings import Settings


@click.group()
def data() -> None:
    """List and fetch benchmark data; it is third-party and never part of kgnb.

    \b
    Examples:
      KGNB_DATA=~/benchmarks kgnb data list
      kgnb data get oaei-anatomy --to ~/benchmarks --mirror https://example.org/oaei-anatomy
    """


@data.command("list")
def list_sets() -> None:
    """List the data sets: name, whether it is at hand, what it is and its licence."""
    settings = Settings.load()
    for name, known in KNOWN.items():
        click.echo(f"{name:18} {_state(name, settings.data):12} {known.title} ({known.licence})")


@data.command("get")
@click.argument("name", type=click.Choice(list(KNOWN)))
@click.option(
    "--to", "folder", type=click.Path(file_okay=False), metavar="FOLDER", help="Where to. [default: KGNB_DATA]"
)
@click.option("--mirror", metavar="URL", default="", help="A server of your own that has the files.")
def get(name: str, folder: str | None, mirror: str) -> None:
    """Download the data set NAME, resuming where it broke off, and check it against the known SHA-256 sums."""
    to = Path(folder) if folder else Settings.load().data
    if to is None:
        raise click.UsageError("say where to: --to FOLDER, or set KGNB_DATA")
    line = TerminalLine()
    try:
        files = fetch.get(
            name, to, mirror=mirror, on_progress=lambda file, done, whole: line.draw(_so_far(file, done, whole))
        )
    finally:
        line.clear()
    for file in files:
        click.echo(file)


def _state(name: str, folder: Path | None) -> str:
    if not KNOWN[name].files:
        return "comes along"
    try:
        home = fetch.data_folder(name, folder)
    except DataError:
        return "not at hand"
    missing = sum(not (home / path).is_file() for path in KNOWN[name].files)
    return f"{missing} missing" if missing else "at hand"


def _so_far(file: str, done: int, whole: int | None) -> str:
    return f"{file}: {done / 1e6:.1f}{f' of {whole / 1e6:.1f}' if whole else ''} MB"

"""``kgnb data``: lists and downloads benchmark data."""

from __future__ import annotations

from pathlib import Path

import click

from kgnb.cli.outcome import say_path
from kgnb.cli.progress import TerminalLine
from kgnb.datasets import fetch
from kgnb.datasets.fetch import KNOWN
from kgnb.errors import DataError
from kgnb.settings import Settings


@click.group()
def data() -> None:
    """List and download benchmark data, which is third-party and not part of kgnb.

    \b
    Examples:
      KGNB_DATA=~/benchmarks kgnb data list
      kgnb data get oaei-anatomy --to ~/benchmarks --mirror https://example.org/oaei-anatomy
    """


@data.command("list")
def list_sets() -> None:
    """List the data sets: name, availability, title and licence."""
    settings = Settings.load()
    for name, known in KNOWN.items():
        click.echo(f"{name:18} {_state(name, settings.data):12} {known.title} ({known.licence})")


@data.command("get")
@click.argument("name", type=click.Choice(list(KNOWN)))
@click.option(
    "--to",
    "folder",
    type=click.Path(file_okay=False),
    metavar="FOLDER",
    help="Where to put it. [default: KGNB_DATA]",
)
@click.option("--mirror", metavar="URL", default="", help="Your own server with the files.")
def get(name: str, folder: str | None, mirror: str) -> None:
    """Download the files of the data set NAME that are not there yet, and check their SHA-256 sums."""
    to = Path(folder) if folder else Settings.load().data
    if to is None:
        raise click.UsageError("name a folder: --to FOLDER, or set KGNB_DATA")
    line = TerminalLine()

    def draw(file: str, done: int, whole: int | None) -> None:
        line.draw(f"{file}: {done / 1e6:.1f}{f' of {whole / 1e6:.1f}' if whole else ''} MB")

    with line:
        files = fetch.get(name, to, mirror=mirror, on_progress=draw)
    for file in files:
        say_path(file)


def _state(name: str, folder: Path | None) -> str:
    if not KNOWN[name].files:
        return "included"
    try:
        home = fetch.data_folder(name, folder)
    except DataError:
        return "not found"
    missing = sum(not (home / path).is_file() for path in KNOWN[name].files)
    return f"{missing} missing" if missing else "available"

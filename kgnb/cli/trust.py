"""``kgnb trust``: let a settings file that was found, not named, count."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument(
    "file", required=False, type=click.Path(exists=True, dir_okay=False), metavar="[FILE]"
)
def trust(file: str | None) -> None:
    """Let a kgnb.toml (default: the one found here or in a parent folder) count, until it changes.

    Such a file chooses the servers that texts and keys are sent to, and the folders that are
    opened. Read it first: this prints what it sets.

    \b
    Examples:
      kgnb trust
      kgnb trust ../kgnb.toml
    """
    from kgnb.settings import found_config, trust_config

    path = Path(file) if file else found_config()
    if path is None:
        raise click.UsageError("there is no kgnb.toml in this folder or a parent; name the file")
    lines = trust_config(path)
    click.echo(f"trusted: {path.resolve()}")
    for line in lines:
        click.echo(f"  {line}")

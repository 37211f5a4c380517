"""``kgnb cache``: the cache of model replies, verdicts and vectors, and how to share it."""

from __future__ import annotations

from collections.abc import Mapping

import click


@click.group()
def cache() -> None:
    """Show, export, import or clear the cache of replies, verdicts and vectors.

    \b
    Examples:
      kgnb cache export shared/replies
      kgnb cache import shared/replies
      KGNB_REPLAY=replay kgnb report ontology-matching -p judge=model -p model=gpt-4o-mini    no
      key, no network
    """


@cache.command()
def info() -> None:
    """Show where the cache is and how much is in it."""
    from kgnb.reporting.sharing import contents
    from kgnb.settings import Settings

    settings = Settings.load()
    click.echo(settings.cache)
    for name, (count, size) in contents(settings.cache).items():
        click.echo(f"{name:10} {count:>9,}  {size / 1e6:8.1f} MB")


@cache.command()
@click.argument("folder", type=click.Path(file_okay=False), metavar="DIR")
@click.option(
    "--vectors/--no-vectors", default=True, show_default=True, help="Include the vectors of texts."
)
def export(folder: str, vectors: bool) -> None:
    """Write everything in the cache to DIR: one JSON file per reply, the rest as JSON Lines."""
    from kgnb.reporting.scan import known_secrets, scan
    from kgnb.reporting.sharing import export_cache
    from kgnb.settings import Settings

    settings = Settings.load()
    _say(export_cache(settings.cache, folder, vectors=vectors))
    if scan(folder, known_secrets(settings)):
        click.echo(f"kgnb: it may contain secrets: kgnb scan {folder} shows where", err=True)


@cache.command("import")
@click.argument("folder", type=click.Path(exists=True, file_okay=False), metavar="DIR")
def take_in(folder: str) -> None:
    """Add what an export wrote to the cache; what is there already stays."""
    from kgnb.reporting.sharing import import_cache
    from kgnb.settings import Settings

    _say(import_cache(Settings.load().cache, folder), " new")


@cache.command()
@click.argument("kinds", nargs=-1, metavar="[replies] [verdicts] [vectors] [graphs]")
@click.option("--yes", "-y", is_flag=True, help="Do not ask for confirmation.")
def clear(kinds: tuple[str, ...], yes: bool) -> None:
    """Delete the named kinds, or everything. Deleted replies have to be paid for again."""
    from kgnb.reporting.sharing import KINDS, clear_cache, contents
    from kgnb.settings import Settings

    settings, names = Settings.load(), kinds or KINDS
    if unknown := [name for name in names if name not in KINDS]:
        raise click.UsageError(f"the cache has no {unknown[0]!r}; it has {', '.join(KINDS)}")
    there = ", ".join(f"{contents(settings.cache)[name][0]:,} {name}" for name in names)
    if not yes:
        click.confirm(f"Delete {there} in {settings.cache}?", abort=True, err=True)
    _say(clear_cache(settings.cache, names), " deleted")


@cache.command()
@click.argument("text", required=False)
@click.option(
    "--older-than",
    type=click.IntRange(0),
    metavar="DAYS",
    help="Delete what was kept more than DAYS days ago; entries of kgnb 0.1, which have no date, too.",
)
def forget(text: str | None, older_than: int | None) -> None:
    """Delete every reply and verdict that holds TEXT, such as a person's name, or that is old.

    So goes what is kept of every graph that names it.

    What a run, a batch or a report folder keeps is deleted with its folder (docs/privacy.md).
    """
    from kgnb.reporting.sharing import forget as forgotten
    from kgnb.reporting.sharing import forget_older
    from kgnb.settings import Settings

    if (text is None) == (older_than is None):
        raise click.UsageError("give either TEXT or --older-than DAYS")
    cache = Settings.load().cache
    counts = forgotten(cache, text) if text is not None else forget_older(cache, older_than or 0)
    _say(counts, " deleted")


def _say(counts: Mapping[str, int], what: str = "") -> None:
    for name, count in counts.items():
        click.echo(f"{name:10} {count:>9,}{what}")

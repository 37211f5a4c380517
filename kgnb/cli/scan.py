"""``kgnb scan``: finds secrets before they are shared."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
def scan(paths: tuple[str, ...]) -> int:
    """Find secrets in notebooks, runs, reports and settings below PATH; exit with 1 if there are any.

    Sources, outputs, metadata and widget states of notebooks and every other file are searched for values of the
    secrets that kgnb.toml and the environment name, keys that betray themselves by how they begin, authorization
    headers, passwords in URLs, and long mixed values under names such as api_key. What is found is named, never shown.

    \b
    Examples:
      kgnb scan .
      kgnb scan notebooks reports runs
    """
    from kgnb.reporting.redaction import known_secrets
    from kgnb.reporting.scan import scan as find
    from kgnb.settings import Settings

    known = set(known_secrets(Settings.load()))
    for path in map(Path, paths):
        home = path if path.is_dir() else path.parent
        if home.is_dir():
            known |= set(known_secrets(_settings(home)))
    findings = [finding for path in paths for finding in find(path, sorted(known))]
    for finding in findings:
        click.echo(finding)
    if findings:
        number = len({finding.file for finding in findings})
        click.echo(
            f"kgnb: {len(findings)} secret{'s' * (len(findings) > 1)} in {number} file{'s' * (number > 1)}. "
            "Take them out, and have each key replaced by whoever issued it.",
            err=True,
        )
    return 1 if findings else 0


def _settings(folder: Path):  # type: ignore[no-untyped-def]  # Settings, imported late
    from kgnb.errors import KgnbError
    from kgnb.settings import Settings

    try:
        return Settings.load(folder)
    except KgnbError:  # a kgnb.toml that holds a key itself is refused, and found by the scan
        return Settings()

"""``kgnb scan``: finds secrets before they are shared."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("--allow", type=click.Path(exists=True, dir_okay=False), metavar="FILE",
              help="What is known to be no secret; by default .kgnb-scan-allow in PATH.")  # fmt: skip
@click.option("--digests", is_flag=True, help="Print what is found as lines for such a file.")
def scan(paths: tuple[str, ...], allow: str | None, digests: bool) -> int:
    """Find secrets in notebooks, runs, reports and settings below PATH; exit with 1 if there are any.

    Sources, outputs, metadata and widget states of notebooks and every other file are searched for values of the
    secrets that kgnb.toml and the environment name, keys that betray themselves by how they begin, authorization
    headers, passwords in URLs and configuration, and long mixed values under names such as api_key; gzip, zip, Base64
    and colour codes are looked through. What is found is named, never shown. A line with "pragma: allowlist secret" and
    what FILE lists (a digest of the value, or *, and a pattern of paths) are left out.

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
    findings = [finding for path in paths for finding in find(path, sorted(known), Path(allow) if allow else None)]
    for finding in findings:
        click.echo(f"{finding.digest} {finding.file.as_posix()}  # {finding.what}" if digests else finding)
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

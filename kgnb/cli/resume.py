"""``kgnb resume``: go on with a sweep or a report that was cut short."""

from __future__ import annotations

from pathlib import Path

import click

from kgnb.cli.sweep import told
from kgnb.errors import DataError


@click.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False))
@click.option("--workers", "-j", type=click.IntRange(1, 256), default=1, show_default=True, help="Reports at once.")
@click.option("--shard", default="", metavar="I/N", help="Only every N-th combination from the I-th.")
@click.option("--scheduler", default="", metavar="tcp://HOST:PORT", help="Run on a Dask cluster that sees FOLDER.")
def resume(folder: str, workers: int, shard: str, scheduler: str) -> None:
    """Go on with the sweep or the report in FOLDER, with the parameters it was begun with.

    What a sweep has done is not run again. A report runs from its start: its replies and vectors come from the cache,
    so nothing is paid for twice. FOLDER may also be the folder run/ inside a report.

    \b
    Examples:
      kgnb resume reports/sweeps/grid -j 2
      kgnb resume reports/ontology-matching/17190f336b6b
    """
    from kgnb.reporting.report import run_report
    from kgnb.reporting.session import read_request
    from kgnb.reporting.sweep import FILE, resume_sweep

    home = Path(folder)
    if (home / FILE).is_file():
        told(lambda on_item: resume_sweep(home, workers=workers, shard=shard, scheduler=scheduler, on_item=on_item))
        return
    if home.resolve().name == "run" and (home.resolve().parent / "request.json").is_file():
        home = home.resolve().parent
    request = read_request(home)
    if request is None:
        raise DataError(
            "there is no sweep and no report to go on with",
            where=folder,
            fix="Name a folder that kgnb sweep or kgnb report has written; for a run of your own, run its code again.",
        )
    result = run_report(request.report, request.values, home)
    click.echo(result.html)

"""``kgnb sweep``: runs a report over a grid of parameters; ``kgnb resume``: continues what was
interrupted.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kgnb.cli.outcome import say_path
from kgnb.cli.progress import TerminalLine
from kgnb.errors import DataError
from kgnb.results.bundle import count
from kgnb.results.wording import seconds

if TYPE_CHECKING:
    from kgnb.reporting.sweep import OnItem, SweepResult

WORKERS = click.option(
    "--workers",
    "-j",
    type=click.IntRange(1, 256),
    default=1,
    show_default=True,
    help="Reports to run at once.",
)
SHARD = click.option(
    "--shard",
    default="",
    metavar="I/N",
    help="Only every N-th combination, starting with the I-th.",
)
SCHEDULER = click.option(
    "--scheduler",
    default="",
    metavar="tcp://HOST:PORT",
    help="Run on a Dask cluster that can access FOLDER.",
)


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False), metavar="FILE.yaml")
@WORKERS
@click.option(
    "--out",
    type=click.Path(file_okay=False),
    metavar="FOLDER",
    help="Where to write. [default: reports/sweeps/<FILE>]",
)
@SHARD
@SCHEDULER
def sweep(file: str, workers: int, out: str | None, shard: str, scheduler: str) -> None:
    """Run a report with every combination of parameters in FILE, and compare the results.

    The file names a report and, for each parameter, one value or a list of values. Every
    combination runs in its own process and folder; one that fails is tried once more and does not
    stop the others. Repeat the command, or use kgnb resume FOLDER, to run what is missing. The path
    of the comparison goes to standard output. Reports that run at once share the model's limits per
    minute. See docs/sweeps.md for more.

    \b
    A file:
      report: ontology-matching
      parameters:
        dataset: [huts]
        k: [3, 5, 10]
      include:
        - {dataset: huts, k: 5, judge: oracle, error_rate: 0.1}

    \b
    Examples:
      kgnb sweep grid.yaml -j 2
      kgnb sweep grid.yaml --shard 1/4 --out shared/grid
      kgnb sweep grid.yaml --scheduler tcp://127.0.0.1:8786
    """
    from kgnb.reporting.sweep import run_sweep

    follow(
        lambda on_item: run_sweep(
            file, out, workers=workers, shard=shard, scheduler=scheduler, on_item=on_item
        )
    )


def follow(run: Callable[[OnItem], SweepResult]) -> None:
    """Runs a sweep with its progress on standard error, and prints its result."""
    line, begun = TerminalLine(), time.monotonic()
    before: list[int] = []

    def draw(through: int, failed: int, total: int) -> None:
        before[:] = before or [through]
        words = [f"{through} of {count(total, 'report')}"]
        if failed:
            words.append(f"{failed} failed")
        if (ran := through - before[0]) and through < total:
            words.append(
                f"about {seconds((time.monotonic() - begun) / ran * (total - through))} to go"
            )
        line.draw(", ".join(words), now=True)
        if not sys.stderr.isatty() and ran:  # in a log, one line each
            click.echo(", ".join(words), err=True)

    with line:
        result = run(draw)
    click.echo(", ".join(f"{count} {state}" for state, count in result.states.items()))
    say_path(result.html)


@click.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False))
@WORKERS
@SHARD
@SCHEDULER
def resume(folder: str, workers: int, shard: str, scheduler: str) -> None:
    """Continue the sweep or report in FOLDER, with its original parameters.

    What a sweep has finished is not run again. A report runs from the start, but with replies and
    vectors from the cache, so nothing is paid for twice. FOLDER may also be the folder run/ inside
    a report.

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
        follow(
            lambda on_item: resume_sweep(
                home, workers=workers, shard=shard, scheduler=scheduler, on_item=on_item
            )
        )
        return
    if home.resolve().name == "run" and (home.resolve().parent / "request.json").is_file():
        home = home.resolve().parent
    request = read_request(home)
    if request is None:
        raise DataError(
            "there is no sweep or report to continue",
            where=folder,
            fix="Name a folder written by kgnb sweep or kgnb report; for your own run, run its code again.",
        )
    result = run_report(request.report, request.values, home)
    say_path(result.html)

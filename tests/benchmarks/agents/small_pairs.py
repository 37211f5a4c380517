"""Small ontologies of everyday domains, as people bring them: precision, recall and calls of a
judge.

``python -m tests.benchmarks.agents.small_pairs --half final --judge cascade --model
recorded:small-pairs``
"""

import sys
from pathlib import Path

import click

import kgnb
from kgnb.cli.outcome import WAITING
from kgnb.errors import Waiting
from kgnb.run import Run
from kgnb.settings import Settings

PAIRS = Path(__file__).parents[1] / "data" / "small-pairs"
ODD = {"dev": 1, "final": 0}


@click.command()
@click.option(
    "--half",
    type=click.Choice(list(ODD)),
    default="dev",
    show_default=True,
    help="odd or even pairs",
)
@click.option("--judge", default="rule", show_default=True)
@click.option("--model", default="", help="a model, recorded:NAME or batch:FOLDER")
def main(half: str, judge: str, model: str) -> None:
    """Print a line a pair and the sum: right, found and wanted mappings, and what a model was
    asked.
    """
    settings = Settings.load()
    settings = settings.with_(model=model) if model else settings
    totals, waiting = [0] * 7, None
    for folder in (
        one for one in sorted(PAIRS.glob("[0-9]*")) if int(one.name[:2]) % 2 == ODD[half]
    ):
        rows = (folder / "reference.tsv").read_text(encoding="utf-8").split("\n")
        wanted = {tuple(row.split("\t")[:2]) for row in rows if row}
        run = Run("ontology_matching")
        try:
            found = kgnb.match_ontologies(
                folder / "a.ttl", folder / "b.ttl", judge=judge, settings=settings, run=run
            )
        except Waiting as error:
            waiting = error
            continue
        surest = [m for m in found if m.confidence >= 0.9]
        right, sure = (
            sum((m.source, m.target) in wanted for m in ones) for ones in (found, surest)
        )
        counts = (
            right,
            len(found),
            len(wanted),
            sure,
            len(surest),
            run.totals["calls"],
            run.totals["prompt_tokens"],
        )
        totals = [old + new for old, new in zip(totals, counts, strict=True)]
        click.echo(f"{folder.name:16} {said(counts)}")
    if waiting:
        click.echo(str(waiting), err=True)
        sys.exit(WAITING)
    click.echo(f"{half + ', ' + judge:16} {said(totals)}")


def said(counts: tuple[int, ...] | list[int]) -> str:
    """The counts in words."""
    right, found, wanted, sure, surest, calls, tokens = counts
    scores = f"P {right / max(found, 1):.3f} R {right / wanted:.3f} F1 {200 * right / (found + wanted):.1f}"
    asked = f"{calls} calls, {tokens:,} tokens" if calls else "no model"
    return f"{right:3} of {found:3} right, {wanted:3} wanted: {scores}; at .9 {sure} of {surest}; {asked}"


if __name__ == "__main__":
    main()

"""Small pairs with the names of their sides in different languages, under opaque IRIs and without
comments, as in the MultiFarm track: precision, recall and F1, and how many right pairs are candidates.

``python -m tests.benchmarks.agents.tongues [--judge cascade --model recorded:NAME]``
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import click
from rdflib import RDFS, Graph, Literal, URIRef

from kgnb.agents.ontology_matching import AGENT
from kgnb.cli.outcome import WAITING
from kgnb.errors import Waiting
from kgnb.run import Run
from kgnb.settings import Settings
from kgnb.tasks.matching import MatchingTask
from tests.benchmarks.agents.carry_over import f1

PAIRS = Path(__file__).parents[1] / "data" / "small-pairs"


def names(pair: Path, side: str) -> list[dict[str, str]]:
    """A row an entity: its name, and what it is called in each language."""
    with (pair / f"{side}.tongues.tsv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def spoken(pair: Path, side: str) -> list[str]:
    """The languages that a side's names are given in."""
    return [column for column in names(pair, side)[0] if column != "name"]


def translated(pair: Path, side: str, language: str) -> tuple[Graph, dict[str, str]]:
    """An ontology with its names in a language, and the opaque IRI of each of its own."""
    plain = Graph().parse(pair / f"{side}.ttl")
    rows = names(pair, side)
    base = f"http://{side}.example/{pair.name[:2]}/"
    codes = {f"{base}{row['name']}": f"{base}c{n:04}" for n, row in enumerate(rows, 1)}
    turned = Graph()
    for triple in plain:
        if triple[1] not in (RDFS.label, RDFS.comment):
            turned.add(tuple(URIRef(codes[str(t)]) if str(t) in codes else t for t in triple))  # type: ignore[arg-type]
    for row in rows:
        code = codes[base + row["name"]]
        turned.add((URIRef(code), RDFS.label, Literal(row[language], lang=language)))
    return turned, codes


def wanted(pair: Path, ours: dict[str, str], theirs: dict[str, str]) -> Iterator[tuple[str, str]]:
    """The reference, in opaque IRIs."""
    for row in (pair / "reference.tsv").read_text(encoding="utf-8").splitlines():
        source, target, _ = row.split("\t")
        yield ours[source], theirs[target]


@click.command(help=__doc__)
@click.option("--judge", default="rule", show_default=True)
@click.option("--model", default="", help="a model, recorded:NAME or batch:FOLDER")
def main(judge: str, model: str) -> None:
    """Print a line for each two languages of a pair, and the means."""
    settings = Settings.load()
    settings = settings.with_(model=model) if model else settings
    waiting = None
    for pair in sorted(file.parent for file in PAIRS.glob("*/a.tongues.tsv")):
        figures: list[float] = []
        for ours, theirs in product(spoken(pair, "a"), spoken(pair, "b")):
            try:
                figures.append(scored(pair, ours, theirs, judge, settings))
            except Waiting as error:
                waiting = error
        if not waiting:
            click.echo(f"{pair.name}: mean F1 {sum(figures) / len(figures):.1f}")
    if waiting:
        click.echo(str(waiting), err=True)
        sys.exit(WAITING)


def scored(pair: Path, ours: str, theirs: str, judge: str, settings: Settings) -> float:
    """The F1 of a pair with its sides in two languages, in %; prints it with what it is made of."""
    (source, codes), (target, others) = (
        translated(pair, "a", ours),
        translated(pair, "b", theirs),
    )
    right = set(wanted(pair, codes, others))
    run = Run("ontology_matching")
    inputs = {"source": source, "target": target}
    task = MatchingTask.of(AGENT, inputs, judge=judge, settings=settings, run=run)
    found = {m.pair: m.confidence for m in task.run_through() if m.relation == "equivalent"}
    surest = {pair for pair, confidence in found.items() if confidence >= 0.9}
    listed = {c.pair[:2] for q in task.values["summarise"].questions for c in q.candidates}
    score = f1(len(found.keys() & right), len(found), len(right))
    calls = run.totals["calls"]
    click.echo(
        f"{pair.name} {ours}-{theirs}: {len(found.keys() & right)} of {len(found)} right, "
        f"{len(right)} wanted, {len(listed & right)} of them candidates: F1 {score:.1f}; "
        f"at .9 {len(surest & right)} of {len(surest)}"
        + (f"; {calls} calls, {run.totals['prompt_tokens']:,} tokens" if calls else "")
    )
    return score


if __name__ == "__main__":
    main()

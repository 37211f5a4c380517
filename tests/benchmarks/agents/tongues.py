"""A small pair with the names of its sides in different languages, under opaque IRIs and without
comments, as in the MultiFarm track: precision, recall and F1, and how many right pairs are candidates.

``python -m tests.benchmarks.agents.tongues [--judge cascade --model recorded:NAME]``
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import click
from rdflib import RDFS, Graph, Literal, URIRef

from kgnb.agents.ontology_matching import AGENT
from kgnb.settings import Settings
from kgnb.tasks.matching import MatchingTask
from tests.benchmarks.agents.carry_over import f1

PAIR = Path(__file__).parents[1] / "data" / "small-pairs" / "12-publishing"
SPOKEN = {"a": ("de", "zh"), "b": ("fr", "es")}


def translated(side: str, language: str) -> tuple[Graph, dict[str, str]]:
    """An ontology with its names in a language, and the opaque IRI of each of its own."""
    plain = Graph().parse(PAIR / f"{side}.ttl")
    with (PAIR / f"{side}.tongues.tsv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    base = f"http://{side}.example/12/"
    codes = {f"{base}{row['name']}": f"{base}c{n:04}" for n, row in enumerate(rows, 1)}
    turned = Graph()
    for triple in plain:
        if triple[1] not in (RDFS.label, RDFS.comment):
            turned.add(tuple(URIRef(codes[str(t)]) if str(t) in codes else t for t in triple))  # type: ignore[arg-type]
    for row in rows:
        code = codes[base + row["name"]]
        turned.add((URIRef(code), RDFS.label, Literal(row[language], lang=language)))
    return turned, codes


def wanted(ours: dict[str, str], theirs: dict[str, str]) -> Iterator[tuple[str, str]]:
    """The reference, in opaque IRIs."""
    for row in (PAIR / "reference.tsv").read_text(encoding="utf-8").splitlines():
        source, target, _ = row.split("\t")
        yield ours[source], theirs[target]


@click.command(help=__doc__)
@click.option("--judge", default="rule", show_default=True)
@click.option("--model", default="", help="a model, recorded:NAME or batch:FOLDER")
def main(judge: str, model: str) -> None:
    """Print a line a pair of languages, and the mean."""
    settings = Settings.load()
    settings = settings.with_(model=model) if model else settings
    figures: list[float] = []
    for ours, theirs in product(SPOKEN["a"], SPOKEN["b"]):
        (source, codes), (target, others) = translated("a", ours), translated("b", theirs)
        right = set(wanted(codes, others))
        inputs = {"source": source, "target": target}
        task = MatchingTask.of(AGENT, inputs, judge=judge, settings=settings)
        found = {m.pair for m in task.run_through() if m.relation == "equivalent"}
        listed = {c.pair[:2] for q in task.values["summarise"].questions for c in q.candidates}
        figures.append(f1(len(found & right), len(found), len(right)))
        click.echo(
            f"{ours}-{theirs}: {len(found & right)} of {len(found)} right, {len(right)} wanted, "
            f"{len(listed & right)} of them candidates: F1 {figures[-1]:.1f}"
        )
    click.echo(f"mean F1 {sum(figures) / len(figures):.1f}")


if __name__ == "__main__":
    main()

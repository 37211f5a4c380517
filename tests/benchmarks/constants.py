"""How flat the figures lie around each tuned constant: every one at two thirds and at one and a
half times its value.

``KGNB_DATA=DIR KGNB_CACHE=DIR python -m tests.benchmarks.constants [om qa ea]`` prints a table
(docs/constants.md).

Only development data is asked: for matching the mean F1 of four sorts of tasks; for questions how
many are answered exactly, and how many are right of those answered at .9 or more; for alignment the
F1 of the huts.
"""

import importlib
import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import mean

import click
import numpy as np
import pyoxigraph

import kgnb
from kgnb.agents.entity_alignment.propose import propose
from kgnb.agents.entity_alignment.values import Options
from kgnb.agents.ontology_matching.rule import RuleJudge, Weights
from kgnb.backends import open_embedder
from kgnb.settings import Settings
from tests.benchmarks.agents.carry_over import Embedding, by_group, ready, tasks
from tests.benchmarks.agents.entity_alignment import measured
from tests.benchmarks.agents.small_graphs import opened
from tests.benchmarks.questions.graphs import HERE, lines_of
from tests.benchmarks.questions.measure import given, right

CONSTANTS = {
    "om": {
        "lexicon": "SMALL_WEIGHT COMMON_WEIGHT HEADLESS OTHER_NUMBER NEGATED REWRITTEN DERIVED MISSPELT OF_AGENT ALIKE",
        "rule": "SAME_MEANING FAR_MEANING SAME_NAME MASS MOST_USUAL NONE",
        "surroundings": "LIKELY DOUBT NEAR OTHER_DATATYPE UNKNOWN_END",
        "merge": "HEADS",
    },
    "qa": {
        "lexicon": "SPREAD BACKWARD SHARP NOISE _COVERED _NAMED _PLAINLY SYNONYM",
        "confidence": "UNEXPLAINED VERB _NEAR _PHRASE",
        "path_search": "MERGED DOUBT HOPELESS MISSED UNSAID HOP RETURN RETURNED",
        "semantic_parser": "_ALONE _SEVERAL _GENERAL _TOLD _CLOSE _CLEARLY",
        "pipeline": "WEIGHT",
    },
    "ea": {
        "propose": "_STRENGTH _CHANCE _LEAST _LIKELY _EVEN",
        "relations": "_DOUBT",
        "names": "_FOREIGN",
    },
}
PACKAGES = {"om": "ontology_matching", "qa": "question_answering", "ea": "entity_alignment"}
QUESTIONS = ("huts-paraphrases", "us-geography", "huts-unanswerable")


def matching(folder: Path) -> Callable[[], str]:
    """Mean F1 over sorts of tasks."""
    embedding, data = Embedding(), Path(os.environ["KGNB_DATA"])
    prepared = [
        ready(task, embedding) for task in tasks(data, ("conference", "huts", "materials", "small"))
    ]
    return lambda: f"{mean(by_group(prepared, RuleJudge(Weights())).values()):.1f}"


def questions(folder: Path) -> Callable[[], str]:
    """Questions answered exactly; answers at .9 or more that are right, and how many those are."""
    asked = []
    for name in QUESTIONS:
        rows = [json.loads(line) for line in (HERE / f"{name}.jsonl").read_text().splitlines()]
        rows = [row for row in rows if row["half"] == "dev"]
        file, store = folder / f"{name}.nt", pyoxigraph.Store()
        file.write_text("\n".join(lines_of(name)) + "\n")
        store.load(path=file, format=pyoxigraph.RdfFormat.N_TRIPLES)
        asked.append((file, rows, [right(store, row["sparql"]) for row in rows]))

    def figures() -> str:
        exact = sure = wrong = 0
        for file, rows, wanted in asked:
            texts = [{"id": row["id"], "question": row["question"]} for row in rows]
            for outcome, values in zip(
                kgnb.answer_questions(texts, file, judge="rule"), wanted, strict=True
            ):
                fits = given(outcome) == values
                exact += fits and bool(values)
                if given(outcome) and outcome.confidence >= 0.9:
                    sure, wrong = sure + fits, wrong + (not fits)
        return f"{exact}; {sure} of {sure + wrong}"

    return figures


def alignment(folder: Path) -> Callable[[], str]:
    """F1 of the huts without seeds."""
    embedder = open_embedder("local", Settings.load())
    left, right, link = opened("huts", folder)
    links = np.array(sorted(link.items()))
    return lambda: (
        f"{100 * measured(propose(left, right, embedder, Options()), links).chosen.f1:.1f}"
    )


FIGURES = {"om": matching, "qa": questions, "ea": alignment}


@contextmanager
def changed(module: str, name: str, factor: float) -> Iterator[None]:
    """The constant multiplied, wherever it has been imported."""
    before = getattr(importlib.import_module(module), name)
    holders = [
        m
        for key, m in sys.modules.items()
        if key.startswith("kgnb") and getattr(m, name, None) is before
    ]
    for holder in holders:
        setattr(holder, name, min(before * factor, 0.99) if 0 < before < 1 else before * factor)
    try:
        yield
    finally:
        for holder in holders:
            setattr(holder, name, before)


@click.command()
@click.argument("agents", nargs=-1, type=click.Choice(list(PACKAGES)))
def main(agents: tuple[str, ...]) -> None:
    """Print the figures at each constant's value, below it and above it."""
    with tempfile.TemporaryDirectory() as folder:
        for agent in agents or PACKAGES:
            figures = FIGURES[agent](Path(folder))
            click.echo(f"| {PACKAGES[agent]} | value | at 2/3 | at 3/2 |\n|---|---|---|---|")
            click.echo(f"| (as it is) | | {figures()} | |")
            for short, names in CONSTANTS[agent].items():
                module = f"kgnb.agents.{PACKAGES[agent]}.{short}"
                for name in names.split():
                    cells = [str(getattr(importlib.import_module(module), name))]
                    for factor in (2 / 3, 3 / 2):
                        with changed(module, name, factor):
                            cells.append(figures())
                    click.echo(f"| `{short}.{name}` | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()

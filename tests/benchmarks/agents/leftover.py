"""What the rule leaves open between small ontologies: the weights that decide it, and what they are
worth on a pair that had no part in fitting them.

``python -m tests.benchmarks.agents.leftover`` fits them (``kgnb/agents/ontology_matching/leftover.py``)
to the small pairs but the last, which was drawn later, and prints precision, recall and F1 with
each pair left out of the fit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import mean
from unittest.mock import patch

import click
import numpy as np
from scipy.optimize import minimize

from kgnb.agents.ontology_matching import leftover
from kgnb.agents.ontology_matching.leftover import LIKENESS, PLACE, Leftover
from kgnb.agents.ontology_matching.merge import merge
from kgnb.agents.ontology_matching.retrieve import comparable
from kgnb.agents.ontology_matching.rule import RuleJudge
from kgnb.agents.ontology_matching.validate import validate
from kgnb.agents.ontology_matching.values import Judged
from tests.benchmarks.agents.carry_over import SMALL, Embedding, Ready, Task, f1, read, ready

Weights = dict[str, float]


@dataclass(frozen=True)
class Small:
    """A small pair, and what the rule leaves open of it."""

    ready: Ready
    left: Leftover
    right: np.ndarray  # of each pair that is left


def small(embedding: Embedding) -> Iterator[Small]:
    """The small pairs that the weights are fitted to."""
    for folder in sorted(SMALL.glob("[0-9]*-*"))[:-1]:
        rows = (folder / "reference.tsv").read_text(encoding="utf-8").splitlines()
        wanted = frozenset((row.split("\t")[0], row.split("\t")[1]) for row in rows if row)
        sides = comparable(read(folder / "a.ttl"), read(folder / "b.ttl"))
        one = ready(Task("small", folder.name, *sides, wanted), embedding)
        questions = one.summarised.questions
        verdicts = RuleJudge().judge(questions)
        left = Leftover([Judged(q, v) for q, v in zip(questions, verdicts, strict=True)])
        yield Small(one, left, np.array([float(pair[:2] in wanted) for pair in left.cases]))


def regression(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The weights of a logistic regression; the first, of the constant, is free."""
    held = np.ones(x.shape[1])
    held[0] = 0.0

    def loss(weights: np.ndarray) -> float:
        logits = x @ weights
        return float((np.logaddexp(0.0, logits) - y * logits).sum() + held @ weights**2)

    return np.round(minimize(loss, np.zeros(x.shape[1])).x, 2)


def fitted(those: Sequence[Small]) -> tuple[Weights, Weights]:
    """``LIKENESS`` and ``PLACE`` for these pairs."""
    right = np.concatenate([one.right for one in those])
    told = [np.array([one.left.features(pair) for pair in one.left.cases]) for one in those]
    likeness = regression(np.vstack(told), right)
    places: list[list[float]] = []
    for one, features in zip(those, told, strict=True):
        alike = dict(zip(one.left.cases, (features @ likeness).tolist(), strict=True))
        places += one.left.places(alike).values()
    place = regression(np.array(places), right)
    return (
        dict(zip(LIKENESS, likeness.tolist(), strict=True)),
        dict(zip(PLACE, place.tolist(), strict=True)),
    )


def shown(one: Small, by: tuple[Weights, Weights] | None) -> list[tuple[float, bool]]:
    """The confidence of every mapping, and whether it is right; None: without what is left over."""
    likeness, place = by or ({**LIKENESS, "": -99.0}, {**PLACE, "": -99.0})
    with patch.object(leftover, "LIKENESS", likeness), patch.object(leftover, "PLACE", place):
        found = merge(validate(one.ready.summarised, RuleJudge()))
    return [(m.confidence, (m.source, m.target) in one.ready.task.reference) for m in found]


@click.command()
def main() -> None:
    """Print the weights, and each pair's figures with it left out of the fit."""
    pairs = list(small(Embedding()))
    for name, weights in zip(("LIKENESS", "PLACE"), fitted(pairs), strict=True):
        click.echo(f"{name} = {weights}")
    means: list[list[float]] = []
    sums, surest = np.zeros((2, 3)), np.zeros((2, 2))
    every: list[tuple[float, bool]] = []
    for one in pairs:
        by = fitted([other for other in pairs if other is not one])
        line, both = [], [shown(one, None), shown(one, by)]
        every += both[1]
        for at, found in enumerate(both):
            right, wanted = sum(well for _, well in found), len(one.ready.task.reference)
            sums[at] += right, len(found), wanted
            sure = [well for confidence, well in found if confidence >= 0.9]
            surest[at] += sum(sure), len(sure)
            line.append(f1(right, len(found), wanted))
        means.append(line)
        click.echo(f"{one.ready.task.name:16} {line[0]:5.1f} -> {line[1]:5.1f}")
    for at, how in enumerate(("the rule", "with the rest, each pair left out")):
        right, found, wanted = sums[at]
        scores = f"P {right / found:.3f} R {right / wanted:.3f} F1 {f1(right, found, wanted):.1f}"
        click.echo(
            f"{how:34} mean F1 {mean(line[at] for line in means):.1f}; {right:.0f} of {found:.0f} right,"
            f" {wanted:.0f} wanted: {scores}; at .9 {surest[at][0]:.0f} of {surest[at][1]:.0f}"
        )
    for low in (0.5, 0.6, 0.7, 0.8, 0.9):
        those = [well for confidence, well in every if low <= confidence < low + 0.1]
        click.echo(f"shown {low} and more: {sum(those)} of {len(those)} right")


if __name__ == "__main__":
    main()

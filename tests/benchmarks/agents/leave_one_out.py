"""What tuning the rule judge of ontology matching is worth on a task that had no part in it.

``KGNB_DATA=DIR KGNB_CACHE=DIR python -m tests.benchmarks.agents.leave_one_out [GROUP ...]`` tries
every weight and constant at two thirds and at one and a half times its value. For each task the
change is taken that is best on the others, none if none helps; tasks that share an ontology with it
do not count among these. The F1 of the tasks that chose a change and of those that did not are
printed apart (docs/evaluation.md).
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import fields, replace
from pathlib import Path
from statistics import mean

import click

from kgnb.agents.ontology_matching.rule import RuleJudge, Weights
from tests.benchmarks.agents.carry_over import GROUPS, Embedding, Ready, f1, ready, tasks
from tests.benchmarks.constants import CONSTANTS, changed

FACTORS = {"at 2/3": 2 / 3, "at 3/2": 3 / 2}
USUAL = ("conference", "huts", "materials", "small")
AS_IT_IS = "as it is"

Counts = Mapping[str, tuple[int, int, int]]  # task: right, found, wanted


def settings() -> Iterator[tuple[str, RuleJudge, AbstractContextManager[None]]]:
    """Every setting: its name, the judge, and what is changed around it."""
    yield AS_IT_IS, RuleJudge(), nullcontext()
    for how, factor in FACTORS.items():
        for field in fields(Weights):
            value = getattr(Weights(), field.name)
            if isinstance(value, float):
                weights = replace(Weights(), **{field.name: value * factor})
                yield f"{field.name} {how}", RuleJudge(weights), nullcontext()
        for short, names in CONSTANTS["om"].items():
            for name in names.split():
                around = changed(f"kgnb.agents.ontology_matching.{short}", name, factor)
                yield f"{short}.{name} {how}", RuleJudge(), around


def figure(counts: Counts, prepared: Iterable[Ready]) -> float:
    """The mean F1 over the sorts of these tasks, each sort counting once."""
    sums: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for one in prepared:
        for at, number in enumerate(counts[one.task.name]):
            sums[one.task.group][at] += number
    return mean(f1(*each) for each in sums.values())


def others(one: Ready, prepared: Iterable[Ready]) -> list[Ready]:
    """The tasks that share no ontology with this one."""
    own = {*one.task.parts, one.task.name}
    return [other for other in prepared if own.isdisjoint({*other.task.parts, other.task.name})]


@click.command(help=__doc__)
@click.argument("groups", nargs=-1, type=click.Choice(list(GROUPS)))
def main(groups: tuple[str, ...]) -> None:
    """Print both figures of every task, and their means."""
    embedding = Embedding()
    chosen = tasks(Path(os.environ["KGNB_DATA"]), groups or USUAL)
    prepared = [ready(task, embedding) for task in chosen]
    measured: dict[str, Counts] = {}
    for name, judge, around in settings():
        with around:
            measured[name] = {one.task.name: one.counts(one.align(judge)) for one in prepared}

    def best(among: list[Ready]) -> str:
        """The setting that is best on these tasks."""
        return max(measured, key=lambda name: round(figure(measured[name], among), 6))

    tuned = best(prepared)
    untouched: dict[str, tuple[int, int, int]] = {}
    click.echo("| task | as it is | tuned with it | tuned without it | by |\n|---|---|---|---|---|")
    for one in prepared:
        name = one.task.name
        without = best(others(one, prepared))
        untouched[name] = measured[without][name]
        shown = [measured[AS_IT_IS][name], measured[tuned][name], untouched[name]]
        click.echo(f"| {name} | {' | '.join(f'{f1(*each):.1f}' for each in shown)} | {without} |")
    means = [figure(each, prepared) for each in (measured[AS_IT_IS], measured[tuned], untouched)]
    click.echo(f"| mean of sorts | {' | '.join(f'{each:.1f}' for each in means)} | {tuned} |")


if __name__ == "__main__":
    main()

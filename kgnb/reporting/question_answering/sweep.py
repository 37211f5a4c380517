"""The ablation as one sweep: the same questions over the same graph, one option changed at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from kgnb.agents.question_answering.values import Options
from kgnb.datasets.questions import Asked
from kgnb.evaluate.answers import measure
from kgnb.kg.graph import Graph
from kgnb.reporting.question_answering.measuring import ask_all
from kgnb.reporting.question_answering.results import Variant, total
from kgnb.settings import Settings
from kgnb.tasks import new_run
from kgnb.tasks.asking import open_desk

WHOLE = "as it is"


def variants(options: Options) -> Iterator[tuple[str, Options]]:
    """What is tried, by name: no observation, other reflections, outgoing only, and other D, N, P, K."""
    yield WHOLE, options
    yield "no observation", replace(options, observation=False)
    for reflection in ("similarity", "random", "facts"):
        yield f"reflection: {reflection}", replace(options, reflection=reflection)
    yield "outgoing triples only (as in the paper)", replace(options, directions="outgoing")
    for depth in (1, 2):
        yield f"D = {depth}", replace(options, depth=depth)
    for breadth in (5, 200):
        yield f"N = {breadth}", replace(options, breadth=breadth)
    for share in (0.02, 0.5):
        yield f"P = {share:.0%}", replace(options, share=share)
    for keep in (3, 50):
        yield f"K = {keep}", replace(options, keep=keep)


def sweep(
    questions: Sequence[Asked], graph: Graph, options: Options, asking: Mapping[str, Any], settings: Settings
) -> list[Variant]:
    """Every variant over all questions; vectors are shared through the cache, so only the choices differ."""
    found = []
    for name, changed in variants(options):
        run = new_run("question_answering", {}, parameters={"variant": name}, settings=settings)
        with run:
            measured = ask_all(questions, open_desk(graph, run=run, **asking), changed, run)
        scored = [one.item for one in measured if one.asked.values is not None]
        found.append(Variant(name, measure(scored), total(one.cost for one in measured)))
    return found

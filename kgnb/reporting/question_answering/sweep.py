"""The same questions over the same graph again: one option changed at a time, or another judge."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from kgnb.agents.question_answering.values import Options
from kgnb.datasets.questions import Asked
from kgnb.errors import BackendError
from kgnb.evaluate.answers import by_kind, measure
from kgnb.kg.graph import Graph
from kgnb.llm.replay import MissingReply
from kgnb.reporting.question_answering.measuring import ask_all
from kgnb.reporting.question_answering.results import MeasuredQuestion, Variant, total
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
        found.append(_line(name, measured, len(questions)))
    return found


def judged(
    questions: Sequence[Asked], graph: Graph, options: Options, embedder: Any, settings: Settings
) -> list[Variant]:
    """The same questions to the rule and, where a model is set, to the cascade, the model, and it with ODA's own tools.

    The last is the paper's setting: neighbours and paths, no queries, no schema.
    """
    paper = replace(options, tools="paper", directions="outgoing")
    asked = [("rule", "rule", options)]
    if settings.model:
        asked += [
            ("cascade", "cascade", options),
            ("model", "model", options),
            ("model, tools=paper (ODA)", "model", paper),
        ]
    found = []
    for name, judge, changed in asked:
        run = new_run("question_answering", {}, parameters={"judge": name}, settings=settings)
        with run:
            desk = open_desk(graph, run=run, judge=judge, embedder=embedder, settings=settings)
            try:
                measured = ask_all(questions, desk, changed, run)
            except (BackendError, MissingReply):  # a recording lacks this judge's replies: its row says so
                measured = []
        found.append(_line(name, measured, len(questions)))
    return found


def _line(name: str, measured: Sequence[MeasuredQuestion], asked: int) -> Variant:
    items = [one.item for one in measured if one.asked.values is not None]
    failed = asked - sum(one.outcome.status != "failed" for one in measured)
    return Variant(name, measure(items), total(one.cost for one in measured), by_kind(items), failed)

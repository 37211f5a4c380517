"""Ask every question a report is about, over one opened graph; and again with one option changed, or other judges."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from kgnb.agents.question_answering.values import Options
from kgnb.backends import open_embedder, open_graph
from kgnb.datasets.question_sets import PUBLISHED, question_set
from kgnb.datasets.questions import Asked, QuestionSet, read_questions, sampled
from kgnb.errors import BackendError, DataError
from kgnb.evaluate.answers import by_kind, measure
from kgnb.kg.graph import Graph
from kgnb.kg.oxigraph_graph import OxigraphGraph
from kgnb.llm.replay import MissingReply
from kgnb.reporting.question_answering.results import AnsweringResults, MeasuredQuestion, Variant, ask_all, total
from kgnb.reporting.sections import judge_in_words, judging, run_in
from kgnb.reporting.session import ReportSession, current
from kgnb.settings import Settings
from kgnb.tasks import new_run
from kgnb.tasks.answer_files import plain
from kgnb.tasks.asking import open_desk

LOCAL = "CoDEx-S as a local slice"
MOST = 500
"""Questions asked of a large set unless more are wanted: enough for the figures, at a fraction of the time."""
SWEPT = 100
"""Questions asked of each variant of the sweep, which asks them fourteen times over."""


def run_questions(
    *,
    dataset: str = "huts",
    questions: str = "",
    graph: str = "",
    most: int = MOST,
    entities: str = "auto",
    judge: str = "auto",
    model: str = "",
    embedder: str = "",
    depth: int = Options().depth,
    breadth: int = Options().breadth,
    share: float = Options().share,
    keep: int = Options().keep,
    rounds: int = Options().rounds,
    ablation: bool = False,
    judges: bool = False,
    session: ReportSession | None = None,
) -> AnsweringResults:
    """Ask the questions of a data set, or those of a file, over its graph (or ``graph``: files or an endpoint's URL).

    ``most`` asks only so many, evenly spread over the set, the same ones every time; 0 asks all. ``entities``: "given"
    by the set, "linked" (looked for by the agent) or "auto": given for benchmarks, as in published figures, linked for
    our own questions. With ``ablation`` every variant of the sweep is asked too, at most ``SWEPT`` of the questions
    unless ``most`` is 0; with ``judges``, each judge is asked all of them.

    A spent budget, and a service that fails for good, end it with what there is by then.

    Raises:
        DataError: a file is missing or wrong, or a set has no graph and none was given.
    """
    session = session or current()
    judge, settings = judging(session, judge, model)
    task = _own(questions, graph) if questions else question_set(dataset, settings.data)
    if graph and not questions:
        task = replace(task, graph=graph, triples=())
    opened = open_questions_graph(task, settings)
    given = entities == "given" or (entities == "auto" and not questions and dataset != "huts")
    chosen = sampled(task.questions, most)
    sliced = dataset == "qald10" and not graph and not questions
    chosen = tuple(reference_on(opened, asked) for asked in chosen) if sliced else chosen
    chosen = chosen if given else tuple(replace(asked, entities=()) for asked in chosen)
    options = Options(depth=depth, breadth=breadth, share=share, keep=keep, rounds=rounds)
    names = {"task": task.name, "questions": len(chosen), "entities": given, "judge": judge}
    names |= {"depth": depth, "breadth": breadth, "share": share, "keep": keep, "rounds": rounds}
    run = run_in(session, "question_answering", {}, names, settings)
    embed = open_embedder(embedder or None, settings)
    asking: dict[str, Any] = {"judge": judge, "embedder": embed, "settings": settings}
    with run:
        desk = open_desk(opened, run=run, options=options, **asking)
        measured = ask_all(chosen, desk, options, run, out=session.folder / "answers.jsonl")
    notes = [*task.notes, *([_SLICED] if sliced else [])]
    if run.partial:
        notes.insert(0, f"Partial: {run.partial}; {len(measured)} of {len(chosen)} questions were asked.")
    elif len(measured) < len(chosen):
        notes.append(f"A service gave up: {len(measured)} of {len(chosen)} questions were asked.")
    if most and len(chosen) < len(task.questions):
        notes.append(
            f"{len(chosen)} of the {len(task.questions):,} questions, evenly spread over the set, the same ones every "
            "time; -p most=0 asks all."
        )
    swept = sampled(chosen, SWEPT if most else 0)
    return AnsweringResults(
        title=task.title,
        measured=tuple(measured),
        judge=judge_in_words(judge, settings),
        embedder=embed.name,
        entities="given" if given else "linked",
        options=options,
        run=run,
        graph=LOCAL if sliced else opened.name,
        peers=PUBLISHED.get(dataset, ()) if not questions else (),
        notes=tuple(notes),
        variants=tuple(sweep(swept, opened, options, asking, settings)) if ablation else (),
        judges=tuple(judged(chosen, opened, options, embed, settings)) if judges else (),
        zeros_apart=dataset == "qald10" and not questions,
    )


_SLICED = (
    f"SIMULATED REFERENCE: the graph is {LOCAL}, and the reference is what each question's own SPARQL gives there. "
    "This tries the way through for every kind of question; it is no figure of QALD-10."
)


def open_questions_graph(task: QuestionSet, settings: Settings) -> Graph:
    """The graph of a question set.

    Raises:
        DataError: it has none.
    """
    if task.triples:
        graph = OxigraphGraph(name=task.title)
        graph.add(task.triples)
        return graph
    if not task.graph:
        raise DataError(
            "its graph is not at hand",
            where=task.name,
            fix="Give one: -p graph=FILE, or an endpoint's URL. (For qald10, CoDEx in KGNB_DATA serves as a slice.)",
        )
    return open_graph(task.graph, settings)


def _own(questions: str, graph: str) -> QuestionSet:
    if not graph:
        raise ValueError("questions and graph go together\nGive both, or neither and a dataset.")
    asked = tuple(read_questions(questions))
    return QuestionSet(Path(questions).stem, f"{Path(questions).name} over {graph}", asked, graph=graph)


def reference_on(graph: Graph, asked: Asked) -> Asked:
    """The question with what its SPARQL gives on this graph as the reference."""
    if asked.kind == "yes/no":
        return replace(asked, values=(str(graph.ask(asked.sparql)).lower(),))
    rows = graph.select(asked.sparql, limit=1000).rows
    values = tuple(dict.fromkeys(plain(row[0]) for row in rows if row and row[0] is not None))
    return replace(asked, values=values)


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

"""What JupyterLab's panel shows of a session: graphs, progress of each agent, runs. Never a secret."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from kgnb.agents.known import agents_from_elsewhere, our_agents
from kgnb.errors import KgnbError
from kgnb.kg.prefixes import shorten
from kgnb.kg.schema import Schema, SchemaTerm
from kgnb.magics.arguments import without_secrets
from kgnb.magics.completing import schema_of
from kgnb.magics.entity_page import entity_page
from kgnb.magics.reviewing import Queue, queue_of
from kgnb.magics.session import NamedGraph, Session, is_remote, milliseconds
from kgnb.results.bundle import one_of
from kgnb.results.run_view import RunView
from kgnb.run import Run, Step
from kgnb.run.watched import CALLS
from kgnb.tasks.building import BuildingTask
from kgnb.tasks.task import Task

Json = dict[str, Any]

_NO_VERB = {"serve"}  # stages without a verb


def stages_of() -> dict[str, tuple[str, ...]]:
    """The stages of each agent in the panel, in order; the front end's ``stages.json`` has ours as
    well.
    """
    return {
        agent.name: tuple(stage.name for stage in agent.stages if stage.name not in _NO_VERB)
        for agent in (*our_agents(), *agents_from_elsewhere())
    }


def described() -> list[Json]:
    """The agents of other packages, in the form that ``stages.json`` has for ours."""

    def line(magic: str, name: str, help: str, examples: Sequence[str]) -> Json:
        return {"name": name, "line": next(iter(examples), f"%{magic} {name}"), "help": help}

    return [
        {
            "agent": agent.name,
            "magic": agent.magic,
            "title": agent.title,
            "start": line(agent.magic, "start", agent.start_help, agent.start_examples),
            "stages": [
                line(agent.magic, one.name, one.summary, one.examples)
                for one in agent.stages
                if not one.apart
            ],
        }
        for agent in agents_from_elsewhere()
    ]


HEALTH_SECONDS = 10.0
MOST_NAMES = 60  # of the classes, and of the properties, of a graph, sent unasked
MOST_QUERIES = 10  # of a graph, the latest
MOST_FOUND = 1000  # of those that are asked for
DEEPEST_CLASS = 40  # of the tree of classes
DEEPEST, MOST_FOLDERS, MOST_RUNS = 5, 2000, 30  # limits of the search for saved runs


def answer(session: Session, question: Mapping[str, Any]) -> Json:
    """The answer to the panel: ``ask`` is "state", "health" (of ``name``), "entity" (``iri``), "terms"
    (of ``name``: ``kind`` classes or properties, with ``search`` in their labels) or "run"
    (``number``, or ``folder``).

    With ``saved`` false, as while a run is watched, the disk is not searched for saved runs.
    """
    match question.get("ask"):
        case "state":
            return state(session) | (
                {"saved": saved(Path.cwd())} if question.get("saved", True) else {}
            )
        case "health":
            return health(session.graph(str(question["name"])))
        case "entity":
            return {"entity": entity_page(session, question)}
        case "terms":
            named = session.graph(str(question["name"]))
            kind, search = str(question["kind"]), str(question.get("search", ""))
            return {"terms": terms(session, named, kind, search)}
        case "run":
            return {"run": RunView(_run(session, question).to_json()).json()}
    raise ValueError(f"the panel cannot ask {question.get('ask')!r}")


def state(session: Session) -> Json:
    """All that the panel shows of the session, as plain JSON."""
    return {
        "version": 1,
        "model": session.settings.model or "",
        "connections": [connection(session, named) for named in list(session.graphs.values())],
        "agents": [agent(session, name) for name in stages_of()],
        "described": described(),
        "runs": [run_line(number, run) for number, run in enumerate(session.begun, start=1)],
    }


def connection(session: Session, named: NamedGraph) -> Json:
    """An open graph. A service is not queried here; ``health`` does that."""
    remote = is_remote(named)
    schema = named.schema if remote else schema_of(named)
    try:
        triples = None if remote else named.graph.count()
    except KgnbError:
        triples = None
    return {
        "name": named.name,
        "origin": without_secrets(_without_login(named.origin)),
        "remote": remote,
        "current": named.name == session.current,
        "triples": triples,
        "classes": len(schema.classes) if schema else None,
        "properties": len(schema.properties) if schema else None,
        "reading": named.reading is not None and schema is None,
        "holds": holds(session, named, schema) if schema else None,
        "queries": [f"{_head(session, named)}\n{query}" for query in named.queries[:MOST_QUERIES]],
    }


def _head(session: Session, named: NamedGraph) -> str:
    """The first line of a cell that queries a graph."""
    return "%%sparql" if named.name == session.current else f"%%sparql {named.name}"


def holds(session: Session, named: NamedGraph, schema: Schema) -> Json:
    """The most frequent classes, as a tree, and properties, each with a cell that queries it."""
    return {
        "classes": _as_tree(session, named, schema, _ranked(schema.classes)[:MOST_NAMES]),
        "properties": _listed(
            session, named, _ranked(schema.properties)[:MOST_NAMES], "properties"
        ),
    }


def terms(session: Session, named: NamedGraph, kind: str, search: str) -> list[Json]:
    """The classes, as a tree by rdfs:subClassOf, or the properties of a graph.

    Args:
        kind: "classes" or "properties".
        search: words that a label or the IRI holds, in any order; a class that does is listed
            below its superclasses.
    """
    schema = schema_of(named)
    if schema is None:
        return []
    some = schema.classes if kind == "classes" else schema.properties
    words = search.casefold().split()
    matching = [term for term in _ranked(some) if _mentions(term, words)]
    if kind != "classes":
        return _listed(session, named, matching[:MOST_FOUND], kind)
    return _as_tree(session, named, schema, matching)


def _as_tree(
    session: Session, named: NamedGraph, schema: Schema, some: Sequence[SchemaTerm]
) -> list[Json]:
    """Classes below their superclasses, each with a cell that queries it."""
    tree = _tree(schema, some)[:MOST_FOUND]
    listed = _listed(session, named, [term for _, term in tree], "classes")
    return [item | {"depth": depth} for (depth, _), item in zip(tree, listed, strict=True)]


def _mentions(term: SchemaTerm, words: Sequence[str]) -> bool:
    text = " ".join((*term.labels, term.name, term.iri)).casefold()
    return all(word in text for word in words)


def _ranked(some: Iterable[SchemaTerm]) -> list[SchemaTerm]:
    return sorted(some, key=lambda term: (-term.count, term.name))


def _tree(schema: Schema, matching: Sequence[SchemaTerm]) -> list[tuple[int, SchemaTerm]]:
    """The classes and those above them, depth first, each once, below the first of its
    superclasses that leads there.
    """
    known = {term.iri: term for term in schema.classes}
    above: dict[str, list[str]] = {}
    for lower, upper in schema.above:
        if lower in known and upper in known:
            above.setdefault(lower, []).append(upper)
    shown = {term.iri for term in matching}
    waiting = list(shown)
    while waiting:
        for upper in above.get(waiting.pop(), ()):
            if upper not in shown:
                shown.add(upper)
                waiting.append(upper)
    below: dict[str, list[SchemaTerm]] = {}
    for term in _ranked(known[iri] for iri in sorted(shown)):
        for upper in above.get(term.iri, ()):
            below.setdefault(upper, []).append(term)
    tree: list[tuple[int, SchemaTerm]] = []
    placed: set[str] = set()

    def place(term: SchemaTerm, depth: int) -> None:
        if term.iri in placed or depth > DEEPEST_CLASS:
            return
        placed.add(term.iri)
        tree.append((depth, term))
        for lower in below.get(term.iri, ()):
            place(lower, depth + 1)

    ranked = _ranked(known[iri] for iri in sorted(shown))
    for term in [*(term for term in ranked if not above.get(term.iri)), *ranked]:
        place(term, 0)  # the second time for those in a circle, which nothing leads to
    return tree


def _listed(
    session: Session, named: NamedGraph, some: Sequence[SchemaTerm], kind: str
) -> list[Json]:
    """Classes or properties, each with a cell that queries it."""
    prefixes = dict(getattr(named.graph, "prefixes", ())) | session.prefixes
    head = _head(session, named)
    variables, pattern = (
        ("?thing", "?thing a {}") if kind == "classes" else ("?from ?to", "?from {} ?to")
    )
    short = {term.iri: shorten(term.iri, prefixes) for term in some}
    written = {iri: f"<{iri}>" if text == iri else text for iri, text in short.items()}
    return [
        {
            "iri": term.iri,
            "name": term.name,
            "count": term.count,
            "depth": 0,
            "query": f"{head}\nSELECT {variables} WHERE {{ {pattern.format(written[term.iri])} }} LIMIT 100",
        }
        for term in some
    ]


def health(named: NamedGraph) -> Json:
    """Whether a graph answers, and how quickly."""
    try:
        return {
            "name": named.name,
            "answers": True,
            "milliseconds": milliseconds(named.graph, HEALTH_SECONDS),
        }
    except KgnbError as error:
        return {"name": named.name, "answers": False, "reason": str(error).splitlines()[0]}


def agent(session: Session, name: str) -> Json:
    """The progress of an agent in this notebook: every stage that was run, with its figures."""
    task, shown = session.tasks.get(name), stages_of()[name]
    begun = task is not None and task.agent.begins == "start"
    stages: dict[str, Json] = {"start": _done("start")} if begun else {}
    for run in session.begun:
        if run.agent == name:
            for step in run.steps:
                if step.name in shown:
                    stages[step.name] = {
                        "name": step.name,
                        "state": step.state,
                        "seconds": step.seconds,
                        "counts": {
                            one_of(what) if n == 1 else what: n
                            for what, n in step.counts.items()
                            if what != "milliseconds"
                        },
                        "calls": len(step.calls),
                        "error": step.error,
                    }
    if task is not None:
        order = task.agent.sequence
        last = max((order.index(one) for one in order if one in task.values), default=-1)
        for stage, shown_stage in stages.items():
            if shown_stage["state"] == "done" and stage in order[last + 1 :]:
                shown_stage["state"] = "outdated"  # an earlier stage was run again
    waits = [
        {"line": line, "waiting": number}
        for line, number in reviews(session, name).items()
        if number
    ]
    return {"name": name, "stages": list(stages.values()), "reviews": waits}


def _done(stage: str) -> Json:
    """A stage that is not a step of a run, and is done."""
    return {
        "name": stage,
        "state": "done",
        "counts": {},
        "seconds": None,
        "calls": 0,
        "error": None,
    }


def reviews(session: Session, name: str) -> dict[str, int]:
    """An agent's review queues: how many questions wait, by the line that shows them."""
    task = session.tasks.get(name)
    try:
        queue = task and _queue(task)
        return {queue.line: len(queue.entries)} if queue else {}
    except (KgnbError, ValueError, OSError):
        return {}  # its own verb reports a file of decisions that cannot be read


def _queue(task: Task) -> Queue | None:
    """What a task leaves to a person; OutOfOrder before it has asked."""
    from kgnb.magics.open_questions import queue_of_answers, queue_of_graph

    if isinstance(task, BuildingTask):
        return queue_of_graph(task)
    if hasattr(task, "answers"):
        return queue_of_answers(task)
    return queue_of(task) if task.agent.review else None


def run_line(number: int, run: Run) -> Json:
    """A run in one line: its step, progress and cost so far."""
    steps, totals = run.steps, run.totals
    working = [step for step in steps if step.state == "running"]
    return {
        "number": number,
        "agent": run.agent,
        "state": run.state,
        "step": (working or steps)[-1].name if steps else "",
        "working": bool(working),
        "progress": progress(run, working[-1]) if working else None,
        "steps": len(steps),
        "calls": totals["calls"],
        "tokens": totals["prompt_tokens"] + totals["completion_tokens"],
        "usd": totals["usd"],
        "limit": run.limits.usd,
        "seconds": run.elapsed or totals["seconds"],
    }


def progress(run: Run, step: Step) -> Json:
    """The progress of a step: how many are done, of how many if known, and of what."""
    reported, made = run.told, len(step.calls)
    if reported is None:
        return (
            {"done": made, "total": None, "unit": CALLS}
            if made
            else {"done": 0, "total": None, "unit": ""}
        )
    since = made - reported.calls if reported.unit == CALLS and reported.step == step.number else 0
    return {"done": reported.done + since, "total": reported.total, "unit": reported.unit}


def saved(folder: Path) -> list[Json]:
    """The runs saved below a folder, newest first."""
    found = sorted(_saved_folders(folder), key=lambda place: (-place[0], place[1]))
    return [{"folder": path, "name": path.removesuffix("/run")} for _, path in found[:MOST_RUNS]]


def _saved_folders(top: Path) -> Iterator[tuple[float, str]]:
    for seen, (place, folders, files) in enumerate(os.walk(top)):
        depth = len(Path(place).relative_to(top).parts)
        hidden = {
            name
            for name in folders
            if name.startswith(".") or name in ("node_modules", "__pycache__")
        }
        folders[:] = (
            sorted(set(folders) - hidden) if depth < DEEPEST and seen < MOST_FOLDERS else []
        )
        if "events.jsonl" in files and depth:
            yield (
                (Path(place) / "events.jsonl").stat().st_mtime,
                Path(place).relative_to(top).as_posix(),
            )


def _run(session: Session, question: Mapping[str, Any]) -> Run:
    if question.get("folder"):
        return Run.load(str(question["folder"]))
    number = int(question["number"])
    if not 0 < number <= len(session.begun):
        raise ValueError(f"there is no run {number}")
    return session.begun[number - 1]


def _without_login(origin: str) -> str:
    scheme, apart, rest = origin.partition("://")
    host, slash, path = rest.partition("/")
    return (
        f"{scheme}{apart}{host.rpartition('@')[2]}{slash}{path.partition('?')[0]}"
        if apart
        else origin
    )

"""What JupyterLab's panel shows of a session: its graphs, how far each agent has come, its runs. Never a secret."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from kgnb.agents.known import agents_from_elsewhere, our_agents
from kgnb.errors import KgnbError
from kgnb.kg.prefixes import shorten
from kgnb.kg.schema import Named, Schema
from kgnb.magics.arguments import without_secrets
from kgnb.magics.completing import schema_of
from kgnb.magics.kgc import BuildingTask
from kgnb.magics.progress import CALLS
from kgnb.magics.reviewing import queue_of
from kgnb.magics.session import NamedGraph, Session, is_remote
from kgnb.results.bundle import one_of
from kgnb.results.run_view import RunView
from kgnb.run import Run, Step

Json = dict[str, Any]

_NO_VERB = {"serve"}  # a stage that no line of a notebook runs


def stages_of() -> dict[str, tuple[str, ...]]:
    """The stages the panel shows of each agent, in order; ours stand in the front end's ``stages.json`` as well."""
    return {
        agent.name: tuple(stage.name for stage in agent.stages if stage.name not in _NO_VERB)
        for agent in (*our_agents(), *agents_from_elsewhere())
    }


def described() -> list[Json]:
    """The agents of other packages as the panel draws them: what ``stages.json`` says of ours."""
    return [
        {
            "agent": agent.name,
            "magic": agent.magic,
            "title": agent.title,
            "start": {
                "name": "start",
                "line": next(iter(agent.start_examples), f"%{agent.magic} start"),
                "help": agent.start_help,
            },
            "stages": [
                {
                    "name": stage.name,
                    "line": next(iter(stage.examples), f"%{agent.magic} {stage.name}"),
                    "help": stage.summary,
                }
                for stage in agent.stages
                if not stage.apart
            ],
        }
        for agent in agents_from_elsewhere()
    ]


HEALTH_SECONDS = 10.0
MOST_NAMES = 60  # classes, and properties, of a graph that are listed
DEEPEST, MOST_FOLDERS, MOST_RUNS = 5, 2000, 30  # how far saved runs are looked for


def answer(session: Session, question: Mapping[str, Any]) -> Json:
    """The answer to the panel: ``ask`` is "state", "health" (of ``name``) or "run" (``number``, or ``folder``).

    Saved runs are looked for on the disk; with ``saved`` false, as while a run is watched, they are left out.
    """
    match question.get("ask"):
        case "state":
            return state(session) | ({"saved": saved(Path.cwd())} if question.get("saved", True) else {})
        case "health":
            return health(session.graph(str(question["name"])))
        case "run":
            return {"run": RunView(_run(session, question).to_json()).json()}
    raise ValueError(f"the panel cannot ask {question.get('ask')!r}")


def state(session: Session) -> Json:
    """Everything about the session that the panel shows, as plain JSON."""
    return {
        "version": 1,
        "model": session.settings.model or "",
        "connections": [connection(session, named) for named in list(session.graphs.values())],
        "agents": [agent(session, name) for name in stages_of()],
        "described": described(),
        "runs": [run_line(number, run) for number, run in _runs(session)],
    }


def connection(session: Session, named: NamedGraph) -> Json:
    """One open graph. A service is not asked anything here; ``health`` is for that."""
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
    }


def holds(session: Session, named: NamedGraph, schema: Schema) -> Json:
    """The classes and properties most in use, each with a cell that asks for what is in it."""
    prefixes = dict(getattr(named.graph, "prefixes", ())) | session.prefixes
    head = "%%sparql" if named.name == session.current else f"%%sparql {named.name}"

    def told(some: Iterable[Named], variables: str, pattern: str) -> list[Json]:
        ranked = sorted(some, key=lambda one: (-one.count, one.name))[:MOST_NAMES]
        short = {one.iri: shorten(one.iri, prefixes) for one in ranked}
        terms = {iri: f"<{iri}>" if text == iri else text for iri, text in short.items()}
        return [
            {
                "name": one.name,
                "count": one.count,
                "query": f"{head}\nSELECT {variables} WHERE {{ {pattern.format(terms[one.iri])} }} LIMIT 100",
            }
            for one in ranked
        ]

    return {
        "classes": told(schema.classes, "?thing", "?thing a {}"),
        "properties": told(schema.properties, "?from ?to", "?from {} ?to"),
    }


def health(named: NamedGraph) -> Json:
    """Whether a graph answers, and how quickly."""
    begun = time.monotonic()
    try:
        named.graph.ask("ASK { ?s ?p ?o }", timeout=HEALTH_SECONDS)
    except KgnbError as error:
        return {"name": named.name, "answers": False, "reason": str(error).splitlines()[0]}
    return {"name": named.name, "answers": True, "milliseconds": round((time.monotonic() - begun) * 1000)}


def agent(session: Session, name: str) -> Json:
    """How far an agent has come in this notebook: every stage that was run, with its figures."""
    task, shown = session.tasks.get(name), stages_of()[name]
    begun = task is not None and task.agent.begins == "start"
    stages: dict[str, Json] = {"start": _done("start")} if begun else {}
    for _, run in _runs(session):
        if run.agent == name:
            for step in run.steps:
                if step.name in shown:
                    stages[step.name] = {
                        "name": step.name, "state": step.state, "seconds": step.seconds,
                        "counts": {one_of(what) if n == 1 else what: n for what, n in step.counts.items()},
                        "calls": len(step.calls), "error": step.error,
                    }  # fmt: skip
    if task is not None:
        for stage, told in stages.items():
            if told["state"] == "done" and stage in task.agent.sequence and stage not in task.values:
                told["state"] = "outdated"  # an earlier stage was run again; what was learned stays
    waits = [{"line": line, "waiting": number} for line, number in reviews(session, name).items() if number]
    return {"name": name, "stages": list(stages.values()), "reviews": waits}


def _done(stage: str) -> Json:
    """A stage that is no step of a run: it has been carried out."""
    return {"name": stage, "state": "done", "counts": {}, "seconds": None, "calls": 0, "error": None}


def reviews(session: Session, name: str) -> dict[str, int]:
    """An agent's queues, by the line that opens each, and how many questions wait there for a person."""
    try:
        under_way = session.tasks.get(name)
        review = under_way.agent.review if under_way is not None else None
        if under_way is not None and review is not None:
            judged = any(stage in under_way.values for stage in review.stages)
            return {f"%{under_way.agent.magic} review": len(queue_of(under_way).entries) if judged else 0}
        if isinstance(under_way, BuildingTask):
            built, links = under_way.values.get("instantiate"), under_way.values.get("ground")
            return {
                "%kgc review": len(built.doubts) if built else 0,
                "%kgc review --links": len(links.unsure) if links else 0,
            }
    except (KgnbError, ValueError, OSError):  # a file of decisions that cannot be read: its own verb says why
        return {}
    return {}


def run_line(number: int, run: Run) -> Json:
    """A run in one line: where it is, how far, and what it has cost so far."""
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
    """How far a step is: done, of how many where that is known, and of what."""
    told, made = run.told, len(step.calls)
    if told is None:
        return {"done": made, "total": None, "unit": CALLS} if made else {"done": 0, "total": None, "unit": ""}
    since = made - told.calls if told.unit == CALLS and told.step == step.number else 0
    return {"done": told.done + since, "total": told.total, "unit": told.unit}


def saved(folder: Path) -> list[Json]:
    """The runs saved below a folder, the newest first."""
    found = sorted(_saved_folders(folder), key=lambda place: (-place[0], place[1]))
    return [{"folder": path, "name": path.removesuffix("/run")} for _, path in found[:MOST_RUNS]]


def _saved_folders(top: Path) -> Iterator[tuple[float, str]]:
    for seen, (place, folders, files) in enumerate(os.walk(top)):
        depth = len(Path(place).relative_to(top).parts)
        hidden = {name for name in folders if name.startswith(".") or name in ("node_modules", "__pycache__")}
        folders[:] = sorted(set(folders) - hidden) if depth < DEEPEST and seen < MOST_FOLDERS else []
        if "events.jsonl" in files and depth:
            yield (Path(place) / "events.jsonl").stat().st_mtime, Path(place).relative_to(top).as_posix()


def _runs(session: Session) -> list[tuple[int, Run]]:
    """The runs of this notebook that have begun, numbered as ``%run_view --list`` numbers them."""
    return list(enumerate((run for run in list(session.runs) if run.steps), start=1))


def _run(session: Session, question: Mapping[str, Any]) -> Run:
    if question.get("folder"):
        return Run.load(str(question["folder"]))
    runs = dict(_runs(session))
    number = int(question["number"])
    if number not in runs:
        raise ValueError(f"there is no run {number}")
    return runs[number]


def _without_login(origin: str) -> str:
    scheme, apart, rest = origin.partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}{apart}{host.rpartition('@')[2]}{slash}{path.partition('?')[0]}" if apart else origin

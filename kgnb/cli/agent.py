"""The command of an agent, made from what the agent says of itself."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import Any

import click

from kgnb.agents.agent import Agent, Task
from kgnb.agents.options import given_of
from kgnb.cli.outcome import said_failures
from kgnb.cli.progress import TerminalLine
from kgnb.cli.stage_options import stage_options
from kgnb.files import write_whole
from kgnb.settings import Settings
from kgnb.tasks.agents import new_task, run_through


def command_of(agent: Agent) -> click.Command:
    """``kgnb COMMAND INPUT ... --option ... --out FILE --run FOLDER``."""

    def command(**given: Any) -> int:
        return _run(agent, given)

    command.__doc__ = f"{agent.summary or agent.title}.\n\nStages: {', '.join(agent.sequence)}."
    made: Any = command
    quiet = click.option("--quiet", "-q", is_flag=True, help="No summary on standard error.")
    folder = click.option(
        "--run", "folder", type=click.Path(file_okay=False), metavar="FOLDER", help="Keep the trace here."
    )
    suffixes = ", ".join(agent.exports) or "text"
    out = click.option(
        "--out", "-o", multiple=True, metavar="FILE", help=f"Where to write ({suffixes}); default: standard output."
    )
    model = click.option("--model", metavar="NAME", help="Chat model; default: the settings' model, or none.")
    for decorate in (quiet, folder, *([_reference()] if agent.evaluate else []), model, out):
        made = decorate(made)
    for cls in reversed(list(agent.options.values())):
        made = stage_options(cls)(made)
    for one in reversed(agent.inputs):
        made = click.argument(one.name)(made)
    return click.command(agent.command or agent.magic)(made)


def _reference() -> Any:
    return click.option("--against", metavar="FILE", help="Measure the result against this reference.")


def _run(agent: Agent, given: dict[str, Any]) -> int:
    outs = [Path(out) for out in given["out"]]
    writers = [_writer(agent, out) for out in outs]
    settings = Settings.load()
    settings = settings.with_(model=given["model"]) if given["model"] is not None else settings
    options = {name: value for cls in agent.options.values() for name, value in given_of(cls, given).items()}
    begun, line = perf_counter(), TerminalLine(quiet=given["quiet"])
    try:
        task = new_task(
            agent, {one.name: given[one.name] for one in agent.inputs}, options, settings=settings,
            folder=Path(given["folder"]) if given["folder"] else None, on_event=line.event,
        )  # fmt: skip
        with task.run:
            value = run_through(task)
    finally:
        line.clear()
    for out, write in zip(outs, writers, strict=True):
        write_whole(out, write(value))
    if not outs:
        click.echo(str(value))
    if given.get("against") and agent.evaluate is not None:
        click.echo(str(agent.evaluate(task, given["against"])), err=True)
    status = said_failures(task.run)
    if not given["quiet"]:
        click.echo(f"kgnb: {_summary(task, perf_counter() - begun)}", err=True)
    return status


def _writer(agent: Agent, out: Path) -> Any:
    """How a file is written; refused before any work is done where nobody knows, or it could not be."""
    suffix = next((one for one in agent.exports if out.name.lower().endswith(one)), None)
    if suffix is None:
        raise ValueError(f"--out {out}: the suffix says no format\nChoose {', '.join(agent.exports) or 'no file'}.")
    if out.is_dir() or not out.absolute().parent.is_dir():
        raise ValueError(f"--out {out}: there is no folder to write it in\nName a file in a folder that exists.")
    return agent.exports[suffix]


def _summary(task: Task, seconds: float) -> str:
    last = task.run.steps[-1]
    counts = [f"{number:,} {what}" for what, number in last.counts.items()]
    return ", ".join([*counts, f"{task.run.totals['calls']} model calls", f"{seconds:.1f} s"])

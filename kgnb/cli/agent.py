"""The command of an agent, made from what the agent says of itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from kgnb.agents.agent import Agent
from kgnb.agents.options import given_of
from kgnb.cli.outcome import refuse_unwritable
from kgnb.cli.work import Work, agent_command
from kgnb.files import write_whole
from kgnb.tasks.agents import new_task, run_through


def command_of(agent: Agent) -> click.Command:
    """``kgnb COMMAND INPUT ... --option ... --out FILE --run FOLDER``."""

    def command(**given: Any) -> int:
        return _run(agent, given)

    command.__doc__ = f"{agent.summary or agent.title}.\n\nStages: {', '.join(agent.sequence)}."
    made: Any = agent_command(agent)(command)
    suffixes = ", ".join(agent.exports) or "text"
    out = click.option(
        "--out", "-o", multiple=True, metavar="FILE", help=f"Where to write ({suffixes}); default: standard output."
    )
    against = click.option("--against", metavar="FILE", help="Measure the result against this reference.")
    for decorate in (*([against] if agent.evaluate else []), out):
        made = decorate(made)
    for one in reversed(agent.inputs):
        made = click.argument(one.name)(made)
    return click.command(agent.command or agent.magic)(made)


def _run(agent: Agent, given: dict[str, Any]) -> int:
    inputs = {one.name: given[one.name] for one in agent.inputs}
    writers = [_writer(agent, out, list(inputs.values())) for out in given["out"]]
    options = {name: value for cls in agent.options.values() for name, value in given_of(cls, given).items()}
    work = Work(given)
    with work.reading(*inputs.values()):
        task = new_task(agent, inputs, options, settings=work.settings, folder=work.folder, on_event=work.line.event)
        with work.stoppable(task.run):
            value = run_through(task)
    for out, write in zip(given["out"], writers, strict=True):
        write_whole(Path(out), write(value))
    if not given["out"]:
        click.echo(str(value))
    if given.get("against") and agent.evaluate is not None:
        click.echo(str(agent.evaluate(task, given["against"])), err=True)
    counts = [f"{number:,} {what}" for what, number in task.run.steps[-1].counts.items()]
    return work.end(task.run, ", ".join(counts) or "done")


def _writer(agent: Agent, out: str, inputs: list[str]) -> Any:
    """How a file is written; refused before any work is done where nobody knows, or it could not be."""
    suffix = next((one for one in agent.exports if out.lower().endswith(one)), None)
    if suffix is None:
        raise ValueError(f"--out {out}: the suffix says no format\nChoose {', '.join(agent.exports) or 'no file'}.")
    refuse_unwritable(out, inputs)
    return agent.exports[suffix]

"""What the commands of all agents share at work: settings, run and summary."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import Any

import click

from kgnb.agents.agent import Agent
from kgnb.cli.outcome import check_outs, ended, stoppable
from kgnb.cli.progress import TerminalLine, spent
from kgnb.files import claimed, write_whole
from kgnb.mapping_files.sssom import for_screen
from kgnb.results.escaping import unbroken
from kgnb.run import Run
from kgnb.settings import Settings
from kgnb.tasks.agents import new_task
from kgnb.tasks.task import Task


def run_agent(agent: Agent, given: dict[str, Any]) -> int:
    """Does what the line of an agent's command says; the exit status."""
    inputs = {one.name: given[one.name] for one in agent.inputs if one.name in given}
    written = any(given[one.name] for one in agent.inputs if one.written)
    outs = given["out"] or (() if written else ("-",))
    beside = {one: given[one.name] for one in agent.outputs if given[one.name]}
    for output in beside:
        if output.needs and not given[output.needs]:
            raise click.UsageError(f"--{output.name} needs --{output.needs}")
    named = [value for value in (*inputs.values(), given.get("decisions"), given.get("reference"))]
    paths = [value for value in named if isinstance(value, str)]
    check_outs(outs, tuple(agent.exports), paths, list(beside.values()))
    into = given.get("into") or ""
    places = [*outs, *beside.values(), *([into] if into and "://" not in into else ())]
    only_here([place for place in places if place != "-"])
    work = Work(given)
    with work.reading(*(_words(inputs[one.name]) for one in agent.inputs if not one.optional)):
        task = work.task(agent, inputs, given)
        for output in beside:
            if output.check is not None:
                output.check(task)
        with stoppable(task.run):
            value = task.run_through()
    for out in outs:
        if out != "-":
            write_whole(Path(out), task.written(out))
        elif agent.printed:
            text = task.written(f".{given['form']}")
            sys.stdout.write(for_screen(text) if sys.stdout.isatty() else text)
        else:
            click.echo(str(value))
    for output, file in beside.items():
        write_whole(Path(file), output.write(task))
    if given.get("against") and agent.evaluate is not None:
        click.echo(str(agent.evaluate(task, given["against"])), err=True)
    work.say(*task.warnings())
    failed = task.failed()
    # what was made because an input was given, and is gone if nobody asks for it
    unkept = [
        f"--{one.name} {one.metavar} writes {one.help}"
        for one in agent.outputs
        if one.needs and given[one.needs] and one not in beside
    ]
    return work.end(task.run, *task.summary(), *unkept, *failed) or int(bool(failed))


def only_here(places: Sequence[str]) -> None:
    """Has this process alone write these files until its command ends.

    Raises:
        DataError: another process writes one of them; it is named.
    """
    click.get_current_context().with_resource(claimed(places))


def _words(value: Any) -> str:
    return value if isinstance(value, str) else ", ".join(map(str, value))


class Work:
    """A command at work: its settings, its line on the terminal, its run and the time it took."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        settings = Settings.load()
        self.settings = (
            settings.with_(model=given["model"]) if given.get("model") is not None else settings
        )
        self.quiet, self.folder = (
            bool(given["quiet"]),
            Path(given["folder"]) if given.get("folder") else None,
        )
        self.line = TerminalLine(quiet=self.quiet)
        self._begun = perf_counter()

    @contextmanager
    def reading(self, *what: str | None) -> Iterator[None]:
        """Shows what is being read, then the progress of the run, until the block ends."""
        with self.line as line:
            line.draw(f"reading {' and '.join(one for one in what if one)}", now=True)
            yield

    def task(
        self, agent: Agent, inputs: Mapping[str, Any], given: Mapping[str, Any], **more: Any
    ) -> Task:
        """A task with the options of the command; its run is shown on the line, and saved where the
        command says.
        """
        more |= {one.name: given[one.name] for one in agent.knobs() if one.name in given}
        return new_task(
            agent,
            inputs,
            settings=self.settings,
            folder=self.folder,
            on_event=self.line.event,
            **more,
        )

    @property
    def seconds(self) -> float:
        """The seconds since the command began."""
        return perf_counter() - self._begun

    def say(self, *lines: str) -> None:
        """Prints lines on standard error, unless the command is to be quiet."""
        for line in lines if not self.quiet else ():
            click.echo(f"kgnb: {unbroken(line)}", err=True)

    def end(self, run: Run, *lines: str) -> int:
        """Prints the summary, with what the run took in its first line; the exit status."""
        status = ended(run)
        limited = "; a budget was spent, so this is partial" if run.state == "limited" else ""
        self.say(f"{lines[0]}, {took(run)}, {self.seconds:.1f} s{limited}", *lines[1:])
        return status


def took(run: Run) -> str:
    """What the model calls of a run took, in words."""
    return ", ".join(spent(run.totals))

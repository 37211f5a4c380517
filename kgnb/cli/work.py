"""What the commands of all agents share: options, settings, run and summary; and the whole command
of an agent, derived from its description.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import Any

import click

from kgnb.agents.agent import Agent, Input
from kgnb.agents.options import described
from kgnb.cli.outcome import check_outs, ended, stoppable
from kgnb.cli.progress import TerminalLine, spent
from kgnb.files import write_whole
from kgnb.mapping_files.sssom import for_screen
from kgnb.results.escaping import unbroken
from kgnb.run import Run
from kgnb.settings import Settings
from kgnb.tasks.agents import new_task
from kgnb.tasks.task import Task

Command = Callable[..., Any]
RANGES: dict[type[Any], Any] = {int: click.IntRange, float: click.FloatRange}
QUIET = click.option("--quiet", "-q", is_flag=True, help="Print no summary on standard error.")


def stage_options(
    options: type[Any], leave_out: Container[str] = ()
) -> Callable[[Command], Command]:
    """Gives a command one option for every field of an agent's options except those in
    ``leave_out``.
    """

    def decorate(command: Command) -> Command:
        for one in reversed(described(options)):
            if one.name in leave_out:
                continue
            flag, shown = one.flag, one.default not in (None, "", False)
            given: dict[str, Any] = {"default": one.default, "show_default": shown}
            if one.kind is bool:
                given["is_flag"] = True
                if one.default:  # what is on by default can be turned off
                    flag = f"{flag}/--no-{flag[2:]}"
            elif one.choices:
                given["type"] = click.Choice(one.choices)
            elif one.kind in RANGES:
                given["type"] = RANGES[one.kind](one.least, one.most)
            command = click.option(flag, help=f"{one.help[0].upper()}{one.help[1:]}.", **given)(
                command
            )
        return command

    return decorate


def agent_command(agent: Agent, leave_out: Iterable[str] = ()) -> Callable[[Command], Command]:
    """Gives a command the options of an agent and those that all agents share."""

    def decorate(command: Command) -> Command:
        folder = click.Path(file_okay=False)
        text = "Save the trace here: steps, judgements, model calls, queries."
        command = click.option("--run", "folder", type=folder, metavar="FOLDER", help=text)(
            QUIET(command)
        )
        for cls in reversed(list(agent.options.values())):
            command = stage_options(cls, {*agent.internal, *leave_out})(command)
        model = click.option(
            "--model", metavar="NAME", help="Chat model; default: the one in the settings, if any."
        )
        return model(command)

    return decorate


def input_options(inputs: Iterable[Input]) -> Callable[[Command], Command]:
    """Gives a command one option for every input that is given by its name."""

    def decorate(command: Command) -> Command:
        for one in reversed([each for each in inputs if each.named]):
            text = f"{one.help[0].upper()}{one.help[1:]}."
            given: dict[str, Any] = {"metavar": one.placeholder}
            if one.kind == "flag":
                given = {"is_flag": True}
            elif one.choices:
                given = {"type": click.Choice(one.choices)}
            if one.many:
                given["multiple"], text = True, f"{text} Repeatable."
            elif one.kind != "flag":
                default = one.default if isinstance(one.default, str) else None
                given |= {"default": default, "show_default": default is not None}
            command = click.option(*one.flags, one.name, help=text, **given)(command)
        return command

    return decorate


def command_of(agent: Agent) -> click.Command:
    """``kgnb COMMAND INPUT ... --option ... --out FILE --run FOLDER``."""

    def command(**given: Any) -> int:
        return _run(agent, given)

    about = (
        agent.about or f"{agent.summary or agent.title}.\n\nStages: {', '.join(agent.sequence)}."
    )
    examples = "\n  ".join(["\n\n\b\nExamples:", *agent.examples]) if agent.examples else ""
    command.__doc__ = about + examples
    made: Any = agent_command(agent)(command)
    for output in reversed(agent.outputs):
        text = f"{output.help[0].upper()}{output.help[1:]}."
        made = click.option(f"--{output.name}", metavar=output.metavar, help=text)(made)
    if agent.evaluate is not None:
        made = click.option(
            "--against", metavar="FILE", help="Compare the result with this reference."
        )(made)
    made = input_options(agent.inputs)(made)
    suffixes = ", ".join(agent.exports)
    if agent.printed:
        made = click.option(
            "--format",
            "form",
            type=click.Choice([suffix[1:] for suffix in agent.exports]),
            default=agent.printed[1:],
            show_default=True,
            help="The format of standard output.",
        )(made)
    text = f"Where to write: {suffixes or 'text'}; - (the default) for standard output. Repeatable."
    made = click.option("--out", "-o", multiple=True, metavar="FILE", help=text)(made)
    for one in reversed([each for each in agent.inputs if not each.named]):
        if one.kind != "value":
            made = _argument(one)(made)
    return click.command(agent.command or agent.magic)(made)


def _argument(one: Input) -> Callable[[Command], Command]:
    return click.argument(one.name, required=not one.optional, nargs=-1 if one.many else 1)


def _run(agent: Agent, given: dict[str, Any]) -> int:
    inputs = {one.name: given[one.name] for one in agent.inputs if one.name in given}
    outs = given["out"] or ("-",)
    beside = {one: given[one.name] for one in agent.outputs if given[one.name]}
    for output in beside:
        if output.needs and not given[output.needs]:
            raise click.UsageError(f"--{output.name} needs --{output.needs}")
    named = [value for value in (*inputs.values(), given.get("decisions"), given.get("reference"))]
    paths = [value for value in named if isinstance(value, str)]
    check_outs(outs, tuple(agent.exports), paths, list(beside.values()))
    work = Work(given)
    with work.reading(*(_words(inputs[one.name]) for one in agent.inputs if not one.optional)):
        task = work.task(agent, inputs, given)
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
    return work.end(task.run, *task.summary(), *failed) or int(bool(failed))


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
        try:
            self.line.draw(f"reading {' and '.join(one for one in what if one)}", now=True)
            yield
        finally:
            self.line.clear()

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
    return ", ".join(spent(call for step in run.steps for call in step.calls))

"""What every command of an agent has: options, settings, run, what it says at the end; and the whole command of an
agent of another package, made from what the agent says of itself.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import Any

import click

from kgnb.agents.agent import Agent
from kgnb.agents.options import described, given_of
from kgnb.cli.outcome import TerminalLine, ended, refuse_unwritable, stoppable
from kgnb.files import write_whole
from kgnb.run import Run
from kgnb.settings import Settings
from kgnb.tasks.agents import new_task, run_through
from kgnb.tasks.running import new_run

RANGES: dict[type[Any], Any] = {int: click.IntRange, float: click.FloatRange}


def stage_options(
    options: type[Any], leave_out: Container[str] = ()
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Gives a command one option for every field of an agent's options but those in ``leave_out``."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
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
            command = click.option(flag, help=f"{one.help[0].upper()}{one.help[1:]}.", **given)(command)
        return command

    return decorate


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


Command = Callable[..., Any]


def agent_command(agent: Agent, leave_out: Iterable[str] = ()) -> Callable[[Command], Command]:
    """Gives a command the options of an agent, those that it shares with every other, and no option twice."""

    def decorate(command: Command) -> Command:
        for given in (
            click.option("--quiet", "-q", is_flag=True, help="No summary on standard error."),
            click.option(
                "--run", "folder", type=click.Path(file_okay=False), metavar="FOLDER",
                help="Keep the trace here: steps, judgements, model calls, queries.",
            ),
        ):  # fmt: skip
            command = given(command)
        for cls in reversed(list(agent.options.values())):
            command = stage_options(cls, {*agent.internal, *leave_out})(command)
        model = click.option("--model", metavar="NAME", help="Chat model; default: the settings' model, or none.")
        return model(command)

    return decorate


class Work:
    """One command at work: its settings, its line on the terminal, its run and the time it took."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        settings = Settings.load()
        self.settings = settings.with_(model=given["model"]) if given["model"] is not None else settings
        self.quiet, self.folder = bool(given["quiet"]), Path(given["folder"]) if given["folder"] else None
        self.line = TerminalLine(quiet=self.quiet)
        self._begun = perf_counter()

    @contextmanager
    def reading(self, *what: str | None) -> Iterator[None]:
        """While this lasts the line says what is read, then what the run does; it is gone afterwards."""
        try:
            self.line.draw(f"reading {' and '.join(one for one in what if one)}", now=True)
            yield
        finally:
            self.line.clear()

    def run(self, agent: Agent, data: Mapping[str, str], parameters: Mapping[str, Any]) -> Run:
        """A run of the agent that is drawn on the line, and kept where the command says."""
        return new_run(
            agent.name, data, parameters=parameters, settings=self.settings, folder=self.folder,
            on_event=self.line.event,
        )  # fmt: skip

    @property
    def seconds(self) -> float:
        """How long it has taken so far."""
        return perf_counter() - self._begun

    @staticmethod
    @contextmanager
    def stoppable(run: Run) -> Iterator[None]:
        """The run; the first Ctrl-C ends the asking, not the command."""
        with run, stoppable(run):
            yield

    def end(self, run: Run, *said: str) -> int:
        """Says what the command came to, its first line with what it took; the exit status."""
        status = ended(run)
        first, *rest = said
        limited = "; a budget was spent, so this is partial" if run.state == "limited" else ""
        took = f"{first}, {spent(run)}, {self.seconds:.1f} s{limited}"
        for text in (took, *rest) if not self.quiet else ():
            click.echo(f"kgnb: {text}", err=True)
        return status


def spent(run: Run) -> str:
    """What a run took of a model, in words: ``12 model calls (3 cached), 3,400 tokens``."""
    totals = run.totals
    cached = f" ({totals['cached']} cached)" if totals["cached"] else ""
    tokens = totals["prompt_tokens"] + totals["completion_tokens"]
    return f"{totals['calls']} model calls{cached}" + (f", {tokens:,} tokens" if tokens else "")

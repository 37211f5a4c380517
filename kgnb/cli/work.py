"""What every command of an agent has: its agent's options, its settings, its run, and what it says at the end."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import Any

import click

from kgnb.agents.agent import Agent
from kgnb.cli.outcome import ended, stoppable
from kgnb.cli.progress import TerminalLine
from kgnb.cli.stage_options import stage_options
from kgnb.run import Run
from kgnb.settings import Settings
from kgnb.tasks import new_run

Command = Callable[..., Any]


def agent_command(agent: Agent, leave_out: Container[str] = ()) -> Callable[[Command], Command]:
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
            command = stage_options(cls, {*agent.internal, *_those(leave_out, cls)})(command)
        model = click.option("--model", metavar="NAME", help="Chat model; default: the settings' model, or none.")
        return model(command)

    return decorate


def _those(names: Container[str], cls: type[Any]) -> list[str]:
    return [name for name in cls.__pydantic_fields__ if name in names]


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

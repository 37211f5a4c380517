"""What the commands of all agents share: their options; and the whole command of an agent, derived
from its description. What a command needs to run is imported when it runs.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from typing import Any

import click

from kgnb.agents.agent import Agent, Input
from kgnb.agents.options import described

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
            text = f"{one.help[0].upper()}{one.help[1:]}."
            if one.many:
                given |= {"multiple": True, "default": (), "callback": _joined}
                text += " Repeatable."
            command = click.option(flag, help=text, **given)(command)
        return command

    return decorate


def _joined(context: click.Context, option: click.Parameter, values: Iterable[str]) -> str:
    """An option that is given several times, as one text."""
    return ",".join(values)


def agent_command(agent: Agent) -> Callable[[Command], Command]:
    """Gives a command the options of an agent and those that all agents share."""

    def decorate(command: Command) -> Command:
        folder = click.Path(file_okay=False)
        text = "Save the trace here: steps, judgements, model calls, queries."
        command = click.option("--run", "folder", type=folder, metavar="FOLDER", help=text)(
            QUIET(command)
        )
        for cls in reversed(list(agent.options.values())):
            command = stage_options(cls, agent.internal)(command)
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
        from kgnb.cli.work import run_agent

        return run_agent(agent, given)

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

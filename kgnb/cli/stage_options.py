"""An agent's options as options of its command."""

from __future__ import annotations

from collections.abc import Callable, Container
from typing import Any

import click

from kgnb.agents.options import described

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

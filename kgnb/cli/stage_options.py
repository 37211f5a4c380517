"""An agent's ``Options`` as options of its command."""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import MISSING, fields
from typing import Any

import click

TYPES = {"int": click.IntRange, "float": click.FloatRange}


def stage_options(
    options: type[Any], leave_out: Container[str] = ()
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Gives a command one option for every field of an agent's ``Options`` but those in ``leave_out``."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for entry in reversed(fields(options)):
            if entry.name in leave_out:
                continue
            about, kind = entry.metadata, str(entry.type).split(" ")[0]
            flag = f"--{entry.name.replace('_', '-')}"
            default = None if entry.default is MISSING else entry.default
            given: dict[str, Any] = {"default": default, "show_default": default not in (None, "", False)}
            if kind == "bool":
                given["is_flag"] = True
                if default:  # what is on by default can be turned off
                    flag, given["show_default"] = f"{flag}/--no-{flag[2:]}", True
            elif "choices" in about:
                given["type"] = click.Choice(about["choices"])
            elif kind in TYPES:
                given["type"] = TYPES[kind](about.get("min"), about.get("max"))
            command = click.option(flag, help=f"{about['help'][0].upper()}{about['help'][1:]}.", **given)(command)
        return command

    return decorate

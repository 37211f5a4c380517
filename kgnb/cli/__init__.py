"""The ``kgnb`` command: a thin layer that parses its arguments, calls one function and prints the
result.

Exit status: 0 success, 1 data or a service failed, 2 the command was wrong, 75 requests of a batch:
model wait for replies, 130 interrupted. Results go to standard output; progress (on a terminal
only), summaries and errors go to standard error.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module, metadata

import click

from kgnb.cli.outcome import outcome

__all__ = ["main"]

COMMANDS = (
    "match",
    "ask",
    "align",
    "evaluate",
    "compile",
    "build",
    "ground",
    "push",
    "serve",
    "report",
    "sweep",
    "resume",
    "compare",
    "run",
    "cache",
    "batch",
    "scan",
    "data",
    "trust",
)

# Commands that follow from their agent alone.
DERIVED = {"match": "ontology_matching", "align": "entity_alignment", "build": "kg_construction"}

# The module of a command that has none of its own.
MODULES = {
    "ground": "compile",
    "resume": "sweep",
    "run": "compare",
    "scan": "report",
}


class Commands(click.Group):
    """Our commands, each imported when it is needed, then those of the agents of other packages."""

    def list_commands(self, context: click.Context) -> list[str]:
        """The names, the most common first."""
        from kgnb.agents.known import agents_from_elsewhere

        return [*COMMANDS, *(one.command or one.magic for one in agents_from_elsewhere())]

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """The command, or None."""
        from kgnb.agents.known import agents_from_elsewhere, our_agent
        from kgnb.cli.work import command_of

        if name in DERIVED:
            return command_of(our_agent(DERIVED[name]))
        if name in COMMANDS:
            command = getattr(import_module(f"kgnb.cli.{MODULES.get(name, name)}"), name)
            return command if isinstance(command, click.Command) else None
        return next(
            (
                command_of(one)
                for one in agents_from_elsewhere()
                if name == (one.command or one.magic)
            ),
            None,
        )


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog="Settings come from kgnb.toml and KGNB_* variables. 'kgnb COMMAND --help' shows options and examples.",
)
@click.version_option(metadata.version("kgnb"), "--version", prog_name="kgnb")
@click.option(
    "--debug", is_flag=True, envvar="KGNB_DEBUG", help="Show the Python traceback of an error."
)
@click.option(
    "--config",
    metavar="FILE",
    help="Settings file to use, whoever wrote it; none: not the kgnb.toml found here.",
)
@click.pass_context
def kgnb(context: click.Context, debug: bool, config: str | None) -> None:
    """Agents over knowledge graphs: match ontologies, run reports, fetch benchmarks.

    \b
    Examples:
      kgnb match huts:alpine huts:refuge --out huts.sssom.tsv
      kgnb ask "Who is the warden of the Hochkar House?" --graph huts:graph
      kgnb evaluate huts.sssom.tsv reference.rdf
      kgnb align huts:hollenmark huts:corvane --out huts.tsv
      kgnb report ontology-matching -p dataset=huts
    """
    context.obj["debug"] = debug
    if config is not None:
        # imported late: most commands print their help without it
        from kgnb.settings import name_config

        context.with_resource(name_config(config))


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command and returns its exit status."""
    # jsonschema, used by nbformat and mcp, would spend seconds compiling grammars of addresses
    # nothing here checks.
    sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
    return outcome(kgnb, arguments)

"""The ``kgnb`` command: a thin layer that reads words, calls one function and says what came of it.

Exit status: 0 all is well, 1 data or a service failed, 2 the command was wrong, 75 requests of a batch: model wait for
replies, 130 interrupted. Results go to standard
output; progress (on a terminal only), summaries and errors go to standard error.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module, metadata

import click

from kgnb.cli.outcome import outcome

__all__ = ["main"]

COMMANDS = ("match", "ask", "align", "evaluate", "compile", "build", "ground", "serve", "report", "sweep", "resume",
            "compare", "run", "cache", "batch", "scan", "data")  # fmt: skip


# Where a command stands that has no module of its own.
MODULES = {
    "evaluate": "match",
    "compile": "build",
    "ground": "build",
    "resume": "sweep",
    "run": "compare",
    "scan": "report",
}


class Commands(click.Group):
    """Each command is the function of its name in the module of its name or beside it, imported when it is wanted.

    The agents of other packages have theirs after ours.
    """

    def list_commands(self, context: click.Context) -> list[str]:
        """The names, in the order in which one meets them."""
        from kgnb.agents.known import agents_from_elsewhere

        return [*COMMANDS, *(one.command or one.magic for one in agents_from_elsewhere())]

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """The command, or None."""
        if name in COMMANDS:
            command = getattr(import_module(f"kgnb.cli.{MODULES.get(name, name)}"), name)
            return command if isinstance(command, click.Command) else None
        from kgnb.agents.known import agents_from_elsewhere
        from kgnb.cli.work import command_of

        return next((command_of(one) for one in agents_from_elsewhere() if name == (one.command or one.magic)), None)


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog="Settings come from kgnb.toml and KGNB_* variables; 'kgnb COMMAND --help' says more, with examples.",
)
@click.version_option(metadata.version("kgnb"), "--version", prog_name="kgnb")
@click.option("--debug", is_flag=True, envvar="KGNB_DEBUG", help="Show the Python traceback of an error.")
@click.pass_context
def kgnb(context: click.Context, debug: bool) -> None:
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


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    # jsonschema, below nbformat and mcp, would compile 38 grammars of addresses, seconds, that nothing here checks.
    sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
    return outcome(kgnb, arguments)

"""The ``kgnb`` command: a thin layer that parses its arguments, calls one function and prints the
result.

Exit status: 0 success, 1 data or a service failed, 2 the command was wrong, 75 requests of a batch:
model wait for replies, 130 interrupted. Results go to standard output; progress (on a terminal
only), summaries and errors go to standard error.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module

import click

__all__ = ["main"]


@dataclass(frozen=True)
class Listed:
    """A command in the list of commands, so that the list is shown without importing any of them.

    ``module`` holds the command; without one it follows from the description of ``agent`` alone.
    """

    help: str
    module: str = ""
    agent: str = ""


COMMANDS = {
    "match": Listed(
        "Match the classes and properties of two ontologies.", agent="ontology_matching"
    ),
    "ask": Listed("Answer questions from a graph, with the triples that prove it.", "ask"),
    "align": Listed("Find which entities of two graphs are the same.", agent="entity_alignment"),
    "evaluate": Listed("Measure an alignment against a reference.", "evaluate"),
    "compile": Listed("Compile an ontology into tools that write valid facts.", "compile"),
    "build": Listed("Read documents into a graph of valid facts.", agent="kg_construction"),
    "ground": Listed("Find the entities of one graph in another.", "compile"),
    "push": Listed("Add the graph in a file to a SPARQL service.", "push"),
    "subgraph": Listed("Read the neighbourhood of entities into a file.", "subgraph"),
    "serve": Listed("Offer tools or questions to other programs, by MCP or HTTP.", "serve"),
    "report": Listed("Run a report; without a name, list all reports.", "report"),
    "sweep": Listed("Run a report with every combination of parameters.", "sweep"),
    "resume": Listed("Continue a sweep or a report.", "sweep"),
    "compare": Listed("Show what differs between runs, reports or packs.", "compare"),
    "run": Listed("Show a saved run.", "compare"),
    "cache": Listed("Show, export, import or clear what is cached.", "cache"),
    "batch": Listed("See, answer and record the requests of a batch.", "batch"),
    "scan": Listed("Find secrets in notebooks, runs and reports.", "report"),
    "data": Listed("List and download benchmark data.", "data"),
    "trust": Listed("Let a kgnb.toml that is found here count.", "trust"),
}


class Commands(click.Group):
    """Our commands, each imported when it is needed, then those of the agents of other packages."""

    def list_commands(self, context: click.Context) -> list[str]:
        """The names, the most common first."""
        from kgnb.agents.known import agents_from_elsewhere

        return [*COMMANDS, *(agent.command or agent.magic for agent in agents_from_elsewhere())]

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """The command, or None."""
        from kgnb.agents.known import agents_from_elsewhere, our_agent

        listed = COMMANDS.get(name)
        if listed is not None and listed.module:
            command = getattr(import_module(f"kgnb.cli.{listed.module}"), name)
            return command if isinstance(command, click.Command) else None
        agents = [our_agent(listed.agent)] if listed is not None else agents_from_elsewhere()
        for agent in agents:
            if name == (agent.command or agent.magic):
                from kgnb.cli.options import command_of

                return command_of(agent)
        return None

    def resolve_command(
        self, context: click.Context, words: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the first word names; a UsageError says which is like it."""
        if words[0].isalpha() and self.get_command(context, words[0]) is None:
            from difflib import get_close_matches

            near = get_close_matches(words[0], self.list_commands(context), 1)
            hint = f"; did you mean {near[0]}?" if near else ""
            context.fail(f"there is no command {words[0]}{hint}")
        return super().resolve_command(context, words)

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands; only those of other packages are imported for it."""
        rows = [(name, listed.help) for name, listed in COMMANDS.items()]
        for name in self.list_commands(context)[len(rows) :]:
            command = self.get_command(context, name)
            rows.append((name, command.get_short_help_str(60) if command is not None else ""))
        with formatter.section("Commands"):
            formatter.write_dl(rows)


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog="Settings come from kgnb.toml and KGNB_* variables. 'kgnb COMMAND --help' shows options and examples.",
)
@click.version_option(None, "--version", package_name="kgnb", prog_name="kgnb")
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
      kgnb align huts:hollenmark huts:corvane --out same.sssom.tsv
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
    from kgnb.cli.outcome import outcome

    return outcome(kgnb, arguments)

"""``kgnb serve``: offers the tools of an ontology to any MCP client."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from kgnb.agents.kg_construction import AGENT as BUILDING
from kgnb.cli.options import input_options

COMPILING = [one for one in BUILDING.inputs if one.name in ("open_world", "derive_types", "only")]


def client_config(tbox: str, words: Sequence[str]) -> str:
    """The entry for this server in a client's configuration, as JSON."""
    # a client starts it in a folder of its own choice
    arguments = list[str]()
    for word in words:
        option, equals, value = word.partition("=") if word.startswith("--") else (word, "", "")
        arguments += [option, value] if equals else [word] if word != "--client-config" else []
    for at, word in enumerate(arguments[1:], start=1):
        made = arguments[at - 1] in ("--out", "-o", "--store")
        if made or (not word.startswith("-") and Path(word).exists()):
            arguments[at] = str(Path(word).absolute())
    name = f"kgnb-{Path(tbox.rpartition(':')[2]).stem or 'server'}"
    if "--http" in arguments:
        port = arguments[arguments.index("--port") + 1] if "--port" in arguments else "PORT"
        entry = {
            "type": "http",
            "url": f"http://127.0.0.1:{port}/mcp",
            "headers": {"Authorization": "Bearer TOKEN"},
        }
    else:
        entry = {"command": sys.executable, "args": ["-m", "kgnb", *arguments]}
    return json.dumps({"mcpServers": {name: entry}}, indent=2)


@click.command()
@click.argument("tbox")
@input_options([one for one in BUILDING.inputs if one.name in ("shapes", "namespace")])
@input_options(COMPILING)
@click.option(
    "--client-config",
    is_flag=True,
    help="Print what a client such as Claude Desktop or VS Code needs to start this server, and end.",
)
@click.option("--http", is_flag=True, help="Streamable HTTP instead of standard input and output.")
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Address to listen on; other addresses need --token.",
)
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Port; default: a free one.")
@click.option(
    "--token", metavar="env:NAME", help="The token that clients send; default: a random one."
)
@click.option("--no-token", is_flag=True, help="Require no token; on this machine only.")
@click.option(
    "--store",
    type=click.Path(file_okay=False),
    metavar="FOLDER",
    help="Keep the graph here; default: in memory.",
)
@click.option(
    "--out",
    "-o",
    metavar="FILE",
    help="Keep the graph in this file, .trig (with provenance), .ttl or .jsonld; its content is read "
    "first.",
)
@click.option(
    "--documents",
    multiple=True,
    metavar="PATH",
    help="Documents that clients quote: quotes are checked and their position recorded. "
    "Repeatable.",
)
@click.option(
    "--reference",
    metavar="GRAPH",
    help="A graph in which the tool look_up finds names: a file or an endpoint's URL.",
)
@click.option(
    "--tools",
    "face",
    type=click.Choice(["auto", "typed", "generic"]),
    default="auto",
    show_default=True,
    help="A tool for each class and property, or a few generic ones; auto: by size.",
)
@click.option(
    "--source",
    default="mcp",
    show_default=True,
    help="The document recorded as the source of facts.",
)
@click.option(
    "--text2sparql",
    is_flag=True,
    help="Take TBOX as a graph and translate questions into SPARQL, over the HTTP interface of the "
    "TEXT2SPARQL challenge, on this machine.",
)
def serve(tbox: str, **given: Any) -> None:
    """Offer the tools of the ontology TBOX over MCP: every call is checked, and all clients share
    one graph.

    Over HTTP the URL and the token go to standard error. An acknowledged fact is on disk, in
    FILE.journal; FILE itself is written two seconds after a new fact, and at the end. A killed
    server continues from both.

    With agent:NAME instead of TBOX, an agent is offered as one tool, over standard input and
    output.

    \b
    Examples:
      kgnb serve huts:kitchen --out kitchen.trig --documents notes/
      kgnb serve huts:kitchen --http --port 8765 --token env:KITCHEN_TOKEN
      kgnb serve huts:graph --text2sparql --port 8765
    """
    if given["client_config"]:
        print(client_config(tbox, sys.argv[1:]))
        return
    from kgnb.cli import serving  # which takes longer to import than help takes to print

    serving.serve(tbox, given)

"""``kgnb serve``: offers the tools of an ontology to any MCP client."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from kgnb.agents.kg_construction import AGENT as BUILDING
from kgnb.agents.kg_construction.documents import find_documents, read_document
from kgnb.agents.kg_construction.graph_file import GraphFile
from kgnb.agents.kg_construction.serve import Shared
from kgnb.agents.kg_construction.serve import serve as serve_pack
from kgnb.cli.compile import COMPILING
from kgnb.cli.options import input_options
from kgnb.results.escaping import unbroken
from kgnb.settings import Settings, secret
from kgnb.tasks.agents import agent_called, mcp_server, serve_stdio
from kgnb.tasks.building import compile_ontology, look_up
from kgnb.tasks.text2sparql import serve_text2sparql

AGENT = "agent:"


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
    settings = Settings.load()
    if given["text2sparql"]:
        if given["host"] not in ("127.0.0.1", "localhost", "::1"):
            raise ValueError(f"--host {given['host']}: --text2sparql listens on this machine only")
        serve_text2sparql(tbox, given["port"], settings, on_ready=lambda url: _ready(url, ""))
        return
    if tbox.startswith(AGENT):
        serve_stdio(mcp_server([agent_called(tbox.removeprefix(AGENT))], settings))
        return
    out = Path(given["out"]) if given["out"] else None
    if out is not None and (
        out.suffix not in (".trig", ".ttl", ".jsonld") or not out.absolute().parent.is_dir()
    ):
        raise ValueError(f"--out {out}: name a .trig, .ttl or .jsonld file in a folder that exists")
    pack = compile_ontology(
        tbox,
        given["shapes"],
        closed_world=not given["open_world"],
        derive_types=given["derive_types"],
        only=given["only"],
    )
    outside = [look_up(given["reference"], pack)] if given["reference"] else []
    spaces = {"namespace": given["namespace"]} if given["namespace"] else {}
    session = pack.session(store=given["store"], **spaces)
    file = GraphFile(out, session) if out is not None else None
    texts = (
        [read_document(one) for one in find_documents(list(given["documents"]))]
        if given["documents"]
        else []
    )
    shared = Shared(
        pack,
        session,
        file,
        given["source"],
        {document.name: document.text for document in texts},
        given["face"],
        {tool.spec.name: tool for tool in outside},
    )
    if file is not None and file.loaded:
        print(
            f"kgnb: {file.loaded:,} facts read from {unbroken(str(out))}",
            file=sys.stderr,
            flush=True,
        )
    token = "" if given["no_token"] else secret(given["token"]).reveal() if given["token"] else None
    if not given["http"]:
        print(
            f"kgnb: {len(pack.tools)} tools of {pack.name} on standard input and output",
            file=sys.stderr,
        )
    try:
        serve_pack(
            shared,
            "http" if given["http"] else "stdio",
            host=given["host"],
            port=given["port"],
            token=token,
            on_ready=lambda url, drawn: _ready(url, drawn if token is None else ""),
        )
    finally:
        session.close()


def _ready(url: str, token: str) -> None:
    authorization = f"\n      Authorization: Bearer {token}" if token else ""
    print(f"kgnb: {url}{authorization}", file=sys.stderr, flush=True)

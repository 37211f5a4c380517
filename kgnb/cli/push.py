"""``kgnb push``: a graph's file uploaded to a SPARQL service."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from kgnb.agents.kg_construction.provenance import DESCRIPTIONS
from kgnb.backends import file_of, open_graph
from kgnb.cli.options import QUIET
from kgnb.cli.work import Work, only_here
from kgnb.kg.endpoint_graph import EndpointGraph
from kgnb.kg.oxigraph_graph import OxigraphGraph
from kgnb.kg.pushing import GraphStore
from kgnb.kg.pushing import push as push_quads
from kgnb.kg.quads import quads
from kgnb.results.bundle import count
from kgnb.settings import secret


@click.command()
@click.argument("file")
@click.argument("endpoint")
@click.option(
    "--graph",
    metavar="IRI",
    help="The named graph that all facts go to, without their provenance; default: each graph of "
    "FILE stays its own.",
)
@click.option(
    "--graph-store",
    is_flag=True,
    help="ENDPOINT is the address of a graph store, by the Graph Store Protocol.",
)
@click.option("--user", help="Who signs in; the password is the secret of --key.")
@click.option("--key", metavar="env:NAME", help="The password of --user, or a bearer token.")
@QUIET
def push(file: str, endpoint: str, **given: Any) -> None:
    """Add the graph in FILE to a SPARQL service; ENDPOINT is the address of its updates.

    It goes in batches that may be sent twice. A push that broke off goes on behind what was sent:
    FILE.push says how far that was, until all of it is there.

    \b
    Examples:
      kgnb push kitchen.trig http://localhost:7878/update
      kgnb push papers.ttl https://example.org/sparql --graph https://example.org/papers --user me
      --key env:STORE_PASSWORD
      kgnb push kitchen.trig http://localhost:7878/store --graph-store
    """
    work = Work(given)
    key = secret(given["key"]).reveal() if given["key"] else ""
    signed = {"user": given["user"], "password": key} if given["user"] else {"token": key}
    service: EndpointGraph | GraphStore = (
        GraphStore(endpoint, **signed)
        if given["graph_store"]
        else EndpointGraph(endpoint, update_url=endpoint, **signed)
    )
    with work.reading(file):
        graph = open_graph(file)
        assert isinstance(graph, OxigraphGraph)  # that is what a file is read into
        content = [
            (triple, name)
            for triple, name in quads(graph)
            if not given["graph"] or name != DESCRIPTIONS
        ]
        path = Path(file_of(file))
        progress = path.with_name(f"{path.name}.push")
        only_here([str(progress)])
        sent = push_quads(
            content,
            service,
            into=given["graph"] or "",
            progress=progress,
            on_batch=lambda done, total: work.line.draw(f"{done:,} of {count(total, 'triple')}"),
        )
    work.say(f"{count(sent, 'triple')} in {endpoint}, {work.seconds:.1f} s")

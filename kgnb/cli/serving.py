"""What ``kgnb serve`` does, beside its options."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kgnb.agents.kg_construction.documents import find_documents, read_document
from kgnb.agents.kg_construction.graph_file import GraphFile
from kgnb.agents.kg_construction.serve import Shared
from kgnb.agents.kg_construction.serve import serve as serve_pack
from kgnb.results.bundle import count
from kgnb.results.escaping import unbroken
from kgnb.settings import Settings, secret
from kgnb.tasks.agents import agent_called, mcp_server, serve_stdio
from kgnb.tasks.building import compile_ontology, look_up, mistakes
from kgnb.tasks.text2sparql import serve_text2sparql

AGENT = "agent:"


def serve(tbox: str, given: Mapping[str, Any]) -> None:
    """Offer the tools of an ontology, a graph or an agent until its clients are gone."""
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
    for line in mistakes(pack, unbroken(tbox)):
        print(f"kgnb: {line}", file=sys.stderr)
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
            f"kgnb: {count(file.loaded, 'fact')} read from {unbroken(str(out))}",
            file=sys.stderr,
            flush=True,
        )
    token = "" if given["no_token"] else secret(given["token"]).reveal() if given["token"] else None
    if not given["http"]:
        print(
            f"kgnb: {count(len(pack.tools), 'tool')} of {pack.name} on standard input and output",
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

"""A graph uploaded to a service, by SPARQL updates or by the Graph Store Protocol: in batches that
may be sent again, and resumed where they were.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from pathlib import Path
from urllib.parse import quote
from urllib.request import Request

from kgnb.files import from_json, refuse_link, write_whole
from kgnb.kg.endpoint_graph import EndpointGraph, authorized
from kgnb.kg.endpoint_wire import AGENT, Wire, courtesy_towards, public_url
from kgnb.kg.quads import Quad, in_order
from kgnb.kg.terms import Blank, Iri, Term, Triple, TripleTerm, is_iri, n3

BATCH = 1000  # triples of one update
BLANK = "urn:kgnb:blank:"


class GraphStore:
    """A service that is written to by the SPARQL 1.1 Graph Store HTTP Protocol."""

    def __init__(self, url: str, *, user: str = "", password: str = "", token: str = "") -> None:
        self._url, self._authorization = authorized(url, user, password, token)
        self.name = public_url(url)

    def add_to(self, graph: str, triples: Iterable[Triple]) -> None:
        """Add triples to a named graph, or with "" to the default one."""
        asked = f"graph={quote(graph, safe='')}" if graph else "default"
        url = f"{self._url}{'&' if '?' in self._url else '?'}{asked}"
        lines = "".join(f"{n3(s)} {n3(p)} {n3(o)} .\n" for s, p, o in triples)
        _StoreWire(url, self._authorization, courtesy=courtesy_towards(url)).ask(lines, update=True)


class _StoreWire(Wire):
    def _request(self, text: str, rdf: bool, update: bool) -> Request:
        headers = {"User-Agent": AGENT, "Content-Type": "application/n-triples"}
        if self.authorization:
            headers["Authorization"] = self.authorization
        return Request(self.url, text.encode(), headers)


def push(
    content: Iterable[Quad],
    endpoint: EndpointGraph | GraphStore,
    *,
    into: str = "",
    progress: Path | None = None,
    on_batch: Callable[[int, int], object] = lambda done, total: None,
) -> int:
    """Add quads to a service; returns how many.

    They are added, replacing nothing, so what is sent twice is there once. Blank nodes get IRIs
    made of the content, for a service would make others of those in each batch. ``into`` is the
    named graph that all triples go to; by default each goes to its own.

    Args:
        progress: a file that says how far it came; it is there only while the push is unfinished.
        on_batch: called with the numbers of quads sent and of all.

    Raises:
        BackendError: the service refuses, or does not answer; what was sent stays, and the next
            push with the same content goes on behind it.
    """
    if into and not is_iri(into):
        raise ValueError(f"a named graph has an absolute IRI, and {into!r} is none")
    named = Iri(into) if into else None
    quads = [(triple, named if into else graph) for triple, graph in in_order(list(content))]
    quads = list(dict.fromkeys(_without_blanks(quads)))
    digest = hashlib.sha256(repr([quads, endpoint.name]).encode()).hexdigest()
    done = _sent(progress, digest)
    while done < len(quads):
        batch = quads[done : done + BATCH]
        for graph, group in groupby(batch, lambda quad: quad[1]):
            endpoint.add_to(graph or "", (triple for triple, _ in group))
        done += len(batch)
        if progress is not None:
            refuse_link(progress)
            write_whole(progress, json.dumps({"content": digest, "sent": done}) + "\n")
        on_batch(done, len(quads))
    if progress is not None:
        progress.unlink(missing_ok=True)
    return len(quads)


def _sent(progress: Path | None, digest: str) -> int:
    """How many of this content were sent before."""
    try:
        kept = from_json(progress.read_text(encoding="utf-8")) if progress else {}
        return max(0, int(kept["sent"])) if kept["content"] == digest else 0
    except (OSError, ValueError, KeyError, TypeError):
        return 0


def _without_blanks(quads: list[Quad]) -> Iterator[Quad]:
    """The quads with IRIs for blank nodes, which are the same for the same content."""
    seed = hashlib.sha256(repr(quads).encode()).hexdigest()[:16]

    def named(term: Term) -> Term:
        if isinstance(term, Blank):
            return Iri(f"{BLANK}{seed}:{hashlib.sha256(repr(term).encode()).hexdigest()[:16]}")
        if isinstance(term, TripleTerm):
            return TripleTerm(named(term.subject), term.predicate, named(term.object))  # type: ignore[arg-type]
        return term

    for (subject, predicate, value), graph in quads:
        yield (named(subject), predicate, named(value)), graph  # type: ignore[misc]  # an IRI for a blank node

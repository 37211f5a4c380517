"""EndpointGraph: any SPARQL 1.1 service over HTTP."""

from __future__ import annotations

import base64
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias, TypeGuard
from urllib.parse import unquote, urlsplit, urlunsplit

from kgnb.errors import BackendError, DataError
from kgnb.kg.endpoint_results import read_boolean, read_solutions, read_triples
from kgnb.kg.endpoint_wire import PATIENCE, Wire, courtesy_towards, public_url
from kgnb.kg.graph import Bindings, Solutions, distinct
from kgnb.kg.sparql import beyond, bind, check_limit, expect_form, expect_update, limited, selected
from kgnb.kg.terms import (
    Blank,
    Iri,
    Literal,
    Node,
    Term,
    Triple,
    TripleTerm,
    is_iri,
    n3,
    triple_key,
)
from kgnb.patience import Patience

if TYPE_CHECKING:
    import rdflib
    from SPARQLWrapper import SPARQLWrapper

Wrapper: TypeAlias = "SPARQLWrapper"


def is_wrapper(source: object) -> TypeGuard[Wrapper]:
    """Whether this is a SPARQLWrapper; without importing the library, which takes a while."""
    library = sys.modules.get("SPARQLWrapper")
    return library is not None and isinstance(source, library.SPARQLWrapper)


def is_rdflib(source: object) -> TypeGuard[rdflib.Graph]:
    """Whether this is a graph of rdflib; without importing the library, which takes a while."""
    library = sys.modules.get("rdflib")
    return library is not None and isinstance(source, library.Graph)


BATCH = 2000
"""Triples sent in one update; those that share blank nodes always travel together."""

ROUND = 500
"""A service may have cut off an answer whose number of rows is a multiple of this: it is asked for
the next row.
"""
NO_GRAPH = "urn:x-kgnb:no-graph"


class EndpointGraph:
    """A graph behind a SPARQL endpoint; read-only unless ``update_url`` is given.

    A service on the public network is asked at most five times a second, by all graphs on its host
    together. Whether queries see named graphs is the service's choice. ``triples`` and ``count``
    look into all of them; ``named_graphs=False`` saves that where the default graph holds
    everything already (Virtuoso, QLever, Wikidata).
    """

    def __init__(
        self,
        url: str,
        *,
        update_url: str | None = None,
        user: str = "",
        password: str = "",
        token: str = "",
        headers: Mapping[str, str] | None = None,
        parameters: Mapping[str, str] | None = None,
        named_graphs: bool = True,
        default_graph: str = "",
        timeout: float = 60.0,
        patience: Patience | None = None,
        name: str = "",
    ) -> None:
        """Nothing is sent yet.

        A user and password, or a ``token``, are sent as Basic or Bearer authorization and shown in
        no repr, log or error; those in ``url`` are taken out of it. ``parameters`` are more fields
        of the form, such as Virtuoso's ``timeout``; ``timeout`` is in seconds, for each try.

        Args:
            update_url: the update address, for ``add`` and ``update``.
            named_graphs: whether ``triples`` and ``count`` look into named graphs.
            default_graph: the IRI of the one named graph to query and add to (Virtuoso adds nowhere
                else).
            name: how messages name it; by default its URL.
        """
        if token and (user or password):
            raise ValueError("give a token or a user and password, not both")
        if not all(
            text.isprintable() and text.isascii() for text in (token, *(headers or {}).values())
        ):
            raise ValueError(
                "a token and a header are one line of ASCII characters"
            )  # a later error would show it
        if default_graph and not is_iri(default_graph):
            raise ValueError(f"a named graph is named by an absolute IRI, not {default_graph!r}")
        address, authorization = authorized(url, user, password, token)
        # by the protocol GRAPH then finds nothing; Virtuoso has to be told
        of_graph = (
            {"default-graph-uri": default_graph, "named-graph-uri": NO_GRAPH}
            if default_graph
            else {}
        )
        rest = timeout, patience or PATIENCE
        parameters = {**of_graph, **(parameters or {})}
        self._wire = Wire(
            address,
            authorization,
            headers or {},
            parameters,
            *rest,
            courtesy=courtesy_towards(address),
        )
        self._update: Wire | None = None
        if update_url is not None:
            address, own = authorized(update_url, user, password, token)
            using = {"using-graph-uri": default_graph} if default_graph else {}
            self._update = Wire(address, own or authorization, headers or {}, using, *rest)
        self._default_graph = default_graph
        self.named_graphs = named_graphs and not default_graph
        self._name = name or public_url(url)
        self._closed = False

    @classmethod
    def of(cls, wrapper: Wrapper, *, name: str = "") -> EndpointGraph:
        """The graph behind a SPARQLWrapper, asked with its settings: return format, method,
        credentials (Basic or Digest), headers, parameters, default graph, timeout.

        It can be changed where the wrapper has an update endpoint of its own. The wrapper is only
        read: its own query and format stay as they are.
        """
        of_graph = wrapper.parameters.get("default-graph-uri", [])
        graph = cls(
            wrapper.endpoint,
            update_url=wrapper.updateEndpoint
            if wrapper.updateEndpoint != wrapper.endpoint
            else None,
            timeout=wrapper.timeout or 60.0,
            named_graphs=not of_graph,
            name=name,
        )
        graph._wire = replace(graph._wire, wrapper=wrapper)
        if graph._update is not None:
            graph._update = replace(graph._update, wrapper=wrapper)
        if len(of_graph) == 1 and is_iri(of_graph[0]):
            graph._default_graph = of_graph[0]
        return graph

    def __repr__(self) -> str:
        return f"EndpointGraph({self._name!r})"

    @property
    def name(self) -> str:
        """The URL, without user and password."""
        return self._name

    def select(
        self,
        query: str,
        *,
        bindings: Bindings = None,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> Solutions:
        """The rows of a SELECT query, at most ``limit`` (one more is requested, to see whether
        there is one).
        """
        check_limit(limit)
        expect_form(query, "SELECT")
        text = limited(bind(query, bindings), None if limit is None else limit + 1)
        found = read_solutions(
            self._open(), self._open().ask(text, timeout=timeout), selected(query)
        )
        cut = (
            (limit is not None and len(found) > limit) or found.truncated or self._cut(text, found)
        )
        return replace(found, rows=found.rows[:limit], truncated=cut)

    def _cut(self, text: str, found: Solutions) -> bool:
        """Whether a service silently sent fewer rows than there are, as Virtuoso does after 10,000."""
        if not len(found) or len(found) % ROUND:
            return False
        next_row = beyond(text, len(found))
        if next_row is None:
            return False
        try:
            return len(read_solutions(self._wire, self._wire.ask(next_row))) > 0
        except (
            BackendError,
            DataError,
        ):  # it cannot say, or takes no OFFSET: better one warning too many
            return True

    def ask(self, query: str, *, bindings: Bindings = None, timeout: float | None = None) -> bool:
        """The answer of an ASK query."""
        expect_form(query, "ASK")
        return read_boolean(self._open(), self._open().ask(bind(query, bindings), timeout=timeout))

    def construct(
        self,
        query: str,
        *,
        bindings: Bindings = None,
        limit: int | None = None,
        timeout: float | None = None,
    ) -> list[Triple]:
        """The triples of a CONSTRUCT or DESCRIBE query, sorted."""
        expect_form(query, "CONSTRUCT", "DESCRIBE")
        answer = self._open().ask(bind(query, bindings), rdf=True, timeout=timeout)
        return sorted(distinct(read_triples(self._open(), answer), limit), key=triple_key)

    def triples(
        self,
        subject: Node | None = None,
        predicate: Iri | None = None,
        object: Term | None = None,
        *,
        limit: int | None = None,
    ) -> list[Triple]:
        """The triples that match, sorted; not of a blank node, whose label means nothing to the
        service.
        """
        check_limit(limit)
        given = (("s", subject), ("p", predicate), ("o", object))
        named: dict[str, Term] = {variable: term for variable, term in given if term is not None}
        query = bind(f"SELECT DISTINCT ?s ?p ?o WHERE {{ {self._everywhere()} }}", named)
        rows = self.select(query, limit=limit).rows
        found = {
            (s, p, o)
            for s, p, o in rows
            if isinstance(s, Iri | Blank) and isinstance(p, Iri) and o is not None
        }
        return sorted(found, key=triple_key)

    def add(self, triples: Iterable[Triple]) -> None:
        """Add triples to the default graph, in batches; the service makes new blank nodes of those
        in them.
        """
        self.add_to(self._default_graph, triples)

    def add_to(self, graph: str, triples: Iterable[Triple]) -> None:
        """Add triples to a named graph, or with "" to the default one."""
        if graph and not is_iri(graph):
            raise ValueError(f"a named graph has an absolute IRI, and {str(graph)!r} is none")
        wire = self._writable()
        for batch in _batches(list(triples)):
            lines = "\n".join(f"{n3(s)} {n3(p)} {n3(o)} ." for s, p, o in batch)
            inside = f"GRAPH <{graph}> {{\n{lines}\n}}" if graph else lines
            blank = any(True for triple in batch for _ in _blanks(triple))
            # Virtuoso accepts blank nodes in templates only; and sent twice, they would be there
            # twice
            text = (
                f"INSERT {{\n{inside}\n}} WHERE {{}}" if blank else f"INSERT DATA {{\n{inside}\n}}"
            )
            wire.ask(text, update=True, repeatable=not blank)

    def update(self, text: str, *, timeout: float | None = None) -> None:
        """Send a SPARQL update; only once, unless it is refused: it may have run even where the
        answer is lost.
        """
        expect_update(text)
        self._writable().ask(text, update=True, timeout=timeout, repeatable=False)

    def count(self) -> int:
        """How many triples the service says there are."""
        pattern = (
            "{ SELECT DISTINCT ?s ?p ?o WHERE { " + self._everywhere() + " } }"
            if self.named_graphs
            else "?s ?p ?o"
        )
        rows = self.select(f"SELECT (COUNT(*) AS ?n) WHERE {{ {pattern} }}").rows
        cell = rows[0][0] if rows and rows[0] else None
        if not isinstance(cell, Literal) or not cell.text.isdecimal():
            raise self._wire.failure(
                "returned no number for a COUNT", fix="check that it speaks SPARQL 1.1"
            )
        return int(cell.text)

    def close(self) -> None:
        """No connection is kept between calls; after this, calls raise ValueError."""
        self._closed = True

    def _open(self) -> Wire:
        if self._closed:
            raise ValueError(f"the graph {self._name} is closed")
        return self._wire

    def _writable(self) -> Wire:
        if self._update is None:
            raise BackendError(
                f"{self._name} is open for reading only",
                service=self._name,
                fix="give its update address: EndpointGraph(..., update_url=U), or "
                "%kg connect NAME --url U --update-url U",
            )
        self._open()
        return self._update

    def _everywhere(self) -> str:
        return "{ ?s ?p ?o } UNION { GRAPH ?g { ?s ?p ?o } }" if self.named_graphs else "?s ?p ?o"


def authorized(url: str, user: str, password: str, token: str) -> tuple[str, str]:
    """The URL without credentials, and the Authorization header for them."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https"):
        what = "an endpoint's address begins with http:// or https://"
        raise ValueError(f"{what}, not {public_url(url)!r}")
    inside, _, host = parts.netloc.rpartition("@")
    if inside and not user and not token:
        user, _, password = (unquote(piece) for piece in inside.partition(":"))
    clean = urlunsplit((parts.scheme, host, parts.path, parts.query, ""))
    if token:
        return clean, f"Bearer {token}"
    if user or password:
        return clean, "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode("ascii")
    return clean, ""


def _batches(triples: list[Triple]) -> Iterator[list[Triple]]:
    """Batches of about ``BATCH`` triples; no blank node is in two of them."""
    joined: dict[str, str] = {}

    def group(label: str) -> str:
        """The label that stands for all that are joined to this one."""
        while (other := joined.setdefault(label, label)) != label:
            joined[label] = label = joined[other]
        return label

    for triple in triples:
        first, *others = [group(label) for label in _blanks(triple)] or [""]
        joined.update(dict.fromkeys(others, first))
    together: dict[str | int, list[Triple]] = {}
    for at, triple in enumerate(triples):
        label = next(_blanks(triple), None)
        together.setdefault(at if label is None else group(label), []).append(triple)
    batch: list[Triple] = []
    for some in together.values():
        if batch and len(batch) + len(some) > BATCH:
            yield batch
            batch = []
        batch += some
    if batch:
        yield batch


def _blanks(terms: Iterable[Term]) -> Iterator[str]:
    for term in terms:
        if isinstance(term, Blank):
            yield term.label
        elif isinstance(term, TripleTerm):
            yield from _blanks((term.subject, term.predicate, term.object))

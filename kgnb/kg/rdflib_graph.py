"""RdflibGraph: an rdflib Graph or Dataset that the caller already has, as a kgnb graph."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any, cast

import rdflib
from pyparsing import ParseBaseException
from rdflib.graph import QuotedGraph
from rdflib.plugins import sparql as rdflib_sparql
from rdflib.plugins.sparql.sparql import SPARQLError
from rdflib.term import Node as RdflibNode

from kgnb.errors import DataError
from kgnb.kg.graph import Bindings, Solutions, too_slow
from kgnb.kg.sparql import (
    bind,
    check_limit,
    expect_form,
    expect_update,
    malformed,
    refuse_load,
    tokens,
    undeclared_prefixes,
)
from kgnb.kg.terms import XSD, Blank, Iri, Literal, Node, Term, Triple, is_iri, n3, triple_key

_SWITCHES = threading.RLock()  # rdflib keeps some of what a query may do in globals of its module


def _fresh_lock() -> None:
    """In a forked process, where the thread that holds the lock does not live on."""
    global _SWITCHES
    _SWITCHES = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_fresh_lock)


class RdflibGraph:
    """A view of an rdflib graph: additions go into that graph. For small graphs, since rdflib's SPARQL is slow.

    A Dataset or ConjunctiveGraph is read as the union of its graphs. rdflib rewrites some literals as it parses
    (``"01"^^xsd:integer`` becomes ``"1"``) and has no triple terms.

    >>> import rdflib
    >>> theirs = rdflib.Graph().parse(data='<urn:hut> <urn:beds> 12 .', format="turtle")
    >>> RdflibGraph(theirs).ask("ASK { ?hut <urn:beds> 12 }")
    True
    """

    def __init__(self, graph: rdflib.Graph | None = None, *, name: str = "") -> None:
        """Wrap ``graph``, or a new empty one."""
        self.graph = rdflib.Dataset() if graph is None else graph
        if isinstance(self.graph, rdflib.ConjunctiveGraph):  # a Dataset is one; its own default_union stays as it is
            self._view: rdflib.Graph = rdflib.Dataset(store=self.graph.store, default_union=True)
        else:
            self._view = self.graph
        self._name = name or "rdflib graph"
        self._closed = False
        self.mended: tuple[tuple[str, int], ...] = ()
        """What loading files into it had to repair, and how often."""
        self.prefixes: tuple[tuple[str, str], ...] = ()
        """The prefixes those files declare."""

    def __repr__(self) -> str:
        return f"RdflibGraph({self._name!r})"

    @property
    def name(self) -> str:
        """The name it was given, or "rdflib graph"."""
        return self._name

    def select(
        self, query: str, *, bindings: Bindings = None, limit: int | None = None, timeout: float | None = None
    ) -> Solutions:
        """The rows of a SELECT query, at most ``limit``; ``timeout`` is checked between rows."""
        check_limit(limit)
        expect_form(query, "SELECT")
        found, rows = self._rows(query, bindings, None if limit is None else limit + 1, timeout)
        converted = [tuple(None if node is None else from_rdflib(node) for node in cast(Any, row)) for row in rows]
        variables = tuple(str(variable) for variable in found.vars or ())
        return Solutions(variables, tuple(converted[:limit]), truncated=limit is not None and len(converted) > limit)

    def ask(self, query: str, *, bindings: Bindings = None, timeout: float | None = None) -> bool:
        """The answer of an ASK query."""
        expect_form(query, "ASK")
        _, rows = self._rows(query, bindings, None, timeout)
        return bool(rows[0])

    def construct(self, query: str, *, bindings: Bindings = None, timeout: float | None = None) -> list[Triple]:
        """The triples of a CONSTRUCT or DESCRIBE query, sorted."""
        expect_form(query, "CONSTRUCT", "DESCRIBE")
        _, rows = self._rows(query, bindings, None, timeout)
        return sorted({_triple(cast(Any, row)) for row in rows}, key=triple_key)

    def triples(
        self, subject: Node | None = None, predicate: Iri | None = None, object: Term | None = None, *,
        limit: int | None = None,
    ) -> list[Triple]:  # fmt: skip
        """The triples that match, each once, sorted (with a limit: those rdflib finds first, sorted)."""
        check_limit(limit)
        pattern = tuple(None if term is None else to_rdflib(term) for term in (subject, predicate, object))
        found: dict[Triple, None] = {}
        for triple in self._union().triples(cast(Any, pattern)):
            if limit is not None and len(found) >= limit:
                break
            if not isinstance(triple[2], QuotedGraph):
                found[_triple(triple)] = None
        return sorted(found, key=triple_key)

    def add(self, triples: Iterable[Triple]) -> None:
        """Add triples to the default graph, all or none."""
        for converted in [tuple(to_rdflib(term) for term in triple) for triple in triples]:
            self._union().add(cast(Any, converted))

    def update(self, text: str, *, timeout: float | None = None) -> None:
        """Run a SPARQL update; ``timeout`` is ignored. ``LOAD`` is refused: nothing is fetched."""
        expect_update(text)
        refuse_load(text)
        try:
            # rdflib cannot write to a union, and SPARQL Update means the default graph anyway (section 3.1.1)
            with _rdflib_set(SPARQL_DEFAULT_GRAPH_UNION=False, SPARQL_LOAD_GRAPHS=False):
                self._union().update(text, initNs={})
        except ParseBaseException as error:
            raise malformed(text, error.lineno, error.column, str(error)) from error
        except (SPARQLError, NotImplementedError, ValueError) as error:
            raise DataError(str(error)[:300], where="SPARQL update", fix="correct the update") from error

    def count(self) -> int:
        """How many triples there are."""
        return len(self._union())

    def close(self) -> None:
        """Refuse further calls; the rdflib graph itself is the caller's."""
        self._closed = True

    def _union(self) -> rdflib.Graph:
        if self._closed:
            raise ValueError(f"the graph {self._name} is closed")
        return self._view

    def _refuse_what_rdflib_cannot(self, query: str) -> None:
        """Raise DataError where rdflib would raise a bare Exception."""
        if missing := undeclared_prefixes(query):
            raise DataError(
                f"the prefix {missing[0]} is not declared",
                where="SPARQL query",
                fix=f"put PREFIX {missing[0]} <...> at the top of the query",
            )
        if not isinstance(self._view, rdflib.Dataset) and any(token.word == "GRAPH" for token in tokens(query)):
            raise DataError(
                "this rdflib Graph has no named graphs, so it cannot answer GRAPH",
                where="SPARQL query",
                fix="leave out GRAPH, or wrap an rdflib Dataset",
            )

    def _rows(
        self, query: str, bindings: Bindings, most: int | None, timeout: float | None
    ) -> tuple[rdflib.query.Result, list[object]]:
        """rdflib's result and its rows; its evaluator is lazy, so errors come while rows are read.

        Literals and blank nodes are bound as values, because rdflib's parser misreads backslashes in strings.
        """
        self._refuse_what_rdflib_cannot(query)
        named = {name: term for name, term in (bindings or {}).items() if isinstance(term, Iri)}
        text = bind(query, named)
        others = {name: to_rdflib(term) for name, term in (bindings or {}).items() if name not in named}
        end = None if timeout is None else time.monotonic() + timeout
        rows: list[object] = []
        try:
            with _rdflib_set(SPARQL_LOAD_GRAPHS=False):  # else FROM <http://...> would fetch it
                found = self._union().query(text, initNs={}, initBindings=cast(Any, others))
                for row in islice(found, most):
                    rows.append(row)
                    if end is not None and time.monotonic() > end:
                        raise too_slow(self._name, timeout, "load the graph into an OxigraphGraph")
        except ParseBaseException as error:
            raise malformed(text, error.lineno, error.column, str(error)) from error
        except (SPARQLError, NotImplementedError, ValueError) as error:
            raise DataError(str(error)[:300], where="SPARQL query", fix="correct the query") from error
        return found, rows


@contextmanager
def _rdflib_set(**flags: bool) -> Iterator[None]:
    """Sets rdflib's global switches while one query or update runs, in one thread at a time."""
    with _SWITCHES:
        before = {name: getattr(rdflib_sparql, name) for name in flags}
        try:
            for name, value in flags.items():
                setattr(rdflib_sparql, name, value)
            yield
        finally:
            for name, value in before.items():
                setattr(rdflib_sparql, name, value)


def to_rdflib(term: Term) -> RdflibNode:
    """The rdflib term; raises ValueError for what rdflib or RDF cannot hold."""
    if isinstance(term, Iri):
        if not is_iri(term):
            raise ValueError(f"not an absolute IRI: {str(term)!r}")
        return rdflib.URIRef(str(term))
    if isinstance(term, Blank):
        return rdflib.BNode(term.label)
    if isinstance(term, Literal):
        n3(term)  # refuses language tags and datatypes that RDF does not allow
        if term.language is not None:
            return rdflib.Literal(term.text, lang=term.language)
        return rdflib.Literal(term.text, datatype=term.datatype, normalize=False)
    raise ValueError("rdflib has no triple terms; use an OxigraphGraph for them")


def from_rdflib(node: object) -> Term:
    """Our term for rdflib's; ``xsd:string`` is written as no datatype."""
    if isinstance(node, rdflib.URIRef):
        return Iri(str(node))
    if isinstance(node, rdflib.BNode):
        return Blank(str(node))
    if isinstance(node, rdflib.Literal):
        datatype = None if node.datatype is None else str(node.datatype)
        return Literal(str(node), node.language or None, None if datatype == f"{XSD}string" else datatype)
    raise DataError(f"rdflib returned something that is not an RDF term: {type(node).__name__}", where="rdflib graph")


def _triple(row: tuple[object, object, object]) -> Triple:
    subject, predicate, value = (from_rdflib(node) for node in row)
    if not isinstance(subject, Iri | Blank) or not isinstance(predicate, Iri):
        raise DataError(f"not a triple of RDF 1.1: {row!r:.200}", where="rdflib graph")
    return subject, predicate, value

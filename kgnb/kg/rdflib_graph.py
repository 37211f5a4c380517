"""RdflibGraph: an rdflib Graph or Dataset that the caller already has, as a kgnb graph."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, cast
from weakref import WeakKeyDictionary

import pyoxigraph as ox
import rdflib
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID, QuotedGraph
from rdflib.plugins.stores.memory import Memory
from rdflib.store import Store, TripleAddedEvent
from rdflib.term import Node as RdflibNode

from kgnb.errors import DataError
from kgnb.kg.engine_query import LONG_NUMBER
from kgnb.kg.mending import Mender, Mends
from kgnb.kg.oxigraph_graph import SKOSXL, OxigraphGraph, OxTerm, from_oxigraph, to_oxigraph
from kgnb.kg.quads import as_stored
from kgnb.kg.terms import XSD, Blank, Iri, Literal, Term, Triple, is_iri, n3

_ADDED: WeakKeyDictionary[Store, Counter[str]] = WeakKeyDictionary()
"""How many triples were added to each rdflib store since one of its graphs was first wrapped."""


class RdflibGraph(OxigraphGraph):
    """An rdflib graph, copied into an embedded store, whose queries are far faster, again whenever
    it has changed.

    What is added or updated goes into the rdflib graph as well; of a Dataset all graphs are read.
    rdflib has no triple terms.

    >>> import rdflib
    >>> theirs = rdflib.Graph().parse(data='<urn:hut> <urn:beds> 12 .', format="turtle")
    >>> RdflibGraph(theirs).ask("ASK { ?hut <urn:beds> 12 }")
    True
    """

    def __init__(self, graph: rdflib.Graph | None = None, *, name: str = "") -> None:
        """Wrap ``graph``, or a new empty one."""
        super().__init__(name=name or "rdflib graph")
        self.graph = rdflib.Dataset() if graph is None else graph
        self._copied: tuple[int, int] | None = None
        if self.graph.store not in _ADDED:
            _ADDED[self.graph.store] = counter = Counter[str]()
            listen: Any = self.graph.store.dispatcher.subscribe
            listen(TripleAddedEvent, lambda _: counter.update(["added"]))

    def __repr__(self) -> str:
        return f"RdflibGraph({self._name!r})"

    @property
    def store(self) -> ox.Store:
        """The embedded store, up to date with the rdflib graph."""
        super().store  # noqa: B018  # raises if the graph is closed
        if self._copied is None or self._copied != self._state():
            state, fresh = (
                self._state(),
                ox.Store(),
            )  # a new one: other threads may read the old one
            fresh.extend(
                _to_oxigraph(*quad)
                for quad in self._quads()
                if not isinstance(quad[2], QuotedGraph)
            )
            self._store, self._copied = fresh, state
            if any(LONG_NUMBER.search(str(quad[2])) for quad in self._quads()):
                self.count_beyond()
            if any(str(quad[1]).startswith(f"{SKOSXL}prefLabel") for quad in self._quads()):
                self.add_plain_labels()
        return super().store

    def add(self, triples: Iterable[Triple]) -> None:
        """Add triples to the default graph, all or none."""
        for converted in [cast(Any, tuple(map(to_rdflib, triple))) for triple in triples]:
            self.graph.add(converted)

    def add_quads(self, quads: Iterable[ox.Quad], *, parts: bool = False) -> None:
        """Add pyoxigraph quads, those of named graphs to the default graph too; all at once, also
        with ``parts``.
        """
        for triple in [_nodes(quad) for quad in quads]:
            self.graph.add(triple)

    def update(self, text: str, *, timeout: float | None = None) -> None:
        """Run a SPARQL update; ``timeout`` is ignored. ``LOAD`` is refused: nothing is fetched."""
        store = self.store
        before = set(store)
        super().update(text)
        after = set(store)
        self._copied = None  # until all of it has arrived in the rdflib graph
        places = {quad: self._place(quad) for quad in before ^ after}
        for quad in before - after:
            subject, predicate, value = map(from_oxigraph, quad.triple)
            for triple in [*places[quad].triples((to_rdflib(subject), to_rdflib(predicate), None))]:
                if as_stored(from_rdflib(triple[2])) == value:  # which may be written otherwise
                    places[quad].remove(triple)
        for quad in after - before:
            places[quad].add(_nodes(quad))
        self._copied = self._state()

    def _state(self) -> tuple[int, int] | None:
        """What changes with the rdflib graph: rdflib tells of additions, removals change the size;
        other stores than rdflib's own may tell nothing.
        """
        store = self.graph.store
        return (_ADDED[store]["added"], len(store)) if isinstance(store, Memory) else None

    def _quads(self) -> Iterator[tuple[Any, ...]]:
        if not isinstance(self.graph, rdflib.ConjunctiveGraph):  # a Dataset is one
            yield from ((*triple, None) for triple in self.graph)
        else:
            yield from self.graph.quads()

    def _place(self, quad: ox.Quad) -> rdflib.Graph:
        """The rdflib graph that a quad is in."""
        name = quad.graph_name
        if isinstance(self.graph, rdflib.ConjunctiveGraph):
            return self.graph.get_context(
                name.value if isinstance(name, ox.NamedNode) else DATASET_DEFAULT_GRAPH_ID
            )
        if isinstance(name, ox.NamedNode):
            fix = "leave out GRAPH, or wrap an rdflib Dataset"
            raise DataError("this rdflib Graph has no named graphs", where=self._name, fix=fix)
        return self.graph


def _to_oxigraph(subject: object, predicate: object, value: object, graph: object) -> ox.Quad:
    name = getattr(graph, "identifier", graph)
    try:
        place = ox.DefaultGraph() if name in (None, DATASET_DEFAULT_GRAPH_ID) else _term(name)
        terms: Any = _term(subject), _term(predicate), _term(value), place
        return ox.Quad(*terms)
    except (TypeError, ValueError) as error:
        what = f"not a triple of RDF 1.1: {(subject, predicate, value)!r:.200}"
        raise DataError(
            what, where="rdflib graph", fix="take it out of the graph", details=str(error)
        ) from error


def _nodes(quad: ox.Quad) -> Any:
    return tuple(to_rdflib(from_oxigraph(term)) for term in quad.triple)


def _term(node: object) -> OxTerm:
    """The pyoxigraph term; an IRI that is malformed, which rdflib takes, is mended."""
    term = from_rdflib(node)
    if isinstance(term, Iri) and not is_iri(term):
        return Mender("file:///rdflib", Mends()).mended_iri(term)
    return to_oxigraph(term)


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
        return Literal(
            str(node), node.language or None, None if datatype == f"{XSD}string" else datatype
        )
    raise DataError(
        f"rdflib returned something that is not an RDF term: {type(node).__name__}",
        where="rdflib graph",
    )

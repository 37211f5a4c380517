"""Triples in named graphs: into the embedded store all at once, and out as TriG, Turtle, JSON-LD, or one digest."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from io import BytesIO
from itertools import groupby
from typing import IO, TypeAlias

import pyoxigraph as ox

from kgnb.kg.oxigraph_graph import OxigraphGraph, to_oxigraph, triple_from_oxigraph, triple_to_oxigraph
from kgnb.kg.terms import Iri, Literal, Term, Triple, triple_key

Quad: TypeAlias = tuple[Triple, Iri | None]
"""A triple and the named graph it stands in; None for the default graph."""

_FORMATS = {"trig": ox.RdfFormat.TRIG, "turtle": ox.RdfFormat.TURTLE, "json-ld": ox.RdfFormat.JSON_LD,
            "n-quads": ox.RdfFormat.N_QUADS, "n-triples": ox.RdfFormat.N_TRIPLES}  # fmt: skip

_NAMED = ("trig", "json-ld", "n-quads")


class QuadWriter:
    """Writes quads into one store; terms that come again are converted once."""

    def __init__(self, graph: OxigraphGraph) -> None:
        self._graph = graph
        terms = _Terms()
        self._converted, self._term = terms.quad, terms.term

    def add(self, quads: Iterable[Quad]) -> None:
        """Add quads in one transaction: all or none."""
        self._graph.add_quads([self._converted(quad) for quad in quads])

    def remove(self, quads: Iterable[Quad]) -> None:
        """Take quads out of the store; those it does not hold are passed over."""
        self._graph.remove_quads([self._converted(quad) for quad in quads])

    def lacking(self, quads: Iterable[Quad]) -> list[Quad]:
        """Those of the quads that the store does not hold, each once."""
        return [quad for quad in dict.fromkeys(quads) if not self._graph.holds(self._converted(quad))]

    def graphs_of(self, triple: Triple) -> list[Iri]:
        """The named graphs a triple stands in, in order."""
        s, p, o = map(self._term, triple)
        found = {_graph_name(quad) for quad in self._graph.matching(s, p, o)}
        return sorted(name for name in found if name is not None)

    def values(self, subject: Iri, predicate: str, graph: Iri) -> list[Term]:
        """The values of a property in one named graph."""
        matching = self._graph.matching(self._term(subject), self._term(Iri(predicate)), None, self._term(graph))
        return [triple_from_oxigraph(quad)[2] for quad in matching]


class _Terms:
    """Turns quads into pyoxigraph's; a term that comes again is converted once."""

    def __init__(self) -> None:
        self._known: dict[Term, object] = {}

    def quad(self, quad: Quad) -> ox.Quad:
        (subject, predicate, value), name = quad
        s, p, o = self.term(subject), self.term(predicate), self.term(value)
        return ox.Quad(s, p, o, ox.DefaultGraph() if name is None else self.term(name))  # type: ignore[arg-type]

    def term(self, term: Term) -> object:
        known = self._known.get(term)
        if known is None:
            if len(self._known) > 20_000:
                self._known.clear()
            known = self._known[term] = to_oxigraph(term)
        return known


def quads(graph: OxigraphGraph) -> Iterator[Quad]:
    """Every quad of a store, in no order."""
    for quad in graph.all_quads():
        yield triple_from_oxigraph(quad), _graph_name(quad)


@lru_cache(10_000)
def as_stored(term: Term) -> Term:
    """A term as the store gives it back: of a typed literal it keeps the value, not how that was written.

    >>> as_stored(Literal("1.50", None, "http://www.w3.org/2001/XMLSchema#decimal")).text
    '1.5'
    """
    if not isinstance(term, Literal) or term.datatype is None:
        return term
    store, node = ox.Store(), ox.NamedNode("urn:any")
    store.add(ox.Quad(node, node, to_oxigraph(term)))
    return next(triple_from_oxigraph(quad)[2] for quad in store)


def read_n_quads(text: str) -> list[Quad]:
    """The quads of N-Quads text; raises ValueError for what is none."""
    try:
        found = list(ox.parse(text.encode("utf-8"), format=ox.RdfFormat.N_QUADS))
    except SyntaxError as error:
        raise ValueError(f"not readable as N-Quads: {error}") from error
    return [(triple_from_oxigraph(one), _graph_name(one)) for one in found]


def _graph_name(quad: ox.Quad) -> Iri | None:
    return Iri(quad.graph_name.value) if isinstance(quad.graph_name, ox.NamedNode) else None


def write(ordered: Iterable[Quad], form: str, stream: IO[bytes], prefixes: Mapping[str, str] | None = None) -> None:
    """Write quads as they come: ``form`` is trig, turtle, json-ld, n-quads or n-triples.

    Raises ValueError for another form.
    """
    if form not in _FORMATS:
        raise ValueError(f"form is {form!r}: choose one of {', '.join(_FORMATS)}")
    named, terms = form in _NAMED, _Terms()
    once = ordered if named else ((triple, None) for triple, _ in groupby(triple for triple, _ in ordered))
    ox.serialize(map(terms.quad, once), stream, format=_FORMATS[form], prefixes=dict(prefixes or {}))


def in_order(content: Iterable[Quad], *, named: bool = True) -> list[Quad]:
    """Quads sorted by graph, unless it is not ``named``, and by triple."""
    return sorted(content, key=lambda quad: ((quad[1] or "") if named else "", triple_key(quad[0])))


def written(content: Iterable[Quad], form: str, prefixes: Mapping[str, str] | None = None) -> str:
    """Quads as text, in one order: what ``write`` writes of them sorted.

    >>> print(written([((Iri("urn:a"), Iri("urn:p"), Iri("urn:b")), None)], "turtle"), end="")
    <urn:a> <urn:p> <urn:b> .
    """
    stream = BytesIO()
    write(in_order(content, named=form in _NAMED), form, stream, prefixes)
    return stream.getvalue().decode("utf-8")


def digest(triples: Iterable[Triple]) -> str:
    """The SHA-256 of the triples as canonical N-Quads (RDF Dataset Canonicalization 1.0), in hexadecimal.

    >>> from kgnb.kg.terms import Blank, Iri
    >>> one, other = ([(Blank(name), Iri("urn:p"), Iri("urn:o"))] for name in "ab")
    >>> digest(one) == digest(other)
    True
    """
    dataset = ox.Dataset(ox.Quad(*triple_to_oxigraph(triple)) for triple in triples)
    dataset.canonicalize(ox.CanonicalizationAlgorithm.RDFC_1_0)
    lines = sorted(f"{quad.subject} {quad.predicate} {quad.object} .\n" for quad in dataset)
    return hashlib.sha256("".join(lines).encode("utf-8", "surrogatepass")).hexdigest()

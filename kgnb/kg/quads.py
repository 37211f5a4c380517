"""Triples in named graphs: into the embedded store in one step, and out as TriG, Turtle, JSON-LD,
or one digest.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from io import BytesIO
from itertools import groupby
from typing import IO, TypeAlias

import pyoxigraph as ox

from kgnb.kg.oxigraph_graph import (
    OxigraphGraph,
    to_oxigraph,
    triple_from_oxigraph,
    triple_to_oxigraph,
)
from kgnb.kg.terms import Blank, Iri, Literal, Term, Triple, TripleTerm, triple_key

Quad: TypeAlias = tuple[Triple, Iri | None]
"""A triple and the named graph it is in; None for the default graph."""

_FORMATS = {
    "trig": ox.RdfFormat.TRIG,
    "turtle": ox.RdfFormat.TURTLE,
    "json-ld": ox.RdfFormat.JSON_LD,
    "n-quads": ox.RdfFormat.N_QUADS,
    "n-triples": ox.RdfFormat.N_TRIPLES,
}
_NAMED = ("trig", "json-ld", "n-quads")


class QuadWriter:
    """Writes quads into one store."""

    def __init__(self, graph: OxigraphGraph) -> None:
        self._graph = graph

    def add(self, quads: Iterable[Quad]) -> None:
        """Add quads in one transaction: all or none."""
        self._graph.add_quads(map(_to_oxigraph, quads))

    def remove(self, quads: Iterable[Quad]) -> None:
        """Remove quads from the store; those it does not hold are ignored."""
        for quad in quads:
            self._graph.store.remove(_to_oxigraph(quad))
            self._graph.version += 1

    def lacking(self, quads: Iterable[Quad]) -> list[Quad]:
        """Those of the quads that the store does not hold, each once."""
        return [
            quad for quad in dict.fromkeys(quads) if _to_oxigraph(quad) not in self._graph.store
        ]

    def graphs_of(self, triple: Triple) -> list[Iri]:
        """The named graphs a triple is in, in order."""
        found = self._graph.store.quads_for_pattern(*triple_to_oxigraph(triple), None)
        return sorted({name for name in map(_graph_name, found) if name is not None})

    def subjects(self, predicate: str, value: Iri, graph: Iri) -> list[Iri]:
        """What has a value of a property in one named graph, in order."""
        p, o, g = (ox.NamedNode(iri) for iri in (predicate, value, graph))
        found = self._graph.store.quads_for_pattern(None, p, o, g)
        return sorted(
            Iri(quad.subject.value) for quad in found if isinstance(quad.subject, ox.NamedNode)
        )

    def content(self, graph: Iri) -> list[Quad]:
        """The quads of one named graph."""
        found = self._graph.store.quads_for_pattern(None, None, None, ox.NamedNode(graph))
        return [(triple_from_oxigraph(quad), graph) for quad in found]

    def about(self, subject: Iri, graph: Iri) -> list[Quad]:
        """The quads about one subject in one named graph."""
        s, g = ox.NamedNode(subject), ox.NamedNode(graph)
        found = self._graph.store.quads_for_pattern(s, None, None, g)
        return [(triple_from_oxigraph(quad), graph) for quad in found]

    def values(self, subject: Iri, predicate: str, graph: Iri) -> list[Term]:
        """The values of a property in one named graph."""
        s, p, g = (ox.NamedNode(iri) for iri in (subject, predicate, graph))
        return [
            triple_from_oxigraph(quad)[2]
            for quad in self._graph.store.quads_for_pattern(s, p, None, g)
        ]


def _to_oxigraph(quad: Quad) -> ox.Quad:
    triple, name = quad
    graph = ox.DefaultGraph() if name is None else to_oxigraph(name)
    # of an Iri it is a NamedNode
    return ox.Quad(*triple_to_oxigraph(triple), graph)  # type: ignore[arg-type]


def _graph_name(quad: ox.Quad) -> Iri | None:
    return Iri(quad.graph_name.value) if isinstance(quad.graph_name, ox.NamedNode) else None


def quads(graph: OxigraphGraph) -> Iterator[Quad]:
    """Every quad of a store, in no order."""
    for quad in list(graph.store):
        yield triple_from_oxigraph(quad), _graph_name(quad)


@lru_cache(10_000)
def as_stored(term: Term) -> Term:
    """A term as the store returns it: of a typed literal it keeps the value, not how that was
    written.

    >>> as_stored(Literal("1.50", None, "http://www.w3.org/2001/XMLSchema#decimal")).text
    '1.5'
    """
    if not isinstance(term, Literal) or term.datatype is None:
        return term
    store, node = ox.Store(), ox.NamedNode("urn:any")
    store.add(ox.Quad(node, node, to_oxigraph(term)))
    return next(triple_from_oxigraph(quad)[2] for quad in store)


def read_n_quads(text: str) -> list[Quad]:
    """The quads of N-Quads text; raises ValueError where it is malformed."""
    try:
        found = list(ox.parse(text.encode("utf-8"), format=ox.RdfFormat.N_QUADS))
    except SyntaxError as error:
        raise ValueError(f"not readable as N-Quads: {error}") from error
    return [(triple_from_oxigraph(one), _graph_name(one)) for one in found]


def write(
    ordered: Iterable[Quad], form: str, stream: IO[bytes], prefixes: Mapping[str, str] | None = None
) -> None:
    """Write quads in the given order; ``form`` is trig, turtle, json-ld, n-quads or n-triples.

    Raises ValueError for another form.
    """
    if form not in _FORMATS:
        raise ValueError(f"form is {form!r}: choose one of {', '.join(_FORMATS)}")
    once = (
        ordered
        if form in _NAMED
        else ((triple, None) for triple, _ in groupby(triple for triple, _ in ordered))
    )
    ox.serialize(
        map(_to_oxigraph, once), stream, format=_FORMATS[form], prefixes=dict(prefixes or {})
    )


def in_order(content: Iterable[Quad], *, named: bool = True) -> list[Quad]:
    """Quads sorted by graph (if ``named``) and by triple."""
    return sorted(content, key=lambda quad: ((quad[1] or "") if named else "", triple_key(quad[0])))


def written(content: Iterable[Quad], form: str, prefixes: Mapping[str, str] | None = None) -> str:
    """Quads as text, sorted.

    >>> print(written([((Iri("urn:a"), Iri("urn:p"), Iri("urn:b")), None)], "turtle"), end="")
    <urn:a> <urn:p> <urn:b> .
    """
    stream = BytesIO()
    write(in_order(content, named=form in _NAMED), form, stream, prefixes)
    return stream.getvalue().decode("utf-8")


def digest(triples: Iterable[Triple]) -> str:
    """The SHA-256 of the triples in their canonical form, in hexadecimal.

    >>> from kgnb.kg.terms import Blank, Iri
    >>> one, other = ([(Blank(name), Iri("urn:p"), Iri("urn:o"))] for name in "ab")
    >>> digest(one) == digest(other)
    True
    """
    return hashlib.sha256(canonical(triples).encode("utf-8", "surrogatepass")).hexdigest()


_ROUNDS = 30  # how far from a blank node what tells it from others may lie
_Line = tuple[str, tuple[Blank, ...]]
"""A triple without the names of its blank nodes, and these."""


def canonical(triples: Iterable[Triple]) -> str:
    """Triples as sorted N-Triples: the same text whatever blank nodes are called.

    Blank nodes are told apart by what surrounds them, in time that grows with the triples: RDF
    Dataset Canonicalization takes exponential time for some small graphs. Those that look alike
    as far as thirty triples around them are numbered in the order of the names they have.
    """
    known = list(triples)
    lines: defaultdict[Blank, list[_Line]] = defaultdict(list)
    for triple in known:
        met = tuple(_blanks(triple))
        shape = _renamed(triple, lambda _: Blank("b")) if met else ""
        for one in dict.fromkeys(met):
            lines[one].append((shape, met))
    names = _numbered(lines)
    return "".join(sorted(_renamed(triple, names.__getitem__) for triple in known))


def _numbered(lines: Mapping[Blank, list[_Line]]) -> dict[Blank, Blank]:
    """New names for blank nodes, given the triples of each."""
    order = dict.fromkeys(lines, 0)
    kinds = 0
    for _ in range(_ROUNDS):
        many = Counter(order.values())
        looks = {
            one: (order[one], _look(one, lines[one], order) if many[order[one]] > 1 else ())
            for one in order
        }
        ranks = {look: rank for rank, look in enumerate(sorted(set(looks.values())))}
        order = {one: ranks[look] for one, look in looks.items()}
        if len(ranks) in (kinds, len(order)):
            break
        kinds = len(ranks)
    names: dict[Blank, Blank] = {}
    waiting = sorted(lines, key=lambda one: (order[one], one.label), reverse=True)
    while waiting:  # those around a node come next, so that what looks alike stays together
        one = waiting.pop()
        if one not in names:
            names[one] = Blank(f"c14n{len(names)}")
            around = sorted(lines[one], key=lambda line: (line[0], [order[b] for b in line[1]]))
            waiting += [b for _, met in reversed(around) for b in met if b not in names]
    return names


def _look(one: Blank, lines: Iterable[_Line], order: Mapping[Blank, int]) -> tuple[object, ...]:
    return tuple(
        sorted((shape, tuple(-1 if b == one else order[b] for b in met)) for shape, met in lines)
    )


def _blanks(terms: Iterable[Term]) -> Iterator[Blank]:
    for term in terms:
        if isinstance(term, TripleTerm):
            yield from _blanks((term.subject, term.object))
        elif isinstance(term, Blank):
            yield term


def _renamed(triple: Triple, name: Callable[[Blank], Blank]) -> str:
    """The line of a triple, its blank nodes called otherwise."""

    def term(of: Term) -> Term:
        if isinstance(of, TripleTerm):
            return TripleTerm(*map(term, (of.subject, of.predicate, of.object)))  # type: ignore[arg-type]
        return name(of) if isinstance(of, Blank) else of

    return " ".join(str(to_oxigraph(term(one))) for one in triple) + " .\n"

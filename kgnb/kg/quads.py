"""Triples in named graphs: into the embedded store all at once, and out of it as TriG, Turtle or JSON-LD."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

import pyoxigraph as ox

from kgnb.kg.oxigraph_graph import OxigraphGraph
from kgnb.kg.oxigraph_terms import to_oxigraph, triple_from_oxigraph
from kgnb.kg.sorting import triple_key
from kgnb.kg.terms import Iri, Term, Triple

Quad: TypeAlias = tuple[Triple, Iri | None]
"""A triple and the named graph it stands in; None for the default graph."""

_FORMATS = {"trig": ox.RdfFormat.TRIG, "turtle": ox.RdfFormat.TURTLE, "json-ld": ox.RdfFormat.JSON_LD,
            "n-quads": ox.RdfFormat.N_QUADS, "n-triples": ox.RdfFormat.N_TRIPLES}  # fmt: skip


class QuadWriter:
    """Writes quads into one store; terms that come again are converted once."""

    def __init__(self, graph: OxigraphGraph) -> None:
        self._graph = graph
        self._known: dict[Term, object] = {}

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

    def _converted(self, quad: Quad) -> ox.Quad:
        (subject, predicate, value), name = quad
        s, p, o = self._term(subject), self._term(predicate), self._term(value)
        return ox.Quad(s, p, o, ox.DefaultGraph() if name is None else self._term(name))  # type: ignore[arg-type]

    def _term(self, term: Term) -> object:
        known = self._known.get(term)
        if known is None:
            if len(self._known) > 50_000:
                self._known.clear()
            known = self._known[term] = to_oxigraph(term)
        return known


def quads(graph: OxigraphGraph) -> Iterator[Quad]:
    """Every quad of a store, in no order."""
    for quad in graph.all_quads():
        yield triple_from_oxigraph(quad), _graph_name(quad)


def read_n_quads(text: str) -> list[Quad]:
    """The quads of N-Quads text; raises ValueError for what is none."""
    try:
        found = list(ox.parse(text.encode("utf-8"), format=ox.RdfFormat.N_QUADS))
    except SyntaxError as error:
        raise ValueError(f"not readable as N-Quads: {error}") from error
    return [(triple_from_oxigraph(one), _graph_name(one)) for one in found]


def _graph_name(quad: ox.Quad) -> Iri | None:
    return Iri(quad.graph_name.value) if isinstance(quad.graph_name, ox.NamedNode) else None


def written(content: Iterable[Quad], form: str, prefixes: Mapping[str, str] | None = None) -> str:
    """Quads as text, in one order: ``form`` is trig, turtle, json-ld, n-quads or n-triples (the last two sorted too).

    >>> print(written([((Iri("urn:a"), Iri("urn:p"), Iri("urn:b")), None)], "turtle"), end="")
    <urn:a> <urn:p> <urn:b> .

    Raises ValueError for another form.
    """
    if form not in _FORMATS:
        raise ValueError(f"form is {form!r}: choose one of {', '.join(_FORMATS)}")
    named = form in ("trig", "json-ld", "n-quads")
    ordered = sorted(content, key=lambda quad: ((quad[1] or "") if named else "", triple_key(quad[0])))
    converted = [
        ox.Quad(*map(to_oxigraph, triple), to_oxigraph(name) if name and named else ox.DefaultGraph())  # type: ignore[arg-type,call-arg]
        for triple, name in ordered
    ]
    if not named:
        converted = list(dict.fromkeys(converted))
    given = ox.serialize(converted, format=_FORMATS[form], prefixes=dict(prefixes or {}))
    return (given or b"").decode("utf-8")

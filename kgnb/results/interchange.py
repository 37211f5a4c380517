"""Triples as graphs of other libraries: rdflib and networkx."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from kgnb.errors import ConfigError
from kgnb.kg.terms import Triple, bare_text

if TYPE_CHECKING:
    import networkx
    import rdflib


def rdflib_of(triples: Iterable[Triple], prefixes: Mapping[str, str] | None = None) -> rdflib.Graph:
    """An rdflib graph of these triples; ValueError for a triple term, which rdflib does not support."""
    import rdflib

    from kgnb.kg.rdflib_graph import RdflibGraph

    view = RdflibGraph(rdflib.Graph())
    view.add(triples)
    for prefix, iri in sorted((prefixes or {}).items()):
        view.graph.bind(prefix, iri)
    return view.graph


def networkx_module() -> Any:
    """The module ``networkx``; ConfigError where it is not installed."""
    try:
        import networkx
    except ImportError as error:
        raise ConfigError(
            "A networkx graph needs one more package here",
            fix='Run: pip install "kgnb[networkx]"',
        ) from error
    return networkx


def network_of(
    triples: Iterable[Triple], labels: Mapping[str, str] | None = None
) -> networkx.MultiDiGraph:
    """A node for each subject and object, an edge for each triple with its ``predicate``.

    Nodes are IRIs, or a literal's text; ``label`` is a node's or an edge's label, where one is known.
    """
    names = labels or {}
    made: networkx.MultiDiGraph = networkx_module().MultiDiGraph()
    for subject, predicate, value in triples:
        ends = [bare_text(subject), bare_text(value)]
        for end in ends:
            made.add_node(end, label=names.get(end, end))
        relation = str(predicate)
        made.add_edge(*ends, predicate=relation, label=names.get(relation, relation))
    return made

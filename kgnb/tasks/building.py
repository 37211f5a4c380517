"""Graph construction, as a script calls it: inputs opened, defaults filled in, the pipeline run."""

from __future__ import annotations

from kgnb.agents.kg_construction.compile import compile as compile_graph
from kgnb.agents.kg_construction.values import ToolPack
from kgnb.backends import GraphSource, open_graph
from kgnb.settings import Settings


def compile_ontology(
    path_or_graph: GraphSource,
    shapes: GraphSource | None = None,
    *,
    closed_world: bool = True,
    settings: Settings | None = None,
) -> ToolPack:
    """The tools of an ontology: per class find and create, per property add, and inspect, missing, finish.

    ``path_or_graph`` is a file, folder or glob of RDF, several of them, an rdflib graph, a kgnb Graph, an endpoint's URL
    or ``huts:NAME``; ``shapes`` likewise, with SHACL core constraints (those in the ontology's own file are read too).
    ``closed_world=False`` lets what the ontology says exists go unstated. No model is asked and ``owl:imports`` are not
    followed.

    Raises DataError for a file that is missing or no RDF.
    """
    known = settings or Settings.load()
    graph = open_graph(path_or_graph, known)
    return compile_graph(graph, open_graph(shapes, known) if shapes is not None else None, closed_world=closed_world)

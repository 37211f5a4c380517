"""Reads back what ``kgnb.kg.terms.n3`` writes, to compare: by a strict parser that is not ours."""

import pyoxigraph as ox

from kgnb.kg.oxigraph_graph import from_oxigraph
from kgnb.kg.terms import Term


def parse_term(text: str) -> Term:
    """One term written by ``n3``; raises SyntaxError for anything else."""
    (quad,) = ox.parse(f"<urn:s> <urn:p> {text} .\n", format=ox.RdfFormat.N_TRIPLES)
    return from_oxigraph(quad.object)

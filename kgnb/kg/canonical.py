"""One digest for equal graphs, whatever the order of their triples and the names of their blank nodes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import pyoxigraph as ox

from kgnb.kg.oxigraph_terms import triple_to_oxigraph
from kgnb.kg.terms import Triple


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

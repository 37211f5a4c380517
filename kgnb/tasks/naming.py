"""An entity by the name a person gives it: an IRI, a short form, a label, a local name."""

from __future__ import annotations

import re
from collections.abc import Mapping

from kgnb.kg.graph import Graph
from kgnb.kg.prefixes import PREFIXES
from kgnb.kg.terms import Iri, Literal, is_iri, n3

_BY_LABEL = """
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX skos: <http://www.w3.org/2004/02/skos/core#>
SELECT DISTINCT ?entity {
  VALUES ?named { rdfs:label skos:prefLabel skos:altLabel }
  ?entity ?named ?label .
  FILTER(isIRI(?entity) && REPLACE(LCASE(STR(?label)), "_", " ") = ?name)
}"""
_EXACT = """
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX skos: <http://www.w3.org/2004/02/skos/core#>
SELECT DISTINCT ?entity {
  VALUES ?label { %s }
  VALUES ?named { rdfs:label skos:prefLabel skos:altLabel }
  ?entity ?named ?label .
  FILTER(isIRI(?entity))
}"""
_TAGS = (None, "en", "de", "fr", "es", "it")
_MOST = 10


def entity_named(name: str, graph: Graph) -> str:
    """The IRI a name stands for: an IRI as it is (angle brackets taken off), ``wd:Q42``, a label, any case.

    Raises:
        ValueError: nothing is called so, or several things are; the message names them.
    """
    bare = name.strip()
    if bare.startswith("<") and bare.endswith(">"):
        bare = bare[1:-1]
    prefixes: Mapping[str, str] = {**PREFIXES, **dict(getattr(graph, "prefixes", ()))}
    prefix, colon, local = bare.partition(":")
    if colon and prefix in prefixes and re.fullmatch(r"[\w.\-]+", local):
        return prefixes[prefix] + local
    if is_iri(bare):
        return bare
    if not bare or re.search(r'[<>"{}|\\^`\n\r\t]', bare):
        raise ValueError(f"not an IRI and not a name: {name[:80]!r}")
    wanted = Literal(" ".join(bare.replace("_", " ").lower().split()))
    # a text that is a label as it stands is looked up at once; only other spellings need all labels read
    texts = dict.fromkeys((bare, " ".join(bare.replace("_", " ").split())))
    written = " ".join(n3(Literal(text, tag)) for text in texts for tag in _TAGS)
    rows = graph.select(_EXACT % written, limit=_MOST).rows
    if not rows:
        rows = graph.select(_BY_LABEL, bindings={"name": wanted}, limit=_MOST).rows
    found = sorted({row[0] for row in rows if isinstance(row[0], Iri)})
    if len(found) == 1:
        return found[0]
    if not found:
        raise ValueError(f"nothing in {graph.name} is called {bare!r}\nGive its IRI.")
    raise ValueError(f"{bare!r} may be {', '.join(found[:4])}\nGive the IRI of the one that is meant.")

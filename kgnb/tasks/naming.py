"""An entity by the name a person gives it: an IRI, a short form, a label, a local name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from kgnb.agents.question_answering.names import NAMING
from kgnb.kg.graph import Graph
from kgnb.kg.prefixes import PREFIXES
from kgnb.kg.terms import Iri, Literal, is_iri, n3

_BY_LABEL = """
SELECT DISTINCT ?entity {
  VALUES ?named { %s }
  ?entity ?named ?label .
  FILTER(isIRI(?entity) && REPLACE(LCASE(STR(?label)), "_", " ") = ?name)
}"""
_EXACT = """
SELECT DISTINCT ?entity {
  VALUES ?label { %s }
  VALUES ?named { %s }
  ?entity ?named ?label .
  FILTER(isIRI(?entity))
}"""
_TAGS = (None, "en", "de", "fr", "es", "it")
_MOST = 10


def entity_named(name: str, graph: Graph, own: Callable[[], Iterable[str]] = tuple) -> str:
    """The IRI a name stands for: an IRI as it is (angle brackets taken off), ``wd:Q42``, a label, any case.

    ``own`` gives predicates that name things in this graph alone; it is asked where the usual ones name nothing so.

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
    found = _called(bare, graph, sorted(NAMING)) or _called(bare, graph, list(own()))
    if len(found) == 1:
        return found[0]
    if not found:
        raise ValueError(f"nothing in {graph.name} is called {bare!r}\nGive its IRI.")
    raise ValueError(f"{bare!r} may be {', '.join(found[:4])}\nGive the IRI of the one that is meant.")


def _called(name: str, graph: Graph, naming: Sequence[str]) -> list[Iri]:
    """What has this name by one of these predicates, in order."""
    if not naming:
        return []
    predicates = " ".join(n3(Iri(iri)) for iri in naming)
    # a text that is a label as it stands is looked up at once; only other spellings need all labels read
    texts = dict.fromkeys((name, " ".join(name.replace("_", " ").split())))
    written = " ".join(n3(Literal(text, tag)) for text in texts for tag in _TAGS)
    rows = graph.select(_EXACT % (written, predicates), limit=_MOST).rows
    if not rows:
        wanted = Literal(" ".join(name.replace("_", " ").lower().split()))
        rows = graph.select(_BY_LABEL % predicates, bindings={"name": wanted}, limit=_MOST).rows
    return sorted({row[0] for row in rows if isinstance(row[0], Iri)})

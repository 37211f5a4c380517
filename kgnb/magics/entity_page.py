"""The page of one entity, as JupyterLab's extension shows it: what is said of it, what refers to it,
and a picture of both.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kgnb.errors import DataError
from kgnb.kg.schema import names_of
from kgnb.kg.terms import Iri, is_iri
from kgnb.magics.session import NamedGraph, Session, is_remote
from kgnb.results.wording import short_iri
from kgnb.tasks.querying import query

Json = dict[str, Any]

MOST = 200  # statements in each direction
PICTURED = 40  # statements in the picture
PATIENCE = 10.0  # seconds a query may take

_FACTS = "SELECT ?property ?value WHERE { {{entity}} ?property ?value } ORDER BY ?property ?value"
_USES = "SELECT ?thing ?property WHERE { ?thing ?property {{entity}} } ORDER BY ?property ?thing"
_PICTURE = f"""CONSTRUCT {{ ?subject ?property ?value }} WHERE {{
  {{ SELECT (?node AS ?subject) ?property ?value WHERE {{
       VALUES ?node {{ {{{{entity}}}} }} ?node ?property ?value FILTER(isIRI(?value)) }} LIMIT {PICTURED} }}
  UNION
  {{ SELECT ?subject ?property (?node AS ?value) WHERE {{
       VALUES ?node {{ {{{{entity}}}} }} ?subject ?property ?node FILTER(isIRI(?subject)) }} LIMIT {PICTURED} }} }}"""
_KNOWN = "ASK { { {{entity}} ?property ?value } UNION { ?thing ?property {{entity}} } }"


def entity_page(session: Session, question: Mapping[str, Any]) -> Json:
    """What a graph says of the entity ``iri``: the graph called ``name``, else the current one, else
    the first open one that knows it.

    Raises:
        DataError: the IRI is none, no graph is open, or no open graph mentions it.
    """
    iri = str(question["iri"])
    if not is_iri(iri):
        raise DataError(f"{iri!r} is not an IRI", fix="Choose an entity of a result.")
    values = {"entity": Iri(iri)}
    named = _knowing(session, str(question.get("name") or ""), values)
    language = str(question.get("language") or "en")
    facts, uses, picture = (
        query(named.graph, text, values=values, limit=MOST, timeout=PATIENCE, labels=language)
        for text in (_FACTS, _USES, _PICTURE)
    )
    names = names_of(named.graph, [iri], language=language, types=True)
    label = names.labels.get(iri) or short_iri(iri)
    kind = names.types.get(iri, "")
    return {
        "iri": iri,
        "label": label,
        "kind": names.labels.get(kind) or (short_iri(kind) if kind else ""),
        "graph": named.name,
        "facts": facts.json(),
        "uses": uses.json(),
        "picture": picture.json(),
    }


def _knowing(session: Session, name: str, values: Mapping[str, object]) -> NamedGraph:
    """The graph to show an entity of."""
    preferred = session.graph(name)
    others = [named for named in session.graphs.values() if not is_remote(named)]
    for named in [preferred, *others]:
        if query(named.graph, _KNOWN, values=values, timeout=PATIENCE):
            return named
    raise DataError(
        "no open graph says anything of this entity",
        where=str(values["entity"]),
        fix="Open the graph it comes from: %kg open FILE",
    )

"""What ``%kg info`` says of a graph, in questions that a large service can answer too."""

from __future__ import annotations

from collections.abc import Sequence

from kgnb.errors import BackendError, DataError
from kgnb.kg.graph import Graph
from kgnb.kg.ontology import Ontology
from kgnb.kg.schema import Named, Schema
from kgnb.kg.terms import RDFS, Literal
from kgnb.results.table import Column, Table, Value

COUNTED = ("class", "object property", "datatype property", "annotation property", "individual")
LANGUAGES_LISTED, LABELS_LOOKED_AT, NAMED = 20, 10_000, 5
_LANGUAGES = """SELECT ?language (COUNT(*) AS ?count)
WHERE { ?s ?p ?o BIND(LANG(?o) AS ?language) FILTER(?language != "") }
GROUP BY ?language ORDER BY DESC(?count) ?language"""
_OF_SOME = f"""SELECT ?language (COUNT(*) AS ?count)
WHERE {{ {{ SELECT (LANG(?o) AS ?language) WHERE {{ ?s <{RDFS}label> ?o }} LIMIT {LABELS_LOOKED_AT} }}
FILTER(?language != "") }} GROUP BY ?language ORDER BY DESC(?count) ?language"""

Rows = list[list[Value]]


def info_table(
    graph: Graph,
    schema: Schema,
    ontology: Ontology | None,
    title: str,
    timeout: float,
    mended: Sequence[tuple[str, int]],
) -> Table:
    """Triples, classes, properties, individuals, languages, named graphs, prefixes, and what was mended.

    Without an ontology the graph is taken for a service: its triples are not counted, its languages are those of some
    labels, and its classes and properties those it names in time.
    """
    notes = list(schema.notes)
    rows: Rows = [["triples", None if ontology is None else graph.count(), "not counted" if ontology is None else ""]]
    declared = bool(ontology and len(ontology))
    if ontology is not None and declared:
        for kind in COUNTED:
            found = ontology.of_kind(kind)  # type: ignore[arg-type]  # COUNTED holds kinds
            rows.append([_plural(kind), len(found), _some([entity.local_name for entity in found])])
    else:
        rows += [_named("classes", schema.classes), _named("properties", schema.properties)]
    in_use = [one for one in schema.classes if one.count]
    if declared and in_use:
        rows.append(_named("classes in use", in_use))
    rows.append(["named graphs", len(schema.graphs), _some(schema.graphs)])
    rows += _languages(graph, ontology is None, timeout, notes)
    prefixes = dict(getattr(graph, "prefixes", ())) or (dict(ontology.prefixes) if ontology else {})
    rows += [[f"prefix {prefix}:", None, namespace] for prefix, namespace in prefixes.items()]
    rows += [[f"mended: {what}", count, ""] for what, count in mended]
    columns = [Column("what", "what"), Column("count", "count", "number"), Column("which", "which")]
    return Table(columns, rows, caption=title, notes=notes)


def _languages(graph: Graph, remote: bool, timeout: float, notes: list[str]) -> Rows:
    try:
        found = graph.select(_OF_SOME if remote else _LANGUAGES, limit=LANGUAGES_LISTED, timeout=timeout)
    except (BackendError, DataError) as error:
        notes.append(f"languages: {error.what}")
        return []
    if remote and len(found):
        notes.append(f"The languages are those of the first {LABELS_LOOKED_AT:,} labels.")
    texts = [[cell.text if isinstance(cell, Literal) else "" for cell in row] for row in found]
    return [[f"texts in {language}", int(number) if number.isdecimal() else None, ""] for language, number in texts]


def _named(what: str, found: Sequence[Named]) -> list[Value]:
    ranked = sorted(found, key=lambda one: (-one.count, one.name))
    names = [f"{one.name} ({one.count:,})" if one.count else one.name for one in ranked]
    return [what, len(found), _some(names)]


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:NAMED]) + (", ..." if len(names) > NAMED else "")


def _plural(kind: str) -> str:
    return {"class": "classes"}.get(kind, kind.replace("property", "properties") if "property" in kind else f"{kind}s")

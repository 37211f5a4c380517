"""What ``%kg info`` says of a graph, in questions a large service can answer too; what ``%kg schema`` draws."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from kgnb.errors import BackendError, DataError
from kgnb.kg.graph import Graph
from kgnb.kg.ontology import Ontology
from kgnb.kg.schema import Named, Schema
from kgnb.kg.terms import RDFS, Literal
from kgnb.results.bundle import count
from kgnb.results.graph import Edge, GraphPicture, Node
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


def picture_of_schema(schema: Schema, name: str, most: int = 40) -> GraphPicture:
    """The ``most`` central classes and the lines between them; a class has more weight the more things are of it.

    Central is what has the most things of it or of its kinds, then the most kinds, then the most properties.
    A property between two classes is drawn once, at the most special classes it was found with.
    """
    below = _below(schema)
    things = {one.iri: one.count for one in schema.classes}
    joins = Counter(end for a, _, b, _ in schema.links for end in {a, b})
    reach = {one: sum(things.get(kind, 0) for kind in {one, *kinds}) for one, kinds in below.items()}

    def central(one: Named) -> tuple[int, int, int, str]:
        return (-reach[one.iri], -len(below[one.iri]), -joins[one.iri], one.iri)

    ranked = sorted(schema.classes, key=central)[:most]
    names = {one.iri: one.name for one in (*schema.classes, *schema.properties)}
    shown = {one.iri for one in ranked}
    nodes = [
        Node(
            one.iri,
            one.name,
            "class in use" if one.count else "class",
            count(one.count, "thing") if one.count else "",
            weight=1.0 + one.count,
        )
        for one in ranked
    ]
    edges = [
        Edge(a, b, names.get(p, p), "property")
        for a, p, b, _ in _special(schema.links, things)
        if a in shown and b in shown
    ]
    edges += [Edge(a, b, "is a", "superclass", emphasis=True) for a, b in schema.above if a in shown and b in shown]
    left_out = len(schema.classes) - len(ranked)
    notes = [
        *(
            [f"{count(left_out, 'class', 'classes')} more are not drawn: --classes {len(schema.classes)}"]
            if left_out
            else []
        )
    ]
    return GraphPicture(nodes, edges, f"What {name} holds", (*notes, *schema.notes))


def _below(schema: Schema) -> dict[str, set[str]]:
    """Every class with all kinds of it, however deep; circles do no harm."""
    kinds = defaultdict(list)
    for narrower, broader in schema.above:
        kinds[broader].append(narrower)
    found = {}
    for one in schema.classes:
        seen: set[str] = set()
        waiting = [one.iri]
        while waiting:
            fresh = [kind for kind in kinds[waiting.pop()] if kind not in seen]
            seen.update(fresh)
            waiting.extend(fresh)
        found[one.iri] = seen - {one.iri}
    return found


def _special(links: tuple[tuple[str, str, str, int], ...], things: dict[str, int]) -> list[tuple[str, str, str, int]]:
    """Of links of one property that count the same triples, those between the smallest classes."""
    best: dict[tuple[str, int], tuple[int, tuple[str, str, str, int]]] = {}
    kept = []
    for link in links:
        a, p, b, number = link
        if not number:
            kept.append(link)
            continue
        size = things.get(a, 0) + things.get(b, 0)
        if (p, number) not in best or size < best[p, number][0]:
            best[p, number] = (size, link)
    drawn = {(a, p, b) for _, (a, p, b, _) in best.values()}
    return [*(link for _, link in best.values()), *(link for link in kept if link[:3] not in drawn)]

"""A built graph against a reference graph, category by category."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from rdflib import RDF, RDFS, SKOS, Dataset, Graph, Literal, URIRef
from rdflib.term import Node

from kgnb.agents.kg_construction.values import ToolPack
from kgnb.datasets.kitchen import RecordQuery
from kgnb.evaluate.extraction import Counts, Extraction, Mode, read_records, score_records
from kgnb.results.table import Column, Table, Value


def reference_graph(path: Path) -> Graph:
    """The triples of all named graphs of a file together."""
    data = Dataset()
    data.parse(path)
    graph = Graph()
    for subject, predicate, value, _ in data.quads():
        graph.add((subject, predicate, value))
    return graph


def score_graph(
    graph: Graph, reference: Graph, queries: Sequence[RecordQuery], mode: Mode = "strict"
) -> dict[str, Extraction]:
    """How well a graph holds the records of the reference, by category."""
    return {
        one.name: score_records(
            read_records(graph, one.query), read_records(reference, one.query),
            alternatives=one.alternatives, forgiving=one.forgiving, mode=mode,
        )
        for one in queries
    }  # fmt: skip


def micro(scores: Mapping[str, Extraction]) -> Counts:
    """All categories together."""
    return sum((one.total for one in scores.values()), Counts())


def score_table(scores: Mapping[str, Extraction], caption: str = "", notes: Sequence[str] = ()) -> Table:
    """Precision, recall and F1 by category, and of all together."""
    columns = [
        Column("category", "category"), Column("wanted", "records", "number"), Column("found", "found", "number"),
        *(Column(name, name, "percent") for name in ("precision", "recall", "F1")),
    ]  # fmt: skip
    rows: list[list[Value]] = [
        [name, one.wanted, one.found, one.precision, one.recall, one.f1] for name, one in scores.items()
    ]
    total = micro(scores)
    found, wanted = (sum(getattr(one, side) for one in scores.values()) for side in ("found", "wanted"))
    rows.append(["micro", wanted, found, total.precision, total.recall, total.f1])
    return Table(columns, rows, caption=caption, notes=notes)


def entity_scores(graph: Graph, reference: Graph, pack: ToolPack, mode: Mode = "strict") -> dict[str, Extraction]:
    """How well a graph holds the reference's entities, class by class, whatever the ontology.

    A record is an entity of the class, its slots the properties it has; an entity as a value counts by its name.
    """
    found = {}
    for tool in pack.of_kind("create"):
        cls = URIRef(tool.term)
        theirs = _entities(reference, cls)
        mine = _entities(graph, cls)
        if mine or theirs:
            found[tool.label or tool.name] = score_records(mine, theirs, mode=mode)
    return found


def _entities(graph: Graph, cls: URIRef) -> list[dict[str, list[str]]]:
    return [
        {str(p): sorted({_name(graph, o) for o in graph.objects(s, p)}) for p in set(graph.predicates(s)) - _UNCOUNTED}
        for s in sorted(set(graph.subjects(RDF.type, cls)), key=str)
    ]


_UNCOUNTED = {RDF.type, RDFS.label, RDFS.comment}


def _name(graph: Graph, term: Node) -> str:
    """A literal's text; an entity's label, or the first text that is said of it, or its IRI."""
    if isinstance(term, Literal):
        return str(term)
    texts = sorted(str(o) for p in (RDFS.label, SKOS.prefLabel) for o in graph.objects(term, p))
    texts = texts or sorted(str(o) for o in graph.objects(term) if isinstance(o, Literal))
    return texts[0] if texts else str(term)

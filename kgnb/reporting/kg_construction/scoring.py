"""A built graph against a reference graph, category by category."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rdflib import RDF, RDFS, SKOS, Dataset, Graph, Literal, URIRef
from rdflib.term import Node

from kgnb.agents.kg_construction.pack import ToolPack
from kgnb.datasets.kitchen import RecordQuery
from kgnb.evaluate.extraction import (
    Counts,
    Difference,
    Extraction,
    Mode,
    Record,
    differences,
    read_records,
    score_records,
)
from kgnb.results.table import Column, Table, Value, numbers, percents


def reference_graph(path: Path) -> Graph:
    """The triples of all named graphs of a file together."""
    data = Dataset()
    data.parse(path)
    graph = Graph()
    for subject, predicate, value, _ in data.quads():
        graph.add((subject, predicate, value))
    return graph


@dataclass(frozen=True)
class Records:
    """The records of one category on both sides, and how they are compared."""

    found: Sequence[Record]
    wanted: Sequence[Record]
    alternatives: tuple[str, ...] = ()
    forgiving: tuple[str, ...] = ()

    def score(self, mode: Mode = "strict") -> Extraction:
        """How well what was found agrees with what was wanted."""
        return score_records(
            self.found, self.wanted, alternatives=self.alternatives, forgiving=self.forgiving, mode=mode
        )

    def differences(self) -> list[Difference]:
        """Where they do not."""
        return differences(self.found, self.wanted, alternatives=self.alternatives)


def wanted_records(reference: Graph, queries: Sequence[RecordQuery]) -> dict[str, Sequence[Record]]:
    """The records of a reference, by category."""
    return {one.name: read_records(reference, one.query) for one in queries}


def records(graph: Graph, wanted: Mapping[str, Sequence[Record]], queries: Sequence[RecordQuery]) -> dict[str, Records]:
    """The records of a graph beside those of the reference, by category."""
    return {
        one.name: Records(read_records(graph, one.query), wanted[one.name], one.alternatives, one.forgiving)
        for one in queries
    }


def score_graph(
    graph: Graph, reference: Graph, queries: Sequence[RecordQuery], mode: Mode = "strict"
) -> dict[str, Extraction]:
    """How well a graph holds the records of the reference, by category."""
    found = records(graph, wanted_records(reference, queries), queries)
    return {name: one.score(mode) for name, one in found.items()}


def micro(scores: Mapping[str, Extraction]) -> Counts:
    """All categories together."""
    return sum((one.total for one in scores.values()), Counts())


def score_table(scores: Mapping[str, Extraction], caption: str = "", notes: Sequence[str] = ()) -> Table:
    """Precision, recall and F1 by category, and of all together."""
    columns = [Column("category", "category"), *numbers(wanted="records", found="found")]
    columns += percents(precision="precision", recall="recall", F1="F1")
    rows: list[list[Value]] = [
        [name, one.wanted, one.found, one.precision, one.recall, one.f1] for name, one in scores.items()
    ]
    total = micro(scores)
    found, wanted = (sum(getattr(one, side) for one in scores.values()) for side in ("found", "wanted"))
    rows.append(["micro", wanted, found, total.precision, total.recall, total.f1])
    return Table(columns, rows, caption=caption, notes=notes)


def entity_records(graph: Graph, reference: Graph, pack: ToolPack) -> dict[str, Records]:
    """The entities of both graphs, class by class, whatever the ontology.

    A record is an entity of the class, its slots the properties it has; an entity as a value counts by its name.
    """
    found = {}
    for tool in pack.of_kind("create"):
        cls = URIRef(tool.term)
        theirs = _entities(reference, cls)
        mine = _entities(graph, cls)
        if mine or theirs:
            found[tool.label or tool.name] = Records(mine, theirs)
    return found


def entity_scores(graph: Graph, reference: Graph, pack: ToolPack, mode: Mode = "strict") -> dict[str, Extraction]:
    """How well a graph holds the reference's entities, class by class."""
    return {name: one.score(mode) for name, one in entity_records(graph, reference, pack).items()}


def _entities(graph: Graph, cls: URIRef) -> list[dict[str, list[str]]]:
    found = []
    for entity in sorted(set(graph.subjects(RDF.type, cls)), key=str):
        said = sorted(set(graph.predicates(entity)) - _UNCOUNTED, key=str)
        found.append({str(p): sorted({_name(graph, o) for o in graph.objects(entity, p)}) for p in said})
    return found


_UNCOUNTED = {RDF.type, RDFS.label, RDFS.comment}


def _name(graph: Graph, term: Node) -> str:
    """A literal's text; an entity's label, or the first text that is said of it, or its IRI."""
    if isinstance(term, Literal):
        return str(term)
    texts = sorted(str(o) for p in (RDFS.label, SKOS.prefLabel) for o in graph.objects(term, p))
    texts = texts or sorted(str(o) for o in graph.objects(term) if isinstance(o, Literal))
    return texts[0] if texts else str(term)

"""A built graph against a reference graph, category by category."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from rdflib import Dataset, Graph

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

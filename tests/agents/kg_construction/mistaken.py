"""The ablation: a scripted reader's mistakes with feedback and without, on documents with a reference."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rdflib import Dataset, Graph

from kgnb.agents.kg_construction.built import Built
from kgnb.agents.kg_construction.instantiate import Options
from kgnb.agents.kg_construction.pack import ToolPack
from kgnb.datasets.kitchen import RecordQuery
from kgnb.reporting.kg_construction import micro, records, wanted_records
from kgnb.results.table import Column, Table, Value
from kgnb.tasks.building import build_graph
from tests.agents.kg_construction.mistakes import MistakenReader


@dataclass(frozen=True)
class Ablation:
    """One setting: what was built, the micro F1 by category, and the mistakes made and mended."""

    feedback: bool
    built: Built
    f1: Mapping[str, float]
    made: Mapping[str, int]
    mended: Mapping[str, int]


def by_document(path: Path) -> dict[str, Graph]:
    """The named graphs of a reference by the last part of their IRI."""
    data = Dataset()
    data.parse(path)
    found: dict[str, Graph] = {}
    for subject, predicate, value, name in data.quads():
        if name is not None:
            found.setdefault(str(name).rsplit("/", 1)[-1], Graph()).add((subject, predicate, value))
    return found


def feedback_on_and_off(
    references: Mapping[str, Graph], pack: ToolPack, queries: Sequence[RecordQuery]
) -> tuple[Ablation, Ablation]:
    """The same reader with feedback and without; documents are called as the references are."""
    wanted = Graph()
    for graph in references.values():
        wanted += graph
    theirs = wanted_records(wanted, queries)
    found = []
    for feedback in (True, False):
        reader = MistakenReader(references)
        built = build_graph(
            dict.fromkeys(references, "(scripted)"), pack, judge=reader, options=Options(feedback=feedback)
        )
        scores = {name: one.score() for name, one in records(built.graph, theirs, queries).items()}
        f1 = {name: one.total.f1 for name, one in scores.items()} | {"micro": micro(scores).f1}
        found.append(Ablation(feedback, built, f1, reader.made, reader.mended))
    return found[0], found[1]


def feedback_table(both: Sequence[Ablation]) -> Table:
    """F1 by category with feedback and without, and what became of the mistakes."""
    titles = {True: "with feedback", False: "without"}
    columns = [Column("what", "what"), *(Column(str(one.feedback), titles[one.feedback], "percent") for one in both)]
    rows: list[list[Value]] = [[f"F1, {name}", *(one.f1[name] for one in both)] for name in both[0].f1]
    rows += [
        [f"{kind}: mended", *(one.mended.get(kind, 0) / one.made[kind] for one in both)]
        for kind in both[0].made if kind != "created twice"
    ]  # fmt: skip
    notes = ["scripted (simulation): the reader knows the reference and makes mistakes on purpose; no model was asked"]
    return Table(columns, rows, caption="SIMULATION: what feedback mends", notes=notes)

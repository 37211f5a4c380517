"""Everything the report computes: T-Boxes compiled, documents read, graphs scored and grounded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from glob import glob
from pathlib import Path

from rdflib import RDF, RDFS, SKOS, Dataset, Graph, Literal, URIRef
from rdflib.term import Node

from kgnb.agents.kg_construction.built import Built
from kgnb.agents.kg_construction.ground import Grounding
from kgnb.agents.kg_construction.instantiate import Options
from kgnb.agents.kg_construction.pack import ToolPack
from kgnb.backends import file_of
from kgnb.datasets import kitchen
from kgnb.datasets.kitchen import RecordQuery
from kgnb.errors import DataError
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
from kgnb.reporting.sections import judging, run_in
from kgnb.reporting.session import current
from kgnb.results.table import Column, Table, Value, numbers, percents
from kgnb.run import Run
from kgnb.tasks.building import build_graph, compile_ontology, ground


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


PLANTED: tuple[tuple[str, int, int, int], ...] = (
    ("allValuesFrom", 3, 3, 3),
    ("asymmetric", 2, 2, 2),
    ("cardinality", 24, 24, 24),
    ("complementOf", 1, 1, 1),
    ("datatype", 12, 12, 12),
    ("disjointWith", 19, 19, 19),
    ("domain", 38, 38, 38),
    ("facet", 6, 6, 6),
    ("functional", 16, 16, 16),
    ("hasValue", 2, 2, 2),
    ("inverseFunctional", 3, 3, 3),
    ("irreflexive", 1, 1, 1),
    ("maxCardinality", 7, 7, 7),
    ("minCardinality", 2, 2, 2),
    ("oneOf", 5, 5, 5),
    ("propertyDisjointWith", 1, 1, 1),
    ("range", 24, 24, 24),
    ("sh:datatype", 1, 1, 1),
    ("sh:disjoint", 1, 1, 1),
    ("sh:equals", 1, 1, 1),
    ("sh:hasValue", 1, 1, 1),
    ("sh:in", 1, 1, 1),
    ("sh:lessThan", 1, 1, 1),
    ("sh:maxCount", 7, 7, 7),
    ("sh:maxExclusive", 1, 1, 1),
    ("sh:maxInclusive", 4, 4, 4),
    ("sh:maxLength", 2, 2, 2),
    ("sh:minCount", 2, 2, 2),
    ("sh:minExclusive", 2, 2, 2),
    ("sh:minInclusive", 2, 2, 2),
    ("sh:minLength", 2, 2, 2),
    ("sh:node", 1, 1, 1),
    ("sh:pattern", 4, 4, 4),
    ("sh:qualifiedMaxCount", 1, 1, 1),
    ("sh:qualifiedMinCount", 1, 1, 1),
    ("sh:uniqueLang", 1, 1, 1),
    ("someValuesFrom", 7, 7, 7),
    ("unionOf", 3, 3, 3),
    ("unit", 3, 3, 3),
)
"""Kind of constraint; mistakes planted; of them refused and rightly named; legal twins accepted."""
HOW = "Stored results. To run them again, in a checkout: python -m pytest tests/conformance"


@dataclass(frozen=True)
class Ablation:
    """Reading with or without being told why a call is refused: what was built, the F1 by category and "micro"."""

    feedback: bool
    built: Built
    f1: Mapping[str, float]


@dataclass(frozen=True)
class BuildingResults:
    """Everything the report shows."""

    packs: tuple[ToolPack, ...]
    built: Built
    run: Run
    scores: Mapping[str, Extraction]
    records: Mapping[str, Records]  # what the scores are of
    ablation: tuple[Ablation, ...]
    grounding: Grounding | None
    own: bool  # on our own kitchens

    @property
    def title(self) -> str:
        """What was read with what, in words."""
        documents = len(self.built.journals)
        read = "no document" if not documents else "1 document" if documents == 1 else f"{documents} documents"
        return f"kgnb's hut kitchens, {read}" if self.own else f"{self.built.pack.name}, {read}"

    @property
    def reader(self) -> str:
        """Who read the documents."""
        return self.built.journals[0].reader if self.built.journals else "nobody"


def run_report(
    *, tbox: str, shapes: str, documents: str, reference: str, against: str, judge: str, tboxes: str, ablation: bool,
) -> BuildingResults:  # fmt: skip
    """Compiles, builds, scores, grounds; what is wrong with an input shows before the long parts."""
    session = current()
    judge, settings = judging(session, judge)
    own = tbox == "huts:kitchen"
    pack = compile_ontology(tbox, shapes or None, settings=settings)
    wanted = reference_graph(Path(file_of(reference))) if reference else None
    others = each(tboxes)
    data = {"tbox": pack.manifest["tbox_sha256"][:16], "shapes": pack.manifest["shapes_sha256"][:16]}
    asked = {"documents": documents, "judge": judge}
    run = run_in(session, "kg_construction", data, asked, settings)
    with run:
        named = [one.strip() for one in documents.split(",") if one.strip()]
        built = build_graph(named, pack, judge=judge, run=run, settings=settings)
        linked = ground(built, against, run=run, settings=settings) if against else None
    compared: dict[str, Records] = {}
    both: tuple[Ablation, ...] = ()
    if wanted is not None:
        theirs = wanted_records(wanted, kitchen.QUERIES) if own else {}
        compared = records(built.graph, theirs, kitchen.QUERIES) if own else entity_records(built.graph, wanted, pack)
        if ablation and own and any(one.reader.startswith("model ") for one in built.journals):
            silent = build_graph(named, pack, judge=judge, options=Options(feedback=False), settings=settings)
            less = records(silent.graph, theirs, kitchen.QUERIES)
            both = (Ablation(True, built, _f1(compared)), Ablation(False, silent, _f1(less)))
    packs = (pack, *(compile_ontology(one, settings=settings) for one in others))
    scores = {name: one.score() for name, one in compared.items()}
    return BuildingResults(packs, built, run, scores, compared, both, linked, own)


def each(tboxes: str) -> list[str]:
    """The T-Boxes of a list with commas; a pattern stands for every file it fits, each a T-Box of its own.

    Raises DataError where a pattern fits nothing.
    """
    found: list[str] = []
    for one in filter(None, map(str.strip, tboxes.split(","))):
        files = sorted(path for path in glob(one, recursive=True) if Path(path).is_file()) if "*" in one else [one]
        if not files:
            raise DataError("no file fits this pattern", where=one, fix="Name files of RDF, as in tboxes=DIR/**/*.owl")
        found += files
    return found


def _f1(found: Mapping[str, Records]) -> dict[str, float]:
    scores = {name: one.score() for name, one in found.items()}
    return {name: one.f1 for name, one in scores.items()} | {"micro": micro(scores).f1}

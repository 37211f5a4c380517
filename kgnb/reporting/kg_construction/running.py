"""Everything the report computes: T-Boxes compiled, documents read, graphs scored and grounded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from glob import glob
from pathlib import Path

from kgnb.agents.kg_construction.built import Built
from kgnb.agents.kg_construction.ground import Grounding
from kgnb.agents.kg_construction.instantiate import Options
from kgnb.agents.kg_construction.pack import ToolPack
from kgnb.backends import file_of
from kgnb.datasets import kitchen
from kgnb.errors import DataError
from kgnb.evaluate.extraction import Extraction
from kgnb.reporting.kg_construction.scoring import (
    Records,
    entity_records,
    micro,
    records,
    reference_graph,
    wanted_records,
)
from kgnb.reporting.sections import judging, run_in
from kgnb.reporting.session import current
from kgnb.run import Run
from kgnb.tasks.building import build_graph, compile_ontology, ground

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

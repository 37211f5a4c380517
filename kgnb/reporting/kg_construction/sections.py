"""What the report computes and shows: T-Boxes, enforcement, extraction, feedback on and off, figures, costs."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from glob import glob
from pathlib import Path
from typing import Any

from rdflib import Graph

from kgnb.agents.kg_construction.agreement import Agreement, agreement
from kgnb.agents.kg_construction.built import Built
from kgnb.agents.kg_construction.ground import Grounding
from kgnb.agents.kg_construction.planting import Planted, plant
from kgnb.agents.kg_construction.values import ToolPack
from kgnb.backends import file_of
from kgnb.datasets import kitchen, published_building, twa
from kgnb.datasets.text2kg import text2kg
from kgnb.errors import DataError
from kgnb.evaluate.extraction import Extraction
from kgnb.reporting.files import write_whole
from kgnb.reporting.kg_construction.feedback import Ablation, by_document, feedback_on_and_off
from kgnb.reporting.kg_construction.feedback import feedback_table as _feedback_table
from kgnb.reporting.kg_construction.scoring import entity_scores, micro, reference_graph, score_graph, score_table
from kgnb.reporting.kg_construction.sentences import SentenceScores, read_case, sentence_table
from kgnb.reporting.session import Session, current
from kgnb.results.graph import GraphPicture
from kgnb.results.table import Column, Table, Value
from kgnb.run import Run
from kgnb.tasks.building import build_graph, compile_ontology, ground
from kgnb.tasks.running import new_run

__all__ = [
    "Results",
    "costs",
    "documents",
    "enforcement",
    "extraction",
    "feedback",
    "grounding",
    "ontologies",
    "paper",
    "picture",
    "published",
    "review",
    "run_report",
    "save",
    "sentences",
    "trace",
]


@dataclass(frozen=True)
class Results:
    """Everything the report shows."""

    packs: tuple[ToolPack, ...]
    planted: tuple[tuple[str, tuple[Planted, ...]], ...]
    built: Built
    run: Run
    scores: dict[str, Extraction]
    ablation: tuple[Ablation, ...]
    grounding: Grounding | None
    sentences: tuple[SentenceScores, ...]
    paper: tuple[Ablation, ...]  # the same on the sample of a published paper
    agreed: tuple[tuple[str, Agreement], ...]  # what pyshacl says of the planted facts, by T-Box
    own: bool  # on our own kitchens


def run_report(
    *, tbox: str, shapes: str, documents: str, reference: str, against: str, judge: str, tboxes: str, planted: int,
    ablation: bool, benchmark: bool,
) -> Results:  # fmt: skip
    """Compiles, plants mistakes, builds, scores, grounds."""
    session = current()
    settings = session.settings
    own = tbox == "huts:kitchen"
    pack = compile_ontology(tbox, shapes or None, settings=settings)
    more = [compile_ontology(one, settings=settings) for one in each(tboxes)]
    mistakes = tuple((one.name, plant(one, most=planted or None)) for one in (pack, *more))
    agreed = tuple((one.name, agreement(one, found)) for one, (_, found) in zip((pack, *more), mistakes, strict=True))
    data = {"tbox": pack.manifest["tbox_sha256"][:16]}
    asked = {"tbox": tbox, "documents": documents, "judge": judge}
    run = new_run("kg_construction", data, parameters=asked, settings=settings, folder=session.folder / "run")
    with run:
        built = build_graph(documents.split(","), pack, judge=judge, run=run, settings=settings)
        linked = ground(built, against, run=run, settings=settings) if against else None
    scores: dict[str, Extraction] = {}
    both: tuple[Ablation, ...] = ()
    if reference:
        wanted = reference_graph(Path(file_of(reference)))
        scores = score_graph(built.graph, wanted, kitchen.QUERIES) if own else entity_scores(built.graph, wanted, pack)
        if ablation and own:
            both = feedback_on_and_off(by_document(Path(file_of(reference))), pack, kitchen.QUERIES)
    read = tuple(map(read_case, text2kg(settings.data))) if benchmark else ()
    paper = _paper(settings.data) if benchmark else ()
    return Results((pack, *more), mistakes, built, run, scores, both, linked, read, paper, agreed, own)


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


def _paper(data: Path | None) -> tuple[Ablation, ...]:
    """The scripted mistakes on the sample of one paper of the published evaluation."""
    sample = twa.mop_sample(data)
    pack = compile_ontology(sample.tbox, Graph().parse(data=twa.SHAPES, format="turtle"))
    return feedback_on_and_off({sample.name: sample.steps}, pack, twa.QUERIES)


def ontologies(results: Results) -> Table:
    """Each T-Box with what was compiled of it."""
    names = ("classes", "properties", "tools", "constraints", "warnings", "milliseconds")
    columns = [Column("tbox", "T-Box"), *(Column(name, name, "number") for name in names)]
    rows: list[list[Value]] = []
    details = []
    for pack in results.packs:
        counts = pack.counts()
        rows.append([pack.name, *(counts[name] for name in names)])
        kinds = ", ".join(f"{kind} {number}" for kind, number in counts["constraints by kind"].items())
        details.append([("constraints", kinds), ("not enforced", "; ".join(str(w.text) for w in pack.warnings[:20]))])
    return Table(columns, rows, caption="Compiled, without a model", details=details)


def enforcement(results: Results) -> Table:
    """For each T-Box and kind of constraint: planted mistakes that were refused, legal twins that were accepted."""
    columns = [Column("tbox", "T-Box"), Column("kind", "constraint"), Column("planted", "planted", "number"),
               Column("refused", "refused, rightly named", "percent"),
               Column("accepted", "legal twin accepted", "percent")]  # fmt: skip
    rows: list[list[Value]] = []
    for name, every in results.planted:
        planted = [one for one in every if one.case is not None]
        for kind in sorted({one.kind for one in planted}):
            mine = [one for one in planted if one.kind == kind]
            rows.append([name, kind, len(mine), sum(one.refused and one.named for one in mine) / len(mine),
                         sum(one.accepted for one in mine) / len(mine)])  # fmt: skip
    left = Counter(one.note for _, every in results.planted for one in every if one.case is None)
    notes = [f"no case for {number}: {note}" for note, number in sorted(left.items())]
    for name, one in results.agreed:
        told = "agrees on all" if one.whole else f"differs on {len(one.differences)}"
        notes.append(f"{name}: pyshacl {told} of {one.legal} findings on the legal facts, {one.illegal} on the others")
    return Table(columns, rows, caption="One mistake and its legal twin for every constraint", notes=notes)


def documents(results: Results) -> Table:
    """The documents, with what was done to each."""
    return results.built.table()


def extraction(results: Results) -> Table:
    """The graph against the reference."""
    notes = ["our own notes are more regular than real ones: a figure on them says nothing about other documents"]
    reader = results.built.journals[0].reader if results.built.journals else ""
    return score_table(results.scores, f"Read by {reader}, strict", notes if results.own else [])


def feedback(results: Results) -> Table | None:
    """The ablation with the scripted reader."""
    return _feedback_table(results.ablation) if results.ablation else None


def paper(results: Results) -> Table | None:
    """The ablation on the published paper's sample, where benchmarks were asked for."""
    return _feedback_table(results.paper) if results.paper else None


def sentences(results: Results) -> Table | None:
    """Text2KGBench, where it was asked for."""
    return sentence_table(results.sentences) if results.sentences else None


def published(results: Results) -> Table:
    """What the paper reports."""
    return published_table(published_building.FIGURES)


def published_table(figures: Sequence[published_building.BuildingFigure]) -> Table:
    """Published figures with their source."""
    columns = [Column("category", "category"), *(Column(n, n, "percent") for n in ("precision", "recall", "F1")),
               Column("without", "F1 without feedback", "percent")]  # fmt: skip
    rows: list[list[Value]] = [[f.category, f.precision, f.recall, f.f1, f.without_feedback] for f in figures]
    return Table(columns, rows, caption="Published, 30 papers", notes=[published_building.SOURCE])


def grounding(results: Results) -> Table | None:
    """The links to the reference graph."""
    return results.grounding.table() if results.grounding else None


def picture(results: Results) -> GraphPicture:
    """The built graph."""
    return results.built.picture()


def review(results: Results) -> Table:
    """What was left to a person."""
    return results.built.review()


def trace(results: Results) -> Run:
    """The run: steps, calls, queries."""
    return results.run


def costs(results: Results) -> Table:
    """Tool calls per fact, repairs per refusal, tokens and money."""
    counts, totals = results.built.counts(), results.run.totals
    facts, refused = max(1, counts["facts"]), counts["refused"]
    usd = totals.get("usd")
    rows: list[list[Value]] = [
        ["tool calls", counts["calls"]],
        ["tool calls per fact", round(counts["calls"] / facts, 3)],
        ["refused", refused],
        ["repairs per refusal", round(counts["repaired"] / refused, 3) if refused else None],
        ["model calls", totals["calls"]],
        ["tokens", totals["prompt_tokens"] + totals["completion_tokens"]],
        ["US dollars", 0.0 if not totals["calls"] else usd],
    ]
    notes = [f"published: {published_building.COST}"]
    return Table([Column("what", "what"), Column("number", "number", "number")], rows, caption="Costs", notes=notes)


def save(results: Results, session: Session) -> Path:
    """Write the metrics and the graph; the report's folder."""
    write_whole(session.folder / "metrics.json", json.dumps(metrics(results), indent=1, sort_keys=True) + "\n")
    results.built.save(session.folder / "graph.trig")
    if results.grounding is not None:
        write_whole(session.folder / "links.ttl", results.grounding.turtle())
    return session.folder


def metrics(results: Results) -> dict[str, Any]:
    """What is the same every time."""
    total = micro(results.scores)
    planted = [one for _, each in results.planted for one in each if one.case is not None]
    return {
        "report": "kg-construction",
        "tboxes": {
            pack.name: {k: v for k, v in pack.counts().items() if k != "milliseconds"} for pack in results.packs
        },
        "planted": len(planted),
        "refused": sum(one.refused and one.named for one in planted),
        "accepted": sum(one.accepted for one in planted),
        "pyshacl": {
            name: {"findings": one.legal + one.illegal, "differences": len(one.differences)}
            for name, one in results.agreed
        },
        "built": {name: value for name, value in results.built.counts().items() if name != "resumed"},
        "scores": {name: round(one.f1, 6) for name, one in results.scores.items()} | {"micro": round(total.f1, 6)},
        "feedback": {str(one.feedback): {k: round(v, 6) for k, v in one.f1.items()} for one in results.ablation},
        "grounded": dict(Counter(link.outcome for link in results.grounding.links)) if results.grounding else {},
        "text2kg": {one.name: round(one.rule.f1, 6) for one in results.sentences},
    }

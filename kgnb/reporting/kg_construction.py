"""The graph-construction report: T-Boxes compiled, documents read, the graph scored and grounded,
figures saved.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from glob import glob
from pathlib import Path
from types import MappingProxyType
from typing import Any

from rdflib import RDF, RDFS, SKOS, Dataset, Graph, Literal, URIRef
from rdflib.term import Node

from kgnb.agents.kg_construction.built import Built
from kgnb.agents.kg_construction.ground import Grounding
from kgnb.agents.kg_construction.instantiate import Options
from kgnb.agents.kg_construction.options import GroundOptions
from kgnb.agents.kg_construction.pack import ToolPack
from kgnb.agents.options import given_of
from kgnb.backends import file_of
from kgnb.datasets import huts
from kgnb.datasets.huts import RecordQuery
from kgnb.datasets.published import published as published_on
from kgnb.datasets.record_files import GoldRecords, read_gold, read_queries
from kgnb.errors import ConfigError, DataError
from kgnb.evaluate import extraction as evaluate
from kgnb.evaluate.alignment import Score
from kgnb.evaluate.extraction import Extraction, Mode, Record
from kgnb.files import write_whole
from kgnb.reporting import costs, sections
from kgnb.reporting.figures import (
    NO_REFERENCE,
    SCORE_KEYS,
    Figure,
    FigureRow,
    cells_of,
    figure_table,
    peer_row,
    reasoned,
)
from kgnb.reporting.figures import scored as counted
from kgnb.reporting.plot import Plot, grouped_bars
from kgnb.reporting.sections import SCORES, SOURCE, UNMEASURED, Detail, Fragment, absent, words
from kgnb.reporting.sections import reproduce as reproduce  # for the notebook
from kgnb.reporting.sections import stages as stages
from kgnb.reporting.session import ReportSession, current
from kgnb.results.bundle import count
from kgnb.results.graph import GraphPicture
from kgnb.results.table import Table, Value, numbers, percents, texts
from kgnb.results.wording import short_iri
from kgnb.run import Run
from kgnb.tasks.building import build_graph, compile_ontology, ground


def reference_graph(path: Path) -> Graph:
    """The triples of all named graphs of a file together."""
    data = Dataset()
    data.parse(path)
    graph = Graph()
    for subject, predicate, value, _ in data.quads():
        graph.add((subject, predicate, value))
    if not graph:
        fix = "Name a file of RDF. Records in JSON go in as gold=FILE.json, with queries=FILE."
        raise DataError("there is no triple in this reference", where=str(path), fix=fix)
    return graph


@dataclass(frozen=True)
class Records:
    """The records of one category on both sides, and how they are compared."""

    found: Sequence[Record]
    wanted: Sequence[Record]
    alternatives: tuple[str, ...] = ()
    forgiving: tuple[str, ...] = ()

    documents: Mapping[str, tuple[Sequence[Record], Sequence[Record]]] = field(default_factory=dict)
    """The records of both sides by document, where that is known."""

    def differences(self) -> list[evaluate.Difference]:
        """Where the two sides differ."""
        return evaluate.differences(self.found, self.wanted, alternatives=self.alternatives)


def records(graph: Graph, reference: Graph, queries: Sequence[RecordQuery]) -> dict[str, Records]:
    """The records of a graph beside those of the reference, by category."""
    read = evaluate.read_records
    return {
        one.name: Records(
            read(graph, one.query), read(reference, one.query), one.alternatives, one.forgiving
        )
        for one in queries
    }


def gold_records(
    built: Built, gold: GoldRecords, queries: Sequence[RecordQuery]
) -> dict[str, Records]:
    """The records of a graph beside those of a gold file, by category; those of each document as
    well.
    """
    of = {
        act.iri: journal.document
        for journal in built.journals
        for act in journal.acts
        if act.created
    }
    found: dict[str, Records] = {}
    for one in queries:
        mine = evaluate.records_by_iri(built.graph, one.query)
        by_document: dict[str, list[Record]] = {}
        for iri, record in mine.items():
            by_document.setdefault(of.get(iri, ""), []).append(record)
        apart = any(gold.by_document)  # not all under ""
        read = [journal.document for journal in built.journals] if apart else []
        wanted = {name: gold.of(name, one.name) for name in read}
        sides = {
            name: (by_document.get(name, []), theirs)
            for name, theirs in wanted.items()
            if theirs or name in by_document
        }
        found[one.name] = Records(
            list(mine.values()), gold.all(one.name), one.alternatives, one.forgiving, sides
        )
    return found


def scored(compared: Mapping[str, Records], mode: Mode = "strict") -> dict[str, Extraction]:
    """How well the two sides agree, by category."""
    return {
        name: evaluate.score_records(
            one.found, one.wanted, alternatives=one.alternatives, forgiving=one.forgiving, mode=mode
        )
        for name, one in compared.items()
    }


def micro(scores: Mapping[str, Extraction]) -> Score:
    """All categories together."""
    return sum((one.total for one in scores.values()), Score())


def score_table(
    scores: Mapping[str, Extraction], caption: str = "", notes: Sequence[str] = ()
) -> Table:
    """Precision, recall and F1 by category, and of all together."""
    columns = [*texts(category="category"), *numbers(wanted="records", found="found"), *SCORES]
    found, wanted = (
        sum(getattr(one, side) for one in scores.values()) for side in ("found", "wanted")
    )
    parts = {**scores, "micro": Extraction(micro(scores), {}, found, wanted)}
    rows: list[list[Value]] = [
        [name, one.wanted, one.found, *cells_of(one.total)] for name, one in parts.items()
    ]
    return Table(columns, rows, caption=caption, notes=notes)


def entity_records(graph: Graph, reference: Graph, pack: ToolPack) -> dict[str, Records]:
    """The entities of both graphs, class by class, whatever the ontology.

    A record is an entity of the class, its slots are the properties it has; an entity as a value
    counts by its name.
    """
    found = {}
    for tool in pack.of_kind("create"):
        mine, theirs = (_entities(side, URIRef(tool.term)) for side in (graph, reference))
        if mine or theirs:
            found[tool.label or tool.name] = Records(mine, theirs)
    return found


def _entities(graph: Graph, cls: URIRef) -> list[dict[str, list[str]]]:
    found = []
    for entity in sorted(set(graph.subjects(RDF.type, cls)), key=str):
        slots = sorted(
            set(graph.predicates(entity)) - {RDF.type, RDFS.label, RDFS.comment}, key=str
        )
        found.append(
            {str(p): sorted({_name(graph, o) for o in graph.objects(entity, p)}) for p in slots}
        )
    return found


def _name(graph: Graph, term: Node) -> str:
    """A literal's text; an entity's label, else one of its literals, else its IRI."""
    if isinstance(term, Literal):
        return str(term)
    texts = sorted(str(o) for p in (RDFS.label, SKOS.prefLabel) for o in graph.objects(term, p))
    texts = texts or sorted(str(o) for o in graph.objects(term) if isinstance(o, Literal))
    return texts[0] if texts else str(term)


@dataclass(frozen=True)
class BuildingResults:
    """Everything the report shows."""

    packs: tuple[ToolPack, ...]
    built: Built
    run: Run
    scores: Mapping[str, Extraction]
    records: Mapping[str, Records]  # what the scores are of
    grounding: Grounding | None
    own: str  # on which data of our own, in words
    papers: bool = False  # whether the paper's figures, on other documents, stand beside ours
    legacy: Mapping[str, Extraction] = field(default_factory=dict)  # the paper's scoring

    @property
    def title(self) -> str:
        """What was read with which T-Box."""
        documents = len(self.built.journals)
        return f"{self.own or self.built.pack.name}, {documents or 'no'} document{'' if documents < 2 else 's'}"

    @property
    def reader(self) -> str:
        """Who read the documents."""
        return self.built.journals[0].reader if self.built.journals else "nobody"


OURS = {
    "huts:kitchen": ("kgnb's hut kitchens", huts.KITCHEN_QUERIES),
    "huts:dairy": ("kgnb's alp dairies", huts.DAIRY_QUERIES),
}


def run_report(
    *,
    tbox: str,
    shapes: str,
    documents: str,
    reference: str,
    against: str,
    judge: str,
    tboxes: str,
    model: str = "",
    outside: str = "",
    papers: bool = False,
    queries: str = "",
    gold: str = "",
    options: Mapping[str, Any] = MappingProxyType({}),
) -> BuildingResults:
    """Compile, build, score and ground; a wrong input is reported before the long parts."""
    session = current()
    judge, settings = sections.judging(session, judge, model)
    own, asked = OURS.get(tbox, ("", ()))
    asked = read_queries(queries) if queries else asked
    if gold and not asked:
        fix = "Name a file of SELECT queries as queries=FILE, or queries=mop for the paper's categories."
        raise ConfigError("a gold file needs queries that read records from the graph", fix=fix)
    wanted_records = read_gold(Path(gold), {one.name for one in asked}) if gold else None
    pack = compile_ontology(tbox, shapes or None)
    wanted = reference_graph(Path(file_of(reference))) if reference else None
    others = each(tboxes)
    data = {
        "tbox": pack.manifest["tbox_sha256"][:16],
        "shapes": pack.manifest["shapes_sha256"][:16],
    }
    parameters = {"documents": documents, "judge": judge, **options} | (
        {"outside": outside} if outside else {}
    )
    run = sections.run_in(session, "kg_construction", data, parameters, settings)
    named, tools = (
        [one.strip() for one in text.split(",") if one.strip()] for text in (documents, outside)
    )

    def compared_with(built: Built) -> dict[str, Records]:
        if wanted_records is not None:
            return gold_records(built, wanted_records, asked)
        if wanted is None:
            return {}
        if asked:
            return records(built.graph, wanted, asked)
        return entity_records(built.graph, wanted, pack)

    with run:
        built = build_graph(
            named,
            pack,
            judge=judge,
            options=Options(**given_of(Options, options)),
            outside=tools,
            run=run,
            settings=settings,
        )
        linking = GroundOptions(**given_of(GroundOptions, options))
        linked = (
            ground(built, against, options=linking, run=run, settings=settings) if against else None
        )
    compared = compared_with(built)
    packs = (pack, *(compile_ontology(one) for one in others))
    return BuildingResults(
        packs,
        built,
        run,
        scored(compared),
        compared,
        linked,
        own,
        papers,
        scored(compared, "legacy"),
    )


def each(tboxes: str) -> list[str]:
    """The T-Boxes of a comma-separated list; a pattern stands for every file that matches it.

    Raises DataError where nothing matches a pattern.
    """
    found: list[str] = []
    for one in filter(None, map(str.strip, tboxes.split(","))):
        files = (
            sorted(path for path in glob(one, recursive=True) if Path(path).is_file())
            if "*" in one
            else [one]
        )
        if not files:
            raise DataError(
                "no file matches this pattern",
                where=one,
                fix="Name RDF files, as in tboxes=DIR/**/*.owl",
            )
        found += files
    return found


OWN = "Our own notes are more regular than real ones: a figure on them says nothing about other documents."
READABLE = 24  # entities in a picture one can read


def ontologies(results: BuildingResults) -> Table:
    """Each T-Box with what was compiled from it."""
    names = ("classes", "properties", "tools", "constraints", "warnings")
    rows: list[list[Value]] = []
    details = []
    for pack in results.packs:
        counts = pack.counts()
        rows.append([pack.name, *(counts[name] for name in names)])
        kinds = ", ".join(
            f"{kind} {number}" for kind, number in counts["constraints by kind"].items()
        )
        warnings = [*Counter(str(one.text) for one in pack.warnings).items()][:20]
        skipped = "; ".join(
            f"{text} ({times} times)" if times > 1 else text for text, times in warnings
        )
        details.append([("constraints", kinds), ("not enforced", skipped)])
    columns = [*texts(tbox="T-Box"), *numbers(**{name: name for name in names})]
    return Table(columns, rows, caption="Compiled, without a model", details=details)


def documents(results: BuildingResults) -> Table:
    """The documents, with what was read from each."""
    return results.built.table()


def extraction(results: BuildingResults) -> Table | Fragment:
    """The graph against the reference, strictly and as the paper scores, whom only its own data
    and ours name.
    """
    table = score_table(
        results.scores, f"Read by {results.reader}, strict", [OWN] if results.own else []
    )
    if not results.scores:
        return words(UNMEASURED)
    if not results.legacy:
        return table
    paper = micro(results.legacy)
    who = "By the paper's scoring, where" if results.papers or results.own else "Where"
    shown = (
        f"{who} a slot empty on both sides is a hit: "
        f"precision {paper.precision:.3f}, recall {paper.recall:.3f}, F1 {paper.f1:.3f}."
    )
    return replace(table, notes=[*table.notes, shown])


def by_document(results: BuildingResults) -> Table | Fragment:
    """Precision, recall and F1 of each document, by category and together."""
    rows: list[dict[str, Value]] = []
    names = list(results.records)
    documents = list(
        dict.fromkeys(name for one in results.records.values() for name in one.documents)
    )
    for document in documents:
        scores = {}
        for name, one in results.records.items():
            found, wanted = one.documents.get(document, ((), ()))
            part = Records(found, wanted, one.alternatives, one.forgiving)
            scores[name] = scored({name: part})[name].total
        total = sum(scores.values(), Score())
        row: dict[str, Value] = {name: counted(scores[name])["f1"].cell for name in names}
        whole = dict(zip((column.key for column in SCORES), cells_of(total), strict=True))
        rows.append({"document": document, **row, **whole})
    if not rows:
        return absent("Not computed: it needs gold=FILE.json with the records of each document.")
    columns = [*texts(document="document"), *percents(**{name: f"F1, {name}" for name in names})]
    return Table([*columns, *SCORES], rows, caption="Document by document, strict")


def fields(results: BuildingResults) -> Table | Fragment:
    """What is right, wrong and missing in each slot of each category."""
    rows: list[list[Value]] = []
    for category, score in results.scores.items():
        for slot, part in score.slots.items():
            name = short_iri(slot) if ":" in slot else slot
            rows.append([category, name, part.tp, part.fp, part.fn, *cells_of(part)])
    if not rows:
        return absent("Not computed: it needs a reference or gold records.")
    columns = [
        *texts(category="category", slot="slot"),
        *numbers(right="right", wrong="wrong", missing="missing"),
        *SCORES,
    ]
    return Table(columns, rows, caption="Slot by slot, strict")


def figures(results: BuildingResults) -> list[FigureRow]:
    """Our figures as rows, and the paper's if they are wanted, each figure with its source."""
    wanted = sum(one.wanted for one in results.scores.values())
    covers = (
        f"{results.title}, {count(wanted, 'record')}, micro" if results.scores else results.title
    )
    system = f"kgnb, read by {results.reader}"
    rows = [FigureRow(system, covers, _measured(results.scores))]
    return [*rows, *(_papers("mop-papers") if results.papers else ())]


def _measured(scores: Mapping[str, Extraction]) -> dict[str, Figure]:
    if not scores:
        return dict.fromkeys(SCORE_KEYS, NO_REFERENCE)
    return counted(micro(scores))


def _papers(data: str) -> list[FigureRow]:
    """What the paper's system is published with: other documents, another ontology."""
    return [peer_row(row, SCORE_KEYS, elsewhere=True) for row in published_on(data)]


def headline(results: BuildingResults) -> Table:
    """The figures as a table."""
    notes = [OWN] if results.own else []
    if results.papers:
        notes += [
            "The published figures are for other documents and another ontology; empty slots that should be "
            "empty count as hits there."
        ]
    first = texts(system="System", covers="Covers")
    return figure_table(
        figures(results), SCORES, first, [SOURCE], caption=results.title, notes=notes
    )


def headline_bars(results: BuildingResults) -> Plot | Fragment:
    """Precision, recall and F1 by category."""
    if not results.scores:
        return absent(UNMEASURED)
    parts = {name: one.total for name, one in results.scores.items()} | {
        "micro": micro(results.scores)
    }
    caption = f"{results.title}: slots of the records, by category, read by {results.reader}."
    found = [counted(one) for one in parts.values()]
    series = [(column.title, [one[column.key].value for one in found]) for column in SCORES]
    return grouped_bars(list(parts), series, caption)


def notice(results: BuildingResults) -> Fragment:
    """In a few sentences what was done."""
    counts = results.built.counts()
    done = (
        f"{results.title}: {count(counts['facts'], 'fact')} by {count(counts['calls'], 'tool call')}, "
        f"read by {results.reader}; "
        f"{count(counts['refused'], 'call')} refused ({counts['repaired']:,} repaired), "
        f"{len(results.built.doubts):,} left to a person. "
        f"{count(results.run.totals['calls'], 'model call')}."
    )
    return words(done)


CATEGORIES = ("micro", "building units", "characterisation", "synthesis steps", "chemicals")


def published(results: BuildingResults) -> Table | Fragment:
    """What the paper reports, category by category, if it is wanted."""
    if not results.papers:
        return absent("Published figures on other documents: shown with -p papers=true.")
    parts = ["mop-papers", *(f"mop-papers/{name}" for name in CATEGORIES[1:])]
    rows = [row for part in parts for row in _papers(part)]
    first = texts(system="System", covers="Covers")
    return figure_table(rows, SCORES, first, [SOURCE], caption="Published")


def grounding(results: BuildingResults) -> Table | None:
    """The links to the reference graph."""
    return reasoned(results.grounding.table(), "no candidate") if results.grounding else None


def picture(results: BuildingResults) -> GraphPicture | Fragment:
    """The graph; around the entity with the most facts, where the whole is too large to read."""
    whole = results.built.picture()
    if not whole.edges:
        facts = count(results.built.counts()["facts"], "fact")
        return absent(f"No fact joins two entities: {facts} in graph.trig beside this page.")
    if len(whole.nodes) <= READABLE:
        return whole
    [(root, _)] = Counter(edge.source for edge in whole.edges).most_common(1)
    kept = [root]
    for node in kept:
        for edge in whole.edges:
            if edge.source == node and edge.target not in kept and len(kept) < READABLE:
                kept.append(edge.target)
    nodes = [node for node in whole.nodes if node.id in kept]
    edges = [edge for edge in whole.edges if edge.source in kept and edge.target in kept]
    about = next(node.label for node in nodes if node.id == root)
    notes = [
        f"{len(nodes)} of {count(len(whole.nodes), 'entity', 'entities')}; "
        "the whole graph is graph.trig beside this page."
    ]
    return GraphPicture(nodes, edges, title=f"{about}, and what is said of it", notes=notes)


def tools(results: BuildingResults) -> Fragment:
    """Every tool of the first T-Box, folded away."""
    pack = results.packs[0]
    return sections.folded(f"All {count(pack.counts()['tools'], 'tool')} of {pack.name}", pack)


def review(results: BuildingResults) -> Table | Fragment:
    """What was left to a person."""
    return (
        results.built.review()
        if results.built.doubts
        else words("Nothing was left for a person to decide.")
    )


def cost_rows(results: BuildingResults) -> list[FigureRow]:
    """What a document took, and F1."""
    seconds = sum(step.seconds or 0.0 for step in results.run.steps)
    found = costs.each(results.run.totals, len(results.built.journals), seconds)
    quality = {"f1": _measured(results.scores)["f1"]}
    return [FigureRow(f"kgnb, read by {results.reader}", f"{results.title}, one", quality | found)]


def beside_costs(results: BuildingResults) -> Table:
    """Cost beside quality: ours, and what the paper prints."""
    # A person's own notes, which no reference measures, stand beside no paper unless asked.
    ours = bool(results.own) and bool(results.records)
    return costs.cost_table("kg-construction", cost_rows(results), results.papers or ours)


def errors(results: BuildingResults) -> Table | Fragment:
    """Every record that differs, is missing or is not in the reference, category by category."""
    if not results.records:
        return absent(UNMEASURED)
    found = [
        (name, one) for name, compared in results.records.items() for one in compared.differences()
    ]
    if not found:
        return words("Every record is as the reference has it.")
    columns = texts(
        category="Category", what="What", slot="Where", found="Found", wanted="Reference"
    )
    rows: list[list[Value]] = []
    details: list[list[Detail]] = []
    for name, one in found[: sections.SHOWN]:
        kind = (
            "differs"
            if one.found and one.wanted
            else "missing"
            if one.wanted
            else "not in the reference"
        )
        slots = one.slots if one.found and one.wanted else one.slots[:3]
        values = [_cell(side, slots) for side in (one.found, one.wanted)]
        rows.append([name, kind, ", ".join(map(short_iri, slots)), *values])
        sides = {"found": one.found, "reference": one.wanted}
        details.append(
            [(head, _whole(record)) for head, record in sides.items() if record is not None]
        )
    caption = f"Not as the reference has it: {count(len(found), 'record')}"
    return Table(columns, rows, caption=caption, details=details, total=len(found))


def refused(results: BuildingResults) -> Table | Fragment:
    """The calls that were refused while reading, and whether they were repaired."""
    table = results.built.violations()
    return table if len(table) else words("No call was refused while the documents were read.")


def _cell(record: Record | None, slots: Iterable[str]) -> str:
    return (
        "; ".join(", ".join(_values(record, slot)) or "nothing" for slot in slots)
        if record is not None
        else ""
    )


def _whole(record: Record) -> str:
    return "; ".join(
        f"{short_iri(slot)}: {', '.join(_values(record, slot))}" for slot in record if record[slot]
    )


def _values(record: Record, slot: str) -> list[str]:
    given = record.get(slot, ())
    return [given] if isinstance(given, str) else list(given)


def save(results: BuildingResults, session: ReportSession) -> None:
    """Write the metrics, the timing, the graph and its links."""
    timing = {
        "compile": {pack.name: pack.counts()["milliseconds"] / 1000 for pack in results.packs},
        "steps": {f"{step.number} {step.name}": step.seconds for step in results.run.steps},
    }
    sections.write_numbers(session, metrics(results), timing)
    results.built.save(session.folder / "graph.trig")
    if results.grounding is not None:
        write_whole(session.folder / "links.ttl", results.grounding.turtle())


def metrics(results: BuildingResults) -> dict[str, Any]:
    """The figures, the same in every run."""
    scores = {name: one.total for name, one in results.scores.items()} | {
        "micro": micro(results.scores)
    }
    return costs.common_metrics(
        "kg-construction", results.run, figures(results), cost_rows(results)
    ) | {
        "reader": results.reader,
        "tboxes": {
            pack.name: {k: v for k, v in pack.counts().items() if k != "milliseconds"}
            for pack in results.packs
        },
        "built": {
            name: value for name, value in results.built.counts().items() if name != "resumed"
        },
        "scores": {name: one.f1 for name, one in scores.items()},
        "grounded": dict(Counter(link.outcome for link in results.grounding.links))
        if results.grounding
        else {},
    }

"""The question-answering report: questions asked over one graph, what each cost, and what is shown
and saved.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from time import perf_counter, process_time
from types import MappingProxyType
from typing import Any

from kgnb.agents.options import given_of
from kgnb.agents.question_answering.state import GraphContext
from kgnb.agents.question_answering.tables import proof
from kgnb.agents.question_answering.values import Options
from kgnb.backends import open_embedder, open_graph
from kgnb.datasets.published import PublishedRow
from kgnb.datasets.published import published as published_on
from kgnb.datasets.question_sets import question_set
from kgnb.datasets.questions import Asked, QuestionSet, read_questions, sampled
from kgnb.errors import BackendError, DataError, LimitError
from kgnb.evaluate.alignment import risk_coverage
from kgnb.evaluate.answers import (
    WARNING,
    Item,
    Measures,
    Support,
    by_kind,
    cell_score,
    is_literal_zero,
    measure,
    set_score,
    support,
)
from kgnb.kg.graph import Graph
from kgnb.kg.oxigraph_graph import OxigraphGraph
from kgnb.kg.terms import Triple, bare_text, is_iri
from kgnb.reporting import costs, sections
from kgnb.reporting.figures import (
    NO_REFERENCE,
    Figure,
    FigureRow,
    absent_figure,
    figure_table,
    measured,
    peer_row,
)
from kgnb.reporting.plot import Plot, risk_over_coverage
from kgnb.reporting.sections import SOURCE, Cost, Detail, Fragment, absent, words
from kgnb.reporting.sections import reproduce as reproduce  # for the notebook
from kgnb.reporting.sections import stages as stages
from kgnb.reporting.session import ReportSession, current
from kgnb.results.bundle import count
from kgnb.results.graph import GraphPicture
from kgnb.results.table import Table, Value, numbers, percents, texts
from kgnb.results.table import metrics as score_table
from kgnb.run import Run
from kgnb.tasks.asking import (
    AnswerOutcome,
    answer_questions,
    found_rows,
    found_values,
    open_context,
)

ZEROS = 'the reference is the literal "0"'
SCORED = ("exact", "f1", "strict", "precision", "coverage")
NO_REPLY = "no reply"
NO_ANSWER = "no question has an answer"
NOTHING_ANSWERED = "nothing answered"


@dataclass(frozen=True)
class MeasuredQuestion:
    """One question with its answer, whether the proof holds, and its cost."""

    asked: Asked
    outcome: AnswerOutcome
    support: Support | None
    cost: Cost

    @property
    def item(self) -> Item:
        """The question as the scorers take it."""
        return Item(
            found_values(self.outcome, self.asked),
            self.asked.reference,
            self.kind,
            self.outcome.status == "forced",
            self.support,
            found_rows(self.outcome),
            self.asked.table,
        )

    @property
    def kind(self) -> str:
        """The kind of question, as its set has it."""
        return self.asked.kind or "any"

    @property
    def right(self) -> bool:
        """Whether the set of values, and a table's every cell, is exactly the reference."""
        return set_score(self.item.found, self.item.reference).f1 == 1.0 and self.cells_right

    @property
    def cells_right(self) -> bool:
        """Whether every cell is the reference's, where that is a table."""
        return not self.asked.table or cell_score(self.item.rows, self.asked.table).f1 == 1.0


MEANS = ("f1", "cell_precision", "cell_recall", "cell_f1")


def figure_of(measures: Measures, name: str, why: str) -> Figure:
    """One score, a share of the questions that it is over; or why there is none."""
    over = {
        "precision": measures.answered,
        "support": measures.answered,
        "left": measures.unanswerable,
        "cell_precision": measures.tables,
        "cell_recall": measures.tables,
        "cell_f1": measures.tables,
    }
    of = over.get(name, measures.answerable)
    return measured(getattr(measures, name), why, of=of, mean=name in MEANS)


@dataclass(frozen=True)
class Questions:
    """Questions asked: all of the report, or those of one kind."""

    name: str
    measured: Sequence[MeasuredQuestion]
    asked: int = 0  # questions, the failed ones included

    @cached_property
    def replied(self) -> dict[str, MeasuredQuestion]:
        """The questions that did not fail, by id."""
        failed = ("failed", "waiting")
        return {one.asked.id: one for one in self.measured if one.outcome.status not in failed}

    @cached_property
    def scored(self) -> list[MeasuredQuestion]:
        """The questions that have a reference and did not fail."""
        return [one for one in self.replied.values() if one.asked.values is not None]

    def figures(self) -> dict[str, Figure]:
        """The scores, or why there are none."""
        if not self.replied:
            return dict.fromkeys(SCORED, absent_figure(NO_REPLY))
        why = dict.fromkeys(SCORED, NO_ANSWER) | {"precision": NOTHING_ANSWERED}
        return {name: figure_of(self.whole, name, why[name]) for name in SCORED}

    @cached_property
    def items(self) -> list[Item]:
        """The same as the scorers take them."""
        return [one.item for one in self.scored]

    @cached_property
    def whole(self) -> Measures:
        """The scores over all of them."""
        return measure(self.items)

    @cached_property
    def cost(self) -> Cost:
        """What all questions took together."""
        return sum((one.cost for one in self.measured), Cost())

    @property
    def failed(self) -> int:
        """How many questions ended in an error."""
        return self.asked - len(self.replied)


@dataclass(frozen=True, kw_only=True)
class AnsweringResults(Questions):
    """Everything the report shows; the name is what was asked."""

    judge: str
    embedder: str
    entities: str  # "given" or "linked"
    options: Options
    run: Run
    graph: str = ""
    peers: tuple[PublishedRow, ...] = ()
    simulation: str = ""  # what is simulated, if anything
    other_graph: str = ""  # where the questions were asked, if not over the set's own graph
    about_papers: bool = False  # whether a paper's costs, on other data, stand beside ours
    notes: tuple[str, ...] = ()
    zeros_apart: bool = False

    @cached_property
    def kinds(self) -> dict[str, Measures]:
        """The scores by kind of question, and the literal zeros apart where the set is known for
        them.
        """
        found = by_kind(self.items)
        if self.zeros_apart:
            zeros = [one.item for one in self.scored if is_literal_zero(one.asked.values or ())]
            others = [item for item in self.items if item not in zeros]
            found |= {ZEROS: measure(zeros), "all without those": measure(others)} if zeros else {}
        return found


def ask_all(
    questions: Sequence[Asked],
    context: GraphContext,
    options: Options,
    run: Run,
    *,
    out: Path | None = None,
) -> list[MeasuredQuestion]:
    """Ask the questions; what was answered before a budget was spent or a service gave up is kept."""
    by_id = {asked.id: asked for asked in questions}
    measured: list[MeasuredQuestion] = []
    mark = Cost.so_far(run)

    def keep(outcome: AnswerOutcome) -> None:
        nonlocal mark
        now = Cost.so_far(run)  # differences of totals: several questions are under way at once
        graph = getattr(
            context.graph, "unwatched", context.graph
        )  # else the next question would count these queries
        asked = by_id[outcome.id]
        if outcome.source == "model":
            asked = _by_name(asked, context)
        measured.append(MeasuredQuestion(asked, outcome, supported(outcome, graph), now - mark))
        mark = replace(now, seconds=perf_counter(), cpu=process_time())

    try:
        answer_questions(questions, context, options=options, run=run, out=out, on_outcome=keep)
    except (LimitError, BackendError):
        if not measured:
            raise
    return measured


def _by_name(asked: Asked, context: GraphContext) -> Asked:
    """The question with the names of its reference's things: a model's memory knows no IRIs."""
    if asked.names or not asked.values:
        return asked
    names = context.reader.names
    called = (names.of(value) if is_iri(value) else () for value in asked.values)
    pairs = zip(asked.values, called, strict=True)
    return replace(asked, names=tuple((value, *those) for value, those in pairs))


def supported(outcome: AnswerOutcome, graph: Graph) -> Support | None:
    """Whether what an answer cites is in the graph and gives the answer; None without an answer."""
    if outcome.answer is None or not outcome.values:
        return None
    cited: dict[tuple[str, str, str], Triple] = {
        (bare_text(triple[0]), bare_text(triple[1]), bare_text(triple[2])): triple
        for triple in outcome.answer.support
    }

    def exists(triple: tuple[str, str, str]) -> bool:
        subject, predicate, value = cited[triple]
        return bool(graph.triples(subject, predicate, value, limit=1))

    return support(list(cited), outcome.values, exists)


LOCAL = "CoDEx-S as a local slice"
MOST = 500
"""Questions asked of a large set unless more are wanted."""


def run_questions(
    *,
    dataset: str = "huts",
    questions: str = "",
    graph: str = "",
    most: int = MOST,
    entities: str = "auto",
    judge: str = "auto",
    model: str = "",
    embedder: str = "",
    papers: bool = False,
    options: Mapping[str, Any] = MappingProxyType({}),
    session: ReportSession | None = None,
) -> AnsweringResults:
    """Ask the questions of a data set or a file over a graph; the parameters are the report's.

    A spent budget or a service that gives up ends the asking.

    Raises:
        DataError: a file is missing or wrong, or a set has no graph and none was given.
    """
    session = session or current()
    judge, settings = sections.judging(session, judge, model)
    task = _own(questions, graph) if questions else question_set(dataset, settings.data)
    if graph and not questions:
        task = replace(task, graph=graph, triples=())
    own_graph = bool(questions) or not graph
    opened = open_questions_graph(task)
    given = entities == "given" or (entities == "auto" and not questions and dataset != "huts")
    chosen = sampled(task.questions, most)
    sliced = dataset == "qald10" and not graph and not questions
    chosen = tuple(reference_on(opened, asked) for asked in chosen) if sliced else chosen
    chosen = chosen if given else tuple(replace(asked, entities=()) for asked in chosen)
    chosen_options = Options(**given_of(Options, options))
    names = {"task": task.name, "questions": len(chosen), "entities": given, "judge": judge}
    names |= options
    run = sections.run_in(session, "question_answering", {}, names, settings)
    embed = open_embedder(embedder or None, settings)
    asking: dict[str, Any] = {"judge": judge, "embedder": embed, "settings": settings}
    with run:
        context = open_context(opened, run=run, options=chosen_options, **asking)
        measured = ask_all(
            chosen, context, chosen_options, run, out=session.folder / "answers.jsonl"
        )
    notes = [*task.notes, *([_SLICED] if sliced else [])]
    if run.partial:
        notes.insert(
            0,
            f"Partial: {run.partial}; {len(measured)} of {count(len(chosen), 'question')} were asked.",
        )
    elif len(measured) < len(chosen):
        notes.append(
            f"A service gave up: {len(measured)} of {count(len(chosen), 'question')} were asked."
        )
    if most and len(chosen) < len(task.questions):
        notes.append(
            f"{len(chosen)} of the {len(task.questions):,} questions, evenly spread over the set, the same ones every "
            "time; -p most=0 asks all."
        )
    return AnsweringResults(
        name=task.title,
        measured=measured,
        asked=len(chosen),
        judge=sections.judge_in_words(judge, settings),
        embedder=embed.name,
        entities="given" if given else "linked",
        options=chosen_options,
        run=run,
        graph=LOCAL if sliced else opened.name,
        peers=() if questions else published_on(dataset),
        simulation=f"the reference is what the questions' own SPARQL gives on {LOCAL}"
        if sliced
        else "",
        other_graph="" if own_graph else f"asked over {opened.name}, not the set's own graph",
        about_papers=papers or not (questions or graph),
        notes=tuple(notes),
        zeros_apart=dataset == "qald10" and not questions,
    )


_SLICED = (
    f"SIMULATED REFERENCE: the graph is {LOCAL}, and the reference is what each question's own SPARQL gives there. "
    "This tries every kind of question from end to end; it is not a result on QALD-10."
)


def open_questions_graph(task: QuestionSet) -> Graph:
    """The graph of a question set.

    Raises:
        DataError: it has none.
    """
    if task.triples:
        graph = OxigraphGraph(name=task.title)
        graph.add(task.triples)
        return graph
    if not task.graph:
        raise DataError(
            "its graph is not available",
            where=task.name,
            fix="Give one: -p graph=FILE, or an endpoint's URL. (For qald10, CoDEx in KGNB_DATA serves as a slice.)",
        )
    return open_graph(task.graph)


def _own(questions: str, graph: str) -> QuestionSet:
    if not graph:
        raise ValueError("questions and graph go together\nGive both, or neither and a dataset.")
    asked = tuple(read_questions(questions))
    return QuestionSet(
        Path(questions).stem, f"{Path(questions).name} over {graph}", asked, graph=graph
    )


def reference_on(graph: Graph, asked: Asked) -> Asked:
    """The question with what its SPARQL gives on this graph as the reference."""
    if asked.kind == "yes/no":
        return replace(asked, values=(str(graph.ask(asked.sparql)).lower(),))
    rows = graph.select(asked.sparql, limit=1000).rows
    values = tuple(dict.fromkeys(bare_text(row[0]) for row in rows if row and row[0] is not None))
    return replace(asked, values=values)


COLUMNS = (
    *numbers(questions="Questions"),
    *percents(exact="Exact set", f1="Set F1", strict="Hits@1", precision="Right if answered"),
    *percents(coverage="Answered", support="Proof holds"),
)
LEFT = percents(left="Left unsure, no answer")
CELLS = percents(cell_precision="Cell precision", cell_recall="Cell recall", cell_f1="Cell F1")
TABLES = (
    "Cells: where the reference is a table, each (first column, other column) pair of a row; averages over these "
    "questions, unsure ones as 0. Exact set, Set F1 and Hits@1 are of the first column."
)
SCORES = (
    "Over the questions that have an answer. Exact set: all values and no other. Set F1: over all values. Hits@1: the "
    "first value is right. Right if answered: exact among all that were answered. Left unsure, no answer: of the "
    "questions that the graph has no answer to, those left unsure; they are in no other score."
)
SUPPORT = "Proof holds: every triple cited is in the graph, and together they give the answer; of the answers given."
UNMEASURED = (
    "No question has a reference answer, so nothing is measured. In a file of questions a line gives "
    'it as "values": ["http://..."], or with names or numbers in place of IRIs.'
)


def scores(
    kinds: dict[str, Measures], whole: Measures, caption: str = "", notes: Sequence[str] = ()
) -> Table:
    """The scores by kind of question and over all."""
    columns = (*COLUMNS, *LEFT) if whole.unanswerable else COLUMNS
    columns = (*columns, *CELLS) if whole.tables else columns
    keys = {column.key for column in columns}
    rows = {kind or "any": _values(one) for kind, one in {**kinds, "all": whole}.items()}
    shown = {name: {k: v for k, v in row.items() if k in keys} for name, row in rows.items()}
    whole_row = shown.pop("all")
    return score_table(
        columns,
        shown,
        summary={"all": whole_row},
        caption=caption,
        notes=[SCORES, SUPPORT, *([TABLES] if whole.tables else []), *notes],
        bar="f1",
        case_title="Kind of question",
    )


def _values(measures: Measures) -> dict[str, Value]:
    why = dict.fromkeys(("exact", "f1", "strict", "coverage"), NO_ANSWER)
    why |= dict.fromkeys(("precision", "support"), NOTHING_ANSWERED)
    why |= {"left": "all have an answer"}
    why |= dict.fromkeys(("cell_precision", "cell_recall", "cell_f1"), "no table")
    found = {name: figure_of(measures, name, reason).cell for name, reason in why.items()}
    return {"questions": measures.questions, **found}


def headline(results: AnsweringResults) -> Table | Fragment:
    """Every kind of question, the three scores side by side."""
    if not results.items:
        return words(UNMEASURED)
    entities = f"entities {results.entities}" + (
        " by the set" if results.entities == "given" else " by the agent"
    )
    notes = [f"{results.judge}; {entities}; graph: {results.graph}", *results.notes]
    return scores(results.kinds, results.whole, results.name, notes)


def figures(results: AnsweringResults) -> list[FigureRow]:
    """Our figures and published ones as rows, each figure with its source."""
    rows: list[FigureRow] = []
    if any(one.asked.values is not None for one in results.measured):
        whole = results.whole
        covers = [f"{results.name}, {count(whole.answerable, 'question')} with an answer"]
        if results.failed:
            covers.append(f"{results.failed:,} of {results.asked:,} without a reply")
        marks = (results.simulation, results.other_graph, sections.silence(results.run))
        covers += [text for text in marks if text]
        ours = results.figures()
        if results.peers:
            why = NO_REPLY if results.failed else NO_ANSWER
            ours |= {"lenient": figure_of(whole, "lenient", why)}
        system = f"kgnb ({results.judge})" + (", SIMULATED REFERENCE" if results.simulation else "")
        rows.append(FigureRow(system, "; ".join(covers), ours))
    elif results.measured:
        none = dict.fromkeys(SCORED, NO_REFERENCE)
        asked = f"{results.name}, {count(len(results.measured), 'question')}"
        rows.append(FigureRow(f"kgnb ({results.judge})", asked, none))
    ours_only = [one.asked.id for one in results.scored]
    for peer in results.peers:
        same = peer.data.startswith("pathquestion") and not results.other_graph
        elsewhere = not (same and ours_only)
        rows.append(peer_row(peer, ("lenient", "strict", "f1"), elsewhere=elsewhere))
    return rows


def published(results: AnsweringResults) -> Table | Fragment:
    """Our figures and published ones of the same questions side by side."""
    if not results.peers:
        return absent("Nobody has published figures for these questions over this graph.")
    columns = percents(lenient="Lenient (!)", strict="Hits@1", f1="Set F1")
    notes = [
        f"Warning: {WARNING}.",
        "Compare only figures of one score that cover the same questions and graph.",
    ]
    first = texts(system="System", covers="Covers")
    return figure_table(
        figures(results), columns, first, [SOURCE], caption=results.name, notes=notes
    )


def risk(results: AnsweringResults) -> Plot | Fragment:
    """The share of wrong answers among the most confident."""
    given = [one for one in results.scored if one.outcome.values]
    if not given:
        return words("No question that has a reference was answered, so there is no risk to draw.")
    answers = {(one.asked.id, "", ""): one.right for one in given}
    found = [((one.asked.id, "", ""), float(one.outcome.confidence or 0.0)) for one in given]
    points = risk_coverage(found, [answer for answer, right in answers.items() if right])
    caption = "Risk over coverage of the answers given, surest first: low on the left means the confidence sorts well."
    return risk_over_coverage(
        [(point.coverage, point.risk) for point in points], caption, "answers", n=len(given)
    )


def cost_rows(results: AnsweringResults) -> list[FigureRow]:
    """What a question took, of all and of each kind, and how good the answers are."""
    kinds = dict.fromkeys(one.kind for one in results.measured)
    groups = [
        Questions(kind, [one for one in results.measured if one.kind == kind]) for kind in kinds
    ]
    rows = []
    for group in (results, *(groups if len(groups) > 1 else ())):
        totals = asdict(group.cost)
        if group is results:
            totals["usd"] = results.run.totals.get("usd")
        exact = group.figures()["exact"] if group.items else NO_REFERENCE
        found = {"exact": exact} | costs.each(totals, len(group.measured), group.cost.seconds)
        rows.append(FigureRow(f"kgnb ({results.judge})", f"{group.name}, a question", found))
    return rows


def beside_costs(results: AnsweringResults) -> Table:
    """Cost beside quality: ours, and what papers print."""
    return costs.cost_table("question-answering", cost_rows(results), results.about_papers)


def errors(results: AnsweringResults) -> Table | Fragment:
    """Every question whose answer is not exactly the reference, or that has none; a row opens to
    what was cited and why.
    """
    missed = [one for one in results.replied.values() if one.asked.values is None or not one.right]
    if not missed:
        return words(
            f"Answered as the reference says: {count(len(results.scored), 'question')}, all that have one."
        )
    missed.sort(key=lambda one: (one.outcome.status == "unsure", one.outcome.status == "failed"))
    columns = [
        *texts(
            id="Id",
            kind="Kind",
            question="Question",
            found="Answer",
            reference="Reference",
            status="Status",
        ),
        *numbers(confidence="Confidence"),
        *texts(what="What went wrong"),
    ]
    rows: list[list[Value]] = [
        [
            *(
                one.asked.id,
                one.kind,
                one.asked.text,
                _listed([one.outcome.labels.get(value, value) for value in one.outcome.values]),
                "not known" if one.asked.values is None else _listed(one.asked.values),
            ),
            *(one.outcome.status, one.outcome.confidence, went_wrong(one)),
        ]
        for one in missed
    ]
    notes = [f"{len(missed)} of {count(len(results.replied), 'question')}; unsure ones last."]
    details = [_details(one) for one in missed]
    return Table(
        columns,
        rows,
        caption="Answers that differ from the reference, or have none",
        notes=notes,
        details=details,
    )


def went_wrong(one: MeasuredQuestion) -> str:
    """What kind of error this is, in a few words."""
    if one.outcome.status == "failed":
        return one.outcome.error
    answer = one.outcome.answer
    linked = set(answer.linked.entities) if answer is not None else set()
    if not one.outcome.values:
        return "unsure" if linked or answer is None else "nothing in the question was linked"
    if one.asked.values is None:
        return ""
    if not one.asked.values:
        return "answered, though the graph has no answer"
    score = set_score(one.item.found, one.item.reference)
    if score.f1 == 1.0:
        return "the first column is right, other cells are not"
    if score.precision == 1.0:
        return "incomplete"
    if score.recall == 1.0:
        return "too many"
    return "some right, some wrong" if score.f1 else "all wrong"


def _details(one: MeasuredQuestion) -> list[Detail]:
    answer = one.outcome.answer
    if answer is None:
        return []
    found = [
        ("why", answer.rationale),
        ("SPARQL", answer.sparql),
        ("reference SPARQL", one.asked.sparql),
    ]
    found += [
        ("because", " | ".join(answer.label(term) for term in triple))
        for triple in answer.support[:5]
    ]
    found += [
        ("linked", f"{link.mention or link.label}: {link.iri}") for link in answer.linked.links[:5]
    ]
    return [(head, text) for head, text in found if text]


def _listed(values: Sequence[str], most: int = 4) -> str:
    names = [value.rstrip("/").rpartition("/")[2] if is_iri(value) else value for value in values]
    shown = ", ".join(names[:most])
    return (shown + (f" and {len(values) - most} more" if len(values) > most else "")) or "nothing"


def example(results: AnsweringResults) -> GraphPicture | Fragment:
    """The proof of one answer that nothing speaks against: the one with the most triples that still
    fit a picture.
    """
    right = [
        one
        for one in results.replied.values()
        if (one.asked.values is None or one.right) and one.outcome.support
    ]
    if not right:
        return words("No question was answered correctly with triples that prove it.")
    best = min(right, key=lambda one: (len(one.outcome.support) > 12, -len(one.outcome.support)))
    assert best.outcome.answer is not None
    return proof(best.outcome.answer)


def notice(results: AnsweringResults) -> Fragment:
    """What was done, and what must be known before any figure is read."""
    lines = [note for note in results.notes if note.startswith("SIMULATED")]
    lines += [f"Another graph: {results.other_graph}."] if results.other_graph else []
    unsure = sum(one.outcome.status == "unsure" for one in results.measured)
    done = (
        f"{count(len(results.measured), 'question')} over {results.graph}, {results.judge}, "
        f"embedder {results.embedder}, "
        f"entities {results.entities}: {len(results.measured) - unsure:,} answered, {unsure:,} left unsure, "
        f"{count(results.cost.calls, 'model call')}."
    )
    return words(*lines, done, look="alarm" if lines else "")


def metrics(results: AnsweringResults) -> dict[str, Any]:
    """The figures, the same in every run."""
    return costs.common_metrics(
        "question-answering", results.run, figures(results), cost_rows(results)
    ) | {
        "title": results.name,
        "judge": results.judge,
        "embedder": results.embedder,
        "entities": results.entities,
        "simulation": results.simulation,
        "other_graph": results.other_graph,
        "options": asdict(results.options),
        "all": asdict(results.whole) if results.items else None,
        "kinds": {kind: asdict(measures) for kind, measures in results.kinds.items()},
        "queries": results.cost.queries,
        "calls": results.cost.calls,
        "tokens": results.cost.tokens,
    }


def save(results: AnsweringResults, session: ReportSession) -> None:
    """Write the metrics and the timing; the answers are written while they are asked."""
    seconds = {
        "all": results.cost.seconds,
        "questions": {one.asked.id: one.cost.seconds for one in results.measured},
    }
    sections.write_numbers(session, metrics(results), seconds)

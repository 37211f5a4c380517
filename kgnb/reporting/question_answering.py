"""The question-answering report: every question asked over one graph, what each took, and what is shown and saved."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, field, replace
from functools import cached_property
from operator import add, sub
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

from kgnb.agents.question_answering.state import GraphContext
from kgnb.agents.question_answering.values import Options
from kgnb.agents.question_answering.views import proof
from kgnb.backends import open_embedder, open_graph
from kgnb.datasets.question_sets import PUBLISHED, AnswerFigure, question_set
from kgnb.datasets.questions import Asked, QuestionSet, read_questions, sampled
from kgnb.errors import BackendError, DataError, LimitError
from kgnb.evaluate.alignment import risk_coverage
from kgnb.evaluate.answers import WARNING, Item, Measures, Support, by_kind, is_literal_zero, measure, support
from kgnb.files import write_json
from kgnb.kg.graph import Graph
from kgnb.kg.oxigraph_graph import OxigraphGraph
from kgnb.kg.terms import Triple
from kgnb.llm.replay import MissingReply
from kgnb.reporting.plot import Plot, risk_over_coverage
from kgnb.reporting.sections import Words, absent, in_percent, judge_in_words, judging, run_in, spent
from kgnb.reporting.sections import reproduce as reproduce  # the notebook's own
from kgnb.reporting.sections import stages as stages
from kgnb.reporting.session import ReportSession, current
from kgnb.results.graph import GraphPicture
from kgnb.results.table import Column, Score, Table, Value, numbers, percents, texts
from kgnb.results.table import metrics as score_table
from kgnb.run import Run
from kgnb.settings import Settings
from kgnb.tasks.asking import Outcome, answer_questions, open_context, plain, plain_triple
from kgnb.tasks.running import new_run

ZEROS = 'the reference is the literal "0"'


@dataclass(frozen=True)
class QuestionCost:
    """What some questions took. Calls and tokens count cached replies too, so that they are the same when run again."""

    questions: int = 0
    seconds: float = 0.0
    cpu: float = 0.0  # seconds of this process
    rounds: int = 0
    queries: int = 0
    embedded: int = 0  # texts whose vector was computed while observing
    calls: int = 0
    tokens: int = 0

    def __add__(self, other: QuestionCost) -> QuestionCost:
        return QuestionCost(*map(add, astuple(self), astuple(other)))

    def __sub__(self, other: QuestionCost) -> QuestionCost:
        return QuestionCost(*map(sub, astuple(self), astuple(other)))

    def each(self, name: str, digits: int = 1) -> str:
        """A question's share of one of them, in words."""
        return f"{getattr(self, name) / max(1, self.questions):.{digits}f}"


@dataclass(frozen=True)
class MeasuredQuestion:
    """One question: what was asked, what came of it, whether its proof holds, what it took."""

    asked: Asked
    outcome: Outcome
    support: Support | None
    cost: QuestionCost

    @property
    def item(self) -> Item:
        """The question as the scorers take it."""
        return Item(
            self.outcome.values, self.asked.values or (), self.kind, self.outcome.status == "forced", self.support
        )

    @property
    def kind(self) -> str:
        """The kind of question, as its set has it."""
        return self.asked.kind or "any"

    @property
    def right(self) -> bool:
        """Whether the set of values is exactly the reference."""
        return measure([self.item]).exact == 1.0


@dataclass(frozen=True)
class Variant:
    """One line of the ablation or of the judges: what was changed, and what came of it."""

    name: str
    measures: Measures
    cost: QuestionCost
    kinds: Mapping[str, Measures] = field(default_factory=dict)
    failed: int = 0  # questions that brought an error


@dataclass(frozen=True)
class AnsweringResults:
    """Everything a report shows."""

    title: str
    measured: tuple[MeasuredQuestion, ...]
    judge: str
    embedder: str
    entities: str  # "given" or "linked"
    options: Options
    run: Run
    graph: str = ""
    peers: tuple[AnswerFigure, ...] = ()
    notes: tuple[str, ...] = ()
    variants: tuple[Variant, ...] = ()
    judges: tuple[Variant, ...] = ()  # the same questions to each judge
    simulation: str = ""  # what was simulated, if anything
    zeros_apart: bool = False

    @property
    def scored(self) -> tuple[MeasuredQuestion, ...]:
        """The questions that have a reference."""
        return tuple(one for one in self.measured if one.asked.values is not None)

    @cached_property
    def items(self) -> list[Item]:
        """The scored questions as the scorers take them."""
        return [one.item for one in self.scored]

    @cached_property
    def whole(self) -> Measures:
        """The scores over all questions."""
        return measure(self.items)

    @cached_property
    def kinds(self) -> dict[str, Measures]:
        """The scores by kind of question, and the literal zeros apart where the set is known for them."""
        found = by_kind(self.items)
        if self.zeros_apart:
            zeros = [one.item for one in self.scored if is_literal_zero(one.asked.values or ())]
            others = [one.item for one in self.scored if not is_literal_zero(one.asked.values or ())]
            found |= {ZEROS: measure(zeros), "all without those": measure(others)} if zeros else {}
        return found

    @property
    def cost(self) -> QuestionCost:
        """What all questions took together."""
        return total(one.cost for one in self.measured)


def total(costs: Iterable[QuestionCost]) -> QuestionCost:
    """Costs added up."""
    return sum(costs, QuestionCost())


def wrong(measured: Sequence[MeasuredQuestion]) -> list[MeasuredQuestion]:
    """The questions whose answer is not exactly the reference, those first that were answered."""
    missed = [one for one in measured if not one.right]
    return sorted(missed, key=lambda one: (one.outcome.status == "unsure", one.outcome.status == "failed"))


def ask_all(
    questions: Sequence[Asked], context: GraphContext, options: Options, run: Run, *, out: Path | None = None
) -> list[MeasuredQuestion]:
    """Ask the questions; what was answered before a budget was spent is kept."""
    by_id = {asked.id: asked for asked in questions}
    measured: list[MeasuredQuestion] = []
    mark = _counted(run)

    def came(outcome: Outcome) -> None:
        nonlocal mark
        now = _counted(run)  # against all there is by now: several are under way, and a step that was begun counts on
        rounds = outcome.answer.rounds if outcome.answer else 0
        cost = replace(now - mark, questions=1, rounds=rounds)
        unwatched = getattr(context.graph, "unwatched", context.graph)  # no query of the next question
        proof_holds = supported(outcome, unwatched)
        measured.append(MeasuredQuestion(by_id[outcome.id], outcome, proof_holds, cost))
        mark = replace(now, seconds=perf_counter(), cpu=process_time())

    try:
        answer_questions(questions, context, options=options, run=run, out=out, on_outcome=came)
    except (LimitError, BackendError):
        if not measured:
            raise
    return measured


def _counted(run: Run) -> QuestionCost:
    """The clocks, and the queries, texts embedded, model calls and tokens of a run so far."""
    calls = [call for step in run.steps for call in step.calls]
    return QuestionCost(
        seconds=perf_counter(),
        cpu=process_time(),
        queries=sum(len(step.queries) for step in run.steps),
        embedded=sum(int(step.counts.get("embedded", 0)) for step in run.steps),
        calls=len(calls),
        tokens=sum(call.prompt_tokens + call.completion_tokens for call in calls),
    )


def supported(outcome: Outcome, graph: Graph) -> Support | None:
    """Whether what an answer cites is in the graph and gives the answer; None where nothing was answered."""
    if outcome.answer is None or not outcome.values:
        return None
    cited: dict[tuple[str, str, str], Triple] = {plain_triple(triple): triple for triple in outcome.answer.support}

    def exists(triple: tuple[str, str, str]) -> bool:
        subject, predicate, value = cited[triple]
        return bool(graph.triples(subject, predicate, value, limit=1))

    return support(list(cited), outcome.values, exists)


LOCAL = "CoDEx-S as a local slice"
MOST = 500
"""Questions asked of a large set unless more are wanted: enough for the figures, at a fraction of the time."""
SWEPT = 100
"""Questions asked of each variant of the sweep, which asks them fourteen times over."""


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
    depth: int = Options().depth,
    breadth: int = Options().breadth,
    share: float = Options().share,
    keep: int = Options().keep,
    rounds: int = Options().rounds,
    ablation: bool = False,
    judges: bool = False,
    session: ReportSession | None = None,
) -> AnsweringResults:
    """Ask the questions of a data set, or those of a file, over its graph (or ``graph``: files or an endpoint's URL).

    ``most`` asks only so many, evenly spread over the set, the same ones every time; 0 asks all. ``entities``: "given"
    by the set, "linked" (looked for by the agent) or "auto": given for benchmarks, as in published figures, linked for
    our own questions. With ``ablation`` every variant of the sweep is asked too, at most ``SWEPT`` of the questions
    unless ``most`` is 0; with ``judges``, each judge is asked all of them.

    A spent budget, and a service that fails for good, end it with what there is by then.

    Raises:
        DataError: a file is missing or wrong, or a set has no graph and none was given.
    """
    session = session or current()
    judge, settings = judging(session, judge, model)
    task = _own(questions, graph) if questions else question_set(dataset, settings.data)
    if graph and not questions:
        task = replace(task, graph=graph, triples=())
    opened = open_questions_graph(task, settings)
    given = entities == "given" or (entities == "auto" and not questions and dataset != "huts")
    chosen = sampled(task.questions, most)
    sliced = dataset == "qald10" and not graph and not questions
    chosen = tuple(reference_on(opened, asked) for asked in chosen) if sliced else chosen
    chosen = chosen if given else tuple(replace(asked, entities=()) for asked in chosen)
    options = Options(depth=depth, breadth=breadth, share=share, keep=keep, rounds=rounds)
    names = {"task": task.name, "questions": len(chosen), "entities": given, "judge": judge}
    names |= {"depth": depth, "breadth": breadth, "share": share, "keep": keep, "rounds": rounds}
    run = run_in(session, "question_answering", {}, names, settings)
    embed = open_embedder(embedder or None, settings)
    asking: dict[str, Any] = {"judge": judge, "embedder": embed, "settings": settings}
    with run:
        context = open_context(opened, run=run, options=options, **asking)
        measured = ask_all(chosen, context, options, run, out=session.folder / "answers.jsonl")
    notes = [*task.notes, *([_SLICED] if sliced else [])]
    if run.partial:
        notes.insert(0, f"Partial: {run.partial}; {len(measured)} of {len(chosen)} questions were asked.")
    elif len(measured) < len(chosen):
        notes.append(f"A service gave up: {len(measured)} of {len(chosen)} questions were asked.")
    if most and len(chosen) < len(task.questions):
        notes.append(
            f"{len(chosen)} of the {len(task.questions):,} questions, evenly spread over the set, the same ones every "
            "time; -p most=0 asks all."
        )
    swept = sampled(chosen, SWEPT if most else 0)
    return AnsweringResults(
        title=task.title,
        measured=tuple(measured),
        judge=judge_in_words(judge, settings),
        embedder=embed.name,
        entities="given" if given else "linked",
        options=options,
        run=run,
        graph=LOCAL if sliced else opened.name,
        peers=PUBLISHED.get(dataset, ()) if not questions else (),
        notes=tuple(notes),
        variants=tuple(sweep(swept, opened, options, asking, settings)) if ablation else (),
        judges=tuple(judged(chosen, opened, options, asking, settings)) if judges else (),
        zeros_apart=dataset == "qald10" and not questions,
    )


_SLICED = (
    f"SIMULATED REFERENCE: the graph is {LOCAL}, and the reference is what each question's own SPARQL gives there. "
    "This tries the way through for every kind of question; it is no figure of QALD-10."
)


def open_questions_graph(task: QuestionSet, settings: Settings) -> Graph:
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
            "its graph is not at hand",
            where=task.name,
            fix="Give one: -p graph=FILE, or an endpoint's URL. (For qald10, CoDEx in KGNB_DATA serves as a slice.)",
        )
    return open_graph(task.graph, settings)


def _own(questions: str, graph: str) -> QuestionSet:
    if not graph:
        raise ValueError("questions and graph go together\nGive both, or neither and a dataset.")
    asked = tuple(read_questions(questions))
    return QuestionSet(Path(questions).stem, f"{Path(questions).name} over {graph}", asked, graph=graph)


def reference_on(graph: Graph, asked: Asked) -> Asked:
    """The question with what its SPARQL gives on this graph as the reference."""
    if asked.kind == "yes/no":
        return replace(asked, values=(str(graph.ask(asked.sparql)).lower(),))
    rows = graph.select(asked.sparql, limit=1000).rows
    values = tuple(dict.fromkeys(plain(row[0]) for row in rows if row and row[0] is not None))
    return replace(asked, values=values)


WHOLE = "as it is"


def variants(options: Options) -> Iterator[tuple[str, Options]]:
    """What is tried, by name: no observation, other reflections, outgoing only, and other D, N, P, K."""
    yield WHOLE, options
    yield "no observation", replace(options, observation=False)
    for reflection in ("similarity", "random", "facts"):
        yield f"reflection: {reflection}", replace(options, reflection=reflection)
    yield "outgoing triples only (as in the paper)", replace(options, directions="outgoing")
    for depth in (1, 2):
        yield f"D = {depth}", replace(options, depth=depth)
    for breadth in (5, 200):
        yield f"N = {breadth}", replace(options, breadth=breadth)
    for share in (0.02, 0.5):
        yield f"P = {share:.0%}", replace(options, share=share)
    for keep in (3, 50):
        yield f"K = {keep}", replace(options, keep=keep)


def sweep(
    questions: Sequence[Asked], graph: Graph, options: Options, asking: Mapping[str, Any], settings: Settings
) -> list[Variant]:
    """Every variant over all questions; vectors are shared through the cache, so only the choices differ."""
    found = []
    for name, changed in variants(options):
        run = new_run("question_answering", {}, parameters={"variant": name}, settings=settings)
        with run:
            measured = ask_all(questions, open_context(graph, run=run, **asking), changed, run)
        found.append(_line(name, measured, len(questions)))
    return found


def judged(
    questions: Sequence[Asked], graph: Graph, options: Options, asking: Mapping[str, Any], settings: Settings
) -> list[Variant]:
    """The same questions to the rule and, where a model is set, to the cascade, the model, and it with ODA's own tools.

    The last is the paper's setting: neighbours and paths, no queries, no schema.
    """
    paper = replace(options, tools="paper", directions="outgoing")
    asked = [("rule", "rule", options), ("cascade", "cascade", options), ("model", "model", options),
             ("model, tools=paper (ODA)", "model", paper)]  # fmt: skip
    found = []
    for name, judge, changed in asked if settings.model else asked[:1]:
        run = new_run("question_answering", {}, parameters={"judge": name}, settings=settings)
        with run:
            context = open_context(graph, run=run, **{**asking, "judge": judge})
            try:
                measured = ask_all(questions, context, changed, run)
            except (BackendError, MissingReply):  # a recording lacks this judge's replies: its row says so
                measured = []
        found.append(_line(name, measured, len(questions)))
    return found


def _line(name: str, measured: Sequence[MeasuredQuestion], asked: int) -> Variant:
    items = [one.item for one in measured if one.asked.values is not None]
    failed = asked - sum(one.outcome.status != "failed" for one in measured)
    return Variant(name, measure(items), total(one.cost for one in measured), by_kind(items), failed)


COLUMNS = (
    Column("questions", "Questions", "number"),
    *percents(
        exact="Exact set",
        f1="Set F1",
        strict="Hits@1",
        precision="Right if answered",
        coverage="Answered",
        support="Proof holds",
    ),
)
SCORES = (
    "Exact set: all values and no other. Set F1: over all values. Hits@1: the first value is right. Right if answered: "
    "exact among the questions answered; the others were left unsure."
)
SUPPORT = "Proof holds: every triple cited is in the graph, and together they give the answer; of the answers given."
UNMEASURED = "No question has a reference answer, so nothing is measured."
COSTS = ("seconds", "cpu", "rounds", "queries", "embedded", "calls", "tokens")
OFF = "Not computed: run the report with -p ablation=true."
ALONE = "Not computed: run the report with -p judges=true, and a model for more than the rule."


def scores(kinds: dict[str, Measures], whole: Measures, caption: str = "", notes: Sequence[str] = ()) -> Table:
    """The scores by kind of question and over all."""
    return score_table(
        COLUMNS,
        [Score(kind or "any", _values(measures)) for kind, measures in kinds.items()],
        summary=[Score("all", _values(whole))],
        caption=caption,
        notes=[SCORES, SUPPORT, *notes],
        bar="f1",
        case_title="Kind of question",
    )


def _values(measures: Measures) -> dict[str, Value]:
    found: dict[str, Value] = {column.key: getattr(measures, column.key) for column in COLUMNS}
    return found | ({} if measures.coverage else {"precision": None})


def headline(results: AnsweringResults) -> Table | Words:
    """Every kind of question, the three scores side by side."""
    if not results.items:
        return Words((UNMEASURED,))
    entities = f"entities {results.entities}" + (" by the set" if results.entities == "given" else " by the agent")
    notes = [f"{results.judge}; {entities}; graph: {results.graph}", *results.notes]
    return scores(results.kinds, results.whole, results.title, notes)


def judges(results: AnsweringResults) -> Table | Words:
    """The same questions to every judge: how good, how much of it, at what cost; then exact sets by kind."""
    if not results.judges:
        return absent(ALONE)
    costs = (("calls", "Model calls"), ("tokens", "Tokens"), ("queries", "Queries"), ("cpu", "CPU seconds"))
    kinds = list(results.judges[0].kinds)
    columns = [Column("judge", "Judge"), *COLUMNS[1:6], *(Column(key, title, "number") for key, title in costs)]
    columns += [Column(f"kind {kind}", kind or "any", "percent") for kind in kinds]
    rows: list[list[Value]] = []
    for one in results.judges:
        values = _values(one.measures)
        name = one.name + (f" ({one.failed} without a reply)" if one.failed else "")
        row = [name, *(values[column.key] for column in COLUMNS[1:6])]
        row += [one.cost.each(key, 2 if key == "cpu" else 1) for key, _ in costs]
        rows.append([*row, *(one.kinds[kind].exact if kind in one.kinds else None for kind in kinds)])
    notes = [SCORES, "Costs are a question's share. The kinds of question, at the right, are shares of exact sets."]
    return Table(columns, rows, caption="Judge by judge", notes=notes)


def figures(results: AnsweringResults) -> list[dict[str, Value]]:
    """Our figures and published ones as rows, shares between 0 and 1: what each covers and where it is from."""
    keys = {"legacy-lenient": "lenient", "strict": "strict", "F1": "f1"}
    rows: list[dict[str, Value]] = []
    if results.items:
        whole = results.whole
        covers = f"{results.title}, {whole.questions:,} questions"
        system = f"kgnb, SIMULATION ({results.simulation})" if results.simulation else f"kgnb ({results.judge})"
        ours: dict[str, Value] = {
            key: getattr(whole, key) for key in ("exact", "f1", "strict", "precision", "coverage")
        }
        ours |= {"lenient": whole.lenient} if results.peers else {}
        rows = [{"system": system, "covers": covers} | ours | {"source": "this run"}]
    nothing: dict[str, Value] = dict.fromkeys(keys.values())
    for peer in results.peers:
        told: dict[str, Value] = {"system": peer.system, "covers": peer.covers}
        rows.append(told | nothing | {keys[peer.score]: peer.value, "source": peer.source})
    return rows


def published(results: AnsweringResults) -> Table | Words:
    """Our figures and published ones of the same questions side by side."""
    if not results.peers:
        return absent("Nobody has published figures of these questions over this graph.")
    columns = [
        *texts(system="System", covers="Covers"),
        *percents(lenient="Lenient (!)", strict="Hits@1", f1="Set F1"),
        Column("source", "Where it is from"),
    ]
    notes = [f"Warning: {WARNING}.", "Compare only figures of one score that cover the same questions and graph."]
    rows = [{column.key: row.get(column.key) for column in columns} for row in figures(results)]
    return Table(columns, rows, caption=results.title, notes=notes)


def risk(results: AnsweringResults) -> Plot | Words:
    """How many of the surest answers are wrong."""
    given = [one for one in results.scored if one.outcome.values]
    if not given:
        return Words(("No question that has a reference was answered, so there is no risk to draw.",))
    answers = {(one.asked.id, "", ""): one.right for one in given}
    found = [((one.asked.id, "", ""), float(one.outcome.confidence or 0.0)) for one in given]
    points = risk_coverage(found, [answer for answer, right in answers.items() if right])
    caption = "Risk over coverage of the answers given, surest first: low on the left means the confidence sorts well."
    return risk_over_coverage([(point.coverage, point.risk) for point in points], caption, "answers")


def ablation(results: AnsweringResults) -> Table | Words:
    """The sweep: one option changed at a time."""
    if not results.variants:
        return absent(OFF)
    whole = results.variants[0].measures
    columns = [
        Column("variant", "Variant"),
        *COLUMNS[1:4],
        Column("coverage", "Answered", "percent"),
        Column("difference", "F1, points"),
        Column("queries", "Queries a question", "number"),
    ]
    rows: list[list[Value]] = []
    for one in results.variants:
        found = one.measures
        difference = f"{100 * (found.f1 - whole.f1):+.1f}" if one is not results.variants[0] else None
        scores = (found.exact, found.f1, found.strict, found.coverage)
        rows.append([one.name, *scores, difference, one.cost.each("queries")])
    notes = [
        f"{results.judge}, the same questions in every row; one option changed, everything else as it is.",
        "The rule judge chooses among readings of the question over the relations around its entities, which are "
        "made whether the graph is observed or not: with it, observation, reflection, D, N, P and K change the cost "
        "and hardly the answers. What they do for the answers shows only with a judge that reads the observation "
        "(a model).",
        "The paper's averages over its sets: 82.63 without observation, reflection by similarity 83.29, at random "
        "79.77, by generated facts 82.10, against 85.77 (GPT-4, legacy-lenient).",
    ]
    if (asked := results.variants[0].cost.questions) < len(results.measured):
        notes.insert(1, f"{asked} of the {len(results.measured):,} questions, evenly spread; -p most=0 asks all.")
    return Table(columns, rows, caption="What each part is worth", notes=notes)


def variant_costs(results: AnsweringResults) -> Table | None:
    """What every variant of the sweep took, if there was one."""
    if not results.variants:
        return None
    columns = [Column("variant", "Variant"), *numbers(embedded="Vectors a question", seconds="Seconds a question")]
    rows: list[list[Value]] = [
        [one.name, one.cost.each("embedded"), one.cost.each("seconds", 2)] for one in results.variants
    ]
    notes = ["Vectors that an earlier row has computed come from the cache and are not counted again."]
    return Table(columns, rows, caption="What each variant took", notes=notes)


def cost(results: AnsweringResults) -> Table:
    """What it took, by kind of question and in all."""
    columns = [
        Column("kind", "Kind of question"),
        *numbers(
            questions="Questions",
            seconds="Seconds a question",
            cpu="CPU seconds",
            rounds="Rounds",
            queries="Queries",
            embedded="Vectors computed",
            calls="Model calls",
            tokens="Tokens",
        ),
    ]
    groups: dict[str, QuestionCost] = {}
    for one in results.measured:
        groups[one.kind] = groups.get(one.kind, QuestionCost()) + one.cost
    rows: list[list[Value]] = [
        [name, took.questions, *(took.each(key, 2 if key in ("seconds", "cpu") else 1) for key in COSTS)]
        for name, took in [*groups.items(), ("all", results.cost)]
    ]
    notes = ["A question's share of each. The paper: 50 seconds a question on five hosts of 48 cores."]
    return Table(columns, rows, caption="What a question costs on average", notes=notes)


def errors(results: AnsweringResults) -> Table | Words:
    """Every question whose answer is not exactly the reference; a row opens to what was cited and why."""
    missed = wrong(results.scored)
    if not results.items:
        return Words((UNMEASURED,))
    columns = [
        *texts(id="Id", kind="Kind", question="Question", found="Answer", reference="Reference", status="Status"),
        Column("confidence", "Confidence", "number"),
        Column("what", "What went wrong"),
    ]
    if not missed:
        return Words((f"All {len(results.scored):,} questions that have a reference were answered as it says.",))
    rows: list[list[Value]] = [
        [
            *(one.asked.id, one.kind, one.asked.text, _said(one.outcome.values), _said(one.asked.values or ())),
            *(one.outcome.status, one.outcome.confidence, went_wrong(one)),
        ]
        for one in missed
    ]
    notes = [f"{len(missed)} of {len(results.scored)} questions; unsure ones last."]
    details = [_details(one) for one in missed]
    return Table(columns, rows, caption="Answered otherwise than the reference", notes=notes, details=details)


def went_wrong(one: MeasuredQuestion) -> str:
    """What kind of error this is, in a few words."""
    if one.outcome.status == "failed":
        return one.outcome.error
    wanted, found = set(one.asked.values or ()), set(one.outcome.values)
    answer = one.outcome.answer
    linked = set(answer.linked.entities) if answer is not None else set()
    if not one.outcome.values:
        return "unsure" if wanted & linked or linked or answer is None else "nothing in the question was linked"
    if not wanted:
        return "answered what the graph does not say"
    if found < wanted:
        return "incomplete"
    if found > wanted:
        return "too many"
    return "some right, some wrong" if found & wanted else "another thing"


def _details(one: MeasuredQuestion) -> list[tuple[str, str]]:
    answer = one.outcome.answer
    if answer is None:
        return []
    found = [("why", answer.rationale), ("SPARQL", answer.sparql), ("reference SPARQL", one.asked.sparql)]
    found += [("because", " | ".join(answer.label(term) for term in triple)) for triple in answer.support[:5]]
    found += [("linked", f"{link.mention or link.label}: {link.iri}") for link in answer.linked.links[:5]]
    return [(head, text) for head, text in found if text]


def _said(values: Sequence[str], most: int = 4) -> str:
    shown = ", ".join(value.rstrip("/").rpartition("/")[2] or value for value in values[:most])
    return (shown + (f" and {len(values) - most} more" if len(values) > most else "")) or "nothing"


def example(results: AnsweringResults) -> GraphPicture | Words:
    """The proof of one right answer, the one with most triples among those a picture holds."""
    right = [one for one in results.scored if one.right and one.outcome.answer is not None and one.outcome.support]
    if not right:
        return Words(("No question was answered rightly with triples that prove it.",))
    best = max(right, key=lambda one: (len(one.outcome.support) <= 12, min(12, len(one.outcome.support))))
    assert best.outcome.answer is not None
    return proof(best.outcome.answer)


def notice(results: AnsweringResults) -> Words:
    """What must be known before any figure is read."""
    lines = [f"SIMULATION: {results.simulation}."] if results.simulation else []
    lines += [note for note in results.notes if note.startswith("SIMULATED")]
    lines.append(
        f"{len(results.measured)} questions over {results.graph}, {results.judge}, embedder {results.embedder}, "
        f"entities {results.entities}: {_so_many(results)}, {results.cost.calls:,} model calls."
    )
    return Words(tuple(lines), alarm=bool(results.simulation) or lines[0].startswith("SIMULATED"))


def _so_many(results: AnsweringResults) -> str:
    unsure = sum(one.outcome.status == "unsure" for one in results.measured)
    return f"{len(results.measured) - unsure:,} answered, {unsure:,} left unsure"


def metrics(results: AnsweringResults) -> dict[str, Any]:
    """The figures that are the same whenever the report is run again."""
    return {
        "report": "question-answering",
        "title": results.title,
        "judge": results.judge,
        "embedder": results.embedder,
        "entities": results.entities,
        "simulation": results.simulation,
        "options": asdict(results.options),
        "headline": [in_percent(row) for row in figures(results)],
        "all": asdict(results.whole) if results.items else None,
        "kinds": {kind: asdict(measures) for kind, measures in results.kinds.items()} if results.items else {},
        "judges": {one.name: asdict(one.measures) | {"calls": one.cost.calls} for one in results.judges},
        "variants": {one.name: asdict(one.measures) for one in results.variants},
        "queries": results.cost.queries,
        "calls": results.cost.calls,
        "tokens": results.cost.tokens,
        "cost": spent(results.run.totals),
    }


def save(results: AnsweringResults, session: ReportSession) -> None:
    """Writes both files into the session's folder; the answers are there already."""
    write_json(session.folder / "metrics.json", metrics(results))
    seconds = {"all": results.cost.seconds, "questions": {one.asked.id: one.cost.seconds for one in results.measured}}
    write_json(session.folder / "timing.json", seconds)

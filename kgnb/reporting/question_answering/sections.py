"""What the report shows and saves, one function each; the notebook only calls them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from kgnb.agents.question_answering.pictures import proof
from kgnb.evaluate.alignment import risk_coverage
from kgnb.evaluate.answers import WARNING, Measures
from kgnb.files import write_json
from kgnb.reporting.plot import Plot, risk_over_coverage
from kgnb.reporting.question_answering.results import AnsweringResults, MeasuredQuestion, wrong
from kgnb.reporting.sections import Words, in_percent, spent
from kgnb.reporting.session import ReportSession
from kgnb.results.graph import GraphPicture
from kgnb.results.metrics import Score
from kgnb.results.metrics import metrics as score_table
from kgnb.results.table import Column, Table, Value, numbers, percents, texts

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
        return Words((ALONE,), off=True)
    costs = (("calls", "Model calls"), ("tokens", "Tokens"), ("queries", "Queries"), ("cpu", "CPU seconds"))
    kinds = list(results.judges[0].kinds)
    columns = [Column("judge", "Judge"), *COLUMNS[1:6], *(Column(key, title, "number") for key, title in costs)]
    columns += [Column(f"kind {kind}", kind or "any", "percent") for kind in kinds]
    rows: list[list[Value]] = []
    for one in results.judges:
        values, asked = _values(one.measures), max(1, one.cost.questions)
        name = one.name + (f" ({one.failed} without a reply)" if one.failed else "")
        row = [name, *(values[column.key] for column in COLUMNS[1:6])]
        row += [f"{getattr(one.cost, key) / asked:.{2 if key == 'cpu' else 1}f}" for key, _ in costs]
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
        return Words(("Nobody has published figures of these questions over this graph.",), off=True)
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
        return Words((OFF,), off=True)
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
        asked = max(1, one.cost.questions)
        measures = one.measures
        rows.append(
            [
                one.name,
                measures.exact,
                measures.f1,
                measures.strict,
                measures.coverage,
                f"{100 * (measures.f1 - whole.f1):+.1f}" if one is not results.variants[0] else None,
                f"{one.cost.queries / asked:.1f}",
            ]
        )
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
    rows: list[list[Value]] = []
    for one in results.variants:
        asked = max(1, one.cost.questions)
        rows.append([one.name, f"{one.cost.embedded / asked:.1f}", f"{one.cost.seconds / asked:.2f}"])
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
    kinds = dict.fromkeys(one.kind for one in results.measured)
    groups = [(kind, [one for one in results.measured if one.kind == kind]) for kind in kinds]
    rows = [_cost_row(name, members) for name, members in [*groups, ("all", list(results.measured))]]
    notes = ["A question's share of each. The paper: 50 seconds a question on five hosts of 48 cores."]
    return Table(columns, rows, caption="What a question costs on average", notes=notes)


def _cost_row(name: str, members: Sequence[MeasuredQuestion]) -> list[Value]:
    n = max(1, len(members))
    costs = [one.cost for one in members]
    shares = {field: sum(getattr(each, field) for each in costs) / n for field in COSTS}
    return [
        name,
        len(members),
        *(f"{shares.pop(key):.2f}" for key in ("seconds", "cpu")),
        *(f"{share:.1f}" for share in shares.values()),
    ]


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
    rows: list[list[Value]] = [
        [
            one.asked.id,
            one.kind,
            one.asked.text,
            _said(one.outcome.values),
            _said(one.asked.values or ()),
            one.outcome.status,
            one.outcome.confidence,
            went_wrong(one),
        ]
        for one in missed
    ]
    if not missed:
        return Words((f"All {len(results.scored):,} questions that have a reference were answered as it says.",))
    notes = [f"{len(missed)} of {len(results.scored)} questions; unsure ones last."]
    return Table(
        columns,
        rows,
        caption="Answered otherwise than the reference",
        notes=notes,
        details=[_details(one) for one in missed],
    )


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

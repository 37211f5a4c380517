"""The tables and pictures of the report, one function each; the notebook only calls them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from kgnb.agents.question_answering.pictures import proof
from kgnb.evaluate.answers import WARNING, Measures
from kgnb.reporting.plot import Plot
from kgnb.reporting.plots import grouped_bars
from kgnb.reporting.question_answering.results import Measured, Results, wrong
from kgnb.reporting.session import Session
from kgnb.results.graph import GraphPicture
from kgnb.results.metrics import Metrics, Score
from kgnb.results.table import Column, Table, Value

COLUMNS = (
    Column("questions", "Questions", "number"),
    Column("lenient", "Lenient (!)", "percent"),
    Column("strict", "Strict", "percent"),
    Column("f1", "Set F1", "percent"),
    Column("unsure", "Unsure", "number"),
    Column("sure", "Strict if sure", "percent"),
    Column("support", "Proof holds", "percent"),
)
SCORES = (
    "Lenient (!): the legacy-lenient score, for comparison only. Strict: the first value is right (Hits@1). Set F1: "
    "over all values. Strict if sure: of the questions answered."
)
SUPPORT = "Proof holds: every triple cited is in the graph, and together they give the answer; of the answers given."
UNMEASURED = "No question has a reference answer, so nothing is measured."
OFF = "Not computed: run the report with -p ablation=true."


@dataclass(frozen=True)
class Words:
    """A few lines of text."""

    lines: tuple[str, ...]

    def __str__(self) -> str:
        return "\n".join(self.lines)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        return {"text/html": "".join(f"<p>{escape(line)}</p>" for line in self.lines), "text/plain": str(self)}


def scores(kinds: dict[str, Measures], whole: Measures, caption: str = "", notes: Sequence[str] = ()) -> Metrics:
    """The three scores by kind of question and over all, with the warning that goes with the first."""
    return Metrics(
        COLUMNS,
        [Score(kind or "any", _values(measures)) for kind, measures in kinds.items()],
        summary=[Score("all", _values(whole))],
        caption=caption,
        notes=[f"Warning: {WARNING}.", SCORES, SUPPORT, *notes],
        bar="f1",
        case_title="Kind of question",
    )


def _values(measures: Measures) -> dict[str, Value]:
    return {
        "questions": measures.questions,
        "lenient": measures.lenient,
        "strict": measures.strict,
        "f1": measures.f1,
        "unsure": measures.unsure,
        "sure": measures.strict_of_answered if measures.questions > measures.unsure else None,
        "support": measures.support,
    }


def headline(results: Results) -> Metrics | Words:
    """Every kind of question, the three scores side by side."""
    if not results.items:
        return Words((UNMEASURED,))
    entities = f"entities {results.entities}" + (" by the set" if results.entities == "given" else " by the agent")
    notes = [f"{results.judge}; {entities}; graph: {results.graph}", *results.notes]
    return scores(results.kinds, results.whole, results.title, notes)


def headline_bars(results: Results) -> Plot | Words:
    """The three scores by kind, drawn."""
    if not results.items:
        return Words((UNMEASURED,))
    kinds = {**results.kinds, "all": results.whole}
    series = [
        ("legacy-lenient", [measures.lenient for measures in kinds.values()]),
        ("strict", [measures.strict for measures in kinds.values()]),
        ("F1 of the set", [measures.f1 for measures in kinds.values()]),
    ]
    return grouped_bars([kind or "any" for kind in kinds], series, f"Warning: {WARNING}.")


def worthless(results: Results) -> Table | Words:
    """What saying nothing, or the letter e, scores on these very questions."""
    from kgnb.evaluate.answers import Item, measure

    if not results.items:
        return Words((UNMEASURED,))
    wanted = [one.asked.values for one in results.scored if one.asked.values]
    columns = [Column("answer", "An answer of"), *COLUMNS[1:4]]
    rows: list[list[Value]] = []
    for name, text in (("nothing at all", ""), ("the letter e", "e")):
        got = measure([Item([text], values) for values in wanted])
        rows.append([name, got.lenient, got.strict, got.f1])
    whole = measure([one.item for one in results.scored if one.asked.values])
    rows.append([f"kgnb ({results.judge})", whole.lenient, whole.strict, whole.f1])
    notes = [f"Warning: {WARNING}.", f"Over the {len(wanted)} questions that have an answer."]
    return Table(columns, rows, caption="What each score is worth", notes=notes)


def published(results: Results) -> Table:
    """Our figures and published ones, each by its score, with what it covers and where it is from."""
    columns = [
        Column("system", "System"),
        Column("score", "Score"),
        Column("value", "Value", "percent"),
        Column("covers", "Covers"),
        Column("source", "Where it is from"),
    ]
    rows: list[list[Value]] = []
    if results.items:
        ours = (("legacy-lenient", results.whole.lenient), ("strict", results.whole.strict), ("F1", results.whole.f1))
        covers = f"{results.title}, {results.whole.questions} questions"
        rows = [[f"kgnb ({results.judge})", name, value, covers, "this run"] for name, value in ours]
    rows += [[peer.system, peer.score, peer.value, peer.covers, peer.source] for peer in results.peers]
    notes = [f"Warning: {WARNING}.", "Compare only figures of one score that cover the same questions and graph."]
    return Table(columns, rows, caption="Beside published figures", notes=notes)


def ablation(results: Results) -> Table | Words:
    """The sweep: one option changed at a time."""
    if not results.variants:
        return Words((OFF,))
    whole = results.variants[0].measures
    columns = [
        Column("variant", "Variant"),
        *COLUMNS[2:5],
        Column("difference", "F1, points"),
        Column("queries", "Queries a question", "number"),
        Column("embedded", "Vectors a question", "number"),
        Column("seconds", "Seconds a question", "number"),
    ]
    rows: list[list[Value]] = []
    for one in results.variants:
        asked = max(1, one.cost.questions)
        measures = one.measures
        rows.append(
            [
                one.name,
                measures.strict,
                measures.f1,
                measures.unsure,
                f"{100 * (measures.f1 - whole.f1):+.1f}" if one is not results.variants[0] else None,
                round(one.cost.queries / asked, 1),
                round(one.cost.embedded / asked, 1),
                round(one.cost.seconds / asked, 2),
            ]
        )
    notes = [
        f"{results.judge}, the same questions in every row; one option changed, everything else as it is.",
        "The rule judge chooses among readings of the question over the relations around its entities, which are "
        "made whether the graph is observed or not: with it, observation, reflection, D, N, P and K change the cost "
        "and hardly the answers. What they do for the answers shows only with a judge that reads the observation "
        "(a model).",
        "Vectors that an earlier row has computed come from the cache and are not counted again.",
        "The paper's averages over its sets: 82.63 without observation, reflection by similarity 83.29, at random "
        "79.77, by generated facts 82.10, against 85.77 (GPT-4, legacy-lenient).",
    ]
    return Table(columns, rows, caption="What each part is worth", notes=notes)


def cost(results: Results) -> Table:
    """What it took, by kind of question and in all."""
    columns = [
        Column("kind", "Kind of question"),
        Column("questions", "Questions", "number"),
        Column("seconds", "Seconds a question", "number"),
        Column("rounds", "Rounds", "number"),
        Column("queries", "Queries", "number"),
        Column("embedded", "Vectors computed", "number"),
        Column("calls", "Model calls", "number"),
        Column("tokens", "Tokens", "number"),
    ]
    kinds = dict.fromkeys(one.kind for one in results.measured)
    groups = [(kind, [one for one in results.measured if one.kind == kind]) for kind in kinds]
    rows = [_cost_row(name, members) for name, members in [*groups, ("all", list(results.measured))]]
    notes = ["A question's share of each. The paper: 50 seconds a question on five hosts of 48 cores."]
    return Table(columns, rows, caption="What a question costs", notes=notes)


def _cost_row(name: str, members: Sequence[Measured]) -> list[Value]:
    n = max(1, len(members))
    costs = [one.cost for one in members]
    parts = [round(sum(getattr(each, field) for each in costs) / n, 2) for field in ("seconds", "rounds", "queries")]
    more = [round(sum(getattr(each, field) for each in costs) / n, 1) for field in ("embedded", "calls", "tokens")]
    return [name, len(members), *parts, *more]


def errors(results: Results) -> Table | Words:
    """Every question whose answer is not exactly the reference; a row opens to what was cited and why."""
    missed = wrong(results.scored)
    if not results.items:
        return Words((UNMEASURED,))
    columns = [
        Column("id", "Id"),
        Column("kind", "Kind"),
        Column("question", "Question"),
        Column("found", "Answer"),
        Column("reference", "Reference"),
        Column("status", "Status"),
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
    notes = [f"{len(missed)} of {len(results.scored)} questions; unsure ones last."]
    return Table(columns, rows, caption="Errors", notes=notes, details=[_details(one) for one in missed])


def went_wrong(one: Measured) -> str:
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


def _details(one: Measured) -> list[tuple[str, str]]:
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


def example(results: Results) -> GraphPicture | Words:
    """The proof of one right answer, the one with most triples among those a picture holds."""
    right = [one for one in results.scored if one.right and one.outcome.answer is not None and one.outcome.support]
    if not right:
        return Words(("No question was answered rightly with triples that prove it.",))
    best = max(right, key=lambda one: (len(one.outcome.support) <= 12, min(12, len(one.outcome.support))))
    assert best.outcome.answer is not None
    return proof(best.outcome.answer)


def notice(results: Results) -> Words:
    """What must be known before any figure is read."""
    lines = [f"SIMULATION: {results.simulation}."] if results.simulation else []
    lines += [note for note in results.notes if note.startswith("SIMULATED")]
    lines.append(
        f"{len(results.measured)} questions over {results.graph}, {results.judge}, embedder {results.embedder}, "
        f"entities {results.entities}, {results.cost.seconds:.0f} s."
    )
    return Words(tuple(lines))


def reproduce(results: Results, session: Session) -> Words:
    """The command that runs this again."""
    return Words((session.command or "kgnb report question-answering", f"run {results.run.id}"))

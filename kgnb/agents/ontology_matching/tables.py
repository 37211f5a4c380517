"""The stages' values as tables: what a notebook cell shows."""

from __future__ import annotations

from kgnb.agents.ontology_matching.values import Described, Found, MatchQuestion, Stored, Summarised, Validated
from kgnb.results.bundle import view
from kgnb.results.cells import Link, Value
from kgnb.results.table import Column, Table

VIEWS = ("syntactic", "lexical", "semantic")


@view.register
def described(value: Described) -> Table:
    """One row an entity, with its three views."""
    columns = [
        Column("side", "side"),
        Column("kind", "kind"),
        Column("entity", "entity"),
        *(Column(v, v) for v in VIEWS),
    ]
    rows = [
        [d.side, d.kind, Link(d.iri, d.name), d.syntactic, "; ".join(d.lexical), d.semantic] for d in value.descriptions
    ]
    caption = f"{len(value.of('source'))} and {len(value.of('target'))} entities and their three views"
    return Table(columns, rows, caption=caption)


@view.register
def stored(value: Stored) -> Table:
    """Where the vectors are and what that took."""
    rows = [
        ["embedder", value.embedder],
        ["index", value.index],
        *([name, str(n)] for name, n in value.counts().items()),
    ]
    return Table([Column("what", "what"), Column("value", "value")], rows, caption="The hybrid store")


@view.register
def found(value: Found) -> Table:
    """How many candidates each view gave, and its floor; no reference was looked at."""
    columns = [Column("view", "view"), Column("candidates", "candidates", "number"), Column("floor", "floor", "number")]
    counts = value.counts()
    rows: list[list[Value]] = [[view, counts.get(f"{view} hits", 0), round(at, 3)] for view, at in value.floors]
    notes = ["Floor: 95 % of random pairs score below it."]
    return Table(columns, rows, caption=f"{counts['pairs']} candidate pairs", notes=notes)


@view.register
def summarised(value: Summarised) -> Table:
    """One row a question, its candidates inside."""
    columns = [Column("side", "asked from"), Column("entity", "entity"), Column("best", "best candidate")]
    columns += [Column("score", "fused score", "number"), Column("count", "candidates", "number")]
    rows = [
        [
            q.side,
            Link(q.about.iri, q.about.name),
            Link(q.others[0].iri, q.others[0].name),
            q.candidates[0].score,
            len(q.others),
        ]
        for q in value.questions
    ]
    return Table(columns, rows, caption="Candidates, fused", details=[_listing(q) for q in value.questions])


@view.register
def validated(value: Validated) -> Table:
    """One row a verdict, its reasons inside."""
    columns = [Column("side", "asked from"), Column("entity", "entity"), Column("decision", "decision")]
    columns += [Column("choice", "choice"), Column("confidence", "confidence", "number"), Column("by", "judged by")]
    rows: list[list[Value]] = []
    for one in value.judged:
        names = {other.iri: Link(other.iri, other.name) for other in one.question.others}
        about, verdict = one.question.about, one.verdict
        chosen = names.get(verdict.choice) if verdict.choice else None
        entity = Link(about.iri, about.name)
        rows.append([one.question.side, entity, verdict.decision, chosen, verdict.confidence, verdict.judged_by])
    details = [[("why", one.verdict.rationale), *_listing(one.question)] for one in value.judged]
    return Table(columns, rows, caption=f"Verdicts, judge: {value.judge}", details=details)


def _listing(question: MatchQuestion) -> list[tuple[str, str]]:
    pairs = zip(question.candidates, question.others, strict=True)
    return [(f"{candidate.rank}. {other.name}", other.in_short) for candidate, other in pairs]

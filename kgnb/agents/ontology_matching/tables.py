"""How the values of the stages are shown: as tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from kgnb.agents.ontology_matching.values import (
    SIDES,
    VIEWS,
    Described,
    Description,
    Found,
    MatchQuestion,
    Stored,
    Summarised,
    Validated,
)
from kgnb.kg.prefixes import told_apart
from kgnb.results.bundle import count, view
from kgnb.results.cells import LabelledIri, Value
from kgnb.results.table import Column, Table


def _names(descriptions: Iterable[Description]) -> Callable[[Description], LabelledIri]:
    """How tables name entities: two of one side that have the same name are told apart."""
    every = list(descriptions)
    sides = {side: told_apart((d.iri, d.name) for d in every if d.side == side) for side in SIDES}
    return lambda d: LabelledIri(d.iri, sides[d.side].get(d.iri, d.name))


@view.register
def described(value: Described) -> Table:
    """One row per entity, with its three views."""
    columns = [Column(name, name) for name in ("side", "kind", "entity", *VIEWS)]
    named = _names(value.descriptions)
    rows: list[list[Value]] = [
        [d.side, d.kind, named(d), d.syntactic, "; ".join(d.lexical), d.semantic]
        for d in value.descriptions
    ]
    targets = count(len(value.of("target")), "entity", "entities")
    caption = f"{len(value.of('source'))} and {targets} and their three views"
    return Table(columns, rows, caption=caption)


@view.register
def stored(value: Stored) -> Table:
    """Where the vectors are, and the cost."""
    facts = {"embedder": value.embedder, "index": value.index, **value.counts()}
    rows: list[list[Value]] = [[name, str(fact)] for name, fact in facts.items()]
    return Table(
        [Column("what", "what"), Column("value", "value")], rows, caption="The hybrid store"
    )


@view.register
def found(value: Found) -> Table:
    """The number of candidates of each view, and its floor."""
    columns = [
        Column("view", "view"),
        Column("candidates", "candidates", "number"),
        Column("floor", "floor", "number"),
    ]
    counts = value.counts()
    rows: list[list[Value]] = [
        [view, counts.get(f"{view} hits", 0), round(at, 3)] for view, at in value.floors
    ]
    notes = ["Floor: 95 % of random pairs score below it."]
    return Table(columns, rows, caption=f"{counts['pairs']} candidate pairs", notes=notes)


@view.register
def summarised(value: Summarised) -> Table:
    """One row per question; it opens to the candidates."""
    columns = [
        Column("side", "asked from"),
        Column("entity", "entity"),
        Column("best", "best candidate"),
    ]
    columns += [Column("score", "fused score", "number"), Column("count", "candidates", "number")]
    named = _names(value.described.descriptions)
    rows: list[list[Value]] = []
    for q in value.questions:
        best = q.candidates[0].score
        rows.append([q.side, named(q.about), named(q.others[0]), best, len(q.others)])
    return Table(
        columns, rows, caption="Candidates, fused", details=[_listing(q) for q in value.questions]
    )


@view.register
def validated(value: Validated) -> Table:
    """One row per verdict; it opens to the reasons."""
    columns = [
        Column("side", "asked from"),
        Column("entity", "entity"),
        Column("decision", "decision"),
    ]
    columns += [
        Column("choice", "choice"),
        Column("confidence", "how sure", "percent"),
        Column("by", "judged by"),
    ]
    named = _names(value.described.descriptions)
    rows: list[list[Value]] = []
    for one in value.judged:
        names = {other.iri: named(other) for other in one.question.others}
        verdict = one.verdict
        chosen = names.get(verdict.choice) if verdict.choice else None
        rows.append(
            [
                one.question.side,
                named(one.question.about),
                verdict.decision,
                chosen,
                verdict.confidence,
                verdict.judged_by,
            ]
        )
    details = [[("why", one.verdict.rationale), *_listing(one.question)] for one in value.judged]
    return Table(columns, rows, caption=f"Verdicts, judge: {value.judge}", details=details)


def _listing(question: MatchQuestion) -> list[tuple[str, str]]:
    pairs = zip(question.candidates, question.others, strict=True)
    return [(f"{candidate.rank}. {other.name}", other.in_short) for candidate, other in pairs]

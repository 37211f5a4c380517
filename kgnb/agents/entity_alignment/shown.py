"""The values of the closer look as tables: what a notebook cell shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgnb.agents.entity_alignment.paths import named
from kgnb.results.cells import Link, Value
from kgnb.results.table import Column, Table

if TYPE_CHECKING:
    from kgnb.agents.entity_alignment.looking import Aligned, Answer, Planned, Selected
    from kgnb.agents.entity_alignment.questions import AlignQuestion

SIMULATED = "SIMULATION: whoever answered knows the reference"


def planned(value: Planned) -> Table:
    """One row an entity that is looked at."""
    columns = [Column("entity", "entity"), Column("path", "way"), Column("confidence", "confidence", "number")]
    columns += [Column("margin", "margin", "number"), Column("why", "why")]
    rows: list[list[Value]] = []
    proposal = value.proposal
    for row, path in sorted(value.paths.items()):
        source = int(proposal.sources[row])
        verdict = value.verdicts[row]
        sure = round(float(proposal.confidence[row]), 3), round(float(proposal.margin[row]), 3)
        link = Link(proposal.left.entities[source], proposal.left.called(source))
        rows.append([link, named(path), *sure, verdict.rationale])
    counts = value.counts()
    caption = f"{counts['looked at']} of {counts['entities']} entities are looked at, planned by {value.planner}"
    return Table(columns, rows, caption=caption, notes=[SIMULATED] if value.simulation else [])


def selected(value: Selected) -> Table:
    """One row a question; it opens to what is shown of every candidate."""
    columns = [Column("entity", "entity"), Column("candidates", "candidates", "number")]
    columns += [Column("lines", "triples shown", "number"), Column("apart", "they tell apart")]
    rows: list[list[Value]] = [
        [
            Link(question.about.iri, question.about.name),
            len(question.others),
            sum(len(card.lines) for card in (question.about, *question.others)),
            "yes" if question.tells_apart else "no",
        ]
        for question in value.questions
    ]
    caption = f"{len(rows)} questions, with the triples selected for them"
    return Table(columns, rows, caption=caption, details=[cards(question) for question in value.questions])


def cards(question: AlignQuestion) -> list[tuple[str, str]]:
    """The entity and its candidates with their lines, as (heading, text)."""
    found = [("entity", question.about.inline)]
    return found + [(chr(ord("A") + at), card.inline) for at, card in enumerate(question.others)]


def aligned(value: Aligned) -> Table:
    """One row an answer; it opens to every verdict in the order they were given."""
    columns = [Column("entity", "entity"), Column("answer", "answer"), Column("confidence", "confidence", "number")]
    columns += [Column("first", "first alignment"), Column("by", "judged by"), Column("why", "why")]
    rows: list[list[Value]] = []
    for answer in value.answers:
        question, verdict = answer.question, answer.verdict
        names = {card.iri: card.name for card in question.others}
        said = names.get(verdict.choice or "", "none of these" if verdict.sure else "unsure")
        first = names.get(question.first, "")
        rows.append(
            [
                Link(question.about.iri, question.about.name),
                said,
                verdict.confidence,
                "the same" if verdict.choice and verdict.choice == question.first else first,
                verdict.judged_by,
                verdict.rationale,
            ]
        )
    counts = value.counts()
    caption = f"{counts['answers']} answers: {counts['changed']} change the first alignment, {counts['unsure']} unsure"
    notes = [SIMULATED] if value.simulation else []
    return Table(columns, rows, caption=caption, details=[_verdicts(answer) for answer in value.answers], notes=notes)


def _verdicts(answer: Answer) -> list[tuple[str, str]]:
    names = {card.iri: card.name for card in answer.question.others}
    heads = ["first look", *["other order"] * (len(answer.said) - 1 - answer.reflected)]
    heads += ["second look"] if answer.reflected else []
    return [
        (head, f"{names.get(said.choice or '', said.decision)} ({said.confidence:.2f}) {said.rationale}".strip())
        for head, said in zip(heads, answer.said, strict=True)
    ]

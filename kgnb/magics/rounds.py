"""How a question came to its answer, round by round: what ``%qa explain`` shows."""

from __future__ import annotations

from kgnb.agents.question_answering.actions import written
from kgnb.agents.question_answering.state import State
from kgnb.results.bundle import count
from kgnb.results.table import Column, Table, Value


def rounds(state: State) -> Table:
    """One row an action: the action, why, who chose it, what it brought; refused ones too. Notes: the readings held."""
    columns = [
        Column("round", "Round", "number"),
        Column("action", "Action"),
        Column("why", "Why"),
        Column("by", "Chosen by"),
        Column("confidence", "Confidence", "number"),
        Column("triples", "Triples", "number"),
        Column("values", "Values", "number"),
    ]
    rows: list[list[Value]] = []
    for number, acted in enumerate(state.history, start=1):
        rows += [[number, f"refused: {one.action}", one.reason, "", None, None, None] for one in acted.refused]
        said: list[Value] = [number, written(acted.action), acted.reason, acted.judged_by, round(acted.confidence, 3)]
        rows.append([*said, len(acted.triples), len(acted.values)])
    readings = [f"read as ({r.score:.2f}): {r.explanation}" for r in state.observation.readings[:5]]
    linked = [
        f"{link.mention or 'given'}: {link.label} ({link.how}, {link.score:.2f})" for link in state.linked.links[:8]
    ]
    paths, triples = count(len(state.memory.paths), "path"), count(len(state.memory.triples), "triple")
    memory = [f"{paths} of {triples} remembered"] if state.history else []
    answer = state.answered
    ended = [f"{answer.status}: {answer.rationale}"] if answer is not None else ["not answered yet"]
    return Table(columns, rows, caption=state.question.text, notes=[*linked, *readings, *memory, *ended])

"""How a question's state reads to a person or a model: labels and numbers, each on one line, nothing obeyed."""

from __future__ import annotations

from kgnb.agents.question_answering.actions import written
from kgnb.agents.question_answering.state import State
from kgnb.kg.terms import Iri, Literal, Term, Triple, n3

_OBSERVED = 30  # triples of an observation that are shown
_LONG = 120  # characters of one label


def term_text(state: State, term: Term) -> str:
    """A term on one line, cut short: its label, or its text."""
    text = (
        state.desk.hood.names.label(term)
        if isinstance(term, Iri)
        else term.text
        if isinstance(term, Literal)
        else n3(term)
    )
    line = " ".join(text.split())
    return line if len(line) <= _LONG else line[: _LONG - 1] + "…"


def triple_text(state: State, triple: Triple) -> str:
    """A triple on one line."""
    return " | ".join(term_text(state, term) for term in triple)


def act_text(state: State) -> str:
    """The question, what was observed, what is remembered and what was done."""
    parts = [f"question: {' '.join(state.question.text.split())}"]
    parts.append("entities: " + "; ".join(term_text(state, entity) for entity in state.linked.entities))
    parts += [f"observed: {triple_text(state, seen.triple)}" for seen in state.observation.triples[:_OBSERVED]]
    parts += [
        f"remembered path {number}: {' , '.join(triple_text(state, triple) for triple in path)}"
        for number, path in enumerate(state.memory.paths, start=1)
    ]
    parts += [f"done: {written(acted.action)[:200]} ({len(acted.triples)} triples)" for acted in state.history]
    return "\n".join(parts)

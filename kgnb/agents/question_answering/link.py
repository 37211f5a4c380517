"""Link: find the entities the question speaks of (section 3.1; the paper's benchmarks give them)."""

from __future__ import annotations

from dataclasses import replace

from kgnb.agents.question_answering.phrases import find, tokens
from kgnb.agents.question_answering.state import State
from kgnb.agents.question_answering.values import Link, Linked
from kgnb.kg.terms import Iri, is_iri


def link(state: State) -> State:
    """The state with its entities linked: those the question brings, or those its words name."""
    linked = _given(state)
    entities = linked.entities
    return replace(state, stage="link", linked=linked, entities=entities, seen=frozenset(map(str, entities)))


def _given(state: State) -> Linked:
    """The entities the question brings, each with the words that name it, where some do."""
    sentence = tokens(state.question.text)
    names = state.desk.hood.names
    wanted = [Iri(iri) for iri in dict.fromkeys(state.question.entities)]
    for iri in wanted:
        if not is_iri(iri):
            raise ValueError(f"not an absolute IRI: {str(iri)!r}; an entity is given by its full IRI")
    same = state.desk.hood.same(wanted)
    found = []
    for iri in wanted:
        meant = same.get(iri, iri)
        names.fetch([iri, meant])
        spans = [span for name in (*names.of(iri), *names.of(meant)) if (span := find(name, sentence))]
        best = max(spans, key=lambda span: span[1] - span[0], default=None)
        mention = " ".join(sentence[best[0] : best[1]]) if best else ""
        found.append(Link(meant, names.label(meant), mention, 1.0, "given"))
    notes = tuple(f"{old} redirects to {new}" for old, new in same.items())
    return Linked(tuple(found), given=True, notes=notes)

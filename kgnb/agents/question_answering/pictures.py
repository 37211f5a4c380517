"""Pictures of what the stages see: an observation, an action's triples, a memory growing, an answer with its proof."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from kgnb.agents.question_answering.state import State
from kgnb.agents.question_answering.values import Answer
from kgnb.kg.labels import readable_name
from kgnb.kg.terms import Iri, Literal, Term, n3
from kgnb.results.bundle import count
from kgnb.results.graph import GraphPicture

MOST = 40
"""Triples drawn of an observation: more is a smear, and the table beside it has them all."""


def observation(state: State) -> GraphPicture:
    """The best of what was observed around the entities, which are marked."""
    seen = state.observation.triples
    triples = [one.triple for one in seen[:MOST]]
    notes = list(state.observation.notes)
    if len(seen) > MOST:
        notes.append(f"the {MOST} triples that fit best are drawn, of {len(seen)}")
    names = _named({**state.observation.labels, **_links(state)})
    kinds = _kinds(state.linked.entities, ())
    return GraphPicture.of(triples, name=names, kind=kinds, title=f"Observed, round {state.round}", notes=notes)


def memory(state: State) -> GraphPicture:
    """The paths remembered; what the last reflection added stands out."""
    found = state.memory
    names = _named({**found.labels, **_links(state)})
    kinds = _kinds(state.linked.entities, state.entities)
    title = f"Remembered: {count(len(found.paths), 'path')}, {count(len(found.added), 'new triple')}"
    return GraphPicture.of(found.triples, name=names, kind=kinds, emphasis=found.added, title=title)


def proof(answer: Answer) -> GraphPicture:
    """The triples that prove an answer."""
    triples = answer.support
    return GraphPicture.of(
        triples[:MOST],
        name=_named({**answer.labels, **{link.iri: link.label for link in answer.linked.links}}),
        kind=_kinds(answer.linked.entities, answer.values),
        emphasis=triples[:MOST],
        title="What the graph says",
        notes=[f"{MOST} of {len(triples)} triples are drawn"] if len(triples) > MOST else [],
    )


def _links(state: State) -> dict[str, str]:
    return {link.iri: link.label for link in state.linked.links}


def _named(labels: Mapping[str, str]) -> Callable[[Term], str]:
    def name(term: Term) -> str:
        if isinstance(term, Iri):
            return labels.get(term) or readable_name(term.rstrip("/#").replace("#", "/").rpartition("/")[2])
        return term.text if isinstance(term, Literal) else n3(term)

    return name


def _kinds(asked: Collection[Term], found: Collection[Term]) -> Callable[[Term], str]:
    def kind(term: Term) -> str:
        if term in found:
            return "answer" if term not in asked else "asked about"
        return "asked about" if term in asked else ""

    return kind

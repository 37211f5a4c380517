"""Notebook views: an answer as a card, the stages' results as tables, and pictures of their
triples.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import partial
from typing import Any

from kgnb.agents.question_answering.querying import patterns_of
from kgnb.agents.question_answering.state import State
from kgnb.agents.question_answering.values import (
    Acted,
    Action,
    Answer,
    Linked,
    Memory,
    Neighbours,
    Observation,
    Paths,
    Query,
)
from kgnb.kg.labels import readable_name
from kgnb.kg.sparql import laid_out
from kgnb.kg.terms import RDF, XSD, Iri, Literal, Term, Triple, n3
from kgnb.results.bundle import count, view
from kgnb.results.card import Card
from kgnb.results.cells import LabelledIri, Value
from kgnb.results.graph import GraphPicture
from kgnb.results.table import Column, Table
from kgnb.results.wording import percent

_YES, _NO = (Literal(text, datatype=f"{XSD}boolean") for text in ("true", "false"))
_NONE = Literal("0", datatype=f"{XSD}integer")
_GUESSED = 10  # values shown from a guess
_LIKELY = 0.25  # below this (calibrated) confidence, a guess is not shown: people might copy it


@view.register
def answered(value: Answer) -> Card:
    """The answer with its proof; for a "no", what was searched for."""
    notes = [*([f"Partial: {value.partial}"] if value.partial else []), *looked_for(value)]
    notes += guessed(value)[:1]
    why = [value.rationale] if value.rationale else []
    if not value.values:
        notes, why = [*notes, *why], []
    links = value.linked.ambiguous
    meant = [
        f"“{link.mention}” may mean {link.label} ({link.iri}), {link.score:.2f}" for link in links
    ]
    return Card(
        value.question.text,
        _rows(value),
        said(value),
        _text(value).text,
        notes,
        proof(value) if value.support else None,
        laid_out(value.sparql),
        [*why, *guessed(value)[1:], *_because(value), *meant, *value.notes],
    )


def _rows(value: Answer) -> list[Value]:
    """The values, or the rows of a table with a dot between their cells."""
    if value.table is not None:
        return [
            " · ".join("" if term is None else plain(term, value.labels) for term in row)
            for row in value.table.rows
        ]
    return [
        "Yes" if term == _YES else "No" if term == _NO else shown(term, value.labels)
        for term in value.values
    ]


def said(value: Answer) -> str:
    """The answer's status, confidence and source."""
    memory = "'s memory" if value.source == "model" else ""
    return (
        f"{status(value)}, confidence {percent(value.confidence)}, from the {value.source}{memory}"
    )


def guessed(value: Answer) -> list[str]:
    """The result and query of the best interpretation, if the answer is unsure but the guess is not
    too unlikely.
    """
    if value.guess is None or value.values or value.confidence < _LIKELY:
        return []
    names = [plain(term, value.labels) for term in value.guess.values[:_GUESSED]]
    left = len(value.guess.values) - len(names)
    found = f"Not an answer, but what the best reading gives: {', '.join(names)}{f' and {left:,} more' * (left > 0)}"
    return [
        found,
        *([f"SPARQL of that reading: {value.guess.sparql}"] if value.guess.sparql else []),
    ]


def looked_for(value: Answer) -> list[str]:
    """The query patterns, in words, that were not found for a "no" or a count of zero."""
    if value.values not in ((_NO,), (_NONE,)) or not value.sparql:
        return []
    found = [
        " ".join(_word(term, value) for term in triple) for triple in patterns_of(value.sparql)
    ]
    return [f"Looked for, and not in the graph: {'; '.join(found)}"] if found else []


def _word(term: Any, value: Answer) -> str:
    from rdflib import URIRef, Variable

    if isinstance(term, Variable):
        return "something"
    if not isinstance(term, URIRef):
        return str(term)
    return "is a" if term == URIRef(f"{RDF}type") else plain(Iri(term), value.labels)


def _because(value: Answer) -> list[str]:
    why = "there is" if looked_for(value) else "because"
    lines = [
        f"{why}: {' '.join(plain(term, value.labels) for term in triple)}"
        for triple in value.support[:20]
    ]
    left = len(value.support) - len(lines)
    return [*lines, *([f"and {count(left, 'triple')} more"] if left else [])]


def _text(value: Answer) -> Table:
    """The answer for a terminal."""
    columns = [Column("answer", "answer")]
    rows: list[list[Value]] = [[shown(term, value.labels)] for term in value.values]
    if value.table is not None:
        columns = [Column(name, name) for name in value.table.columns]
        rows = [
            ["" if term is None else shown(term, value.labels) for term in row]
            for row in value.table.rows
        ]
    query = [f"SPARQL: {value.sparql}"] if value.sparql else []
    notes = [*([f"Partial: {value.partial}"] if value.partial else []), said(value)]
    notes += [
        *guessed(value),
        *([value.rationale] if value.rationale else []),
        *looked_for(value),
        *_because(value),
    ]
    notes += query
    return Table(
        columns,
        rows,
        caption=value.question.text,
        notes=[*notes, *value.notes],
    )


def shown(term: Term, labels: Mapping[str, str]) -> Value:
    """A term as a table cell; IRIs become links with their labels."""
    if isinstance(term, Iri):
        return LabelledIri(
            term,
            labels.get(term)
            or readable_name(term.rstrip("/#").replace("#", "/").rpartition("/")[2]),
        )
    return term.text if isinstance(term, Literal) else n3(term)


@view.register
def linked(value: Linked) -> Table:
    """All entities that mentions may refer to."""
    columns = [
        Column("mention", "mention"),
        Column("entity", "entity"),
        Column("score", "score", "number"),
    ]
    rows: list[list[Value]] = [
        [link.mention, LabelledIri(link.iri, link.label), round(link.score, 3), link.how]
        for link in value.links
    ]
    caption = "The entities given" if value.given else "The entities the question may speak of"
    return Table(
        [*columns, Column("how", "found by")], rows, caption=caption, notes=list(value.notes)
    )


@view.register
def observed(value: Observation) -> Table:
    """The observed triples, best first."""
    columns = [Column("turn", "turn", "number"), Column("score", "score", "number"), *_TRIPLE]
    rows = [
        [seen.turn, round(seen.score, 3), *_cells(seen.triple, value.labels)]
        for seen in value.triples
    ]
    notes = [*value.notes, *(f"read as: {r.explanation}" for r in value.interpretations[:5])]
    return Table(
        columns,
        rows,
        caption=f"{count(len(value.triples), 'triple')} around the entities",
        notes=notes,
    )


@view.register
def acted(value: Acted) -> Table:
    """The action and the triples it returned."""
    rows = [_cells(triple, value.labels) for triple in value.triples]
    notes = [
        f"why: {value.reason} ({value.judged_by}, {percent(value.confidence)})",
        *(f"refused: {refusal.action}: {refusal.reason}" for refusal in value.refused),
        *value.notes,
    ]
    return Table(_TRIPLE, rows, caption=described(value.action, value.labels), notes=notes)


def described(action: Action, labels: Mapping[str, str]) -> str:
    """An action in words.

    >>> described(Neighbours(Iri("http://huts.example/id/ottertal")), {})
    'Asked of ottertal: everything'
    """
    name = partial(plain, labels=labels)
    match action:
        case Neighbours(entity, None):
            return f"Asked of {name(entity)}: everything"
        case Neighbours(entity, Iri() as relation):
            return f"Asked of {name(entity)}: {name(relation)}"
        case Paths(a, b, longest):
            return f"Asked: how {name(a)} and {name(b)} hang together, in {count(longest, 'step')} at most"
        case Query(sparql):
            return f"Asked: {sparql}"
    return "Nothing more to ask: answer now"


@view.register
def remembered(value: Memory) -> Table:
    """The paths, triple by triple."""
    rows: list[list[Value]] = [
        [number, *_cells(triple, value.labels), "new" if triple in value.added else ""]
        for number, path in enumerate(value.paths, start=1)
        for triple in path
    ]
    notes = [f"why: {value.reason} ({value.judged_by})"] if value.reason else []
    columns = [Column("path", "path", "number"), *_TRIPLE, Column("new", "new")]
    return Table(
        columns, rows, caption=f"{count(len(value.paths), 'path')} remembered", notes=notes
    )


def status(value: Answer) -> str:
    """The answer's status in words."""
    return "answered before more was asked" if value.status == "forced" else value.status


_TRIPLE = [Column("subject", "subject"), Column("relation", "relation"), Column("object", "object")]


def _cells(triple: Triple, labels: Mapping[str, str]) -> list[Value]:
    return [shown(term, labels) for term in triple]


def plain(term: Term, labels: Mapping[str, str]) -> str:
    """A term as plain text, by its label if it has one."""
    cell = shown(term, labels)
    return cell.label if isinstance(cell, LabelledIri) else str(cell)


MOST = 40
"""Maximum number of triples drawn: more would be unreadable, and the table lists them all."""


def observation(state: State) -> GraphPicture:
    """The best observed triples, with the entities marked."""
    seen = state.observation.triples
    triples = [one.triple for one in seen[:MOST]]
    notes = list(state.observation.notes)
    if len(seen) > MOST:
        notes.append(f"the {MOST} triples that fit best are drawn, of {len(seen)}")
    names = _named({**state.observation.labels, **_links(state)})
    kinds = _kinds(state.linked.entities, ())
    return GraphPicture.of(
        triples, name=names, kind=kinds, title=f"Observed, round {state.round}", notes=notes
    )


def memory(state: State) -> GraphPicture:
    """The remembered paths, with triples added by the last reflection highlighted."""
    found = state.memory
    names = _named({**found.labels, **_links(state)})
    kinds = _kinds(state.linked.entities, state.entities)
    title = (
        f"Remembered: {count(len(found.paths), 'path')}, {count(len(found.added), 'new triple')}"
    )
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
    return partial(plain, labels=labels)


def _kinds(asked: Collection[Term], found: Collection[Term]) -> Callable[[Term], str]:
    def kind(term: Term) -> str:
        if term in found:
            return "answer" if term not in asked else "asked about"
        return "asked about" if term in asked else ""

    return kind

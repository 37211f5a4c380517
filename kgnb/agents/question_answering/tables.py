"""The stages' values as tables: what a notebook cell shows."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from kgnb.agents.question_answering.actions import Action, Neighbours, Paths, Query
from kgnb.agents.question_answering.values import Acted, Answer, Linked, Memory, Observation
from kgnb.kg.labels import readable_name
from kgnb.kg.terms import Iri, Literal, Term, Triple, n3
from kgnb.results.bundle import count, view
from kgnb.results.cells import Link, Value
from kgnb.results.table import Column, Table


def shown(term: Term, labels: Mapping[str, str]) -> Value:
    """A term as a table cell: an IRI as a link under its label."""
    if isinstance(term, Iri):
        return Link(term, labels.get(term) or readable_name(term.rstrip("/#").replace("#", "/").rpartition("/")[2]))
    return term.text if isinstance(term, Literal) else n3(term)


@view.register
def linked(value: Linked) -> Table:
    """Every entity a mention may mean."""
    columns = [Column("mention", "mention"), Column("entity", "entity"), Column("score", "score", "number")]
    rows: list[list[Value]] = [
        [link.mention, Link(link.iri, link.label), round(link.score, 3), link.how] for link in value.links
    ]
    caption = "The entities given" if value.given else "The entities the question may speak of"
    return Table([*columns, Column("how", "found by")], rows, caption=caption, notes=list(value.notes))


@view.register
def observed(value: Observation) -> Table:
    """The observed triples, best first."""
    columns = [Column("turn", "turn", "number"), Column("score", "score", "number"), *_TRIPLE]
    rows = [[seen.turn, round(seen.score, 3), *_cells(seen.triple, value.labels)] for seen in value.triples]
    notes = [*value.notes, *(f"read as: {r.explanation}" for r in value.readings[:5])]
    return Table(columns, rows, caption=f"{count(len(value.triples), 'triple')} around the entities", notes=notes)


@view.register
def acted(value: Acted) -> Table:
    """The action and the triples it brought."""
    rows = [_cells(triple, value.labels) for triple in value.triples]
    notes = [
        f"why: {value.reason} ({value.judged_by}, {value.confidence:.2f})",
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
    return Table(columns, rows, caption=f"{count(len(value.paths), 'path')} remembered", notes=notes)


def status(value: Answer) -> str:
    """How the answer came about, in words."""
    return "answered before more was asked" if value.status == "forced" else value.status


_TRIPLE = [Column("subject", "subject"), Column("relation", "relation"), Column("object", "object")]


def _cells(triple: Triple, labels: Mapping[str, str]) -> list[Value]:
    return [shown(term, labels) for term in triple]


def plain(term: Term, labels: Mapping[str, str]) -> str:
    """A term as a person would say it."""
    cell = shown(term, labels)
    return cell.label if isinstance(cell, Link) else str(cell)

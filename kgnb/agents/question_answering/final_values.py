"""The values an answer names, looked up among everything that was seen: rows of any query, triples, entities."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kgnb.agents.question_answering.actions import Commit
from kgnb.agents.question_answering.graph_schema import graph_schema
from kgnb.agents.question_answering.state import State
from kgnb.agents.question_answering.values import Acted
from kgnb.kg.terms import Iri, Literal, Term, n3


@dataclass(frozen=True)
class Resolved:
    """The terms an answer gives, and the query and column they came from (``query`` None: from triples)."""

    values: tuple[Term, ...]
    query: Acted | None = None
    column: str = ""
    whole: bool = False  # they are all the column holds


def resolve(state: State, commit: Commit) -> Resolved:
    """What an answer stands for.

    Raises:
        ValueError: there is no such query or column, or a value was never seen; says what was.
    """
    if commit.values:
        return _among(state, tuple(_term(state, value) for value in commit.values))
    queries = {acted.number: acted for acted in state.history if acted.number}
    if commit.query not in queries:
        there = ", ".join(map(str, queries)) or "none"
        raise ValueError(f"there is no query {commit.query} with a result (there are: {there}); name one, or values")
    acted = queries[commit.query]
    column = commit.column.strip().lstrip("?$") or (acted.columns[0] if len(acted.columns) == 1 else "")
    if column not in acted.columns:
        raise ValueError(f"query {commit.query} has the columns {', '.join(acted.columns)}: name the one that answers")
    found = _column(acted, column)
    if not found:
        raise ValueError(f"query {commit.query} brought nothing in ?{column}: ask otherwise, or give_up")
    return Resolved(found, acted, column, True)


def _column(acted: Acted, column: str) -> tuple[Term, ...]:
    at = acted.columns.index(column)
    return tuple(dict.fromkeys(term for row in acted.rows if (term := row[at]) is not None))


def _among(state: State, values: tuple[Term, ...]) -> Resolved:
    """The values with the newest query that holds them all in one column, if one does."""
    values = tuple(dict.fromkeys(values))
    for acted in reversed(state.history):
        for column in acted.columns:
            there = _column(acted, column)
            if set(values) <= set(there):
                return Resolved(values, acted, column, set(values) == set(there))
    return Resolved(values)


def _term(state: State, value: str) -> Term:
    forms = _forms(state)
    said = " ".join(value.split())
    known = forms.get(said) or forms.get(said.casefold())
    if known is None and said.startswith(('"', "'")):
        known = forms.get(said.strip("\"'")) or forms.get(said[1:].partition(said[0])[0])
    if known is None:
        known = _numbers(said, forms)
    if not known:
        near = difflib.get_close_matches(said, sorted(forms), n=3, cutoff=0.5)
        raise ValueError(
            f"{said[:100]} was not seen in any result" + (f"; seen were {', '.join(near)}" if near else "")
        )
    if len(known) > 1:
        raise ValueError(f"{said[:100]} may be any of {', '.join(n3(term) for term in known[:5])}: give the IRI")
    return known[0]


def _numbers(said: str, forms: dict[str, list[Term]]) -> list[Term] | None:
    try:
        number = float(said)
    except ValueError:
        return None
    for text, terms in forms.items():
        try:
            if float(text) == number:
                return terms
        except ValueError:
            continue
    return None


def _forms(state: State) -> dict[str, list[Term]]:
    """Every way a term that was seen may be written, with the terms it may be."""
    schema, label = graph_schema(state.desk), state.desk.hood.names.label
    found: dict[str, list[Term]] = {}

    def add(form: str, term: Term) -> None:
        terms = found.setdefault(" ".join(form.split()), [])
        if term not in terms:
            terms.append(term)

    for term in _seen(state):
        if isinstance(term, Iri):
            short, name = schema.short(term), label(term)
            for form in (term, f"<{term}>", short, f"{name} {short}", f"{name} ({short})", name, name.casefold()):
                add(form, term)
        elif isinstance(term, Literal):
            for form in (term.text, term.text.casefold(), n3(term)):
                add(form, term)
    same: dict[str, list[Term]] = {}
    for form, terms in found.items():  # one text with two datatypes is one value to whoever reads it
        literal = [term for term in terms if isinstance(term, Literal)]
        same[form] = [*(term for term in terms if not isinstance(term, Literal)), *literal[:1]]
    for word, text in (("yes", "true"), ("no", "false")):
        if text in same:
            same.setdefault(word, same[text])
    return same


def _seen(state: State) -> Sequence[Term]:
    terms: list[Term | None] = []
    for acted in reversed(state.history):
        terms += [term for row in acted.rows for term in row]
        terms += _ends(acted.triples)
    terms += _ends(seen.triple for seen in state.observation.triples)
    terms += _ends(state.memory.triples)
    terms += [link.iri for link in state.linked.links]
    return list(dict.fromkeys(term for term in terms if term is not None))


def _ends(triples: Iterable[Sequence[Term]]) -> list[Term]:
    return [term for triple in triples for term in (triple[0], triple[2])]

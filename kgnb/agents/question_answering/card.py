"""An answer as a card: the values large, the triples that prove them drawn, the query, and how it was found."""

from __future__ import annotations

from kgnb.agents.question_answering import pictures, tables
from kgnb.agents.question_answering.values import Answer
from kgnb.kg.prefixes import PREFIXES
from kgnb.kg.sparql import Token, declared, laid_out, tokens
from kgnb.kg.terms import RDF, XSD, Iri, Literal
from kgnb.results.bundle import count, view
from kgnb.results.card import Card
from kgnb.results.cells import Value
from kgnb.results.table import Column, Table

_YES, _NO = (Literal(text, datatype=f"{XSD}boolean") for text in ("true", "false"))
_NONE = Literal("0", datatype=f"{XSD}integer")
_GUESSED = 10  # values of a guess that are named


@view.register
def answered(value: Answer) -> Card:
    """The answer with its proof; for a no, what was looked for."""
    notes = [*([f"Partial: {value.partial}"] if value.partial else []), *looked_for(value)]
    notes += guessed(value)[:1]
    why = [value.rationale] if value.rationale else []
    if not value.values:
        notes, why = [*notes, *why], []
    links = value.linked.ambiguous
    meant = [f"“{link.mention}” may mean {link.label} ({link.iri}), {link.score:.2f}" for link in links]
    return Card(
        value.question.text,
        ["Yes" if term == _YES else "No" if term == _NO else tables.shown(term, value.labels) for term in value.values],
        said(value),
        _text(value).text,
        notes,
        pictures.proof(value) if value.support else None,
        laid_out(value.sparql),
        [*why, *guessed(value)[1:], *_because(value), *meant, *value.notes],
    )


def said(value: Answer) -> str:
    """How the answer came about, its confidence, and from where."""
    memory = "'s memory" if value.source == "model" else ""
    return f"{tables.status(value)}, confidence {value.confidence:.2f}, from the {value.source}{memory}"


def guessed(value: Answer) -> list[str]:
    """What the best reading gives, where the answer is unsure, and the query for it."""
    if value.guess is None or value.values:
        return []
    names = [tables.plain(term, value.labels) for term in value.guess.values[:_GUESSED]]
    left = len(value.guess.values) - len(names)
    found = f"Not an answer, but what the best reading gives: {', '.join(names)}{f' and {left:,} more' * (left > 0)}"
    return [found, *([f"SPARQL of that reading: {value.guess.sparql}"] if value.guess.sparql else [])]


def looked_for(value: Answer) -> list[str]:
    """What a no, or a count of none, did not find: the patterns of its query in words."""
    if value.values not in ((_NO,), (_NONE,)) or not value.sparql:
        return []
    namespaces = dict(PREFIXES) | declared(value.sparql)
    found, words = [], list[str]()
    for token in _where(value.sparql):
        if token.kind not in ("mark", "name") or ":" in token.text or token.text == "a":
            words.append(_word(token, namespaces, value))
            continue
        found += [" ".join(words)] if len(words) == 3 else []
        words = words[:1] if token.text == ";" else []
    return [f"Looked for, and not in the graph: {'; '.join(found)}"] if found else []


def _where(query: str) -> list[Token]:
    found = tokens(query)
    start = next((at for at, token in enumerate(found) if token.text == "{"), len(found))
    return found[start + 1 :]


def _word(token: Token, namespaces: dict[str, str], value: Answer) -> str:
    """A term of a query as a person would say it."""
    if token.kind == "variable":
        return "something"
    if token.text == "a":
        return "is a"
    prefix, colon, local = token.text.partition(":")
    iri = token.text[1:-1] if token.kind == "iri" else namespaces.get(prefix, "") + local if colon else ""
    if not iri:
        return token.text
    return "is a" if iri == f"{RDF}type" else tables.plain(Iri(iri), value.labels)


def _because(value: Answer) -> list[str]:
    why = "there is" if looked_for(value) else "because"
    lines = [f"{why}: {' '.join(tables.plain(term, value.labels) for term in triple)}" for triple in value.support[:20]]
    left = len(value.support) - len(lines)
    return [*lines, *([f"and {count(left, 'triple')} more"] if left else [])]


def _text(value: Answer) -> Table:
    """The same for a terminal."""
    rows: list[list[Value]] = [[tables.shown(term, value.labels)] for term in value.values]
    query = [f"SPARQL: {value.sparql}"] if value.sparql else []
    notes = [*([f"Partial: {value.partial}"] if value.partial else []), said(value)]
    notes += [*guessed(value), *([value.rationale] if value.rationale else []), *looked_for(value), *_because(value)]
    notes += query
    return Table([Column("answer", "answer")], rows, caption=value.question.text, notes=[*notes, *value.notes])

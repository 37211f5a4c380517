"""``{{name}}`` in a query: replaced by a Python value as a quoted RDF term, so that its text cannot
act as SPARQL.

``{{name}}`` stands for a term (a list for several, one after another: ``VALUES ?x { {{names}} }``),
``<{{name}}>`` for an IRI.
"""

from __future__ import annotations

import datetime
import decimal
import math
import numbers
import re
import sys
from collections.abc import Iterable, Mapping

from kgnb.errors import DataError
from kgnb.kg.sparql import tokens
from kgnb.kg.terms import XSD, Blank, Iri, Literal, Term, TripleTerm, is_iri, n3


def term_of(value: object) -> Term:
    """The RDF term of a Python value: text is a literal, never an IRI; wrap IRIs in ``Iri``, or
    write ``<{{name}}>``.

    >>> term_of("Hut"), term_of(3).datatype
    (Literal(text='Hut', language=None, datatype=None), 'http://www.w3.org/2001/XMLSchema#integer')

    Raises:
        TypeError: RDF has no term for it (None, a list, a data frame).
        ValueError: an IRI that cannot be written between angle brackets.
    """
    if isinstance(value, Iri | Blank | Literal | TripleTerm):
        return iri_of(value) if isinstance(value, Iri) else value
    library = sys.modules.get("rdflib")
    if library is not None and isinstance(value, library.term.Identifier):
        from kgnb.kg.rdflib_graph import from_rdflib

        return from_rdflib(value)
    if isinstance(value, bool) or type(value).__name__ in (
        "bool",
        "bool_",
    ):  # also NumPy's, by its old or new name
        return Literal("true" if value else "false", datatype=f"{XSD}boolean")
    if isinstance(value, numbers.Integral):
        return Literal(str(int(value)), datatype=f"{XSD}integer")
    if isinstance(value, decimal.Decimal):
        if not value.is_finite():
            raise ValueError(f"{value} is not an xsd:decimal")
        return Literal(f"{value:f}", datatype=f"{XSD}decimal")
    if isinstance(value, numbers.Real):
        return Literal(_double(float(value)), datatype=f"{XSD}double")
    if (
        isinstance(value, datetime.datetime) and value == value
    ):  # before date, which it is too; not pandas' NaT
        return Literal(value.isoformat(), datatype=f"{XSD}dateTime")
    if isinstance(value, datetime.date) and value == value:
        return Literal(value.isoformat(), datatype=f"{XSD}date")
    if isinstance(value, str):
        return Literal(str(value))
    raise TypeError(
        f"there is no RDF term for a {type(value).__name__}: bind text, a number, a date or an Iri"
    )


def terms_of(value: object) -> list[Term]:
    """The terms of a list, set, tuple or series of values, in order (a set sorted), or of one
    value.
    """
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        return [term_of(value)]
    if isinstance(value, set | frozenset):
        value = sorted(value, key=str)
    return [term_of(one) for one in value]


def iri_of(value: object) -> Iri:
    """A value as an IRI; raises ValueError where it is not one.

    >>> iri_of("http://huts.example/id/hochkar")
    Iri('http://huts.example/id/hochkar')
    """
    if not is_iri(str(value)):
        raise ValueError(f"not an absolute IRI: {str(value)[:200]!r}")
    return Iri(str(value))


def _double(value: float) -> str:
    if math.isfinite(value):
        return repr(value)
    return "NaN" if math.isnan(value) else "INF" if value > 0 else "-INF"


_PLACE = re.compile(r"(?P<open><)?\{\{\s*(?P<name>[^\W\d]\w*)\s*\}\}(?P<close>>)?")


def placeholders(query: str) -> list[str]:
    """The names of the placeholders in a query, each once, in order."""
    return list(dict.fromkeys(match["name"] for match in _PLACE.finditer(query)))


def fill(query: str, values: Mapping[str, object]) -> str:
    r"""The query with every ``{{name}}`` written as the RDF term of its value.

    >>> fill("ASK { ?hut rdfs:label {{name}} }", {"name": 'x" } DROP ALL #'})
    'ASK { ?hut rdfs:label "x\\" } DROP ALL #" }'
    >>> fill("DESCRIBE <{{hut}}>", {"hut": "http://huts.example/id/hochkar"})
    'DESCRIBE <http://huts.example/id/hochkar>'

    Raises:
        DataError: a name has no value, a value has no RDF term, or a placeholder is inside quotes.
    """
    quoted = [
        (token.start, token.start + len(token.text))
        for token in tokens(query)
        if token.kind == "string"
    ]
    parts, end = [], 0
    for match in _PLACE.finditer(query):
        start = match.start()
        line = query.count("\n", 0, start) + 1
        where = f"SPARQL query, line {line}, column {start - query.rfind(chr(10), 0, start)}"
        name = match["name"]
        if any(begin < start < stop for begin, stop in quoted):
            fix = "Leave the quotes out: the value has its own."
            raise DataError(f"{{{{{name}}}}} is inside quotes", where=where, fix=fix)
        if name not in values:
            fix = f"Set {name} = ... in a cell above."
            raise DataError(f"there is no value for {{{{{name}}}}}", where=where, fix=fix)
        iri = match["open"] is not None and match["close"] is not None
        try:
            written = n3(iri_of(values[name])) if iri else " ".join(map(n3, terms_of(values[name])))
        except (TypeError, ValueError) as error:
            fix = "Bind text, a number, a date or an Iri."
            raise DataError(f"{{{{{name}}}}}: {error}", where=where, fix=fix) from error
        before, after = ("", "") if iri else (match["open"] or "", match["close"] or "")
        parts += [query[end:start], before, written, after]
        end = match.end()
    return "".join([*parts, query[end:]])

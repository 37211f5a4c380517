"""Python values as RDF terms, for what a person binds into a query."""

from __future__ import annotations

import datetime
import decimal
import math
import numbers
from collections.abc import Iterable

import rdflib

from kgnb.kg.rdflib_graph import from_rdflib
from kgnb.kg.terms import XSD, Blank, Iri, Literal, Term, TripleTerm, is_iri


def term_of(value: object) -> Term:
    """The RDF term of a Python value: text is a literal, never an IRI; wrap an IRI in ``Iri``, or write ``<{{name}}>``.

    >>> term_of("Hut"), term_of(3).datatype
    (Literal(text='Hut', language=None, datatype=None), 'http://www.w3.org/2001/XMLSchema#integer')

    Raises:
        TypeError: RDF has no term for it (None, a list, a data frame).
        ValueError: an IRI that cannot be written between angle brackets.
    """
    if isinstance(value, Iri | Blank | Literal | TripleTerm):
        return iri_of(value) if isinstance(value, Iri) else value
    if isinstance(value, rdflib.term.Identifier):
        return from_rdflib(value)
    if isinstance(value, bool) or type(value).__name__ == "bool_":
        return Literal("true" if value else "false", datatype=f"{XSD}boolean")
    if isinstance(value, numbers.Integral):
        return Literal(str(int(value)), datatype=f"{XSD}integer")
    if isinstance(value, decimal.Decimal):
        if not value.is_finite():
            raise ValueError(f"{value} is no xsd:decimal")
        return Literal(f"{value:f}", datatype=f"{XSD}decimal")
    if isinstance(value, numbers.Real):
        return Literal(_double(float(value)), datatype=f"{XSD}double")
    if isinstance(value, datetime.datetime):  # before date: a datetime is one
        return Literal(value.isoformat(), datatype=f"{XSD}dateTime")
    if isinstance(value, datetime.date):
        return Literal(value.isoformat(), datatype=f"{XSD}date")
    if isinstance(value, str):
        return Literal(str(value))
    raise TypeError(f"there is no RDF term for a {type(value).__name__}: bind text, a number, a date or an Iri")


def terms_of(value: object) -> list[Term]:
    """The terms of a list, set, tuple or series of values, in order (a set sorted), or of one value."""
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        return [term_of(value)]
    if isinstance(value, set | frozenset):
        value = sorted(value, key=str)
    return [term_of(one) for one in value]


def iri_of(value: object) -> Iri:
    """A value that must be an IRI; ValueError where it is none.

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

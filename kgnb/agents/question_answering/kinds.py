"""What kind of value a relation leads to: a number, a date, a text or a thing."""

from __future__ import annotations

import re

from kgnb.kg.terms import XSD, Literal, Term

_NUMBERS = frozenset(
    XSD + name
    for name in """integer decimal double float int long short byte nonNegativeInteger positiveInteger
    nonPositiveInteger
    negativeInteger unsignedInt unsignedLong unsignedShort unsignedByte""".split()  # noqa: SIM905
)
_DATES = frozenset(XSD + name for name in ("date", "dateTime", "gYear", "gYearMonth", "dateTimeStamp"))


def kind_of(sample: Term | None) -> str:
    """ "number", "date", "text" or "thing", as one object of the relation shows.

    >>> kind_of(Literal("1908", datatype=f"{XSD}gYear")), kind_of(None)
    ('date', 'thing')
    """
    if not isinstance(sample, Literal):
        return "thing"
    if sample.datatype in _NUMBERS:
        return "number"
    return "date" if sample.datatype in _DATES else "text"


def is_date(datatype: str | None) -> bool:
    """Whether literals of a datatype are days or years."""
    return datatype in _DATES


def is_year(sample: Term | None) -> bool:
    """Whether a number may well be a year.

    >>> is_year(Literal("1908", datatype=f"{XSD}integer")), is_year(Literal("64", datatype=f"{XSD}integer"))
    (True, False)
    """
    return isinstance(sample, Literal) and re.fullmatch(r"1\d{3}|20\d{2}", sample.text) is not None

"""The components of SHACL Core that look at a value alone, or compare two properties of a node."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import lru_cache

from kgnb.kg.terms import Blank, Iri, Literal, Term
from kgnb.shapes.datatypes import compare, conforms
from kgnb.shapes.facts import Facts
from kgnb.shapes.shape import SH, Constraint, one

_KINDS = {
    f"{SH}IRI": (Iri,), f"{SH}BlankNode": (Blank,), f"{SH}Literal": (Literal,), f"{SH}BlankNodeOrIRI": (Blank, Iri),
    f"{SH}BlankNodeOrLiteral": (Blank, Literal), f"{SH}IRIOrLiteral": (Iri, Literal),
}  # fmt: skip


def holds(constraint: Constraint, value: Term) -> bool:
    """Whether one value keeps a component that needs nothing but the value (SHACL, sections 4.1 to 4.4 and 4.8)."""
    component = constraint.component
    if component == "datatype":
        return isinstance(value, Literal) and conforms(value, str(constraint.terms[0]))
    if component == "nodeKind":
        return isinstance(value, _KINDS.get(str(constraint.terms[0]), ()))
    if component == "in":
        return value in constraint.terms
    if component in ("minLength", "maxLength"):
        if isinstance(value, Blank):
            return False
        length = len(_text(value))
        return length >= constraint.number if component == "minLength" else length <= constraint.number
    if component == "pattern":
        return not isinstance(value, Blank) and _pattern(*constraint.texts[:2]).search(_text(value)) is not None
    if component == "languageIn":
        tag = (value.language or "").lower() if isinstance(value, Literal) else ""
        return any(tag == wanted or tag.startswith(f"{wanted}-") for wanted in map(str.lower, constraint.texts))
    bound = constraint.terms[0]
    order = compare(value, bound) if isinstance(value, Literal) and isinstance(bound, Literal) else None
    if order is None:
        return False
    kept = {
        "minInclusive": order >= 0,
        "maxInclusive": order <= 0,
        "minExclusive": order > 0,
        "maxExclusive": order < 0,
    }
    return kept[component]


def compared(
    constraint: Constraint, focus: Term, values: Collection[Term], facts: Facts
) -> Iterator[tuple[Term, bool]]:
    """Values that do not compare with another property as they should, and whether that is final (section 4.5)."""
    others = facts.ends(focus, one(constraint.texts[0]))
    component = constraint.component
    if component == "equals":
        yield from ((value, False) for value in values if value not in others)
        yield from ((value, False) for value in others if value not in values)
    elif component == "disjoint":
        few, many = (values, others) if len(values) <= len(others) else (others, values)
        yield from ((value, True) for value in few if value in many)
    else:
        for value in values:
            for other in others:
                order = compare(value, other) if isinstance(value, Literal) and isinstance(other, Literal) else None
                if order is None or order > 0 or (order == 0 and component == "lessThan"):
                    yield value, True


def _text(value: Term) -> str:
    return value.text if isinstance(value, Literal) else str(value)


@lru_cache(maxsize=1024)
def _pattern(pattern: str, flags: str = "") -> re.Pattern[str]:
    """The regular expression of XPath as Python's: the two agree on all but rare classes."""
    known = {"i": re.IGNORECASE, "s": re.DOTALL, "m": re.MULTILINE, "x": re.VERBOSE}
    bits = 0
    for flag in flags:
        bits |= known.get(flag, 0)
    return re.compile(re.escape(pattern) if "q" in flags else pattern, bits)


def legal_pattern(pattern: str, flags: str = "") -> bool:
    """Whether Python can read a regular expression."""
    try:
        _pattern(pattern, flags)
    except re.error:
        return False
    return True

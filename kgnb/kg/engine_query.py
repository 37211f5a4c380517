"""A query as the embedded engine must be asked, where it differs from SPARQL without a word.

Measured with pyoxigraph 0.5.13: language tags are kept in lower case, so ``LANG(?l) = "en-GB"``
holds of nothing; a pattern it cannot match (look-around, back-references, a flag it does not know) is
an error that a FILTER hides; ``$1x`` in REPLACE means a group called "1x"; GROUP_CONCAT of anything
but text is no value; integers beyond 64 bits and decimals of more than 18 places cannot be compared,
added or ordered.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kgnb.errors import DataError
from kgnb.kg.regular_expressions import matches
from kgnb.kg.sparql import Token, declared, tokens
from kgnb.kg.terms import XSD, Literal, n3, unescaped

LONG_NUMBER = re.compile(r"\d{19}")
"""Every number beyond the engine has so many digits in a row: what holds none needs no count."""

_NUMBERS = ("integer", "decimal", "long", "unsignedLong", "nonNegativeInteger", "positiveInteger")
_MORE = ("nonPositiveInteger", "negativeInteger", "unsignedInt", "int")
BEYOND = f"""SELECT ?p (COUNT(*) AS ?n) (SAMPLE(STR(?o)) AS ?example) {{
  ?s ?p ?o FILTER(isLiteral(?o) && LANG(?o) = "" && !isNumeric(?o)
    && DATATYPE(?o) IN ({", ".join(f"<{XSD}{name}>" for name in _NUMBERS + _MORE)})
    && REGEX(STR(?o), "^[+-]?[0-9]*[.]?[0-9]+$"))
}} GROUP BY ?p ORDER BY ?p"""
"""The properties with numbers beyond the engine, how many each has, and one of them."""

_COMPUTES = frozenset({"MAX", "MIN", "SUM", "AVG", "ORDER", "FILTER", "BIND", "HAVING"})
_LOOK_INTO = frozenset({"REGEX", "CONTAINS", "STRSTARTS", "STRENDS", "STRBEFORE", "STRAFTER"})
_TAG = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})+")


@dataclass(frozen=True, slots=True)
class Beyond:
    """Numbers of one property that the engine cannot compute with."""

    predicate: str
    count: int
    example: str


def for_engine(query: str) -> str:
    """The query with language tags, replacements and GROUP_CONCAT as the engine needs them.

    >>> for_engine('SELECT * { ?s ?p ?l FILTER(LANG(?l) = "en-GB") }')
    'SELECT * { ?s ?p ?l FILTER(LANG(?l) = "en-gb") }'
    >>> for_engine('SELECT (GROUP_CONCAT(DISTINCT ?n; separator=", ") AS ?all) { ?s ?p ?n }')
    'SELECT (GROUP_CONCAT(DISTINCT STR(?n); separator=", ") AS ?all) { ?s ?p ?n }'

    Raises:
        DataError: a pattern of REGEX or REPLACE is malformed, or nothing the engine can match.
    """
    found = tokens(query)
    changes: dict[int, tuple[int, str]] = {}  # start -> end, new text
    for at, token in enumerate(found):
        if token.word in ("REGEX", "REPLACE"):
            changes |= _pattern(query, token.word, _arguments(found, at + 1))
        elif token.word == "GROUP_CONCAT":
            changes |= _as_text(_arguments(found, at + 1))
        elif token.word == "LANG":
            changes |= _lowered(found, at)
    for start in sorted(changes, reverse=True):
        end, text = changes[start]
        query = query[:start] + text + query[end:]
    return query


def hints(query: str) -> list[str]:
    """What a reader of the result must know of language tags in the query.

    >>> hints('ASK { ?s ?p ?l BIND(LANG(?l) AS ?t) FILTER(?t IN ("pt-BR")) }')
    ['Language tags are kept in lower case here: compare with "pt-br".']
    """
    found = tokens(for_engine(query))
    if not any(token.word == "LANG" for token in found):
        return []
    values = (_value(token.text) for token in found if token.kind == "string")
    mixed = [text for text in values if _TAG.fullmatch(text) and text != text.lower()]
    mixed += _parts_of_tags(found)
    calls = {found[at].word for at in range(len(found)) if found[at].kind == "name"}
    if not mixed or "LANGMATCHES" in calls:
        return []
    return [f'Language tags are kept in lower case here: compare with "{mixed[0].lower()}".']


def _parts_of_tags(found: Sequence[Token]) -> list[str]:
    """The texts with capitals that functions look for in language tags."""
    texts: list[str] = []
    for at, token in enumerate(found):
        if token.word in _LOOK_INTO:
            inside = [one for argument in _arguments(found, at + 1) for one in argument]
            if any(one.word == "LANG" for one in inside):
                texts += [_value(one.text) for one in inside if one.kind == "string"]
    return [text for text in texts if text != text.lower()]


def touched(query: str, beyond: Sequence[Beyond], prefixes: Mapping[str, str]) -> list[str]:
    """A note for each property with numbers beyond the engine that a query computes with."""
    found = tokens(query)
    if not beyond or not any(token.word in _COMPUTES for token in found):
        return []
    known = {**prefixes, **declared(query)}
    named = {token.iri(known) for token in found}
    # a variable in the predicate's place may be any property
    open_ended = not any(one.predicate in named for one in beyond) and _any_predicate(found)
    return [
        f"{one.count:,} number{'s' if one.count > 1 else ''} of <{one.predicate}> beyond the "
        f"engine's range (integers of 64 bits, decimals of 18 places), such as {one.example[:60]}: "
        "comparisons, sums, MAX, MIN and order do not count them right."
        for one in beyond
        if open_ended or one.predicate in named
    ]


def _any_predicate(found: Sequence[Token]) -> bool:
    """Whether two variables stand in a row: the second is then a predicate."""
    kinds = [token.kind for token in found]
    return any(kinds[at : at + 2] == ["variable"] * 2 for at in range(len(kinds)))


def _arguments(found: Sequence[Token], opening: int) -> list[list[Token]]:
    """The arguments of a call, each as its tokens; none where no bracket is opened."""
    arguments: list[list[Token]] = [[]]
    depth = 0
    for token in found[opening:]:
        opens, closes = token.text in ("(", "[", "{"), token.text in (")", "]", "}")
        depth += opens - closes
        if depth == 0:
            return arguments if closes else []
        if depth == 1 and (opens or token.text in (",", ";")):
            if not opens:
                arguments.append([])
        else:
            arguments[-1].append(token)
    return []


def _value(text: str) -> str:
    """What a quoted text of a query stands for (SPARQL 1.1, section 19.7)."""
    inner = text[3:-3] if text[:3] in ('"""', "'''") else text[1:-1]
    return unescaped(inner)


def _constant(argument: Sequence[Token]) -> str | None:
    return _value(argument[0].text) if [t.kind for t in argument] == ["string"] else None


def _pattern(query: str, call: str, arguments: list[list[Token]]) -> dict[int, tuple[int, str]]:
    """Refuses a pattern that the engine cannot match; the replacement as the engine reads it."""
    pattern = _constant(arguments[1]) if len(arguments) > 1 else None
    flags_at = 2 if call == "REGEX" else 3
    flags = _constant(arguments[flags_at]) if len(arguments) > flags_at else ""
    if pattern is not None and flags is not None and matches(pattern, "", flags) is None:
        start = arguments[1][0].start
        before = query[:start]
        column = start - before.rfind("\n")
        raise DataError(
            f"{call} cannot use the pattern {pattern[:80]!r}"
            + (f" with {flags!r}" if flags else ""),
            where=f"SPARQL query, line {before.count(chr(10)) + 1}, column {column}",
            fix=_why_not(pattern, flags),
        )
    replacement = _constant(arguments[2]) if call == "REPLACE" and len(arguments) > 2 else None
    if replacement is None or pattern is None:
        return {}
    token = arguments[2][0]
    written = n3(Literal(_replacement(replacement, pattern)))
    return {token.start: (token.start + len(token.text), written)}


def _why_not(pattern: str, flags: str) -> str:
    if re.search(r"\(\?<?[=!]", pattern):
        return "The engine has no look-ahead and look-behind: use two FILTERs, one of them with !REGEX."
    if re.search(r"\\[1-9]", pattern):
        return "The engine has no back-references (\\1): write the alternatives out."
    if set(flags) - set("simxq"):
        return "Its flags are s, i, m, x and q."
    return "It is malformed, or has what the engine does not know: correct the pattern."


def _replacement(text: str, pattern: str) -> str:
    """A replacement of XPath (``$1``, ``\\$``, ``\\\\``) as the engine reads it (``${1}``, ``$$``)."""
    groups = _groups(pattern)

    def part(match: re.Match[str]) -> str:
        if match[1]:
            return "$$" if match[1] == "$" else match[1]
        digits = match[2]
        while len(digits) > 1 and int(digits) > groups:  # $12 is group 1 and a 2, of one group
            digits = digits[:-1]
        return f"${{{digits}}}{match[2][len(digits) :]}"

    return re.sub(r"\\([\\$])|\$(\d+)", part, text)


def _groups(pattern: str) -> int:
    return len(re.findall(r"(?<!\\)\((?!\?)", pattern))


def _as_text(arguments: list[list[Token]]) -> dict[int, tuple[int, str]]:
    """GROUP_CONCAT's expression within STR()."""
    inner = arguments[0] if arguments else []
    inner = inner[1:] if inner and inner[0].word == "DISTINCT" else inner
    if not inner:
        return {}
    last = inner[-1]
    end = last.start + len(last.text)
    return {inner[0].start: (inner[0].start, "STR("), end: (end, ")")}


def _lowered(found: Sequence[Token], at: int) -> dict[int, tuple[int, str]]:
    """The text constants that LANG(...) is compared with, in lower case."""
    closing = next((i for i in range(at, len(found)) if found[i].text == ")"), None)
    if closing is None:
        return {}
    constants: list[Token] = []
    after = [token.text for token in found[closing + 1 : closing + 3]]
    compared = closing + 1 + (2 if after[:2] in (["!", "="], ["NOT", "IN"]) else 1)
    if after[:1] == ["="] or after[:2] == ["!", "="]:
        constants += found[compared : compared + 1]
    elif (after[:1] and after[0].upper() == "IN") or [one.upper() for one in after] == [
        "NOT",
        "IN",
    ]:
        opening = closing + (2 if after[0].upper() == "IN" else 3)
        constants += [one[0] for one in _arguments(found, opening) if len(one) == 1]
    before = found[max(0, at - 3) : at]
    if before and before[-1].text == "=":
        constants += [before[-3] if len(before) > 2 and before[-2].text == "!" else before[-2]]
    return {
        token.start: (token.start + len(token.text), token.text.lower())
        for token in constants
        if token.kind == "string"
    }

"""Texts that match a regular expression, made of the expression itself: samples for patterns of any form."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from typing import Any

_MOST = 400  # characters of one text
_CLASSES = {"CATEGORY_DIGIT": "5", "CATEGORY_WORD": "a", "CATEGORY_SPACE": " ", "CATEGORY_NOT_DIGIT": "a",
            "CATEGORY_NOT_WORD": "-", "CATEGORY_NOT_SPACE": "a"}  # fmt: skip
_TRIED = "aA1-é 0zZ_.!%~"


def matching(pattern: str) -> Iterator[str]:
    """A few texts in which the expression is found, the shortest first; none where it has parts not read here.

    >>> list(matching("^[A-Z]{2}-[0-9]{3,}$"))
    ['AA-000', 'AA-0000', 'AA-0000000']
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            from re import _parser  # type: ignore[attr-defined]  # the standard library's own reader of patterns

            parsed = _parser.parse(pattern)
        except (re.error, ImportError):
            return
    found: dict[str, None] = {}
    for more in (0, 1, 4):
        try:
            found["".join(_text(str(op), told, more) for op, told in parsed)] = None
        except (KeyError, ValueError, StopIteration):
            return
    yield from (text for text in found if len(text) <= _MOST and re.search(pattern, text))


def _text(op: str, told: Any, more: int) -> str:
    """One part of an expression as text; a repeat as often as it must, and ``more`` times where it may."""
    if op == "LITERAL":
        return chr(told)
    if op in ("AT", "ASSERT_NOT"):
        return ""
    if op == "ANY":
        return "a"
    if op == "NOT_LITERAL":
        return next(one for one in _TRIED if ord(one) != told)
    if op == "IN":
        return _one_of(told)
    if op == "BRANCH":
        return "".join(_text(str(o), t, more) for o, t in told[1][min(more, len(told[1]) - 1)])
    if op == "SUBPATTERN":
        return "".join(_text(str(o), t, more) for o, t in told[3])
    if op in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
        least, most, inner = told
        times = min(int(least) + more, int(most), _MOST)
        return "".join(_text(str(o), t, more) for o, t in inner) * times
    raise ValueError(op)


def _one_of(told: Any) -> str:
    """A character of a set."""
    first, value = str(told[0][0]), told[0][1]
    if first == "NEGATE":
        barred = re.compile(f"[{''.join(_written(str(o), t) for o, t in told[1:])}]")
        return next(one for one in _TRIED if not barred.match(one))
    if first == "RANGE":
        return chr(int(value[0]))
    return chr(int(value)) if first == "LITERAL" else _CLASSES[str(value)]


def _written(op: str, told: Any) -> str:
    if op == "RANGE":
        return f"{re.escape(chr(told[0]))}-{re.escape(chr(told[1]))}"
    return re.escape(chr(told)) if op == "LITERAL" else re.escape(_CLASSES[str(told)])

"""A passage in lines as a reader of notes sees them: headings, items and their numbers, keys and what follows them."""

from __future__ import annotations

import re
from dataclasses import dataclass

_ITEM = re.compile(r"^\s*(?:[-*•+]\s+|(?P<number>\d{1,3})[.)]\s+|\|\s*)?")
_MARKUP = re.compile(r"[*_`|]+")
_KEY = re.compile(r"^([^\W\d][^:.;!?\n]{1,40}?)\s*:\s*(\S.*)$")


@dataclass(frozen=True, slots=True)
class Line:
    """One line without its markup; ``start`` and ``end`` are characters of the document."""

    text: str
    start: int
    end: int
    number: int | None = None
    heading: bool = False
    item: bool = False
    key: str = ""
    rest: str = ""


def lines(text: str, start: int = 0) -> list[Line]:
    """The lines of a text, blank ones and rules left out.

    >>> [(line.number, line.key, line.text) for line in lines("# Soup\\nHut: Ambre\\n1. *Boil* it.")]
    [(None, '', 'Soup'), (None, 'Hut', 'Hut: Ambre'), (1, '', 'Boil it.')]
    """
    found: list[Line] = []
    at = start
    for raw in text.split("\n"):
        begin, at = at, at + len(raw) + 1
        if re.fullmatch(r"[\s|:=\-*_#]*", raw):
            if re.fullmatch(r"\s*[=\-]{3,}\s*", raw) and found and found[-1].end == begin - 1:
                last = found[-1]
                found[-1] = Line(last.text, last.start, last.end, None, True)
            continue
        marked = re.match(r"^\s*#{1,6}\s+", raw)
        body = raw[marked.end() :] if marked else raw
        match = _ITEM.match(body)
        number = int(match["number"]) if match and match["number"] else None
        item = bool(match and match[0].strip())
        plain = " ".join(_MARKUP.sub(" ", body[match.end() :] if match else body).split())
        key = _KEY.match(plain)
        found.append(
            Line(
                plain, begin, begin + len(raw), number, bool(marked), item, key[1] if key else "", key[2] if key else ""
            )
        )
    if found and not any(line.heading for line in found) and not found[0].key and len(found) > 1:
        first = found[0]
        found[0] = Line(first.text, first.start, first.end, None, True)
    return found

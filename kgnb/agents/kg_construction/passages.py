"""Long documents in overlapping passages that know where in the document they stand."""

from __future__ import annotations

import re
from dataclasses import dataclass

from kgnb.agents.kg_construction.documents import Document

_CUTS = (re.compile(r"\n\s*\n"), re.compile(r"\n"), re.compile(r"(?<=[.!?。])\s+"), re.compile(r"\s+"))


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of a document: characters ``start`` up to ``end``. ``number`` counts from 1."""

    document: str
    number: int
    start: int
    end: int
    text: str


def passages(document: Document, length: int = 6000, overlap: int = 400) -> tuple[Passage, ...]:
    """The document in passages of at most ``length`` characters, each beginning ``overlap`` or fewer before the last
    one's end, cut at paragraphs where possible, else at lines, sentences, words.

    >>> [one.text for one in passages(Document("note", "Boil it. Serve it hot."), length=15, overlap=0)]
    ['Boil it.', 'Serve it hot.']

    Raises:
        ValueError: length is below 1, or the overlap is not shorter than half of it.
    """
    if length < 1 or not 0 <= overlap <= length // 2:
        raise ValueError("a passage has a length of 1 or more, and the overlap is at most half of it")
    text, found, start = document.text, list[Passage](), 0
    while start < len(text):
        end = _end(text, start, length)
        shown = text[start:end]
        left, right = start + len(shown) - len(shown.lstrip()), start + len(shown.rstrip())
        if left < right:
            found.append(Passage(document.name, len(found) + 1, left, right, text[left:right]))
        if end >= len(text):
            break
        start = max(_begin(text, end, overlap), start + 1)
    return tuple(found)


def _end(text: str, start: int, length: int) -> int:
    """Where a passage ends: at the last good place in its second half."""
    limit = start + length
    if limit >= len(text):
        return len(text)
    for cut in _CUTS:
        places = [match.start() for match in cut.finditer(text, start + length // 2, limit + 1)]
        if places:
            return places[-1]
    return limit


def _begin(text: str, end: int, overlap: int) -> int:
    """Where the next one begins: at a line, sentence or word within the overlap."""
    for cut in _CUTS[1:]:
        match = cut.search(text, end - overlap, end)
        if overlap and match:
            return match.end()
    return end - overlap

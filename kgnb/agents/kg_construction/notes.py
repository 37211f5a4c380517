"""Notes with a form: lines with their marks and keys, records under titles, rows of tables."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from kgnb.agents.kg_construction.documents import RULE, Passage
from kgnb.agents.kg_construction.lexicon import Lexicon
from kgnb.kg.columns import NAMING
from kgnb.kg.words import words

TITLE = 1
KINDS = frozenset(("type", "class", "kind", "category", "typ", "art", "klasse", "classe", "genre"))
"""Keys whose value is the class of the thing."""
BRACKET = re.compile(r"\s*\(([^()]*)\)")
_ITEM = re.compile(r"^\s*(?:[-*•+]\s+|(?P<number>\d{1,3})[.)]\s+|\|\s*)?")
_MARKUP = re.compile(r"[*_`|]+")
_KEY = re.compile(r"^([^\W\d][^:.;!?\n]{1,40}?)\s*:\s*(\S.*)$")


@dataclass(frozen=True, slots=True)
class NoteLine:
    """One line without its markup; ``start`` and ``end`` are characters of the document."""

    text: str
    start: int
    end: int
    number: int | None = None
    heading: int = 0  # its level, 1 the highest
    item: bool = False
    key: str = ""
    value: str = ""

    @property
    def name(self) -> str:
        """The key without a bracket, as in "height (mm)"."""
        return BRACKET.sub("", self.key)

    @property
    def bare(self) -> bool:
        """Whether it may be a title: no key, no item, no end of a sentence."""
        return not (self.key or self.item or self.text.endswith((".", "!", "?", ";", ",", ":")))


def parse_lines(text: str, start: int = 0, *, titled: bool = True) -> list[NoteLine]:
    """The lines of a text, blank ones and rules left out.

    ``titled``: in a text without marked headings, a bare first line is a title, and so is a bare
    line at the beginning of a paragraph that goes on with a key.

    >>> [(line.number, line.key, line.text) for line in parse_lines("# Soup\\nHut: Ambre\\n1. *Boil* it.")]
    [(None, '', 'Soup'), (None, 'Hut', 'Hut: Ambre'), (1, '', 'Boil it.')]
    """
    found: list[NoteLine] = []
    at = start
    for raw in text.split("\n"):
        begin, at = at, at + len(raw) + 1
        if re.fullmatch(r"[\s|:=\-*_#]*", raw):
            if re.fullmatch(r"\s*[=\-]{3,}\s*", raw) and found and found[-1].end == begin - 1:
                found[-1] = _as_title(found[-1])
            continue
        marked = re.match(r"^\s*(#{1,6})\s+", raw)
        body = raw[marked.end() :] if marked else raw
        mark = _ITEM.match(body)
        assert mark  # it matches the empty text
        plain = " ".join(_MARKUP.sub(" ", body[mark.end() :]).split())
        key, value = match.groups() if (match := _KEY.match(plain)) else ("", "")
        number = int(mark["number"]) if mark["number"] else None
        heading = len(marked[1]) if marked else 0
        found.append(
            NoteLine(
                plain, begin, begin + len(raw), number, heading, bool(mark[0].strip()), key, value
            )
        )
    if titled and not any(line.heading for line in found):
        formed = any(line.key or line.item for line in found)
        for at, (line, following) in enumerate(zip(found, found[1:], strict=False)):
            paragraph = at == 0 or line.start > found[at - 1].end + 1
            if (
                formed
                and line.bare
                and (at == 0 or (paragraph and following.key and following.start == line.end + 1))
            ):
                found[at] = _as_title(line)
    return found


def named_by_keys(lexicon: Lexicon, lines: Sequence[NoteLine]) -> list[NoteLine]:
    """The lines with titles made of keys, in a text without a title: "Movie: The Salt Road" or
    "name: The Salt Road".

    Such a key names a class or a name, and no property of the ontology; its value comes first in
    its paragraph.
    """
    if any(line.heading for line in lines):
        return list(lines)
    stated = {phrase for slot in lexicon.slots for phrase in slot.phrases}
    paragraphs: list[list[NoteLine]] = []
    for at, line in enumerate(lines):
        if at == 0 or line.start > lines[at - 1].end + 1:
            paragraphs.append([])
        of_class = (
            line.key and not line.item and not paragraphs[-1] and lexicon.class_called(line.key)
        )
        if words(line.key) not in stated and (of_class or line.key.casefold() in NAMING):
            title = _as_title(replace(line, text=line.value))
            paragraphs[-1].insert(
                0, replace(title, key=line.key, value=line.value) if of_class else title
            )
        else:
            paragraphs[-1].append(line)
    return [line for paragraph in paragraphs for line in paragraph]


def _as_title(line: NoteLine) -> NoteLine:
    return NoteLine(line.text, line.start, line.end, heading=TITLE)


def records(lexicon: Lexicon, lines: Sequence[NoteLine]) -> list[list[NoteLine]]:
    """The notes that follow one another in a text, each with its title.

    Headings begin notes of their own at the highest level where two of them have a key in common. A
    further heading of the first one's level that shares no key is part of the note above, but is
    left out where a key follows, for that may be about another thing. A heading that only names a
    class above other headings says what those are: in "## Sculptures", "### Blue Horse" the horse
    gets the key "Sculptures".
    """
    kept: list[NoteLine] = []
    kind, level = "", 0  # of the section the lines stand in, and of the headings in it
    for line, following in zip_longest(lines, lines[1:]):
        after = following.heading if following else 0
        if 0 < line.heading < after and lexicon.class_called(line.text):
            kind, level = line.text, after
            continue
        kind = "" if 0 < line.heading < level else kind
        kept.append(replace(line, key=kind, value="") if kind and line.heading == level else line)
    top = next((line.heading for line in kept if line.heading), 0)
    level = next(
        (
            one
            for one in sorted({line.heading for line in kept} - {0})
            if _shared(_parts(kept, one))
        ),
        top,
    )
    parts = _parts(kept, level)
    shared, found = _shared(parts), [parts[0]]
    for part in parts[1:]:
        if _keys(part) & shared and not lexicon.class_called(part[0].text):
            found.append([replace(part[0], heading=TITLE), *part[1:]])
        elif not (len(part) > 1 and part[1].key):
            found[-1] += part
    return found


def _parts(lines: Sequence[NoteLine], level: int) -> list[list[NoteLine]]:
    """The lines cut before every heading of a level or above; what stands before the first goes
    with it.
    """
    parts: list[list[NoteLine]] = [[]]
    for line in lines:
        if 0 < line.heading <= level and any(one.heading for one in parts[-1]):
            parts.append([])
        parts[-1].append(line)
    return parts


def _keys(lines: Sequence[NoteLine]) -> set[str]:
    return {line.key.casefold() for line in lines if not line.heading} - {""}


def _shared(parts: Sequence[Sequence[NoteLine]]) -> set[str]:
    """The keys that several parts have."""
    return {
        key
        for key, number in Counter(key for part in parts for key in _keys(part)).items()
        if number > 1
    }


def about(lexicon: Lexicon, note: Sequence[NoteLine]) -> str:
    """The class of the thing that a note is about; "" where it cannot be told.

    It is the class that the title or a key like "type" names, else the most general one with the
    most properties that are called like the note's keys, else, for a list, the root of the
    ontology.
    """
    named = [
        line.key if line.heading else line.value
        for line in note
        if line.key and (line.heading or line.key.casefold() in KINDS)
    ]
    if cls := next(filter(None, map(lexicon.class_called, named)), ""):
        return cls
    keys = [words(line.name) for line in note if line.key and not line.heading]
    known = {cls: sum(key in lexicon.keys_of(cls) for key in keys) for cls in lexicon.creators}
    most = max(known.values(), default=0)
    if not most:
        return lexicon.root if not keys or any(line.item for line in note) else ""
    general = lexicon.most_general(cls for cls, number in known.items() if number == most)
    return lexicon.root if lexicon.root in general else general[0] if len(general) == 1 else ""


def rows(lexicon: Lexicon, passage: Passage) -> tuple[list[list[NoteLine]], str]:
    """The rows of a passage's tables as notes with the header's keys, and the text without them.

    A row is called by its column of names, else by the first one that names no class. One that is
    about nothing of the ontology stays in the text, which keeps its length.
    """
    found: list[list[NoteLine]] = []
    kept: list[str] = []
    header, above, at, given = _cells(passage.header), -1, passage.start, passage.text.split("\n")
    stating = {
        phrase
        for slot in lexicon.slots
        if not slot.is_object and not slot.is_number
        for phrase in slot.phrases
    }
    for raw, below in zip(given, [*given[1:], ""], strict=True):
        begin, at = at, at + len(raw) + 1
        cells = _cells(raw)
        if len(cells) > 1 and RULE.fullmatch(below):
            header, above = cells, len(kept)
        elif len(cells) < 2:
            header = []
        elif len(cells) == len(header) and not RULE.fullmatch(raw):
            ranks = [
                0 if key.casefold() in NAMING else 2 if key.casefold() in KINDS else 1
                for key in header
            ]
            title = ranks.index(min(ranks))
            keyed = [
                NoteLine(f"{key}: {cell}", begin, begin + len(raw), key=key, value=cell)
                for at_cell, (key, cell) in enumerate(zip(header, cells, strict=True))
                if key and cell and (at_cell != title or (ranks[title] and words(key) in stating))
            ]
            note = [
                NoteLine(cells[title], begin, begin + len(raw), heading=TITLE, key=header[title]),
                *keyed,
            ]
            if cells[title] and keyed and about(lexicon, note):
                found.append(note)
                raw = " " * len(raw)
                if above >= 0:
                    kept[above] = " " * len(kept[above])
        kept.append(raw)
    return found, "\n".join(kept)


def _cells(raw: str) -> list[str]:
    r"""The cells of a line of a Markdown table; a bar inside a cell is written ``\|``."""
    if "|" not in raw:
        return []
    bare = raw.strip().removeprefix("|").removesuffix("|")
    return [
        " ".join(_MARKUP.sub(" ", cell.replace("\\|", "|")).split())
        for cell in re.split(r"(?<!\\)\|", bare)
    ]

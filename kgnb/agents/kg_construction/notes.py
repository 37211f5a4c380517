"""Notes with a form: lines with their marks and keys, records under titles, rows of tables."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, zip_longest

from kgnb.agents.kg_construction.documents import Passage
from kgnb.agents.kg_construction.lexicon import BRACKET, Lexicon
from kgnb.agents.kg_construction.prose import (
    names_another,
    names_section,
    names_several,
    says_nothing,
    says_what_it_is,
)
from kgnb.agents.kg_construction.tables import MARKUP, RULE, TOTALS, CellReading, cells, repeating
from kgnb.kg.columns import NAMING
from kgnb.kg.words import words

TITLE = 1
KINDS = frozenset(("type", "class", "kind", "category", "typ", "art", "klasse", "classe", "genre"))
"""Keys whose value is the class of the thing."""
_ITEM = re.compile(
    r"^\s*(?:[-*•+]\s+(?:\[[ xX]\]\s+)?|(?P<number>\d{1,3})[.)]\s+|(?P<letter>\(?[a-z]\))\s+|\|\s*)?"
)
_KEY = re.compile(r"^([^\W\d][^:.;!?\n]{0,40}?)\s*:\s*(\S.*)$")
_COUNTED = re.compile(r"[\d½¼¾].*\s\w")
_VALUE = re.compile(r"[-+−]?\d+(?:[.,]\d+)*\s*[^\W\d]")
_RULE = re.compile(r"\s*(?:[^\w\s]|_\s*){3,}\s*")
_APART = re.compile(r"\S(?:\t| {3,})\s*\S")
_HEADER = re.compile(r"\b(?:page|seite|pagina|página)\s*\d+", re.IGNORECASE)
_LONGEST_TITLE = 80  # characters
_DEEPER = 2  # columns by which what belongs to the line above stands further in


@dataclass(frozen=True, slots=True)
class NoteLine:
    """One line without its markup; ``start`` and ``end`` are characters of the document."""

    text: str
    start: int
    end: int
    number: int | None = None
    heading: int = 0  # its level, 1 the highest; a heading without a text is nobody's title
    item: bool = False
    key: str = ""
    value: str = ""
    indent: int = 0
    gap: bool = False  # a blank line, a rule or a page break is above
    rule: bool = False  # a rule or a page break is above
    apart: bool = False  # its words stand in two columns
    tight: bool = False  # a title right below a line of another record
    cell: bool = False  # it is a cell of a table
    reading: CellReading | None = None  # of the value, where it is a cell of a table

    @property
    def name(self) -> str:
        """The key without a bracket, as in "height (mm)"."""
        return BRACKET.sub("", self.key)

    @property
    def bare(self) -> bool:
        """Whether it may be a title: no key, no item, no end of a sentence."""
        return not (
            self.key
            or self.item
            or self.heading
            or len(self.text) > _LONGEST_TITLE
            or self.text.endswith((".", "!", "?", ";", ",", ":"))
            or not self.text[:1].isalpha()
        )


def parse_lines(text: str, start: int = 0) -> list[NoteLine]:
    """The lines of a text, blank ones and rules left out.

    >>> [(line.number, line.key, line.text) for line in parse_lines("# Soup\\nHut: Ambre\\n1. *Boil* it.")]
    [(None, '', 'Soup'), (None, 'Hut', 'Hut: Ambre'), (1, '', 'Boil it.')]
    """
    found: list[NoteLine] = []
    end, gap, rule = start, False, False
    for raw in text.split("\n"):
        begin, end = end, end + len(raw) + 1
        broken = "\f" in raw
        plain = raw.replace("\f", " ")
        if re.fullmatch(r"[\W_]*", plain):
            underlined = bool(found) and found[-1].end == begin - 1 and found[-1].bare
            if underlined and re.fullmatch(r"\s*([=~^+\-])\1{2,}\s*", plain):
                found[-1] = _as_title(found[-1])
            else:
                rule = rule or broken or bool(_RULE.fullmatch(plain))
            gap = True
            continue
        found.append(replace(_parsed(plain, begin), gap=gap or broken, rule=rule or broken))
        gap = rule = False
    return found


def _parsed(raw: str, start: int) -> NoteLine:
    marked = re.match(r"^\s*(#{1,6})\s+", raw)
    body = raw[marked.end() :] if marked else raw
    mark = _ITEM.match(body)
    assert mark  # it matches the empty text
    plain = " ".join(MARKUP.sub(" ", body[mark.end() :]).split())
    key, value = match.groups() if (match := _KEY.match(plain)) else ("", "")
    shown = raw.expandtabs(4)
    return NoteLine(
        plain,
        start,
        start + len(raw),
        number=_number(mark["number"], mark["letter"]),
        heading=len(marked[1]) if marked else 0,
        item=bool(mark[0].strip()),
        key=key,
        value=value,
        indent=len(shown) - len(shown.lstrip()),
        apart=bool(_APART.search(body.partition(": ")[2].strip() or body)),
    )


def _number(digits: str | None, letter: str | None) -> int | None:
    """The number that an item begins with: "2." and "b)" are 2."""
    if letter:
        return "abcdefghijklmnopqrstuvwxyz".index(letter.strip("()")) + 1
    return int(digits) if digits else None


def titled(lexicon: Lexicon, lines: Sequence[NoteLine], begins: bool) -> list[NoteLine]:
    """The lines with the titles that are not marked as headings. ``begins``: it is a text's beginning.

    Such a title is a bare line, or an item, with keyed lines below it; or the value of a key that
    names a class or a name: "Movie: The Salt Road". What follows a rule, a page break or a bare
    line that could be something else, and has no title, is nobody's: it gets a heading without a
    text.
    """
    repeated = {text for text, n in Counter(line.text for line in lines).items() if n > 1}
    marked = any(line.heading for line in lines)
    found: list[NoteLine] = []
    level = 0  # of the heading above
    for at, line in enumerate(lines):
        level = line.heading or level
        below = lines[at + 1] if at + 1 < len(lines) else None
        above = lines[at - 1] if at else None
        keyed = below is not None and bool(below.key) and not below.heading
        if line.item and not line.key and below is not None and keyed:
            # "1. Hochkar House" or "- Hochkar House" over lines of its own
            own = below.indent > line.indent + 1 or (line.number is not None and not below.item)
            found.append(replace(line, heading=level + 1) if own and not _ends(line) else line)
            continue
        own_title = level + 1 if marked else TITLE
        # the head of a page, or a label that several records have
        label = line.text in repeated or _HEADER.search(line.text)
        several = line.bare and keyed and bool(label)
        unnamed = line.rule and above is not None and not (line.bare and keyed)
        if several or (unnamed and not line.heading):
            found.append(_nobody(line, own_title))
        first = at == 0 and begins and not marked and any(map(_formed, lines))
        if several or not line.bare or not (keyed or first):
            found.append(line)
        elif above is None or line.gap or above.heading:
            found.append(replace(_as_title(line), heading=own_title))
        elif above.bare and not _HEADER.search(above.text):
            _name_run(found, own_title)
            found.append(line)
        elif line.text[0].islower():
            found.append(line)  # the line above goes on
        else:
            found.append(replace(_as_title(line), heading=own_title, tight=True))
    return _named_by_keys(lexicon, found, marked)


def _name_run(lines: list[NoteLine], level: int) -> None:
    """Makes the first of the bare lines at the end a title, or where it stands right below another
    line, nobody's.
    """
    at = len(lines) - 1
    while at and lines[at - 1].bare and not lines[at].gap:
        at -= 1
    if at and lines[at - 1].heading and lines[at - 1].end + 1 == lines[at].start:
        return
    if not at or lines[at].gap:
        lines[at] = replace(_as_title(lines[at]), heading=level)
    else:
        lines.insert(at, _nobody(lines[at], level))


def _ends(line: NoteLine) -> bool:
    return line.text.endswith((".", "!", "?", ";", ","))


def _nobody(line: NoteLine, level: int) -> NoteLine:
    return NoteLine("", line.start, line.start, heading=level or TITLE, rule=line.rule)


def _named_by_keys(lexicon: Lexicon, lines: Sequence[NoteLine], marked: bool) -> list[NoteLine]:
    """The lines with titles made of keys that name a thing, or in a text without a title its class.

    Such a key is no property of the ontology. It is the first or the last line of its record; a
    paragraph where it is neither, or that has a title besides, is nobody's.
    """
    stated = {phrase for slot in lexicon.slots for phrase in slot.phrases}
    untitled = not any(line.heading for line in lines)
    found: list[NoteLine] = []
    level = 0
    for paragraph in _paragraphs(lines):
        first, title = paragraph[0], found[-1] if found and found[-1].heading else None
        level = max([level, *(line.heading for line in paragraph)]) if marked else 0
        keys = set[str]()
        if untitled and first.key and not first.item and words(first.key) not in stated:
            kind = lexicon.class_called(first.key)
            head = (
                lexicon.slot(kind, first.value) if kind else None
            )  # "Orchard | Grower" is a header
            keys = {first.key} if kind and head is None else keys
        naming = [
            at
            for at, line in enumerate(paragraph)
            if line.key in keys
            or (line.key.casefold() in NAMING and words(line.key) not in stated)
            and line.indent < first.indent + _DEEPER
            and not (title and title.text == line.value)
        ]
        ends = [at + 1 for at in naming]
        if not naming or (len(naming) == 1 and not title):
            cuts = [0, len(paragraph)]
        elif naming[0] == 0:
            cuts = [*naming, len(paragraph)]
        elif ends[-1] == len(paragraph) and not title:
            cuts = [0, *ends]
        else:
            found += [_nobody(first, level + 1), *paragraph]
            continue
        for begin, end in zip(cuts, cuts[1:], strict=False):
            part = paragraph[begin:end]
            names = [line for at, line in enumerate(part, begin) if at in naming][:1]
            for line in names:
                named = replace(_as_title(replace(line, text=line.value)), heading=level + 1)
                kept = line.key in keys
                found.append(replace(named, key=line.key, value=line.value) if kept else named)
            found += [line for line in part if line not in names]
    return found


def _paragraphs(lines: Sequence[NoteLine]) -> list[list[NoteLine]]:
    """The lines, cut at gaps and at headings, each of which stands alone."""
    found: list[list[NoteLine]] = []
    for line in lines:
        if line.gap or line.heading or not found or found[-1][-1].heading:
            found.append([])
        found[-1].append(line)
    return found


def _as_title(line: NoteLine) -> NoteLine:
    return NoteLine(line.text, line.start, line.end, heading=TITLE, gap=line.gap, rule=line.rule)


WHOSE = "whose is it? It stands under no title that is a thing's, or under one of another thing"


def records(lexicon: Lexicon, lines: Sequence[NoteLine]) -> list[list[NoteLine]]:
    """The notes that follow one another in a text, each with its title.

    Headings begin notes of their own at the highest level where two of them have a key in common. A
    further heading of the first one's level is part of the note above only where it names one of
    its properties or has nothing to state below it; what else stands there may be about another
    thing, and is left out. A heading that only names a class above other headings says what those
    are: in "## Sculptures", "### Blue Horse" the horse gets the key "Sculptures". What stands below
    "See also", "References" or "Notes" is left out, unless the ontology has a word of that name.
    """
    kept: list[NoteLine] = []
    kind, level = "", 0  # of the section the lines stand in, and of the headings in it
    unnamed = False  # whether the heading above is no thing's
    for line, following in zip_longest(lines, lines[1:]):
        after = following.heading if following else 0
        if 0 < line.heading < after and lexicon.class_called(line.text):
            kind, level = line.text, after
            continue
        unnamed = _is_section(lexicon, line) if line.heading else unnamed
        if unnamed:
            continue
        kind = "" if 0 < line.heading < level else kind
        kept.append(replace(line, key=kind, value="") if kind and line.heading == level else line)
    if not kept:
        return []
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
    shared, found = _shared(parts), list[list[NoteLine]]()
    several = sum(bool(_keys(part)) for part in parts) > 1
    before: set[str] = set()
    for part in parts:
        title, keys = part[0], _keys(part)
        if not found:
            # keys above the first title, and all of it with several records, are nobody's
            begin = next((at for at, line in enumerate(part) if line.heading), 0)
            if part[begin].text or not part[begin].heading:
                found.append(part[begin:] if several or _keys(part[:begin]) else part)
        elif not title.text:
            if not (several or keys & _keys(found[-1])):
                found[-1] += part[1:]
        elif not lexicon.class_called(title.text) and (
            keys & (before if title.tight else shared) or (keys and not before)
        ):
            found.append([replace(title, heading=TITLE), *part[1:]])
        elif not keys and (_lists(lexicon, found[-1], title) or not any(map(_formed, part[1:]))):
            found[-1] += part
        before = before | keys if not title.text else keys or before
    return [note for note in found if any(line.text for line in note)]


def _is_section(lexicon: Lexicon, line: NoteLine) -> bool:
    named = words(line.text)
    stated = any(named in slot.phrases for slot in lexicon.slots)
    return names_section(line.text) and not stated and not lexicon.class_called(line.text)


def _formed(line: NoteLine) -> bool:
    return bool(line.item or line.key or line.number is not None)


def _lists(lexicon: Lexicon, note: Sequence[NoteLine], title: NoteLine) -> bool:
    """Whether a heading announces values of a property of what a note is about."""
    cls = about(lexicon, note)
    return bool(cls) and lexicon.slot(cls, title.text, plural=True) is not None


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


def own_lines(lexicon: Lexicon, note: Sequence[NoteLine], cls: str) -> list[NoteLine]:
    """The lines of a note that are about its thing: no keys that stand further in than others, in
    a list below "Queen:", or below a heading within the note that names none of its properties.
    """
    found: list[NoteLine] = []
    base: int | None = None
    titles = [at for at, line in enumerate(note) if line.heading]
    anothers = listed = False
    for at, line in enumerate(note):
        if line.heading and at != titles[0]:
            anothers = lexicon.slot(cls, line.text, plural=True) is None
        listed = line.text.endswith(":") or (listed and line.item)
        if line.key and not line.heading:
            base = line.indent if base is None else base
            if anothers or listed or line.indent >= base + _DEEPER:
                continue
        found.append(line)
    return found[: _anothers(lexicon, found)]


def _anothers(lexicon: Lexicon, note: Sequence[NoteLine]) -> int:
    """Where sentences between two keys begin that name another thing: what follows may be about
    that.
    """
    last = max((at for at, line in enumerate(note) if line.key and not line.heading), default=0)
    known = note[0].text if note and note[0].heading else ""
    begin, stated = 0, False  # of the lines without a key, and whether one with a key is above
    for at, line in enumerate(note[:last]):
        if line.heading or line.key:
            begin, stated = 0, not line.heading
            continue
        begin = at if line.item else begin or at
        goes_on = line.text[:1].islower()
        told = (_ends(line) or goes_on) and line.number is None and not _COUNTED.match(line.text)
        sentence = " ".join(one.text for one in note[begin : at + 1])
        if stated and told and names_another(lexicon, sentence, known):
            part = note[begin].text[:1].islower() and not note[begin].gap
            return begin - part  # a value may go on in it
    return len(note)


def title_of(note: Sequence[NoteLine]) -> str:
    """The text of the first heading."""
    return next((line.text for line in note if line.heading), "")


def in_doubt(lexicon: Lexicon, note: Sequence[NoteLine], cls: str) -> str:
    """Why a note may be about several things, as two columns read line by line are; "" where it is
    about one.
    """
    title = title_of(note)
    if title and says_nothing(title):
        return f"{title} is no name: which thing is it?"
    if names_several(lexicon, title):
        return f"{title}: is it one thing, or several?"
    if _counts(lexicon, cls, title):
        return f"{title}: is it a name, or does it say more?"
    keyed = [line for line in note if line.key and not line.heading]
    last: dict[str, int] = {}
    for at, line in enumerate(keyed):
        slot = lexicon.slot(cls, line.name)
        name = slot.iri if slot else line.key.casefold()
        single = slot is None or not slot.is_object or slot.is_number
        if name in last and (single or last[name] < at - 1):
            return f"{line.key} comes again: is it one thing, or several?"
        last[name] = at
        kind = slot is None and lexicon.class_called(line.name)
        if kind and any(lexicon.slot(kind, other.name) for other in keyed[at + 1 :]):
            return f"is what follows {line.key} about it?"
    for above, line, below in zip(note, note[1:], note[2:], strict=False):
        plain = not (
            line.key or line.heading or line.number or _ends(line) or line.text[0].islower()
        )
        between = line.item or (above.key and not above.heading)
        if (
            plain
            and between
            and below.key
            and below.item == line.item
            and (": " in line.text or not _COUNTED.match(line.text))
        ):
            return f"{line.text} stands between keys: is what follows about it?"
    for line in note:
        if beside := _second_key(lexicon, line, keyed) or (line.apart and "other words"):
            return f"{line.key or line.text} and {beside} stand on one line: is it one thing, or two columns?"
    lists = [0, 0]
    for section in _sections(note):
        lists[0] += any(line.number == 1 for line in section)
        lists[1] += any(line.item and _COUNTED.match(line.text) for line in section)
    several = max(lists) > 1
    return "there are two lists of one form: is it one thing, or several?" if several else ""


def _counts(lexicon: Lexicon, cls: str, title: str) -> bool:
    """Whether a title has a number beside the name of a numeric property: "Tern - 23 cabins"."""
    said = words(title)
    counted = {phrase for slot in lexicon.of(cls) if slot.is_number for phrase in slot.phrases}
    beside = [one for pair in pairwise(said) for one in (pair, pair[::-1])]
    return any(number.isdecimal() and (name,) in counted for number, name in beside)


def _second_key(lexicon: Lexicon, line: NoteLine, keyed: Sequence[NoteLine]) -> str:
    """A key of the note or of the ontology that comes again inside a value."""
    known = {words(other.key) for other in keyed}
    for match in re.finditer(r"(\w[^:,;.|\n]{0,40}?)\s*:(?=\s)", line.value or line.text):
        said = words(match[1])
        for size in range(1, len(said) + 1):
            if said[-size:] in known or any(said[-size:] in slot.phrases for slot in lexicon.slots):
                return " ".join(said[-size:])
    return ""


def _sections(note: Sequence[NoteLine]) -> list[list[NoteLine]]:
    """The lines of a note below its headings, and those of every other stretch that a bare line
    above a list or a list that begins anew sets apart.
    """
    found: list[list[NoteLine]] = [[]]
    stretch = found[0]
    for line, below in zip_longest(note, note[1:]):
        if line.heading or line.text.endswith(":"):
            stretch = found[0]
            continue
        heads = line.bare and below is not None and below.item
        again = line.number == 1 and any(one.number is not None for one in stretch)
        if heads or again:
            stretch = []
            found.append(stretch)
        stretch.append(line)
    return found


def same_names(notes: Sequence[Sequence[NoteLine]]) -> set[int]:
    """The numbers of the notes that share their title with another one that says something else
    by the same key.
    """
    by_title: dict[tuple[str, ...], list[int]] = {}
    for at, note in enumerate(notes):
        named = title_of(note)
        by_title.setdefault(words(named), []).append(at)
    found: set[int] = set()
    for title, group in by_title.items():
        said = [{line.key.casefold(): line.value for line in notes[at] if line.key} for at in group]
        differ = any(
            one[key] != other[key] for one in said for other in said for key in one.keys() & other
        )
        if title and differ:
            found |= set(group)
    return found


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
    own = own_lines(lexicon, note, "")
    keys = [line.name for line in own if line.key and not line.heading]
    known = {
        cls: sum(words(key) in lexicon.keys_of(cls) for key in keys) for cls in lexicon.creators
    }
    if keys and not any(known.values()):  # all in the plural: "Owners: A and B"
        known = {cls: sum(lexicon.lists(cls, key) is not None for key in keys) for cls in known}
    most = max(known.values(), default=0)
    if not most:
        title = title_of(note)
        plain = not _keys(note) and not any(line.item for line in note)
        told = plain and any(says_what_it_is(lexicon, title, line.text) for line in note[1:])
        return lexicon.root if told or _in_form(lexicon, lexicon.root, note) else ""
    general = lexicon.most_general(cls for cls, number in known.items() if number == most)
    return lexicon.root if lexicon.root in general else general[0] if len(general) == 1 else ""


def _in_form(lexicon: Lexicon, cls: str, note: Sequence[NoteLine]) -> bool:
    """Whether a note without keys has the steps, the amounts or a list that a class is described by."""
    return any(
        (line.number is not None and lexicon.steps(cls))
        or (line.item and _COUNTED.match(line.text) and lexicon.amounts(cls))
        or ((line.heading or line.text.endswith(":")) and lexicon.slot(cls, line.text, plural=True))
        for line in note[1:]
    )


FORM = "keys and values stand side by side in this table: which belong to one thing?"


def rows(
    lexicon: Lexicon, passage: Passage
) -> tuple[list[list[NoteLine]], list[list[NoteLine]], str]:
    """The rows of a passage's tables as notes with the header's keys, those of forms, and the text
    without the notes.

    A row is called by its column of names, else by the first one that names no class. One that is
    about nothing of the ontology stays in the text, which keeps its length; so do all rows of a
    form, where keys stand beside their values.
    """
    found: list[list[NoteLine]] = []
    kept: list[str] = []
    header, above, at, given = cells(passage.header), -1, passage.start, passage.text.split("\n")
    before: list[str] = []  # the row above
    of_forms, forms = _forms(lexicon, given, header), list[list[NoteLine]]()
    stating = {
        phrase
        for slot in lexicon.slots
        if not slot.is_object and not slot.is_number
        for phrase in slot.phrases
    }
    counting = {phrase for slot in lexicon.slots if slot.is_number for phrase in slot.phrases}
    for number, (raw, below) in enumerate(zip(given, [*given[1:], ""], strict=True)):
        begin, at = at, at + len(raw) + 1
        row = before = repeating(cells(raw), before)
        if len(row) > 1 and RULE.fullmatch(below):
            header, above = row, len(kept)
        elif RULE.fullmatch(raw):
            pass
        elif len(row) < 2:
            header = []
        elif len(row) == len(header):
            ranks = [
                0
                if key.casefold() in NAMING
                else 2
                if key.casefold() in KINDS
                else 3
                if words(key) in counting
                else 1
                for key in header
            ]
            title = ranks.index(min(ranks))
            keyed = [
                NoteLine(
                    f"{key}: {cell}",
                    begin,
                    begin + len(raw),
                    key=key,
                    value=cell,
                    cell=True,
                    reading=passage.readings.get((tuple(header), at_cell, cell)),
                )
                for at_cell, (key, cell) in enumerate(zip(header, row, strict=True))
                if key and cell and (at_cell != title or (ranks[title] and words(key) in stating))
            ]
            note = [
                NoteLine(row[title], begin, begin + len(raw), heading=TITLE, key=header[title]),
                *keyed,
            ]
            sums = words(row[title]) in TOTALS and not cells(below)
            cls = about(lexicon, note)
            keys = lexicon.keys_of(cls) if cls else frozenset()
            # "400 g | stale bread" is a part of the thing above: bread has no amount
            part = 3 in ranks[:title] and not any(words(one.key) in keys for one in keyed)
            record = cls and words(row[title]) not in keys and number not in of_forms and not part
            named = ranks[title] < 3 and not says_nothing(row[title])  # a number is no name
            if keyed and not sums and record and named:
                found.append(note)
                raw = " " * len(raw)
                if above >= 0:
                    kept[above] = " " * len(kept[above])
        if number in of_forms:
            forms += [] if forms and number - 1 in of_forms else [[]]
            forms[-1].append(NoteLine(raw, begin, at - 1))
        kept.append(raw)
    return found, forms, "\n".join(kept)


def _forms(lexicon: Lexicon, lines: Sequence[str], header: list[str]) -> set[int]:
    """The numbers of the rows that are of a form, whose cells are keys and values in turn, or of a
    table with two columns of one name.

    All rows of a table are where its header has a number beside a key or a name twice, or half of
    the rows have a key; else those that have one.
    """
    keys = {phrase for slot in lexicon.slots for phrase in slot.phrases} | {*map(words, NAMING)}
    found: set[int] = set()
    above: list[int] = []  # the header and the rule below it
    table: list[int] = []
    keyed: set[int] = set()
    whole = _is_form(header, keys)
    for at, (line, below) in enumerate(zip_longest(lines, lines[1:], fillvalue="")):
        row = cells(line)
        if len(row) > 1 and RULE.fullmatch(below):
            header, whole, above = row, _is_form(row, keys), [at, at + 1]
        elif not RULE.fullmatch(line) and len(row) == len(header) > 0:
            table.append(at)
            keyed |= {at} if any(words(cell) in keys for cell in row) else set()
        if (len(row) < 2 or not below) and table:
            found |= {*above, *table} if whole or 2 * len(keyed) >= len(table) else keyed
            table, keyed, above = [], set(), []
    return found


def _is_form(header: Sequence[str], keys: set[tuple[str, ...]]) -> bool:
    """Whether the first row of a table has a name twice, or a number beside the name of a property."""
    named = [words(cell) for cell in header if words(cell)]
    beside = zip(header, header[1:], strict=False)
    valued = any(words(key) in keys and _VALUE.match(value) for key, value in beside)
    return valued or len({*named}) < len(named)

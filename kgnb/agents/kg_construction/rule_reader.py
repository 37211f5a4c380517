"""The reader without a model: it reads what has a form, in the words of the ontology, and leaves
the rest to a person.

A document is a sequence of notes (``notes``), each about one thing. A line of a note is read by the
first of these that fits it:

1. ``key: value``: the property of that name;
2. a numbered line: a member of the order that a property leads to, with the amounts and the known
   things it names;
3. "400 g barley": an amount, where a property leads to amounts of things;
4. "Serves 12": a number and the name of a numeric property, and nothing else;
5. an item below a heading or a line with a colon: a value of the property which that names.

It knows nothing of any domain and writes through the same tools as a model. A wrong triple is worse
than a missing one: what could be read in two ways is left to a person.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby, zip_longest

from babel.numbers import NumberFormatError, parse_decimal

from kgnb.agents.kg_construction.documents import Passage
from kgnb.agents.kg_construction.lexicon import BRACKET, Lexicon, Phrase, Slot
from kgnb.agents.kg_construction.notes import (
    FORM,
    KINDS,
    TITLE,
    WHOSE,
    NoteLine,
    about,
    in_doubt,
    own_lines,
    parse_lines,
    records,
    rows,
    same_names,
    titled,
)
from kgnb.agents.kg_construction.pack import ToolPack
from kgnb.agents.kg_construction.prose import says_nothing
from kgnb.agents.kg_construction.readers import PassageTask
from kgnb.agents.kg_construction.tool_values import CallResult
from kgnb.agents.kg_construction.workspace import Doubt, Workspace
from kgnb.kg.terms import XSD
from kgnb.kg.words import words
from kgnb.shapes.phrases import a_noun
from kgnb.shapes.units import converted, unit_after, unit_key

_NUMBER = r"[-+]?\d+(?:[.,]\d+)*(?:/\d+)?"
_GROUPED = re.compile(r"(?<![\d.,])\d{1,3}(?:[\s'’]\d{3})+(?!\d)")
_MEASURE = re.compile(rf"(?P<before>\D*?)(?P<number>{_NUMBER})(?P<after>\D*)")
_AMOUNT = re.compile(
    rf"(?<![\w.,])(?P<number>{_NUMBER})(?P<range>(?:\s*[^\s\d]{{1,10}})?\s*(?:[-–—x×]|to\b|bis\b|à\b)\s*{_NUMBER})?"
)
_SHORT = re.compile(r"\s*[a-z]{1,2}\.?\s*", re.IGNORECASE)
_NOT = frozenset(
    "not never cannot don nicht nie niemals kein keine keinen keiner pas jamais".split()
)  # noqa: SIM905
_UNREAD = (
    "sentences need a model (KGNB_MODEL, %llm use): without one, only tables, lists and "
    "'key: value' lines in the ontology's words are read"
)

_DATE = f"{XSD}date"

Entity = tuple[str, str]
"""The IRI and the class of an entity."""


@dataclass(frozen=True)
class RuleReader:
    """Reads a whole passage in the first step of the plan."""

    name: str
    lexicon: Lexicon

    def read(self, task: PassageTask, workspace: Workspace) -> None:
        """Writes what the passage says in a known form; what was not read becomes doubts."""
        if task.prompt.step.number != 1:
            return
        passage, names = task.passage, DocumentNames()
        workspace.begin()  # no call repairs another
        for one in workspace.entities.values():
            names.add(one.label, (one.iri, one.term))
        tables, forms, rest = rows(self.lexicon, passage)
        for form in forms:
            _doubt_note(form, passage, workspace, FORM)
        parsed = parse_lines(rest, passage.start)
        lines = titled(self.lexicon, parsed, passage.number == 1)
        notes = [*records(self.lexicon, lines), *tables]
        again = same_names(notes)
        in_rows = {about(self.lexicon, table) for table in tables}
        for at, note in enumerate(notes):
            formed = [line for line in note if line.heading or line.key or line.item]
            in_sentences = len(note) < 2 or len(formed) < len(note) / 2
            cls = "" if in_sentences else about(self.lexicon, note)
            own = own_lines(self.lexicon, note, cls)
            why = in_doubt(self.lexicon, own, cls) if cls else ""
            if cls and note not in tables:
                read = {line.key for line in own if not line.heading}
                other = {line.key for line in note if not line.heading} - read - {""}
                # a heading above the things, or above a table of them, is none of them
                above = any(self.lexicon.is_a(row, cls) for row in in_rows)
                why = WHOSE if above or (other and not any(read)) else why
            if why or (cls and at in again):
                _doubt_note(note, passage, workspace, why or _SAME_NAME)
            elif cls:
                _Note(self.lexicon, workspace, passage, own, cls, names).read()
        _doubt_unread(self.lexicon, lines, passage, workspace)


def rule_reader(pack: ToolPack) -> RuleReader:
    """The reader without a model, for one pack."""
    return RuleReader(f"rule of {pack.name}" if pack.name else "rule", Lexicon(pack))


_SAME_NAME = "two records of this name say different things: is it one thing, or two?"


def _doubt_note(
    note: Sequence[NoteLine], passage: Passage, workspace: Workspace, why: str, text: str = ""
) -> None:
    """Leaves a note to a person as a whole, or the ``text`` of some of it."""
    start, end = min(line.start for line in note), max(line.end for line in note)
    text = _shown(text or passage.text[start - passage.start : end - passage.start])
    workspace.doubts.append(Doubt(passage.document, start, end, "", {"text": text}, why))


def _shown(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= 200 else f"{plain[:200]}…"


def _doubt_unread(
    lexicon: Lexicon, lines: Sequence[NoteLine], passage: Passage, workspace: Workspace
) -> None:
    """Leaves to a person what neither a call nor a doubt is about: sentences in one doubt."""
    used = [(one.start, one.end) for one in workspace.acts if one.end > passage.start]
    used += [(one.start, one.end) for one in workspace.doubts if one.end > passage.start]
    named_already = {words(one.label) for one in workspace.entities.values()}

    def unread(line: NoteLine) -> bool:
        read = any(start < line.end and end > line.start for start, end in used)
        named = line.text.endswith(":") or (line.heading and ": " not in line.text)
        named = named or words(line.text) in named_already
        return not (read or named or line.key.casefold() in KINDS)

    keys = {phrase for slot in lexicon.slots for phrase in slot.phrases}
    sentences: list[NoteLine] = []
    for free, group in groupby(lines, unread):
        stretch = list(group) if free else []
        if any(words(line.name) in keys for line in stretch if line.key):
            _doubt_note(stretch, passage, workspace, WHOSE)
        else:
            sentences += stretch
    if sentences:
        said = " ".join(line.text for line in sentences)
        _doubt_note(sentences, passage, workspace, _UNREAD, said)


class _Note:
    """Reads one note about a thing of class ``cls``."""

    def __init__(
        self,
        lexicon: Lexicon,
        workspace: Workspace,
        passage: Passage,
        lines: Sequence[NoteLine],
        cls: str,
        names: DocumentNames,
    ) -> None:
        self.lexicon, self.workspace, self.passage = lexicon, workspace, passage
        self.lines, self.cls, self.names = lines, cls, names
        self.free = True  # whether lines without a key are still about the thing
        self.counted: dict[str, float | str] = {}  # the number of each property
        self.comma = decimal_comma(passage.text, lexicon.decimal_comma)
        self.root = self._root()

    def read(self) -> None:
        """Reads the lines in order, each by the first form that fits."""
        listed: Slot | None = None  # the property that the items of a list are values of
        begun = False  # whether the list has an item
        lines = self.lines[self.lines[0].heading == TITLE :]
        for line, below in zip_longest(lines, lines[1:]):
            if line.heading or line.text.endswith(":"):
                listed, begun = self._listed(line), False
                continue
            if listed and line.key and (line.item or not begun):
                continue  # below "Warden", "phone: 12" is the warden's
            unlike = below and not (below.key or below.item or below.heading or below.gap)
            goes_on = below and unlike and below.text[:1].islower()
            if line.key and (goes_on or line.value.endswith(",")):
                self._doubt(line, {line.key: line.value}, "it may go on in the next line")
                continue
            listed, begun = listed if line.item else None, True
            if not self.root or self._keyed(line) or (self.free and self._formed(line)):
                continue
            elif listed:
                self._value(listed, line.text, line)
            elif line.key:
                self._unused(line)
            elif line.bare and line.gap and not (below is not None and below.item):
                self.free = False  # another thing may begin here

    def _formed(self, line: NoteLine) -> bool:
        """Whether a line without a key was read."""
        return self._step(line) or self._amount(line) or self._count(line)

    def _root(self) -> str:
        """The thing the note is about, called like its title; in a later passage without one, the
        only one so far.
        """
        title = next((line for line in self.lines if line.heading), None)
        if self.passage.number > 1 and not (title and title.heading == TITLE):
            known = [
                entity.iri for entity in self.workspace.entities.values() if entity.term == self.cls
            ]
            return known[0] if len(known) == 1 else ""
        if not title:
            return ""
        called = title.value if title.value and self.lexicon.class_called(title.key) else title.text
        return self._create(self.cls, called, title)

    def _create(self, cls: str, label: str, line: NoteLine, **more: object) -> str:
        """A new entity; the property that holds its name gets the label too, unless a key of the
        note states it.
        """
        tool, naming = self.lexicon.creators[cls], self.lexicon.naming_argument(cls)
        keys = (
            {words(one.key) for one in self.lines if one.key and not one.heading}
            if line.heading
            else set()
        )
        if naming and not keys.intersection(self.lexicon.phrases(naming.property)):
            more[naming.name] = label
        result = self._call(tool.name, line, label=label, **more)
        if result.ok and "within" not in more:  # texts do not refer to a part by its name
            self.names.add(label, (result.iri, cls))
        return result.iri

    def _call(self, tool: str, line: NoteLine, **arguments: object) -> CallResult:
        quote = self.passage.text[line.start - self.passage.start : line.end - self.passage.start]
        return self.workspace.call(tool, arguments, self.passage, quote)

    def _state(self, slot: Slot, line: NoteLine, value: object, subject: str = "") -> None:
        """States a value of a property, of the thing the note is about or another."""
        self._call(
            slot.tool.name, line, **{"subject": subject or self.root, slot.value.name: value}
        )

    def _doubt(
        self, line: NoteLine, said: Mapping[str, str], reason: str, written: bool = False
    ) -> None:
        place = self.passage.document, line.start, line.end
        self.workspace.doubts.append(Doubt(*place, "", said, reason, written=written))

    # "Hut: Refuge de la Sorne"
    # ---------------------------------------------------------------------------------------

    def _keyed(self, line: NoteLine) -> bool:
        """A key that names a property, with or without a unit: "height (mm): 215"; or several things
        that it leads to: "Suppliers: A and B".
        """
        slot = self.lexicon.slot(self.cls, line.key) if line.key else None
        bracket = BRACKET.search(line.key)
        if slot is None and bracket:
            slot = self.lexicon.slot(self.cls, line.name)
        several = None if slot or not line.key else self.lexicon.lists(self.cls, line.name)
        if several:
            self._value(several, line.value, line, several=True)
        elif slot:
            self._value(slot, line.value, line, bracket[1] if bracket else "")
        return bool(slot or several)

    def _listed(self, line: NoteLine) -> Slot | None:
        """The property whose values a heading or a line such as "Suppliers:" announces."""
        slot = self.lexicon.slot(self.cls, line.text, plural=True) if self.root else None
        formed = [
            leads for leads, *_ in (*self.lexicon.steps(self.cls), *self.lexicon.amounts(self.cls))
        ]
        return None if slot is None or slot.is_number or slot in formed else slot

    def _unused(self, line: NoteLine) -> None:
        """Leaves a key that names no property to a person, once a document."""
        named = line.key.casefold() in KINDS and self.lexicon.class_called(line.value)
        noted = any(not one.tool and line.key in one.arguments for one in self.workspace.doubts)
        if not named and not noted:
            kind = self.lexicon.pack.tbox.label(self.cls)
            reason = (
                f"key not used: {line.key} ({a_noun(kind)} {kind} has no property of that name)"
            )
            self._doubt(line, {line.key: line.value}, reason)

    def _value(
        self, slot: Slot, text: str, line: NoteLine, unit: str = "", several: bool = False
    ) -> None:
        """States what a text says as a value of a property; ``unit`` is the unit in its key, and
        ``several``: the key is in the plural.
        """
        if says_nothing(text) and words(text) not in self._listed_values(slot):
            if not line.cell:
                self._doubt(line, {line.key or slot.tool.label: text}, "it says that none is known")
            return
        if not slot.is_object:
            read = line.reading
            if read and slot.is_number and read.doubt:
                self._doubt(line, {line.key: text}, f"two readings: {read.doubt}?")
                return
            if read and (slot.is_number or slot.value.datatypes == (_DATE,)):
                text = read.value
            comma = self.comma and not read
            number = self._measured(slot, text, comma, unit) if slot.is_number else None
            if number is not None:
                self.counted[slot.iri] = number
                self._aside(line, " ".join(filter(self._unsaid(slot), BRACKET.findall(text))))
            self._state(slot, line, text.strip(" .") if number is None else number)
            return
        names = self._names(text, slot, several)
        if not names:
            self._doubt(
                line,
                {line.key or slot.tool.label: text},
                "one name, several or none? Write each on a line",
            )
        for name in names:
            self._thing(name, line, slot)

    def _listed_values(self, slot: Slot) -> set[Phrase]:
        own = self.lexicon.individuals(slot.value.classes) if slot.is_object else {}
        return {*own, *(words(name) for name, _ in slot.value.choices)}

    def _unsaid(self, slot: Slot) -> Callable[[str], bool]:
        """Whether a bracket says more than the unit of a number or the name of its property."""
        own = {word for phrase in slot.phrases for word in phrase}
        return lambda aside: not (self.lexicon.unit(aside) or own.issuperset(words(aside)))

    def _aside(self, line: NoteLine, text: str) -> None:
        """Leaves to a person what a bracket says beside a value that was written."""
        if text:
            reason = f"written without what the brackets say: {_shown(text)}"
            said = {line.key or "text": line.value or line.text}
            self._doubt(line, said, reason, written=True)

    def _names(self, text: str, slot: Slot, several: bool = False) -> list[str]:
        """One name, or several where each is known or ";" parts them, or with ``several`` where "and"
        stands before the last; none where the text could be either.
        """
        individuals = self.lexicon.individuals(slot.value.classes)

        def known(name: str) -> bool:
            fits = any(
                self.lexicon.is_a(kind, *slot.value.classes)
                for _, kind in self.names.called(words(name))
            )
            return fits or bool(individuals.get(words(name)))

        between = rf"\s+(?:{self.lexicon.conjunction})\s+"
        listed = list(filter(None, re.split(r"\s*;\s+", text.strip(" ."))))
        parts = list(filter(None, re.split(rf"\s*[,;]\s+|\s/\s|{between}", text.strip(" ."))))
        if _NOT.intersection(words(text)):
            return []
        if (
            len(parts) < 2
            or known(text)
            or self.lexicon.pack.tbox.has_trait(slot.iri, "Functional")
        ):
            return [text]
        # "Kern, I. and Ott, L." are two
        last = re.split(between, text.strip(" ."))[-1].strip() == parts[-1]
        whole = several and last and all(len(part.rstrip(".")) > 1 for part in parts)
        if all(map(known, parts)) or whole:
            return parts
        return listed if len(listed) == len(parts) else []

    def _thing(self, text: str, line: NoteLine, slot: Slot) -> None:
        """States an entity as a value: one of the ontology's own, or a new one.

        A bracket after a new name says one of its listed values: "barley soup (soup)".
        """
        own = self.lexicon.individuals(slot.value.classes).get(words(text), "")
        if own or not slot.makes:  # what is not on the list is refused, and reviewed
            self._state(slot, line, own or text)
            return
        name, _, aside = (
            text.removesuffix(")").rpartition(" (") if text.endswith(")") else (text, "", "")
        )
        if iri := self._create(slot.makes[0], name.strip(" ."), line):
            self._state(slot, line, iri)
            stated = [
                (other, choice)
                for other in self.lexicon.of(slot.makes[0])
                for choice, _ in other.value.choices
                if aside and words(choice) == words(aside)
            ]
            for other, choice in stated:
                self._state(other, line, choice, iri)
            self._aside(line, "" if stated else aside)

    def _measured(self, slot: Slot, text: str, comma: bool, unit: str = "") -> float | str | None:
        """The number of a text with its unit, if nothing else stands there but words of the
        property's name.

        None for "ca. 10", "20-30 cm", "3 people" and two different units.
        """
        plain = _GROUPED.sub(lambda m: re.sub(r"\D", "", m[0]), text.replace("−", "-"))
        match = _MEASURE.fullmatch(BRACKET.sub("", plain).strip(" .,;"))
        number = as_number(match["number"], comma) if match else None
        # "c. 1979" is no century
        if match is None or number is None or _SHORT.fullmatch(match["before"]):
            return None
        own = {word for phrase in slot.phrases for word in phrase}
        aside = [one for one in BRACKET.findall(plain) if self.lexicon.unit(one)]
        beside = [part.strip() for part in (match["before"], match["after"], unit, *aside)]
        units = {
            self.lexicon.unit(part)
            for part in beside
            if part and not (words(part) and own.issuperset(words(part)))
        }
        if not units:
            return number
        return f"{number} {units.pop()}" if len(units) == 1 and "" not in units else None

    def _count(self, line: NoteLine) -> bool:
        """A number and the name of a property, as in "Serves 12"."""
        for slot in self.lexicon.of(self.cls):
            if slot.is_number and any(
                find(phrase, words(line.text)) is not None for phrase in slot.phrases
            ):
                number = self._measured(slot, line.text, self.comma)
                if number is not None and self.counted.setdefault(slot.iri, number) != number:
                    self._doubt(
                        line, {slot.tool.label: line.text}, "another number was given above"
                    )
                    return True
                if number is not None:
                    self._state(slot, line, number)
                    return True
        return False

    # "400 g barley"
    # --------------------------------------------------------------------------------------------------

    def _amount(self, line: NoteLine) -> bool:
        """A number, a unit and a name, where a property leads to amounts of something."""
        match = _AMOUNT.match(line.text)
        number = as_number(match["number"], self.comma) if match else None
        if match is None or number is None:
            return False
        said = line.text[match.end("number") :].split()
        for leads, cls, amount, in_unit, thing in self.lexicon.amounts(self.cls):
            units = self.lexicon.units_of(in_unit.value.choices)
            for size in (3, 2, 1):
                if unit := units.get(unit_key(" ".join(said[:size]))):
                    name = re.sub(r"^(?:of|de|von)\s+", "", " ".join(said[size:])).strip(" .,")
                    iri = self._create(cls, line.text, line, within=self.root) if name else ""
                    of = self._create(thing.makes[0], name, line) if iri else ""
                    if of:
                        self._state(thing, line, of, iri)
                        self._state(amount, line, number, iri)
                        self._state(in_unit, line, unit, iri)
                        self._state(leads, line, iri)
                    return True
        return False

    # "1. Simmer for 20 minutes"
    # --------------------------------------------------------------------------------------

    def _step(self, line: NoteLine) -> bool:
        """A numbered line, where a property leads to members of an order."""
        if line.number is None or not (steps := self.lexicon.steps(self.cls)):
            return False
        leads, cls, number = steps[0]
        kind = self._kind(cls, line.text)
        place = [p.name for p in self.lexicon.creators[kind].parameters if p.property == number.iri]
        if _NOT.intersection(words(line.text)):  # "do not simmer" is no simmering
            self._doubt(line, {str(line.number): line.text}, "it says what not to do")
            return True
        more = dict.fromkeys(place, line.number)
        iri = self._create(kind, f"{line.number}. {line.text}", line, within=self.root, **more)
        if iri:
            self._state(leads, line, iri)
            self._quantities(iri, kind, line)
            for other, of in self.names.named_in(line.text):
                if slot := self.lexicon.leading(kind, of):
                    self._state(slot, line, other, iri)
        return bool(iri)

    def _kind(self, cls: str, text: str) -> str:
        """The subclass whose name comes first in a text, of several at one place the longest; else
        the class.
        """
        said, below = (
            words(text),
            self.lexicon.pack.tbox.below.get(cls, frozenset()) & self.lexicon.creators.keys(),
        )
        places = [
            (at, -len(phrase), one)
            for one in below - {cls}
            for phrase in self.lexicon.phrases(one)
            if (at := find(phrase, said)) is not None
        ]
        return min(places)[2] if places else cls

    def _quantities(self, iri: str, cls: str, line: NoteLine) -> None:
        """The amounts that a line names, as quantities or as values of the one property in such
        units.
        """
        for match in _AMOUNT.finditer(line.text):
            number = as_number(match["number"], self.comma) if not match["range"] else None
            unit = unit_after(line.text[match.end() :], self.lexicon.languages)
            kind, name = self.lexicon.quantities.get(unit, ("", ""))
            leading = self.lexicon.leading(cls, kind) if kind else None
            stating = [
                slot
                for slot in self.lexicon.of(cls)
                if unit
                and slot.is_number
                and converted(1, unit, self.lexicon.unit_of(slot.iri)) is not None
            ]
            if number is not None and leading:
                made = self._call(self.lexicon.creators[kind].name, line, value=number, unit=name)
                if made.ok:
                    self._state(leading, line, made.iri, iri)
            elif number is not None and len(stating) == 1:
                self._state(stating[0], line, f"{number} {unit}", iri)
            else:
                reason = (
                    "a range is not one number"
                    if match["range"]
                    else "no property takes this amount"
                )
                self._doubt(line, {"amount": match[0].strip(), "text": line.text}, reason)


@lru_cache(maxsize=1 << 12)
def _parsed(text: str, language: str) -> float | None:
    try:
        return float(parse_decimal(text.lstrip("+"), locale=language, strict=True))
    except NumberFormatError:
        return None


def as_number(text: str, comma: bool = False) -> float | None:
    """A number as people write it; ``comma`` says how to read one that two languages read
    differently.

    >>> [as_number(text) for text in ("3,5", "1,200", "1/2", "1.284,50", "2.5.1")], as_number("1,200", comma=True)
    ([3.5, 1200, 0.5, 1284.5, None], 1.2)
    """
    plain = text.replace(" ", "")
    if re.fullmatch(r"\d\d?/0*[1-9]\d?", plain):
        top, _, bottom = plain.partition("/")
        number: float | None = int(top) / int(bottom)
    else:
        found = [_parsed(plain, language) for language in (("de", "en") if comma else ("en", "de"))]
        number = next((one for one in found if one is not None), None)
    return int(number) if number is not None and number.is_integer() else number


def decimal_comma(text: str, otherwise: bool) -> bool:
    """Whether decimals follow a comma in a text, as its unambiguous numbers show.

    >>> decimal_comma("142,5 m² for 1.284 €", False), decimal_comma("1,284 m", False)
    (True, False)
    """
    found = [
        (_parsed(number, "de") is not None, _parsed(number, "en") is not None)
        for number in re.findall(_NUMBER, text)
    ]
    comma, point = (True, False) in found, (False, True) in found
    return comma if comma != point else otherwise


class DocumentNames:
    """The entities of a document by what they are called."""

    def __init__(self) -> None:
        self._called: dict[Phrase, dict[str, Entity]] = {}
        self._longest = 0

    def add(self, name: str, entity: Entity) -> None:
        """Notes what an entity is called; the first of a name keeps it."""
        if phrase := words(name):
            self._called.setdefault(phrase, {}).setdefault(name, entity)
            self._longest = max(self._longest, len(phrase))

    def called(self, phrase: Phrase) -> tuple[Entity, ...]:
        """The entities with a name of these words."""
        return tuple(self._called.get(phrase, {}).values())

    def named_in(self, text: str) -> Iterator[Entity]:
        """The entities that a text names, the longest names first; no word is part of two names.

        >>> names = DocumentNames()
        >>> names.add("red lentils", ("urn:lentils", "urn:Food"))
        >>> list(names.named_in("Rinse the red lentils."))
        [('urn:lentils', 'urn:Food')]
        """
        said, taken, seen = words(text), set[int](), set[Phrase]()
        for size in range(min(self._longest, len(said)), 0, -1):
            for at in range(len(said) - size + 1):
                phrase, place = said[at : at + size], set(range(at, at + size))
                if phrase in self._called and phrase not in seen and not taken & place:
                    taken |= place
                    seen.add(phrase)
                    yield min(self._called[phrase].items())[1]


def find(phrase: Phrase, said: Phrase) -> int | None:
    """Where a phrase begins in a text, both as words."""
    places = range(len(said) - len(phrase) + 1)
    return next((at for at in places if said[at : at + len(phrase)] == phrase), None)

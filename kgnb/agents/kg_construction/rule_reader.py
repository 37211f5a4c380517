"""The floor without a model: patterns compiled from the T-Box read notes with a form; plain sentences are for a model.

Keys and headings, lists of amounts, numbered steps, "X contains Y": whatever the words of the ontology (labels, other
names, units) point at. It knows nothing of any domain, and writes through the same tools as a model.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, partial
from itertools import accumulate, product

from kgnb.agents.kg_construction.documents import RULE, Passage
from kgnb.agents.kg_construction.pack import ToolPack
from kgnb.agents.kg_construction.readers import Task
from kgnb.agents.kg_construction.tool_values import CallResult, Parameter, ToolSpec
from kgnb.agents.kg_construction.workspace import Doubt, Workspace
from kgnb.kg.table_triples import NAMING
from kgnb.kg.terms import RDFS, SKOS, XSD, Iri, Literal, Term
from kgnb.kg.words import words
from kgnb.shapes.datatypes import locales
from kgnb.shapes.phrases import a_noun
from kgnb.shapes.units import converted, property_unit, unit_after, unit_key, unit_named

NUMBER = r"[-+]?\d+(?:[.,]\d+)*(?:\s*/\s*\d+)?"
_AMOUNT = re.compile(rf"(?<![\w.,])({NUMBER})\s*([^\W\d]+\.?|°\s?[A-Za-z]?|[^\s\w]{{1,2}})?")
_RANGE = re.compile(rf"{NUMBER}(?:\s*[^\s\d]{{1,10}})?\s*(?:[-–—x×]|to\b|bis\b|à\b)\s*{NUMBER}")
_NOT = frozenset("not never cannot nicht nie niemals kein keine keinen keiner pas jamais".split())  # noqa: SIM905
_CALLED = {(name,) for name in NAMING}
_KINDS = {"type", "class", "kind", "category", "typ", "art", "klasse", "classe", "genre"}
_ASIDE = re.compile(r"\s*\(([^()]*)\)\s*$")


@dataclass
class RuleReader:
    """Reads by patterns; made for one pack, the first it meets. The whole of a passage is read in the first step."""

    name: str = "rule"
    _lexicons: dict[int, Lexicon] = field(default_factory=dict, repr=False)

    def read(self, task: Task, workspace: Workspace) -> None:
        """Writes what patterns find in the passage, and leaves to a person what nothing was made of."""
        if task.prompt.step.number != 1:
            return
        lexicon = self._lexicons.setdefault(id(task.pack), Lexicon(task.pack))
        names = Names((str(one.arguments.get("label", "")), (one.iri, one.term)) for one in workspace.entities.values())
        table, rest = rows(task.passage, lexicon)
        every = lines(rest, task.passage.start, begins=task.passage.number == 1)
        whole, owner = records(sections(lexicon, every)), None
        for found in (*whole, *table):
            own = [line for line in found if not line.aside]
            formed = [line for line in own if line.heading or line.key or line.number or line.item]
            plain = len(own) < 2 or len(formed) < len(own) / 2  # sentences are for a model
            if not plain and (cls := about(lexicon, own)):
                note = _Notes(lexicon, workspace, task.passage, found, cls, names)
                note.read(owner)
                owner = (note.root, cls) if len(whole) == 1 and found is whole[0] and note.root else owner
        _tell_unread(every, task.passage, workspace)


def _tell_unread(every: Sequence[Line], passage: Passage, workspace: Workspace) -> None:
    """Leaves to a person the stretches of a passage that neither a call nor a doubt is about."""
    told = sorted([(act.start, act.end) for act in workspace.acts] + [(one.start, one.end) for one in workspace.doubts])
    starts = [start for start, _ in told]
    furthest = list(accumulate((end for _, end in told), max))
    stretches: list[tuple[int, int]] = []
    inside = False
    for line in every:
        at = bisect_left(starts, line.end)
        free = not line.heading and not line.text.endswith(":") and (not at or furthest[at - 1] <= line.start)
        if free and inside:
            stretches[-1] = (stretches[-1][0], line.end)
        elif free:
            stretches.append((line.start, line.end))
        inside = free
    for start, end in stretches:
        text = " ".join(passage.text[start - passage.start : end - passage.start].split())
        shown = {"text": text if len(text) <= 200 else f"{text[:200]}…"}
        workspace.doubts.append(Doubt(passage.document, start, end, "", shown, _UNREAD))


_UNREAD = "not read: without a model it is tables, lists and 'key: value' in the ontology's words"


class _Notes:
    """One note with a form, about a thing of a class."""

    def __init__(
        self, lexicon: Lexicon, workspace: Workspace, passage: Passage, found: list[Line], cls: str, names: Names
    ) -> None:
        self.lexicon, self.workspace, self.passage, self.lines, self.cls = lexicon, workspace, passage, found, cls
        self.root, self.names = "", names
        self.comma = decimal_comma(passage.text, lexicon.comma)

    def read(self, owner: Entity | None = None) -> None:
        """Reads the lines in order. ``owner`` is what a row of a table belongs to, where it has no name of its own."""
        self._root(owner)
        whole = (self.root, self.cls)
        listing: Listing | None = None  # the entity and its property that the lines of a list give values of
        for at, line in enumerate(self.lines):
            if line.heading:
                if at:
                    self.root, self.cls = self.names.of(line.text) or (("", self.cls) if line.aside else whole)
                    listing = self._lists(line, whole)
                continue
            if line.aside and not self.root:
                continue
            if line.text.endswith(":"):
                listing = self._lists(line, whole)
                continue
            listing = listing if line.item or line.number else None
            if line.key and self._keyed(line):
                continue
            if line.number and (ordered := self._ordered()) and self._step(line, *ordered):
                continue
            if self._measured(line) or self._told(line) or self._root_number(line):
                continue
            if listing and self._value(line.text, line, *listing):
                continue
            if line.key:
                self._unused(line)

    def _lists(self, line: Line, whole: Entity) -> Listing | None:
        """What the lines below one such as "Suppliers:" state: a property of what is spoken of, else of the note."""
        for root, cls in dict.fromkeys([(self.root, self.cls), whole]):
            slot = self.lexicon.slot(cls, words(line.text), plural=True) if root else None
            kinds = slot.value.classes if slot else ()
            if slot and not slot.is_number and not any(map(self.lexicon.number_of, kinds)) and not any(
                map(self.lexicon.amount, kinds)):  # fmt: skip
                return slot, root
        return None

    def _unused(self, line: Line) -> None:
        """Leaves to a person what a key says that nothing was made of, once a document."""
        told = line.key.casefold() in _KINDS and self.lexicon.class_called(line.rest)
        noted = any(not one.tool and line.key in one.arguments for one in self.workspace.doubts)
        if not told and not noted:
            kind = self.lexicon.pack.tbox.label(self.cls)
            reason = f"key not used: {line.key} (what is known of {a_noun(kind)} {kind} has no such name)"
            self.workspace.doubts.append(
                Doubt(self.passage.document, line.start, line.end, "", {line.key: line.rest}, reason)
            )

    def _call(self, tool: str, line: Line, **arguments: object) -> CallResult:
        quote = self.passage.text[line.start - self.passage.start : line.end - self.passage.start]
        return self.workspace.call(tool, arguments, self.passage, quote)

    def _doubt(self, line: Line, told: Mapping[str, str], reason: str) -> None:
        self.workspace.doubts.append(Doubt(self.passage.document, line.start, line.end, "", told, reason))

    def _root(self, owner: Entity | None) -> None:
        """The thing the note is about, called as its heading; in a later passage, without one, the only one so far."""
        title = next((line for line in self.lines if line.heading), None)
        known = [entity.iri for entity in self.workspace.entities.values() if entity.term == self.cls]
        if self.passage.number > 1 and not (title and title.heading == TITLE):
            self.root = known[0] if len(known) == 1 else ""
        elif title:
            named = self.lexicon.class_called(title.key)
            part = owner and not named and not self.lexicon.names_things(title.key)
            slots = self.lexicon.leads_to(owner[1], self.cls) if owner and part else ()
            within = {"within": owner[0]} if owner and len(slots) == 1 else {}
            self.root = self._create(self.cls, title.rest if named and title.rest else title.text, title, **within)
            if owner and within and self.root:
                self._call(slots[0].tool.name, title, subject=owner[0], object=self.root)

    def _create(self, cls: str, label: str, line: Line, **more: object) -> str:
        """An entity called so; its own naming properties get the name too, where no key of the note states them."""
        tool = self.lexicon.creators[cls]
        arguments: dict[str, object] = {"label": label}
        stated = {words(one.key) for one in self.lines if one.key and not one.heading} if line.heading else set()
        names = [p.name for p in tool.parameters if p.kind == "value" and p.property and not _numeric(p.datatypes)
                 and any(NAMING.intersection(phrase) for phrase in self.lexicon.phrases(p.property))
                 and not stated.intersection(self.lexicon.phrases(p.property))]  # fmt: skip
        arguments |= dict.fromkeys(names[:1], label) | more
        result = self._call(tool.name, line, **arguments)
        if result.ok and "within" not in more:  # a part is not spoken of by its name
            self.names.add(label, (result.iri, cls))
        return result.iri

    # "Hut: Refuge de la Sorne" ---------------------------------------------------------------------------------------

    def _keyed(self, line: Line) -> bool:
        slot = self.lexicon.slot(self.cls, words(line.key))
        return bool(slot and self._value(line.rest, line, slot, self.root)) or self._root_number(line)

    def _value(self, text: str, line: Line, slot: Slot, root: str) -> bool:
        """States what a text says as a value of a property."""
        if slot.is_object:
            names = self._names(text, slot)
            if not names:
                self._doubt(line, {line.key or slot.tool.label: text}, "one name or several? Write each on a line")
            return not names or all([self._thing(name, line, slot, root) for name in names])
        if slot.is_number and root and (match := re.search(NUMBER, text)):
            return self._number(slot, match, line, root)
        if root:
            self._call(slot.tool.name, line, subject=root, value=text.strip(" ."))
        return bool(root)

    def _names(self, text: str, slot: Slot) -> list[str]:
        """The one name that a text is, or the several, where each is known; none where it could be either."""
        individuals = self.lexicon.individuals(slot.value.classes)

        def known(name: str) -> bool:
            entity = self.names.of(name)
            fits = entity and any(self.lexicon.is_a(entity[1], cls) for cls in slot.value.classes)
            return bool(fits or individuals.get(words(name)))

        parts = list(filter(None, re.split(rf"\s*[,;]\s+|\s+(?:{self.lexicon.conjunction})\s+", text.strip(" ."))))
        if len(parts) < 2 or known(text):
            return [text]
        if all(map(known, parts)):
            return parts
        joined = re.search(rf"\s(?:{self.lexicon.conjunction})\s", text)
        return [] if joined and not self.lexicon.pack.tbox.has_trait(slot.iri, "Functional") else [text]

    def _thing(self, text: str, line: Line, slot: Slot, root: str) -> bool:
        """States an entity as a value: one of the ontology's own, or one that is made."""
        classes = _makes(self.lexicon, slot)
        own = self.lexicon.individuals(slot.value.classes).get(words(text), "")
        if root and (own or not classes):  # what no list holds is refused, and reviewed
            self._call(slot.tool.name, line, subject=root, object=own or text)
        elif classes:
            aside = _ASIDE.search(text)
            name = text[: aside.start()] if aside else text
            iri = self._create(classes[0], name.strip(" ."), line)
            if iri and root:
                self._call(slot.tool.name, line, subject=root, object=iri)
                self._chosen(iri, classes[0], aside[1] if aside else "", line)
        return bool(root or classes)

    def _chosen(self, iri: str, cls: str, text: str, line: Line) -> None:
        """One of a closed list, in brackets after a name."""
        for slot in self.lexicon.of(cls) if text else ():
            if name := next((name for name, _ in slot.value.choices if words(name) == words(text)), ""):
                self._call(slot.tool.name, line, subject=iri, **{slot.value.name: name})

    def _number(self, slot: Slot, match: re.Match[str], line: Line, root: str) -> bool:
        """States a number with the unit that stands beside it, or in its key.

        What is more than one number and a unit (a range, "ca. 10", degrees and minutes, a unit that nobody knows) is
        left to a person.
        """
        before, after = match.string[: match.start()].split(), match.string[match.end() :]
        bracket = _ASIDE.search(line.key)
        unit = self.lexicon.unit_after(after) or self.lexicon.unit_after(before[-1] if before else "")
        if not unit and words(line.key) not in slot.phrases:
            unit = self.lexicon.unit_after(bracket[1] if bracket else line.key.split()[-1] if line.key else "")
        rest = re.sub(r"\([^()]*\)", "", after).rstrip(" .,;")
        unknown = not unit and (bracket or re.match(r"\S", rest) or (rest and self.lexicon.unit_of(slot.iri)))
        aside = match.string == line.rest and before and not self.lexicon.unit_after(" ".join(before))
        number = None if unknown or aside or re.search(r"\d", rest) else _number(match[0], self.comma)
        value = line.text if number is None else f"{number} {unit}" if unit else number
        self._call(slot.tool.name, line, subject=root, value=value)
        return True

    # "400 g barley" --------------------------------------------------------------------------------------------------

    def _measured(self, line: Line) -> bool:
        """A line of a list of amounts: a number, a unit, and the name of what it is of."""
        match = _AMOUNT.match(line.text)
        number = _number(match[1], self.comma) if match else None
        led = ((slot, cls) for slot in self.lexicon.of(self.cls) if slot.is_object for cls in slot.value.classes)
        if match is None or number is None or not self.root:
            return False
        for slot, cls in led:
            if (parts := self.lexicon.amount(cls)) and (said := self._unit(parts, line.text[match.end(1) :])):
                amount, in_unit, thing = parts
                unit, name = said
                iri = self._create(cls, line.text, line, within=self.root) if name else ""
                of = self._create(thing.value.classes[0], name, line) if iri else ""
                if of:
                    self._call(thing.tool.name, line, subject=iri, object=of)
                    self._call(amount.tool.name, line, subject=iri, value=number if in_unit else f"{number} {unit}")
                    if in_unit:
                        self._call(in_unit.tool.name, line, subject=iri, object=unit)
                    self._call(slot.tool.name, line, subject=self.root, object=iri)
                return True
        return False

    def _unit(self, parts: Amount, rest: str) -> tuple[str, str] | None:
        """The unit that the first words of a text are, by its IRI or its name, and the name that comes after it."""
        said, (amount, in_unit, _) = rest.split(), parts
        for size in (3, 2, 1):
            text = " ".join(said[:size])
            unit = (self.lexicon.units_of(in_unit.value.choices).get(unit_key(text)) if in_unit else
                    unit_named(text, self.lexicon.pack.tbox.languages))  # fmt: skip
            if unit and (in_unit or converted(1, unit, self.lexicon.unit_of(amount.iri)) is not None):
                return unit, re.sub(r"^(?:of|de|von)\s+", "", " ".join(said[size:])).strip(" .,")
        return None

    # "1. Simmer for 20 minutes" --------------------------------------------------------------------------------------

    def _ordered(self) -> tuple[Slot, str, Slot] | None:
        """The property to a class whose members are numbered, the class, and its number."""
        led = ((slot, cls) for slot in self.lexicon.of(self.cls) if slot.is_object for cls in slot.value.classes)
        return next(((slot, cls, number) for slot, cls in led if (number := self.lexicon.number_of(cls))), None)

    def _step(self, line: Line, slot: Slot, cls: str, number: Slot) -> bool:
        kind = self._kind(cls, line.text)
        if kind not in self.lexicon.creators:
            return False
        if _NOT.intersection(words(line.text)) or re.search(r"n['’]t\b", line.text):
            self._doubt(line, {str(line.number): line.text}, "it says what is not to be done")
            return True
        argument = next((p.name for p in self.lexicon.creators[kind].parameters if p.property == number.iri), "")
        more = {argument: line.number} if argument else {}
        iri = self._create(kind, f"{line.number}. {line.text}", line, within=self.root, **more)
        if not iri:
            return False
        if not argument:
            self._call(number.tool.name, line, subject=iri, value=line.number)
        self._call(slot.tool.name, line, subject=self.root, object=iri)
        self._quantities(iri, kind, line)
        self._uses(iri, kind, line)
        return True

    def _kind(self, cls: str, text: str) -> str:
        """The class below whose name comes first in the text; of several at one place the longest."""
        said, below = words(text), self.lexicon.pack.tbox.below.get(cls, frozenset()) - {cls}
        places = [(at, -len(phrase), one) for one in below for phrase in self.lexicon.phrases(one)
                  if (at := find(phrase, said)) is not None]  # fmt: skip
        return min(places)[2] if places else cls

    def _quantities(self, iri: str, cls: str, line: Line) -> None:
        """The amounts with a unit that a line names: things of a quantity class, or values of the one property in such
        units; others, and ranges, are left to a person."""
        ranges = [match.span() for match in _RANGE.finditer(line.text)]
        for start, end in ranges:
            self._doubt(line, {"amount": line.text[start:end], "text": line.text}, "a range is no number")
        for match in _AMOUNT.finditer(line.text):
            if any(start <= match.start() < end for start, end in ranges):
                continue
            number = _number(match[1], self.comma)
            found = self.lexicon.units.get(unit_key(match[2] or ""))
            unit = self.lexicon.unit_after(line.text[match.end(1) :])
            leading = self.lexicon.leads_to(cls, found[0]) if found else ()
            stating = [slot for slot in self.lexicon.of(cls) if unit and slot.is_number
                       and converted(1, unit, self.lexicon.unit_of(slot.iri)) is not None]  # fmt: skip
            if found and leading and number is not None:
                made = self._call(self.lexicon.creators[found[0]].name, line, value=number, unit=found[1])
                if made.ok:
                    self._call(leading[0].tool.name, line, subject=iri, object=made.iri)
            elif len(stating) == 1 and number is not None:
                self._call(stating[0].tool.name, line, subject=iri, value=f"{number} {unit}")
            else:
                self._doubt(line, {"amount": match[0].strip(), "text": line.text}, "no property takes this amount")

    def _uses(self, iri: str, cls: str, line: Line) -> None:
        """Things of the document that the line names, where one property leads to such things."""
        for other, kind in self.names.named_in(line.text):
            slots = self.lexicon.leads_to(cls, kind)
            if slots:
                self._call(slots[0].tool.name, line, subject=iri, object=other)

    # "celery contains celery; butter contains milk", "Serves 12" -----------------------------------------------------

    def _told(self, line: Line) -> bool:
        """Short clauses: a thing of the document, the name of a property, and one of the property's closed list."""
        clauses = [words(clause) for clause in re.split(r"[;.](?:\s+|$)", line.rest if line.key else line.text)]
        done = False
        for said, slot in product(clauses, [slot for slot in self.lexicon.slots if slot.is_object]):
            for phrase in slot.phrases:
                if not (at := find(phrase, said)):
                    continue
                left, right = said[:at], said[at + len(phrase) :]
                subjects = [iri for iri, kind in self.names.called(left)
                            if any(self.lexicon.is_a(kind, domain) for domain in slot.domain)]  # fmt: skip
                objects = [str(term) for name, term in slot.value.choices
                           if right == words(name) or right in self.lexicon.phrases(str(term))]  # fmt: skip
                if subjects and objects:
                    done = self._call(slot.tool.name, line, subject=subjects[0], object=objects[0]).ok or done
        return done

    def _root_number(self, line: Line) -> bool:
        """A short line with a property's name beside a number."""
        match = re.search(NUMBER, line.text)
        if not match or not self.root or len(line.text.split()) > 6:
            return False
        said = set(words(line.text))
        for slot in self.lexicon.of(self.cls):
            if slot.is_number and any(said.issuperset(phrase) for phrase in slot.phrases):
                return self._number(slot, match, line, self.root)
        return False


def about(lexicon: Lexicon, found: Sequence[Line]) -> str:
    """The class that the column of names or a key like "type" says, or the most general one that has most of the
    properties a note's keys name; the ontology's root where there are no keys, or a list beside them. Nothing where
    unrelated classes have as many.
    """
    told = [line.key if line.heading else line.rest for line in found
            if line.key and (line.heading or line.key.casefold() in _KINDS)]  # fmt: skip
    if cls := next(filter(None, map(lexicon.class_called, told)), ""):
        return cls
    keys = [words(line.key) for line in found if line.key and not line.heading]
    said = {
        cls: sum(any(_called(lexicon, slot, key) for slot in lexicon.of(cls)) for key in keys)
        for cls in lexicon.creators
    }
    most = max(said.values(), default=0)
    fit = [cls for cls, number in said.items() if number == most]
    if not most:
        return lexicon.root if not keys or any(line.item or line.number for line in found) else ""
    general = lexicon.general(fit)
    return lexicon.root if lexicon.root in general else general[0] if len(general) == 1 else ""


def _makes(lexicon: Lexicon, slot: Slot) -> list[str]:
    return [cls for cls in slot.value.classes if cls in lexicon.creators]


def _called(lexicon: Lexicon, slot: Slot, key: Phrase) -> bool:
    """Whether a key names a property, or what it leads to."""
    kinds = _makes(lexicon, slot) if slot.is_object else ()
    return key in slot.phrases or any(key in lexicon.phrases(cls) for cls in kinds)


def _numeric(datatypes: tuple[str, ...]) -> bool:
    return bool(datatypes) and not any(d.endswith(("string", "Literal", "langString")) for d in datatypes)


def _number(text: str, comma: bool = False) -> float | None:
    """A number as people write it: 1,5 and 1/2, but 1,200 is a thousand, unless decimals come after a ``comma``.

    >>> _number("3,5"), _number("1,200"), _number("1/2"), _number("1.284,50"), _number("2.5.1")
    (3.5, 1200, 0.5, 1284.5, None)
    """
    plain = text.replace(" ", "")
    if re.fullmatch(r"\d\d?/0*[1-9]\d?", plain):
        top, _, bottom = plain.partition("/")
        plain = str(int(top) / int(bottom))
    elif re.fullmatch(r"[-+]?\d{1,3}((\.\d{3})+,\d+|(\.\d{3}){2,})", plain) or (comma and _THOUSAND.fullmatch(plain)):
        plain = plain.replace(".", "").replace(",", ".")
    elif not comma and re.fullmatch(r"[-+]?\d{1,3}(,\d{3})+(\.\d+)?", plain):
        plain = plain.replace(",", "")
    elif re.fullmatch(r"[-+]?\d+,\d+", plain):
        plain = plain.replace(",", ".")
    try:
        number = float(plain)
    except ValueError:
        return None
    return int(number) if number.is_integer() else number


_THOUSAND = re.compile(r"[-+]?\d{1,3}(\.\d{3})+")
_COMMA = re.compile(r"\d,\d{1,2}(?!\d)|\b0,\d|\d,\d{4}")
_POINT = re.compile(r"(?<![\d.])\d+\.\d{1,2}(?![\d.])")


def decimal_comma(text: str, otherwise: bool) -> bool:
    """Whether decimals come after a comma in a text, as far as it has a number that tells.

    >>> decimal_comma("142,5 m² for 1.284 €", False), decimal_comma("1,284 m", False)
    (True, False)
    """
    comma, point = _COMMA.search(text), _POINT.search(text)
    return bool(comma) if bool(comma) != bool(point) else otherwise


def rule_reader(pack: ToolPack) -> RuleReader:
    """The reader by patterns."""
    return RuleReader(f"rule of {pack.name}" if pack.name else "rule")


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
    heading: int = 0  # its level, 1 the highest
    item: bool = False
    key: str = ""
    rest: str = ""
    aside: bool = False  # below a heading that may begin another subject


TITLE = 1


def lines(text: str, start: int = 0, *, begins: bool = True) -> list[Line]:
    """The lines of a text, blank ones and rules left out. ``begins``: a first line without a mark may be its title.

    >>> [(line.number, line.key, line.text) for line in lines("# Soup\\nHut: Ambre\\n1. *Boil* it.")]
    [(None, '', 'Soup'), (None, 'Hut', 'Hut: Ambre'), (1, '', 'Boil it.')]
    """
    found: list[Line] = []
    at = start
    for raw in text.split("\n"):
        begin, at = at, at + len(raw) + 1
        if re.fullmatch(r"[\s|:=\-*_#]*", raw):
            if re.fullmatch(r"\s*[=\-]{3,}\s*", raw) and found and found[-1].end == begin - 1:
                found[-1] = _heading(found[-1])
            continue
        marked = re.match(r"^\s*(#{1,6})\s+", raw)
        body = raw[marked.end() :] if marked else raw
        match = _ITEM.match(body)
        number = int(match["number"]) if match and match["number"] else None
        item = bool(match and match[0].strip())
        plain = " ".join(_MARKUP.sub(" ", body[match.end() :] if match else body).split())
        key = _KEY.match(plain)
        level = len(marked[1]) if marked else 0
        found.append(
            Line(plain, begin, begin + len(raw), number, level, item, key[1] if key else "", key[2] if key else "")
        )
    if begins and not any(line.heading for line in found):
        form = next((at for at, line in enumerate(found) if line.key or line.item), len(found) - 1)
        first = next((at for at in (0, form - 1) if 0 <= at < form and not _sentence(found[at])), None)
        if first is not None:
            found[first] = _heading(found[first])
            if found[first + 1].key:  # what looks like it further down begins the next note
                for at in range(first + 2, len(found) - 1):
                    bare = not (found[at].key or found[at].item or _sentence(found[at]))
                    if bare and found[at].start > found[at - 1].end + 1 and found[at + 1].key:
                        found[at] = _heading(found[at])
    return found


def _heading(line: Line) -> Line:
    return Line(line.text, line.start, line.end, heading=TITLE)


def _sentence(line: Line) -> bool:
    return line.text.endswith((".", "!", "?", ";", ","))


def sections(lexicon: Lexicon, found: Sequence[Line]) -> list[Line]:
    """The lines without headings that only name a class above other headings; those are of that class.

    Of "## Sculptures", "### Blue Horse" there stays the horse, keyed by "Sculptures".
    """
    kept: list[Line] = []
    kind, level = "", 0  # of the section the lines stand in, and of the headings in it
    for at, line in enumerate(found):
        after = found[at + 1].heading if at + 1 < len(found) else 0
        if 0 < line.heading < after and lexicon.class_called(line.text):
            kind, level = line.text, after
            continue
        kind = "" if 0 < line.heading < level else kind
        kept.append(replace(line, key=kind, rest="") if kind and line.heading == level else line)
    return kept


def records(found: Sequence[Line]) -> list[list[Line]]:
    """The notes that stand one after the other in a text, each with its title.

    Headings like the first begin another note if it has keys of an earlier one. What such a heading stands over
    otherwise, beginning with a key, could be about either: it stands aside.

    >>> [[line.text for line in one] for one in records(lines("# Salt\\npages: 98\\n# Lights\\npages: 204"))]
    [['Salt', 'pages: 98'], ['Lights', 'pages: 204']]
    """
    top = next((line.heading for line in found if line.heading), 0)
    parts: list[list[Line]] = [[]]
    for line in found:
        if top and line.heading == top and any(each.heading for each in parts[-1]):
            parts.append([])
        parts[-1].append(line)
    notes: list[list[Line]] = [parts[0]]
    keys = {line.key.casefold() for line in parts[0]} - {""}
    for part in parts[1:]:
        own = {line.key.casefold() for line in part} - {""}
        if own & keys:
            keys |= own
            notes.append([replace(part[0], heading=TITLE), *part[1:]])
        else:
            notes[-1] += [replace(line, aside=len(part) > 1 and bool(part[1].key)) for line in part]
    return notes


def rows(passage: Passage, lexicon: Lexicon) -> tuple[list[list[Line]], str]:
    """The rows of a passage's tables as notes keyed by the header, and the text without them.

    A row that is about nothing of the ontology stays in the text, which keeps its length.
    """
    found: list[list[Line]] = []
    kept: list[str] = []
    header, above, at, given = _cells(passage.header), -1, passage.start, passage.text.split("\n")
    for raw, below in zip(given, [*given[1:], ""], strict=True):
        begin, at = at, at + len(raw) + 1
        cells = _cells(raw)
        if len(cells) > 1 and RULE.fullmatch(below):
            header, above = cells, len(kept)
        elif len(cells) < 2:
            header = []
        elif len(cells) == len(header) and cells[title := lexicon.title(tuple(header))] and not RULE.fullmatch(raw):
            end = begin + len(raw)
            part = lexicon.begins_with_a_value(tuple(header))
            keyed = [Line(f"{key}: {cell}", begin, end, key=key, rest=cell)
                     for at, (key, cell) in enumerate(zip(header, cells, strict=True))
                     if key and cell and (at != title or part or lexicon.states(key))]  # fmt: skip
            note = [Line(cells[title], begin, end, heading=TITLE, key="" if part else header[title]), *keyed]
            if keyed and about(lexicon, note):
                found.append(note)
                raw = " " * len(raw)
                if above >= 0:
                    kept[above] = " " * len(kept[above])
        kept.append(raw)
    return found, "\n".join(kept)


def _cells(raw: str) -> list[str]:
    """The cells of a line of a Markdown table; a bar inside a cell is written ``\\|``."""
    if "|" not in raw:
        return []
    bare = raw.strip().removeprefix("|").removesuffix("|")
    return [" ".join(_MARKUP.sub(" ", cell.replace("\\|", "|")).split()) for cell in re.split(r"(?<!\\)\|", bare)]


# How the terms of a T-Box are spoken of: words of classes, properties and listed values, in every language it has.
Phrase = tuple[str, ...]
_NUMERIC = {f"{XSD}{name}" for name in (
    "integer", "decimal", "double", "float", "int", "long", "short", "nonNegativeInteger", "positiveInteger",
)}  # fmt: skip
_NAMES = ("prefLabel", "altLabel", "hiddenLabel", "notation")


@dataclass(frozen=True)
class Slot:
    """A property as a reader fills it: the tool that states it, and what it takes."""

    iri: str
    tool: ToolSpec
    phrases: tuple[Phrase, ...]
    domain: tuple[str, ...]
    value: Parameter

    @property
    def is_object(self) -> bool:
        """Whether it leads to an entity."""
        return self.value.kind == "entity"

    @property
    def is_number(self) -> bool:
        """Whether it takes a number."""
        return bool(self.value.datatypes) and self.value.datatypes[0] in _NUMERIC and not self.value.choices


class Lexicon:
    """The words of one pack. Made once; what it is asked again, as every line of a document asks, it knows by heart."""

    def __init__(self, pack: ToolPack) -> None:
        self.pack = pack
        self.creators = {tool.term: tool for tool in pack.of_kind("create")}
        self.phrases, self.spellings = cache(self._phrases), cache(self._spellings)
        self.individuals = cache(self._individuals)
        self.units_of, self.of = cache(self._units_of), cache(self._of)
        self.class_called, self.title = cache(self._class_called), cache(self._title)
        self.begins_with_a_value, self.number_of = cache(self._begins_with_a_value), cache(self._number_of)
        self.amount = cache(self._amount)
        self.unit_of = cache(partial(property_unit, pack.tbox))

    def _phrases(self, iri: str) -> tuple[Phrase, ...]:
        """What a term is called, longest first; the words of its IRI where it has no label."""
        found = {words(text) for text in self._texts(iri) or [re.split(r"[#/:]", iri)[-1]]}
        return tuple(sorted((one for one in found if one), key=lambda one: (-len(one), one)))

    def _spellings(self, iri: str) -> tuple[str, ...]:
        """Labels, other names and symbols of a listed value, as they are written."""
        return tuple(dict.fromkeys(self._texts(iri))) or (self.pack.tbox.label(iri),)

    def _units_of(self, choices: tuple[tuple[str, Term], ...]) -> dict[str, str]:
        """The IRIs of the values a property lists, by the key of every spelling."""
        return {
            unit_key(spelling): str(term) for name, term in choices for spelling in (name, *self.spellings(str(term)))
        }

    def _individuals(self, classes: tuple[str, ...]) -> dict[Phrase, str]:
        """The ontology's own individuals of some classes, by what they are called; who shares a name has none."""
        found: dict[Phrase, str] = {}
        for iri, kinds in self.pack.tbox.individuals.items():
            if any(self.is_a(kind, cls) for kind in kinds for cls in classes):
                found |= {phrase: "" if phrase in found else iri for phrase in self.phrases(iri)}
        return found

    def _texts(self, iri: str) -> list[str]:
        entity = self.pack.tbox.entities.get(iri)
        texts = [text.text for text in (*entity.labels, *entity.synonyms)] if entity else []
        told = self.pack.tbox.all(Iri(iri), f"{RDFS}label", *(f"{SKOS}{name}" for name in _NAMES))
        return texts + [term.text for term in told if isinstance(term, Literal)]

    @cached_property
    def slots(self) -> tuple[Slot, ...]:
        """Every property that can be stated, in the order of the tools."""
        found = []
        for tool in self.pack.of_kind("add"):
            entity = self.pack.tbox.entities.get(tool.term)
            values = [one for one in tool.parameters if one.name in ("object", "value")]
            if values:
                domain = entity.domain if entity else ()
                found.append(Slot(tool.term, tool, self.phrases(tool.term), domain, values[0]))
        return tuple(found)

    def is_a(self, iri: str, other: str) -> bool:
        """Whether a class is another one or lies below it."""
        return iri == other or iri in self.pack.tbox.below.get(other, ())

    def _title(self, header: tuple[str, ...]) -> int:
        """The column that things are called by: the first of names or labels, else the first that says no class."""

        def rank(column: str) -> int:
            return 0 if self.names_things(column) else 2 if column.casefold() in _KINDS else 1

        return min(range(len(header)), key=lambda at: rank(header[at]))

    def names_things(self, column: str) -> bool:
        """Whether a column holds names or labels."""
        labels = {phrase for iri in self.pack.tbox.subs(f"{RDFS}label") for phrase in self.phrases(iri)}
        return words(column) in _CALLED | labels

    def _begins_with_a_value(self, header: tuple[str, ...]) -> bool:
        """Whether the column that things would be called by names a class that lacks the properties of the others, and
        there is one that has them all: each row is then such a thing, as an amount of an ingredient."""
        title = header[self._title(header)]
        named, others = self.class_called(title), [words(key) for key in header if key != title]

        def known(cls: str, keys: Sequence[Phrase]) -> int:
            return sum(any(_called(self, slot, key) for slot in self.of(cls)) for key in keys)

        most = max((known(cls, [words(title), *others]) for cls in self.creators if cls != named), default=0)
        return bool(named) and most > known(named, others) + 1

    def slot(self, cls: str, key: Phrase, *, plural: bool = False) -> Slot | None:
        """The property of a class that a key names, else the only one to the class that it names."""
        said = unit_key(" ".join(key)) if plural else ""

        def is_called(iri: str) -> bool:
            phrases = self.phrases(iri)
            return key in phrases or plural and any(unit_key(" ".join(phrase)) == said for phrase in phrases)

        slots = self.of(cls)
        if found := next((slot for slot in slots if is_called(slot.iri)), None):
            return found
        leading = [slot for slot in slots if slot.is_object and any(map(is_called, _makes(self, slot)))]
        below = {iri for slot in leading for iri in self.pack.tbox.subs(slot.iri) if iri != slot.iri}
        general = [slot for slot in leading if slot.iri not in below]
        return general[0] if len(general) == 1 else None

    def _amount(self, cls: str) -> Amount | None:
        """A class that is an amount of something: a number, a unit of a closed list unless the number's property names
        one, and a thing that can be made."""
        slots = self.of(cls) if cls in self.creators else ()
        numbers = [s for s in slots if s.is_number]
        units = [s for s in slots if s.is_object and s.value.choices]
        things = [s for s in slots if s.is_object and not s.value.choices and s.value.classes
                  and s.value.classes[0] in self.creators]  # fmt: skip
        stated = [s for s in numbers if self.unit_of(s.iri)]
        if things and units and numbers:
            return numbers[0], units[0], things[0]
        return (stated[0], None, things[0]) if len(stated) == len(things) == 1 else None

    def _number_of(self, cls: str) -> Slot | None:
        """The property that says at which place in an order a thing of a class stands."""
        return next((slot for slot in self.of(cls) if slot.iri in self.pack.orders), None)

    def unit_after(self, text: str) -> str:
        """The unit that a text begins with, in a language of the ontology or in English; "" for none."""
        return unit_after(text, self.pack.tbox.languages)

    @cached_property
    def conjunction(self) -> str:
        """What stands between the last two of a list, as a regular expression."""
        patterns = [locale.list_patterns["standard"]["2"] for locale in locales(self.pack.tbox.languages)]
        return "|".join(["&", *(re.escape(one.replace("{0}", "").replace("{1}", "").strip()) for one in patterns)])

    @cached_property
    def comma(self) -> bool:
        """Whether decimals come after a comma in every language of the ontology."""
        languages = self.pack.tbox.languages
        own = [locale for locale in locales(languages) if locale.language in languages]
        return bool(own) and all(locale.number_symbols["latn"]["decimal"] == "," for locale in own)

    def states(self, column: str) -> bool:
        """Whether the column that things are called by says a value of a property, too, as a number in a catalogue."""
        said = words(column)
        plain = (slot for slot in self.slots if not slot.is_object and not slot.is_number)
        return said not in _CALLED and any(said in slot.phrases for slot in plain)

    def general(self, classes: Iterable[str]) -> list[str]:
        """Those of some classes that lie below no other of them."""
        given = list(classes)
        return [cls for cls in given if not any(self.is_a(cls, other) for other in given if other != cls)]

    def _class_called(self, name: str) -> str:
        """The class that a word, or its plural, stands for, the most general one; "" for none or several."""
        said = unit_key(name.strip(" ."))
        known = (cls for cls in self.creators if any(unit_key(" ".join(one)) == said for one in self.phrases(cls)))
        general = self.general(known) if said else []
        return general[0] if len(general) == 1 else ""

    def _of(self, cls: str) -> tuple[Slot, ...]:
        """The properties whose domain the class fits; those without a domain are not among them."""
        return tuple(slot for slot in self.slots if any(self.is_a(cls, domain) for domain in slot.domain))

    def leads_to(self, start: str, end: str) -> tuple[Slot, ...]:
        """The properties from one class to another."""
        return tuple(
            slot for slot in self.of(start)
            if slot.is_object and any(self.is_a(end, target) for target in slot.value.classes)
        )  # fmt: skip

    @cached_property
    def root(self) -> str:
        """The class everything else hangs on: most properties lead from it to classes that can be made; the most
        general one from which as many lead."""

        def reach(cls: str) -> int:
            leading = [slot.value.classes for slot in self.of(cls) if slot.is_object]
            return len({classes for classes in leading if any(c in self.creators for c in classes)})

        def weight(cls: str) -> tuple[int, int]:
            return reach(cls), -sum(slot.is_object and cls in slot.value.classes for slot in self.slots)

        best = max(self.creators, key=weight, default="")
        above = [cls for cls in self.pack.tbox.above(best) if cls in self.creators] if best else []
        return next((cls for cls in reversed(above) if reach(cls) == reach(best)), best)

    @cached_property
    def units(self) -> dict[str, tuple[str, str]]:
        """Class and unit's name by every spelling of a unit of a quantity class that can be made."""
        found: dict[str, tuple[str, str]] = {}
        for cls, quantity in self.pack.quantities.items():
            if cls not in self.creators or not self.pack.tbox.above(cls):
                continue
            for name, iri in quantity.units:
                for text in (name, *self.spellings(iri), *(s for s, whose in quantity.symbols if whose == name)):
                    found.setdefault(unit_key(text), (cls, name))
        return found


Entity = tuple[str, str]
"""The IRI and the class of an entity."""
Amount = tuple[Slot, Slot | None, Slot]
"""The properties of an amount of something: its number, its unit if that is a thing, and what it is of."""
Listing = tuple[Slot, str]
"""A property and the IRI of the entity whose it is."""


class Names:
    """The entities of a document by what they are called; the first of a name keeps it."""

    def __init__(self, named: Iterable[tuple[str, Entity]] = ()) -> None:
        self._called: dict[Phrase, dict[str, Entity]] = {}
        self._beginning: dict[str, list[Phrase]] = {}  # the names that begin with a word
        for name, entity in named:
            self.add(name, entity)

    def add(self, name: str, entity: Entity) -> None:
        """Notes what an entity is called."""
        phrase = words(name)
        if phrase and phrase not in self._called:
            self._called[phrase] = {}
            self._beginning.setdefault(phrase[0], []).append(phrase)
        if phrase:
            self._called[phrase].setdefault(name, entity)

    def called(self, phrase: Phrase) -> tuple[Entity, ...]:
        """The entities with a name of these words."""
        return tuple(self._called.get(phrase, {}).values())

    def of(self, name: str) -> Entity | None:
        """The first entity of a name."""
        return next(iter(self.called(words(name))), None)

    def named_in(self, text: str) -> Iterator[Entity]:
        """The entities that a text names, the longest names first; no word names two.

        >>> list(Names([("red lentils", ("urn:lentils", "urn:Food"))]).named_in("Rinse the red lentils."))
        [('urn:lentils', 'urn:Food')]
        """
        said, taken, places = words(text), set[int](), dict[Phrase, int]()
        for at, word in enumerate(said):
            for phrase in self._beginning.get(word, ()):
                if said[at : at + len(phrase)] == phrase:
                    places.setdefault(phrase, at)
        named = [(-len(phrase), *min(self._called[phrase].items()), at) for phrase, at in places.items()]
        for size, _, entity, at in sorted(named):
            place = set(range(at, at - size))
            if not taken & place:
                taken |= place
                yield entity


def find(phrase: Phrase, said: Phrase) -> int | None:
    """Where a phrase begins in a text, both as words."""
    places = range(len(said) - len(phrase) + 1)
    return next((at for at in places if said[at : at + len(phrase)] == phrase), None)

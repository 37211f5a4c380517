"""The floor without a model: patterns compiled from the T-Box read notes with a form; plain sentences are for a model.

Keys and headings, lists of amounts, numbered steps, "X contains Y": whatever the words of the ontology (labels, other
names, units, listed values) point at. It knows nothing of any domain, and writes through the same tools as a model.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from kgnb.agents.kg_construction.desk import Desk
from kgnb.agents.kg_construction.documents import Passage
from kgnb.agents.kg_construction.lexicon import Lexicon, Names, Slot, find, stems, unit_key
from kgnb.agents.kg_construction.pack import ToolPack
from kgnb.agents.kg_construction.readers import Task
from kgnb.agents.kg_construction.tool_values import CallResult

NUMBER = r"[-+]?\d+(?:[.,]\d+)*(?:\s*/\s*\d+)?"
_AMOUNT = re.compile(rf"(?<![\w.,])({NUMBER})\s*([^\W\d]+\.?|°\s?[A-Za-z]?|[^\s\w]{{1,2}})?")
_ASIDE = re.compile(r"\s*\(([^()]*)\)\s*$")
_CLAUSE = re.compile(r"[;.]\s+|[;.]$")


@dataclass
class RuleReader:
    """Reads by patterns; made for one pack, the first it meets. The whole of a passage is read in the first step."""

    name: str = "rule"
    _lexicons: dict[int, Lexicon] = field(default_factory=dict, repr=False)

    def read(self, task: Task, desk: Desk) -> None:
        """Writes what patterns find in the passage."""
        if task.prompt.step.number != 1:
            return
        lexicon = self._lexicons.setdefault(id(task.pack), Lexicon(task.pack))
        found = lines(task.passage.text, task.passage.start)
        formed = [line for line in found if line.heading or line.key or line.number or line.item]
        if len(found) > 1 and len(formed) >= len(found) / 2 and lexicon.root:  # plain sentences are for a model
            _Notes(lexicon, desk, task.passage, found).read()


class _Notes:
    """One passage of a note with a form."""

    def __init__(self, lexicon: Lexicon, desk: Desk, passage: Passage, found: list[Line]) -> None:
        self.lexicon, self.desk, self.passage, self.lines = lexicon, desk, passage, found
        self.root = next((e.iri for e in desk.entities.values() if e.term == lexicon.root), "")
        self.names = Names()
        for entity in desk.entities.values():
            self.names.add(str(entity.arguments.get("label", "")), entity.iri, entity.term)

    def read(self) -> None:
        self._root()
        ordered = self._ordered()
        for line in self.lines:
            if line.heading:
                continue
            if line.key and self._keyed(line):
                continue
            if line.number and ordered and self._step(line, *ordered):
                continue
            if not self._measured(line):
                self._told(line)

    def _call(self, tool: str, line: Line, **arguments: object) -> CallResult:
        quote = self.passage.text[line.start - self.passage.start : line.end - self.passage.start]
        return self.desk.call(tool, arguments, self.passage, quote)

    def _root(self) -> None:
        """The thing the note is about, called as its heading."""
        title = next((line for line in self.lines if line.heading), self.lines[0])
        if not self.root and (tool := self.lexicon.creators.get(self.lexicon.root)):
            self.root = self._create(tool.term, title.text, title)

    def _create(self, cls: str, label: str, line: Line, **more: object) -> str:
        """An entity called so; its own naming properties get the name too."""
        tool = self.lexicon.creators[cls]
        arguments: dict[str, object] = {"label": label, **more}
        naming = [p for p in tool.parameters if p.kind == "value" and p.property and not self._numeric(p.datatypes)]
        names = [p for p in naming if _names({w for f in self.lexicon.phrases(p.property) for w in f})]
        specific = [p for p in names if stems("title") in self.lexicon.phrases(p.property)] or names
        arguments |= {p.name: label for p in specific[:1] if p.name not in arguments}
        result = self._call(tool.name, line, **arguments)
        if result.ok:
            self.names.add(label, result.iri, cls)
        return result.iri

    @staticmethod
    def _numeric(datatypes: tuple[str, ...]) -> bool:
        return bool(datatypes) and not any(d.endswith(("string", "Literal", "langString")) for d in datatypes)

    # "Hut: Refuge de la Sorne" ---------------------------------------------------------------------------------------

    def _keyed(self, line: Line) -> bool:
        key = stems(line.key)
        for slot in self.lexicon.of(self.lexicon.root):
            classes = [c for c in slot.value.classes if c in self.lexicon.creators]
            called = key in slot.phrases or any(key in self.lexicon.phrases(c) for c in classes)
            if not called:
                continue
            if slot.is_object and classes:
                aside = _ASIDE.search(line.rest)
                name = line.rest[: aside.start()] if aside else line.rest
                iri = self._create(classes[0], name.strip(" ."), line)
                if iri and self.root:
                    self._call(slot.tool.name, line, subject=self.root, object=iri)
                    if aside:
                        self._chosen(iri, classes[0], aside[1], line)
                return True
            if slot.is_number and (match := re.search(NUMBER, line.rest)):
                return self._number(slot, self.root, match[0], line)
            if not slot.is_object and self.root:
                self._call(slot.tool.name, line, subject=self.root, value=line.rest.strip(" ."))
                return True
        return self._told(line)

    def _chosen(self, iri: str, cls: str, text: str, line: Line) -> None:
        """A value of a closed list, in brackets after a name."""
        for slot in self.lexicon.of(cls):
            for name, _ in slot.value.choices:
                if stems(name) == stems(text):
                    self._call(slot.tool.name, line, subject=iri, **{slot.value.name: name})

    def _number(self, slot: Slot, subject: str, text: str, line: Line) -> bool:
        number = _number(text)
        if number is None or not subject or (slot.is_whole and number != int(number)):
            return False
        value = int(number) if number == int(number) else number
        return self._call(slot.tool.name, line, subject=subject, value=value).ok

    # "400 g barley" --------------------------------------------------------------------------------------------------

    def _measured(self, line: Line) -> bool:
        """A line of a list of amounts: a number, a unit of a closed list, and the name of what it is of."""
        for slot in self.lexicon.of(self.lexicon.root):
            for cls in slot.value.classes if slot.is_object else ():
                parts = self._parts(cls)
                if parts is None or cls not in self.lexicon.creators:
                    continue
                unit = parts[1]
                match = _AMOUNT.match(line.text)
                chosen = self._unit(unit, line.text[match.end(1) :]) if match else None
                if match and chosen:
                    name = chosen[1].strip(" .,")
                    number = _number(match[1])
                elif not re.search(r"\d", line.text) and line.item and len(line.text.split()) <= 3:
                    name, number, chosen = line.text.strip(" .,"), None, None
                else:
                    continue
                self._portion(slot, cls, parts, line, name, number, chosen[0] if chosen else "")
                return True
        return False

    def _portion(self, slot: Slot, cls: str, parts: tuple[Slot, Slot, Slot], line: Line, name: str,
                 number: float | None, unit: str) -> None:  # fmt: skip
        amount, in_unit, thing = parts
        if not name:
            return
        iri = self._create(cls, line.text, line, within=self.root)
        of = self._create(thing.value.classes[0], name, line)
        if not iri or not of:
            return
        self._call(thing.tool.name, line, subject=iri, object=of)
        if number is not None:
            self._call(amount.tool.name, line, subject=iri, value=int(number) if number == int(number) else number)
            self._call(in_unit.tool.name, line, subject=iri, object=unit)
        self._call(slot.tool.name, line, subject=self.root, object=iri)

    def _parts(self, cls: str) -> tuple[Slot, Slot, Slot] | None:
        """A class that is an amount of something: a number, a unit of a closed list, and a thing that can be made."""
        slots = self.lexicon.of(cls)
        numbers = [s for s in slots if s.is_number]
        units = [s for s in slots if s.is_object and s.value.choices]
        things = [s for s in slots if s.is_object and not s.value.choices and s.value.classes
                  and s.value.classes[0] in self.lexicon.creators]  # fmt: skip
        return (numbers[0], units[0], things[0]) if numbers and units and things else None

    def _unit(self, slot: Slot, rest: str) -> tuple[str, str] | None:
        """The unit a text begins with, by its IRI, and what comes after it."""
        text = rest.lstrip()
        best: tuple[int, str] | None = None
        begins: dict[int, tuple[str, str]] = {}  # what the text begins with, by its length, and its key
        for size, spelled, term in self.lexicon.units_of(slot):
            for length in (size, size + 1, size + 2):
                if length not in begins:
                    begins[length] = (text[:length], unit_key(text[:length]))
                taken, said = begins[length]
                same = taken and said == spelled and not text[len(taken) : len(taken) + 1].isalnum()
                if same and (best is None or len(taken.rstrip()) > best[0]):
                    best = (len(taken.rstrip()), term)
        if best is None:
            return None
        return best[1], re.sub(r"^\s*(?:of|de|d'|d’|von)\s+", "", text[best[0] :])

    # "1. Simmer for 20 minutes" --------------------------------------------------------------------------------------

    def _ordered(self) -> tuple[Slot, str, Slot] | None:
        """The property to a class whose members are numbered, the class, and its number."""
        for slot in self.lexicon.of(self.lexicon.root):
            for cls in slot.value.classes if slot.is_object else ():
                for number in self.lexicon.of(cls):
                    if number.is_whole and {"step", "number", "ord", "order", "position", "no"} & {
                        word for phrase in number.phrases for word in (*phrase, *map(str.lower, phrase))
                    }:
                        return slot, cls, number
        return None

    def _step(self, line: Line, slot: Slot, cls: str, number: Slot) -> bool:
        kind = self._kind(cls, line.text)
        if kind not in self.lexicon.creators:
            return False
        argument = next((p.name for p in self.lexicon.creators[kind].parameters if p.property == number.iri), "")
        more = {argument: line.number} if argument else {}
        iri = self._create(kind, f"{line.number}. {line.text}", line, within=self.root, **more)
        if not iri:
            return False
        if not argument:
            self._call(number.tool.name, line, subject=iri, value=line.number)
        self._call(slot.tool.name, line, subject=self.root, object=iri)
        for back in self.lexicon.leads_to(kind, self.lexicon.root):
            self._call(back.tool.name, line, subject=iri, object=self.root)
        self._quantities(iri, kind, line)
        self._uses(iri, kind, line)
        return True

    def _kind(self, cls: str, text: str) -> str:
        """The class below whose name comes first in the text; of several at one place the longest."""
        said = stems(text)
        best: tuple[int, int, str] | None = None
        for below in sorted(self.lexicon.pack.tbox.below.get(cls, ())):
            if below == cls:
                continue
            for phrase in self.lexicon.phrases(below):
                at = find(phrase, said)
                if at is not None and (best is None or (at, -len(phrase), below) < best):
                    best = (at, -len(phrase), below)
        return best[2] if best else cls

    def _quantities(self, iri: str, cls: str, line: Line) -> None:
        for match in _AMOUNT.finditer(line.text):
            number = _number(match[1])
            found = self.lexicon.units.get(unit_key(match[2] or ""))
            if number is None or found is None:
                continue
            slots = self.lexicon.leads_to(cls, found[0])
            if slots:
                value = int(number) if number == int(number) else number
                made = self._call(self.lexicon.creators[found[0]].name, line, value=value, unit=found[1])
                if made.ok:
                    self._call(slots[0].tool.name, line, subject=iri, object=made.iri)

    def _uses(self, iri: str, cls: str, line: Line) -> None:
        """Things of the document that the line names, where one property leads to such things."""
        for other, kind in self.names.within(line.text):
            slots = self.lexicon.leads_to(cls, kind)
            if slots:
                self._call(slots[0].tool.name, line, subject=iri, object=other)

    # "celery contains celery", "Serves 12" ---------------------------------------------------------------------------

    def _told(self, line: Line) -> bool:
        text = line.rest if line.key else line.text
        done = False
        for clause in filter(None, map(str.strip, _CLAUSE.split(text))):
            done = self._relation(clause, line) or done
        return done or self._root_number(line)

    def _relation(self, clause: str, line: Line) -> bool:
        said = stems(clause)
        for slot in self.lexicon.slots:
            for phrase in slot.phrases:
                at = find(phrase, said)
                if at is None or at == 0 or not slot.is_object or not slot.value.choices:
                    continue
                left, right = said[:at], said[at + len(phrase) :]
                subjects = [iri for iri, kind in self.names.called(left)
                            if any(self.lexicon.is_a(kind, d) for d in slot.domain)]  # fmt: skip
                objects = [str(term) for name, term in slot.value.choices
                           if right in (stems(name), *self.lexicon.phrases(str(term)))]  # fmt: skip
                if subjects and objects:
                    return self._call(slot.tool.name, line, subject=subjects[0], object=objects[0]).ok
        return False

    def _root_number(self, line: Line) -> bool:
        """A short line with a property's name beside a number."""
        match = re.search(NUMBER, line.text)
        if not match or not self.root or len(line.text.split()) > 6:
            return False
        said = set(stems(line.text))
        for slot in self.lexicon.of(self.lexicon.root):
            if slot.is_number and any(said.issuperset(phrase) for phrase in slot.phrases):
                return self._number(slot, self.root, match[0], line)
        return False


def _names(said: set[str]) -> bool:
    return bool(said & {*stems("name"), *stems("title"), *stems("label"), "nom", "titr", "titel"})


def _number(text: str) -> float | None:
    """A number as people write it: 1,5 and 1/2, but 1,200 is a thousand.

    >>> _number("3,5"), _number("1,200"), _number("1/2"), _number("2.5.1")
    (3.5, 1200.0, 0.5, None)
    """
    plain = text.replace(" ", "")
    if "/" in plain:
        top, _, bottom = plain.partition("/")
        return float(top) / float(bottom) if top.isdigit() and bottom.isdigit() and int(bottom) else None
    if re.fullmatch(r"[-+]?\d{1,3}(,\d{3})+(\.\d+)?", plain):
        plain = plain.replace(",", "")
    elif re.fullmatch(r"[-+]?\d+,\d+", plain):
        plain = plain.replace(",", ".")
    try:
        return float(plain)
    except ValueError:
        return None


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

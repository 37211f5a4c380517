"""Plain sentences read by patterns: mentions, what a property's words point at, and which mention it is about."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kgnb.agents.kg_construction.desk import Desk
from kgnb.agents.kg_construction.lexicon import Lexicon, Slot, stems
from kgnb.agents.kg_construction.passages import Passage
from kgnb.kg.words import words

_MONTH = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sep(?:t(?:ember)?)?|Oct(?:ober)?|"
    r"Nov(?:ember)?|Dec(?:ember)?)"
)
_DATE = re.compile(
    rf"\b(?:\d{{4}}-\d{{2}}-\d{{2}}|(?P<d1>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<m1>{_MONTH})\.?,? (?P<y1>\d{{4}})|"
    rf"(?P<m2>{_MONTH})\.? (?P<d2>\d{{1,2}})(?:st|nd|rd|th)?,? (?P<y2>\d{{4}}))\b"
)
_QUOTED = re.compile(r"[\"“]([^\"“”]{1,120})[\"”]")
_NUMBER = re.compile(r"(?<![\w.])-?\d[\d,]*(?:\.\d+)?(?![\w])")
_TITLE = r"[A-ZÀ-ÞŁŚŻČŠŽĐ0-9][\w'’.\-&]*"
_JOIN = r"(?:of|the|de|la|le|du|des|der|von|van|da|di|and|for|in|at|on|y|e|&|to)"
_NAME = re.compile(rf"{_TITLE}(?:(?:\s+{_JOIN}){{0,2}}\s+{_TITLE}|\s*\([^()]{{1,40}}\))*")
_LEADING = re.compile(r"^(?:The|A|An|In|On|At|It|Its|His|Her|He|She|They|This|That|Both|With|From|As|Also|There)\s+")
_PRONOUNS = frozenset(
    "it its he she they his her this there the a an in on at who also both and with from as i".split()  # noqa: SIM905
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"“])")
_EMPTY = {"is", "has", "of", "the", "a", "an", "in", "by", "to", "at", "on", "for", "and", "part", "number", "name"}
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NUMBERS = frozenset({"number", "numeric", "integer", "float", "double", "decimal", "quantity", "int"})
_DATES = {"date", "year", "time", "datetime", "gyear"}


@dataclass(frozen=True, slots=True)
class Mention:
    """Something a sentence names: its text as it is to be written, its kind, and where it stands in the sentence."""

    text: str
    kind: str  # name, number, date, quoted
    start: int
    end: int


def mentions(sentence: str) -> list[Mention]:
    """What a sentence names, left to right, none inside another.

    >>> [(one.kind, one.text) for one in mentions("The Ambre Hut was built on 7th April, 1905 with 28 beds.")]
    [('name', 'Ambre Hut'), ('date', '1905-04-07'), ('number', '28')]
    """
    found: list[Mention] = []
    taken: list[tuple[int, int]] = []

    def free(start: int, end: int) -> bool:
        return all(end <= one or start >= other for one, other in taken)

    for match in _DATE.finditer(sentence):
        found.append(Mention(_iso(match), "date", match.start(), match.end()))
        taken.append(match.span())
    for match in _QUOTED.finditer(sentence):
        if free(*match.span()):
            found.append(Mention(match[1].strip(), "quoted", match.start(), match.end()))
            taken.append(match.span())
    for match in _NAME.finditer(sentence):
        if not free(*match.span()) or match[0][0].isdigit():
            continue
        text, start = match[0].rstrip(".,'"), match.start()
        while (lead := _LEADING.match(text)) is not None:
            text, start = text[lead.end() :], start + lead.end()
        if not text or text.casefold() in _PRONOUNS or not re.search(r"\w", text):
            continue
        found.append(Mention(text, "name", start, start + len(text)))
        taken.append((start, start + len(text)))
    for match in _NUMBER.finditer(sentence):
        if free(*match.span()):
            found.append(Mention(match[0].replace(",", ""), "number", match.start(), match.end()))
            taken.append(match.span())
    return sorted(found, key=lambda one: one.start)


def _iso(match: re.Match[str]) -> str:
    if match["y1"] is None and match["y2"] is None:
        return match[0]
    day, month, year = (
        (match["d1"], match["m1"], match["y1"]) if match["y1"] else (match["d2"], match["m2"], match["y2"])
    )
    return f"{year}-{_MONTHS.index(month[:3].lower()) + 1:02d}-{int(day):02d}"


def read_sentences(lexicon: Lexicon, desk: Desk, passage: Passage) -> None:
    """Writes the facts that the sentences of a passage state in the words of the ontology."""
    topic: Mention | None = None
    at = 0
    for sentence in _SENTENCE.split(passage.text):
        begin = passage.text.find(sentence, at)
        at = begin + len(sentence)
        found = mentions(sentence)
        first = next((one for one in found if one.kind in ("name", "quoted")), None)
        starts_anew = first is not None and (first.start <= 12 or topic is None)
        topic = first if starts_anew else topic
        for slot, subject, value in _facts(lexicon, sentence, found, topic):
            _write(lexicon, desk, passage, slot, subject, value, sentence)


def _facts(
    lexicon: Lexicon, sentence: str, found: Sequence[Mention], topic: Mention | None
) -> Iterator[tuple[Slot, Mention, Mention]]:
    if topic is None:
        return
    for slot in lexicon.slots:
        place = _trigger(slot, sentence)
        if place is None:
            continue
        wanted = _wanted(lexicon, slot)
        fitting = [one for one in found if _fits(one, wanted) and one != topic and one.text != topic.text]
        fitting = [one for one in fitting if one.end <= place[0] or one.start >= place[1]] or fitting
        if not fitting:
            continue
        after = [one for one in fitting if one.start >= place[1]]
        near = min(after or fitting, key=lambda one: min(abs(one.start - place[1]), abs(place[0] - one.end)))
        for value in _joined(near, fitting, sentence):
            yield slot, topic, value


def _joined(first: Mention, fitting: Sequence[Mention], sentence: str) -> list[Mention]:
    """A mention with those it is listed with: "Cook and Warden", "a, b and c"."""
    chosen = [first]
    for one in fitting:
        if one.start >= chosen[-1].end and re.fullmatch(
            r"\s*(?:,|and|&|,\s*and)\s*", sentence[chosen[-1].end : one.start]
        ):
            chosen.append(one)
    return chosen


def _trigger(slot: Slot, sentence: str) -> tuple[int, int] | None:
    """Where the words of a property stand in a sentence: all that say something, close to one another."""
    tokens = [(match.start(), match.end(), match[0]) for match in re.finditer(r"[^\W_]+", sentence)]
    said = [(stems(token) or (token.casefold(),))[0] for _, _, token in tokens]
    for phrase in slot.phrases:
        wanted = [word for word in phrase if word not in _EMPTY] or list(phrase)
        places = []
        for word in wanted:
            at = next((n for n, other in enumerate(said) if _alike(word, other)), None)
            if at is None:
                break
            places.append(at)
        else:
            if max(places) - min(places) <= 2 * len(wanted) + 2:
                return tokens[min(places)][0], tokens[max(places)][1]
    return None


def _alike(word: str, other: str) -> bool:
    """Whether two stems are forms of one word: equal, or with one long beginning."""
    if word == other:
        return True
    size = min(len(word), len(other))
    return size >= 4 and word[:size] == other[:size] or size >= 5 and word[:5] == other[:5]


def _wanted(lexicon: Lexicon, slot: Slot) -> str:
    """What kind of mention a property takes."""
    if not slot.is_object:
        datatype = (slot.value.datatypes or ("",))[0].rsplit("#", 1)[-1].lower()
        return "number" if slot.is_number else "date" if datatype in _DATES else "any"
    names = {word for cls in slot.value.classes for word in words(re.split(r"[#/]", cls)[-1])}
    names |= {"".join(words(re.split(r"[#/]", cls)[-1])) for cls in slot.value.classes}
    return "number" if names & _NUMBERS else "date" if names & _DATES else "name"


def _fits(one: Mention, wanted: str) -> bool:
    if wanted == "date":
        return one.kind == "date" or (one.kind == "number" and re.fullmatch(r"1\d{3}|20\d{2}", one.text) is not None)
    return wanted == "any" or one.kind == wanted or (wanted == "name" and one.kind == "quoted")


def _write(
    lexicon: Lexicon, desk: Desk, passage: Passage, slot: Slot, subject: Mention, value: Mention, quote: str
) -> None:
    start = _entity(lexicon, desk, passage, slot.domain, subject.text, quote)
    if not start:
        return
    if not slot.is_object:
        number = float(value.text) if slot.is_number else 0.0
        plain: object = value.text if not slot.is_number else int(number) if number == int(number) else number
        desk.call(slot.tool.name, {"subject": start, "value": plain}, passage, quote)
        return
    end = _entity(lexicon, desk, passage, slot.value.classes, value.text, quote)
    if end:
        desk.call(slot.tool.name, {"subject": start, "object": end}, passage, quote)


def _entity(lexicon: Lexicon, desk: Desk, passage: Passage, classes: Sequence[str], label: str, quote: str) -> str:
    """The IRI of an entity so called, of the first class that can be made."""
    for entity in desk.entities.values():
        if entity.arguments.get("label") == label and (
            not classes or any(lexicon.is_a(entity.term, cls) for cls in classes)
        ):
            return entity.iri
    cls = next((one for one in (*classes, *((lexicon.root,) if not classes else ())) if one in lexicon.creators), "")
    if not cls:
        return ""
    return desk.call(lexicon.creators[cls].name, {"label": label}, passage, quote).iri

"""Plain sentences read by patterns: mentions, what a property's words point at, and which mention it is about."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

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
_JOIN = r"(?:of|the|de|la|le|du|des|der|von|van|da|di|y|e|&)"
_NAME = re.compile(rf"{_TITLE}(?:(?:\s+{_JOIN}){{0,2}}\s+{_TITLE}|\s*\([\w’'-]{{1,40}}\))*")
_COMMON = re.compile(
    r"\s+(?:(?:is|are|was|were|of|the|an?|include|includes|with)\s+)*([^\W\dA-Z]+(?: [^\W\dA-Z]+)?)"
    r"(?=\s*(?:[,.;]|$)|\s(?:and|which|from|in)\b)"
)
_LEADING = re.compile(
    r"^(?:The|A|An|In|On|At|It|Its|His|Her|He|She|They|This|That|Both|With|From|As|Also|There|By|For|When|While|Where|"
    r"After|Before|Since|During|Under|Their)\s+"
)
_PRONOUNS = frozenset(
    "it its he she they his her this there the a an in on at who also both and with from as i after before since "  # noqa: SIM905
    "during under their".split()
)
_SENTENCE = re.compile(r"(?<=[.!?])(?<!\s[A-Z]\.)\s+(?=[A-Z\"“])")
_EMPTY = {word for text in (
    "is has of the a an in by to at on for",
    "and part number name",
) for one in text.split() for word in (one, *stems(one))}  # fmt: skip
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NUMBERS = frozenset({"number", "numeric", "integer", "float", "double", "decimal", "quantity", "int"})
_DATES = {"date", "year", "time", "datetime", "gyear"}
_RELATIVE = re.compile(r"[,;]?\s+(?:which|who|whose|that)\b[^,;]*$")
_PASSIVE = re.compile(r"\b(?:is|are|was|were|be|been|being)\s+(?:\w+ly\s+)?$")
_DOER = re.compile(r"[\"”]?\s+(?:who\s+|has\s+|have\s+)?")
_DEED = re.compile(r"\s+(?:the\s+|a\s+|an\s+)?(?:[a-z]+\s+)?[\"“]?")
_ONWARDS = re.compile(r"\s+(?:by|in|with|for|at|from|on|as|is|are|was|were|called|named)\b")
_FAR = 40  # characters between a property's words and what they point at
_KINDS = {stems(word)[0] for word in ("date", "year", "place", "time", "name", "size", "person", "code", "day")}
"""Words of a property that say what kind of value it has, and need not stand in the sentence."""
_FRAMES: dict[str, frozenset[str]] = {
    stems(word)[0]: frozenset(used.split())
    for word, used in {
        "birth": "born", "death": "died dead dies", "location": "located situated lies stands based found",
        "founded": "established founder set", "founding": "founded established started", "leader": "led leads headed",
        "established": "founded opened", "writer": "wrote written writes penned", "author": "wrote written writes",
        "built": "constructed build erected", "construction": "built", "creator": "created made",
        "manufacturer": "made makes produced built", "maker": "made", "height": "tall high", "length": "long",
        "elevation": "above high", "width": "wide", "depth": "deep", "age": "old", "weight": "weighs heavy",
        "capacity": "holds seats", "alternative": "called aka known", "nickname": "known nicknamed called",
        "runtime": "runs lasts minutes", "duration": "lasts lasted runs", "owner": "owned owns belongs",
        "operator": "run runs operated", "president": "led", "composer": "composed music", "director": "directed",
        "starring": "stars starred star actor actors acted", "publisher": "published",
        "ingredient": "contains made with",
        "alma": "graduated studied attended graduate", "spouse": "married wife husband",
        "child": "son daughter children",
        "parent": "father mother", "employer": "works worked", "employee": "employs people staff",
        "team": "plays played", "club": "plays played", "language": "speaks spoken", "origin": "comes originates from",
        "demonym": "inhabitants people", "replaced": "succeeded", "successor": "succeeded followed",
        "opening": "opened",
        "release": "released", "retirement": "retired", "part": "belongs",
    }.items()
}  # fmt: skip
"""Common verbs for what a property's noun says; general English, of no domain."""


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
        leading = r"\d+" if not match.start() or sentence[: match.start()] == "The " else r"\d{1,2}\.?"
        if not free(*match.span()) or not re.match(rf"\D|{leading} [^\W\d]", match[0]):
            continue
        text, start = match[0].rstrip(".,'"), match.start()
        while (lead := _LEADING.match(text)) is not None:
            text, start = text[lead.end() :], start + lead.end()
        text = re.sub(r"['’]s$", "", text)
        if not text or text.casefold() in _PRONOUNS or not re.search(r"\w", text) or start == 0 and _opens(text):
            continue
        found.append(Mention(text, "name", start, start + len(text)))
        taken.append((start, start + len(text)))
    for match in _NUMBER.finditer(sentence):
        if free(*match.span()):
            found.append(Mention(match[0].replace(",", ""), "number", match.start(), match.end()))
            taken.append(match.span())
    return sorted(found, key=lambda one: one.start)


def _opens(text: str) -> bool:
    """Whether the first word of a sentence is no name but a participle, as in "Born in 1905, she ..."."""
    word = text.casefold()
    return " " not in word and (word.endswith(("ed", "ing")) or any(word in used for used in _FRAMES.values()))


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
        comma = sentence.find(",") if (opener := re.match(r"\w+", sentence)) and _opens(opener[0]) else -1
        first = next((one for one in found if one.kind in ("name", "quoted") and one.start > comma), None)
        starts_anew = first is not None and (first.start <= max(12, comma + 8) or topic is None)
        topic = first if starts_anew else topic
        for slot, subject, value in _facts(lexicon, sentence, found, topic):
            _write(lexicon, desk, passage, slot, subject, value, sentence)


def _facts(
    lexicon: Lexicon, sentence: str, found: Sequence[Mention], topic: Mention | None
) -> Iterator[tuple[Slot, Mention, Mention]]:
    """What the words of properties point at; the closest readings first, and what one of them took no other gets."""
    if topic is None:
        return
    readings = []
    said = _tokens(sentence, found)
    for order, slot in enumerate(lexicon.slots):
        place = _trigger(slot, said)
        if place is None:
            continue
        subject = _owner(found, place, sentence) or _antecedent(found, place, sentence) or topic
        wanted = _wanted(lexicon, slot)
        fitting = [one for one in found if _fits(one, wanted) and one.text != subject.text]
        fitting = [one for one in fitting if one.end <= place[0] or one.start >= place[1] or one.kind == "number"]
        if _ONWARDS.match(sentence, place[1]):
            fitting = [one for one in fitting if one.start >= place[1]]
        if wanted == "name" and not any(_away(one, place, sentence) <= _FAR for one in fitting):
            fitting = list(_plain(sentence, place[1]))
        if _acts(slot, sentence, place) and len(fitting := _done(found, place, sentence, wanted)) == 2:
            fitting, subject = fitting[:1], fitting[1]
        if fitting:
            away, near = min((_away(one, place, sentence), one.start) for one in fitting)
            value = next(one for one in fitting if one.start == near)
            readings.append((away - 2 * (place[1] - place[0]), order, slot, subject, value, fitting))
    taken: set[int] = set()
    for away, _, slot, subject, value, fitting in sorted(readings, key=lambda one: one[:2]):
        if value.start in taken or away > _FAR:
            continue
        for one in _joined(value, fitting, sentence):
            taken.add(one.start)
            yield slot, subject, one


def _plain(sentence: str, start: int) -> Iterator[Mention]:
    """Lower-case words right after a property's: "contains water", "an ingredient is olive oil"."""
    match = _COMMON.match(sentence, start)
    if match and match[1].split()[0] not in _PRONOUNS | _EMPTY | _FRAMES[stems("alternative")[0]]:
        yield Mention(match[1], "name", match.start(1), match.end(1))


def _owner(found: Sequence[Mention], place: tuple[int, int], sentence: str) -> Mention | None:
    """Whose it is where the sentence says so: "the keeper of the Ambre Hut", "the Ambre Hut's keeper"."""
    for one in found:
        if one.kind not in ("name", "quoted"):
            continue
        if re.fullmatch(r"\s+of\s+(?:the\s+)?[\"“]?", sentence[place[1] : one.start]):
            inside = re.search(r"\b(?:in|from|of|at|to|within)\s+the\s+$", sentence[: place[0]])
            return None if inside else one  # "in the valley of Corvane": Corvane is the valley
        if re.fullmatch(r"[\"”]?(?:['’]s?)?\s+", sentence[one.end : place[0]]) and "s" in sentence[one.end : place[0]]:
            return one
    return None


def _acts(slot: Slot, sentence: str, place: tuple[int, int]) -> bool:
    """Whether a property of a doer, as "director", is told by its active verb: "Mira Holt directed"."""
    doer = re.search(r"(?:er|or|By|ors|ers)$", re.split(r"[#/]", slot.iri)[-1]) is not None
    told = sentence[place[0] : place[1]]
    verb = re.fullmatch(r"\w+ed|wrote|led|made|built|runs|leads|owns|directs|writes|makes", told)
    passive = _PASSIVE.search(sentence[: place[0]])
    return doer and verb is not None and passive is None


def _done(found: Sequence[Mention], place: tuple[int, int], sentence: str, wanted: str) -> list[Mention]:
    """Who did it and to what, in "Mira Holt directed the Ambre Hut"."""
    before = [one for one in found if one.end <= place[0] and _DOER.fullmatch(sentence[one.end : place[0]])]
    after = [one for one in found if one.start >= place[1] and _DEED.fullmatch(sentence[place[1] : one.start])]
    pair = [*before[-1:], *after[:1]]
    fit = len(pair) == 2 and _fits(pair[0], wanted) and pair[1].kind in ("name", "quoted")
    return [] if not fit or _ONWARDS.match(sentence, place[1]) else pair


def _antecedent(found: Sequence[Mention], place: tuple[int, int], sentence: str) -> Mention | None:
    """What a relative clause is about: "it lies in Corvane, which is led by Mira Holt"."""
    clause = _RELATIVE.search(sentence, 0, place[0])
    if clause is None:
        return None
    return next((one for one in found if one.kind in ("name", "quoted") and 0 <= clause.start() - one.end <= 1), None)


def _away(one: Mention, place: tuple[int, int], sentence: str) -> int:
    """How far a mention stands from a property's words, in characters; across a clause it counts double."""
    between = sentence[one.end : place[0]] if one.end <= place[0] else sentence[place[1] : one.start]
    return len(between) * (2 if re.search(r"[,;]|\b(?:and|which|who|where|while)\b", between) else 1)


def _joined(first: Mention, fitting: Sequence[Mention], sentence: str) -> list[Mention]:
    """A mention with those it is listed with: "Cook and Warden", "a, b and c"; "Brig, Valais" is no list."""
    chosen, listed = [first], 1
    for one in fitting:
        between = sentence[chosen[-1].end : one.start]
        if one.start >= chosen[-1].end and re.fullmatch(r"\s*(?:,|and|&|,\s*and)\s*", between):
            chosen.append(one)
            listed = len(chosen) if "and" in between or "&" in between else listed
    return chosen[:listed]


@dataclass(frozen=True, slots=True)
class _Token:
    """A word of a sentence as it is written, its stem, and where it stands."""

    text: str
    stem: str
    start: int
    end: int


def _tokens(sentence: str, found: Sequence[Mention]) -> list[_Token]:
    """The words that may stand for a property: those inside a longer name do not."""
    named = [one for one in found if one.kind == "quoted" or one.kind == "name" and " " in one.text]
    return [
        _Token(match[0].casefold(), _stem(match[0].casefold()), match.start(), match.end())
        for match in re.finditer(r"[^\W_]+", sentence)
        if not any(one.start <= match.start() < one.end for one in named)
    ]


def _stem(word: str) -> str:
    return "find" if word == "found" else (stems(word) or (word,))[0]  # no form of "to found"


def _trigger(slot: Slot, said: Sequence[_Token]) -> tuple[int, int] | None:
    """Where the words of a property stand in a sentence: all that say something, close to one another.

    A word of the property may stand as another that is used for it: "born" for birth, "wrote" for writer.
    """
    for phrase in slot.phrases:
        wanted = [word for word in phrase if word not in _EMPTY] or list(phrase)
        places = []
        for word in wanted:
            at = next((n for n, token in enumerate(said) if _alike(word, token.stem)), None)
            if at is None and word in _FRAMES:
                at = next((n for n, token in enumerate(said) if token.text in _FRAMES[word]), None)
            if at is not None:
                places.append(at)
            elif word not in _KINDS:
                break
        else:
            if places and max(places) - min(places) <= 2 * len(wanted) + 2:
                return said[min(places)].start, said[max(places)].end
    return None


@lru_cache(maxsize=1 << 16)
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
    for entity in desk.labelled(label):
        if not classes or any(lexicon.is_a(entity.term, cls) for cls in classes):
            return entity.iri
    cls = next((one for one in (*classes, *((lexicon.root,) if not classes else ())) if one in lexicon.creators), "")
    if not cls:
        return ""
    return desk.call(lexicon.creators[cls].name, {"label": label}, passage, quote).iri

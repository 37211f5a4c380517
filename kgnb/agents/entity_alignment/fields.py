"""Fields of records: what kind of value a property holds, and how alike two values of a kind are.

Kinds: text (names, addresses, titles), number (with or without a unit), date, phone, mail, url and
code (identifiers). A kind is read off the values, never off the header, which may be in any
language. Two columns with few values may be one of category: red goes together with tinto.
Similarities lie between 0 and 1, and mean the same for every kind: 1 equal, from ``CLOSE`` on
written differently, from ``PARTLY`` on partly equal.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from itertools import product
from operator import itemgetter
from typing import Literal as OneOf
from typing import NamedTuple

import numpy as np
import scipy
from dateutil import parser as dates
from numpy.typing import NDArray
from rapidfuzz import process
from rapidfuzz.distance import OSA, Indel

from kgnb.agents.entity_alignment.graphs import EntityGraph
from kgnb.agents.entity_alignment.names import ANY_URI, folded, in_two_scripts, romanised
from kgnb.kg.columns import NAMING
from kgnb.kg.vocabulary import TYPE
from kgnb.results.bundle import count
from kgnb.vectors.reproducible import log

Kind = OneOf["text", "number", "date", "phone", "mail", "url", "code", "category"]
Singles = NDArray[np.float32]
Longs = NDArray[np.int64]

CLOSE, PARTLY, SLIGHTLY = 0.85, 0.6, 0.35  # similarities that the levels of agreement begin at
VALUES = 3  # of a property of one entity that are compared
CATEGORIES = 30  # values up to which it is counted how two columns go together
_OFTEN = 4  # rows with a word that is counted so
MISSING = frozenset(
    {"", "-", "--", "n/a", "na", "none", "null", "nan", "unknown", "?", "tbd", "k.a.", "unbekannt"}
)
_MAIL = re.compile(r"[^@\s]+@[^@\s]+\.[a-z]{2,}", re.IGNORECASE)
_URL = re.compile(r"(?:https?://|www\.)\S+|[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}(?:/\S*)?", re.IGNORECASE)
_PHONE = re.compile(
    r"(?:tel\.?:?|phone:?)?\s*[+(]?\d[\d\s()/.\-–]{4,}\d(?:\s*(?:x|ext\.?)\s*\d+)?", re.IGNORECASE
)
_YMD = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[T ].*)?")
_DMY = re.compile(r"(\d{1,2})[./\- ]+(\d{1,2})[./\- ]+(\d{4}|\d{2})")
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d")
_MONTHLY = re.compile(
    rf"(?P<m>\d{{1,2}})[./-](?P<y>{_YEAR.pattern})|(?P<yy>{_YEAR.pattern})[-/](?P<mm>\d{{1,2}})"
)
_SPAN = re.compile(rf"\(?({_YEAR.pattern}) ?[-–/] ?({_YEAR.pattern})\)?")
_AROUND = " \t\n.,;()[]"  # a date, as a citation has it: (1998),
_CLOCK = re.compile(r"(?:(\d+):)?(\d{1,2}):(\d\d)")
_MONTH = re.compile(r"[A-Za-z]{3,9}\.?", re.ASCII)
_NUMBER = re.compile(r"[-+]?\d[\d.,'\u00a0\u202f ]*")
_UNITED = re.compile(
    r"^[^\w+-]*[-+]?\d[\d.,'\u00a0\u202f ]*\s*[^\W\d]{0,6}[\s/²³°%$€£]*[^\W\d]{0,3}$"
)
_INITIAL = re.compile(r"(?:^|[\s,])[^\W\d]\.?(?:[\s,]|$)")
_CODE = re.compile(r"(?=.*\d)(?!.*[a-zß-ÿ]{6})[\w./\-]{3,40}")  # 2-chlorotoluene is a name

LEGAL = frozenset(
    "gmbh mbh ag kg kgaa ohg ug se ltd limited inc incorporated corp corporation co company llc llp lp plc sa sas sarl "
    "sasu eurl srl spa sl slu bv nv cv oy oyj ab as asa aps ivs kft zrt doo sro pty pte ek ev eg gesellschaft "
    "beschrankter haftung mit aktiengesellschaft societe anonyme responsabilite limitee besloten vennootschap "
    "naamloze societa azioni a l s b v".split()
)
"""Words of legal forms; they say little about which company is meant."""
COMMON = frozenset(
    "the and und et y e of der die das le la les de du des di von for fur in und the a "
    "x mm g ml".split()
)
NICKNAMES = {
    name: short
    for names, short in (
        ("robert bob bobby rob", "robert"),
        ("william bill billy will", "william"),
        ("michael mike mick", "michael"),
        ("thomas tom tommy", "thomas"),
        ("charles charlie chuck", "charles"),
        ("daniel dan danny", "daniel"),
        ("matthew matt", "matthew"),
        ("elizabeth liz lizzy beth betty", "elizabeth"),
        ("margaret maggie peggy", "margaret"),
        ("susan sue susie", "susan"),
        ("katherine catherine kate kathy cathy", "katherine"),
        ("alexander alex sascha", "alexander"),
        ("benjamin ben", "benjamin"),
        ("samuel sam", "samuel"),
        ("joseph joe josef", "joseph"),
        ("andrew andy", "andrew"),
        ("james jim jimmy", "james"),
        ("john johnny jack", "john"),
        ("richard rick dick", "richard"),
        ("edward ed eddie ted", "edward"),
        ("christopher chris", "christopher"),
        ("anthony tony", "anthony"),
        ("steven stephen steve", "steven"),
        ("patricia pat patty", "patricia"),
        ("jennifer jenny jen", "jennifer"),
        ("johannes hannes hans", "johannes"),
        ("nicholas nick", "nicholas"),
        ("gregory greg", "gregory"),
        ("frederick fred", "frederick"),
        ("david dave", "david"),
    )
    for name in names.split()
}
UNITS = {
    "mg": 1e-3,
    "g": 1.0,
    "kg": 1e3,
    "t": 1e6,
    "oz": 28.3495,
    "lb": 453.592,
    "lbs": 453.592,
    "mm": 1e-3,
    "cm": 1e-2,
    "m": 1.0,
    "km": 1e3,
    "in": 0.0254,
    "inch": 0.0254,
    "ft": 0.3048,
    "mi": 1609.34,
    "ml": 1e-3,
    "cl": 1e-2,
    "l": 1.0,
    "s": 1.0,
    "sec": 1.0,
    "min": 60.0,
    "h": 3600.0,
    "kb": 1e3,
    "mb": 1e6,
    "gb": 1e9,
    "tb": 1e12,
    "w": 1.0,
    "kw": 1e3,
    "mw": 1e6,
    "k": 1e3,
    "mio": 1e6,
    "mrd": 1e9,
    "million": 1e6,
    "billion": 1e9,
}
"""Factors between units of the same quantity; across quantities numbers are compared as they are."""


def plain(text: str) -> str:
    """A value for comparison: folded, German umlauts in either spelling the same.

    >>> plain("Müller & Söhne"), plain("Mueller")
    ('muller sohne', 'muller')
    """
    found = folded(text.replace("ß", "ss"))
    return (
        found.replace("ae", "a").replace("oe", "o").replace("ue", "u") if found.isascii() else found
    )


def readings(text: str) -> frozenset[tuple[int, int, int]]:
    """The dates (year, month, day; 0 where not stated) that a text may mean, or spans.

    >>> sorted(readings("02.03.1940")), sorted(readings("1950")), sorted(readings("2 January 1931"))
    ([(1940, 2, 3), (1940, 3, 2)], [(1950, 0, 0)], [(1931, 1, 2)])
    """
    text = text.strip(_AROUND)
    if match := _YMD.fullmatch(text):
        year, month, day = map(int, match.groups())
        return _valid([(year, month, day)])
    if match := _DMY.fullmatch(text):
        one, other, year = map(int, match.groups())
        year += 0 if year > 99 else 2000 if year < 30 else 1900
        return _valid([(year, other, one), (year, one, other)])
    if _YEAR.fullmatch(text):
        return frozenset({(int(text), 0, 0)})
    if match := _MONTHLY.fullmatch(text):
        return _valid([(int(match["y"] or match["yy"]), int(match["m"] or match["mm"]), 0)])
    if match := _SPAN.fullmatch(text):
        return frozenset((int(year), 0, 0) for year in match.groups())
    if len(text) < 30 and _MONTH.search(text) and re.search(r"\d{4}", text):
        try:
            found = dates.parse(text, dayfirst=True)
        except (ValueError, OverflowError):
            return frozenset()
        return frozenset(
            {(found.year, found.month, found.day if re.search(r"\b\d{1,2}\b", text) else 0)}
        )
    return frozenset()


def _valid(found: list[tuple[int, int, int]]) -> frozenset[tuple[int, int, int]]:
    return frozenset(one for one in found if one[1] <= 12 and one[2] <= 31)


def amounts(text: str) -> tuple[tuple[float, ...], ...]:
    """The numbers in a text, each as everything that it may mean: 1.250 is 1250 or 1.25; units are
    counted in.

    >>> amounts("0.66 kg"), amounts("1.206,99 €"), amounts("1,250")
    (((660.0, 0.66),), ((1206.99,),), ((1250.0, 1.25),))
    """
    if match := _CLOCK.fullmatch(text.strip()):
        hours, minutes, seconds = (int(part or 0) for part in match.groups())
        return ((3600.0 * hours + 60 * minutes + seconds,),)
    found = []
    for match in _NUMBER.finditer(text):
        meant = _meant(match[0])
        unit = re.match(r"\s*([a-z]+)", text[match.end() :], re.IGNORECASE)
        factor = UNITS.get(unit[1].lower(), 1.0) if unit else 1.0
        every = [round(value * factor, 9) for value in meant] + meant
        if meant:
            found.append(tuple(dict.fromkeys(every)))
    return tuple(found)


def _meant(written: str) -> list[float]:
    """What a number may mean, as points and commas separate thousands or decimals."""
    digits = re.sub(r"[\s'\u00a0\u202f]", "", written).strip(".,")
    points, commas = digits.count("."), digits.count(",")
    if points and commas:
        last = max(digits.rfind("."), digits.rfind(","))
        texts = [re.sub("[.,]", "", digits[:last]) + "." + digits[last + 1 :]]
    elif points + commas > 1:
        texts = [re.sub("[.,]", "", digits)]
    elif points + commas and re.fullmatch(r"[-+]?\d{1,3}[.,]\d{3}", digits):
        texts = [re.sub("[.,]", "", digits), digits.replace(",", ".")]
    else:
        texts = [digits.replace(",", ".")]
    return [float(text) for text in texts if re.fullmatch(r"[-+]?\d+(\.\d+)?", text)]


_amounts = lru_cache(maxsize=200_000)(amounts)


@dataclass(frozen=True, eq=False)
class RecordField:
    """One property of one side: its different values, and which of them each entity has."""

    name: str  # as a person reads it
    kind: Kind
    texts: tuple[str, ...]  # the different values
    held: Longs  # (entities, VALUES): positions in texts, -1 for none
    joined: frozenset[str] = frozenset()  # codes that some value writes as one word

    @cached_property
    def often(self) -> Longs:
        """How many entities hold each value."""
        found: Longs = np.bincount(self.held[self.held >= 0], minlength=len(self.texts))
        return found

    @cached_property
    def tokens(self) -> tuple[tuple[str, ...], ...]:
        """The words of each value."""
        spelt = (_joined(words(text), self.joined) for text in self.texts)
        return tuple(tuple(dict.fromkeys(found)) for found in spelt)

    @cached_property
    def alike(self) -> dict[RecordField, scipy.sparse.csr_matrix]:
        """How alike its words and those of other fields are, as far as it was asked: it takes long."""
        return {}

    @cached_property
    def initials(self) -> bool:
        """Whether single letters are people's initials, and no words of grammar."""
        return sum(map(bool, map(_INITIAL.search, self.texts))) > 0.05 * len(self.texts)

    @cached_property
    def middle(self) -> float:
        """The median of its numbers; 0 for none."""
        found = [numbers[0][0] for numbers in map(_amounts, self.texts) if numbers]
        return float(np.median(found)) if found else 0.0

    @cached_property
    def length(self) -> float:
        """Words of a value, on average."""
        return float(np.mean([len(one) for one in self.tokens])) if self.tokens else 0.0

    @cached_property
    def few(self) -> bool:
        """Whether it has few values, each many times."""
        return 1 < len(self.texts) <= min(CATEGORIES, int(self.often.sum()) // 4)

    @cached_property
    def parts(self) -> scipy.sparse.csr_matrix:
        """What of its values goes together with values of another field: each itself, or its words
        that come often.
        """
        listed = [(text,) for text in self.texts] if self.few else self.tokens
        often: Counter[str] = Counter()
        for number, words_ in zip(self.often.tolist(), listed, strict=True):
            often.update(dict.fromkeys(words_, number))
        place = {
            word: at for at, word in enumerate(w for w in often if self.few or often[w] >= _OFTEN)
        }
        kept = [[place[word] for word in words_ if word in place] for words_ in listed]
        indptr = np.cumsum([0, *map(len, kept)])
        indices = np.array([at for one in kept for at in one], dtype=np.int64)
        shape = (len(self.texts), len(place))
        return scipy.sparse.csr_matrix((np.ones(len(indices)), indices, indptr), shape=shape)

    @property
    def filled(self) -> float:
        """The share of the entities that have a value."""
        return float((self.held[:, 0] >= 0).mean()) if len(self.held) else 0.0


_DECIMAL = re.compile(r"(?<![\d.,])(\d+)[.,](\d{1,2})(?![\d.,])")
_MEASURED = re.compile(r"(?<![\w.,])(\d+(?:[.,]\d+)?) ?(kg|l|cl|cm)\b", re.IGNORECASE)
_SMALLER = {"kg": 1000, "l": 1000, "cl": 10, "cm": 10}  # of g, ml and mm
_NORMS = "din|iso|en|mm|cm|mah|ghz|mhz|ohm|pcs|stk"
_FIGURES = re.compile(
    rf"(?:[^\W\d]{{1,2}}|{_NORMS})?\d+(?:dot\d+)?(?:[^\W\d]\d+(?:dot\d+)?)*(?:[^\W\d]{{1,2}}|{_NORMS})?"
)
_PARTS = re.compile(r"\d+(?:dot\d+)?|[^\W\d]+")


def words(text: str) -> list[str]:
    """The words of a text as they are compared; in sizes and codes, figures are words of their own.

    >>> words("M8x40, DIN933, A2"), words("1,50 kg"), words("1500g")
    (['m', '8', 'x', '40', 'din', '933', 'a', '2'], ['1500'], ['1500', 'g'])
    """
    if not any(map(str.isdigit, text)):
        return plain(text).split()
    text = _MEASURED.sub(_in_smaller, text)
    text = _DECIMAL.sub(lambda m: f"{m[1]}dot{m[2]}".rstrip("0").removesuffix("dot"), text)
    found: list[str] = []
    for word in plain(text).split():
        found += _PARTS.findall(word) if _FIGURES.fullmatch(word) else [word]
    return found


def _joined(spelt: list[str], codes: frozenset[str]) -> list[str]:
    """The words with those joined that together are a code.

    >>> _joined(["saw", "pws", "12", "xl"], frozenset({"pws12xl"}))
    ['saw', 'pws12xl']
    """
    found: list[str] = []
    at = 0
    while at < len(spelt):
        lengths = (n for n in _CODE_PARTS if "".join(spelt[at : at + n]) in codes)
        length = next(lengths, 1)
        found.append("".join(spelt[at : at + length]))
        at += length
    return found


_CODE_PARTS = (3, 2)  # words that a code is written in, most first


def _in_smaller(measure: re.Match[str]) -> str:
    amount = float(measure[1].replace(",", ".")) * _SMALLER[measure[2].lower()]
    return f"{amount:.0f}" if amount == int(amount) else measure[0]


LONGEST = 2_000
"""Characters of a value that are compared; the longest of the benchmarks has 520."""


def said_of_long_values(*graphs: EntityGraph) -> list[str]:
    """How many values are compared by their beginnings, if any are."""
    long = sum(
        len(value.text) > LONGEST for graph in dict.fromkeys(graphs) for value in graph.values
    )
    return [
        f"{count(long, 'value')} of more than {LONGEST:,} characters: only the beginning is compared"
    ] * bool(long)


def fields_of_both(
    left: EntityGraph, right: EntityGraph
) -> tuple[list[RecordField], list[RecordField]]:
    """The fields of either side, romanised where the two write in different scripts."""
    texts = [[value.text[:LONGEST] for value in graph.values] for graph in (left, right)]
    foreign = in_two_scripts(*texts)
    sides = [_fields_of(graph, foreign) for graph in dict.fromkeys((left, right))]
    codes = frozenset(
        word
        for fields in sides
        for field in fields
        for text in field.texts
        for word in words(text)
        if not word.isdecimal() and any(map(str.isdigit, word))
    )
    spelt = [[replace(field, joined=codes) for field in fields] for fields in sides]
    return spelt[0], spelt[-1]


def _fields_of(graph: EntityGraph, foreign: bool) -> list[RecordField]:
    """The properties of a graph as fields; without names among the values, the names are one."""
    found: list[RecordField] = []
    held: dict[int, dict[int, list[str]]] = {}
    for entity, attribute, value in graph.attribute_triples.tolist():
        one = graph.values[value]
        if graph.attributes[attribute] == TYPE or one.text.strip().casefold() in MISSING:
            continue
        texts = held.setdefault(attribute, {}).setdefault(entity, [])
        if len(texts) < VALUES:
            text = _readable(graph, one.text) if one.datatype == ANY_URI else one.text
            text = text[:LONGEST]
            texts.append(romanised(text) if foreign else text)
    for attribute, values in held.items():
        field = _field(graph.word(graph.attributes[attribute]), values, len(graph))
        if not _numbers_rows(field, graph) and not any(_same_values(field, one) for one in found):
            found.append(field)
    spelt = [[plain(name)] for name in graph.names]
    known = any(
        sum(plain(text) in name for at, name in enumerate(spelt) for text in values.get(at, ()))
        > len(graph) / 4
        for values in held.values()
    )
    if any(graph.names) and not known:
        found.append(
            _field(
                "name",
                {
                    at: [romanised(name[:LONGEST]) if foreign else name[:LONGEST]]
                    for at, name in enumerate(graph.names)
                    if name
                },
                len(graph),
            )
        )
    return found


def _numbers_rows(field: RecordField, graph: EntityGraph) -> bool:
    """Whether a column only numbers the rows of its own table: short whole numbers, the last part of
    each one's IRI.
    """
    if len(field.texts) < len(graph) or not all(
        text.isdecimal() and len(text) < 7 for text in field.texts
    ):
        return False
    own = (field.texts[at] for at in field.held[:, 0].tolist())
    return all(iri.endswith(f"/{text}") for iri, text in zip(graph.entities, own, strict=True))


def _same_values(one: RecordField, other: RecordField) -> bool:
    return one.texts == other.texts and bool((one.held == other.held).all())


def _readable(graph: EntityGraph, iri: str) -> str:
    return iri if _URL.fullmatch(iri) and iri not in graph.labels else graph.word(iri)


def _field(name: str, values: dict[int, list[str]], size: int) -> RecordField:
    places: dict[str, int] = {}
    held = np.full((size, VALUES), -1, dtype=np.int64)
    for entity, texts in values.items():
        for at, text in enumerate(texts):
            held[entity, at] = places.setdefault(text, len(places))
    return RecordField(name, kind_of(list(places)), tuple(places), held)


def kind_of(texts: Sequence[str]) -> Kind:
    """The kind of most of these values.

    >>> kind_of(["+43 1 234567", "0662/88 12 34"]), kind_of(["12.05.1990", "1990-05-13"])
    ('phone', 'date')
    >>> kind_of(["2,264 m", "1987 m"]), kind_of(["Graz", "Wien"]), kind_of(["DE2712", "AT99"])
    ('number', 'text', 'code')
    """
    counts: dict[Kind, int] = {}
    for text in texts:
        one = _kind(text.strip())
        counts[one] = counts.get(one, 0) + 1
    if not counts:
        return "text"
    kind, number = max(counts.items(), key=lambda item: (item[1], item[0]))
    if number >= 0.6 * len(texts):
        return kind
    # 67-64-1 and 7647-14-5 are identifiers of different lengths
    digits = sum(counts.get(one, 0) for one in DIGITS)
    return "code" if digits >= 0.6 * len(texts) and "code" in counts else "text"


def _kind(text: str) -> Kind:
    digits = sum(map(str.isdigit, text))
    if _MAIL.fullmatch(text):
        return "mail"
    if _URL.fullmatch(text) and not text[:1].isdigit():
        return "url"
    if readings(text):
        return "date"
    if re.fullmatch(r"[-+]?\d+([.,]\d+)?", text) and digits < 7:
        return "number"
    if 6 <= digits <= 16 and _PHONE.fullmatch(text) and not re.search(r"\.\d{3}\.\d{3}|,", text):
        return "phone"
    if digits and (_UNITED.fullmatch(text) or _CLOCK.fullmatch(text)):
        return "number"
    return "code" if digits and _CODE.fullmatch(text) else "text"


DIGITS: frozenset[Kind] = frozenset({"phone", "number", "code"})


def comparable(one: Kind, other: Kind) -> Kind | None:
    """As what values of two kinds are compared; None if they are not."""
    if one == other:
        return one
    pair = {one, other}
    if "text" in pair:
        return "text"
    if pair == {"date", "number"}:
        return "date"
    if pair <= DIGITS:
        return "phone" if "phone" in pair else "code"
    # a host or an account by its short name: web04 and web04.example.org
    return "text" if "code" in pair and pair & {"mail", "url"} else None


Compare = Callable[[str, str], float]


@lru_cache(maxsize=200_000)
def _digits_only(text: str) -> str:
    text = text.lower().strip()
    main = re.split(r"x|ext", text)[0] if text[:1] not in "ex" else text  # x204 is all there is
    return re.sub(r"\D", "", main).lstrip("0")


def same_phone(one: str, other: str) -> float:
    """1 for the same number with or without its prefix, ``CLOSE`` with one digit wrong."""
    one, other = _digits_only(one), _digits_only(other)
    short = min(len(one), len(other), 9)
    if short < 5:
        ends = short >= 4 and (one.endswith(other) or other.endswith(one))  # an extension
        return 1.0 if one == other and one else CLOSE * ends
    if one.endswith(other[-short:]) or other.endswith(one[-short:]):
        return 1.0
    for taken in (short, 7):
        if short >= taken and one[-taken:] == other[-taken:]:
            return 0.95
    return CLOSE if OSA.distance(one[-short:], other[-short:]) <= 1 else 0.0


def same_date(one: str, other: str) -> float:
    """1 for the same day, ``CLOSE`` where one states less, less for a slip in one part; of two spans
    of years the less alike ends.
    """
    if (mine := _SPAN.fullmatch(one)) and (yours := _SPAN.fullmatch(other)):
        return min(map(same_date, mine.groups(), yours.groups()))
    return max(
        (_alike_dates(*dates_) for dates_ in product(_readings(one), _readings(other))), default=0.0
    )


_readings = lru_cache(maxsize=200_000)(readings)


def _alike_dates(one: tuple[int, int, int], other: tuple[int, int, int]) -> float:
    if one == other:
        return 1.0
    said = [(mine, yours) for mine, yours in zip(one, other, strict=True) if mine and yours]
    equal = sum(mine == yours for mine, yours in said)
    if equal == len(said):
        return CLOSE
    if len(said) == 3 and equal == 2:
        return 0.5
    if len(said) == 1 and abs(one[0] - other[0]) == 1:
        return SLIGHTLY
    return 0.0


def same_number(one: str, other: str, scale: float = 1.0) -> float:
    """1 for equal amounts in any unit and notation, less as they differ by 1 % and 10 %; the other's
    may have to be multiplied by ``scale``.
    """
    mine = _amounts(one)
    yours = tuple((*meant, *(number * scale for number in meant)) for meant in _amounts(other))
    if not mine or not yours:
        return float(plain(one) == plain(other))
    few, many = sorted((mine, yours), key=len)
    return min(max(_near(number, another) for another in many) for number in few)


def _near(one: tuple[float, ...], other: tuple[float, ...]) -> float:
    best = 0.0
    for mine in one:
        for yours in other:
            most = max(abs(mine), abs(yours))
            off = abs(mine - yours) / most if most else 0.0
            near = (
                1.0
                if off < 1e-9
                else 0.95
                if off < 1e-3
                else CLOSE
                if off <= 0.02
                else 0.5
                if off <= 0.12
                else 0.0
            )
            best = max(best, near)
    return best


def same_mail(one: str, other: str) -> float:
    """1 for the same address, ``PARTLY`` for the same person at another host."""
    one, other = one.strip().casefold(), other.strip().casefold()
    if plain(one) == plain(other):
        return 1.0
    if OSA.normalized_similarity(one, other) >= 0.93:
        return CLOSE
    return PARTLY if one.split("@")[0] == other.split("@")[0] else 0.0


@lru_cache(maxsize=200_000)
def _host(url: str) -> tuple[str, str]:
    text = re.sub(r"^\w+://", "", url.strip().casefold()).removeprefix("www.").rstrip("/")
    host, _, path = text.partition("/")
    return host, path


def same_url(one: str, other: str) -> float:
    """1 for the same page whatever the protocol, less for another path, or a host that is much
    alike.
    """
    (host, path), (others, others_path) = _host(one), _host(other)
    if host == others:
        return 1.0 if path == others_path else 0.9 if not (path and others_path) else PARTLY
    if (
        host.rpartition(".")[0] == others.rpartition(".")[0]
        or OSA.normalized_similarity(host, others) >= 0.92
    ):
        return CLOSE
    return 0.0


def same_code(one: str, other: str) -> float:
    """1 for the same letters and digits, ``CLOSE`` with a part more or one sign wrong."""
    one, other = (re.sub(r"[\W_]", "", text.casefold()) for text in (one, other))
    if one == other:
        return 1.0
    short = min(len(one), len(other))
    if short >= 5 and (one.endswith(other) or other.endswith(one)):
        return CLOSE
    return 0.7 if short >= 7 and OSA.distance(one, other) == 1 else 0.0


BY_KIND: dict[Kind, Compare] = {
    "phone": same_phone,
    "date": same_date,
    "number": same_number,
    "mail": same_mail,
    "url": same_url,
    "code": same_code,
}


def alike_values(
    left: RecordField, right: RecordField, kind: Kind, one: Longs, other: Longs, scale: float = 1.0
) -> Singles:
    """How alike values are, by their positions in the two fields' texts; numbers of the right are
    compared as they are and multiplied by ``scale``.
    """
    if kind != "text":
        keys, place = np.unique(one * len(right.texts) + other, return_inverse=True)
        compare = BY_KIND[kind]
        if kind == "number":
            compare = partial(same_number, scale=scale)
        pairs = zip(
            (keys // len(right.texts)).tolist(), (keys % len(right.texts)).tolist(), strict=True
        )
        found = np.array(
            [compare(left.texts[a], right.texts[b]) for a, b in pairs], dtype=np.float32
        )
        return found[place.ravel()] if len(found) else np.zeros(0, dtype=np.float32)
    return _alike_texts(left, right, one, other)


def scale_of(left: RecordField, right: RecordField, likely: tuple[Longs, Longs]) -> float:
    """By what numbers of the right are multiplied to be in the left's unit: a ratio that many of the
    likely pairs have (kilowatts and horsepower, weekly hours and full time), else the tens between
    the middles of the two (175 in a column of centimetres, 1.75 in one of metres).
    """
    ratio = left.middle / (right.middle or 1.0)
    if not 0 < ratio < math.inf:
        return 1.0
    ends = left.held[likely[0], 0], right.held[likely[1], 0]
    there = np.minimum(*ends) >= 0
    sides = zip(ends[0][there].tolist(), ends[1][there].tolist(), strict=True)
    found = sorted(
        math.log(mine[0][0] / yours[0][0])
        for one, other in dict.fromkeys(sides)
        if (mine := _amounts(left.texts[one])) and mine[0][0] > 0
        if (yours := _amounts(right.texts[other])) and yours[0][0] > 0
    )
    logs = np.array(found)
    within = np.searchsorted(logs, logs + 2 * _SAME_RATIO, side="right") - np.arange(len(logs))
    if len(logs) >= _RATIOS and within.max() >= len(logs) / 3:
        first = int(within.argmax())
        return math.exp(float(np.median(logs[first : first + within[first]])))
    return 10.0 ** round(math.log10(ratio))


_SAME_RATIO = 0.01  # by how much ratios of rounded numbers differ
_RATIOS = 6  # pairs of different numbers that a ratio is read from


def associated(
    left: RecordField, right: RecordField, pairs: tuple[Longs, Longs], likely: tuple[Longs, Longs]
) -> Singles:
    """How firmly two values go together among likely pairs, a pair itself aside; NaN where one is
    missing. Both ways must be usual: red with tinto, and tinto with red. Of a field with many values
    it is one of their words that goes with the other's value: (Lab) with LU.
    """
    ends = [left.held[pairs[0], 0], right.held[pairs[1], 0]]
    met = [left.held[likely[0], 0], right.held[likely[1], 0]]
    there, known = (np.minimum(*sides) >= 0 for sides in (ends, met))
    parts = [field.parts for field in (left, right)]
    held = [part[place[known]] for part, place in zip(parts, met, strict=True)]
    together = (held[0].T @ held[1]).toarray()
    often = [np.asarray(one.sum(axis=0)).ravel() for one in held]
    width = len(right.held)
    own = np.isin(pairs[0] * width + pairs[1], likely[0] * width + likely[1])[there]
    at = ends[0][there], ends[1][there]
    found = np.full(len(pairs[0]), np.nan, dtype=np.float32)
    said = np.zeros(len(own), dtype=np.float32)
    for less in (0, 1):
        # one more of each, that goes with anything
        both = np.sqrt(np.outer(*(np.maximum(one - less, 0) + 1 for one in often)))
        firm = np.maximum(together - less, 0) / both
        best = _most(parts[1], _most(parts[0], firm).T).T
        some = own == bool(less)
        said[some] = best[at[0][some], at[1][some]]
    found[there] = said
    return found


def _most(parts: scipy.sparse.csr_matrix, firm: NDArray[np.float64]) -> NDArray[np.float64]:
    """Per value the most that one of its parts has in every column."""
    found = np.zeros((parts.shape[0], firm.shape[1]))
    value = np.repeat(np.arange(parts.shape[0]), np.diff(parts.indptr))
    np.maximum.at(found, value, firm[parts.indices])
    return found


class _Shared(NamedTuple):
    """What the words of two values weigh that they share, and all words of either."""

    both: NDArray[np.float64]
    left: NDArray[np.float64]
    right: NDArray[np.float64]

    @property
    def apart(self) -> NDArray[np.float64]:
        """The share of the words that each has and the other lacks, on the side with less of them."""
        least = np.minimum(self.left, self.right)
        found: NDArray[np.float64] = np.clip(least - self.both, 0, None) / np.maximum(least, 1)
        return found


def _shared(
    left: RecordField, right: RecordField, one: Longs, other: Longs
) -> tuple[_Shared, _Shared, _Shared]:
    """The words in common, in any order, misspelt or abbreviated: by their rarity; of figures alone;
    and each word the same, legal forms and words of grammar aside.
    """
    vocabulary = [
        sorted({word for found in side.tokens for word in found}) for side in (left, right)
    ]
    if not vocabulary[0] or not vocabulary[1]:
        none = _Shared(*np.zeros((3, len(one))))
        return none, none, none
    rarity = _rarity(left, right)
    tables = [
        _incidence(side.tokens, words_)
        for side, words_ in zip((left, right), vocabulary, strict=True)
    ]
    if right not in left.alike:
        left.alike[right] = alike_words(*vocabulary)
    alike = left.alike[right]
    weights = [np.array([rarity[word] for word in words_]) for words_ in vocabulary]
    figures = [
        weight * np.array([any(map(str.isdigit, word)) for word in words_])
        for weight, words_ in zip(weights, vocabulary, strict=True)
    ]
    quiet = _quiet(left, right)
    counted = [np.array([float(word not in quiet) for word in words_]) for words_ in vocabulary]
    keys, place = np.unique(one * len(right.texts) + other, return_inverse=True)
    ends_of = keys // len(right.texts), keys % len(right.texts)
    found = []
    for mine, yours in (weights, figures, counted):
        # the weight of a pair of words: that of the rarer spelling where both are known
        both = alike.tocoo()
        both.data = both.data * ((mine[both.row] + yours[both.col]) / 2)
        shared = _in_common(tables[0] @ both.tocsr(), tables[1], *ends_of)[place.ravel()]
        ends = (
            np.asarray(table @ weight).ravel()[at]
            for table, weight, at in zip(tables, (mine, yours), (one, other), strict=True)
        )
        found.append(_Shared(shared, *ends))
    return found[0], found[1], found[2]


_PAIRS_AT_A_TIME = 2000


def _in_common(
    left: scipy.sparse.csr_matrix, right: scipy.sparse.csr_matrix, one: Longs, other: Longs
) -> NDArray[np.float64]:
    """The products of some rows of two matrices."""
    found = [np.zeros(0)]
    for first in range(0, len(one), _PAIRS_AT_A_TIME):
        some = slice(first, first + _PAIRS_AT_A_TIME)
        found.append(np.asarray(left[one[some]].multiply(right[other[some]]).sum(axis=1)).ravel())
    return np.concatenate(found)


def apart(left: RecordField, right: RecordField, pairs: tuple[Longs, Longs]) -> Singles:
    """The shares of words, of figures and of names that each of two entities has and the other
    lacks, and of words that either has alone: (n, 4), of their first values.
    """
    found = np.zeros((len(pairs[0]), 4), dtype=np.float32)
    mine, yours = left.held[pairs[0], 0], right.held[pairs[1], 0]
    there = (mine >= 0) & (yours >= 0)
    by_rarity, figures, counted = _shared(left, right, mine[there], yours[there])
    named = left.name.casefold() in NAMING
    found[there] = np.column_stack(
        [
            by_rarity.apart,
            figures.apart,
            counted.apart * named,
            1 - by_rarity.both / np.maximum(np.maximum(by_rarity.left, by_rarity.right), 1e-9),
        ]
    )
    return found


def _alike_texts(left: RecordField, right: RecordField, one: Longs, other: Longs) -> Singles:
    """Words in common by their rarity; or letters in common.

    Where one side's values are much longer, it is whether they hold the other's.
    """
    shared, mine, yours = _shared(left, right, one, other)[0]
    whole = (mine + yours) / 2
    if left.length > 1.6 * right.length:
        whole = yours
    elif right.length > 1.6 * left.length:
        whole = mine
    found = np.clip(shared / np.maximum(whole, 1e-9), 0, 1)
    packed = [
        np.array(["".join(words_) for words_ in side.tokens], dtype=object)
        for side in (left, right)
    ]
    keys, place = np.unique(one * len(right.texts) + other, return_inverse=True)
    letters = process.cpdist(
        packed[0][keys // len(right.texts)],
        packed[1][keys % len(right.texts)],
        scorer=Indel.normalized_similarity,
        score_cutoff=0.89,
    )[place.ravel()]
    # letters alone tell something where nearly all agree, and no number differs
    letters = np.where(
        (letters >= 0.9) & ~_other_numbers(left, right, one, other), letters * 0.97, 0.0
    )
    alike_: Singles = np.maximum(found, letters).astype(np.float32)
    return alike_


def _other_numbers(
    left: RecordField, right: RecordField, one: Longs, other: Longs
) -> NDArray[np.bool_]:
    numbers: dict[tuple[str, ...], int] = {}
    keys = [
        np.array(
            [
                numbers.setdefault(tuple(sorted(w for w in found if w[0].isdigit())), len(numbers))
                for found in side.tokens
            ]
        )
        for side in (left, right)
    ]
    different: NDArray[np.bool_] = keys[0][one] != keys[1][other]
    return different


def _quiet(left: RecordField, right: RecordField) -> set[str]:
    """The words that say little."""
    least = 1 if left.initials or right.initials else 0
    return {word for word in LEGAL | COMMON if len(word) > least}


def _rarity(left: RecordField, right: RecordField) -> dict[str, float]:
    """The weight of each word: little for legal forms and words of grammar, much for rare ones."""
    often: dict[str, int] = {}
    for side in (left, right):
        for found, times in zip(side.tokens, side.often.tolist(), strict=True):
            for word in found:
                often[word] = often.get(word, 0) + times
    total = int(left.often.sum() + right.often.sum())
    weights = log(1 + total / np.maximum(np.array(list(often.values()), dtype=np.float64), 1))
    found_weights = dict(zip(often, weights.tolist(), strict=True))
    for word in found_weights.keys() & _quiet(left, right):
        found_weights[word] *= 0.1
    return found_weights


def _incidence(
    tokens: Sequence[Sequence[str]], vocabulary: Sequence[str]
) -> scipy.sparse.csr_matrix:
    places = {word: at for at, word in enumerate(vocabulary)}
    rows = np.repeat(np.arange(len(tokens)), [len(found) for found in tokens])
    columns = np.array([places[word] for found in tokens for word in found], dtype=np.int64)
    return scipy.sparse.csr_matrix(
        (np.ones(len(rows)), (rows, columns)), shape=(len(tokens), len(vocabulary))
    )


_WORDS_AT_A_TIME = 2000
INITIAL, ABBREVIATED = (
    0.6,
    0.85,
)  # how alike a letter and a name are, and an abbreviation and a word


def alike_words(left: Sequence[str], right: Sequence[str]) -> scipy.sparse.csr_matrix:
    """How alike words are: equal, misspelt, abbreviated, nicknames; numbers only if equal."""
    rows: list[int] = []
    columns: list[int] = []
    scores: list[float] = []
    for first in range(0, len(left), _WORDS_AT_A_TIME):
        part = left[first : first + _WORDS_AT_A_TIME]
        near = process.cdist(
            part,
            right,
            scorer=OSA.normalized_similarity,
            processor=itemgetter(
                slice(256)
            ),  # no word is longer, and a comparison takes its square
            score_cutoff=0.7,
        )
        for row, column in zip(*np.nonzero(near), strict=True):
            score = _spelt_alike(part[row], right[column], float(near[row, column]))
            if score:
                rows.append(first + int(row))
                columns.append(int(column))
                scores.append(score)
    known = set(zip(rows, columns, strict=True))
    turned = {(column, row): score for (row, column), score in _shortened(right, left).items()}
    for (row, column), score in (_shortened(left, right) | turned).items():
        if (row, column) not in known:
            known.add((row, column))
            rows.append(row)
            columns.append(column)
            scores.append(score)
    for row, column in _nicknames(left, right):
        if (row, column) not in known:
            rows.append(row)
            columns.append(column)
            scores.append(ABBREVIATED)
    return scipy.sparse.csr_matrix((scores, (rows, columns)), shape=(len(left), len(right)))


def _nicknames(left: Sequence[str], right: Sequence[str]) -> list[tuple[int, int]]:
    where: dict[str, list[int]] = {}
    for at, word in enumerate(right):
        if word in NICKNAMES:
            where.setdefault(NICKNAMES[word], []).append(at)
    return [
        (row, column)
        for row, word in enumerate(left)
        if word in NICKNAMES
        for column in where.get(NICKNAMES[word], ())
        if right[column] != word
    ]


def _spelt_alike(one: str, other: str, near: float) -> float:
    if one == other:
        return 1.0
    if any(map(str.isdigit, one)) or any(map(str.isdigit, other)) or min(len(one), len(other)) < 4:
        return 0.0
    return near if near >= 0.75 else 0.0


def _shortened(short: Sequence[str], long: Sequence[str]) -> dict[tuple[int, int], float]:
    """Which words abbreviate longer ones, by their places: a beginning, or letters from first to
    last.
    """
    places = {word: at for at, word in enumerate(short) if word.isalpha()}
    lengths = sorted({len(word) for word in places})
    few: dict[str, list[str]] = {}  # letters that may be of a word, by its first and last
    for word in places:
        if 1 < len(word) <= 4:
            few.setdefault(word[0] + word[-1], []).append(word)
    found: dict[tuple[int, int], float] = {}
    for at, word in enumerate(long):
        if not word.isalpha() or len(word) == 1:
            continue
        for other in few.get(word[0] + word[-1], ()):
            if len(other) < len(word) and _within(other, word):
                found[places[other], at] = 0.75
        for length in lengths:
            if length > 1 and length > len(word) - 2:
                break
            if (begun := places.get(word[:length])) is not None:
                clear = length >= 3 or length > 1 and len(word) <= 6
                found[begun, at] = ABBREVIATED if clear else INITIAL
    return found


def _within(short: str, long: str) -> bool:
    letters = iter(long)
    return all(letter in letters for letter in short)

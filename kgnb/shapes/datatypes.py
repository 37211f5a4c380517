"""XSD datatypes: which texts are legal, how values compare, and which literals JSON values become.

The lexical spaces are regular expressions, as in the standard: rdflib accepts "1_000" as an integer
and refuses years beyond 9999, pyoxigraph knows neither bounded integers nor binary types.
"""

from __future__ import annotations

import math
import re
from calendar import monthrange
from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import UTC, datetime, time, timedelta
from decimal import Decimal
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from kgnb.kg.terms import OWL, RDF, RDFS, XSD, Literal

if TYPE_CHECKING:
    from babel import Locale

_RANGES: dict[str, tuple[int | None, int | None]] = {
    "integer": (None, None),
    "long": (-(2**63), 2**63 - 1),
    "int": (-(2**31), 2**31 - 1),
    "short": (-(2**15), 2**15 - 1),
    "byte": (-128, 127),
    "nonNegativeInteger": (0, None),
    "positiveInteger": (1, None),
    "nonPositiveInteger": (None, 0),
    "negativeInteger": (None, -1),
    "unsignedLong": (0, 2**64 - 1),
    "unsignedInt": (0, 2**32 - 1),
    "unsignedShort": (0, 2**16 - 1),
    "unsignedByte": (0, 255),
}
INTEGERS = frozenset(f"{XSD}{name}" for name in _RANGES)
FLOATS = frozenset({f"{XSD}double", f"{XSD}float"})
NUMBERS = INTEGERS | FLOATS | {f"{XSD}decimal"}
TEXTS = frozenset(
    {
        f"{XSD}{name}"
        for name in ("string", "normalizedString", "token", "Name", "NCName", "NMTOKEN", "language")
    }
)
ANY_LITERAL = frozenset(
    {f"{RDFS}Literal", f"{XSD}anyType", f"{XSD}anySimpleType", f"{XSD}anyAtomicType"}
)
LANG_STRING = f"{RDF}langString"
PLAIN = f"{RDF}PlainLiteral"
REAL = frozenset({f"{OWL}real", f"{OWL}rational"})

_ZONE = r"(?:Z|[+\-](?:0\d|1[0-3]):[0-5]\d|[+\-]14:00)?"
_TIME = r"(?:(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?|24:00:00(?:\.0+)?)"
_DAY = r"-?(?:[1-9]\d{3,}|0\d{3})-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])"
_B64 = "[A-Za-z0-9+/]"
_PATTERNS = {
    "boolean": "true|false|1|0",
    "decimal": r"[+\-]?(?:\d+(?:\.\d*)?|\.\d+)",
    "double": r"[+\-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+\-]?\d+)?|[+\-]?INF|NaN",
    "date": _DAY + _ZONE,
    "dateTime": f"{_DAY}T{_TIME}{_ZONE}",
    "dateTimeStamp": f"{_DAY}T{_TIME}(?:Z|[+\\-](?:0\\d|1[0-3]):[0-5]\\d|[+\\-]14:00)",
    "time": _TIME + _ZONE,
    "gYear": r"-?(?:[1-9]\d{3,}|0\d{3})" + _ZONE,
    "gYearMonth": r"-?(?:[1-9]\d{3,}|0\d{3})-(?:0[1-9]|1[0-2])" + _ZONE,
    "gMonth": r"--(?:0[1-9]|1[0-2])" + _ZONE,
    "gDay": r"---(?:0[1-9]|[12]\d|3[01])" + _ZONE,
    "gMonthDay": r"--(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])" + _ZONE,
    "duration": r"-?P(?=.)(?:\d+Y)?(?:\d+M)?(?:\d+D)?(?:T(?=.)(?:\d+H)?(?:\d+M)?(?:\d+(?:\.\d+)?S)?)?",
    "dayTimeDuration": r"-?P(?=.)(?:\d+D)?(?:T(?=.)(?:\d+H)?(?:\d+M)?(?:\d+(?:\.\d+)?S)?)?",
    "yearMonthDuration": r"-?P(?=.)(?:\d+Y)?(?:\d+M)?",
    "hexBinary": r"(?:[0-9a-fA-F]{2})*",
    "base64Binary": rf"(?:(?:{_B64} ?){{4}})*(?:(?:{_B64} ?){{3}}=|(?:{_B64} ?){{2}}= ?=)?",
    "language": r"[a-zA-Z]{1,8}(?:-[a-zA-Z0-9]{1,8})*",
    "NCName": r"[^\W\d][\w.\-]*",
    "Name": r"[^\W\d][\w.\-:]*|:[\w.\-:]*",
    "NMTOKEN": r"[\w.\-:]+",
}
_COMPILED = {
    f"{XSD}{name}": re.compile(pattern, re.ASCII if name in ("decimal", "double") else 0)
    for name, pattern in _PATTERNS.items()
}
_COMPILED[f"{XSD}float"] = _COMPILED[f"{XSD}double"]
_INTEGER = re.compile(r"[+\-]?[0-9]+")


def datatype_of(literal: Literal) -> str:
    """The IRI of a literal's datatype."""
    return literal.datatype or (LANG_STRING if literal.language is not None else f"{XSD}string")


def is_legal(text: str, datatype: str) -> bool:
    """Whether the text is in the lexical space of the datatype; for unknown datatypes always.

    >>> is_legal("2024-02-30", f"{XSD}date"), is_legal("12", f"{XSD}byte"), is_legal("300", f"{XSD}byte")
    (False, True, False)
    """
    name = datatype.removeprefix(XSD)
    if datatype in INTEGERS:
        if _INTEGER.fullmatch(text) is None or len(text) > 4000:
            return False
        low, high = _RANGES[name]
        return (low is None or int(text) >= low) and (high is None or int(text) <= high)
    if datatype == f"{XSD}anyURI":
        return not re.search(r"[\s<>\"{}|^`\\]", text)
    pattern = _COMPILED.get(datatype)
    if pattern is None:
        return True
    return pattern.fullmatch(text) is not None and (
        name not in ("date", "dateTime") or _day_exists(text)
    )


def _day_exists(text: str) -> bool:
    year, month, day = map(int, re.findall(r"\d+", text)[:3])
    return (
        1 <= month <= 12 and day <= monthrange(2000 + year % 400, month)[1]
    )  # the calendar repeats every 400 years


def conforms(literal: Literal, datatype: str) -> bool:
    """Whether a literal has exactly this datatype and a legal text (SHACL, section 4.1.2)."""
    return datatype_of(literal) == datatype and is_legal(literal.text, datatype)


def compare(one: Literal, other: Literal) -> int | None:
    """-1, 0 or 1 as SPARQL's ``<`` orders two literals; None where it does not, as for years and
    durations.
    """
    left, right = _comparable(one), _comparable(other)
    if left is None or right is None or left[0] != right[0]:
        return None
    a, b = left[1], right[1]
    if a != a or b != b:  # NaN
        return None
    try:
        return int(a > b) - int(a < b)
    except TypeError:  # only one of them has a time zone
        return None


def _comparable(literal: Literal) -> tuple[str, Any] | None:
    datatype, text = datatype_of(literal), literal.text.strip()
    if literal.language is not None or not is_legal(text, datatype):
        return None
    if datatype in FLOATS:
        return ("number", float(text))
    if datatype in NUMBERS:
        return ("number", Decimal(text))
    if datatype == f"{XSD}boolean":
        return ("boolean", text in ("true", "1"))
    if datatype in TEXTS:
        return ("text", literal.text)
    try:
        if datatype in (f"{XSD}dateTime", f"{XSD}dateTimeStamp"):
            return ("moment", _moment(text))
        if datatype == f"{XSD}date":
            return ("day", _moment(text[:10] + "T00:00:00" + text[10:]))
        if datatype == f"{XSD}time":
            return ("time", time.fromisoformat(text))
    except ValueError:  # a year or a fraction that Python's types cannot hold
        return None
    return None


def _moment(text: str) -> datetime:
    if "T24:" in text:
        return datetime.fromisoformat(text.replace("T24:", "T00:")) + timedelta(days=1)
    found = datetime.fromisoformat(text)
    return found if found.tzinfo is None else found.astimezone(UTC)


def literal_of(value: Any, datatypes: Sequence[str], language: str | None = None) -> Literal | None:
    """The literal for a JSON value: of the first datatype, in this order, that it fits; None where
    it fits none.

    >>> literal_of(4, [f"{XSD}decimal"]).text, literal_of("four", [f"{XSD}decimal"])
    ('4', None)
    """
    for datatype in datatypes:
        text = _written(value, datatype)
        if text is None:
            continue
        if datatype in (LANG_STRING, PLAIN) or (datatype in ANY_LITERAL and language):
            return Literal(text, language) if language or datatype == PLAIN else None
        if language:
            continue
        if datatype in ANY_LITERAL or datatype in REAL:
            return Literal(text, None, _natural(value))
        if is_legal(text, datatype):
            return Literal(text, None, None if datatype == f"{XSD}string" else datatype)
    return None


_MONTH = r"(?P<month>[^\W\d]{3,})\.?"
_SPOKEN = (
    re.compile(
        rf"(?P<day>\d{{1,2}})(?:st|nd|rd|th|er|\.)? (?:of |de )?{_MONTH},? (?P<year>\d{{4}})"
    ),
    re.compile(rf"{_MONTH} (?P<day>\d{{1,2}})(?:st|nd|rd|th)?,? (?P<year>\d{{4}})"),
    re.compile(r"(?P<year>\d{4})[/.-](?P<month>\d{1,2})[/.-](?P<day>\d{1,2})"),
    re.compile(
        r"(?P<day>\d{1,2})\.\s?(?P<month>\d{1,2})\.\s?(?P<year>\d{4})"
    ),  # with dots the day comes first
)
_SLASHED = re.compile(r"\d{1,2}[/.\-]\d{1,2}[/.\-]\d{2,4}")
_MOMENT = re.compile(
    r"(?P<date>.*\d)(?:,? |T)(?:at |um |à )?(?P<time>\d\d:\d\d)(?P<seconds>:\d\d)?"
)


def locales(languages: Iterable[str]) -> list[Locale]:
    """The CLDR locales of English and of those of these languages (``de``) that CLDR has."""
    from babel import Locale, UnknownLocaleError  # loads data that few callers need

    found = []
    for language in dict.fromkeys(["en", *sorted(languages)]):
        with suppress(ValueError, UnknownLocaleError):
            found.append(Locale.parse(language))
    return found


@lru_cache(maxsize=16)
def _months(languages: frozenset[str]) -> tuple[tuple[str, int], ...]:
    forms = [
        locale.months[use][width]
        for locale in locales(languages)
        for use in ("format", "stand-alone")
        for width in ("wide", "abbreviated")
    ]
    return tuple(
        (name.casefold().rstrip("."), number) for names in forms for number, name in names.items()
    )


_NUMERAL = re.compile(r"[-+]?(?:\d+|\d{1,3}(?: \d{3})+)(?:\.\d+)?")
_YES_NO = dict.fromkeys(("true", "1", "yes", "ja", "oui"), "true") | dict.fromkeys(
    ("false", "0", "no", "nein", "non"), "false"
)


def everyday(text: str, datatype: str, languages: frozenset[str] = frozenset()) -> Literal | None:
    """The literal that everyday text means, in English or one of these languages; None where it is
    ambiguous.

    >>> everyday("5 March 2024", f"{XSD}date").text, everyday("2.50", f"{XSD}decimal").text
    ('2024-03-05', '2.50')
    >>> everyday("05/03/2024", f"{XSD}date") is None
    True
    """
    plain, name = " ".join(text.split()), datatype.removeprefix(XSD)
    found = ""
    if datatype in NUMBERS and (match := _NUMERAL.fullmatch(plain.replace("−", "-"))):
        found = match[0].replace(" ", "")
    elif name == "boolean":
        found = _YES_NO.get(plain.casefold(), "")
    elif name == "date":
        found = _spoken_date(plain, languages)
    elif name == "dateTime" and (match := _MOMENT.fullmatch(plain)):
        found = (
            f"{_spoken_date(match['date'], languages)}T{match['time']}{match['seconds'] or ':00'}"
        )
    elif name == "time" and re.fullmatch(r"\d\d:\d\d", plain):
        found = f"{plain}:00"
    return Literal(found, None, datatype) if found and is_legal(found, datatype) else None


def _spoken_date(text: str, languages: frozenset[str]) -> str:
    for form in _SPOKEN:
        match = form.fullmatch(text)
        if match is None:
            continue
        month = match["month"].casefold()
        fitting = {number for name, number in _months(languages) if name.startswith(month)}
        number = int(month) if month.isdigit() else fitting.pop() if len(fitting) == 1 else 0
        return f"{match['year']}-{number:02}-{int(match['day']):02}" if 1 <= number <= 12 else ""
    return ""


def why_not(text: str, datatype: str) -> str:
    """Why a text is not a value of a datatype, where more can be said than its form."""
    name, plain = datatype.removeprefix(XSD), text.strip()
    if name in ("date", "dateTime") and _SLASHED.match(plain):
        return "day and month could be meant either way round, so write year-month-day"
    if name in ("date", "dateTime") and re.match(r"-?\d{4,}-\d\d-\d\d", plain):
        return "" if _day_exists(plain) else "there is no such day"
    if datatype in INTEGERS and _INTEGER.fullmatch(plain):
        low, high = _RANGES[name]
        bounds = [
            f"from {low}" if low is not None else "",
            f"up to {high}" if high is not None else "",
        ]
        return f"whole numbers {' '.join(filter(None, bounds))}"
    return ""


def _natural(value: Any) -> str | None:
    if isinstance(value, bool):
        return f"{XSD}boolean"
    return (
        f"{XSD}integer"
        if isinstance(value, int)
        else f"{XSD}decimal"
        if isinstance(value, float)
        else None
    )


def _written(value: Any, datatype: str) -> str | None:
    """The text of a JSON value in this datatype; None where JSON's type does not fit."""
    if isinstance(value, bool):
        return (
            str(value).lower() if datatype == f"{XSD}boolean" or datatype in ANY_LITERAL else None
        )
    if isinstance(value, int | float):
        if datatype not in NUMBERS and datatype not in ANY_LITERAL and datatype not in REAL:
            return None
        if isinstance(value, int):
            return str(value) if abs(value) < 10**4000 else None
        if not math.isfinite(value):
            return None
        if datatype in INTEGERS:
            return str(int(value)) if value.is_integer() else None
        return plain_number(value) if datatype not in FLOATS else repr(value)
    if isinstance(value, str):
        if datatype in NUMBERS or datatype in REAL or datatype == f"{XSD}boolean":
            return None  # JSON has its own numbers and booleans
        kept = datatype in TEXTS or datatype in ANY_LITERAL or datatype in (LANG_STRING, PLAIN)
        return value if kept else value.strip()
    return None


def plain_number(value: float) -> str:
    """A number as xsd:decimal writes it: no exponent, no trailing zeros."""
    text = format(Decimal(repr(value)), "f")
    return text.rstrip("0").rstrip(".") or "0" if "." in text else text


def json_type(datatype: str) -> dict[str, Any]:
    """The JSON Schema of the values of a datatype."""
    name = datatype.removeprefix(XSD)
    if datatype in INTEGERS:
        low, high = _RANGES[name]
        bounds = {"minimum": low, "maximum": high}
        return {"type": "integer"} | {
            key: bound for key, bound in bounds.items() if bound is not None
        }
    if datatype in NUMBERS or datatype in REAL:
        return {"type": "number"}
    if datatype == f"{XSD}boolean":
        return {"type": "boolean"}
    if datatype in ANY_LITERAL:
        return {"type": ["string", "number", "boolean"]}
    if name in ("date", "dateTime", "time", "gYear", "gYearMonth", "duration"):
        return {"type": "string", "pattern": f"^(?:{_PATTERNS[name]})$"}
    return {"type": "string"}


def example(datatype: str) -> str:
    """A legal text of the datatype, for hints."""
    known = {
        "date": "2024-05-31",
        "dateTime": "2024-05-31T14:30:00",
        "time": "14:30:00",
        "gYear": "2024",
        "duration": "PT2H30M",
        "gYearMonth": "2024-05",
        "boolean": "true",
        "decimal": "2.5",
        "double": "2.5",
        "float": "2.5",
        "anyURI": "https://example.org/",
        "gMonthDay": "--05-31",
        "gDay": "---24",
        "gMonth": "--05",
        "dateTimeStamp": "2024-05-31T14:30:00Z",
        "hexBinary": "0f2a",
        "dayTimeDuration": "P2DT3H",
        "yearMonthDuration": "P2Y3M",
        "base64Binary": "aGJ0MjQ=",
        "language": "en",
    }
    name = datatype.removeprefix(XSD)
    low, high = _RANGES.get(name, (None, None))
    return known.get(
        name,
        str(low if low is not None else high if high is not None else 12)
        if datatype in INTEGERS
        else "",
    )

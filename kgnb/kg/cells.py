"""The cells of a table as values: one form of numbers and dates a column, decided by the whole table.

``1.808`` is 1808 where the column or, if that does not tell, the rest of the table writes decimals
with a comma, and 1.808 where they have a point. Where nothing tells, a column stays text, and is
counted. A date is one where every cell of its column has one reading.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Sequence
from functools import lru_cache, partial

import pyoxigraph as ox

from kgnb.kg.mending import Mends
from kgnb.kg.terms import XSD

Reader = Callable[[str], ox.Literal | None]
"""The literal of a cell, None for one that says there is no value."""

LEFT_NUMBERS = "numbers left as text, for they have two readings"
LEFT_DATES = "dates left as text, for they have two readings"
IMPOSSIBLE = "impossible dates left as text"
REWRITTEN = "numbers rewritten as RDF has them"
DATES = "dates rewritten as RDF has them"
MISSING = "cells that say there is no value left out"

NO_VALUE = frozenset({"n/a", "#n/a", "n.a."})
"""Cells that say in a column of text, too, that there is no value; others may be one (NA: Namibia)."""

_MISSING = frozenset("na n/a n.a. #n/a nan null none k.a. - – — ?".split())
_BETWEEN_THOUSANDS = re.compile("(?<=\\d)[ \u00a0\u2009\u202f'’](?=\\d{3}(?!\\d))")
_BLANKS = "\u00a0\u2009\u202f\ufeff \t"
_NUMBER = re.compile(r"[+-]?(?:\d[\d.,]*|[.,]\d+)")
_EXPONENT = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)[eE][+-]?\d+")
_CODE = re.compile(r"[+-]?0\d")
_TYPES = {name: ox.NamedNode(XSD + name) for name in ("integer", "decimal", "double", "date")}
_BOOLEAN = ox.NamedNode(f"{XSD}boolean")
_DATE_TIME = ox.NamedNode(f"{XSD}dateTime")


def tidy(cell: str) -> str:
    """A number as it is typed: without blanks between thousands, with a hyphen for a minus.

    >>> tidy("\\u22121\\u202f808")
    '-1808'
    """
    if cell.isascii() and cell.isalnum():
        return cell
    text = _BETWEEN_THOUSANDS.sub("", cell.strip(_BLANKS))
    return "-" + text[1:] if text[:1] in ("\u2212", "\u2012", "\u2013") else text


def number_readings(text: str) -> tuple[str | None, str | None]:
    """What a tidy text says with a decimal point, and with a decimal comma; None where it cannot.

    >>> number_readings("1.808"), number_readings("1.012,50"), number_readings("12")
    (('1.808', '1808'), (None, '1012.50'), ('12', '12'))
    """
    if text.isascii() and text.isdigit():
        return text, text
    if _EXPONENT.fullmatch(text):
        return text, None
    if not _NUMBER.fullmatch(text):
        return None, None
    return _plain(text, ".", ","), _plain(text, ",", ".")


def _plain(text: str, mark: str, thousands: str) -> str | None:
    whole, _, fraction = text.partition(mark)
    if mark in fraction or thousands in fraction or (mark in text and not fraction):
        return None
    sign = whole[:1] if whole[:1] in "+-" else ""
    digits = whole[len(sign) :]
    if thousands in digits:
        groups = digits.split(thousands)
        if not 1 <= len(groups[0]) <= 3 or groups[0] == "0":
            return None
        if any(len(group) != 3 for group in groups[1:]):
            return None
        digits = "".join(groups)
    return sign + digits + (f".{fraction}" if fraction else "")


def readers(
    columns: Sequence[Sequence[str]], *, semicolons: bool, mends: Mends
) -> list[Reader | None]:
    """For each column what reads its cells, None where they are text.

    Args:
        columns: all cells of each column, stripped.
        semicolons: whether semicolons divide the cells, as where the comma is a decimal mark.
        mends: counts what is rewritten, left out or left as text.
    """
    filled = [[cell for cell in cells if cell.strip(_BLANKS)] for cells in columns]
    values = [[cell for cell in cells if cell.casefold() not in _MISSING] for cells in filled]
    marks = [_mark(cells) for cells in values]
    told = {mark for mark in marks if mark in (".", ",")}
    found: list[Reader | None] = []
    for cells, mark in zip(values, marks, strict=True):
        if mark == "?":
            mark = _settled(cells, told, semicolons, mends)
        if mark in (".", ",", "0"):
            found.append(_numbers(mark, mends))
        else:
            read = (_truths(cells) or _dates(cells, mends)) if cells else None
            found.append(partial(_present, read, mends) if read is not None else None)
    return found


def _mark(cells: Sequence[str]) -> str:
    """The decimal mark of a column of numbers: "." or ",", "0" where it needs none, "?" where both
    are possible, "" where they are not numbers.
    """
    point, comma, differ = True, True, False
    for cell in dict.fromkeys(cells):
        text = tidy(cell)
        if _CODE.match(text):  # 007 may be a code
            return ""
        one, other = number_readings(text)
        point, comma = point and one is not None, comma and other is not None
        if not (point or comma):
            return ""
        differ = differ or one != other
    if not cells:
        return ""
    if point and comma:
        return "?" if differ else "0"
    return "." if point else ","


def _settled(cells: Sequence[str], told: set[str], semicolons: bool, mends: Mends) -> str:
    """The mark of a column whose numbers can be read both ways, by the rest of the table."""
    if len(told) == 1:
        return next(iter(told))
    doubtful = [cell for cell in cells if len({*number_readings(tidy(cell))}) == 2]
    if not told and not semicolons and all("," not in cell for cell in doubtful):
        return "."  # commas divide the cells, so the decimal mark is a point
    for cell in doubtful:
        point, comma = number_readings(tidy(cell))
        mends.note(LEFT_NUMBERS, cell, f"{point} or {comma}")
    return ""


def _numbers(mark: str, mends: Mends) -> Reader:
    known: dict[str, ox.Literal] = {}  # cells that are taken as they are

    def read(cell: str) -> ox.Literal | None:
        if cell in known:
            return known[cell]
        if cell.casefold() in _MISSING:
            mends.note(MISSING, cell, "")
            return None
        point, comma = number_readings(tidy(cell))
        text = comma if mark == "," else point
        assert text is not None  # every cell of the column was looked at
        if text != cell:
            mends.note(REWRITTEN, cell, text)
        kind = "double" if "e" in text.lower() else "decimal" if "." in text else "integer"
        literal = ox.Literal(text, datatype=_TYPES[kind])
        if text == cell:
            known[cell] = literal
        return literal

    return read


def _present(read: Reader, mends: Mends, cell: str) -> ox.Literal | None:
    """What a cell says, or None where it says that there is no value."""
    if cell.casefold() in _MISSING:
        mends.note(MISSING, cell, "")
        return None
    return read(cell)


def _truths(cells: Sequence[str]) -> Reader | None:
    """What reads a column in which every cell is true or false."""
    if not all(cell.casefold() in ("true", "false") for cell in cells):
        return None

    def read(cell: str) -> ox.Literal | None:
        return ox.Literal(cell.casefold(), datatype=_BOOLEAN)

    return read


_ISO = re.compile(r"(-?\d{4,})-(\d\d)-(\d\d)")
_YEAR_FIRST = re.compile(r"(\d{4})[/.](\d{1,2})[/.](\d{1,2})")
_DOTTED = re.compile(r"(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})")
_SLASHED = re.compile(r"(\d{1,2})([/-])(\d{1,2})\2(\d{4})")
_DAY_MONTH = re.compile(
    r"(\d{1,2})(?:\.|st|nd|rd|th|er|º)?\s+(?:de\s+)?([^\W\d]+)\.?,?\s+(?:de\s+)?(\d{4})"
)
_MONTH_DAY = re.compile(r"([^\W\d]+)\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})")
_MOMENT = re.compile(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(:\d\d(?:\.\d+)?)?(Z|[+-]\d\d:\d\d)?")
_LANGUAGES = ("en", "de", "fr", "es", "it", "pt", "nl")


@lru_cache(1)
def _months() -> dict[str, int]:
    """The months' names in some languages; one that means two months is none."""
    from babel import Locale  # 50 ms, for a column of words only

    names: dict[str, int] = {}
    doubtful = set()
    for language in _LANGUAGES:
        for width in ("wide", "abbreviated"):
            for number, name in Locale(language).months["format"][width].items():
                word = name.rstrip(".").casefold()
                if names.setdefault(word, number) != number:
                    doubtful.add(word)
    names |= {"sept": 9}
    return {name: number for name, number in names.items() if name not in doubtful}


def date_readings(text: str) -> tuple[str, ...] | None:
    """The dates that a text may mean, none where it is an impossible one; None if it is no date.

    >>> date_readings("01/02/1931"), date_readings("2 January 1931"), date_readings("31.02.1950")
    (('1931-02-01', '1931-01-02'), ('1931-01-02',), ())
    """
    if iso := _ISO.fullmatch(text):
        return (text,) if _iso(*iso.groups()) or len(iso[1]) > 4 else ()
    if found := _YEAR_FIRST.fullmatch(text):
        return _possible((found[1], found[2], found[3]))
    if found := _DOTTED.fullmatch(text):  # where points divide, the day comes first
        return _possible((found[3], found[2], found[1]))
    if found := _SLASHED.fullmatch(text):
        return _possible((found[4], found[3], found[1]), (found[4], found[1], found[3]))
    for pattern, day, month in ((_DAY_MONTH, 1, 2), (_MONTH_DAY, 2, 1)):
        if (found := pattern.fullmatch(text)) and found[month].casefold() in _months():
            return _possible((found[3], str(_months()[found[month].casefold()]), found[day]))
    return None


def _iso(year: str, month: str, day: str) -> str:
    try:
        return datetime.date(int(year), int(month), int(day)).isoformat()
    except ValueError:
        return ""


def _possible(*orders: tuple[str, str, str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, (_iso(*order) for order in orders))))


def _dates(cells: Sequence[str], mends: Mends) -> Reader | None:
    """What reads a column in which every cell is a date or a moment; None for any other."""
    if all(_MOMENT.fullmatch(cell) for cell in cells):
        return _moments(mends)
    read: dict[str, tuple[str, ...]] = {}
    for cell in dict.fromkeys(cells):
        dates = date_readings(cell)
        if dates is None:
            return None
        read[cell] = dates
    # 13/02/1931 tells the order of 01/02/1931 in the same column
    orders = {_order(cell) for cell in cells if len(read[cell]) == 1} - {""}
    doubtful = [cell for cell in cells if len(read[cell]) == 2]
    if doubtful and len(orders) != 1:
        for cell in doubtful:
            mends.note(LEFT_DATES, cell, " or ".join(read[cell]))
        return None
    place = 1 if orders == {"month first"} else 0

    def literal(cell: str) -> ox.Literal | None:
        dates = read.get(cell, ())
        if not dates:
            mends.note(IMPOSSIBLE, cell, cell)
            return ox.Literal(cell)
        date = dates[min(place, len(dates) - 1)]
        if date != cell:
            mends.note(DATES, cell, date)
        return ox.Literal(date, datatype=_TYPES["date"])

    return literal


def _order(cell: str) -> str:
    """Which of a date divided by slashes comes first, where only one order is possible."""
    found = _SLASHED.fullmatch(cell)
    if not found or found[1] == found[3]:
        return ""
    return "month first" if int(found[3]) > 12 else "day first"


def _moments(mends: Mends) -> Reader:
    def literal(cell: str) -> ox.Literal | None:
        found = _MOMENT.fullmatch(cell)
        assert found is not None  # every cell of the column was looked at
        text = f"{found[1]}T{found[2]}{found[3] or ':00'}{found[4] or ''}"
        if text != cell:
            mends.note(DATES, cell, text)
        return ox.Literal(text, datatype=_DATE_TIME)

    return literal

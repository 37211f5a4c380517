"""Tables of a document, as Markdown: where they are, and what their numbers and dates say.

How numbers are written is decided by the whole table, as where a table is opened as a graph.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import NamedTuple

from kgnb.kg.cells import number_readings, readers, tidy
from kgnb.kg.mending import Mends

RULE = re.compile(r"[\s|:+-]*-[\s|:+-]*")  # the line below the header
MARKUP = re.compile(r"[*_`|]+")
MOST_COLUMNS = 2000  # a wider table is read as text
TOTALS = frozenset(
    (word,) for word in ("total", "totals", "sum", "summe", "gesamt", "somme", "suma", "totale")
)
"""What the last row of a table is called when it adds up the others."""
_DITTO = frozenset(
    ('"', "''", "\u2033", "\u3003", "\u201d", "\u201c", "ditto", "do.", "dto.", "idem", "id.")
)
_WITH_UNIT = re.compile(r"([+\-\u2212]?\d(?:.*\d)?)(\s*[^\d\s]\D*)?", re.DOTALL)


class CellReading(NamedTuple):
    """What a cell says: a number with a decimal point and its unit, or a date; or, in ``doubt``,
    what its number may be.
    """

    value: str
    doubt: str = ""


Place = tuple[tuple[str, ...], int, str]
"""The header of a table, the number of a column, and a cell."""


def cells(raw: str) -> list[str]:
    r"""The cells of a line of a Markdown table; a bar inside a cell is written ``\|``."""
    if not 0 < raw.count("|") <= MOST_COLUMNS:
        return []
    bare = raw.strip().removeprefix("|").removesuffix("|")
    return [
        " ".join(MARKUP.sub(" ", cell.replace("\\|", "|")).split())
        for cell in re.split(r"(?<!\\)\|", bare)
    ]


def repeating(row: list[str], above: list[str]) -> list[str]:
    """A row with the cells above in place of ditto marks.

    >>> repeating(["T-8", '"', "1987"], ["T-4", "Torvald", "1986"])
    ['T-8', 'Torvald', '1987']
    """
    if len(row) != len(above):
        return row
    return [
        other if cell.casefold() in _DITTO else cell for cell, other in zip(row, above, strict=True)
    ]


def tables(text: str) -> list[tuple[int, int, str]]:
    """Start, end and first line of the Markdown tables of a text."""
    found: list[tuple[int, int, str]] = []
    at, before, inside = 0, "", False
    for line in text.split("\n") if "|" in text else ():
        inside = inside and "|" in line
        if inside:
            found[-1] = (found[-1][0], at + len(line), found[-1][2])
        elif 0 < before.count("|") <= MOST_COLUMNS and RULE.fullmatch(line):
            found.append((at - len(before) - 1, at + len(line), before))
            inside = True
        at, before = at + len(line) + 1, line
    return found


def read_tables(text: str, *, semicolons: bool = False) -> dict[Place, CellReading]:
    """What the numbers and dates in the tables of a text say; tables of one header are one.

    ``semicolons`` divided the cells: then a comma may be the decimal mark, and where nothing tells,
    a number is in doubt.

    >>> read_tables("| boat | draught | price |\\n|---|---|---|\\n| Gannet | 1.250 m | 9,50 |")[
    ...     ("boat", "draught", "price"), 1, "1.250 m"]
    CellReading(value='1250 m', doubt='')
    """
    rows: dict[tuple[str, ...], list[list[str]]] = defaultdict(list)
    for begin, end, header in tables(text):
        head = tuple(cells(header))
        below = map(cells, text[begin:end].split("\n")[2:])
        rows[head] += [row for row in below if len(row) == len(head)]
    found: dict[Place, CellReading] = {}
    for head, lines in rows.items():
        columns = [
            [_WITH_UNIT.fullmatch(row[at]) or row[at] for row in lines] for at in range(len(head))
        ]
        plain = [
            [cell if isinstance(cell, str) else cell[1] for cell in column] for column in columns
        ]
        reads = readers(plain, semicolons=semicolons, mends=Mends())
        for at, read in enumerate(reads):
            for row, number in zip(lines, plain[at], strict=True):
                unit = row[at][len(number) :]
                if read and number and (literal := read(number)):
                    found[head, at, row[at]] = CellReading(literal.value + unit)
                elif (
                    semicolons and len(two := [*dict.fromkeys(number_readings(tidy(number)))]) == 2
                ):
                    found[head, at, row[at]] = CellReading("", " or ".join(filter(None, two)))
    return found

"""Alignments as tables of pairs: two IRIs a row, then what is known of the pair.

So write DeepOnto and Bio-ML (``SrcEntity TgtEntity Score`` with a heading), LogMap
(``a|b|=|0.85|CLS``), AgreementMaker-like tools (``a<TAB>b<TAB>=<TAB>0.85``) and our entity
alignment. The divider is a tab, a bar, a comma, a semicolon or blanks, as most rows have it.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable, Sequence

from kgnb.errors import DataError
from kgnb.mappings import Alignment, Mapping, Relation

_IRI = re.compile(r"<?(\w[\w+.-]*:[^\s<>]+)>?")
_DIVIDERS = ("\t", "|", ",", ";", " ")
_RELATIONS: dict[str, Relation] = {
    "=": "equivalent",
    "==": "equivalent",
    "≡": "equivalent",
    "<": "broader",
    "&lt;": "broader",
    "<=": "broader",
    "⊑": "broader",
    ">": "narrower",
    "&gt;": "narrower",
    ">=": "narrower",
    "⊒": "narrower",
    "%": "different",
    "~": "related",
    "?": "unsure",
}
_KINDS = {
    "CLS": "class",
    "OPROP": "object property",
    "DPROP": "datatype property",
    "APROP": "annotation property",
    "INST": "individual",
}
_NUMBER = re.compile(r"\d*\.?\d+(?:[eE]-?\d+)?")
Row = tuple[int, Sequence[str]]  # its line, its cells


def read(content: bytes, where: str) -> Alignment | None:
    """The alignment in a table of pairs; None if no row has two IRIs.

    Rows without two IRIs, or with a confidence out of bounds, are left out and counted in the notes.

    Raises:
        DataError: it is not UTF-8 text.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        fix = "Save the file as UTF-8."
        raise DataError("is not UTF-8 text", where=f"{where}:{line}", fix=fix) from error
    lines = [(n, line) for n, line in enumerate(text.splitlines(), 1) if line.strip()]
    rows = [(n, line) for n, line in lines if not line.startswith("#")]
    divided = _divided(rows)
    mappings: list[Mapping] = []
    odd: list[int] = []
    for number, cells in divided:
        mapping = _mapping(cells)
        if mapping is not None:
            mappings.append(mapping)
        elif mappings or number != rows[0][0]:
            # the first row may be the heading
            odd.append(number)
    if not mappings:
        return None
    notes: tuple[str, ...] = ()
    if odd:
        what = "1 row" if len(odd) == 1 else f"{len(odd)} rows"
        notes = (f"{what} left out (the first is line {odd[0]}): no pair of IRIs",)
    return Alignment(tuple(mappings), notes=notes)


def _divided(rows: Sequence[tuple[int, str]]) -> Iterable[Row]:
    """The cells of each row, by the divider that gives most rows two IRIs."""
    fits: Counter[str] = Counter()
    for divider in _DIVIDERS:
        fits[divider] = sum(_mapping(_cells(line, divider)) is not None for _, line in rows[:200])
    best = max(_DIVIDERS, key=lambda divider: (fits[divider], -_DIVIDERS.index(divider)))
    return [(number, _cells(line, best)) for number, line in rows]


def _cells(line: str, divider: str) -> list[str]:
    if divider == " ":
        return line.split()
    try:
        cells = next(csv.reader([line], delimiter=divider), [])
    except csv.Error:
        cells = line.split(divider)
    return [cell.strip() for cell in cells]


def _mapping(cells: Sequence[str]) -> Mapping | None:
    """The mapping in a row's cells; None if the first two are no IRIs."""
    ends = [_IRI.fullmatch(cell) for cell in cells[:2]]
    if len(ends) < 2 or ends[0] is None or ends[1] is None:
        return None
    relation: Relation = "equivalent"
    confidence = 1.0
    kind = "individual"
    for cell in cells[2:]:
        if cell in _RELATIONS:
            relation = _RELATIONS[cell]
        elif cell in _KINDS:
            kind = _KINDS[cell]
        elif _NUMBER.fullmatch(cell):
            confidence = float(cell)
        elif len(cells) == 3:
            # where one column follows the pair, it holds a confidence or a relation
            return None
    if not 0.0 <= confidence <= 1.0:
        return None
    return Mapping(ends[0][1], ends[1][1], relation, confidence, kind)

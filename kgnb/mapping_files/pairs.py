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
from dataclasses import replace
from urllib.parse import unquote

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
_HEADING = re.compile(
    r"(?i)[\w ]*?(id|ids|source|target|left|right|subject|object|entity|src|tgt)[\w ]{0,3}"
)
Row = tuple[int, Sequence[str]]  # its line, its cells


def read(content: bytes, where: str, *, plain: bool = False) -> Alignment | None:
    """The alignment in a table of pairs; None if no row has two IRIs.

    Rows without two IRIs, or with a confidence out of bounds, are left out and counted in the notes.

    Args:
        plain: where no row has two IRIs, the first two cells of each are taken as the ids they are.

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
    if plain and not any(_IRI.fullmatch(cell) for _, cells in divided for cell in cells[:2]):
        return _plain(rows)
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


def _plain(rows: Sequence[tuple[int, str]]) -> Alignment | None:
    """The pairs of ids in rows whose first two cells are no IRIs, below a heading or not."""
    dividers = _DIVIDERS[:-1]  # blanks part words, and a page of prose is no table
    held = {one: sum(one in line for _, line in rows) for one in dividers}
    best = max(dividers, key=lambda divider: held[divider])
    cells = [_cells(line, best)[:2] for _, line in rows]
    # ids may look like a heading, but then all do
    heads = [all(map(_HEADING.fullmatch, row)) for row in cells[:2]]
    if heads == [True, False]:
        cells = cells[1:]
    pairs = [(pair[0], pair[1]) for pair in cells if len(pair) == 2 and all(pair)]
    odd = len(cells) - len(pairs)
    notes = (f"{odd} of {len(cells)} rows left out: no pair of ids",) if odd else ()
    mappings = tuple(Mapping(one, other, "equivalent", 1.0, "individual") for one, other in pairs)
    return Alignment(mappings, notes=notes) if pairs else None


def spelt_out(alignment: Alignment, like: Alignment) -> Alignment:
    """An alignment whose ids are the IRIs of another that end in them, where exactly one does.

    >>> known = Alignment((Mapping("http://a/1", "http://b/8", "equivalent", 1.0, "individual"),))
    >>> ids = Alignment((Mapping("1", "8", "equivalent", 1.0, "individual"),))
    >>> spelt_out(ids, known).mappings[0].pair
    ('http://a/1', 'http://b/8')
    """
    sources = by_ending(mapping.source for mapping in like)
    targets = by_ending(mapping.target for mapping in like)
    named = (
        replace(
            one,
            source=sources.get(one.source, one.source),
            target=targets.get(one.target, one.target),
        )
        for one in alignment
    )
    return replace(alignment, mappings=tuple(named))


def by_ending(iris: Iterable[str]) -> dict[str, str]:
    """The IRI of each ending, after the last slash or hash, that no other of them has."""
    found: dict[str, set[str]] = {}
    for iri in iris:
        found.setdefault(unquote(re.split("[/#]", iri)[-1]), set()).add(iri)
    return {ending: min(ones) for ending, ones in found.items() if len(ones) == 1}


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
    confidence: float | None = None
    kind = "individual"
    for cell in cells[2:]:
        if cell in _RELATIONS:
            relation = _RELATIONS[cell]
        elif cell in _KINDS:
            kind = _KINDS[cell]
        elif _NUMBER.fullmatch(cell):  # a later one is something else of the pair
            confidence = float(cell) if confidence is None else confidence
        elif len(cells) == 3:
            # where one column follows the pair, it holds a confidence or a relation
            return None
    confidence = 1.0 if confidence is None else confidence
    if not 0.0 <= confidence <= 1.0:
        return None
    return Mapping(ends[0][1], ends[1][1], relation, confidence, kind)

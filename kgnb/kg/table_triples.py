"""A table with a header as a graph: rows are things, columns properties (CSV on the Web, W3C 2015, minimal mode).

The key of a row is its cell in the first column that is complete and without repeats, else its number; its label is in
the column whose header says so, else in the first column of words. IRIs lie below
:data:`~kgnb.kg.name_triples.BASE`; columns with the same header are one property, also of two tables. A column of only
numbers or only dates holds typed literals (1,6 is 1.6; 1,600 stays text).
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Sequence

import pyoxigraph as ox

from kgnb.errors import DataError
from kgnb.kg.labels import readable_name
from kgnb.kg.name_triples import BASE, as_iri_part, typed_literal
from kgnb.kg.terms import RDF, RDFS, XSD, is_iri

SUFFIXES = (".csv", ".tsv")
NAMING = frozenset({"name", "title", "label", "nom", "titre", "titel", "bezeichnung", "désignation"})
_DELIMITERS = ",;\t|"
_FIX = "Write a line of column names, and below it lines with as many cells."
_LABEL, _CLASS = ox.NamedNode(f"{RDFS}label"), ox.NamedNode(f"{RDFS}Class")
_TYPE, _PROPERTY = ox.NamedNode(f"{RDF}type"), ox.NamedNode(f"{RDF}Property")
_BEFORE_COMMA = re.compile(r"[+-]?\d+,(\d{1,2}|\d{4,})")  # three digits may as well be thousands
_WORDS = re.compile(r"[^\W\d_]{2}")


def read_table(text: str, where: str, stem: str, base: str | None = None) -> list[ox.Quad]:
    """The triples of a table; ``stem`` is the name of its file and of the class of its rows.

    Raises:
        DataError: there is no row, a line has more or fewer cells than the header, or two columns share a name; it
            names file and line.
    """
    header, rows = _rows(text, where)
    below = base or BASE
    columns = [[row[at] for row in rows] for at in range(len(header))]
    key = next((at for at, cells in enumerate(columns) if all(cells) and len({*cells}) == len(cells)), None)
    texts = [
        at for at, cells in enumerate(columns) if 2 * sum(bool(_WORDS.search(cell)) for cell in cells) > len(cells)
    ]
    naming = (at for at, name in enumerate(header) if name.casefold() in NAMING)
    name = next(naming, next((at for at in texts if at != key), key))
    kind = ox.NamedNode(f"{below}class/{as_iri_part(stem)}")
    properties = [ox.NamedNode(f"{below}column/{as_iri_part(title)}") for title in header]
    quads = [ox.Quad(kind, _TYPE, _CLASS), ox.Quad(kind, _LABEL, ox.Literal(readable_name(stem) or stem))]
    for iri, title in zip(properties, header, strict=True):
        quads += [ox.Quad(iri, _TYPE, _PROPERTY), ox.Quad(iri, _LABEL, ox.Literal(readable_name(title) or title))]
    values = [_values(cells) for cells in columns]
    for number, row in enumerate(rows):
        thing = ox.NamedNode(
            f"{below}{as_iri_part(stem)}/{as_iri_part(row[key] if key is not None else str(number + 1))}"
        )
        quads.append(ox.Quad(thing, _TYPE, kind))
        if name is not None and row[name]:
            quads.append(ox.Quad(thing, _LABEL, ox.Literal(row[name])))
        quads += [
            ox.Quad(thing, iri, value)
            for at, (iri, value) in enumerate(zip(properties, (cells[number] for cells in values), strict=True))
            if value is not None and at != name
        ]
    return quads


def _rows(text: str, where: str) -> tuple[list[str], list[list[str]]]:
    """The header of a table and its non-empty rows, the cells without surrounding white space."""
    first = text.partition("\n")[0]
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=max(_DELIMITERS, key=first.count), strict=True)
    rows: list[list[str]] = []
    try:
        for cells in reader:
            row = [cell.strip() for cell in cells]
            if rows and any(row) and len(row) != len(rows[0]):
                what = f"{len(row)} cells below a header of {len(rows[0])}"
                raise DataError(what, where=f"{where}:{reader.line_num}", fix=_FIX)
            rows += [row] if any(row) else []
    except csv.Error as error:
        fix = 'Put a cell with a line break or the delimiter in quotation marks, and double those inside: "5"" pipe".'
        raise DataError(f"this is not a table: {error}", where=f"{where}:{reader.line_num}", fix=fix) from error
    if len(rows) < 2:
        raise DataError("there is no row below the header", where=where, fix=_FIX)
    twice = [title or "(empty)" for title, often in Counter(rows[0]).items() if often > 1 or not title]
    if twice:
        raise DataError(f"column names that are empty or repeated: {', '.join(twice)}", where=f"{where}:1", fix=_FIX)
    return rows[0], rows[1:]


def _values(cells: Sequence[str]) -> list[ox.NamedNode | ox.Literal | None]:
    """The cells of a column as terms; as numbers or dates only if all of them are, since 007 may be a code."""
    plain = [cell if _BEFORE_COMMA.fullmatch(cell) is None else cell.replace(",", ".") for cell in cells]
    typed = [typed_literal(cell) if cell and not re.match(r"[+-]?0\d", cell) else None for cell in plain]
    kinds = {one.datatype.value.removeprefix(XSD) for one in typed if one is not None}
    even = len(kinds) == 1 or kinds == {"integer", "decimal"}
    if even and all(one is not None for one, cell in zip(typed, cells, strict=True) if cell):
        return list(typed)
    return [None if not cell else ox.NamedNode(cell) if _is_address(cell) else ox.Literal(cell) for cell in cells]


def _is_address(cell: str) -> bool:
    return cell.startswith(("http://", "https://", "urn:")) and is_iri(cell)

"""Text in columns as graphs: triples of names, and tables with a header.

``head TAB relation TAB tail`` is the form of most benchmark graphs. A name becomes an IRI below
:data:`BASE` and a label: the relation ``place_of_birth`` is
``http://names.example/relation/place_of_birth``, "place of birth". IRIs stay as they are. A tail
that is a number or a date, and nowhere a head, becomes a literal.

Of a table the rows are things and the columns properties (CSV on the Web, W3C 2015, minimal mode).
The key of a row is its cell in the first column that is complete and without repeats, else its
number; its label is in the column whose header says so, else in the first column of words. Columns
with the same header are one property, also of two tables. A column of only numbers or only dates
holds typed literals (1,6 is 1.6; 1,600 stays text).
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence

import pyoxigraph as ox

from kgnb.errors import DataError
from kgnb.kg.labels import readable_name
from kgnb.kg.terms import RDF, RDFS, XSD, is_iri

BASE = "http://names.example/"
NAME_SUFFIXES, TABLE_SUFFIXES = (".tsv", ".tab", ".txt"), (".csv", ".tsv")
_HEADERS = {
    ("head", "relation", "tail"),
    ("subject", "predicate", "object"),
    ("subject", "relation", "object"),
}
_TYPED = (
    (re.compile(r"[+-]?\d+"), "integer"),
    (re.compile(r"[+-]?\d*\.\d+"), "decimal"),
    (re.compile(r"-?\d{4,}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])"), "date"),
)
_UNSAFE = re.compile(r'[\x00-\x20<>"{}|\\^`%#?\ud800-\udfff]')
_LABEL, _CLASS = ox.NamedNode(f"{RDFS}label"), ox.NamedNode(f"{RDFS}Class")
_TYPE, _PROPERTY = ox.NamedNode(f"{RDF}type"), ox.NamedNode(f"{RDF}Property")


def looks_like_names(head: str) -> bool:
    """Whether most of the first lines have three columns, the middle one not of numbers or dates
    below a word.

    >>> looks_like_names("ada\\twarden_of\\thochkarhaus\\n"), looks_like_names("one,two,three\\n")
    (True, False)
    """
    lines = [_cells(line) for line in head.split("\n")[:20] if line.strip()]
    whole = lines[:-1] or lines  # the last may be cut off
    triples = [typed_literal(cells[1]) is None for cells in whole if len(cells) == 3]
    return 2 * len(triples) > len(whole) and (not triples[0] or 2 * sum(triples) > len(triples))


def entity_iri(name: str) -> str:
    """The IRI of an entity of this name.

    >>> entity_iri("the 3rd hut")
    'http://names.example/entity/the%203rd%20hut'
    """
    return f"{BASE}entity/{as_iri_part(name)}"


def read_name_triples(text: str, where: str, base: str | None = None) -> list[ox.Quad]:
    """The triples of a text with three columns, and the labels of the names.

    Raises:
        DataError: a line has more or fewer columns, or an empty one; it names file and line.
    """
    rows = list(_rows(text, where))
    if not rows:
        raise DataError("it holds no triple", where=where, fix=_FORM)
    below = base or BASE
    heads = {head for head, _, _ in rows}
    quads: dict[ox.Quad, None] = {}
    for head, relation, tail in rows:
        subject = _node(head, f"{below}entity/", quads)
        predicate = _node(relation, f"{below}relation/", quads, relation=True)
        literal = None if tail in heads else typed_literal(tail)
        quads[ox.Quad(subject, predicate, literal or _node(tail, f"{below}entity/", quads))] = None
    return list(quads)


_FORM = "Write one triple per line: head TAB relation TAB tail."


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.rstrip("\r\n").split("\t")]


def _rows(text: str, where: str) -> Iterator[tuple[str, str, str]]:
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        cells = _cells(line)
        if number == 1 and tuple(cell.lower() for cell in cells) in _HEADERS:
            continue
        if len(cells) != 3 or not all(cells):
            raise DataError(
                f"{len(cells)} columns, or an empty one, in {line[:60]!r}",
                where=f"{where}:{number}",
                fix=_FORM,
            )
        yield cells[0], cells[1], cells[2]


def _node(
    name: str, below: str, quads: dict[ox.Quad, None], *, relation: bool = False
) -> ox.NamedNode:
    bare = name[1:-1] if name.startswith("<") and name.endswith(">") else name
    if re.match(r"https?://|urn:", bare) and is_iri(bare):
        return ox.NamedNode(bare)
    node = ox.NamedNode(below + as_iri_part(name))
    last = re.split(r"[/.](?=\S)", name.strip("/"))[-1] if relation else name
    label = readable_name(last) if relation else " ".join(name.replace("_", " ").split())
    quads[ox.Quad(node, _LABEL, ox.Literal(label or name))] = None
    return node


def as_iri_part(name: str) -> str:
    """A name encoded for use in an IRI."""
    return _UNSAFE.sub(_encoded, name)


def _encoded(found: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in found[0].encode("utf-8", "replace"))


def typed_literal(text: str) -> ox.Literal | None:
    """The literal of a quoted text, a number or a date; None for any other text."""
    quoted = re.fullmatch(r'"(.*)"(?:@([A-Za-z-]+))?', text)
    if quoted:
        return ox.Literal(quoted[1], language=quoted[2]) if quoted[2] else ox.Literal(quoted[1])
    kind = next((kind for pattern, kind in _TYPED if pattern.fullmatch(text)), None)
    return ox.Literal(text, datatype=ox.NamedNode(XSD + kind)) if kind else None


NAMING = frozenset(
    {"name", "title", "label", "nom", "titre", "titel", "bezeichnung", "désignation"}
)
_DELIMITERS = ",;\t|"
_TABLE_FORM = "Write a line of column names, and below it lines with as many cells."
_BEFORE_COMMA = re.compile(r"[+-]?\d+,(\d{1,2}|\d{4,})")  # three digits may as well be thousands
_WORDS = re.compile(r"[^\W\d_]{2}")


def read_table(text: str, where: str, stem: str, base: str | None = None) -> list[ox.Quad]:
    """The triples of a table; ``stem`` is the name of its file and of the class of its rows.

    Raises:
        DataError: there is no row, a line has more or fewer cells than the header, or two columns
        share a name; it
            names file and line.
    """
    header, rows = _table_rows(text, where)
    below = base or BASE
    columns = [[row[at] for row in rows] for at in range(len(header))]
    key = next(
        (at for at, cells in enumerate(columns) if all(cells) and len({*cells}) == len(cells)), None
    )
    texts = [
        at
        for at, cells in enumerate(columns)
        if 2 * sum(bool(_WORDS.search(cell)) for cell in cells) > len(cells)
    ]
    naming = (at for at, name in enumerate(header) if name.casefold() in NAMING)
    name = next(naming, next((at for at in texts if at != key), key))
    kind = ox.NamedNode(f"{below}class/{as_iri_part(stem)}")
    properties = [ox.NamedNode(f"{below}column/{as_iri_part(title)}") for title in header]
    quads = [
        ox.Quad(kind, _TYPE, _CLASS),
        ox.Quad(kind, _LABEL, ox.Literal(readable_name(stem) or stem)),
    ]
    for iri, title in zip(properties, header, strict=True):
        quads += [
            ox.Quad(iri, _TYPE, _PROPERTY),
            ox.Quad(iri, _LABEL, ox.Literal(readable_name(title) or title)),
        ]
    values = [_column(cells) for cells in columns]
    for number, row in enumerate(rows):
        thing = ox.NamedNode(
            f"{below}{as_iri_part(stem)}/{as_iri_part(row[key] if key is not None else str(number + 1))}"
        )
        quads.append(ox.Quad(thing, _TYPE, kind))
        if name is not None and row[name]:
            quads.append(ox.Quad(thing, _LABEL, ox.Literal(row[name])))
        quads += [
            ox.Quad(thing, iri, value)
            for at, (iri, value) in enumerate(
                zip(properties, (cells[number] for cells in values), strict=True)
            )
            if value is not None and at != name
        ]
    return quads


def _table_rows(text: str, where: str) -> tuple[list[str], list[list[str]]]:
    """The header of a table and its non-empty rows, the cells without surrounding white space."""
    first = text.partition("\n")[0]
    reader = csv.reader(
        io.StringIO(text, newline=""), delimiter=max(_DELIMITERS, key=first.count), strict=True
    )
    rows: list[list[str]] = []
    try:
        for cells in reader:
            row = [cell.strip() for cell in cells]
            if rows and any(row) and len(row) != len(rows[0]):
                what = f"{len(row)} cells below a header of {len(rows[0])}"
                raise DataError(what, where=f"{where}:{reader.line_num}", fix=_TABLE_FORM)
            rows += [row] if any(row) else []
    except csv.Error as error:
        fix = 'Put a cell with a line break or the delimiter in quotation marks, and double those inside: "5"" pipe".'
        raise DataError(
            f"this is not a table: {error}", where=f"{where}:{reader.line_num}", fix=fix
        ) from error
    if len(rows) < 2:
        raise DataError("there is no row below the header", where=where, fix=_TABLE_FORM)
    twice = [
        title or "(empty)" for title, often in Counter(rows[0]).items() if often > 1 or not title
    ]
    if twice:
        raise DataError(
            f"column names that are empty or repeated: {', '.join(twice)}",
            where=f"{where}:1",
            fix=_TABLE_FORM,
        )
    return rows[0], rows[1:]


def _column(cells: Sequence[str]) -> list[ox.NamedNode | ox.Literal | None]:
    """The cells of a column as terms; as numbers or dates only if all of them are, since 007 may be
    a code.
    """
    plain = [
        cell if _BEFORE_COMMA.fullmatch(cell) is None else cell.replace(",", ".") for cell in cells
    ]
    typed = [
        typed_literal(cell) if cell and not re.match(r"[+-]?0\d", cell) else None for cell in plain
    ]
    kinds = {one.datatype.value.removeprefix(XSD) for one in typed if one is not None}
    even = len(kinds) == 1 or kinds == {"integer", "decimal"}
    if even and all(one is not None for one, cell in zip(typed, cells, strict=True) if cell):
        return list(typed)
    return [
        None if not cell else ox.NamedNode(cell) if _is_address(cell) else ox.Literal(cell)
        for cell in cells
    ]


def _is_address(cell: str) -> bool:
    return cell.startswith(("http://", "https://", "urn:")) and is_iri(cell)

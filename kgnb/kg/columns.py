"""Text in columns as graphs: triples of names, and tables with a header.

``head TAB relation TAB tail`` is the form of most benchmark graphs. A name becomes an IRI below
:data:`BASE` and a label: the relation ``place_of_birth`` is
``http://names.example/relation/place_of_birth``, "place of birth". IRIs stay as they are. A tail
that is a number or a date, and nowhere a head, becomes a literal.

Of a table the rows are things and the columns properties (CSV on the Web, W3C 2015, minimal mode).
The key of a row is its cell in the first column that is complete and without repeats, else its
number; its label is in the column whose header says so, else in the first column of words. Columns
with the same header are one property, also of two tables. A column of only numbers or only dates
holds typed literals (``cells``). A given and a family name make a name.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress

import pyoxigraph as ox

from kgnb.errors import DataError
from kgnb.kg.cells import MISSING, NO_VALUE, readers
from kgnb.kg.labels import readable_name
from kgnb.kg.mending import Mender, Mends
from kgnb.kg.terms import RDF, RDFS, XSD

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
_NO_CHARACTERS = "".join(chr(plane << 16 | end) for plane in range(15) for end in (0xFFFE, 0xFFFF))
_UNSAFE = re.compile(  # what no path of an IRI may hold (RFC 3987)
    r'[\x00-\x20<>"{}|\\^`%#?\[\]\x7f-\x9f\ud800-\uf8ff\ufdd0-\ufdef\ufff0-\uffff'
    rf"\U000e0000-\U000e0fff\U000f0000-\U0010ffff{_NO_CHARACTERS}]"
)
_LABEL, _CLASS = ox.NamedNode(f"{RDFS}label"), ox.NamedNode(f"{RDFS}Class")
_TYPE, _PROPERTY = ox.NamedNode(f"{RDF}type"), ox.NamedNode(f"{RDF}Property")


def looks_like_names(head: str) -> bool:
    """Whether most of the first lines have three columns, the middle one not of numbers or dates
    below a word.

    >>> looks_like_names("ada\\twarden_of\\thochkarhaus\\n"), looks_like_names("one,two,three\\n")
    (True, False)
    """
    uncut = head.rpartition("\n")[0] or head  # the last line may be cut off
    lines = [_cells(line) for line in uncut.split("\n")[:20] if line.strip()]
    rows = [cells for cells in lines if len(cells) == 3]
    if 2 * len(rows) <= len(lines):
        return False
    texts = [[typed_literal(cell) is None for cell in column] for column in zip(*rows, strict=True)]
    if texts[1][0] and 2 * sum(texts[1]) <= len(rows):
        return False
    # a word above numbers only is a header, where no head comes twice
    headed = [True, *[False] * (len(rows) - 1)] in texts
    return (
        not (headed and len({row[0] for row in rows}) == len(rows) > 2)
        or tuple(map(str.lower, rows[0])) in _HEADERS
    )


def entity_iri(name: str) -> str:
    """The IRI of an entity of this name.

    >>> entity_iri("the 3rd hut")
    'http://names.example/entity/the%203rd%20hut'
    """
    return f"{BASE}entity/{as_iri_part(name)}"


def read_name_triples(
    text: str, where: str, base: str | None = None, mends: Mends | None = None
) -> list[ox.Quad]:
    """The triples of a text with three columns, and the labels of the names.

    Raises:
        DataError: a line has more or fewer columns, or an empty one; it names file and line.
    """
    rows = list(_rows(text, where))
    if not rows:
        raise DataError("it holds no triple", where=where, fix=_FORM)
    below = base or BASE
    mender = Mender(BASE, mends or Mends())
    heads = {head for head, _, _ in rows}
    quads: dict[ox.Quad, None] = {}
    for head, relation, tail in rows:
        subject = _node(head, f"{below}entity/", quads, mender)
        predicate = _node(relation, f"{below}relation/", quads, mender, relation=True)
        literal = None if tail in heads else typed_literal(tail)
        value = literal or _node(tail, f"{below}entity/", quads, mender)
        quads[ox.Quad(subject, predicate, value)] = None
    return list(quads)


_FORM = "Write one triple per line: head TAB relation TAB tail."


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.rstrip("\r\n").split("\t")]


def _rows(text: str, where: str) -> Iterator[tuple[str, str, str]]:
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        cells = _cells(line)
        if number == 1 and tuple(map(str.lower, cells)) in _HEADERS:
            continue
        if len(cells) != 3 or not all(cells):
            raise DataError(
                f"{len(cells)} columns, or an empty one, in {line[:60]!r}",
                where=f"{where}:{number}",
                fix=_FORM,
            )
        yield cells[0], cells[1], cells[2]


def _node(
    name: str,
    below: str,
    quads: dict[ox.Quad, None],
    mender: Mender,
    *,
    relation: bool = False,
) -> ox.NamedNode:
    bare = name[1:-1] if name.startswith("<") and name.endswith(">") else name
    if address := _address(bare, mender):
        return address
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
GIVEN_NAMES = frozenset(
    {"given name", "first name", "firstname", "givenname", "forename", "vorname", "rufname"}
    | {"given names", "first names", "forenames", "vornamen", "prénoms"}
    | {"prénom", "prenom", "nombre", "nome", "voornaam"}
)
FAMILY_NAMES = frozenset(
    {
        "family name",
        "last name",
        "last names",
        "surnames",
        "lastname",
        "familyname",
        "surname",
        "nachname",
        "familienname",
    }
    | {"nom", "nom de famille", "apellido", "apellidos", "cognome", "achternaam"}
)
_DELIMITERS = ",;\t|"
_TABLE_FORM = "Write a line of column names, and below it lines with as many cells."
_WORDS = re.compile(r"[^\W\d_]{2}")


def read_table(
    text: str, where: str, stem: str, base: str | None = None, mends: Mends | None = None
) -> Iterator[ox.Quad]:
    """The triples of a table; ``stem`` is the name of its file and of the class of its rows.

    Raises:
        DataError: there is no row, a line has more or fewer cells than the header, or two columns
            share a name; it
            names file and line.
    """
    header, rows, delimiter = _table_rows(text, where)
    return table_quads(header, rows, stem, base, mends or Mends(), semicolons=delimiter == ";")


def table_quads(
    header: list[str],
    rows: list[list[str]],
    stem: str,
    base: str | None,
    mends: Mends,
    *,
    semicolons: bool = False,
) -> Iterator[ox.Quad]:
    """The triples of a header and its rows, made one row at a time."""
    below, header = base or BASE, _titles(header, mends)
    columns = [[row[at] for row in rows] for at in range(len(header))]
    key = next(
        (at for at, cells in enumerate(columns) if all(cells) and len({*cells}) == len(cells)), None
    )
    if key is not None and all(map(str.isdigit, (header[key], *columns[key]))):
        first = ", ".join(header[:4])
        mends.note(
            "the first row names the columns, though it looks like one of the others", first, ""
        )
    if key != 0 and 5 * len({*columns[0]} - {""}) >= 4 * len(rows):  # a key, but for slips
        by = "their number" if key is None else f"the column {header[key]!r}"
        slip = f"repeated or empty in the first column, so that {by} names the rows"
        for cell, often in Counter(columns[0]).items():
            if often > 1 or not cell:
                mends.note(slip, cell, "")
    reads = readers(columns, semicolons=semicolons, mends=mends)
    words = [at for at, cells in enumerate(columns) if reads[at] is None and _wordy(cells)]
    names = _naming(header, [at for at in words if at != key], key)
    del columns
    kind = ox.NamedNode(f"{below}class/{as_iri_part(stem)}")
    properties = [ox.NamedNode(f"{below}column/{as_iri_part(title)}") for title in header]
    yield ox.Quad(kind, _TYPE, _CLASS)
    yield ox.Quad(kind, _LABEL, ox.Literal(readable_name(stem) or stem))
    for iri, title in zip(properties, header, strict=True):
        yield ox.Quad(iri, _TYPE, _PROPERTY)
        yield ox.Quad(iri, _LABEL, ox.Literal(readable_name(title) or title))
    mender = Mender(BASE, mends)
    # a label alone is not said twice, but the parts of a name stay what they are
    said = names if len(names) == 1 else []
    for number, row in enumerate(rows, start=1):
        own = as_iri_part(row[key] if key is not None else str(number))
        thing = ox.NamedNode(f"{below}{as_iri_part(stem)}/{own}")
        yield ox.Quad(thing, _TYPE, kind)
        name = " ".join(row[at] for at in names if row[at])
        if name:
            yield ox.Quad(thing, _LABEL, ox.Literal(name))
        for at, cell in enumerate(row):
            if not cell or at in said:
                continue
            read = reads[at]
            if read is None and cell.casefold() in NO_VALUE:
                mends.note(MISSING, cell, "")
                continue
            value = read(cell) if read is not None else _address(cell, mender) or ox.Literal(cell)
            if value is not None:
                yield ox.Quad(thing, properties[at], value)


def _titles(header: list[str], mends: Mends) -> list[str]:
    """The names of the columns; one without a name, or with that of another, is given its own."""
    titles: dict[str, None] = {}
    there, tried = set(header), dict[str, int]()
    for place, title in enumerate(header, start=1):
        own = wanted = title or f"column {place}"
        while own in titles or (own != title and own in there):
            tried[wanted] = tried.get(wanted, 1) + 1
            own = f"{wanted} ({tried[wanted]})"
        if own != title:
            mends.note("columns named anew, as a name is missing or there twice", title, own)
        titles[own] = None
    return list(titles)


def _wordy(cells: list[str]) -> bool:
    """Whether most cells of a column hold words, and are no addresses."""
    words = [bool(_WORDS.search(cell)) and "://" not in cell for cell in cells]
    return 2 * sum(words) > len(cells)


def _naming(header: list[str], words: list[int], key: int | None) -> list[int]:
    """The columns that name a row: one called name, or given and family name, or one of words."""
    plain = [" ".join(re.split(r"[\W_]+", readable_name(title).casefold())) for title in header]
    given = next((at for at, title in enumerate(plain) if title in GIVEN_NAMES), None)
    family = next((at for at, title in enumerate(plain) if title in FAMILY_NAMES), None)
    if given is not None and family is not None:
        return [given, family]
    naming = next((at for at, title in enumerate(header) if title.casefold() in NAMING), None)
    if naming is not None:
        return [naming]
    name = next(iter(words), key)
    return [] if name is None else [name]


csv.field_size_limit(2**31 - 1)  # 131,072 characters by default, and cells may be longer


def _table_rows(text: str, where: str) -> tuple[list[str], list[list[str]], str]:
    """The header of a table and its non-empty rows, the cells without surrounding white space, and
    what divides them.
    """
    delimiter, text, skipped = table_form(text)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows: list[list[str]] = []
    try:
        for cells in reader:
            row = [cell.strip() for cell in cells]
            if not any(row):
                continue
            if rows and len(row) != len(rows[0]):
                what = f"{len(row)} cells below a header of {len(rows[0])}"
                line = reader.line_num + skipped
                raise DataError(what, where=f"{where}:{line}", fix=_TABLE_FORM)
            rows.append(row)
    except csv.Error as error:
        fix = 'Put a cell with a line break or the delimiter in quotation marks, and double those inside: "5"" pipe".'
        raise DataError(
            f"this is not a table: {error}", where=f"{where}:{reader.line_num + skipped}", fix=fix
        ) from error
    return *checked_rows(rows, where, 1 + skipped), delimiter


def table_form(text: str) -> tuple[str, str, int]:
    """What divides the cells of a table, and its text below the line, if any, that says so as Excel
    does, and how many lines that takes.

    >>> table_form("sep=;\\nboat;price\\n")
    (';', 'boat;price\\n', 1)
    """
    first, _, rest = text.partition("\n")
    said = re.fullmatch(r'"?sep=(.)"?[;,\t]*\r?', first, re.IGNORECASE)
    return (said[1], rest, 1) if said else (_delimiter(text), text, 0)


def _delimiter(text: str) -> str:
    """What divides the cells: the mark that gives the first lines one width, the widest of such."""
    lines = text[:20_000].splitlines()[:30]
    best, width = "", 1
    for mark in _DELIMITERS:
        with suppress(csv.Error):
            widths = {
                len(row) for row in csv.reader(lines[:-1] or lines, delimiter=mark) if any(row)
            }
            if len(widths) == 1 and (wide := widths.pop()) > width:
                best, width = mark, wide
    first = next(filter(str.strip, lines), "")
    return best or max(_DELIMITERS, key=first.count)


def checked_rows(
    rows: list[list[str]], where: str, line: int = 1
) -> tuple[list[str], list[list[str]]]:
    """The header and the rows below it; DataError where there is none, or most names are missing."""
    ends = (next((at for at, cell in enumerate(reversed(row)) if cell), len(row)) for row in rows)
    if spare := min(ends, default=0):  # a delimiter at the end of each line
        rows = [row[:-spare] for row in rows]
    if len(rows) < 2:
        raise DataError("there is no row below the header", where=where, fix=_TABLE_FORM)
    if 2 * rows[0].count("") >= len(rows[0]):
        raise DataError(
            "most columns have no name: is this line a title?",
            where=f"{where}:{line}",
            fix=_TABLE_FORM,
        )
    return rows[0], rows[1:]


def _address(cell: str, mender: Mender) -> ox.NamedNode | None:
    """The IRI that a cell is, mended as in RDF; None where it is no address, or a text that begins
    with one.
    """
    if not cell.startswith(("http://", "https://", "urn:")) or re.search(r"\s", cell):
        return None
    try:
        return mender.iri(cell)
    except DataError:
        return None

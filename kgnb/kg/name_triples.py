"""Triples as three columns of names, ``head TAB relation TAB tail``: the form of most benchmark graphs.

A name becomes an IRI below :data:`BASE` and a label: the relation ``place_of_birth`` is
``http://names.example/relation/place_of_birth``, "place of birth". IRIs stay as they are. A tail that is a number or a
date, and nowhere a head, becomes a literal.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pyoxigraph as ox

from kgnb.errors import DataError
from kgnb.kg.labels import readable_name
from kgnb.kg.terms import RDFS, XSD, is_iri

BASE = "http://names.example/"
SUFFIXES = (".tsv", ".tab", ".txt")
_HEADERS = {("head", "relation", "tail"), ("subject", "predicate", "object"), ("subject", "relation", "object")}
_TYPED = (
    (re.compile(r"[+-]?\d+"), "integer"),
    (re.compile(r"[+-]?\d*\.\d+"), "decimal"),
    (re.compile(r"-?\d{4,}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])"), "date"),
)
_UNSAFE = re.compile(r'[\x00-\x20<>"{}|\\^`%#?\ud800-\udfff]')
_LABEL = ox.NamedNode(RDFS + "label")


def looks_like_names(head: str) -> bool:
    """Whether most of the first lines have three columns, the middle one not of numbers or dates below a word.

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
                f"{len(cells)} columns, or an empty one, in {line[:60]!r}", where=f"{where}:{number}", fix=_FORM
            )
        yield cells[0], cells[1], cells[2]


def _node(name: str, below: str, quads: dict[ox.Quad, None], *, relation: bool = False) -> ox.NamedNode:
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

"""What the embedded engine wrote, as terms: its TSV and its N-Triples."""

from __future__ import annotations

import gc
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pyoxigraph as ox

from kgnb.kg.graph import Row, Solutions
from kgnb.kg.oxigraph_graph import triple_from_oxigraph
from kgnb.kg.terms import (
    RDF,
    XSD,
    Blank,
    Iri,
    Literal,
    Term,
    Triple,
    term_key,
    triple_key,
    unescaped,
)

_NO_TYPE = frozenset({f"{XSD}string", f"{RDF}langString", f"{RDF}dirLangString"})
_INTEGER = re.compile(r"[+-]?\d+")


@contextmanager
def without_collecting() -> Iterator[None]:
    """No search for circles while many small values are made, which cannot be in one: it would take
    half of the time.
    """
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


@without_collecting()
def from_tsv(written: bytes, limit: int | None = None) -> Solutions:
    """The rows of a result in SPARQL 1.1 TSV, at most ``limit``; equal cells are one term."""
    head, _, body = written.decode("utf-8").partition("\n")
    variables = tuple(name[1:] for name in head.split("\t") if name)
    body = body.removesuffix("\n")
    # A text has no tab and no line break of its own here: they are escaped.
    cells = body.replace("\n", "\t").split("\t")
    wide = len(variables)
    if not wide:
        rows: list[Row] = [()] * (written.count(b"\n") - 1)
    elif not written.partition(b"\n")[2]:
        rows = []
    else:
        known: dict[str, Term | None] = dict.fromkeys(cells)
        for cell in known:
            known[cell] = _term(cell) if cell else None
        terms = map(known.__getitem__, cells)
        rows = list(zip(*[terms] * wide, strict=True))
    return Solutions(
        variables, tuple(rows[:limit]), truncated=limit is not None and len(rows) > limit
    )


def _term(cell: str) -> Term:
    first = cell[0]
    if first == "<":
        return Iri(cell[1:-1])
    if first == '"':
        end = cell.rfind('"')
        text, after = unescaped(cell[1:end]), cell[end + 1 :]
        if after.startswith("@"):
            return Literal(text, after[1:])
        datatype = after[3:-1] if after else None
        return Literal(text, None, None if datatype in _NO_TYPE else datatype)
    if first == "_":
        return Blank(cell[2:])
    if cell in ("true", "false"):
        return Literal(cell, datatype=f"{XSD}boolean")
    kind = "integer" if _INTEGER.fullmatch(cell) else "double" if "e" in cell.lower() else "decimal"
    return Literal(cell, datatype=f"{XSD}{kind}")


@without_collecting()
def from_n_triples(written: bytes) -> list[Triple]:
    """The triples of what the engine wrote as N-Triples, each once, sorted."""
    if b"<<(" in written:  # a triple term, or a text that looks like one
        parsed = ox.parse(written, format=ox.RdfFormat.N_TRIPLES, lenient=True)
        return sorted({triple_from_oxigraph(quad) for quad in parsed}, key=triple_key)
    lines = {line[:-2] for line in written.decode("utf-8").split("\n") if line}
    split = [line.split(" ", 2) for line in lines]
    known: dict[str, Any] = dict.fromkeys(text for parts in split for text in parts)
    for text in known:
        known[text] = _term(text)
    keys = {text: term_key(term) for text, term in known.items()}
    split.sort(key=lambda parts: [keys[text] for text in parts])
    return [(known[s], known[p], known[o]) for s, p, o in split]

"""What the embedded engine wrote, as terms: its TSV and its N-Triples."""

from __future__ import annotations

import re

import pyoxigraph as ox

from kgnb.kg.graph import Row, Solutions
from kgnb.kg.oxigraph_graph import triple_from_oxigraph
from kgnb.kg.terms import RDF, XSD, Blank, Iri, Literal, Term, Triple, triple_key

_ESCAPED = re.compile(r"\\(u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)", re.DOTALL)
_PLAIN = {"t": "\t", "n": "\n", "r": "\r", "b": "\b", "f": "\f"}
_NO_TYPE = frozenset({f"{XSD}string", f"{RDF}langString", f"{RDF}dirLangString"})
_INTEGER = re.compile(r"[+-]?\d+")


def from_tsv(written: bytes, limit: int | None = None) -> Solutions:
    """The rows of a result in SPARQL 1.1 TSV, at most ``limit``; equal cells are one term."""
    head, *lines = written.decode("utf-8").split("\n")
    variables = tuple(name[1:] for name in head.split("\t") if name)
    if lines and not lines[-1]:
        lines.pop()
    known: dict[str, Term | None] = {"": None}
    rows: list[Row] = []
    for line in lines[:limit]:
        cells = line.split("\t") if variables else []
        try:
            rows.append(tuple([known[cell] for cell in cells]))
        except KeyError:
            for cell in cells:
                if cell not in known:
                    known[cell] = _term(cell)
            rows.append(tuple([known[cell] for cell in cells]))
    return Solutions(variables, tuple(rows), truncated=limit is not None and len(lines) > limit)


def _term(cell: str) -> Term:
    first = cell[0]
    if first == "<":
        return Iri(cell[1:-1])
    if first == '"':
        end = cell.rfind('"')
        text, after = cell[1:end], cell[end + 1 :]
        if "\\" in text:
            text = _ESCAPED.sub(_character, text)
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


def _character(match: re.Match[str]) -> str:
    code = match[1]
    return chr(int(code[1:], 16)) if len(code) > 1 else _PLAIN.get(code, code)


def from_n_triples(written: bytes) -> list[Triple]:
    """The triples of a document in N-Triples, each once, sorted."""
    parsed = ox.parse(written, format=ox.RdfFormat.N_TRIPLES, lenient=True)
    return sorted({triple_from_oxigraph(quad) for quad in parsed}, key=triple_key)

"""Ontologies in forms that are no RDF, made RDF/XML by libraries kept for that: OBO and OBO Graphs by
fastobo (extra ``obo``), OWL functional syntax, OWL/XML and Manchester syntax by py-horned-owl (extra
``owl``); spreadsheets by python-calamine (extra ``excel``).
"""

from __future__ import annotations

import datetime
import io
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile, is_zipfile

from kgnb.errors import DataError
from kgnb.files import most_unpacked

HORNED: Any = {"OWL functional syntax": "ofn", "OWL/XML": "owx", "Manchester syntax": "omn"}
OBO = frozenset({"OBO format", "OBO Graphs JSON"})
SPREADSHEETS = (".xlsx", ".xls", ".xlsb", ".ods")
_ELSE = (
    "save it as Turtle or RDF/XML, with Protégé (Save as) or `robot convert --input FILE --output "
    "FILE.ttl`"
)


def as_rdf_xml(text: str, kind: str, where: str, stem: str) -> tuple[str, str]:
    """An ontology as RDF/XML, and the library that made it.

    Raises:
        DataError: the library is not installed, or the text is malformed.
    """
    return _from_obo(text, kind, where, stem) if kind in OBO else _from_owl(text, kind, where)


def _from_owl(text: str, kind: str, where: str) -> tuple[str, str]:
    try:
        import pyhornedowl
    except ImportError as error:
        raise _absent(kind, "owl", where) from error
    try:
        ontology = pyhornedowl.open_ontology_from_string(text, HORNED[kind])
        return ontology.save_to_string("rdf"), "py-horned-owl"
    except ValueError as error:
        raise _malformed(kind, where, error) from error


def _from_obo(text: str, kind: str, where: str, stem: str) -> tuple[str, str]:
    try:
        import fastobo
    except ImportError as error:
        raise _absent(kind, "obo", where) from error
    try:
        stream = io.BytesIO(text.encode("utf-8", "replace"))
        document = fastobo.load(stream) if kind == "OBO format" else fastobo.load_graph(stream)
        header = fastobo.header
        # What the mapping to OWL wants and many files leave out.
        clauses = {type(clause) for clause in document.header}
        name = fastobo.id.UnprefixedIdent(stem)
        if header.OntologyClause not in clauses:
            document.header.append(header.OntologyClause(stem))
        if header.DefaultNamespaceClause not in clauses:
            document.header.append(header.DefaultNamespaceClause(name))
        written = io.BytesIO()
        fastobo.dump_owl(document, written, format="rdf")
    except (SyntaxError, ValueError, OSError, RuntimeError) as error:
        raise _malformed(kind, where, error) from error
    return written.getvalue().decode("utf-8"), "fastobo"


def sheet_rows(path: Path) -> tuple[list[list[str]], list[str]]:
    """The rows of a spreadsheet's first sheet that holds any, as text, and the names of its other
    sheets.
    """
    where = str(path)
    try:
        import python_calamine as calamine
    except ImportError as error:
        raise DataError(
            "a spreadsheet needs the package python-calamine",
            where=where,
            fix='pip install "kgnb[excel]", or save the sheet as CSV',
        ) from error
    try:
        if is_zipfile(path):
            with ZipFile(path) as packed:
                unpacked = sum(part.file_size for part in packed.infolist())
            if unpacked > most_unpacked(path.stat().st_size):
                raise ValueError(f"it unpacks to {unpacked >> 20:,} MiB")
        book = calamine.CalamineWorkbook.from_path(where)
        sheets = [(name, book.get_sheet_by_name(name).to_python()) for name in book.sheet_names]
    except (calamine.CalamineError, OSError, ValueError, BadZipFile) as error:
        raise DataError(
            f"this is no spreadsheet that can be read: {error}",
            where=where,
            fix="save it again, or as CSV",
        ) from error
    filled = [(name, rows) for name, rows in sheets if rows]
    if not filled:
        raise DataError("the spreadsheet is empty", where=where, fix="check that it was saved")
    rows = [[_cell(value) for value in row] for row in filled[0][1]]
    return [row for row in rows if any(row)], [name for name, _ in filled[1:]]


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, datetime.datetime) and value.time() == datetime.time():
        return value.date().isoformat()
    if isinstance(value, datetime.date | datetime.datetime):
        return value.isoformat()
    return str(value).strip()


def _absent(kind: str, extra: str, where: str) -> DataError:
    return DataError(
        f"this is {kind}, which needs one more package here",
        where=where,
        fix=f'pip install "kgnb[{extra}]", or {_ELSE}',
    )


def _malformed(kind: str, where: str, error: Exception) -> DataError:
    line = getattr(error, "lineno", None)
    place = f"{where}:{line}" if isinstance(line, int) else where
    return DataError(
        f"not readable as {kind}: {str(error)[:300]}", where=place, fix=f"correct it, or {_ELSE}"
    )

"""Ontologies in forms that are no RDF, made RDF/XML by libraries kept for that: OBO and OBO Graphs by
fastobo (extra ``obo``), OWL functional syntax, OWL/XML and Manchester syntax by py-horned-owl (extra
``owl``); spreadsheets by python-calamine (extra ``excel``).
"""

from __future__ import annotations

import io
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile, is_zipfile

from kgnb.errors import DataError
from kgnb.files import from_json, most_unpacked

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
    if find_spec("python_calamine") is None:
        raise DataError(
            "a spreadsheet needs the package python-calamine",
            where=where,
            fix='pip install "kgnb[excel]", or save the sheet as CSV',
        )
    try:
        if is_zipfile(path):
            with ZipFile(path) as packed:
                unpacked = sum(part.file_size for part in packed.infolist())
            if unpacked > most_unpacked(path.stat().st_size):
                raise ValueError(f"it unpacks to {unpacked >> 20:,} MiB")
        found = _read_apart(path)
    except (OSError, ValueError, BadZipFile) as error:
        raise DataError(
            f"this is no spreadsheet that can be read: {error}",
            where=where,
            fix="save it again, or as CSV",
        ) from error
    if not found["rows"]:
        raise DataError("the spreadsheet is empty", where=where, fix="check that it was saved")
    return found["rows"], found["others"]


def _read_apart(path: Path) -> dict[str, Any]:
    """What ``sheet_process`` reads of a file, in a process that may end."""
    program = Path(__file__).with_name("sheet_process.py")
    command = [sys.executable, "-I", str(program), str(path.resolve())]
    done = subprocess.run(command, capture_output=True, check=False, stdin=subprocess.DEVNULL)
    if done.returncode:
        raise ValueError("its reader broke off, as where a cell far out needs too much memory")
    found: dict[str, Any] = from_json(done.stdout)
    if "error" in found:
        raise ValueError(found["error"])
    return found


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

"""Query results as files: CSV, TSV, JSON and Parquet for rows; Turtle, N-Triples and JSON-LD for
triples.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from decimal import Decimal
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pyoxigraph as ox

from kgnb.errors import ConfigError, DataError
from kgnb.files import write_whole
from kgnb.kg.graph import Solutions
from kgnb.kg.oxigraph_graph import triple_to_oxigraph
from kgnb.kg.terms import XSD, Blank, Iri, Literal, Term, Triple, TripleTerm, n3

ROWS = (".csv", ".tsv", ".json", ".srj", ".parquet")
TRIPLES = {
    ".ttl": ox.RdfFormat.TURTLE,
    ".nt": ox.RdfFormat.N_TRIPLES,
    ".json": ox.RdfFormat.JSON_LD,
    ".jsonld": ox.RdfFormat.JSON_LD,
}
_FORMULA = re.compile(r"[=+\-@\t\r\n＝＋－＠]")  # noqa: RUF001 - some spreadsheets take wide ones, too
_NUMBER = re.compile(r"[+\-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+\-]?\d+)?\Z")


def save_rows(solutions: Solutions, path: str | Path) -> Path:
    """Write the rows of a SELECT query in the format of the file's suffix; the file appears whole
    or not at all.

    CSV and TSV follow SPARQL 1.1 Query Results CSV and TSV Formats, JSON follows SPARQL 1.1 Query
    Results JSON; TSV and JSON lose nothing. In CSV a text that a spreadsheet would run as a formula
    gets an apostrophe before it.

    Raises:
        DataError: rows cannot be written in this format.
        ConfigError: Parquet without pyarrow.
    """
    path = Path(path)
    kind = path.suffix.lower()
    if kind == ".parquet":
        return _parquet(solutions, path)
    if kind not in ROWS:
        raise _no_form(path, ROWS, "rows", "triples come from CONSTRUCT or DESCRIBE")
    with _writable(path):
        text = {".csv": _separated, ".tsv": _tabbed}.get(kind, _as_json)(solutions).encode()
    return write_whole(path, text)


def save_triples(
    triples: Iterable[Triple], path: str | Path, prefixes: Mapping[str, str] | None = None
) -> Path:
    """Write triples in the format of the file's suffix: Turtle, N-Triples or JSON-LD.

    Raises:
        DataError: triples cannot be written in this format.
    """
    path = Path(path)
    kind = path.suffix.lower()
    if kind not in TRIPLES:
        raise _no_form(path, TRIPLES, "triples", "rows come from SELECT")
    with _writable(path):
        written = ox.serialize(
            (ox.Triple(*triple_to_oxigraph(triple)) for triple in triples),
            format=TRIPLES[kind],
            prefixes=dict(prefixes or {}) if kind == ".ttl" else None,
        )
    return write_whole(path, written or b"")


@contextmanager
def _writable(path: Path) -> Iterator[None]:
    """Turns the error for a term that this format cannot hold (some services send such) into a
    DataError.
    """
    try:
        yield
    except ValueError as error:
        raise DataError(
            f"a term cannot be written in {path.suffix}: {str(error)[:300]}",
            where=path,
            fix="Leave it out with a FILTER; .csv and .json take IRIs that are malformed.",
        ) from error


def rows_as_json(solutions: Solutions) -> dict[str, Any]:
    """The rows as SPARQL 1.1 Query Results JSON (triple terms as SPARQL 1.2 has them)."""
    bindings = [
        {
            name: _json(term)
            for name, term in zip(solutions.variables, row, strict=True)
            if term is not None
        }
        for row in solutions
    ]
    return {"head": {"vars": list(solutions.variables)}, "results": {"bindings": bindings}}


def _json(term: Term) -> dict[str, Any]:
    if isinstance(term, Iri):
        return {"type": "uri", "value": str(term)}
    if isinstance(term, Blank):
        return {"type": "bnode", "value": term.label}
    if isinstance(term, TripleTerm):
        parts = {"subject": term.subject, "predicate": term.predicate, "object": term.object}
        return {"type": "triple", "value": {name: _json(part) for name, part in parts.items()}}
    more = (
        {"xml:lang": term.language}
        if term.language
        else {"datatype": term.datatype}
        if term.datatype
        else {}
    )
    return {"type": "literal", "value": term.text, **more}


def _as_json(solutions: Solutions) -> str:
    return json.dumps(rows_as_json(solutions), ensure_ascii=False, indent=1)


def _separated(solutions: Solutions) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(solutions.variables)
    writer.writerows([inert(_lexical(term)) for term in row] for row in solutions)
    return out.getvalue()


def inert(text: str) -> str:
    """A text that no spreadsheet takes for a formula; numbers are unchanged.

    >>> inert("=HYPERLINK(1)"), inert("-12.5"), inert("-cmd")
    ("'=HYPERLINK(1)", '-12.5', "'-cmd")
    """
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.match(text) else text


def _tabbed(solutions: Solutions) -> str:
    lines: list[Sequence[str]] = [[f"?{name}" for name in solutions.variables]]
    lines += [["" if term is None else n3(term) for term in row] for row in solutions]
    return "".join("\t".join(line) + "\n" for line in lines)


def _lexical(term: Term | None) -> str:
    if term is None:
        return ""
    if isinstance(term, Literal):
        return term.text
    if isinstance(term, Iri | Blank):
        return str(term) if isinstance(term, Iri) else f"_:{term.label}"
    return f"<<( {_lexical(term.subject)} {_lexical(term.predicate)} {_lexical(term.object)} )>>"


def _parquet(solutions: Solutions, path: Path) -> Path:
    if find_spec("pyarrow") is None:
        raise ConfigError(
            "Parquet files need the package pyarrow",
            fix="pip install pyarrow, or export to .csv or .tsv.",
        )
    frame = frame_of(solutions)
    mixed = [name for name in frame.columns if str(frame[name].dtype) == "object"]
    frame[mixed] = frame[mixed].astype("string")
    return write_whole(path, frame.to_parquet)


def frame_of(solutions: Solutions) -> Any:
    """The rows as a typed pandas data frame: numbers, booleans and dates as such, IRIs and text as
    strings.
    """
    import pandas

    columns = {}
    for at, name in enumerate(solutions.variables):
        terms = [row[at] for row in solutions.rows]
        known = {id(term): term for term in terms}  # equal cells are one term
        values = {key: python_value(term) for key, term in known.items()}
        columns[name] = pandas.Series([values[id(term)] for term in terms], dtype=object)
    return pandas.DataFrame(columns).convert_dtypes()


@cache
def _python_types() -> dict[str, Any]:
    """The Python type of each datatype, as rdflib knows them: int for xsd:byte and its like."""
    from rdflib.term import XSDToPython

    return {str(datatype): kind for datatype, kind in XSDToPython.items()}


def python_value(term: Term | None) -> object:
    """The Python value of a term; a literal that is malformed for its datatype stays text."""
    if not isinstance(term, Literal):
        return None if term is None else _lexical(term)
    kind = _python_types().get(term.datatype or "")
    try:
        if kind is int:
            return int(term.text)
        if kind in (float, Decimal):
            return float(term.text)
        if term.datatype in (f"{XSD}date", f"{XSD}dateTime", f"{XSD}dateTimeStamp"):
            import pandas

            return pandas.Timestamp(term.text)
    except ValueError:
        return term.text
    truth = {"true": True, "1": True, "false": False, "0": False}
    return truth.get(term.text, term.text) if term.datatype == f"{XSD}boolean" else term.text


def _no_form(path: Path, forms: Iterable[str], what: str, hint: str) -> DataError:
    return DataError(
        f"{what} cannot be written as {path.suffix or 'a file without a suffix'}",
        where=path,
        fix=f"Choose {', '.join(forms)}; {hint}.",
    )

"""What a SPARQL service answered, as terms: results in JSON, XML, TSV or CSV, and RDF.

W3C: SPARQL 1.1 Query Results JSON, XML (second edition), CSV and TSV Formats, 2013.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any
from xml.etree import ElementTree

import pyoxigraph as ox

from kgnb.files import from_json
from kgnb.kg.endpoint_wire import ServiceReply, Wire, harmless
from kgnb.kg.graph import Row, Solutions
from kgnb.kg.oxigraph_graph import from_oxigraph, triple_from_oxigraph
from kgnb.kg.terms import RDF, XSD, Blank, Iri, Literal, Term, Triple, TripleTerm, unescaped

_PLAIN = frozenset({f"{XSD}string", f"{RDF}langString"})
_BY_MEDIA_TYPE = {
    "application/sparql-results+json": "JSON",
    "application/json": "JSON",
    "text/json": "JSON",
    "application/sparql-results+xml": "XML",
    "application/xml": "XML",
    "text/xml": "XML",
    "text/csv": "CSV",
    "text/tab-separated-values": "TSV",
    "text/boolean": "TSV",
    "application/x-sparqlstar-results+json": "JSON",
    "application/x-sparqlstar-results+tsv": "TSV",
}
_TELLS_NOTHING = frozenset({"", "text/plain", "application/octet-stream"})
_SPARQL = "{http://www.w3.org/2005/sparql-results#}"
_IRI = re.compile(r"(?:https?|ftp|file)://\S+|(?:urn|mailto|tag):\S+")
_TYPED = (
    (re.compile(r"[+-]?\d+"), f"{XSD}integer"),
    (re.compile(r"[+-]?\d*\.\d+"), f"{XSD}decimal"),
    (re.compile(r"[+-]?(\d+\.?\d*|\.\d+)[eE][+-]?\d+"), f"{XSD}double"),
)
NO_TYPES = (
    "The service answered in CSV, which has no types and languages: numbers and addresses are "
    "told by their looks, and an empty text cannot be told from no value."
)

Table = tuple[tuple[str, ...], tuple[Row, ...]]


def read_solutions(wire: Wire, answer: ServiceReply, asked: Sequence[str] = ()) -> Solutions:
    """The rows of a SELECT answer, its columns in the order they were ``asked`` in if that is known.

    Raises:
        BackendError: it is not a complete results document, or has other columns.
    """
    form = _form(answer)
    read = _READERS.get(form)
    if read is None:
        raise _no_results(wire, answer, "not SPARQL results")
    try:
        variables, rows = read(answer.body)
    except _Malformed as error:
        raise _no_results(wire, answer, str(error)) from error
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise _no_results(wire, answer, f"an unexpected shape ({error})") from error
    if asked and variables != tuple(asked):
        if rows and set(variables) != set(asked):
            sent = f"the columns {', '.join(variables)} instead of {', '.join(asked)}"
            raise _no_results(wire, answer, sent)
        places = [variables.index(name) for name in asked] if rows else []
        rows = tuple(tuple(row[at] for at in places) for row in rows)
        variables = tuple(asked)
    cut = "x-sparql-maxrows" in answer.headers  # Virtuoso's sign of a cut answer
    notes = (NO_TYPES,) if form == "CSV" else ()
    return Solutions(variables, rows, truncated=cut, notes=notes)


def read_boolean(wire: Wire, answer: ServiceReply) -> bool:
    """The answer of an ASK, also in Virtuoso's form: a SELECT with one ``__ASK_RETVAL``."""
    form = _form(answer)
    if form not in _READERS:
        raise _no_results(wire, answer, "not SPARQL results")
    try:
        word = _truth(form, answer.body).lower()
    except _Malformed as error:
        raise _no_results(wire, answer, str(error)) from error
    except (KeyError, TypeError, AttributeError, ValueError, IndexError):
        word = ""
    if word not in ("1", "true", "0", "false"):
        raise _no_results(wire, answer, "no boolean in it")
    return word in ("1", "true")


def _truth(form: str, body: bytes) -> str:
    """The word that says yes or no: of a table, its first cell; one without rows says no."""
    if form in ("CSV", "TSV"):  # the standard has no booleans in them; services do
        return body.decode("utf-8", "replace").split()[-1].strip('"')
    if form == "JSON":
        document = _document(body)
        if "results" not in document:
            return str(document.get("boolean", ""))
        rows = document["results"]["bindings"]
        return str(list(rows[0].values())[0]["value"]) if rows else "false"
    for element in _elements(body):
        if element.tag == f"{_SPARQL}boolean":
            return (element.text or "").strip()
    _, table = _from_xml(body)
    return str(getattr(table[0][0], "text", "")) if table else "false"


def read_triples(wire: Wire, answer: ServiceReply) -> Iterator[Triple]:
    """The triples of a CONSTRUCT or DESCRIBE answer."""
    kind = ox.RdfFormat.from_media_type(answer.media_type)
    if kind is None and answer.media_type in _TELLS_NOTHING | {"application/x-turtle", "text/rdf"}:
        kind = ox.RdfFormat.TURTLE
    if kind is None:
        raise _no_results(wire, answer, "not RDF")
    body = answer.body
    if not body.strip():
        return
    try:
        quads = ox.parse(body, format=kind, base_iri=wire.service, lenient=True)
        yield from map(triple_from_oxigraph, quads)
    except (SyntaxError, TypeError) as error:
        raise _no_results(wire, answer, f"malformed RDF: {error}") from error


class _Malformed(Exception):
    """The body is not what its form says."""


def _form(answer: ServiceReply) -> str:
    """JSON, XML, CSV or TSV, by the media type, and where that says nothing by how it begins."""
    known = _BY_MEDIA_TYPE.get(answer.media_type, "")
    if known or answer.media_type not in _TELLS_NOTHING:
        return known
    start = answer.body[:400].lstrip(b"\xef\xbb\xbf \t\r\n")
    if start.startswith(b"<"):
        return "XML" if b"<sparql" in start else ""
    return "TSV" if start.startswith(b"?") and b"{" not in start else "JSON"


def _document(body: bytes) -> Mapping[str, Any]:
    try:
        document = from_json(body)
    except (ValueError, RecursionError) as error:
        is_json = body.lstrip()[:1] in (b"{", b"[")
        what = "not SPARQL results" if body.strip() else "an empty answer"
        raise _Malformed("malformed or cut-off JSON" if is_json else what) from error
    if not isinstance(document, dict):
        raise _Malformed("JSON, but not SPARQL results")
    return document


def _from_json(body: bytes) -> Table:
    document = _document(body)
    if "head" not in document:
        raise _Malformed(f"JSON without results: {harmless(body.decode('utf-8', 'replace'), 200)}")
    variables = tuple(str(name) for name in document["head"].get("vars", ()))
    rows = [
        tuple(_term(binding[name]) if name in binding else None for name in variables)
        for binding in document["results"]["bindings"]
    ]
    return variables, tuple(rows)


def _elements(body: bytes) -> Iterator[ElementTree.Element]:
    """The elements of an XML results document, as they end; one with a DOCTYPE is refused."""
    if b"<!DOCTYPE" in body[:2000]:
        raise _Malformed("XML with a DOCTYPE, not SPARQL results")
    seen = False
    try:
        for _, element in ElementTree.iterparse(io.BytesIO(body)):
            seen = seen or element.tag.startswith(_SPARQL)
            yield element
    except (ElementTree.ParseError, ValueError, LookupError) as error:
        raise _Malformed(f"malformed or cut-off XML: {error}") from error
    if not seen:
        raise _Malformed("XML, but not SPARQL results")


def _from_xml(body: bytes) -> Table:
    variables: dict[str, None] = {}
    rows: list[dict[str, Term]] = []
    row: dict[str, Term] = {}
    for element in _elements(body):
        tag = element.tag.removeprefix(_SPARQL)
        if tag == "variable":
            variables[element.attrib["name"]] = None
        elif tag == "binding":
            row[element.attrib["name"]] = _xml_term(element[0])
        elif tag == "result":
            rows.append(row)
            row = {}
            element.clear()
    return tuple(variables), tuple(tuple(row.get(name) for name in variables) for row in rows)


def _xml_term(element: ElementTree.Element) -> Term:
    kind = element.tag.removeprefix(_SPARQL)
    if kind == "triple":
        parts = {part.tag.removeprefix(_SPARQL): _xml_term(part[0]) for part in element}
        return _triple_term(parts["subject"], parts["predicate"], parts["object"])
    cell = {"type": kind, "value": element.text or ""}
    language = element.get("{http://www.w3.org/XML/1998/namespace}lang")
    return _term({**cell, "xml:lang": language, "datatype": element.get("datatype")})


def _from_tsv(body: bytes) -> Table:
    """Rows in TSV: the engine's own reader, and where a service writes odder terms, line by line."""
    try:
        found = ox.parse_query_results(body, format=ox.QueryResultsFormat.TSV)
        if isinstance(found, ox.QuerySolutions):
            names = tuple(variable.value for variable in found.variables)
            return names, tuple(
                tuple(None if term is None else from_oxigraph(term) for term in row)
                for row in found
            )
    except SyntaxError:
        pass
    lines = body.decode("utf-8", "replace").removeprefix("\ufeff").splitlines()
    if not lines or "<html" in lines[0].lower():
        raise _Malformed("not SPARQL results")
    names = tuple(name.strip().strip('"').lstrip("?$") for name in lines[0].split("\t"))
    cells = [line.split("\t") for line in lines[1:]]
    return names, _checked(names, [[_tsv_term(cell) for cell in row] for row in cells])


def _tsv_term(cell: str) -> Term | None:
    text = cell.strip()
    if text.startswith("<") and text.endswith(">"):
        return Iri(text[1:-1])
    quoted = re.fullmatch(r'"(.*)"(?:@([A-Za-z0-9-]+)|\^\^<([^>]*)>)?', text, re.DOTALL)
    if quoted:
        return Literal(unescaped(quoted[1]), quoted[2], None if quoted[3] in _PLAIN else quoted[3])
    return _untyped(text)


def _from_csv(body: bytes) -> Table:
    text = body.decode("utf-8", "replace").removeprefix("\ufeff")
    if text.lstrip()[:1] == "<":
        raise _Malformed("not SPARQL results")
    lines = [line for line in csv.reader(io.StringIO(text, newline="")) if line]
    if not lines:
        raise _Malformed("nothing")
    names = tuple(name.strip().lstrip("?$") for name in lines[0])
    return names, _checked(names, [[_untyped(cell) for cell in line] for line in lines[1:]])


def _checked(names: tuple[str, ...], rows: list[list[Term | None]]) -> tuple[Row, ...]:
    odd = next((at for at, row in enumerate(rows, 2) if len(row) != len(names)), None)
    if odd is not None:
        raise _Malformed(f"a line {odd} with more or fewer cells than the first")
    return tuple(map(tuple, rows))


def _untyped(text: str) -> Term | None:
    if not text:
        return None
    if text.startswith("_:"):
        return Blank(text[2:])
    if _IRI.fullmatch(text):
        return Iri(text)
    kind = next((datatype for pattern, datatype in _TYPED if pattern.fullmatch(text)), None)
    return Literal(text, datatype=kind)


_READERS: Mapping[str, Callable[[bytes], Table]] = {
    "JSON": _from_json,
    "XML": _from_xml,
    "CSV": _from_csv,
    "TSV": _from_tsv,
}


def _no_results(wire: Wire, answer: ServiceReply, why: str) -> Exception:
    seen = answer.body[:4000].decode("utf-8", "replace")
    page = "html" in answer.media_type or re.match(r"(?i)\s*(<!doctype html|<html)", seen)
    login = page and re.search(r"type=[\"']?password|\blog ?in\b|\bsign ?in\b", seen, re.IGNORECASE)
    if login:
        what, fix = (
            "a login page (HTML)",
            "the service wants to know who asks: --user and --auth env:NAME, or "
            "--header NAME=env:VAR",
        )
    elif page:
        what, fix = (
            "a web page (HTML)",
            "the address may be that of the service's query form: check its path",
        )
    else:
        what = f"{answer.media_type or 'no media type'}, {why}"
        fix = "the service may have run out of time while it answered: ask for less, or try again"
        if why in ("not SPARQL results", "not RDF"):
            fix = "check that the address is that of a SPARQL endpoint, not of another service"
    return wire.failure(f"answered without an error, but sent {harmless(what, 200)}", seen, fix=fix)


def _term(cell: Mapping[str, Any]) -> Term:
    kind, value = cell["type"], cell["value"]
    if kind == "triple":
        return _triple_term(*(_term(value[part]) for part in ("subject", "predicate", "object")))
    if not isinstance(value, str):
        raise ValueError(f"a {kind} whose value is not text")
    if kind == "uri":
        return Blank(value[9:]) if value.startswith("nodeID://") else Iri(value)
    if kind == "bnode":
        return Blank(value.removeprefix("_:").removeprefix("nodeID://"))
    if kind not in ("literal", "typed-literal"):
        raise ValueError(f"a term of the unknown type {kind!r}")
    language = cell.get("xml:lang") or None
    datatype = cell.get("datatype") or None
    return Literal(value, language, None if language or datatype in _PLAIN else datatype)


def _triple_term(subject: Term, predicate: Term, value: Term) -> TripleTerm:
    if not isinstance(subject, Iri | Blank) or not isinstance(predicate, Iri):
        raise ValueError("a triple term with a literal for a subject or predicate")
    return TripleTerm(subject, predicate, value)

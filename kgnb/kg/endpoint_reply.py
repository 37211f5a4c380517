"""What a SPARQL service answers, read strictly: results in JSON (and the shapes Virtuoso gives them), RDF in Turtle.

SPARQL 1.1 Query Results JSON Format; RDF 1.2's ``triple`` terms as Oxigraph and Jena write them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyoxigraph as ox

from kgnb.files import from_json
from kgnb.kg.endpoint_wire import Answer, Wire, harmless
from kgnb.kg.graph import Row, Solutions
from kgnb.kg.oxigraph_terms import triple_from_oxigraph
from kgnb.kg.terms import RDF, XSD, Blank, Iri, Literal, Term, Triple, TripleTerm

_JSON = frozenset({"application/sparql-results+json", "application/json", "text/json", "text/plain", ""})
_RDF = {
    "text/turtle": ox.RdfFormat.TURTLE,
    "application/x-turtle": ox.RdfFormat.TURTLE,
    "application/turtle": ox.RdfFormat.TURTLE,
    "application/n-triples": ox.RdfFormat.N_TRIPLES,
    "text/plain": ox.RdfFormat.N_TRIPLES,
    "text/n3": ox.RdfFormat.N3,
    "text/rdf+n3": ox.RdfFormat.N3,
    "application/rdf+xml": ox.RdfFormat.RDF_XML,
}
_PLAIN = frozenset({f"{XSD}string", f"{RDF}langString"})


def read_solutions(wire: Wire, answer: Answer) -> Solutions:
    """The rows of a SELECT answer; raises BackendError where it is no complete results document."""
    document = _document(wire, answer)
    try:
        variables = tuple(str(name) for name in document["head"].get("vars", ()))
        rows = [_row(variables, binding) for binding in document["results"]["bindings"]]
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise _no_results(wire, answer, f"an unexpected shape ({error})") from error
    cut = "x-sparql-maxrows" in answer.headers  # Virtuoso's word for a cut answer
    return Solutions(variables, tuple(rows), truncated=cut)


def read_boolean(wire: Wire, answer: Answer) -> bool:
    """The answer of an ASK, also as Virtuoso gives it: a SELECT with one ``__ASK_RETVAL``."""
    document = _document(wire, answer)
    if isinstance(document.get("boolean"), bool):
        return bool(document["boolean"])
    results = document.get("results")
    bindings = results.get("bindings") if isinstance(results, dict) else None
    if isinstance(bindings, list):
        if not bindings:
            return False
        cell = next(iter(bindings[0].values()), None) if isinstance(bindings[0], dict) else None
        if isinstance(cell, dict) and str(cell.get("value")).lower() in {"1", "true", "0", "false"}:
            return str(cell["value"]).lower() in {"1", "true"}
    raise _no_results(wire, answer, "no boolean in it")


def read_triples(wire: Wire, answer: Answer) -> list[Triple]:
    """The triples of a CONSTRUCT or DESCRIBE answer."""
    kind = _RDF.get(answer.media_type)
    if kind is None:
        raise _no_results(wire, answer, "not RDF")
    body = answer.body
    if not body.strip():
        return []
    try:
        return [triple_from_oxigraph(quad) for quad in ox.parse(body, format=kind, base_iri=wire.service, lenient=True)]
    except (SyntaxError, TypeError) as error:
        raise _no_results(wire, answer, f"malformed RDF: {error}") from error


def _document(wire: Wire, answer: Answer) -> Mapping[str, Any]:
    if answer.media_type not in _JSON:
        raise _no_results(wire, answer, "not SPARQL results")
    try:
        document = from_json(answer.body)
    except (ValueError, RecursionError) as error:
        kind = "malformed or cut-off JSON" if answer.body.lstrip()[:1] in (b"{", b"[") else "not SPARQL results"
        raise _no_results(wire, answer, kind) from error
    if not isinstance(document, dict):
        raise _no_results(wire, answer, "JSON, but not SPARQL results")
    return document


def _no_results(wire: Wire, answer: Answer, why: str) -> Exception:
    seen = answer.body[:2000].decode("utf-8", "replace")
    page = "html" in answer.media_type or seen.lstrip()[:9].lower().startswith(("<!doctype", "<html"))
    what = "a web page" if page else f"{answer.media_type or 'no media type'}, {why}"
    fix = (
        "the address may be that of the service's query form or a login page: check its path"
        if page
        else "the service may have run out of time while it answered: ask for less, or try again"
    )
    return wire.failure(f"answered without an error, but sent {harmless(what, 200)}", seen, fix=fix)


def _row(variables: tuple[str, ...], binding: Mapping[str, Any]) -> Row:
    return tuple(_term(binding[name]) if name in binding else None for name in variables)


def _term(cell: Mapping[str, Any]) -> Term:
    kind, value = cell["type"], cell["value"]
    if kind == "triple":
        subject, predicate, object_ = (_term(value[part]) for part in ("subject", "predicate", "object"))
        if not isinstance(subject, Iri | Blank) or not isinstance(predicate, Iri):
            raise ValueError("a triple term with a literal for a subject or predicate")
        return TripleTerm(subject, predicate, object_)
    if not isinstance(value, str):
        raise ValueError(f"a {kind} whose value is no text")
    if kind == "uri":
        return Blank(value[9:]) if value.startswith("nodeID://") else Iri(value)
    if kind == "bnode":
        return Blank(value.removeprefix("_:").removeprefix("nodeID://"))
    if kind not in ("literal", "typed-literal"):
        raise ValueError(f"a term of the unknown type {kind!r}")
    language = cell.get("xml:lang") or None
    datatype = cell.get("datatype") or None
    return Literal(value, language, None if language or datatype in _PLAIN else datatype)

"""Readings as SPARQL. Every term is written by ``n3``, which refuses what could end an IRI or a string early."""

from __future__ import annotations

from collections.abc import Sequence

from kgnb.agents.question_answering.reading import Hop, Reading
from kgnb.kg.terms import RDF, RDFS, Iri, n3

OPERATORS = (">", "<", ">=", "<=", "=")


def pattern(start: Iri | None, hops: Sequence[Hop], last: str = "") -> str:
    """The triples of a path from an entity (or from ``?v0``); ``last`` names the last variable.

    >>> pattern(Iri("http://huts.example/id/ottertal"), [Hop(Iri("http://huts.example/valley"), inverse=True)])
    '?v1 <http://huts.example/valley> <http://huts.example/id/ottertal> .'
    """
    here = n3(start) if start is not None else "?v0"
    parts: list[str] = []
    for place, hop in enumerate(hops, start=1):
        there = last if last and place == len(hops) else f"?v{place}"
        subject, object_ = (there, here) if hop.inverse else (here, there)
        parts.append(f"{subject} {n3(hop.relation)} {object_} .")
        here = there
    return " ".join(parts)


def path_query(start: Iri, hops: Sequence[Hop], extra: str = "") -> str:
    """A query for every node along a path, in order."""
    nodes = " ".join(f"?v{place}" for place in range(1, len(hops) + 1))
    return f"SELECT DISTINCT {nodes} WHERE {{ {pattern(start, hops)} {extra}}} ORDER BY {nodes}"


def of_type(variable: str, kind: Iri) -> str:
    """That a value belongs to a class, or to a subclass of it."""
    # two patterns rather than one path, so that the type itself can be shown as proof
    if kind.startswith("http://www.wikidata.org/entity/"):
        direct = "http://www.wikidata.org/prop/direct/"
        return f"{variable} <{direct}P31> ?kind . ?kind <{direct}P279>* {n3(kind)} ."
    return f"{variable} <{RDF}type> ?kind . ?kind <{RDFS}subClassOf>* {n3(kind)} ."


def body(reading: Reading) -> str:
    """The graph pattern of a reading; its values are ``?answer``, what they are ordered or compared by ``?by``."""
    parts: list[str] = []
    if reading.start is not None and reading.hops:
        parts.append(pattern(reading.start, reading.hops, "?answer"))
    if reading.type is not None:
        parts.append(of_type("?answer", reading.type))
    if reading.by:
        parts.append(_from_answer(reading.by))
    if reading.bound is not None and reading.operator in OPERATORS:
        compared = "?by" if reading.by else "?answer"
        parts.append(f"FILTER ({compared} {reading.operator} {n3(reading.bound)})")
    return " ".join(parts)


def _from_answer(hops: Sequence[Hop]) -> str:
    here = "?answer"
    parts: list[str] = []
    for place, hop in enumerate(hops, start=1):
        there = "?by" if place == len(hops) else f"?b{place}"
        subject, object_ = (there, here) if hop.inverse else (here, there)
        parts.append(f"{subject} {n3(hop.relation)} {object_} .")
        here = there
    return " ".join(parts)


def sparql(reading: Reading) -> str:
    """The query whose answer is the reading's: SELECT ?answer, a COUNT, or ASK."""
    where = body(reading)
    if reading.form == "exists":
        asked = where
        if reading.target is not None:
            asked = f"{where} FILTER (?answer = {n3(reading.target)})"
            if reading.start is not None and reading.hops and reading.type is None and not reading.by:
                asked = _ended(reading)
        return f"ASK {{ {asked} }}"
    if reading.form == "count":
        return f"SELECT (COUNT(DISTINCT ?answer) AS ?n) WHERE {{ {where} }}"
    if reading.form in ("most", "least"):
        order = "DESC" if reading.form == "most" else "ASC"
        if reading.counted:
            counted = f"SELECT ?answer (COUNT(DISTINCT ?by) AS ?n) WHERE {{ {where} }} GROUP BY ?answer"
            return f"{counted} ORDER BY {order}(?n) ?answer"
        best = "MAX" if reading.form == "most" else "MIN"
        inner = f"{{ SELECT ({best}(?by) AS ?best) WHERE {{ {where} }} }}"
        return f"SELECT DISTINCT ?answer WHERE {{ {inner} {where} FILTER (?by = ?best) }} ORDER BY ?answer"
    return f"SELECT DISTINCT ?answer WHERE {{ {where} }} ORDER BY ?answer"


def _ended(reading: Reading) -> str:
    """The path of a reading with its target in the place of the last variable, which any store looks up at once."""
    assert reading.start is not None and reading.target is not None
    if reading.hops[-1].relation == f"{RDF}type" and len(reading.hops) == 1 and isinstance(reading.target, Iri):
        return of_type(n3(reading.start), reading.target)
    return pattern(reading.start, reading.hops, n3(reading.target))

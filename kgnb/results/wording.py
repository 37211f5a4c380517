"""How a value is written: numbers, shares, times, IRIs and RDF terms, in a cell and in a terminal."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import TypeAlias

from kgnb.kg.terms import Blank, Iri, Literal, Term

# Prefixes everybody knows (https://www.w3.org/2011/rdfa-context/rdfa-1.1 and the OWL 2
# recommendation).
PREFIXES = {
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#": "rdf",
    "http://www.w3.org/2000/01/rdf-schema#": "rdfs",
    "http://www.w3.org/2001/XMLSchema#": "xsd",
    "http://www.w3.org/2002/07/owl#": "owl",
    "http://www.w3.org/2004/02/skos/core#": "skos",
    "http://www.w3.org/ns/prov#": "prov",
    "http://www.w3.org/ns/shacl#": "sh",
    "http://xmlns.com/foaf/0.1/": "foaf",
    "http://purl.org/dc/elements/1.1/": "dc",
    "http://purl.org/dc/terms/": "dcterms",
    "http://schema.org/": "schema",
    "https://schema.org/": "schema",
    "http://www.wikidata.org/entity/": "wd",
    "http://www.wikidata.org/prop/direct/": "wdt",
    "http://dbpedia.org/resource/": "dbr",
    "http://dbpedia.org/ontology/": "dbo",
    "http://purl.obolibrary.org/obo/": "obo",
}


def short_iri(iri: str) -> str:
    """Return the short form of an IRI: a well-known prefix, or its last part behind an ellipsis.

    >>> short_iri("http://www.w3.org/2002/07/owl#Class"), short_iri("https://huts.example.org/alps#Hut")
    ('owl:Class', '…#Hut')
    >>> short_iri("https://huts.example.org/"), short_iri("https://huts.example.org/Hut"), short_iri("urn:hut:9")
    ('https://huts.example.org/', '…/Hut', '…:9')
    """
    for start, prefix in PREFIXES.items():
        if (
            iri.startswith(start)
            and len(iri) > len(start)
            and not re.search("[/#]", iri[len(start) :])
        ):
            return f"{prefix}:{iri[len(start) :]}"
    rest = iri.rstrip("/#")
    cut = rest.rfind(":") if iri.startswith("urn:") else max(rest.rfind("/"), rest.rfind("#"))
    # The part before the path is never cut off: "https://huts.example.org/" has no shorter form.
    path = len("urn:") if iri.startswith("urn:") else iri.find("/", iri.find("://") + 3)
    return f"…{iri[cut:]}" if 0 < path <= cut else iri


def number(value: int | float, *, decimals: bool = False, grouped: bool = True) -> str:
    """A number for reading: in groups of three digits, with three decimals if it has any.

    With ``decimals`` a whole number has them too, so that a column of mixed numbers lines up.

    >>> number(2124), number(0.83333), number(0.00001234), number(3.0), number(3, decimals=True)
    ('2,124', '0.833', '1.23e-05', '3', '3.000')
    >>> number(2026, grouped=False)
    '2026'
    """
    if isinstance(value, float):
        if math.isnan(value):
            return "not a number"
        if math.isinf(value):
            return "∞" if value > 0 else "−∞"
        size = abs(value)
        if size and (size < 0.0005 or size > 2**53):
            return f"{value:.2e}"
        if decimals or not value.is_integer():
            return f"{value:,.3f}" if grouped else f"{value:.3f}"
        value = int(value)
    written = f"{value:,}" if grouped else str(value)
    return f"{written}.000" if decimals else written


def percent(share: int | float) -> str:
    """Return a share between 0 and 1 as a percentage with one decimal.

    >>> percent(0.8333), percent(1)
    ('83.3 %', '100.0 %')
    """
    return f"{share * 100:.1f} %" if math.isfinite(share) else number(float(share))


FEW = 30
"""A share of fewer items is shown with their number, and with its bounds where it has some."""
NINE_IN_TEN = 1.64  # standard errors on either side
Bounds: TypeAlias = tuple[float, float]


def likely(share: float, of: int) -> Bounds:
    """The bounds of a share of ``of`` items, nine times in ten: Wilson's score interval.

    >>> [round(bound, 2) for bound in likely(1.0, 4)]
    [0.6, 1.0]
    """
    squared = NINE_IN_TEN**2 / of
    middle = share + squared / 2
    half = math.sqrt(squared * (share * (1 - share) + squared / 4))
    return max(0.0, (middle - half) / (1 + squared)), min(1.0, (middle + half) / (1 + squared))


def of_few(of: int, bounds: Bounds | None) -> str:
    """What stands behind a share of few items.

    >>> of_few(4, likely(1.0, 4)), of_few(4, None)
    ('60 to 100, n = 4', 'n = 4')
    """
    between = f"{100 * bounds[0]:.0f} to {100 * bounds[1]:.0f}, " if bounds else ""
    return f"{between}n = {of:,}"


def bounds_of_few(shares: Mapping[str, tuple[float | None, int]]) -> str:
    """The bounds of those shares, by name, that are of few items; "" where none is.

    >>> bounds_of_few({"precision": (1.0, 4), "recall": (0.5, 400)})
    'of few: precision 60 to 100, n = 4 (in percent, nine times in ten)'
    """
    few = [
        f"{name} {of_few(of, likely(share, of))}"
        for name, (share, of) in shares.items()
        if share is not None and 0 < of < FEW
    ]
    return f"of few: {'; '.join(few)} (in percent, nine times in ten)" if few else ""


def seconds(value: float) -> str:
    """Return a duration in the unit that fits it.

    >>> seconds(0.0312), seconds(4.26), seconds(75.2), seconds(7265)
    ('31 ms', '4.3 s', '1 min 15 s', '2 h 01 min')
    """
    if value < 0.9995:
        return f"{value * 1000:.0f} ms"
    if value < 59.95:
        return f"{value:.1f} s"
    minutes, rest = divmod(round(value), 60)
    if minutes < 60:
        return f"{minutes} min {rest:02d} s"
    return f"{minutes // 60} h {minutes % 60:02d} min"


def money(usd: float) -> str:
    """Return an amount in US dollars, to the cent or, below ten cents, to the hundredth of one.

    >>> money(0), money(0.00217), money(3.5)
    ('$0', '$0.0022', '$3.50')
    """
    return "$0" if not usd else f"${usd:.4f}" if usd < 0.1 else f"${usd:,.2f}"


def term_text(term: Term) -> str:
    """Return a short, readable form of an RDF term.

    >>> term_text(Literal("Hütte", "de")), term_text(Iri("http://www.w3.org/2002/07/owl#Class"))
    ('Hütte (de)', 'owl:Class')
    """
    if isinstance(term, Iri):
        return short_iri(term)
    if isinstance(term, Blank):
        return f"_:{term.label}"
    if isinstance(term, Literal):
        return f"{term.text} ({term.language})" if term.language else term.text
    return f"<<( {term_text(term.subject)} {term_text(term.predicate)} {term_text(term.object)} )>>"

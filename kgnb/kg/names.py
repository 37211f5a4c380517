"""Labels and types of the resources in a result, queried from the graph they came from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from kgnb.errors import BackendError, DataError
from kgnb.kg.graph import Graph, Row
from kgnb.kg.terms import OWL, RDF, RDFS, SKOS, Iri, Literal, is_iri, n3

BATCH = 400  # resources per query
_NAMES = f"<{RDFS}label>|<{SKOS}prefLabel>|<http://schema.org/name>|<https://schema.org/name>"
_NAMES += "|<http://xmlns.com/foaf/0.1/name>"
_LABELS = f"SELECT ?x ?l WHERE {{ VALUES ?x {{ %s }} ?x {_NAMES} ?l }} ORDER BY ?x ?l"
_TYPES = f"SELECT ?x ?t WHERE {{ VALUES ?x {{ %s }} ?x <{RDF}type> ?t FILTER(isIRI(?t)) }} ORDER BY ?x ?t"
_OF_THE_LANGUAGE = (OWL, RDF, RDFS)


@dataclass(frozen=True)
class Names:
    """Labels and types by IRI, where there are any."""

    labels: Mapping[str, str] = field(default_factory=dict)
    types: Mapping[str, str] = field(default_factory=dict)


def names_of(
    graph: Graph, iris: Iterable[str], *, language: str = "en", types: bool = False, timeout: float = 5.0
) -> Names:
    """The best label of each IRI in ``language`` (else without one, else any), and its rarest type.

    What a graph does not answer in time stays without a name: names help readers and are no part of the result.
    """
    wanted = [iri for iri in dict.fromkeys(map(str, iris)) if is_iri(iri)]
    kinds = _best_types(rows_about(graph, _TYPES, wanted, timeout)) if types else {}
    found: dict[str, list[Literal]] = {}
    for iri, label in rows_about(graph, _LABELS, dict.fromkeys((*wanted, *kinds.values())), timeout):
        if isinstance(label, Literal) and label.text.strip():
            found.setdefault(str(iri), []).append(label)
    labels = {iri: min(texts, key=lambda one: rank(one, language)).text for iri, texts in found.items()}
    return Names(labels, kinds)


def rank(label: Literal, language: str) -> tuple[int, str, str]:
    """The sort key of labels: first the wanted language, then none, then the others by tag."""
    tag = (label.language or "").lower()
    return (0 if tag.split("-")[0] == language.lower() else 1 if not tag else 2, tag, label.text)


def rows_about(
    graph: Graph, query: str, iris: Iterable[str], timeout: float, failures: list[str] | None = None
) -> list[Row]:
    """The rows of a query for IRIs (at its ``%s``), batch by batch; the first error ends it and joins ``failures``."""
    wanted = list(iris)
    rows: list[Row] = []
    for start in range(0, len(wanted), BATCH):
        values = " ".join(n3(Iri(iri)) for iri in wanted[start : start + BATCH])
        try:
            rows += graph.select(query % values, limit=BATCH * 40, timeout=timeout).rows
        except (BackendError, DataError) as error:
            if failures is not None:
                failures.append(error.what)
            break
    return rows


def _best_types(rows: Iterable[Row]) -> dict[str, str]:
    """The rarest type of each resource: of ``:Hut`` and ``:StaffedHut`` the more specific one."""
    found: dict[str, list[str]] = {}
    for thing, kind in rows:
        if not str(kind).startswith(_OF_THE_LANGUAGE):
            found.setdefault(str(thing), []).append(str(kind))
    often = Counter(kind for kinds in found.values() for kind in kinds)
    return {thing: min(kinds, key=lambda kind: (often[kind], kind)) for thing, kinds in found.items()}

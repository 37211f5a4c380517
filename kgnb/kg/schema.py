"""What a graph holds, found by queries: classes and properties with counts and labels, and what
links which.

Every query is bounded, so that large endpoints can answer; what they do not answer in time is left
out, with a note.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches

from kgnb.errors import BackendError, DataError
from kgnb.kg.graph import Graph, Row
from kgnb.kg.labels import readable_name
from kgnb.kg.prefixes import PREFIXES, shorten
from kgnb.kg.sparql import declared, query_form, tokens
from kgnb.kg.terms import OWL, RDF, RDFS, SKOS, Iri, Literal, Term, is_iri, n3

MOST_CLASSES, MOST_PROPERTIES, MOST_LINKS = 1000, 1000, 2000  # of a service
LOCALLY = 50  # times as many of a graph in this process
_OWN = (OWL, RDF, RDFS, "http://www.w3.org/2002/07/owl", "http://www.w3.org/2001/XMLSchema#")

_CLASSES = "SELECT ?c (COUNT(?x) AS ?n) WHERE { ?x a ?c } GROUP BY ?c ORDER BY DESC(?n) ?c"
_DECLARED = f"""SELECT DISTINCT ?c ?k WHERE {{
  VALUES ?k {{ <{OWL}Class> <{RDFS}Class> <{OWL}ObjectProperty> <{OWL}DatatypeProperty> <{RDF}Property> }} ?c a ?k
  FILTER(isIRI(?c)) }} ORDER BY ?c ?k"""
_PROPERTIES = "SELECT ?p (COUNT(*) AS ?n) WHERE { ?s ?p ?o } GROUP BY ?p ORDER BY DESC(?n) ?p"
_LINKS = f"""SELECT ?a ?p ?b (COUNT(*) AS ?n) WHERE {{ ?x ?p ?y . ?x a ?a . ?y a ?b FILTER(?p != <{RDF}type>) }}
GROUP BY ?a ?p ?b ORDER BY DESC(?n) ?a ?p ?b"""
_SAMPLE = 100_000  # statements counted where a service cannot go through all of them
_SOME_CLASSES = f"""SELECT ?c (COUNT(?x) AS ?n) WHERE {{ {{ SELECT ?x ?c WHERE {{ ?x a ?c }} LIMIT {_SAMPLE} }} }}
GROUP BY ?c ORDER BY DESC(?n) ?c"""
_SOME_PROPERTIES = f"""SELECT ?p (COUNT(*) AS ?n) WHERE {{ {{ SELECT ?s ?p WHERE {{ ?s ?p ?o }} LIMIT {_SAMPLE} }} }}
GROUP BY ?p ORDER BY DESC(?n) ?p"""
_MEMBER = f"(<{OWL}unionOf>/<{RDF}rest>*/<{RDF}first>)?"  # a class, or each member of a union
_ENDS = f"""SELECT DISTINCT ?a ?p ?b WHERE {{ ?p <{RDFS}domain>/{_MEMBER} ?a ; <{RDFS}range>/{_MEMBER} ?b
FILTER(isIRI(?a) && isIRI(?b)) }} ORDER BY ?a ?p ?b"""
_RESTRICTED = f"""SELECT DISTINCT ?a ?p ?b WHERE {{
  ?a (<{RDFS}subClassOf>|<{OWL}equivalentClass>)/(<{OWL}intersectionOf>/<{RDF}rest>*/<{RDF}first>)? ?r .
  ?r <{OWL}onProperty> ?p ; (<{OWL}someValuesFrom>|<{OWL}allValuesFrom>|<{OWL}onClass>)/{_MEMBER} ?b
  FILTER(isIRI(?a) && isIRI(?p) && isIRI(?b)) }} ORDER BY ?a ?p ?b"""
_ABOVE = f"""SELECT DISTINCT ?a ?b WHERE {{ ?a <{RDFS}subClassOf> ?b FILTER(isIRI(?a) && isIRI(?b) && ?a != ?b) }}
ORDER BY ?a ?b"""
_GRAPHS = "SELECT DISTINCT ?g WHERE { GRAPH ?g { ?s ?p ?o } } ORDER BY ?g"


@dataclass(frozen=True, slots=True)
class SchemaTerm:
    """A class or a property: its IRI, all its labels, and how often it is used."""

    iri: str
    labels: tuple[str, ...] = ()
    count: int = 0

    @property
    def name(self) -> str:
        """Its first label, else the last part of its IRI in words."""
        return (
            self.labels[0]
            if self.labels
            else readable_name(self.iri.rstrip("/#").replace("#", "/").split("/")[-1])
        )


@dataclass(frozen=True)
class Schema:
    """What a graph holds. ``links`` are (class, property, class, count); ``above`` (class, its
    superclass).
    """

    classes: tuple[SchemaTerm, ...]
    properties: tuple[SchemaTerm, ...]
    links: tuple[tuple[str, str, str, int], ...] = ()
    above: tuple[tuple[str, str], ...] = ()
    graphs: tuple[str, ...] = ()
    prefixes: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    individuals: tuple[SchemaTerm, ...] = ()  # for completion only: see ``read_individuals``


MOST_INDIVIDUALS = 20_000
_INDIVIDUALS = f"""SELECT ?x ?l WHERE {{ ?x <{RDFS}label>|<{SKOS}prefLabel> ?l ; <{RDF}type> ?t FILTER(isIRI(?x)) }}"""


def read_individuals(graph: Graph, schema: Schema) -> tuple[SchemaTerm, ...]:
    """The labelled resources of a graph without its classes and properties, from its first 20,000
    labels.
    """
    known = {one.iri for _, some in _kinds(schema) for one in some}
    found: dict[str, dict[str, None]] = {}
    for iri, label in graph.select(_INDIVIDUALS, limit=MOST_INDIVIDUALS, timeout=20.0).rows:
        if isinstance(label, Literal) and str(iri) not in known:
            found.setdefault(str(iri), {})[label.text] = None
    return tuple(SchemaTerm(iri, tuple(labels)) for iri, labels in found.items())


def read_schema(graph: Graph, *, timeout: float = 20.0, links: bool = True) -> Schema:
    """The schema of a graph, English labels first; ``links`` costs the most and can be left
    out.
    """
    notes: list[str] = []
    scale = 1 if "://" in graph.name else LOCALLY

    def asked(
        query: str, limit: int, what: str, instead: str = "", lacked: bool = False
    ) -> list[tuple[Term | None, ...]]:
        try:
            found = graph.select(query, limit=limit * scale, timeout=timeout)
        except (BackendError, DataError) as error:
            if lacked and isinstance(
                error, DataError
            ):  # a graph without named graphs lacks nothing
                return []
            if instead:
                notes.append(f"{what}: those of {_SAMPLE:,} statements, because: {error.what}")
                return asked(instead, limit, what)
            notes.append(f"{what}: {error.what}")
            return []
        if found.truncated:
            notes.append(f"only the first {limit * scale:,} {what}")
        return list(found.rows)

    used = {
        str(c): _count(n)
        for c, n in asked(_CLASSES, MOST_CLASSES, "classes", _SOME_CLASSES)
        if _ours(c)
    }
    declared = asked(_DECLARED, MOST_CLASSES + MOST_PROPERTIES, "declared names")
    classes = {
        **used,
        **{
            str(c): used.get(str(c), 0)
            for c, k in declared
            if str(k).endswith("Class") and _ours(c)
        },
    }
    spoken = {
        str(p): _count(n)
        for p, n in asked(_PROPERTIES, MOST_PROPERTIES, "properties", _SOME_PROPERTIES)
        if isinstance(p, Iri)
    }
    properties = {
        **spoken,
        **{str(p): spoken.get(str(p), 0) for p, k in declared if str(k).endswith("Property")},
    }
    found: dict[tuple[str, str, str], int] = {}
    if links:
        for query, what in ((_ENDS, "declared links"), (_RESTRICTED, "links that axioms ask for")):
            for a, p, b in asked(query, MOST_LINKS, what):
                if _ours(a) and _ours(b):
                    found[str(a), str(p), str(b)] = 0
        for a, p, b, n in asked(_LINKS, MOST_LINKS, "links"):
            if _ours(a) and _ours(b):
                found[str(a), str(p), str(b)] = _count(n)
    above = [
        (str(a), str(b))
        for a, b in asked(_ABOVE, MOST_LINKS, "superclasses")
        if _ours(a) and _ours(b)
    ]
    failures: list[str] = []
    labels = _labels(graph, [*classes, *properties], timeout, "en", failures)
    notes += [f"labels: {failure}" for failure in failures]
    return Schema(
        tuple(SchemaTerm(iri, labels.get(iri, ()), count) for iri, count in classes.items()),
        tuple(SchemaTerm(iri, labels.get(iri, ()), count) for iri, count in properties.items()),
        tuple((*ends, count) for ends, count in found.items()),
        tuple(above),
        tuple(str(row[0]) for row in asked(_GRAPHS, 200, "named graphs", lacked=True)),
        dict(getattr(graph, "prefixes", ())),
        tuple(notes),
    )


def _ours(term: Term | None) -> bool:
    """Whether a class is the graph's own, not one of RDF, RDFS or OWL."""
    return isinstance(term, Iri) and not term.startswith(_OWN)


def _count(term: Term | None) -> int:
    return int(term.text) if isinstance(term, Literal) and term.text.isdecimal() else 0


def misspelt(query: str, graph: Graph, schema: Schema, prefixes: Mapping[str, str]) -> list[str]:
    """The names in a query that do not occur in the graph, each with the name that may have been
    meant.

    This is the commonest reason for an empty answer, which comes without any error.
    """
    local = {**dict(prefixes), **declared(query)}
    names = {shorten(one.iri, local): what for what, some in _kinds(schema) for one in some}
    found = tokens(query)
    texts = [token.text for token in found]
    if query_form(query) == "CONSTRUCT" and texts.count("{") > 1:
        found = found[texts.index("}") :]  # what it constructs need not exist
    notes = []
    for iri in dict.fromkeys(token.iri(local) for token in found):
        known = not is_iri(iri) or iri in local.values() or iri.startswith(_OWN)
        if known or _occurs(graph, iri):
            continue
        written = shorten(iri, local)
        near = get_close_matches(written, names, n=1, cutoff=0.75)
        what = f"no {names[near[0]]} {written}" if near else f"nothing called {written}"
        notes.append(
            f"There is {what} in this graph" + (f"; did you mean {near[0]}?" if near else ".")
        )
    return notes


def _kinds(schema: Schema) -> tuple[tuple[str, tuple[SchemaTerm, ...]], ...]:
    return ("property", schema.properties), ("class", schema.classes)


def _occurs(graph: Graph, iri: str) -> bool:
    term = Iri(iri)
    return bool(
        graph.triples(predicate=term, limit=1)
        or graph.triples(term, limit=1)
        or graph.triples(object=term, limit=1)
    )


SKOSXL = PREFIXES["skosxl"]
BATCH = 400  # resources per query
_NAMES = f"<{RDFS}label>|<{SKOS}prefLabel>|<http://schema.org/name>|<https://schema.org/name>"
_NAMES += f"|<http://xmlns.com/foaf/0.1/name>|<{SKOSXL}prefLabel>/<{SKOSXL}literalForm>"
_NAMED = f"SELECT ?x ?l WHERE {{ VALUES ?x {{ %s }} ?x {_NAMES} ?l }} ORDER BY ?x ?l"
_TYPES = f"SELECT ?x ?t WHERE {{ VALUES ?x {{ %s }} ?x <{RDF}type> ?t FILTER(isIRI(?t)) }} ORDER BY ?x ?t"
_LANGUAGES = (OWL, RDF, RDFS)


@dataclass(frozen=True)
class Names:
    """Labels and types by IRI, where there are any."""

    labels: Mapping[str, str] = field(default_factory=dict)
    types: Mapping[str, str] = field(default_factory=dict)


def names_of(
    graph: Graph,
    iris: Sequence[str],
    *,
    language: str = "en",
    types: bool = False,
    timeout: float = 5.0,
) -> Names:
    """The best label of each IRI in ``language`` (else without one, else any), and its rarest type.

    What a graph does not answer in time stays without a name: names help readers and are no part of
    the result.
    """
    kinds = _best_types(_rows_about(graph, _TYPES, iris, timeout)) if types else {}
    labels = _labels(graph, [*iris, *kinds.values()], timeout, language)
    return Names({iri: texts[0] for iri, texts in labels.items()}, kinds)


def _labels(
    graph: Graph,
    iris: Iterable[str],
    timeout: float,
    language: str,
    failures: list[str] | None = None,
) -> dict[str, tuple[str, ...]]:
    """All labels of each IRI, the best first: in the language, then in none, then by language."""
    found: dict[str, list[Literal]] = {}
    for iri, label in _rows_about(graph, _NAMED, iris, timeout, failures):
        if isinstance(label, Literal) and label.text.strip():
            found.setdefault(str(iri), []).append(label)

    def rank(label: Literal) -> tuple[int, str, str]:
        tag = (label.language or "").lower()
        return (
            0 if tag.split("-")[0] == language.lower() else 1 if not tag else 2,
            tag,
            label.text,
        )

    return {
        iri: tuple(dict.fromkeys(one.text for one in sorted(some, key=rank)))
        for iri, some in found.items()
    }


def _rows_about(
    graph: Graph, query: str, iris: Iterable[str], timeout: float, failures: list[str] | None = None
) -> list[Row]:
    """The rows of a query for IRIs (at its ``%s``), batch by batch; the first error ends it and
    joins ``failures``.
    """
    wanted = [iri for iri in dict.fromkeys(map(str, iris)) if is_iri(iri)]
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
        if not str(kind).startswith(_LANGUAGES):
            found.setdefault(str(thing), []).append(str(kind))
    often = Counter(kind for kinds in found.values() for kind in kinds)
    return {
        thing: min(kinds, key=lambda kind: (often[kind], kind)) for thing, kinds in found.items()
    }

"""The graph as question answering asks it: relations first, every query bounded, every answer kept.

An entity with 200,000 neighbours costs what one with ten does: its relations are counted, and of each only a page of
other ends is read, in the order of the terms, so that the same ones are read every time. What was left out is noted.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kgnb.agents.question_answering.interpretation import Hop, path_query, pattern
from kgnb.agents.question_answering.names import CLAIMS, NAMING, Names, own_naming
from kgnb.errors import BackendError, DataError
from kgnb.kg.graph import Graph, Solutions
from kgnb.kg.terms import OWL, RDF, RDFS, SKOS, Iri, Literal, Term, Triple, n3

FRONTIER = 200
"""Entities whose relations are looked at together, at the end of a path."""
_REDIRECTS = (f"{OWL}sameAs", "http://dbpedia.org/ontology/wikiPageRedirects")
_SHORT = 100  # rows; no service cuts answers to fewer
_RELATIONS = 3000  # predicates of one graph that are told apart


@dataclass(frozen=True)
class Expansion:
    """The relations that lead on from the end of a path: how many triples each has, and one other end of it."""

    hops: tuple[tuple[Hop, int, Term | None], ...]
    note: str = ""


class GraphReader:
    """A graph with what was asked of it: relations around entities, ends of relations, names.

    Args:
        graph: any Graph.
        page: rows a query may give.
        most: rows read of one answer, page by page.
        timeout: seconds a query may take.
    """

    def __init__(self, graph: Graph, *, page: int = 1000, most: int = 10_000, timeout: float = 30.0) -> None:
        self.graph = graph
        self.page, self.most, self.timeout = page, most, timeout
        self.names = Names(graph, page=page, timeout=timeout, own=self.own_naming)
        self.asked = 0  # queries so far
        self._expansions: dict[tuple[Iri, tuple[Hop, ...], bool], Expansion] = {}
        self._ends: dict[tuple[Term, Hop, int], tuple[tuple[Term, ...], bool]] = {}
        self._vocabulary: tuple[tuple[Iri, int, Term | None], ...] | None = None
        self._own: tuple[str, ...] | None = None
        self._declares: bool | None = None  # whether any thing here stands for a relation

    @property
    def queries(self) -> int:
        """Queries so far, those for names included."""
        return self.asked + self.names.asked

    def select(self, query: str, *, limit: int | None = None) -> Solutions:
        """The rows of a query, at most a page of them unless ``limit`` says otherwise."""
        self.asked += 1
        return self.graph.select(query, limit=limit or self.page, timeout=self.timeout)

    def vocabulary(self) -> tuple[tuple[Iri, int, Term | None], ...]:
        """The relations of the whole graph with how often each occurs; empty where the graph is too large to say."""
        if self._vocabulary is None:
            query = "SELECT ?p (COUNT(*) AS ?n) (SAMPLE(?o) AS ?x) WHERE { ?s ?p ?o } GROUP BY ?p"
            try:
                rows = self.select(query, limit=_RELATIONS).rows
            except BackendError:  # a public endpoint gives up on this; the entity's own relations must do
                rows = ()
            found = [(p, _number(n), x) for p, n, x in rows if isinstance(p, Iri)]
            self._vocabulary = tuple(sorted(found, key=lambda entry: entry[0]))
        return self._vocabulary

    def own_naming(self) -> tuple[str, ...]:
        """The predicates of this graph that name things although no vocabulary says so; most graphs have none."""
        if self._own is None:
            self._own = own_naming(
                lambda query, most: self.select(query, limit=most), self.vocabulary(), NAMING, _plain
            )
        return self._own

    def expand(self, start: Iri, hops: Sequence[Hop] = (), *, inverse: bool = True) -> Expansion:
        """The relations that lead on from the end of a path, both directions unless told otherwise."""
        key = (start, tuple(hops), inverse)
        if key not in self._expansions:
            self._expansions[key] = (self._both(start, key[1]) if inverse else None) or self._apart(
                start, key[1], inverse
            )
        return self._expansions[key]

    def _both(self, start: Iri, hops: tuple[Hop, ...]) -> Expansion | None:
        """The relations in both directions by one query; None where that is too much for the service."""
        end, inner = self._end(start, hops)
        query = (
            f"SELECT ?d ?p (COUNT(*) AS ?n) (MIN(?y) AS ?x) WHERE {{ {inner}{{ {end} ?p ?y BIND (0 AS ?d) }} UNION "
            f"{{ {inner}?y ?p {end} BIND (1 AS ?d) }} }} GROUP BY ?d ?p"
        )
        try:
            rows = self.select(query).rows
        except (BackendError, DataError):
            return None
        found = [(Hop(p, _number(d) == 1), _number(n), x) for d, p, n, x in rows if isinstance(p, Iri)]
        return Expansion(tuple(sorted(found, key=lambda step: (step[0].inverse, step[0].relation))))

    def _apart(self, start: Iri, hops: tuple[Hop, ...], inverse: bool) -> Expansion:
        outward, first = self._grouped(start, hops, inward=False)
        inward, second = self._grouped(start, hops, inward=True) if inverse else ((), "")
        return Expansion((*outward, *inward), "; ".join(filter(None, (first, second))))

    def _end(self, start: Iri, hops: tuple[Hop, ...]) -> tuple[str, str]:
        """How the end of a path is written, and the pattern that leads to it: few entities stand for the many there."""
        if not hops:
            return n3(start), ""
        end = f"?v{len(hops)}"
        where = f"SELECT DISTINCT {end} WHERE {{ {pattern(start, hops)} }} ORDER BY {end} LIMIT {FRONTIER}"
        return end, f"{{ {where} }} "

    def _grouped(
        self, start: Iri, hops: tuple[Hop, ...], *, inward: bool
    ) -> tuple[tuple[tuple[Hop, int, Term | None], ...], str]:
        end, inner = self._end(start, hops)
        step = f"?y ?p {end}" if inward else f"{end} ?p ?y"
        query = f"SELECT ?p (COUNT(*) AS ?n) (SAMPLE(?y) AS ?x) WHERE {{ {inner}{step} }} GROUP BY ?p"
        note = ""
        try:
            rows = self.select(query).rows
        except BackendError:
            # too many triples to count them in time: what a first page of them holds must do
            query = f"SELECT DISTINCT ?p ?y WHERE {{ {inner}{step} }}"
            found = self.select(query, limit=self.page)
            ends = {p: y for p, y in reversed(found.rows)}
            rows = tuple((p, Literal(str(sum(row[0] == p for row in found.rows))), y) for p, y in ends.items())
            note = f"counting was too much for the service: relations are those of {len(found)} triples"
        steps = [(Hop(p, inward), _number(n), x) for p, n, x in rows if isinstance(p, Iri)]
        return tuple(sorted(steps, key=lambda step: step[0].relation)), note

    def ends(self, entity: Iri, hop: Hop, limit: int) -> tuple[tuple[Term, ...], bool]:
        """The other ends of a relation, in order, at most ``limit``; whether there are more."""
        key = (entity, hop, limit)
        if key not in self._ends:
            query = f"SELECT DISTINCT ?v1 WHERE {{ {pattern(entity, (hop,))} }} ORDER BY ?v1"
            found = self.select(query, limit=limit)
            terms = tuple(row[0] for row in found.rows if row[0] is not None)
            self._ends[key] = (terms, found.truncated)
        return self._ends[key]

    def rows(self, query: str) -> tuple[tuple[tuple[Term | None, ...], ...], str]:
        """All rows of a SELECT query, page by page up to ``most``, and a note where there are more.

        The query must order its rows, or pages may overlap.
        """
        found: list[tuple[Term | None, ...]] = []
        while len(found) < self.most:
            size = min(self.page, self.most - len(found))
            page = self.select(f"{query}\nLIMIT {size + 1} OFFSET {len(found)}", limit=size)
            found += page.rows
            # some services cut long answers without saying so: only a short page is surely the last one
            if not page.truncated and len(page) < _SHORT:
                return tuple(found), ""
        return tuple(found), f"the first {len(found):,} rows were read, and there are more"

    def along(self, start: Iri, hops: Sequence[Hop], extra: str = "") -> tuple[list[tuple[Triple, ...]], str]:
        """The paths of triples along relations, and a note where there are more."""
        rows, note = self.rows(path_query(start, hops, extra))
        return [path for row in rows if (path := triples_of(start, hops, row))], note

    def between(self, a: Iri, b: Iri, longest: int) -> list[tuple[Triple, ...]]:
        """The paths of at most ``longest`` (1 to 3) triples between two entities, shorter ones first."""
        found: list[tuple[Triple, ...]] = []
        for length in range(1, min(longest, 3) + 1):
            for mask in range(2**length):
                inverse = [bool(mask >> place & 1) for place in range(length)]
                nodes = [n3(a), *(f"?n{place}" for place in range(1, length)), n3(b)]
                steps = " . ".join(
                    f"{nodes[at + 1]} ?p{at} {nodes[at]}" if back else f"{nodes[at]} ?p{at} {nodes[at + 1]}"
                    for at, back in enumerate(inverse)
                )
                wanted = [f"?p{at}" for at in range(length)] + [f"?n{at}" for at in range(1, length)]
                query = f"SELECT DISTINCT {' '.join(wanted)} WHERE {{ {steps} }} ORDER BY {' '.join(wanted)}"
                for row in self.select(query, limit=50).rows:
                    if path := _path_between(a, b, row, inverse):
                        found.append(path)
        return found

    def properties(self, entities: Iterable[Iri]) -> frozenset[Iri]:
        """Those that stand for a relation, as Wikidata's properties and an ontology's do."""
        values = " ".join(n3(entity) for entity in entities)
        if not values:
            return frozenset()
        if self._declares is None:
            self._declares = self._any(f"?e <{CLAIMS[0]}> ?p") or any(
                self._any(f"?a a <{kind}>")
                for kind in (f"{RDF}Property", f"{OWL}ObjectProperty", f"{OWL}DatatypeProperty")
            )
        if not self._declares:
            return frozenset()
        kinds = f"<{RDF}Property> <{OWL}ObjectProperty> <{OWL}DatatypeProperty>"
        query = (
            f"SELECT DISTINCT ?a WHERE {{ VALUES ?a {{ {values} }} {{ ?a <{CLAIMS[0]}> ?p }} UNION "
            f"{{ VALUES ?k {{ {kinds} }} ?a a ?k }} }}"
        )
        try:
            return frozenset(row[0] for row in self.select(query).rows if isinstance(row[0], Iri))
        except (BackendError, DataError):
            return frozenset()

    def _any(self, where: str) -> bool:
        self.asked += 1
        try:
            return self.graph.ask(f"ASK {{ {where} }}", timeout=self.timeout)
        except BackendError:
            return True

    def same(self, entities: Iterable[Iri]) -> dict[Iri, Iri]:
        """What redirects (owl:sameAs with nothing else, or DBpedia's own way) and equal entities stand for."""
        values = " ".join(n3(entity) for entity in entities)
        used = {iri for iri, _, _ in self.vocabulary()}
        if not values or (used and not used & set(_REDIRECTS)):
            return {}
        query = (
            f"SELECT ?a ?b WHERE {{ {{ VALUES ?a {{ {values} }} ?a <{OWL}sameAs> ?b "
            f"FILTER NOT EXISTS {{ ?a ?p ?o FILTER (?p != <{OWL}sameAs>) }} }} UNION "
            f"{{ VALUES ?a {{ {values} }} ?a <{_REDIRECTS[1]}> ?b }} }} ORDER BY ?a ?b"
        )
        try:
            rows = self.select(query).rows
        except (BackendError, DataError):
            return {}
        return {a: b for a, b in reversed(rows) if isinstance(a, Iri) and isinstance(b, Iri)}


def triples_of(start: Iri, hops: Sequence[Hop], row: Sequence[Term | None]) -> tuple[Triple, ...]:
    """The triples of one row of ``path_query``; empty where a variable is unbound."""
    found: list[Triple] = []
    here: Term = start
    for hop, there in zip(hops, row, strict=False):
        if there is None:
            return ()
        subject, object_ = (there, here) if hop.inverse else (here, there)
        if isinstance(subject, Literal):
            return ()
        found.append((subject, hop.relation, object_))  # type: ignore[arg-type]  # no triple term is a subject here
        here = there
    return tuple(found)


def _path_between(a: Iri, b: Iri, row: Sequence[Term | None], inverse: Sequence[bool]) -> tuple[Triple, ...]:
    length = len(inverse)
    nodes: list[Term | None] = [a, *row[length:], b]
    path: list[Triple] = []
    for at, back in enumerate(inverse):
        here, there, relation = nodes[at], nodes[at + 1], row[at]
        subject, object_ = (there, here) if back else (here, there)
        if not isinstance(subject, Iri) or not isinstance(relation, Iri) or object_ is None:
            return ()
        path.append((subject, relation, object_))
    return tuple(path) if len(set(nodes)) == len(nodes) else ()


def _plain(predicate: str) -> bool:
    """Whether a predicate may name things: those of the standard vocabularies that do are known, the rest do not."""
    return not predicate.startswith((RDF, RDFS, OWL, SKOS, "http://wikiba.se/ontology#"))


def _number(term: Term | None) -> int:
    return int(term.text) if isinstance(term, Literal) and term.text.isdecimal() else 0

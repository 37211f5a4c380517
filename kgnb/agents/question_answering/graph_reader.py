"""Access to the graph for question answering: relations first, every query bounded, every result cached.

An entity with 200,000 neighbours costs as much as one with ten: its relations are counted, and only one page of the
other ends of each is read, sorted by term so that it is always the same page. What was left out is noted.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kgnb.agents.question_answering.interpretation import Hop, path_query, pattern
from kgnb.agents.question_answering.names import CLAIMS, NAMING, GraphNames, own_naming
from kgnb.errors import BackendError, DataError
from kgnb.kg.graph import Graph, Solutions
from kgnb.kg.terms import OWL, RDF, RDFS, SKOS, Iri, Literal, Term, Triple, n3

FRONTIER = 200
"""How many entities at the end of a path have their relations looked up together."""
_REDIRECTS = (f"{OWL}sameAs", "http://dbpedia.org/ontology/wikiPageRedirects")
_SHORT = 100  # rows; no service truncates results to fewer
_RELATIONS = 3000  # predicates read of one graph


@dataclass(frozen=True)
class Expansion:
    """The relations that lead on from the end of a path, each with its number of triples and one example end."""

    hops: tuple[tuple[Hop, int, Term | None], ...]
    note: str = ""


class GraphReader:
    """A graph and a cache of what was read: relations around entities, ends of relations, names.

    Args:
        graph: any Graph.
        page: most rows of one query.
        most: most rows of one result, read page by page.
        timeout: seconds a query may take.
    """

    def __init__(self, graph: Graph, *, page: int = 1000, most: int = 10_000, timeout: float = 30.0) -> None:
        self.graph = graph
        self.page, self.most, self.timeout = page, most, timeout
        self.names = GraphNames(graph, page=page, timeout=timeout, own=self.own_naming)
        self.asked = 0  # queries so far
        self._expansions: dict[tuple[Iri, tuple[Hop, ...], bool], Expansion] = {}
        self._ends: dict[tuple[Term, Hop, int], tuple[tuple[Term, ...], bool]] = {}
        self._vocabulary: tuple[tuple[Iri, int, Term | None], ...] | None = None
        self._own: tuple[str, ...] | None = None
        self._declares: bool | None = None  # whether any entity here stands for a relation

    @property
    def queries(self) -> int:
        """Number of queries so far, including those for names."""
        return self.asked + self.names.asked

    def select(self, query: str, *, limit: int | None = None) -> Solutions:
        """The rows of a query, at most ``limit`` of them (default: one page)."""
        self.asked += 1
        return self.graph.select(query, limit=limit or self.page, timeout=self.timeout)

    def vocabulary(self) -> tuple[tuple[Iri, int, Term | None], ...]:
        """All relations of the graph, each with its count and one object; empty if the graph is too large to count."""
        if self._vocabulary is None:
            query = "SELECT ?p (COUNT(*) AS ?n) (SAMPLE(?o) AS ?x) WHERE { ?s ?p ?o } GROUP BY ?p"
            try:
                rows = self.select(query, limit=_RELATIONS).rows
            except BackendError:  # too much for a public endpoint; the entity's own relations must do
                rows = ()
            found = [(p, _number(n), x) for p, n, x in rows if isinstance(p, Iri)]
            self._vocabulary = tuple(sorted(found, key=lambda entry: entry[0]))
        return self._vocabulary

    def own_naming(self) -> tuple[str, ...]:
        """This graph's own predicates for names, outside the standard vocabularies; most graphs have none."""
        if self._own is None:
            self._own = own_naming(
                lambda query, most: self.select(query, limit=most), self.vocabulary(), NAMING, _plain
            )
        return self._own

    def expand(self, start: Iri, hops: Sequence[Hop] = (), *, inverse: bool = True) -> Expansion:
        """The relations that lead on from the end of a path; incoming ones too, unless ``inverse`` is false."""
        key = (start, tuple(hops), inverse)
        if key not in self._expansions:
            self._expansions[key] = (self._both(start, key[1]) if inverse else None) or self._apart(
                start, key[1], inverse
            )
        return self._expansions[key]

    def _both(self, start: Iri, hops: tuple[Hop, ...]) -> Expansion | None:
        """The relations in both directions with one query; None if that is too much for the service."""
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
        """The SPARQL term for the end of a path, and the pattern that binds it, to at most ``FRONTIER`` entities."""
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
            # too many triples to count in time: use the first page
            query = f"SELECT DISTINCT ?p ?y WHERE {{ {inner}{step} }}"
            found = self.select(query, limit=self.page)
            ends = {p: y for p, y in reversed(found.rows)}
            rows = tuple((p, Literal(str(sum(row[0] == p for row in found.rows))), y) for p, y in ends.items())
            note = f"counting was too much for the service: relations are those of {len(found)} triples"
        steps = [(Hop(p, inward), _number(n), x) for p, n, x in rows if isinstance(p, Iri)]
        return tuple(sorted(steps, key=lambda step: step[0].relation)), note

    def ends(self, entity: Iri, hop: Hop, limit: int) -> tuple[tuple[Term, ...], bool]:
        """At most ``limit`` other ends of a relation, sorted, and whether there are more."""
        key = (entity, hop, limit)
        if key not in self._ends:
            query = f"SELECT DISTINCT ?v1 WHERE {{ {pattern(entity, (hop,))} }} ORDER BY ?v1"
            found = self.select(query, limit=limit)
            terms = tuple(row[0] for row in found.rows if row[0] is not None)
            self._ends[key] = (terms, found.truncated)
        return self._ends[key]

    def rows(self, query: str) -> tuple[tuple[tuple[Term | None, ...], ...], str]:
        """All rows of a SELECT query, read page by page up to ``most``, and a note if there are more.

        The query must order its rows; otherwise pages may overlap.
        """
        found: list[tuple[Term | None, ...]] = []
        while len(found) < self.most:
            size = min(self.page, self.most - len(found))
            page = self.select(f"{query}\nLIMIT {size + 1} OFFSET {len(found)}", limit=size)
            found += page.rows
            # some services truncate long results silently: only a short page is certain to be the last
            if not page.truncated and len(page) < _SHORT:
                return tuple(found), ""
        return tuple(found), f"the first {len(found):,} rows were read, and there are more"

    def along(self, start: Iri, hops: Sequence[Hop], extra: str = "") -> tuple[list[tuple[Triple, ...]], str]:
        """The paths of triples along relations, and a note if there are more."""
        rows, note = self.rows(path_query(start, hops, extra))
        return [path for row in rows if (path := triples_of(start, hops, row))], note

    def between(self, a: Iri, b: Iri, longest: int) -> list[tuple[Triple, ...]]:
        """The paths of at most ``longest`` (1 to 3) triples between two entities, shortest first."""
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
        """The entities that stand for a relation, such as the properties of Wikidata or of an ontology."""
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
        """The targets of redirects: entities with nothing but owl:sameAs, or with DBpedia's own redirect predicate."""
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
    """The triples of one row of ``path_query``; empty if a variable is unbound."""
    found: list[Triple] = []
    here: Term = start
    for hop, there in zip(hops, row, strict=False):
        if there is None:
            return ()
        subject, object_ = (there, here) if hop.inverse else (here, there)
        if isinstance(subject, Literal):
            return ()
        found.append((subject, hop.relation, object_))  # type: ignore[arg-type]  # subjects are never triple terms here
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
    """Whether a predicate is outside the standard vocabularies, whose naming predicates are already known."""
    return not predicate.startswith((RDF, RDFS, OWL, SKOS, "http://wikiba.se/ontology#"))


def _number(term: Term | None) -> int:
    return int(term.text) if isinstance(term, Literal) and term.text.isdecimal() else 0

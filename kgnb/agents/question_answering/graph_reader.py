"""What is read of a graph for question answering: names, relations, classes, schema. Queries are
bounded and cached.

An entity with 200,000 neighbours costs as much as one with ten: its relations are counted, and only
one page of the other ends of each is read, sorted by term so that it is always the same page. What
was left out is noted.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import inf

from kgnb.agents.question_answering.interpretation import (
    SUBCLASS,
    TYPE,
    Hop,
    path_query,
    pattern,
)
from kgnb.agents.question_answering.names import (
    ALIASES,
    CLAIMS,
    INSTANCE,
    LABELS,
    NAMING,
    TYPING,
    is_relation,
    local_name,
    opaque,
    own_naming,
    says_name,
)
from kgnb.errors import BackendError, DataError
from kgnb.kg.graph import Graph, Solutions
from kgnb.kg.labels import choose_label, is_code, readable_name
from kgnb.kg.ontology import Text
from kgnb.kg.prefixes import PREFIXES, shorten
from kgnb.kg.terms import (
    OWL,
    RDF,
    RDFS,
    XSD,
    Blank,
    Iri,
    Literal,
    Term,
    Triple,
    bare_text,
    is_iri,
    n3,
)
from kgnb.kg.words import normal, words

FRONTIER = 200
"""How many entities at the end of a path have their relations looked up together."""
_PEOPLE = frozenset("person human individual employee".split())  # noqa: SIM905
OF_PEOPLE = frozenset(
    "birth born death died spouse mother father parent sex gender phone email salary job".split()
)  # noqa: SIM905
"""Words in the names of relations that only people have."""
_REDIRECTS = (f"{OWL}sameAs", "http://dbpedia.org/ontology/wikiPageRedirects")
_PROPERTIES = (f"{RDF}Property", f"{OWL}ObjectProperty", f"{OWL}DatatypeProperty")
_SCAN = 10.0  # seconds that a service may take to count all its triples
_ENTITIES_AROUND = 6  # entities whose relations stand for the schema if a service does not count
_NAMED_SO = 40  # relations found by their names
_SHORT = 100  # rows; no service truncates results to fewer
_RELATIONS = 3000  # predicates read of one graph, and described
_CLASSES = 5000
_BATCH = 100  # entities whose names are fetched together
_NAMES = 12  # names compared per entity
_AT_ONCE = 20  # relations sampled per query
_SAMPLE = 60  # triples per relation whose ends are classified
_PAIRS = 6  # triples per relation checked for an inverse
_DESCRIBED = 200  # classes, the largest first, whose things' relations are looked at
_SHARE = 0.15  # share of a relation's triples that a class needs to be listed at one end
_ENDS = 3  # classes listed at one end

_NUMBERS = frozenset(
    XSD + name
    for name in """integer decimal double float int long short byte nonNegativeInteger positiveInteger
    nonPositiveInteger
    negativeInteger unsignedInt unsignedLong unsignedShort unsignedByte""".split()  # noqa: SIM905
)
_DATES = frozenset(
    XSD + name for name in ("date", "dateTime", "gYear", "gYearMonth", "dateTimeStamp")
)


@dataclass(frozen=True)
class Expansion:
    """The relations that lead on from the end of a path, each with its number of triples and one
    example end.
    """

    hops: tuple[tuple[Hop, int, Term | None], ...]
    note: str = ""


@dataclass(frozen=True)
class ClassUse:
    """A class and the number of its instances."""

    iri: Iri
    name: str
    count: int = 0


@dataclass(frozen=True)
class RelationUse:
    """A relation as the graph uses it. ``ranges`` holds classes, or the names of datatypes for
    literals.
    """

    iri: Iri
    names: tuple[str, ...]
    count: int = 0
    domains: tuple[str, ...] = ()
    ranges: tuple[str, ...] = ()
    literal: bool = False
    example: Term | None = None
    inverse: Iri | None = None  # the relation that stores the same facts in the other direction
    # every class seen at either end, rare ones included: ``domains`` and ``ranges`` are the main ones
    subjects: tuple[str, ...] = ()
    objects: tuple[str, ...] = ()


@dataclass(frozen=True)
class GraphSchema:
    """What a graph can be asked, and prefixes to abbreviate its IRIs."""

    classes: tuple[ClassUse, ...] = ()
    relations: tuple[RelationUse, ...] = ()
    typing: tuple[Iri, ...] = ()  # the relations from a thing to its class
    naming: tuple[str, ...] = ()  # the predicates for labels
    prefixes: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @cached_property
    def uses(self) -> dict[Iri, RelationUse]:
        """The relations by IRI."""
        return {one.iri: one for one in self.relations}

    @cached_property
    def iris(self) -> frozenset[str]:
        """Every class and relation, including those for types and names."""
        found = {*(str(one.iri) for one in self.classes), *(str(one.iri) for one in self.relations)}
        return frozenset({*found, *self.typing, *self.naming})

    def short(self, iri: str) -> str:
        """An IRI as written in a query: ``prefix:name`` if that can be parsed again, otherwise
        ``<...>``.
        """
        known = dict(self.prefixes)
        brief = shorten(iri, known)
        prefix, _, name = brief.partition(":")
        readable = brief != iri and (prefix in known or prefix in PREFIXES)
        # x:A.S._Roma is legal, but not every engine parses it
        return brief if readable and "." not in name else f"<{iri}>"


class GraphReader:
    """A graph and a cache of what was read.

    Args:
        graph: any Graph.
        page: most rows of one query.
        most: most rows of one result, read page by page.
        timeout: seconds a query may take.
    """

    def __init__(
        self, graph: Graph, *, page: int = 1000, most: int = 10_000, timeout: float = 30.0
    ) -> None:
        self.graph = graph
        self.page, self.most, self.timeout = page, most, timeout
        self.names = GraphNames(self)
        self.queries = 0  # so far
        self.failed = False  # whether a look-up was too much for the service
        self._around: dict[tuple[tuple[Iri, ...], tuple[str, ...]], GraphSchema] = {}
        self._unread = ""  # why the graph's relations could not be counted
        self._cache: dict[tuple[str, int], Solutions] = {}
        self._expansions: dict[tuple[Iri, tuple[Hop, ...], bool], Expansion] = {}
        self._own: tuple[str, ...] | None = None

    def select(self, query: str, *, limit: int | None = None) -> Solutions:
        """The rows of a query, at most ``limit`` of them (default: one page)."""
        self.queries += 1
        return self.graph.select(query, limit=limit or self.page, timeout=self.timeout)

    def ask(self, query: str) -> bool:
        """The result of an ASK query."""
        self.queries += 1
        return self.graph.ask(query, timeout=self.timeout)

    def looked_up(self, query: str, limit: int | None = None) -> Solutions:
        """The rows of a query, cached; none if it is too much for the service."""
        key = (query, limit or self.page)
        if key not in self._cache:
            try:
                self._cache[key] = self.select(query, limit=limit)
            except (BackendError, DataError):
                self.failed = True
                self._cache[key] = Solutions((), ())
        return self._cache[key]

    def any(self, where: str) -> bool:
        """Whether a pattern matches anything; false if that is too much for the service."""
        return bool(self.looked_up(f"SELECT * WHERE {{ {where} }} LIMIT 1", 1).rows)

    @cached_property
    def vocabulary(self) -> tuple[tuple[Iri, int, Term | None], ...]:
        """All relations of the graph, each with its count and one object; empty if the graph is too
        large to count.
        """
        query = "SELECT ?p (COUNT(*) AS ?n) (SAMPLE(?o) AS ?x) WHERE { ?s ?p ?o } GROUP BY ?p"
        self.queries += 1
        try:
            timeout = min(self.timeout, _SCAN)
            rows = self.graph.select(query, limit=_RELATIONS, timeout=timeout).rows
        except (BackendError, DataError) as error:
            self._unread = error.what
            return ()
        return tuple(
            sorted(
                ((p, _number(n), x) for p, n, x in rows if isinstance(p, Iri)),
                key=lambda entry: entry[0],
            )
        )

    @property
    def counted(self) -> bool:
        """Whether all relations of the graph are known; if not, those around a question's entities
        are.
        """
        return bool(self.vocabulary) or not self._unread

    @property
    def remote(self) -> bool:
        """Whether a service holds the graph, so that reading much of it takes long."""
        return "://" in self.graph.name

    @property
    def missing(self) -> tuple[str, ...]:
        """What could not be read, and what is used instead."""
        if self.counted:
            return ()
        reason = " ".join(self._unread.split())[:120]
        return (
            f"the service did not list all its relations ({reason}): only those around the entities, "
            "and those named like words of the question, were looked at",
        )

    def is_class(self, iri: Iri) -> bool:
        """Whether anything belongs to it, as a class."""
        if self.counted:
            return iri in self.classes
        return self.any(f"?x {'|'.join(map(n3, self.typing))} {n3(iri)}")

    def relations_named(self, texts: Sequence[str]) -> tuple[Iri, ...]:
        """The relations with exactly one of these names, whatever its case, or, for a single text,
        with it in their names.
        """
        names = [text.lower() for text in texts if text.strip()]
        if not names:
            return ()
        one = f"CONTAINS(LCASE(STR(?l)), {n3(Literal(names[0]))})"
        every = f"LCASE(STR(?l)) IN ({', '.join(n3(Literal(name)) for name in names)})"
        labels = f"<{RDFS}label>|<{ALIASES[0]}>"
        kinds = " ".join(f"<{kind}>" for kind in _PROPERTIES)
        query = (
            f"SELECT DISTINCT ?p WHERE {{ {{ ?e <{CLAIMS[0]}> ?p ; {labels} ?l }} UNION "
            f"{{ VALUES ?k {{ {kinds} }} ?p a ?k ; {labels} ?l }} "
            f"FILTER ({one if len(names) == 1 else every}) }} LIMIT {_NAMED_SO}"
        )
        return tuple(
            sorted(row[0] for row in self.looked_up(query).rows if isinstance(row[0], Iri))
        )

    def schema_around(self, entities: tuple[Iri, ...], texts: tuple[str, ...]) -> GraphSchema:
        """The relations of these entities, and those with these names: the schema where a service
        does not count.
        """
        key = (entities, texts)
        if key not in self._around:
            found: dict[Iri, tuple[int, Term | None]] = dict.fromkeys(
                self.relations_named(texts), (0, None)
            )
            for entity in entities[:_ENTITIES_AROUND]:
                for hop, number, end in self.expand(entity).hops:
                    known, sample = found.get(hop.relation, (0, None))
                    example = sample if hop.inverse or sample is not None else end
                    found[hop.relation] = (known + number, example)
            vocabulary = [(iri, number, example) for iri, (number, example) in found.items()]
            self._around[key] = self._schema_of(vocabulary, list(self.missing))
        return self._around[key]

    def schema_with(self, schema: GraphSchema, relations: tuple[Iri, ...]) -> GraphSchema:
        """A schema with more relations, such as those that were looked for by name."""
        key = (relations, ("named",))
        if key not in self._around:
            self._around[key] = self._schema_of([(iri, 0, None) for iri in relations], [])
        more = self._around[key]
        return replace(
            schema,
            classes=tuple(dict.fromkeys((*schema.classes, *more.classes))),
            relations=(*schema.relations, *more.relations),
            prefixes={**more.prefixes, **schema.prefixes},
        )

    @cached_property
    def typing(self) -> tuple[Iri, ...]:
        """The graph's relations from a thing to its class: RDF's, and those with a similar name."""
        if not self.counted:
            wikibase = self.any(f"?e <{CLAIMS[0]}> {n3(INSTANCE)}")
            return (TYPE, INSTANCE) if wikibase else (TYPE,)
        linking = [
            iri for iri, _, sample in self.vocabulary if isinstance(sample, Iri) and iri != TYPE
        ]
        self.names.fetch(iri for iri in linking if is_code(local_name(iri)))
        return (TYPE, *(iri for iri in linking if iri == INSTANCE or self._types(iri)))

    def _types(self, relation: Iri) -> bool:
        """Whether a relation is called like one to a class: by its IRI, or by its label where the
        IRI is a code, as in every Wikibase.
        """
        name = local_name(relation)
        return normal(self.names.label(relation) if is_code(name) else name) in TYPING

    @cached_property
    def classes(self) -> dict[Iri, tuple[Iri, int]]:
        """The classes, most common first, each with the relation from its instances and their
        number.

        Declared classes without instances come last.
        """
        found: dict[Iri, tuple[Iri, int]] = {}
        if not self.counted:
            return found
        for relation in self.typing:
            for cls, number in self._class_sizes(relation):
                by, known = found.get(cls, (relation, 0))
                found[cls] = (by, known + number)
        found = dict(sorted(found.items(), key=lambda entry: (-entry[1][1], entry[0])))
        declared = (
            f"SELECT DISTINCT ?c WHERE {{ {{ ?c a <{OWL}Class> }} UNION {{ ?c a <{RDFS}Class> }} "
            f"UNION {{ ?c <{RDFS}subClassOf> ?d }} UNION {{ ?d <{RDFS}subClassOf> ?c }} }}"
        )
        for row in sorted(self.looked_up(declared, _CLASSES).rows, key=str):
            if isinstance(row[0], Iri):
                found.setdefault(row[0], (TYPE, 0))
        return {cls: use for cls, use in found.items() if not cls.startswith((OWL, RDF, RDFS, XSD))}

    def _class_sizes(self, relation: Iri) -> list[tuple[Iri, int]]:
        query = f"SELECT ?c (COUNT(?s) AS ?n) WHERE {{ ?s {n3(relation)} ?c }} GROUP BY ?c"
        return [
            (cls, _number(n))
            for cls, n in self.looked_up(query, _CLASSES).rows
            if isinstance(cls, Iri)
        ]

    def kinds(self, thing: Iri) -> frozenset[str]:
        """The classes of a thing and those above them."""
        by = "|".join(n3(one) for one in self.typing)
        wider = "|".join(f"<{iri}>" for iri in (f"{RDFS}subClassOf", *SUBCLASS.values()))
        query = f"SELECT DISTINCT ?c WHERE {{ {n3(thing)} ({by})/({wider})* ?c }}"
        return frozenset(str(row[0]) for row in self.looked_up(query).rows)

    def coded(self, code: str) -> tuple[Iri, ...]:
        """The entities whose IRI ends in a code, of a graph that is at hand."""
        if self.remote:
            return ()
        end = f"FILTER (STRENDS(STR(?s), {n3(Literal(code))}))"
        rows = self.looked_up(f"SELECT DISTINCT ?s WHERE {{ ?s ?p ?o {end} }}", _SHORT).rows
        return tuple(
            row[0] for row in rows if isinstance(row[0], Iri) and local_name(row[0]) == code
        )

    def nameless(self, start: Iri, *, inverse: bool) -> list[Hop]:
        """The relations of a thing to what only holds together what is said of it: nodes without a
        name, such as an offer with a price.
        """
        found = []
        for hop, _, sample in self.expand(start, inverse=inverse).hops:
            if isinstance(sample, Literal) or not is_relation(hop.relation):
                continue
            ends = self.ends(start, hop, _PAIRS)[0]
            if ends and all(self.holds_together(end) for end in ends):
                found.append(hop)
        return found

    def holds_together(self, node: Term) -> bool:
        """Whether a node has no name, and is there for what is said by it."""
        if not isinstance(node, Iri):
            return isinstance(node, Blank) and node not in self.names.blanks
        kinds = " ".join(n3(Iri(kind)) for kind in sorted(self.kinds(node)) if is_iri(kind))
        if not opaque(node) or self.names.named(node) or not kinds:
            return False
        by, naming = "|".join(map(n3, self.typing)), sorted({*NAMING, *self.own_naming()})
        named = f"?x {by} ?k ; {'|'.join(f'<{iri}>' for iri in naming)} ?l"
        return not self.any(f"VALUES ?k {{ {kinds} }} {named}")

    def is_person(self, thing: Iri) -> bool:
        """Whether a thing is said to be a person: by its classes, or by what only people have."""
        kinds = [words(self.names.label(kind)) for kind in self.kinds(thing)]
        if any(not _PEOPLE.isdisjoint(kind[-1:]) for kind in kinds):
            return True
        steps = self.expand(thing, inverse=False).hops
        return any(
            not OF_PEOPLE.isdisjoint(words(self.names.label(hop.relation))) for hop, *_ in steps
        )

    def typed_by(self, cls: Iri) -> Iri:
        """The relation from a class's instances to it."""
        return self.classes.get(cls, (TYPE, 0))[0]

    def own_naming(self) -> tuple[str, ...]:
        """This graph's own predicates for names, outside the standard vocabularies; most graphs
        have none.
        """
        if self._own is None:
            self._own = own_naming(
                lambda query, most: self.select(query, limit=most), self.vocabulary
            )
        return self._own

    def expand(self, start: Iri, hops: Sequence[Hop] = (), *, inverse: bool = True) -> Expansion:
        """The relations that lead on from the end of a path; incoming ones too, unless ``inverse``
        is false.
        """
        key = (start, tuple(hops), inverse)
        if key not in self._expansions:
            self._expansions[key] = self._expansion(*key)
        return self._expansions[key]

    def _expansion(self, start: Iri, hops: tuple[Hop, ...], inverse: bool) -> Expansion:
        end, inner = n3(start), ""
        if hops:
            end = f"?v{len(hops)}"
            where = f"SELECT DISTINCT {end} WHERE {{ {pattern(start, hops)} }} ORDER BY {end} LIMIT {FRONTIER}"
            inner = f"{{ {where} }} "
        ways = [f"{inner}{end} ?p ?y BIND (0 AS ?d)", f"{inner}?y ?p {end} BIND (1 AS ?d)"][
            : 1 + inverse
        ]
        where, note = " UNION ".join(f"{{ {way} }}" for way in ways), ""
        try:
            query = (
                f"SELECT ?d ?p (COUNT(*) AS ?n) (MIN(?y) AS ?x) WHERE {{ {where} }} GROUP BY ?d ?p"
            )
            found = {
                (p, _number(d) == 1): (_number(n), x) for d, p, n, x in self.select(query).rows
            }
        except (BackendError, DataError):
            # too many triples to count in time: use the first page
            rows = [
                row
                for way in ways
                for row in self.select(f"SELECT DISTINCT ?d ?p ?y WHERE {{ {way} }}").rows
            ]
            numbers = Counter((p, _number(d) == 1) for d, p, _ in rows)
            found = {
                (p, _number(d) == 1): (numbers[p, _number(d) == 1], y) for d, p, y in reversed(rows)
            }
            note = (
                f"counting was too much for the service: relations are those of {len(rows)} triples"
            )
        steps = [
            (Hop(p, back), number, x)
            for (p, back), (number, x) in found.items()
            if isinstance(p, Iri)
        ]
        return Expansion(
            tuple(sorted(steps, key=lambda step: (step[0].inverse, step[0].relation))), note
        )

    def ends(self, entity: Iri, hop: Hop, limit: int) -> tuple[tuple[Term, ...], bool]:
        """At most ``limit`` other ends of a relation, sorted, and whether there are more."""
        query = f"SELECT DISTINCT ?v1 WHERE {{ {pattern(entity, (hop,))} }} ORDER BY ?v1"
        key = (query, limit)
        if key not in self._cache:
            self._cache[key] = self.select(query, limit=limit)
        found = self._cache[key]
        return tuple(row[0] for row in found.rows if row[0] is not None), found.truncated

    def rows(self, query: str) -> tuple[tuple[tuple[Term | None, ...], ...], str]:
        """All rows of a SELECT query, read page by page up to ``most``, and a note if there are
        more.

        The query must order its rows; otherwise pages may overlap.
        """
        found: list[tuple[Term | None, ...]] = []
        while len(found) < self.most:
            size = min(self.page, self.most - len(found))
            page = self.select(f"{query}\nLIMIT {size + 1} OFFSET {len(found)}", limit=size)
            found += page.rows
            # some services truncate long results silently: only a short page is certain to be the
            # last
            if not page.truncated and len(page) < _SHORT:
                return tuple(found), ""
        return tuple(found), f"the first {len(found):,} rows were read, and there are more"

    def along(
        self, start: Iri, hops: Sequence[Hop], extra: str = ""
    ) -> tuple[list[tuple[Triple, ...]], str]:
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
                    f"{nodes[at + 1]} ?p{at} {nodes[at]}"
                    if back
                    else f"{nodes[at]} ?p{at} {nodes[at + 1]}"
                    for at, back in enumerate(inverse)
                )
                wanted = [f"?p{at}" for at in range(length)] + [
                    f"?n{at}" for at in range(1, length)
                ]
                query = f"SELECT DISTINCT {' '.join(wanted)} WHERE {{ {steps} }} ORDER BY {' '.join(wanted)}"
                for row in self.select(query, limit=50).rows:
                    if path := _path_between(a, b, row, inverse):
                        found.append(path)
        return found

    def properties(self, entities: Iterable[Iri]) -> frozenset[Iri]:
        """The entities that stand for a relation, such as the properties of Wikidata or of an
        ontology.
        """
        values = " ".join(n3(entity) for entity in entities)
        used = {iri for iri, _, _ in self.vocabulary}
        kinds = {cls for cls, _ in self._class_sizes(TYPE)}
        if not values or (used and CLAIMS[0] not in used and kinds.isdisjoint(_PROPERTIES)):
            return frozenset()
        query = (
            f"SELECT DISTINCT ?a WHERE {{ VALUES ?a {{ {values} }} {{ ?a <{CLAIMS[0]}> ?p }} UNION "
            f"{{ VALUES ?k {{ {' '.join(f'<{kind}>' for kind in _PROPERTIES)} }} ?a a ?k }} }}"
        )
        return frozenset(row[0] for row in self.looked_up(query).rows if isinstance(row[0], Iri))

    def same(self, entities: Iterable[Iri]) -> dict[Iri, Iri]:
        """The targets of redirects: entities with nothing but owl:sameAs, or with DBpedia's own
        redirect predicate.
        """
        values = " ".join(n3(entity) for entity in entities)
        used = {iri for iri, _, _ in self.vocabulary}
        if not values or (used and used.isdisjoint(_REDIRECTS)):
            return {}
        query = (
            f"SELECT ?a ?b WHERE {{ {{ VALUES ?a {{ {values} }} ?a <{OWL}sameAs> ?b "
            f"FILTER NOT EXISTS {{ ?a ?p ?o FILTER (?p != <{OWL}sameAs>) }} }} UNION "
            f"{{ VALUES ?a {{ {values} }} ?a <{_REDIRECTS[1]}> ?b }} }} ORDER BY ?a ?b"
        )
        rows = self.looked_up(query).rows
        return {a: b for a, b in reversed(rows) if isinstance(a, Iri) and isinstance(b, Iri)}

    @cached_property
    def schema(self) -> GraphSchema:
        """The classes with counts, and what each relation connects, read from bounded samples."""
        return self._schema_of(self.vocabulary, [])

    def _schema_of(
        self, vocabulary: Iterable[tuple[Iri, int, Term | None]], notes: list[str]
    ) -> GraphSchema:
        vocabulary = [entry for entry in vocabulary if is_relation(entry[0])]
        vocabulary = sorted(vocabulary, key=lambda entry: (-entry[1], entry[0]))
        notes += [f"{len(vocabulary) - _RELATIONS} rarer relations are not described"] * (
            len(vocabulary) > _RELATIONS
        )
        vocabulary = [entry for entry in vocabulary if entry[0] not in self.typing][:_RELATIONS]
        self.names.fetch([*self.classes, *(iri for iri, _, _ in vocabulary)])
        uses = _uses(self, [iri for iri, _, _ in vocabulary])
        inverses = _inverses(
            self, [iri for iri, _, sample in vocabulary if isinstance(sample, Iri)]
        )
        sizes = {iri: number for iri, (_, number) in self.classes.items()}
        starts = _starts(self)
        relations = []
        for iri, count, sample in vocabulary:
            use = uses.get(iri) or _Use(literal=isinstance(sample, Literal))
            relations.append(
                RelationUse(
                    iri,
                    self.names.of(iri) or (iri,),
                    count,
                    _main(use.starts),
                    _main(use.ends),
                    use.literal,
                    use.example or sample,
                    inverses.get(iri),
                    _by_size({*use.starts, *starts[iri]}, sizes),
                    _by_size(use.ends, sizes),
                )
            )
        naming = tuple(
            str(iri) for iri, _, _ in self.vocabulary if iri in NAMING or iri in self.own_naming()
        )
        some: Iterable[tuple[Term | None, ...]] = ()
        if self.counted:
            some = self.looked_up(
                "SELECT DISTINCT ?s WHERE { ?s ?p ?o FILTER (isIRI(?s)) } LIMIT 500", 500
            ).rows
        else:  # the classes of what the relations connect, and the names that all services have
            ends = [end for use in uses.values() for end in (*_main(use.starts), *_main(use.ends))]
            sizes = {Iri(end): 0 for end in dict.fromkeys(ends) if is_iri(end)}
            naming = (f"{RDFS}label",)
            some = [(step[2],) for step in vocabulary]
            self.names.fetch(sizes)
        classes = tuple(ClassUse(iri, self.names.label(iri), size) for iri, size in sizes.items())
        prefixes = _prefixes([*sizes, *(one.iri for one in relations)], [row[0] for row in some])
        return GraphSchema(classes, tuple(relations), self.typing, naming, prefixes, tuple(notes))


class GraphNames:
    """Labels and aliases, fetched in batches and cached."""

    def __init__(self, reader: GraphReader) -> None:
        self._reader = reader
        self._texts: dict[str, tuple[tuple[Text, bool], ...]] = {}  # with whether it is an alias
        self._labels: dict[str, str] = {}

    def fetch(self, iris: Iterable[str]) -> None:
        """Fetch the names that are not cached yet."""
        missing = [iri for iri in dict.fromkeys(iris) if iri not in self._texts]
        for begin in range(0, len(missing), _BATCH):
            self._fetch(missing[begin : begin + _BATCH])

    def of(self, iri: str) -> tuple[str, ...]:
        """All names of an entity or relation, best first, including its local name in words unless
        it is a code.
        """
        label = self.label(iri)
        others = [text.text for text, _ in self._texts[iri] if not is_code(text.text.strip())]
        name = local_name(iri)
        spoken = readable_name(name) if name and not is_code(name) else ""
        found = dict.fromkeys(
            " ".join(text.split()) for text in (label, *others, spoken) if text.strip()
        )
        return tuple(found)[:_NAMES]

    def named(self, iri: str) -> bool:
        """Whether an entity has any name of its own."""
        self.fetch([iri])
        return bool(self._texts[iri])

    def label(self, iri: str) -> str:
        """The best name for display."""
        if iri not in self._labels:
            self.fetch([iri])
            self._labels[iri] = self._chosen(iri)
        return self._labels[iri]

    def _chosen(self, iri: str) -> str:
        texts = self._texts[iri]
        chosen = choose_label([text for text, alias in texts if not alias]) or choose_label(
            [text for text, _ in texts]
        )
        if chosen is not None and not is_code(chosen.text.strip()):
            return " ".join(chosen.text.split())
        name = local_name(iri)
        return (
            readable_name(name)
            if name and not is_code(name)
            else (chosen.text if chosen else name or iri)
        )

    def shown(self, term: Term) -> str:
        """A term for display: the label of a thing, also of a blank node that has one."""
        if isinstance(term, Iri):
            return self.label(term)
        return self.blanks.get(term, bare_text(term))

    @cached_property
    def of_blanks(self) -> tuple[str, ...]:
        """The predicates that name a node: those of common vocabularies, and those called so."""
        called = [iri for iri, _, _ in self._reader.vocabulary if says_name(iri)]
        return tuple(sorted({*LABELS, *called}))

    @cached_property
    def blanks(self) -> Mapping[Term, str]:
        """The names of blank nodes, which a service would call otherwise in every result."""
        if self._reader.remote:
            return {}
        kinds = " ".join(f"<{iri}>" for iri in self.of_blanks)
        query = f"VALUES ?q {{ {kinds} }} ?x ?q ?l FILTER (isBlank(?x) && isLiteral(?l))"
        rows = self._reader.looked_up(f"SELECT ?x ?l WHERE {{ {query} }} ORDER BY DESC(?l)", 9_000)
        return {
            blank: " ".join(bare_text(text).split()) for blank, text in rows.rows if blank and text
        }

    def labels(self, iris: Iterable[str]) -> Mapping[str, str]:
        """The label of each IRI."""
        wanted = list(dict.fromkeys(iris))
        self.fetch(wanted)
        return {iri: self.label(iri) for iri in wanted}

    def _fetch(self, iris: Sequence[str]) -> None:
        found: dict[str, dict[tuple[str, str | None], bool]] = {iri: {} for iri in iris}

        def read(wanted: Sequence[str], naming: Iterable[str], via: str = "?x ?q ?l") -> None:
            values, kinds = (
                " ".join(f"<{iri}>" for iri in wanted),
                ", ".join(f"<{name}>" for name in naming),
            )
            if not values or not kinds:
                return
            # FILTER, because some engines read every label when joining a second VALUES
            where = f"VALUES ?x {{ {values} }} {via} FILTER (?q IN ({kinds}))"
            query = f"SELECT ?x ?q ?l WHERE {{ {where} }} ORDER BY ?x ?q ?l"
            try:
                # Virtuoso refuses to sort with a limit above 10,000, however few rows there are
                rows = self._reader.select(query, limit=min(20 * self._reader.page, 9_000)).rows
            except BackendError:
                return  # local names remain as a fallback
            for iri, kind, text in rows:
                if isinstance(text, Literal) and isinstance(iri, Iri) and text.text.strip():
                    found[iri].setdefault((text.text, text.language), str(kind) in ALIASES)

        readable = [iri for iri in iris if is_iri(iri)]
        read(readable, sorted(NAMING))
        if coded := [iri for iri in readable if not found[iri] and opaque(iri)]:
            read(coded, self._reader.own_naming())
        if (bare := [iri for iri in readable if not found[iri]]) and self._reader.any(
            f"?e <{CLAIMS[0]}> ?p"
        ):
            claims = " ".join(f"<{name}>" for name in CLAIMS)
            read(bare, sorted(NAMING), f"VALUES ?c {{ {claims} }} ?e ?c ?x . ?e ?q ?l")
        for iri in iris:
            self._texts[iri] = tuple(
                (Text(text, language), alias) for (text, language), alias in found[iri].items()
            )


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


def _path_between(
    a: Iri, b: Iri, row: Sequence[Term | None], inverse: Sequence[bool]
) -> tuple[Triple, ...]:
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


def _number(term: Term | None) -> int:
    return int(term.text) if isinstance(term, Literal) and term.text.isdecimal() else 0


@dataclass
class _Use:
    """What sampled triples of a relation connect: its ends by class or datatype, and an example."""

    starts: Counter[str] = field(default_factory=Counter)
    ends: Counter[str] = field(default_factory=Counter)
    literal: bool = False
    example: Term | None = None


def _uses(reader: GraphReader, relations: Sequence[Iri]) -> dict[Iri, _Use]:
    """What each relation connects, whether its ends are mostly literals, and an example of the
    commonest kind of end, from sampled triples.
    """
    kind = "|".join(n3(one) for one in reader.typing)
    found: dict[Iri, _Use] = {}
    for begin in range(0, len(relations), _AT_ONCE):
        some = relations[begin : begin + _AT_ONCE]
        query = (
            f"SELECT ?p ?d ?r ?t (COUNT(*) AS ?n) (SAMPLE(?o) AS ?x) WHERE {{ {{ {_samples(some, _SAMPLE)} }} "
            f"OPTIONAL {{ ?s {kind} ?d }} OPTIONAL {{ ?o {kind} ?r }} BIND (DATATYPE(?o) AS ?t) }} GROUP BY ?p ?d ?r ?t"
        )
        kinds: dict[Iri, Counter[str]] = defaultdict(Counter)
        examples: dict[tuple[Iri, str], Term | None] = {}
        for p, d, r, t, n, x in sorted(reader.looked_up(query, 20_000).rows, key=str):
            if not isinstance(p, Iri):
                continue
            number = int(n.text) if isinstance(n, Literal) else 1
            use = found.setdefault(p, _Use())
            kinds[p][kind_of(x)] += number
            examples.setdefault((p, kind_of(x)), x)
            if d in reader.classes or (not reader.counted and isinstance(d, Iri)):
                use.starts[str(d)] += number
            if isinstance(t, Iri):
                use.ends[local_name(t)] += number
            elif r in reader.classes or (not reader.counted and isinstance(r, Iri)):
                use.ends[str(r)] += number
        for p, counts in kinds.items():
            things = counts["thing"]
            found[p].literal = sum(counts.values()) > 2 * things
            commonest = max(sorted(counts), key=lambda kind: counts[kind])
            found[p].example = examples[p, commonest]
    return found


def _starts(reader: GraphReader) -> dict[Iri, set[str]]:
    """The classes of what each relation starts from, by some things of each class: a sample of the
    relation's triples is often of one class alone.
    """
    found: dict[Iri, set[str]] = defaultdict(set)
    classes = [(cls, by) for cls, (by, number) in reader.classes.items() if number][:_DESCRIBED]
    for begin in range(0, len(classes), _AT_ONCE):
        some = " UNION ".join(
            f"{{ SELECT ({n3(cls)} AS ?c) ?s WHERE {{ ?s {n3(by)} {n3(cls)} }} LIMIT {_SAMPLE} }}"
            for cls, by in classes[begin : begin + _AT_ONCE]
        )
        query = f"SELECT DISTINCT ?c ?p WHERE {{ {{ {some} }} ?s ?p ?o }}"
        for cls, relation in reader.looked_up(query, 20_000).rows:
            if isinstance(relation, Iri):
                found[relation].add(str(cls))
    return found


def _by_size(ends: Iterable[str], sizes: Mapping[Iri, int]) -> tuple[str, ...]:
    return tuple(sorted(ends, key=lambda end: (-sizes.get(Iri(end), 0), end)))


def _main(ends: Counter[str]) -> tuple[str, ...]:
    total = sum(ends.values())
    ranked = sorted(ends.items(), key=lambda entry: (-entry[1], entry[0]))
    return tuple(end for end, number in ranked if number >= _SHARE * total)[:_ENDS]


def _inverses(reader: GraphReader, relations: Sequence[Iri]) -> dict[Iri, Iri]:
    """The inverse of each relation whose facts are stored in both directions."""
    found: dict[Iri, Iri] = {}
    for begin in range(0, len(relations), _AT_ONCE):
        some = relations[begin : begin + _AT_ONCE]
        query = (
            f"SELECT ?p ?q (COUNT(*) AS ?n) (COUNT(?q) AS ?m) WHERE {{ {{ {_samples(some, _PAIRS)} }} "
            "FILTER (isIRI(?o)) OPTIONAL { ?o ?q ?s } } GROUP BY ?p ?q"
        )
        total: Counter[Iri] = Counter()
        back: dict[Iri, Counter[Iri]] = defaultdict(Counter)
        for p, q, n, _ in reader.looked_up(query, 5000).rows:
            number = int(n.text) if isinstance(n, Literal) else 0
            if isinstance(p, Iri):
                total[p] += number
                if isinstance(q, Iri):
                    back[p][q] += number
        for p, others in back.items():
            best, number = min(others.items(), key=lambda entry: (-entry[1], entry[0]))
            if number >= 3 and number >= 0.8 * min(_PAIRS, total[p]):
                found[p] = best
    return found


def _samples(relations: Sequence[Iri], each: int) -> str:
    return " UNION ".join(
        f"{{ SELECT ({n3(iri)} AS ?p) ?s ?o WHERE {{ ?s {n3(iri)} ?o }} LIMIT {each} }}"
        for iri in relations
    )


def _prefixes(schema: Sequence[str], entities: Sequence[Term | None]) -> dict[str, str]:
    """Prefixes for the namespaces in use: the usual ones, otherwise the last word of the namespace."""
    places: Counter[str] = Counter()
    for iri in (*schema, *(str(one) for one in entities if isinstance(one, Iri))):
        cut = max(iri.rfind("#"), iri.rfind("/"))
        if cut > 0:
            places[iri[: cut + 1]] += 1
    usual = {namespace: prefix for prefix, namespace in PREFIXES.items()}
    found: dict[str, str] = {}
    for namespace, number in sorted(places.items(), key=lambda entry: (-entry[1], entry[0]))[:8]:
        if number < 3 and namespace not in usual:
            continue
        word = "".join(
            c
            for c in readable_name(local_name(namespace)).split(" ")[0].lower()
            if c.isascii() and c.isalnum()
        )
        prefix = usual.get(namespace) or (word if word[:1].isalpha() and len(word) <= 12 else "n")
        while prefix in found or (prefix in PREFIXES and PREFIXES[prefix] != namespace):
            prefix += str(len(found) + 1)
        found[prefix] = namespace
    return found


def kind_of(sample: Term | None) -> str:
    """ "number", "date", "text" or "thing", judging by one object of a relation.

    >>> kind_of(Literal("1908", datatype=f"{XSD}gYear")), kind_of(None)
    ('date', 'thing')
    """
    if not isinstance(sample, Literal):
        return "thing"
    if sample.datatype in _NUMBERS:
        return "number"
    return "date" if sample.datatype in _DATES else "text"


def of_values(triples: Sequence[Triple]) -> bool:
    """Whether the objects are numbers and dates alone, so that they can be sorted."""
    return {kind_of(triple[2]) for triple in triples} <= {"number", "date"}


def number_of(term: Term) -> float:
    """The value of a number; infinite if its text is none.

    >>> number_of(Literal("12", datatype=f"{XSD}integer")), number_of(Literal("many", datatype=f"{XSD}integer"))
    (12.0, inf)
    """
    try:
        return float(bare_text(term))
    except ValueError:
        return inf


def is_date(datatype: str | None) -> bool:
    """Whether a datatype is for dates or years."""
    return datatype in _DATES


def is_year(sample: Term | None) -> bool:
    """Whether a number looks like a year.

    >>> is_year(Literal("1908", datatype=f"{XSD}integer")), is_year(Literal("64", datatype=f"{XSD}integer"))
    (True, False)
    """
    return isinstance(sample, Literal) and re.fullmatch(r"1\d{3}|20\d{2}", sample.text) is not None

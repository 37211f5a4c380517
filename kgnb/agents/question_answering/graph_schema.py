"""The schema of a graph in practice: classes with counts, and what each relation connects.

It is read once per graph from bounded samples and cached. A model needs it to write queries.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kgnb.agents.question_answering.graph_reader import GraphReader
from kgnb.agents.question_answering.lexicon import is_relation
from kgnb.agents.question_answering.names import NAMING, local_name
from kgnb.errors import BackendError, DataError
from kgnb.kg.labels import readable_name
from kgnb.kg.prefixes import PREFIXES, shorten
from kgnb.kg.terms import OWL, RDF, RDFS, XSD, Iri, Literal, Term, n3

if TYPE_CHECKING:
    from kgnb.agents.question_answering.state import GraphContext

_AT_ONCE = 20  # relations sampled per query
_SAMPLE = 60  # triples per relation whose ends are classified
_PAIRS = 6  # triples per relation checked for an inverse
_SHARE = 0.15  # share of a relation's triples that a class needs to be listed at one end
_ENDS = 3  # classes listed at one end
_MOST = 3000  # relations described

_NUMBERS = frozenset(
    XSD + name
    for name in """integer decimal double float int long short byte nonNegativeInteger positiveInteger
    nonPositiveInteger
    negativeInteger unsignedInt unsignedLong unsignedShort unsignedByte""".split()  # noqa: SIM905
)
_DATES = frozenset(XSD + name for name in ("date", "dateTime", "gYear", "gYearMonth", "dateTimeStamp"))


@dataclass(frozen=True)
class ClassUse:
    """A class and the number of its instances."""

    iri: Iri
    name: str
    count: int = 0


@dataclass(frozen=True)
class RelationUse:
    """A relation as the graph uses it. ``ranges`` holds classes, or the names of datatypes for literals."""

    iri: Iri
    names: tuple[str, ...]
    count: int = 0
    domains: tuple[str, ...] = ()
    ranges: tuple[str, ...] = ()
    literal: bool = False
    example: Term | None = None
    inverse: Iri | None = None  # the relation that stores the same facts in the other direction


@dataclass(frozen=True)
class GraphSchema:
    """What a graph can be asked, and prefixes to abbreviate its IRIs."""

    classes: tuple[ClassUse, ...] = ()
    relations: tuple[RelationUse, ...] = ()
    typing: tuple[Iri, ...] = ()  # the relations from a thing to its class
    naming: tuple[str, ...] = ()  # the predicates for labels
    prefixes: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def iris(self) -> frozenset[str]:
        """Every class and relation, including those for types and names."""
        found = {*(str(one.iri) for one in self.classes), *(str(one.iri) for one in self.relations)}
        return frozenset({*found, *self.typing, *self.naming})

    def short(self, iri: str) -> str:
        """An IRI as written in a query: ``prefix:name`` if that can be parsed again, otherwise ``<...>``."""
        known = dict(self.prefixes)
        brief = shorten(iri, known)
        prefix, _, name = brief.partition(":")
        readable = brief != iri and (prefix in known or prefix in PREFIXES)
        # x:A.S._Roma is legal, but not every engine parses it
        return brief if readable and "." not in name else f"<{iri}>"


def graph_schema(context: GraphContext) -> GraphSchema:
    """The schema of the context's graph, read once."""
    if "schema" not in context.memo:
        context.memo["schema"] = _read(context)
    found = context.memo["schema"]
    assert isinstance(found, GraphSchema)
    return found


def _read(context: GraphContext) -> GraphSchema:
    from kgnb.agents.question_answering.link import directory_of  # circular import

    reader, directory = context.reader, directory_of(context)
    typing = directory.typing()
    counts = _class_counts(reader, typing)
    known = [*counts, *(iri for iri in directory.classes() if iri not in counts)]
    vocabulary = [entry for entry in reader.vocabulary() if is_relation(entry[0])]
    vocabulary = sorted(vocabulary, key=lambda entry: (-entry[1], entry[0]))
    notes = [f"{len(vocabulary) - _MOST} rarer relations are not described"] if len(vocabulary) > _MOST else []
    vocabulary = [entry for entry in vocabulary if entry[0] not in typing][:_MOST]
    reader.names.fetch([*known, *(iri for iri, _, _ in vocabulary)])
    uses = _uses(reader, [iri for iri, _, _ in vocabulary], typing, frozenset(known))
    inverses = _inverses(reader, [iri for iri, _, sample in vocabulary if isinstance(sample, Iri)])
    relations = []
    for iri, count, sample in vocabulary:
        domains, ranges, literal, example = uses.get(iri, ((), (), isinstance(sample, Literal), sample))
        names = reader.names.of(iri) or (iri,)
        relations.append(RelationUse(iri, names, count, domains, ranges, literal, example or sample, inverses.get(iri)))
    classes = tuple(ClassUse(iri, reader.names.label(iri), counts.get(iri, 0)) for iri in known)
    naming = tuple(str(iri) for iri, _, _ in reader.vocabulary() if iri in NAMING or iri in reader.own_naming())
    some = _rows(reader, "SELECT DISTINCT ?s WHERE { ?s ?p ?o FILTER (isIRI(?s)) } LIMIT 500", 500)
    entities = [row[0] for row in some]
    prefixes = _prefixes([*(one.iri for one in classes), *(one.iri for one in relations)], entities)
    return GraphSchema(classes, tuple(relations), typing, naming, prefixes, tuple(notes))


def _class_counts(reader: GraphReader, typing: Sequence[Iri]) -> dict[Iri, int]:
    found: dict[Iri, int] = {}
    for relation in typing:
        query = f"SELECT ?c (COUNT(?s) AS ?n) WHERE {{ ?s {n3(relation)} ?c }} GROUP BY ?c"
        for cls, number in _rows(reader, query, 5000):
            if isinstance(cls, Iri) and not cls.startswith((OWL, RDF, RDFS, XSD)):
                found[cls] = found.get(cls, 0) + (int(number.text) if isinstance(number, Literal) else 0)
    return dict(sorted(found.items(), key=lambda entry: (-entry[1], entry[0])))


Use = tuple[tuple[str, ...], tuple[str, ...], bool, Term | None]


def _uses(
    reader: GraphReader, relations: Sequence[Iri], typing: Sequence[Iri], classes: frozenset[str]
) -> dict[Iri, Use]:
    """Each relation's domains, ranges, whether its ends are mostly literals, and an example, from sampled triples."""
    kind = "|".join(n3(one) for one in typing)
    found: dict[Iri, Use] = {}
    for begin in range(0, len(relations), _AT_ONCE):
        some = relations[begin : begin + _AT_ONCE]
        query = (
            f"SELECT ?p ?d ?r ?t (COUNT(*) AS ?n) (SAMPLE(?o) AS ?x) WHERE {{ {{ {_samples(some, _SAMPLE)} }} "
            f"OPTIONAL {{ ?s {kind} ?d }} OPTIONAL {{ ?o {kind} ?r }} BIND (DATATYPE(?o) AS ?t) }} GROUP BY ?p ?d ?r ?t"
        )
        starts: dict[Iri, Counter[str]] = defaultdict(Counter)
        ends: dict[Iri, Counter[str]] = defaultdict(Counter)
        literal: Counter[Iri] = Counter()
        example: dict[Iri, Term | None] = {}
        for p, d, r, t, n, x in sorted(_rows(reader, query, 20_000), key=str):
            if not isinstance(p, Iri):
                continue
            number = int(n.text) if isinstance(n, Literal) else 1
            example.setdefault(p, x)
            if d in classes:
                starts[p][str(d)] += number
            if isinstance(t, Iri):
                literal[p] += number
                ends[p][local_name(t)] += number
            elif r in classes:
                ends[p][str(r)] += number
        for p in example:
            found[p] = (_main(starts[p]), _main(ends[p]), 2 * literal[p] > sum(ends[p].values()), example[p])
    return found


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
        for p, q, n, _ in _rows(reader, query, 5000):
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
        f"{{ SELECT ({n3(iri)} AS ?p) ?s ?o WHERE {{ ?s {n3(iri)} ?o }} LIMIT {each} }}" for iri in relations
    )


def _rows(reader: GraphReader, query: str, limit: int) -> Sequence[tuple[Term | None, ...]]:
    try:
        return reader.select(query, limit=limit).rows
    except (BackendError, DataError):  # the service is too slow: carry on with less of a schema
        return ()


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
            c for c in readable_name(local_name(namespace)).split(" ")[0].lower() if c.isascii() and c.isalnum()
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


def is_date(datatype: str | None) -> bool:
    """Whether a datatype is for dates or years."""
    return datatype in _DATES


def is_year(sample: Term | None) -> bool:
    """Whether a number looks like a year.

    >>> is_year(Literal("1908", datatype=f"{XSD}integer")), is_year(Literal("64", datatype=f"{XSD}integer"))
    (True, False)
    """
    return isinstance(sample, Literal) and re.fullmatch(r"1\d{3}|20\d{2}", sample.text) is not None

"""read_ontology: the entities of an ontology, read from any graph with a handful of queries."""

from __future__ import annotations

import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Literal as OneOf

from kgnb.errors import BackendError, DataError
from kgnb.kg import vocabulary as v
from kgnb.kg.graph import Graph
from kgnb.kg.labels import coded
from kgnb.kg.ontology import Entity, Kind, Ontology, Restriction, Text
from kgnb.kg.terms import OWL, RDFS, SKOS, XSD, Blank, Iri, Literal, Node, Term, local_name, n3

_ORDER: tuple[Kind, ...] = (
    "class",
    "object property",
    "datatype property",
    "annotation property",
    "individual",
)


def read_ontology(
    graph: Graph,
    *,
    name: str = "",
    individuals: bool = False,
    concepts: OneOf["alone", "beside"] = "alone",
) -> Ontology:
    """The ontology in a graph: its classes and properties, and on request its individuals.

    Terms of RDF, RDFS, OWL, XSD, SKOS and oboInOwl are left out, unless the graph is that
    vocabulary itself. Classes are declared as such or occur in ``rdfs:subClassOf``; the kind of a
    plain ``rdf:Property`` depends on its range. Named members of an equivalent intersection count
    as parents, of an equivalent union as children. The concepts of a SKOS vocabulary are read as
    classes, ``skos:broader`` as their parents, if it has no other classes than those of concepts;
    with ``concepts="beside"`` in any case. Order and digest do not depend on the order of files and
    the labels of blank nodes. ``owl:imports`` are listed, never followed.

    Raises DataError where a service cuts its answer short.
    """
    axioms = Axioms(graph, individuals=individuals)
    iri = _ontology_iri(axioms)
    built_in = tuple(ns for ns in v.BUILT_IN if not iri or ns.rstrip("#/") != iri.rstrip("#/"))
    reader = _Reader(axioms, built_in, beside=concepts == "beside")
    entities = reader.entities(individuals)
    codes = coded(entities)
    entities = tuple(
        replace(entity, coded=True) if entity.iri in codes else entity for entity in entities
    )
    content = json.dumps(entities, ensure_ascii=True, default=_plain)
    imports = {target for node in axioms.of for target in axioms.iris(node, v.IMPORTS)}
    return Ontology(
        name=name or graph.name,
        iri=iri,
        digest=hashlib.sha256(content.encode("ascii")).hexdigest(),
        entities=entities,
        imports=tuple(sorted(map(str, imports))),
        mended=tuple(getattr(graph, "mended", ())),  # stores remember what loading repaired
        prefixes=tuple(getattr(graph, "prefixes", ())),
    )


def _plain(value: Entity | Text | Restriction) -> list[object]:
    """A value's fields for JSON; dataclasses.asdict would take most of the reader's time."""
    return [[name, getattr(value, name)] for name in value.__slots__]


def _ontology_iri(axioms: Axioms) -> str:
    """The ontology's IRI; of several, the one that most terms start with."""
    declared = sorted(
        node
        for node in axioms.of
        if isinstance(node, Iri) and v.ONTOLOGY in axioms.get(node, v.TYPE)
    )
    if len(declared) < 2:
        return str(declared[0]) if declared else ""
    return str(
        max(
            declared,
            key=lambda iri: sum(isinstance(n, Iri) and n.startswith(iri) for n in axioms.of),
        )
    )


class _Reader:
    """Derives relations from the axioms once, then looks them up entity by entity."""

    def __init__(self, axioms: Axioms, built_in: tuple[str, ...], *, beside: bool) -> None:
        self.axioms = axioms
        self.built_in = built_in
        self.parents: defaultdict[str, set[str]] = defaultdict(set)
        self.equivalents: defaultdict[str, set[str]] = defaultdict(set)
        self.disjoint: defaultdict[str, set[str]] = defaultdict(set)
        self.inverse: defaultdict[str, set[str]] = defaultdict(set)
        self.restrictions: defaultdict[str, set[Restriction]] = defaultdict(set)
        self.guessed: set[Iri] = set()  # properties of no declared kind
        for node in list(axioms.of):
            self._relate(node)
        self.concepts = self._concepts(beside=beside)
        for concept in self.concepts:
            for wider in axioms.iris(concept, *v.WIDER):
                self._below(wider, concept)
            for closer in axioms.iris(concept, *v.CLOSER):
                self._below(concept, closer)
        self.children: defaultdict[str, set[str]] = defaultdict(set)
        for child, parents in self.parents.items():
            for parent in parents:
                self.children[parent].add(child)

    def entities(self, individuals: bool) -> tuple[Entity, ...]:
        """All entities, sorted by kind and IRI."""
        kinds = self._kinds()
        if individuals:
            for iri in self._individuals(kinds):
                kinds[iri] = {"individual"}
        found = [
            self._entity(Iri(iri), kind, kinds)
            for iri, several in kinds.items()
            for kind in several
        ]
        return tuple(sorted(found, key=lambda entity: (_ORDER.index(entity.kind), entity.iri)))

    def _relate(self, node: Node) -> None:
        """Note one node's relations, symmetric ones on both sides."""
        axioms = self.axioms
        known = axioms.of[node]
        if v.MEMBERS in known:  # AllDisjointClasses, AllDisjointProperties
            self._all_disjoint(
                member for head in known[v.MEMBERS] for member in axioms.list_members(head)
            )
        if isinstance(node, Blank):
            return
        for predicate in (v.SUBCLASS, v.SUBPROPERTY, v.EQUIVALENT_CLASS):
            for expression in known.get(predicate, ()):
                self._above(node, expression, stated_equal=predicate == v.EQUIVALENT_CLASS)
        for head in known.get(v.INTERSECTION, ()):  # often stated on the class itself in RDF/XML
            for member in axioms.list_members(head):
                self._above(node, member, stated_equal=False)
        for head in [*known.get(v.UNION, ()), *known.get(v.DISJOINT_UNION, ())]:
            for member in axioms.list_members(head):
                self._below(node, member)
        for head in known.get(v.DISJOINT_UNION, ()):
            self._all_disjoint(axioms.list_members(head))
        for predicates, relation in (
            (v.EQUIVALENTS, self.equivalents),
            (v.DISJOINTS, self.disjoint),
            ((v.INVERSE,), self.inverse),
        ):
            for other in axioms.iris(node, *predicates):
                if other != node or relation is self.inverse:
                    relation[node].add(str(other))
                    relation[other].add(str(node))

    def _above(self, node: Iri, expression: Term, *, stated_equal: bool) -> None:
        """Note a superclass expression; an equivalent named class is not a parent."""
        if stated_equal and isinstance(expression, Blank):
            for head in self.axioms.get(expression, v.UNION):
                for member in self.axioms.list_members(head):
                    self._below(node, member)
        for part in self.axioms.conjuncts(expression):
            if isinstance(part, Iri):
                if (
                    part != node
                    and not stated_equal | (part in v.TOPS)
                    or (stated_equal and part != expression)
                ):
                    self.parents[node].add(str(part))
            else:
                self.restrictions[node].update(self.axioms.restrictions(part))
                if isinstance(part, Blank):
                    complements = self.axioms.iris(part, f"{OWL}complementOf")
                    for other in complements:
                        self._all_disjoint([node, other])

    def _below(self, node: Iri, member: Term) -> None:
        if isinstance(member, Iri) and member != node and node not in v.TOPS:
            self.parents[member].add(str(node))

    def _all_disjoint(self, members: Iterable[Term]) -> None:
        named = {str(member) for member in members if isinstance(member, Iri)}
        for member in named:
            self.disjoint[member] |= named - {member}

    def _concepts(self, *, beside: bool) -> frozenset[Iri]:
        """The concepts of a SKOS vocabulary; none if it has other classes, unless they are wanted
        ``beside`` them.

        A concept is typed as one, or has a label and is in a scheme or above or below a concept.
        """
        axioms = self.axioms
        typed: set[Iri] = set()
        placed: set[Iri] = set()
        for node, known in axioms.of.items():
            if not isinstance(node, Iri):
                continue
            types = known.get(v.TYPE, ())
            if not beside and self._holds_others(node, types, known):
                return frozenset()
            if not axioms.concept_types.isdisjoint(map(str, types)):
                typed.add(node)
            relatives = axioms.iris(node, *v.WIDER, *v.CLOSER)
            placed.update(relatives, axioms.iris(node, v.TOP_CONCEPT))
            if relatives or any(predicate in known for predicate in v.IN_SCHEME):
                placed.add(node)
        labelled = {
            node
            for node in placed - typed
            if axioms.get(node, *v.LABELS) and not axioms.get(node, v.TYPE)
        }
        return frozenset(typed | labelled)

    def _holds_others(
        self, node: Iri, types: Iterable[Term], known: Mapping[str, list[Term]]
    ) -> bool:
        """Whether a node is a class of anything but concepts, their collections and schemes."""
        if not (v.SUBCLASS in known or any(v.KINDS.get(str(kind)) == "class" for kind in types)):
            return False
        if node in self.axioms.concept_types or self._is_built_in(node):
            return False
        return not any(
            str(above).startswith((SKOS, v.ISO_THES)) for above in known.get(v.SUBCLASS, ())
        )

    def _kinds(self) -> dict[str, set[Kind]]:
        """The kinds of each IRI that is a class or a property here."""
        kinds: defaultdict[str, set[Kind]] = defaultdict(set)
        for concept in sorted(self.concepts):
            kinds[concept].add("class")
        undecided: set[Iri] = set()
        datatypes: set[str] = set()
        for node in [node for node in self.axioms.of if isinstance(node, Iri)]:
            for kind in self.axioms.iris(node, v.TYPE):
                if kind in v.KINDS:
                    kinds[node].add(v.KINDS[kind])
                elif kind in v.BY_RANGE:
                    undecided.add(node)
                elif kind.endswith(("#Datatype", "#DataRange")):
                    datatypes.add(node)
        for subject in list(self.axioms.of):
            above = self.axioms.get(subject, v.SUBCLASS)
            for iri in (subject, *above) if above or self._defined(subject) else ():
                if isinstance(iri, Iri) and iri not in datatypes:
                    kinds[iri].add("class")
        for iri in sorted(undecided):
            if not kinds[iri] - {"class"}:
                kinds[iri].add(self._kind_by_range(iri, kinds, datatypes))
                self.guessed.add(iri)
        for several in kinds.values():
            if len(several - {"class"}) > 1:
                several.discard("annotation property")
        types = {kind for concept in self.concepts for kind in self.axioms.iris(concept, v.TYPE)}
        left_out = types & self.axioms.concept_types  # they only say that something is a concept
        return {
            iri: several
            for iri, several in kinds.items()
            if several and not self._is_built_in(iri) and iri not in left_out
        }

    def _defined(self, node: Node) -> bool:
        """Whether a node is equivalent to an anonymous class (not a data range), and thus a class,
        declared or not.
        """
        return any(
            isinstance(other, Blank) and f"{RDFS}Datatype" not in self.axioms.iris(other, v.TYPE)
            for other in self.axioms.get(node, v.EQUIVALENT_CLASS)
        )

    def _kind_by_range(self, iri: Iri, kinds: Mapping[str, set[Kind]], datatypes: set[str]) -> Kind:
        """A plain property's kind by its range, else its superproperty's, else annotation."""
        axioms = self.axioms
        if f"{OWL}InverseFunctionalProperty" in axioms.get(iri, v.TYPE) or axioms.get(
            iri, v.INVERSE
        ):
            return "object property"
        ranges = {m for r in axioms.get(iri, *v.RANGES) for m in axioms.members(r)}
        literal = {r for r in ranges if r.startswith(XSD) or r in v.DATATYPES or r in datatypes}
        if ranges:
            return "object property" if ranges - literal else "datatype property"
        inherited = {kind for above in self.parents.get(iri, ()) for kind in kinds.get(above, ())}
        if "object property" in inherited or "datatype property" in inherited:
            return "object property" if "object property" in inherited else "datatype property"
        return "annotation property"

    def _individuals(self, kinds: Mapping[str, set[Kind]]) -> list[str]:
        """Named instances of a class that are not classes, properties, ontologies or datatypes
        themselves.
        """
        found = []
        for node in self.axioms.of:
            types = self.axioms.iris(node, v.TYPE)
            own = [
                t
                for t in types
                if not t.startswith(v.BUILT_IN) or t == f"{OWL}NamedIndividual" or t in v.TOPS
            ]
            if isinstance(node, Iri) and own and node not in kinds and not self._is_built_in(node):
                found.append(str(node))
        return found

    def _is_built_in(self, iri: str) -> bool:
        return iri.startswith(self.built_in)

    def _entity(self, iri: Iri, kind: Kind, kinds: Mapping[str, set[Kind]]) -> Entity:
        axioms = self.axioms
        labels, names = self._texts(iri, v.LABELS), self._texts(iri, v.NAMES)
        spelled = labels or names or self._texts(iri, v.NOTATIONS)
        synonyms = {*self._texts(iri, v.SYNONYMS), *names} - spelled
        types = axioms.iris(iri, v.TYPE)
        is_class, is_individual = kind == "class", kind == "individual"
        is_property = not is_class and not is_individual
        relevant = {t for t in types if t != f"{OWL}NamedIndividual"} - v.TOPS

        def fitting(others: set[str]) -> tuple[str, ...]:
            """The related IRIs of this kind, since an IRI may be a class and a property at once."""
            mine = {"class"} if is_class else {kind} if is_individual else set(_ORDER[1:4])
            return tuple(sorted(o for o in others - v.TOPS if not kinds.get(o) or kinds[o] & mine))

        return Entity(
            iri=str(iri),
            kind=kind,
            labels=_sorted(spelled),
            synonyms=_sorted(synonyms),
            definitions=_sorted(self._texts(iri, v.DEFINITIONS)),
            comments=_sorted(self._texts(iri, v.COMMENTS)),
            parents=() if is_individual else fitting(self.parents[iri]),
            children=() if is_individual else fitting(self.children[iri]),
            equivalents=fitting(self.equivalents[iri]),
            disjoint=fitting(self.disjoint[iri]),
            restrictions=_in_order(self.restrictions[iri]) if is_class else (),
            domain=self._members(iri, v.DOMAINS) if is_property else (),
            range=self._members(iri, v.RANGES) if is_property else (),
            inverse=tuple(sorted(self.inverse[iri])) if is_property else (),
            types=tuple(sorted(map(str, relevant))) if is_individual else (),
            characteristics=tuple(
                sorted({v.CHARACTERISTICS[t] for t in types if t in v.CHARACTERISTICS})
            )
            if is_property
            else (),
            deprecated=self._deprecated(iri, types),
            declared=iri not in self.guessed,
            matches=tuple(sorted(set(map(str, axioms.iris(iri, v.EXACT_MATCH))) - {str(iri)})),
            concept=is_class and iri in self.concepts,
        )

    def _members(self, iri: Iri, predicates: Iterable[str]) -> tuple[str, ...]:
        found = {
            str(m)
            for value in self.axioms.get(iri, *predicates)
            for m in self.axioms.members(value)
        }
        return tuple(sorted(found - v.TOPS))

    def _texts(self, iri: Iri, role: object) -> set[Text]:
        """The texts an entity has in one role, including synonyms and definitions that are nodes
        with a label.
        """
        found: set[Text] = set()
        for predicate, values in self.axioms.of[iri].items():
            for value in values if self.axioms.roles.get(predicate) is role else ():
                texts = (
                    self.axioms.get(value, *v.TEXT_OF_NODE)
                    if isinstance(value, Iri | Blank)
                    else [value]
                )
                found |= {
                    Text(t.text.strip(), t.language)
                    for t in texts
                    if isinstance(t, Literal) and t.text.strip()
                }
        return found

    def _deprecated(self, iri: Iri, types: Iterable[Iri]) -> bool:
        stated = any(
            isinstance(t, Literal) and t.text in {"true", "1"}
            for t in self.axioms.get(iri, v.DEPRECATED)
        )
        return stated or any(
            t in {f"{OWL}DeprecatedClass", f"{OWL}DeprecatedProperty"} for t in types
        )


def _sorted(texts: Iterable[Text]) -> tuple[Text, ...]:
    return tuple(sorted(texts, key=lambda text: (text.language or "", text.text)))


def _in_order(restrictions: Iterable[Restriction]) -> tuple[Restriction, ...]:
    return tuple(
        sorted(restrictions, key=lambda r: (r.on, r.constraint, r.filler, r.cardinality or 0))
    )


class Axioms:
    """The axioms of a graph: ``self.of[subject][predicate]`` lists the objects, in a fixed order."""

    def __init__(self, graph: Graph, *, individuals: bool) -> None:
        """Fetch from ``graph``: with ``individuals`` every ``rdf:type``, else only those of schema
        terms.
        """
        named_graphs = _has_named_graphs(graph)
        self.roles = _roles(graph, named_graphs)
        self.of: defaultdict[Node, defaultdict[str, list[Term]]] = defaultdict(
            lambda: defaultdict(list)
        )
        wanted = sorted({*v.STRUCTURE, *self.roles, *v.TEXT_OF_NODE})
        self.concept_types = _concept_types(graph, named_graphs)
        types = "" if individuals else _values("o", sorted({*v.META_TYPES, *self.concept_types}))
        body = f"""
            {{ {_values("p", wanted)} {_anywhere("?s ?p ?o", named_graphs)} }}
            UNION {{ {_values("p", [v.TYPE])} {types} {_anywhere("?s ?p ?o", named_graphs)} }}"""
        found = graph.construct(f"CONSTRUCT {{ ?s ?p ?o }} WHERE {{ {body} }}")
        _refuse_cut(graph, len(found), body)
        for subject, predicate, value in found:
            self.of[subject][predicate].append(value)

    def get(self, subject: Node, *predicates: str) -> list[Term]:
        """The objects of these predicates."""
        known = self.of.get(subject)
        return (
            []
            if known is None
            else [value for predicate in predicates for value in known.get(predicate, ())]
        )

    def iris(self, subject: Node, *predicates: str) -> list[Iri]:
        """The objects of these predicates that are IRIs."""
        return [value for value in self.get(subject, *predicates) if isinstance(value, Iri)]

    def list_members(self, head: Term) -> list[Term]:
        """The members of an RDF list; a circular one ends where it began."""
        members: list[Term] = []
        seen: set[Term] = set()
        while isinstance(head, Iri | Blank) and head != v.NIL and head not in seen:
            seen.add(head)
            members += self.get(head, v.FIRST)[:1]
            head = next(iter(self.get(head, v.REST)), Iri(v.NIL))
        return members

    def members(self, expression: Term) -> list[Iri]:
        """The named classes and datatypes in an expression: itself, or the members of its unions
        and intersections.
        """
        walked = self._walk(expression, (v.UNION, v.INTERSECTION), set())
        return sorted({term for term in walked if isinstance(term, Iri)})

    def conjuncts(self, expression: Term) -> list[Term]:
        """The conjuncts of an expression: itself, or the members of its intersections, also nested
        ones.
        """
        return list(self._walk(expression, (v.INTERSECTION,), set()))

    def _walk(
        self, expression: Term, operators: Collection[str], seen: set[Term]
    ) -> Iterator[Term]:
        if expression in seen:
            return
        seen.add(expression)
        if isinstance(expression, Blank):
            lists = self.get(expression, *operators)
            datatypes = self.get(expression, v.ON_DATATYPE)
            for inner in [
                member for head in lists for member in self.list_members(head)
            ] + datatypes:
                yield from self._walk(inner, operators, seen)
            if lists or datatypes:
                return
        yield expression

    def restrictions(self, expression: Term) -> list[Restriction]:
        """The restrictions of an anonymous class; one for each member of a filler that is a union
        or intersection.
        """
        if not isinstance(expression, Blank):
            return []
        on = list(filter(None, map(self._property, self.get(expression, v.ON_PROPERTY))))
        found: list[Restriction] = []
        for predicate, values in self.of[expression].items():
            kind = v.CONSTRAINTS.get(predicate) or v.CARDINALITIES.get(predicate, "")
            for value in values if kind else ():
                number: int | None = None
                if predicate in v.CONSTRAINTS:
                    fillers = [""] if predicate.endswith("hasSelf") else self._fillers(value)
                elif isinstance(value, Literal) and value.text.strip().isdecimal():
                    classes = self.get(expression, *v.ON_FILLER)
                    fillers = self._fillers(classes[0]) if classes else [""]
                    number = int(value.text)
                else:
                    continue
                found += [Restriction(p, kind, filler, number) for p in on for filler in fillers]
        return found

    def _property(self, node: Term) -> str:
        if isinstance(node, Iri):
            return str(node)
        inverse = self.iris(node, v.INVERSE) if isinstance(node, Blank) else []
        return f"^{inverse[0]}" if inverse else ""

    def _fillers(self, value: Term) -> list[str]:
        if isinstance(value, Literal):
            return [value.text]
        return [str(iri) for iri in self.members(value)] or [""]


def _concept_types(graph: Graph, named_graphs: bool) -> frozenset[str]:
    """``skos:Concept`` and the classes below it: many thesauri have concept classes of their own."""
    pattern = _anywhere(f"?below <{v.SUBCLASS}> ?above", named_graphs)
    found = {v.CONCEPT}
    while True:
        below = graph.select(
            f"SELECT DISTINCT ?below WHERE {{ {_values('above', sorted(found))} {pattern} }}"
        )
        new = {str(row[0]) for row in below if isinstance(row[0], Iri)} - found
        if not new:
            return frozenset(found)
        found |= new


def _roles(graph: Graph, named_graphs: bool) -> dict[str, Collection[str]]:
    """Which annotation properties hold labels, synonyms, definitions and comments.

    Besides the known ones these are a file's own: their subproperties, and those whose name or
    label says so.
    """
    known = (v.LABELS, v.NAMES, v.NOTATIONS, v.SYNONYMS, v.DEFINITIONS, v.COMMENTS)
    roles: dict[str, Collection[str]] = {iri: group for group in known for iri in group}
    kinds = _values(
        "kind", sorted([*(k for k in v.KINDS if v.KINDS[k] == "annotation property"), *v.BY_RANGE])
    )
    pattern = f"?p <{v.TYPE}> ?kind"
    naming = _values("naming", [v.LABEL, f"{SKOS}prefLabel"])
    texts = f"OPTIONAL {{ {naming} {_anywhere('?p ?naming ?label', named_graphs)} }}"
    found = graph.select(
        f"SELECT DISTINCT ?p ?label WHERE {{ {kinds} {_anywhere(pattern, named_graphs)} {texts} }}"
    )
    candidates = sorted(
        {(str(row[0]), row[1]) for row in found if isinstance(row[0], Iri)}, key=repr
    )
    below = graph.select(
        f"SELECT DISTINCT ?p ?q WHERE {{ {_anywhere(f'?p <{v.SUBPROPERTY}> ?q', named_graphs)} }}"
    )
    above = sorted((str(p), str(q)) for p, q in below if isinstance(p, Iri) and isinstance(q, Iri))
    annotations = {iri for iri, _ in candidates}
    for _ in range(len(above)):
        new = {p: roles[q] for p, q in above if q in roles and p not in roles and p in annotations}
        if not new:
            break
        roles |= new
    for iri, label in candidates:
        for name in (local_name(iri), label.text if isinstance(label, Literal) else ""):
            group = v.NAMED_AS.get(re.sub(r"[\W_]+", "", name).lower())
            if group is not None:
                roles[iri] = group if iri not in roles or roles[iri] is v.COMMENTS else roles[iri]
    return roles


def _has_named_graphs(graph: Graph) -> bool:
    """Whether there are named graphs; a service that does not support GRAPH has none."""
    try:
        # of one graph on Virtuoso, GRAPH finds the others too
        return getattr(graph, "named_graphs", True) and graph.ask("ASK { GRAPH ?g { ?s ?p ?o } }")
    except (BackendError, DataError):
        return False


def _anywhere(pattern: str, named_graphs: bool) -> str:
    return (
        f"{{ {pattern} }} UNION {{ GRAPH ?g {{ {pattern} }} }}" if named_graphs else f"{pattern} ."
    )


def _values(variable: str, iris: Collection[str]) -> str:
    return f"VALUES ?{variable} {{ {' '.join(n3(Iri(iri)) for iri in iris)} }}"


def _refuse_cut(graph: Graph, count: int, body: str) -> None:
    """Raise DataError where a service sent fewer triples than it has; such limits are round
    numbers.
    """
    if count < 1000 or count % 100:
        return
    row = graph.select(
        f"SELECT (COUNT(*) AS ?n) WHERE {{ SELECT DISTINCT ?s ?p ?o WHERE {{ {body} }} }}"
    ).rows
    there = int(row[0][0].text) if row and isinstance(row[0][0], Literal) else count
    if there > count:
        raise DataError(
            f"the service sent {count:,} of the ontology's {there:,} triples",
            where=graph.name,
            fix="raise the service's limit on result rows, or load the ontology from its file",
        )

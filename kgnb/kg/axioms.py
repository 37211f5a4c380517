"""The triples of an ontology's axioms and texts, fetched with two questions and looked up by subject."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator

from kgnb.errors import BackendError, DataError
from kgnb.kg import vocabulary as v
from kgnb.kg.graph import Graph
from kgnb.kg.ontology import Restriction
from kgnb.kg.terms import SKOS, Blank, Iri, Literal, Term, n3

Node = Iri | Blank


class Axioms:
    """Looks up ``self.of[subject][predicate]``: the objects, in a fixed order."""

    def __init__(self, graph: Graph, *, individuals: bool) -> None:
        """Fetch from ``graph``; with ``individuals`` every ``rdf:type`` is fetched, else those of schema terms."""
        named_graphs = _has_named_graphs(graph)
        self.roles = _roles(graph, named_graphs)
        self.of: defaultdict[Node, defaultdict[str, list[Term]]] = defaultdict(lambda: defaultdict(list))
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
        return [] if known is None else [value for predicate in predicates for value in known.get(predicate, ())]

    def iris(self, subject: Node, *predicates: str) -> list[Iri]:
        """The objects of these predicates that are IRIs."""
        return [value for value in self.get(subject, *predicates) if isinstance(value, Iri)]

    def list_members(self, head: Term) -> list[Term]:
        """The members of an RDF list; a list that runs in a circle ends where it began."""
        members: list[Term] = []
        seen: set[Term] = set()
        while isinstance(head, Iri | Blank) and head != v.NIL and head not in seen:
            seen.add(head)
            members += self.get(head, v.FIRST)[:1]
            head = next(iter(self.get(head, v.REST)), Iri(v.NIL))
        return members

    def members(self, expression: Term, *, operators: Collection[str] = (v.UNION, v.INTERSECTION)) -> list[Iri]:
        """The named classes and datatypes an expression is made of: itself, or the members of its unions."""
        return sorted({term for term in self._walk(expression, operators, set()) if isinstance(term, Iri)})

    def conjuncts(self, expression: Term) -> list[Term]:
        """What must hold together: the expression itself, or the members of its intersections, nested ones too."""
        return list(self._walk(expression, (v.INTERSECTION,), set()))

    def _walk(self, expression: Term, operators: Collection[str], seen: set[Term]) -> Iterator[Term]:
        if expression in seen:
            return
        seen.add(expression)
        if isinstance(expression, Blank):
            lists = self.get(expression, *operators)
            datatypes = self.get(expression, v.ON_DATATYPE)
            for inner in [member for head in lists for member in self.list_members(head)] + datatypes:
                yield from self._walk(inner, operators, seen)
            if lists or datatypes:
                return
        yield expression

    def restrictions(self, expression: Term) -> list[Restriction]:
        """The restriction an anonymous class states; a union or intersection as filler gives one for each member."""
        if not isinstance(expression, Blank):
            return []
        on = [self._property(node) for node in self.get(expression, v.ON_PROPERTY)]
        found: list[Restriction] = []
        for predicate, values in self.of[expression].items():
            for value in values:
                if predicate in v.CONSTRAINTS:
                    fillers = [""] if predicate.endswith("hasSelf") else self._fillers(value)
                    found += [Restriction(p, v.CONSTRAINTS[predicate], filler) for p in on if p for filler in fillers]
                elif predicate in v.CARDINALITIES and isinstance(value, Literal) and value.text.strip().isdecimal():
                    classes = self.get(expression, *v.ON_FILLER)
                    fillers = self._fillers(classes[0]) if classes else [""]
                    number = int(value.text)
                    constraint = v.CARDINALITIES[predicate]
                    found += [Restriction(p, constraint, filler, number) for p in on if p for filler in fillers]
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
    """``skos:Concept`` and the classes below it: many thesauri type their concepts with a class of their own."""
    pattern = _anywhere(f"?below <{v.SUBCLASS}> ?above", named_graphs)
    found = {v.CONCEPT}
    while True:
        below = graph.select(f"SELECT DISTINCT ?below WHERE {{ {_values('above', sorted(found))} {pattern} }}")
        new = {str(row[0]) for row in below if isinstance(row[0], Iri)} - found
        if not new:
            return frozenset(found)
        found |= new


def _roles(graph: Graph, named_graphs: bool) -> dict[str, Collection[str]]:
    """Which annotation properties tell labels, synonyms, definitions and comments.

    To the known ones come a file's own: their subproperties, and those whose name or label says so.
    """
    known = (v.LABELS, v.NAMES, v.NOTATIONS, v.SYNONYMS, v.DEFINITIONS, v.COMMENTS)
    roles: dict[str, Collection[str]] = {iri: group for group in known for iri in group}
    kinds = _values("kind", sorted([*(k for k in v.KINDS if v.KINDS[k] == "annotation property"), *v.BY_RANGE]))
    pattern = f"?p <{v.TYPE}> ?kind"
    naming = _values("naming", [v.LABEL, f"{SKOS}prefLabel"])
    texts = f"OPTIONAL {{ {naming} {_anywhere('?p ?naming ?label', named_graphs)} }}"
    found = graph.select(f"SELECT DISTINCT ?p ?label WHERE {{ {kinds} {_anywhere(pattern, named_graphs)} {texts} }}")
    candidates = sorted({(str(row[0]), row[1]) for row in found if isinstance(row[0], Iri)}, key=repr)
    below = graph.select(f"SELECT DISTINCT ?p ?q WHERE {{ {_anywhere(f'?p <{v.SUBPROPERTY}> ?q', named_graphs)} }}")
    above = sorted((str(p), str(q)) for p, q in below if isinstance(p, Iri) and isinstance(q, Iri))
    annotations = {iri for iri, _ in candidates}
    for _ in range(len(above)):
        new = {p: roles[q] for p, q in above if q in roles and p not in roles and p in annotations}
        if not new:
            break
        roles |= new
    for iri, label in candidates:
        local = re.split(r"[#/:]", iri)[-1]
        for name in (local, label.text if isinstance(label, Literal) else ""):
            group = v.NAMED_AS.get(re.sub(r"[\W_]+", "", name).lower())
            if group is not None:
                roles[iri] = group if iri not in roles or roles[iri] is v.COMMENTS else roles[iri]
    return roles


def _has_named_graphs(graph: Graph) -> bool:
    """Whether there are named graphs; a service that knows no GRAPH has none."""
    try:
        return graph.ask("ASK { GRAPH ?g { ?s ?p ?o } }")
    except (BackendError, DataError):
        return False


def _anywhere(pattern: str, named_graphs: bool) -> str:
    return f"{{ {pattern} }} UNION {{ GRAPH ?g {{ {pattern} }} }}" if named_graphs else f"{pattern} ."


def _values(variable: str, iris: Collection[str]) -> str:
    return f"VALUES ?{variable} {{ {' '.join(n3(Iri(iri)) for iri in iris)} }}"


def _refuse_cut(graph: Graph, count: int, body: str) -> None:
    """Raise DataError where a service sent fewer triples than it has; such caps are round numbers."""
    if count < 1000 or count % 100:
        return
    row = graph.select(f"SELECT (COUNT(*) AS ?n) WHERE {{ SELECT DISTINCT ?s ?p ?o WHERE {{ {body} }} }}").rows
    there = int(row[0][0].text) if row and isinstance(row[0][0], Literal) else count
    if there > count:
        raise DataError(
            f"the service sent {count:,} of the ontology's {there:,} triples",
            where=graph.name,
            fix="raise the service's limit on result rows, or load the ontology from its file",
        )

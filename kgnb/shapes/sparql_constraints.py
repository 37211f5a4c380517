"""Constraints in SPARQL (SHACL, section 5) that can be judged as soon as a fact is added: those whose
solutions no further fact takes away.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice

from kgnb.errors import DataError
from kgnb.kg.oxigraph_graph import OxigraphGraph
from kgnb.kg.terms import Iri, Literal, Term, Triple
from kgnb.shapes.checking import ClassHierarchy
from kgnb.shapes.facts import Facts
from kgnb.shapes.shape import SH

_PASSING = re.compile(
    r"\b(?:exists|minus|optional|group|having|count|sum|min|max|avg|sample|group_concat|limit|"
    r"offset|service|graph|from)\b|\$PATH",
    re.IGNORECASE,
)
"""Words of queries whose solutions may pass when facts are added, or that need more than the facts."""
_STEPS = 2  # from a new fact to the entities that are judged
_MOST = 500  # entities so near, and values of one of them; what lies beyond is left to the end


@dataclass(frozen=True, slots=True)
class SparqlConstraint:
    """A query that finds, for a member ``$this`` of these classes, what breaks a shape."""

    shape: str
    classes: tuple[str, ...]
    query: str
    message: str

    def broken(self, graph: OxigraphGraph) -> dict[tuple[Iri, str], None]:
        """The entities that break it, each with what is wrong, in words."""
        found = graph.select(self.query)
        rows = (dict(zip(found.variables, row, strict=True)) for row in found.rows)
        said = ((row.get("this"), self._said(row)) for row in rows)
        return {(node, text): None for node, text in said if isinstance(node, Iri)}

    def _said(self, row: dict[str, Term | None]) -> str:
        def value(match: re.Match[str]) -> str:
            term = row.get(match[1])
            return match[0] if term is None else getattr(term, "text", str(term))

        return re.sub(r"\{[?$](\w+)\}", value, self.message)


def lasting_constraints(graph: Facts) -> tuple[SparqlConstraint, ...]:
    """The constraints in SPARQL of node shapes with a target class whose solutions stay."""
    found = []
    for shape, constraint in graph.pairs(f"{SH}sparql"):
        query, classes = (
            _text(graph, constraint, "select"),
            graph.objects(shape, f"{SH}targetClass"),
        )
        if not query or not classes or graph.objects(shape, f"{SH}path") or _PASSING.search(query):
            continue
        if any(graph.objects(one, f"{SH}deactivated") for one in (shape, constraint)):
            continue
        said = _text(graph, constraint, "message") or _text(graph, shape, "message")
        made = SparqlConstraint(
            str(shape),
            tuple(sorted(map(str, classes))),
            _prefixes(graph, constraint) + query,
            said or "a constraint in SPARQL does not hold",
        )
        try:
            made.broken(OxigraphGraph())
        except DataError:
            continue  # it is said at the end what is wrong with it
        found.append(made)
    return tuple(sorted(found, key=repr))


def _text(graph: Facts, node: Term, name: str) -> str:
    values = (one.text for one in graph.objects(node, f"{SH}{name}") if isinstance(one, Literal))
    return next(iter(sorted(values)), "")


def _prefixes(graph: Facts, constraint: Term) -> str:
    declared = chain.from_iterable(
        graph.objects(one, f"{SH}declare") for one in graph.objects(constraint, f"{SH}prefixes")
    )
    pairs = sorted(
        (_text(graph, one, "prefix"), _text(graph, one, "namespace")) for one in declared
    )
    return "".join(f"PREFIX {prefix}: <{namespace}>\n" for prefix, namespace in pairs)


def broken_in_sparql(
    constraints: Iterable[SparqlConstraint],
    hierarchy: ClassHierarchy,
    facts: Facts,
    added: Iterable[Triple],
) -> dict[tuple[SparqlConstraint, Iri, str], None]:
    """What the entities near new facts break, judged by the facts around them; what a part of the
    facts breaks, the whole breaks too.
    """
    near = dict.fromkeys(end for subject, _, value in added for end in (subject, value))
    for _ in range(_STEPS):
        for node in list(near)[:_MOST]:
            near |= dict.fromkeys(islice(facts.neighbours(node), _MOST))
    graph = OxigraphGraph()
    graph.add(chain.from_iterable(map(partial(_about, facts), near)))
    return {
        (constraint, node, said): None
        for constraint in constraints
        for node, said in constraint.broken(graph)
        if any(hierarchy.is_a(facts.types(node), node, iri) for iri in constraint.classes)
    }


def _about(facts: Facts, node: Term) -> Iterator[Triple]:
    for predicate, values in facts.about(node).items():
        for value in islice(values, _MOST):
            yield node, Iri(predicate), value  # type: ignore[misc]  # a literal has no facts

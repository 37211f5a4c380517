"""Shapes: what must hold of which nodes, in the vocabulary of SHACL Core, whether OWL or SHACL said so.

One form for every constraint, so that what the session checks, what ``shapes.ttl`` says and what a SHACL engine finds
cannot differ. Names of components are those of the SHACL parameters (``sh:minCount`` is ``minCount``).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from kgnb.kg.terms import RDF, Blank, Iri, Literal, Term

SH = "http://www.w3.org/ns/shacl#"
Node: TypeAlias = Iri | Blank | Literal

PER_VALUE = ("class", "datatype", "nodeKind", "in", "pattern", "languageIn", "minLength", "maxLength",
             "minInclusive", "maxInclusive", "minExclusive", "maxExclusive", "not", "and", "or", "xone", "node", "isA",
             "noneOf")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Path:
    """A property path: ``kind`` is iri, inverse, sequence, alternative, zeroOrMore, oneOrMore or zeroOrOne."""

    kind: str
    iri: str = ""
    parts: tuple[Path, ...] = ()

    def predicates(self) -> frozenset[str]:
        """Every property named in it."""
        return frozenset({self.iri}) if self.kind == "iri" else frozenset().union(*(p.predicates() for p in self.parts))

    def reach(self) -> int:
        """How many steps it leads away at most; a large number where there is no end."""
        if self.kind == "iri":
            return 1
        if self.kind in ("zeroOrMore", "oneOrMore"):
            return FAR
        steps = [part.reach() for part in self.parts]
        return min(FAR, sum(steps) if self.kind == "sequence" else max(steps, default=0))

    def text(self) -> str:
        """The path as SPARQL writes it, with whole IRIs; a plain property is its IRI."""
        marks = {"zeroOrMore": "*", "oneOrMore": "+", "zeroOrOne": "?"}
        if self.kind == "iri":
            return self.iri
        inner = [part.text() for part in self.parts]
        if self.kind == "inverse":
            return f"^{inner[0]}"
        if self.kind in marks:
            return f"({inner[0]}){marks[self.kind]}"
        return ("/" if self.kind == "sequence" else "|").join(inner)


FAR = 99


def one(iri: str) -> Path:
    """The path that is a single property."""
    return Path("iri", iri)


def inverse(path: Path) -> Path:
    """The path the other way round."""
    return path.parts[0] if path.kind == "inverse" else Path("inverse", parts=(path,))


def either(*paths: Path) -> Path:
    """Any of these paths."""
    return paths[0] if len(paths) == 1 else Path("alternative", parts=tuple(paths))


@dataclass(frozen=True, slots=True)
class Constraint:
    """One component with its parameter: a number, terms, shapes, properties or a text.

    Two components are ours, since the graph of facts does not hold the class hierarchy: ``isA`` (an instance of the
    class or of one below it, or a member of its enumeration) and ``noneOf`` (of none of these classes).
    """

    component: str
    terms: tuple[Term, ...] = ()  # in, hasValue, class, datatype, nodeKind, isA, noneOf, facets, ignoredProperties
    number: int = 0  # counts and lengths
    texts: tuple[str, ...] = ()  # pattern and its flags, languages, properties compared with
    shapes: tuple[Shape, ...] = ()  # not, and, or, xone, node, qualified...
    siblings: tuple[Shape, ...] = ()  # what qualified values must not be


@dataclass(frozen=True, slots=True)
class Shape:
    """Constraints on the nodes a path leads to, or on the focus node itself where there is none."""

    constraints: tuple[Constraint, ...] = ()
    path: Path | None = None
    properties: tuple[Shape, ...] = ()
    kind: str = ""  # what the constraint is called: range, max, disjoint, sh:minCount, ...
    about: str = ""  # IRI of the class or property whose axiom it is
    id: str = ""  # IRI of the shape; "" for a nested one
    reference: str = ""  # stands for the named shape of this IRI
    classes: tuple[str, ...] = ()  # targets
    nodes: tuple[Node, ...] = ()
    subjects_of: tuple[str, ...] = ()
    objects_of: tuple[str, ...] = ()
    late: bool = False  # looked at by missing and finish only
    severity: str = f"{SH}Violation"
    message: str = ""
    deactivated: bool = False

    def inner(self) -> Iterator[Shape]:
        """The shapes nested in it, one level down."""
        yield from self.properties
        for constraint in self.constraints:
            yield from constraint.shapes
            yield from constraint.siblings


TYPE = Iri(f"{RDF}type")


@dataclass(frozen=True, slots=True)
class Warned:
    """An axiom that the tools do not enforce, or not wholly."""

    kind: str  # property chain, complement, key, ...
    about: str  # IRI of the class or property
    text: str

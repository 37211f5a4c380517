"""Shapes: what must hold of which nodes, in the vocabulary of SHACL Core, whether OWL or SHACL
states it.

One form for every constraint, so that what the session checks, what ``shapes.ttl`` says and what a
SHACL engine finds cannot differ. Components are named like the SHACL parameters (``sh:minCount`` is
``minCount``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from kgnb.kg.terms import RDF, Iri, Term

SH = "http://www.w3.org/ns/shacl#"

PER_VALUE = (
    "class",
    "datatype",
    "nodeKind",
    "in",
    "pattern",
    "languageIn",
    "minLength",
    "maxLength",
    "minInclusive",
    "maxInclusive",
    "minExclusive",
    "maxExclusive",
    "not",
    "and",
    "or",
    "xone",
    "node",
    "isA",
    "noneOf",
)


@dataclass(frozen=True, slots=True)
class Path:
    """A property path: ``kind`` is iri, inverse, sequence, alternative, zeroOrMore, oneOrMore or
    zeroOrOne.
    """

    kind: str
    iri: str = ""
    parts: tuple[Path, ...] = ()

    def predicates(self) -> frozenset[str]:
        """Every property named in it."""
        return (
            frozenset({self.iri})
            if self.kind == "iri"
            else frozenset().union(*(p.predicates() for p in self.parts))
        )

    def reach(self) -> int:
        """The most steps it leads away; ``FAR`` where there is no limit."""
        if self.kind == "iri":
            return 1
        if self.kind in ("zeroOrMore", "oneOrMore"):
            return FAR
        steps = [part.reach() for part in self.parts]
        return min(FAR, sum(steps) if self.kind == "sequence" else max(steps, default=0))


FAR = 99


def one(iri: str) -> Path:
    """The path of a single property."""
    return Path("iri", iri)


def inverse(path: Path) -> Path:
    """The path in the other direction."""
    return path.parts[0] if path.kind == "inverse" else Path("inverse", parts=(path,))


def either(*paths: Path) -> Path:
    """Any of these paths."""
    return paths[0] if len(paths) == 1 else Path("alternative", parts=tuple(paths))


@dataclass(frozen=True, slots=True)
class Constraint:
    """One component with its parameter: a number, terms, shapes, properties or a text.

    Three components are not SHACL's. ``isA`` (an instance of the class or of one below it, or a
    member of its enumeration) and ``noneOf`` (of none of these classes) exist because the facts do
    not hold the class hierarchy. ``sameKey``: no other instance of the class shares a value of
    every path of ``shapes`` (OWL 2, section 9.5).
    """

    component: str
    terms: tuple[
        Term, ...
    ] = ()  # in, hasValue, class, datatype, nodeKind, isA, noneOf, facets, ignoredProperties
    number: int = 0  # counts and lengths
    texts: tuple[str, ...] = ()  # pattern and its flags, languages, properties compared with
    shapes: tuple[Shape, ...] = ()  # not, and, or, xone, node, qualified...
    siblings: tuple[Shape, ...] = ()  # what qualified values must not be


@dataclass(frozen=True, slots=True)
class Shape:
    """Constraints on the nodes a path leads to, or without a path on the focus node itself."""

    constraints: tuple[Constraint, ...] = ()
    path: Path | None = None
    properties: tuple[Shape, ...] = ()
    kind: str = ""  # range, max, disjoint, sh:minCount, ...
    about: str = ""  # IRI of the class or property whose axiom it is
    id: str = ""  # IRI of the shape; "" for a nested one
    reference: str = ""  # stands for the named shape of this IRI
    classes: tuple[str, ...] = ()  # targets
    nodes: tuple[Term, ...] = ()
    subjects_of: tuple[str, ...] = ()
    objects_of: tuple[str, ...] = ()
    late: bool = False  # checked by missing and finish only
    severity: str = f"{SH}Violation"
    message: str = ""
    deactivated: bool = False

    def parts(self) -> tuple[Shape, ...]:
        """The shape and its property shapes."""
        return (self, *self.properties)

    def asks(self) -> bool:
        """Whether it demands a minimum of values."""
        return any(
            c.component in ("minCount", "qualifiedMinCount") and c.number for c in self.constraints
        )


TYPE = Iri(f"{RDF}type")


@dataclass(frozen=True, slots=True)
class Warned:
    """An axiom that the tools do not, or only partly, enforce."""

    kind: str  # property chain, complement, key, ...
    about: str  # IRI of the class or property
    text: str


Reach: TypeAlias = tuple[str, bool, Path | None]
"""A property, whether it is followed forwards, and the path from its near end back to the focus
node.
"""

_ONLY_GROW = ("minCount", "hasValue", "qualifiedMinCount")
_DEEPEST = 12


def reaches(shape: Shape, named: Mapping[str, Shape]) -> Iterator[Reach]:
    """Every place where new facts could break a shape that held; not where facts can only make it
    hold.
    """
    yield from _of_shape(shape, named, None, True, 0)


def _of_shape(
    shape: Shape, named: Mapping[str, Shape], back: Path | None, positive: bool, depth: int
) -> Iterator[Reach]:
    if depth > _DEEPEST:
        return
    if shape.reference:
        if shape.reference in named:
            yield from _of_shape(named[shape.reference], named, back, positive, depth + 1)
        return
    matters = [c for c in shape.constraints if not positive or c.component not in _ONLY_GROW]
    here = back
    if shape.path is not None:
        here = _along(back, shape.path)
        if matters or shape.properties:
            yield from _steps(shape.path, back)
    for constraint in matters:
        yield from _of_constraint(constraint, named, here, back, positive, depth)
    for inner in shape.properties:
        yield from _of_shape(inner, named, here, positive, depth + 1)


def _of_constraint(
    constraint: Constraint,
    named: Mapping[str, Shape],
    here: Path | None,
    back: Path | None,
    positive: bool,
    depth: int,
) -> Iterator[Reach]:
    component = constraint.component
    if component in ("class", "isA"):
        if not positive:
            yield TYPE, True, here
    elif component == "noneOf":
        yield TYPE, True, here
    elif component in ("equals", "disjoint", "lessThan", "lessThanOrEquals"):
        yield constraint.texts[0], True, back
    inner_positive = positive and component in ("and", "or", "node")
    for inner in (*constraint.shapes, *constraint.siblings):
        yield from _of_shape(inner, named, here, inner_positive, depth + 1)


def _along(back: Path | None, path: Path) -> Path:
    """The path back from where a path leads."""
    home = inverse(path)
    return home if back is None else Path("sequence", parts=(home, back))


def _steps(path: Path, back: Path | None) -> Iterator[Reach]:
    """Each property a path follows, and the path back from the end it is followed from."""
    if path.kind == "iri":
        yield path.iri, True, back
    elif path.kind == "inverse":
        for iri, forward, home in _steps(path.parts[0], back):
            yield iri, not forward, home
    elif path.kind == "alternative":
        for part in path.parts:
            yield from _steps(part, back)
    elif path.kind == "sequence":
        for part in path.parts:
            yield from _steps(part, back)
            back = _along(back, part)
    else:
        again = inverse(Path("zeroOrMore", parts=path.parts))
        yield from _steps(
            path.parts[0], again if back is None else Path("sequence", parts=(again, back))
        )

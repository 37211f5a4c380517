"""From which nodes a new fact must be looked at: every place where a shape reaches for a property, and the way back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from kgnb.shapes.shape import TYPE, Constraint, Path, Shape, inverse

Reach: TypeAlias = tuple[str, bool, Path | None]
"""A property, whether it is followed forwards, and the path from its near end back to the focus node."""

_ONLY_GROW = ("minCount", "hasValue", "qualifiedMinCount")
_DEEPEST = 12


def reaches(shape: Shape, named: Mapping[str, Shape]) -> Iterator[Reach]:
    """Every place where new facts could break a shape that held; what facts can only mend is left out."""
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
    constraint: Constraint, named: Mapping[str, Shape], here: Path | None, back: Path | None, positive: bool, depth: int
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
    """The way back from where a path leads."""
    home = inverse(path)
    return home if back is None else Path("sequence", parts=(home, back))


def _steps(path: Path, back: Path | None) -> Iterator[Reach]:
    """Each property a path follows, and the way back from the end it is followed from."""
    if path.kind == "iri":
        yield path.iri, True, back
    elif path.kind == "inverse":
        for iri, forward, way in _steps(path.parts[0], back):
            yield iri, not forward, way
    elif path.kind == "alternative":
        for part in path.parts:
            yield from _steps(part, back)
    elif path.kind == "sequence":
        for part in path.parts:
            yield from _steps(part, back)
            back = _along(back, part)
    else:
        again = inverse(Path("zeroOrMore", parts=path.parts))
        yield from _steps(path.parts[0], again if back is None else Path("sequence", parts=(again, back)))

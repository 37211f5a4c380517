"""Classes that nothing can be one of, with the reason: what no person would want to find out at the last call."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from kgnb.kg import vocabulary as v
from kgnb.kg.terms import OWL, RDFS, Iri
from kgnb.shapes.shape import Shape
from kgnb.shapes.tbox import TBox

_ASKS = ("minCount", "qualifiedMinCount", "hasValue")
_TWO = "it lies below two disjoint classes, so nothing can be one"


def empty_classes(tbox: TBox, shapes: Iterable[Shape]) -> dict[str, str]:
    """Classes without a possible instance, and why.

    Those below ``owl:Nothing`` or below two disjoint classes; those that must have a property whose subjects or values
    are of a class disjoint with what they must be; those that must lead to one of these. Sound, not complete: a
    reasoner may find more.
    """
    listed = tuple(shapes)
    pairs = _Pairs(tbox, listed)
    bottom = {str(s) for s, o in tbox.facts.pairs(v.SUBCLASS) if str(o) == f"{OWL}Nothing"}
    found = {below: _TWO for iri in sorted(bottom) for below in sorted(tbox.below.get(iri, ()))}
    found |= dict.fromkeys(sorted(pairs.below_both()), _TWO)
    asked = [shape for shape in listed if shape.classes and shape.path is not None and _asks(shape)]
    while True:
        fresh = [(iri, why) for shape in asked for iri in shape.classes if iri not in found
                 if (why := _refused(tbox, shape, iri, pairs, found))]  # fmt: skip
        if not fresh:
            return dict(sorted(found.items()))
        for iri, why in fresh:
            found |= {below: why for below in sorted(tbox.below.get(iri, {iri})) if below not in found}


class _Pairs:
    """Disjoint classes, looked up."""

    def __init__(self, tbox: TBox, shapes: Iterable[Shape]) -> None:
        self.tbox = tbox
        self._others: dict[str, set[str]] = {}
        for shape in shapes:
            for other in shape.constraints[0].terms if shape.kind == "disjointWith" else ():
                self._others.setdefault(shape.about, set()).add(str(other))
                self._others.setdefault(str(other), set()).add(shape.about)

    def below_both(self) -> Iterator[str]:
        """Classes that lie below both of a pair."""
        for one, others in self._others.items():
            left = self.tbox.below.get(one, frozenset())
            for other in others:
                yield from left & self.tbox.below.get(other, frozenset())

    def apart(self, one: str, other: str) -> bool:
        """Whether nothing can be of both classes."""
        above = {other, *self.tbox.above(other)}
        return any(self._others.get(iri, set()) & above for iri in {one, *self.tbox.above(one)})


def _asks(shape: Shape) -> bool:
    """Whether a shape asks for a value at least."""
    return any(c.component in _ASKS and (c.number or c.component == "hasValue") for c in shape.constraints)


def _refused(tbox: TBox, shape: Shape, iri: str, pairs: _Pairs, empty: Mapping[str, str]) -> str:
    """Why no property that would do may be stated of the class; "" where one may."""
    path, why = shape.path, ""
    if path is None or path.kind not in ("iri", "alternative"):
        return ""
    fillers = [str(leaf.terms[0]) for c in shape.constraints if c.component == "qualifiedMinCount"
               for leaf in c.shapes[0].constraints if leaf.component == "isA"]  # fmt: skip
    if empty_filler := next((one for one in fillers if one in empty), ""):
        return f"it must lead to a {tbox.label(empty_filler)}, and nothing can be one"
    for predicate in sorted(path.predicates()):
        why = _clash(tbox, predicate, iri, fillers, pairs)
        if not why:
            return ""
    return why


def _clash(tbox: TBox, predicate: str, iri: str, fillers: list[str], pairs: _Pairs) -> str:
    """A domain or range of a property, or of one above it, that the class or what it must lead to cannot be of."""
    name = tbox.label(predicate)
    for above in [one for one in tbox.properties if predicate in tbox.subs(one)]:
        for domain in tbox.facts.objects(Iri(above), f"{RDFS}domain"):
            if isinstance(domain, Iri) and pairs.apart(iri, str(domain)):
                return f"it must have '{name}', whose subjects are a {tbox.label(str(domain))}, and nothing is both"
        for range_ in tbox.facts.objects(Iri(above), f"{RDFS}range"):
            for filler in fillers if isinstance(range_, Iri) else ():
                if pairs.apart(filler, str(range_)):
                    values = f"{tbox.label(filler)} by '{name}', whose values are a {tbox.label(str(range_))}"
                    return f"it must lead to a {values}, and nothing is both"
    return ""

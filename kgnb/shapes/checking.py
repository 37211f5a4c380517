"""Shapes checked against facts, as in SHACL Core: what does not hold, and whether added facts could
change that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, islice
from typing import TypeAlias

from kgnb.kg.regular_expressions import matches
from kgnb.kg.terms import RDFS, Blank, Iri, Literal, Term, Triple
from kgnb.shapes.datatypes import compare, conforms
from kgnb.shapes.facts import Facts
from kgnb.shapes.shape import PER_VALUE, SH, TYPE, Constraint, Path, Shape, inverse, reaches


@dataclass(frozen=True, slots=True)
class BrokenConstraint:
    """A constraint that does not hold: SHACL's validation result, and whether it can never hold
    again.
    """

    focus: Term
    shape: Shape
    constraint: Constraint
    value: Term | None
    final: bool  # no added facts can make it hold
    path: Path | None = None


Judged: TypeAlias = tuple[Shape, BrokenConstraint]
Fresh: TypeAlias = dict[Term, None]
"""The values a node has just been given, in order."""
Asked: TypeAlias = tuple[Shape, Constraint, frozenset[str]]
"""A shape with a path, the minimum it demands, and the properties of the path."""
Limit: TypeAlias = tuple[Path, int, frozenset[str]]
"""A path, how many values it may have, and its properties."""
Clash: TypeAlias = tuple[Shape, Shape, Constraint]
"""What cannot be had: the shape that demands it, its part with the path, and the constraint."""

_HANDED = 2  # steps that a demand is followed from neighbour to neighbour
_EFFORT = 5_000  # steps in search of one contradiction; the largest ontologies we know need 1,300
_ASKING = ("minCount", "qualifiedMinCount", "hasValue")
_MENDABLE = (*_ASKING, "equals")  # more facts can always make these hold
_OF_VALUES = ("isA", "class", "and", "node")
SUBCLASSES = Path("zeroOrMore", parts=(Path("iri", f"{RDFS}subClassOf"),))


def _of_target(shape: Shape, named: Mapping[str, Shape], depth: int = 0) -> Iterator[Shape]:
    """The shapes with a path that constrain the target itself: in property shapes, conjunctions and
    references.
    """
    if depth > 6:
        return
    if shape.reference:
        if shape.reference in named:
            yield from _of_target(named[shape.reference], named, depth + 1)
    elif shape.deactivated or shape.late:
        return
    elif shape.path is not None:
        yield shape
    else:
        conjuncts = (
            inner for c in shape.constraints if c.component in ("and", "node") for inner in c.shapes
        )
        for inner in (*shape.properties, *conjuncts):
            yield from _of_target(inner, named, depth + 1)


def _excluded(shapes: Iterable[Shape]) -> set[str]:
    """The classes that targets of these shapes are never instances of."""
    constraints = (
        c
        for shape in shapes
        if shape.path is None
        for c in shape.constraints
        if c.component == "noneOf"
    )
    return {str(term) for constraint in constraints for term in constraint.terms}


@dataclass(frozen=True, slots=True)
class ClassHierarchy:
    """Which classes lie below a class (itself among them), and which individuals are its enumerated
    members.
    """

    below: Mapping[str, frozenset[str]]
    members: Mapping[str, frozenset[str]]

    def is_a(self, types: Iterable[Term], node: Term, iri: str) -> bool:
        """Whether a node of these types is an instance of the class."""
        below = self.below.get(iri) or (iri,)
        return any(t in below for t in types) or node in self.members.get(iri, ())

    def above(self, classes: set[str]) -> set[str]:
        """These classes and the classes above them."""
        return classes | {iri for iri, below in self.below.items() if not below.isdisjoint(classes)}


class Checker:
    """Checks shapes against facts; knows which shapes a new fact may affect."""

    def __init__(
        self,
        shapes: Iterable[Shape],
        hierarchy: ClassHierarchy,
        named: Mapping[str, Shape] | None = None,
    ) -> None:
        self.hierarchy = hierarchy
        self.named = {shape.id: shape for shape in shapes if shape.id} | dict(named or {})
        self.shapes = tuple(shape for shape in shapes if not shape.deactivated)
        self._of_class: dict[str, list[Shape]] = {}
        self._subjects_of: dict[str, list[Shape]] = {}
        self._objects_of: dict[str, list[Shape]] = {}
        self._of_node: dict[Term, list[Shape]] = {}
        self._clashes: dict[frozenset[Term], Clash | None] = {}
        self._effort = 0
        self._demands: dict[int, tuple[list[Asked], list[Limit]]] = {}
        self._passed: dict[int, list[tuple[Path, Shape]]] = {}
        self._values: list[Shape] = []
        self._handing: set[str] = set()  # properties to whose values their subjects hand demands
        self._handing_back: set[str] = set()  # and those where it is the other way round
        self._needing: set[str] = set()  # properties that need values of a kind
        self._triggers: dict[str, dict[tuple[bool, Path | None], None]] = {}
        for shape in self.shapes:
            self._enter(shape)

    def apart(self, types: Iterable[Term], iri: str) -> bool:
        """Whether an instance of these classes can never be one of another class as well."""
        kinds, of_class = set(map(str, types)), self._of_class.get
        excluded = _excluded(shape for kind in kinds for shape in of_class(kind, ()))
        return not (
            excluded.isdisjoint(self.hierarchy.above({iri}))
            and _excluded(of_class(iri, ())).isdisjoint(self.hierarchy.above(kinds))
        )

    def _enter(self, shape: Shape) -> None:
        for iri in shape.classes:
            for below in sorted(
                self.hierarchy.below.get(iri, {iri})
            ):  # an order that is the same in every process
                self._of_class.setdefault(below, []).append(shape)
        for index, iris in (
            (self._subjects_of, shape.subjects_of),
            (self._objects_of, shape.objects_of),
        ):
            for iri in iris:
                index.setdefault(iri, []).append(shape)
        for node in shape.nodes:
            self._of_node.setdefault(node, []).append(shape)
        if not shape.late:
            for path, _ in self._handed(shape):
                (self._handing_back if path.kind == "inverse" else self._handing).update(
                    path.predicates()
                )
            for _, constraint, predicates in self._asking(shape)[0]:
                self._needing |= (
                    predicates if constraint.component == "qualifiedMinCount" else set()
                )
            for predicate, forward, back in reaches(shape, self.named):
                self._triggers.setdefault(predicate, {})[forward, back] = None

    # which shapes look at which nodes
    # ------------------------------------------------------------------------------

    def shapes_for(self, node: Term, facts: Facts) -> Iterable[Shape]:
        """The shapes a node is a target of, each once."""
        return {id(shape): shape for shape in self._targeting(node, facts)}.values()

    def _targeting(self, node: Term, facts: Facts) -> Iterator[Shape]:
        yield from self._of_node.get(node, ())
        for kind in facts.types(node):
            yield from self._of_class.get(kind, ()) if isinstance(kind, Iri) else ()
        if self._subjects_of:
            for predicate in facts.about(node):
                yield from self._subjects_of.get(predicate, ())
        if self._objects_of:
            for predicate in facts.pointing_at(node):
                yield from self._objects_of.get(predicate, ())

    def touched(self, triples: Iterable[Triple], facts: Facts) -> dict[Term, Fresh | None]:
        """The nodes whose results new facts may change; with each the new values to check, None for
        all.

        The object of a fact is checked only where the fact makes it a target, or shapes reach back
        over the property: a node that a thousand facts lead to is not checked again for each.
        """
        new = tuple(triples)
        found: dict[Term, Fresh | None] = {}
        for subject, predicate, value in new:
            known = found.setdefault(subject, {})
            if predicate == TYPE or self._becomes(
                self._subjects_of, predicate, facts.about(subject), new, 0, subject
            ):
                found[subject] = None
            elif known is not None:
                known[value] = None
            if self._becomes(self._objects_of, predicate, facts.pointing_at(value), new, 2, value):
                found[value] = None
            for forward, back in self._triggers.get(predicate, ()):
                start = subject if forward else value
                for focus in [start] if back is None else facts.follow(start, back):
                    if back is not None or not forward:
                        found[focus] = None
        return found

    @staticmethod
    def _becomes(
        targets: Mapping[str, list[Shape]],
        predicate: str,
        known: Mapping[str, Collection[Term]],
        new: tuple[Triple, ...],
        end: int,
        node: Term,
    ) -> bool:
        """Whether the new facts have made a node a target, by putting it at this end of a property."""
        if predicate not in targets:
            return False
        return len(known.get(predicate, ())) <= sum(
            one[1] == predicate and one[end] == node for one in new
        )

    def focus_nodes(self, facts: Facts) -> Iterator[Term]:
        """Every node that is a target of some shape, each once."""
        found: dict[Term, None] = dict.fromkeys(self._of_node)
        for iri in self._of_class:
            found |= dict.fromkeys(facts.subjects(Iri(iri), TYPE))
        for iri in self._subjects_of:
            found |= {subject: None for subject, _ in facts.pairs(iri)}
        for iri in self._objects_of:
            found |= {value: None for _, value in facts.pairs(iri)}
        return iter(found)

    # judging
    # ---------------------------------------------------------------------------------------------------------

    def everything(self, facts: Facts, nodes: Iterable[Term] | None = None) -> list[Judged]:
        """Everything that does not hold now, of every target or of these nodes, each with its
        shape.
        """
        wanted = self.focus_nodes(facts) if nodes is None else nodes
        return [
            (shape, found)
            for node in wanted
            for shape in self.shapes_for(node, facts)
            for found in self.judge(shape, node, facts)
        ]

    def at_once(self, facts: Facts, triples: Iterable[Triple]) -> list[Judged]:
        """What can never hold again, now that these facts have been added."""
        touched = self.touched(triples, facts)
        found = [
            (shape, one)
            for node, fresh in touched.items()
            for shape in self.shapes_for(node, facts)
            if not shape.late
            for one in self.judge(shape, node, facts, fresh=fresh, lasting=True)
            if one.final
        ]
        found += [
            judged
            for node in self._concerned(touched, facts)
            for judged in self._unreachable(node, facts)
        ]
        for node in dict.fromkeys(
            subject for subject, predicate, _ in triples if predicate == TYPE
        ):
            if clash := self.clash(*facts.types(node)):
                shape, inner, constraint = clash
                found.append(
                    (shape, BrokenConstraint(node, inner, constraint, None, True, inner.path))
                )
        return found

    def clash(self, *classes: Term) -> Clash | None:
        """What keeps anything from being an instance of all these classes, or None. Sound, not
        complete: the search ends after a bounded number of steps.
        """
        kinds = frozenset(classes)
        if kinds not in self._clashes:
            ordered = sorted(kinds, key=str)
            shapes = [shape for kind in ordered for shape in self._of_class.get(str(kind), ())]
            self._effort = _EFFORT
            self._clashes[kinds] = self._clash(shapes, ordered)
        return self._clashes[kinds]

    def _clash(
        self, shapes: Iterable[Shape], classes: Iterable[Term] = (), depth: int = 0
    ) -> Clash | None:
        """What an instance of these classes that fits these shapes must have and cannot: it would
        have to be of two disjoint classes, or have a value that would, or more values than it may.
        """
        left, seen, kinds = list(shapes), set[int](), list(classes)
        ends: list[
            tuple[Shape, Shape, frozenset[str]]
        ] = []  # shapes with a path, those that they are of, properties
        asked: list[tuple[Shape, Shape, Constraint, frozenset[str]]] = []
        for shape in left:  # it grows
            if id(shape) in seen or shape.late:
                continue
            seen.add(id(shape))
            for constraint in (
                shape.constraints if shape.path is None and not shape.deactivated else ()
            ):
                terms = [str(term) for term in constraint.terms]
                if constraint.component == "noneOf" and any(
                    self.hierarchy.is_a(kinds, Iri(""), iri) for iri in terms
                ):
                    return shape, shape, constraint
                if constraint.component in ("isA", "class"):
                    if self.apart(kinds, terms[0]):
                        return shape, shape, constraint
                    kinds.append(constraint.terms[0])
                    left += self._of_class.get(terms[0], ())
            for inner in _of_target(shape, self.named):
                predicates = (
                    inner.path.predicates()
                    if inner.path and inner.path.kind in ("iri", "alternative")
                    else ()
                )
                ends += [(shape, inner, frozenset(predicates))] if predicates else []
                for constraint in filter(_demands, inner.constraints if predicates else ()):
                    asked.append((shape, inner, constraint, frozenset(predicates)))
                    left += self._about_all(self._subjects_of, predicates)
        self._effort -= len(left)
        valued: dict[frozenset[str], list[Shape]] = {}
        for shape, inner, constraint, predicates in asked:
            if self._effort < 0:
                return None
            if constraint.component == "hasValue":
                same = {
                    c.terms[0]
                    for _, _, c, on in asked
                    if c.component == "hasValue" and on == predicates
                }
                if any(
                    c.component == "maxCount" and len(same) > c.number
                    for _, end, wider in ends
                    if predicates <= wider
                    for c in end.constraints
                ):
                    return shape, inner, constraint
                continue
            if predicates not in valued:
                self._effort -= len(ends)
                valued[predicates] = [
                    value
                    for _, end, wider in ends
                    if predicates <= wider and (value := _of_values(end)) is not None
                ]
            values = [*valued[predicates], *constraint.shapes]
            values += self._about_all(self._objects_of, predicates)
            if depth < _HANDED and self._clash(values, (), depth + 1):
                return shape, inner, constraint
        return None

    @staticmethod
    def _about_all(index: Mapping[str, list[Shape]], predicates: Iterable[str]) -> list[Shape]:
        """The shapes whose targets are at an end of each of the properties."""
        first, *others = sorted(predicates)
        return [
            shape
            for shape in index.get(first, ())
            if all(shape in index.get(one, ()) for one in others)
        ]

    def _concerned(self, touched: Iterable[Term], facts: Facts) -> dict[Term, None]:
        """The nodes whose demands the new facts may make impossible: the touched ones, the values
        they hand demands to, and the nodes that need them as values.
        """
        found = dict.fromkeys(touched)
        for node in list(found):
            for shape in self._bearing(node, facts):
                for path, _ in self._handed(shape):
                    found |= dict.fromkeys(facts.ends(node, path))
            for predicate, others in facts.pointing_at(node).items() if self._needing else ():
                found |= dict.fromkeys(others if predicate in self._needing else ())
        return found

    def _bearing(self, node: Term, facts: Facts, depth: int = 0) -> Iterator[Shape]:
        """The shapes that apply to a node: those it is a target of, and those that neighbours hand
        to their values.
        """
        yield from self.shapes_for(node, facts)
        for index, ends in (
            (self._handing, facts.pointing_at(node)),
            (self._handing_back, facts.about(node)),
        ):
            for predicate in ends if index and depth < _HANDED else ():
                for other in ends[predicate] if predicate in index else ():
                    for shape in self._bearing(other, facts, depth + 1):
                        yield from (
                            inner
                            for path, inner in self._handed(shape)
                            if node in facts.ends(other, path)
                        )

    def _unreachable(
        self, node: Term, facts: Facts, asked_of: Shape | None = None, depth: int = 0
    ) -> Iterator[Judged]:
        """What a node must have and no longer can, because it already has as many values as it may.

        Without this a legal fact would make the last call impossible: a functional property that
        must lead to a hut leads to a valley. ``asked_of`` is one more shape the node has to fit.
        """
        shapes = [*self._bearing(node, facts), *([asked_of] if asked_of else ())]
        limits = [limit for shape in shapes for limit in self._asking(shape)[1]]
        lacking: list[
            tuple[Shape, Asked]
        ] = []  # required values, several of which may share a limit
        for shape in shapes if limits else ():
            for asked in self._asking(shape)[0]:
                inner, constraint, predicates = asked
                assert inner.path is not None
                room = self._room(node, facts, limits, predicates)
                if room is None:
                    continue
                values = facts.ends(node, inner.path)
                if constraint.component == "hasValue":
                    if constraint.terms[0] not in values:
                        lacking.append((shape, asked))
                    continue
                wanted = constraint.shapes[:1]
                have = sum(
                    not self._lost(value, one, facts, depth) for one in wanted for value in values
                )
                if (have if wanted else len(values)) + room < constraint.number:
                    yield shape, BrokenConstraint(node, inner, constraint, None, True, inner.path)
        for shape, (inner, constraint, predicates) in lacking:
            for limit in (one for one in limits if predicates <= one[2]):
                needed = {
                    other.terms[0] for _, (_, other, narrower) in lacking if narrower <= limit[2]
                }
                if len(needed) > (self._room(node, facts, [limit], predicates) or 0):
                    yield shape, BrokenConstraint(node, inner, constraint, None, True, inner.path)
                    break

    def _lost(self, value: Term, wanted: Shape, facts: Facts, depth: int) -> bool:
        """Whether a value can never fit a shape."""
        return any(one.final for one in self.judge(wanted, value, facts, 1)) or (
            depth < _HANDED and any(self._unreachable(value, facts, wanted, depth + 1))
        )

    @staticmethod
    def _room(
        node: Term, facts: Facts, limits: Iterable[Limit], predicates: frozenset[str]
    ) -> int | None:
        """How many more values a node may have for these properties; None where there is no limit."""
        left = [
            most - len(facts.ends(node, path))
            for path, most, wider in limits
            if predicates <= wider
        ]
        return max(0, min(left)) if left else None

    def _asking(self, shape: Shape) -> tuple[list[Asked], list[Limit]]:
        """The minima that a shape demands of its target, and the maxima it allows."""
        known = self._demands.get(id(shape))
        if known is None:
            asked: list[Asked] = []
            limits: list[Limit] = []
            for inner in _of_target(shape, self.named):
                if inner.path is None or inner.path.kind not in ("iri", "alternative"):
                    continue
                predicates = inner.path.predicates()
                for constraint in inner.constraints:
                    if constraint.component == "maxCount":
                        limits.append((inner.path, constraint.number, predicates))
                    elif _demands(constraint):
                        asked.append((inner, constraint, predicates))
            known = self._demands[id(shape)] = (asked, limits)
        return known

    def _handed(self, shape: Shape, depth: int = 0) -> list[tuple[Path, Shape]]:
        """What a shape demands of the values of its target, with the path to them: only what can be
        added up.
        """
        known = self._passed.get(id(shape))
        if known is None:
            known = self._passed[id(shape)] = []
            for inner in _of_target(shape, self.named) if depth < _HANDED else ():
                nested = tuple(c for c in inner.constraints if c.component in ("and", "node"))
                if inner.path is not None and (nested or inner.properties):
                    value = Shape(nested, None, inner.properties, shape.kind, shape.about, shape.id)
                    self._values.append(value)  # kept alive: the caches go by id()
                    if any(self._asking(value)) or self._handed(value, depth + 1):
                        known.append((inner.path, value))
        return known

    def judge(
        self,
        shape: Shape,
        focus: Term,
        facts: Facts,
        depth: int = 0,
        fresh: Fresh | None = None,
        *,
        lasting: bool = False,
    ) -> list[BrokenConstraint]:
        """What does not hold of one node under one shape; checks only ``fresh`` values where that
        is enough.

        ``lasting`` skips what more facts could make hold.
        """
        if shape.reference:
            if depth > 40 or shape.reference not in self.named:
                return []  # a circular shape demands nothing (SHACL, section 3.4.3)
            return self.judge(self.named[shape.reference], focus, facts, depth + 1, lasting=lasting)
        if shape.deactivated:
            return []
        values: Collection[Term] = [focus] if shape.path is None else facts.ends(focus, shape.path)
        found: list[BrokenConstraint] = []
        new = fresh if shape.path is not None and shape.path.reach() == 1 else None
        checked = values if new is None else [value for value in new if value in values]
        for constraint in shape.constraints:
            if lasting and shape.path is not None and constraint.component in _MENDABLE:
                continue
            if constraint.component in PER_VALUE:
                for value in checked:
                    found += self._value(shape, constraint, focus, value, facts, depth)
            else:
                found += self._set(shape, constraint, focus, values, facts, depth, new)
        new = fresh if shape.path is None else None
        for inner in shape.properties:
            for value in values:
                found += self.judge(inner, value, facts, depth + 1, new, lasting=lasting)
        return found

    def _value(
        self,
        shape: Shape,
        constraint: Constraint,
        focus: Term,
        value: Term,
        facts: Facts,
        depth: int,
    ) -> list[BrokenConstraint]:
        """One value under one component; empty where it holds."""
        component = constraint.component
        if component in ("isA", "class"):
            fine = self._is_a(value, constraint, facts)
        elif component == "noneOf":
            types = facts.types(value)
            return [
                BrokenConstraint(focus, shape, Constraint("not", (iri,)), value, True, shape.path)
                for iri in constraint.terms
                if self.hierarchy.is_a(types, value, str(iri))
            ]
        elif component in ("not", "and", "or", "xone", "node"):
            return self._logical(shape, constraint, focus, value, facts, depth)
        else:
            fine = holds(constraint, value)
        return [] if fine else [BrokenConstraint(focus, shape, constraint, value, True, shape.path)]

    def _is_a(self, value: Term, constraint: Constraint, facts: Facts) -> bool:
        if isinstance(value, Literal):
            return False
        types, wanted = facts.types(value), constraint.terms[0]
        if self.hierarchy.is_a(types, value, str(wanted)):
            return True
        stated = constraint.component == "class"  # then the facts' own rdfs:subClassOf counts too
        return stated and any(wanted in facts.ends(kind, SUBCLASSES) for kind in types)

    def _logical(
        self,
        shape: Shape,
        constraint: Constraint,
        focus: Term,
        value: Term,
        facts: Facts,
        depth: int,
    ) -> list[BrokenConstraint]:
        judged = [self.judge(inner, value, facts, depth + 1) for inner in constraint.shapes]
        lost = [any(found.final for found in inner) for inner in judged]
        held = [inner for inner, found in zip(constraint.shapes, judged, strict=True) if not found]
        component = constraint.component
        if component == "not":
            fine, final = not held, self.grows(constraint.shapes[0])
        elif component in ("and", "node"):
            fine, final = len(held) == len(judged), any(lost)
        elif component == "or":
            fine, final = bool(held), all(lost)
        else:
            fine, final = len(held) == 1, sum(map(self.grows, held)) > 1 if held else all(lost)
        return (
            [] if fine else [BrokenConstraint(focus, shape, constraint, value, final, shape.path)]
        )

    def _set(
        self,
        shape: Shape,
        constraint: Constraint,
        focus: Term,
        values: Collection[Term],
        facts: Facts,
        depth: int,
        fresh: Fresh | None,
    ) -> list[BrokenConstraint]:
        component = constraint.component

        def found(
            value: Term | None = None, *, final: bool, path: Path | None = shape.path
        ) -> BrokenConstraint:
            return BrokenConstraint(focus, shape, constraint, value, final, path)

        if component == "minCount":
            return [found(final=False)] if len(values) < constraint.number else []
        if component == "maxCount":
            return [found(final=True)] if len(values) > constraint.number else []
        if component == "hasValue":
            return [] if constraint.terms[0] in values else [found(final=shape.path is None)]
        if component.startswith("qualified"):
            return self._qualified(found, constraint, values, facts, depth, fresh)
        if component == "closed":
            allowed = {*constraint.texts, *(str(term) for term in constraint.terms)}
            return [
                BrokenConstraint(value, shape, constraint, end, True, Path("iri", predicate))
                for value in values
                if isinstance(value, Iri | Blank)
                for predicate, ends in facts.about(value).items()
                if predicate not in allowed
                for end in ends
            ]
        if component == "uniqueLang":
            tags = Counter(
                v.language.lower() for v in values if isinstance(v, Literal) and v.language
            )
            return [found(final=True) for number in tags.values() if number > 1]
        if component == "sameKey":
            return [found(other, final=True) for other in self._sharing(constraint, focus, facts)]
        return [
            found(value, final=final) for value, final in compared(constraint, focus, values, facts)
        ]

    def _sharing(self, constraint: Constraint, focus: Term, facts: Facts) -> Iterator[Term]:
        """The other instances of a class that share a value of every property of its key with a
        node.
        """
        keys = [
            (one.path, facts.ends(focus, one.path))
            for one in constraint.shapes
            if one.path is not None
        ]

        def shared(key: tuple[Path, Collection[Term]]) -> Iterator[Collection[Term]]:
            return (facts.ends(value, inverse(key[0])) for value in key[1])

        fewest = min(
            keys, key=lambda key: sum(map(len, shared(key)))
        )  # all first steps, or all steps of one recipe
        for other in dict.fromkeys(chain.from_iterable(shared(fewest))):
            if (
                other != focus
                and self.hierarchy.is_a(facts.types(other), other, str(constraint.terms[0]))
                and all(
                    any(value in ends for value in facts.ends(other, path)) for path, ends in keys
                )
            ):
                yield other

    def _qualified(
        self,
        found: Callable[..., BrokenConstraint],
        constraint: Constraint,
        values: Collection[Term],
        facts: Facts,
        depth: int,
        fresh: Fresh | None,
    ) -> list[BrokenConstraint]:
        """Whether too few or too many values fit; checks only as many as needed."""
        inner, number = constraint.shapes[0], constraint.number

        def fits(value: Term) -> bool:
            return not self.judge(inner, value, facts, depth + 1) and all(
                self.judge(sibling, value, facts, depth + 1) for sibling in constraint.siblings
            )

        if constraint.component == "qualifiedMinCount":
            few = (
                len(values) < number
                or sum(1 for _ in islice(filter(fits, values), number)) < number
            )
            return [found(final=False)] if few else []
        if len(values) <= number or (
            fresh is not None and not any(fits(value) for value in fresh if value in values)
        ):
            return []
        final = self.grows(inner) and not constraint.siblings
        many = sum(1 for _ in islice(filter(fits, values), number + 1)) > number
        return [found(final=final)] if many else []

    def grows(self, shape: Shape, depth: int = 0) -> bool:
        """Whether a node that fits the shape will fit it whatever facts are added."""
        if shape.reference:
            return (
                depth < 40
                and shape.reference in self.named
                and self.grows(self.named[shape.reference], depth + 1)
            )
        if any(not self.grows(inner, depth + 1) for inner in shape.properties) or depth > 40:
            return False
        return all(self._grows(shape, constraint, depth) for constraint in shape.constraints)

    def _grows(self, shape: Shape, constraint: Constraint, depth: int) -> bool:
        component = constraint.component
        if component in ("minCount", "hasValue"):
            return True
        if (
            component == "not" and shape.path is None
        ):  # a negation holds for good where the negated has failed for good
            return all(
                inner.path is None
                and not inner.properties
                and not inner.reference
                and inner.constraints
                and all(c.component in ("disjoint", "noneOf") for c in inner.constraints)
                for inner in constraint.shapes
            )
        if component == "qualifiedMinCount":
            return not constraint.siblings and self.grows(constraint.shapes[0], depth + 1)
        if (
            component not in PER_VALUE
            or shape.path is not None
            or component in ("noneOf", "not", "xone")
        ):
            return False
        return all(self.grows(inner, depth + 1) for inner in constraint.shapes)


def _of_values(shape: Shape) -> Shape | None:
    """What a shape with a path says of its values, if anything."""
    said = tuple(c for c in shape.constraints if c.component in _OF_VALUES)
    return Shape(said, None, shape.properties) if said or shape.properties else None


def _demands(constraint: Constraint) -> bool:
    """Whether a component demands that there be values."""
    return constraint.component in _ASKING and (
        constraint.component == "hasValue" or constraint.number > 0
    )


# components that look at a value alone, or compare two properties of a node

_KINDS = {
    f"{SH}IRI": (Iri,),
    f"{SH}BlankNode": (Blank,),
    f"{SH}Literal": (Literal,),
    f"{SH}BlankNodeOrIRI": (Blank, Iri),
    f"{SH}BlankNodeOrLiteral": (Blank, Literal),
    f"{SH}IRIOrLiteral": (Iri, Literal),
}


def holds(constraint: Constraint, value: Term) -> bool:
    """Whether one value satisfies a component that needs nothing but the value (SHACL, sections 4.1
    to 4.4 and 4.8).
    """
    component = constraint.component
    if component == "datatype":
        return isinstance(value, Literal) and conforms(value, str(constraint.terms[0]))
    if component == "nodeKind":
        return isinstance(value, _KINDS.get(str(constraint.terms[0]), ()))
    if component == "in":
        return value in constraint.terms
    text = value.text if isinstance(value, Literal) else str(value)
    if component in ("minLength", "maxLength"):
        fine = (
            len(text) >= constraint.number
            if component == "minLength"
            else len(text) <= constraint.number
        )
        return fine and not isinstance(value, Blank)
    if component == "pattern":
        return (
            not isinstance(value, Blank)
            and matches(constraint.texts[0], text, *constraint.texts[1:2]) is True
        )
    if component == "languageIn":
        tag = (value.language or "").lower() if isinstance(value, Literal) else ""
        return any(
            tag == wanted or tag.startswith(f"{wanted}-")
            for wanted in map(str.lower, constraint.texts)
        )
    order = _order(value, constraint.terms[0])
    return order is not None and order in _BOUNDS[component]


_BOUNDS = {
    "minInclusive": (0, 1),
    "maxInclusive": (-1, 0),
    "minExclusive": (1,),
    "maxExclusive": (-1,),
}


def _order(one: Term, other: Term) -> int | None:
    return compare(one, other) if isinstance(one, Literal) and isinstance(other, Literal) else None


def compared(
    constraint: Constraint, focus: Term, values: Collection[Term], facts: Facts
) -> Iterator[tuple[Term, bool]]:
    """Values that do not compare with another property as they should, and whether that is final
    (section 4.5).
    """
    others = facts.ends(focus, Path("iri", constraint.texts[0]))
    component = constraint.component
    if component == "equals":
        yield from ((value, False) for value in values if value not in others)
        yield from ((value, False) for value in others if value not in values)
    elif component == "disjoint":
        few, many = (values, others) if len(values) <= len(others) else (others, values)
        yield from ((value, True) for value in few if value in many)
    else:
        for value in values:
            for other in others:
                if _order(value, other) not in ((-1,) if component == "lessThan" else (-1, 0)):
                    yield value, True

"""What does not hold: shapes judged over facts, as SHACL Core says, and whether more facts could still mend it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, islice
from typing import TypeAlias

from kgnb.kg.terms import Blank, Iri, Literal, Term, Triple
from kgnb.shapes.datatypes import compare, conforms
from kgnb.shapes.facts import Facts, is_node
from kgnb.shapes.shape import PER_VALUE, SH, TYPE, Constraint, Path, Shape, inverse, reaches


@dataclass(frozen=True, slots=True)
class Found:
    """A constraint that does not hold: SHACL's validation result, and whether it can never hold again."""

    focus: Term
    shape: Shape
    constraint: Constraint
    value: Term | None
    final: bool  # adding facts cannot mend it
    path: Path | None = None


Judged: TypeAlias = tuple[Shape, Found]
Fresh: TypeAlias = dict[Term, None]
"""The values a node was given just now, in order."""
_HANDED = 2  # steps that a demand is followed from neighbour to neighbour
_MENDABLE = ("minCount", "qualifiedMinCount", "hasValue", "equals")  # adding facts can always mend these


Asked: TypeAlias = tuple[Shape, Constraint, frozenset[str]]
"""A shape with a path, what it asks for at least, and the properties of the path."""
Clash: TypeAlias = tuple[Shape, Shape, Constraint]
"""What cannot be had: the shape that asks for it, its part with the path, and the constraint."""
_ASKING = ("minCount", "qualifiedMinCount", "hasValue")
_OF_VALUES = ("isA", "class", "and", "node")
Limit: TypeAlias = tuple[Path, int, frozenset[str]]
"""A path, how many values it may have, and its properties."""


def _of_target(shape: Shape, named: Mapping[str, Shape], depth: int = 0) -> Iterator[Shape]:
    """The shapes with a path that judge the target itself: nested in property shapes, conjunctions and references."""
    if depth > 6:
        return
    if shape.reference:
        if shape.reference in named:
            yield from _of_target(named[shape.reference], named, depth + 1)
        return
    if shape.deactivated or shape.late:
        return
    if shape.path is not None:
        yield shape
        return
    for inner in shape.properties:
        yield from _of_target(inner, named, depth + 1)
    for constraint in shape.constraints:
        if constraint.component in ("and", "node"):
            for inner in constraint.shapes:
                yield from _of_target(inner, named, depth + 1)


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """Which classes lie below a class (itself among them), and which individuals are its enumerated members."""

    below: Mapping[str, frozenset[str]]
    members: Mapping[str, frozenset[str]]

    def is_a(self, types: Iterable[Term], node: Term, iri: str) -> bool:
        """Whether a node of these types is an instance of the class."""
        below = self.below.get(iri)
        return (any(t in below for t in types) if below else any(t == iri for t in types)) or node in self.members.get(
            iri, ()
        )


class Checker:
    """Judges shapes over facts; knows which shapes a new fact may touch."""

    def __init__(self, shapes: Iterable[Shape], hierarchy: Hierarchy, named: Mapping[str, Shape] | None = None) -> None:
        self.hierarchy = hierarchy
        self.named = {shape.id: shape for shape in shapes if shape.id} | dict(named or {})
        self.shapes = tuple(shape for shape in shapes if not shape.deactivated)
        self._of_class: dict[str, list[Shape]] = {}
        self._subjects_of: dict[str, list[Shape]] = {}
        self._objects_of: dict[str, list[Shape]] = {}
        self._of_node: dict[Term, list[Shape]] = {}
        self._clashes: dict[frozenset[Term], Clash | None] = {}
        self._demands: dict[int, tuple[list[Asked], list[Limit]]] = {}
        self._passed: dict[int, list[tuple[Path, Shape]]] = {}
        self._values: list[Shape] = []
        self._handing: set[str] = set()  # properties whose values are asked for more by what leads to them
        self._handing_back: set[str] = set()  # and those where it is the other way round
        self._needing: set[str] = set()  # properties that need values of a kind
        self._triggers: dict[str, dict[tuple[bool, Path | None], None]] = {}
        for shape in self.shapes:
            self._enter(shape)

    def apart(self, types: Iterable[Term], iri: str) -> bool:
        """Whether what is of these classes can never be of another one as well."""
        above = {c for c, below in self.hierarchy.below.items() if iri in below} | {iri}
        for kind in types:
            for shape in self._of_class.get(str(kind), ()):
                for constraint in shape.constraints if shape.path is None else ():
                    if constraint.component == "noneOf" and above & set(map(str, constraint.terms)):
                        return True
        kinds = {str(kind) for kind in types}
        wider = kinds | {c for c, below in self.hierarchy.below.items() if kinds & below}
        return any(
            constraint.component == "noneOf" and wider & set(map(str, constraint.terms))
            for shape in self._of_class.get(iri, ()) if shape.path is None for constraint in shape.constraints
        )  # fmt: skip

    def _enter(self, shape: Shape) -> None:
        for iri in shape.classes:
            for below in sorted(self.hierarchy.below.get(iri, {iri})):  # an order that is the same in every process
                self._of_class.setdefault(below, []).append(shape)
        for index, iris in ((self._subjects_of, shape.subjects_of), (self._objects_of, shape.objects_of)):
            for iri in iris:
                index.setdefault(iri, []).append(shape)
        for node in shape.nodes:
            self._of_node.setdefault(node, []).append(shape)
        if not shape.late:
            for path, _ in self._handed(shape):
                (self._handing_back if path.kind == "inverse" else self._handing).update(path.predicates())
            for _, constraint, predicates in self._asking(shape)[0]:
                self._needing |= predicates if constraint.component == "qualifiedMinCount" else set()
            for predicate, forward, back in reaches(shape, self.named):
                self._triggers.setdefault(predicate, {})[forward, back] = None

    # which shapes look at which nodes ------------------------------------------------------------------------------

    def shapes_for(self, node: Term, facts: Facts) -> Iterator[Shape]:
        """The shapes a node is a target of, each once."""
        seen: set[int] = set()
        for shape in self._targeting(node, facts):
            if id(shape) not in seen:
                seen.add(id(shape))
                yield shape

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
        """The nodes whose judgement new facts may change; with each the new values to look at, None for all.

        What a fact leads to is looked at where shapes are about it for that, or reach back over the property: a node
        that a thousand facts lead to is not judged anew for each.
        """
        new = tuple(triples)
        found: dict[Term, Fresh | None] = {}
        for subject, predicate, value in new:
            known = found.setdefault(subject, {})
            if predicate == TYPE or self._becomes(self._subjects_of, predicate, facts.about(subject), new, 0, subject):
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
        targets: Mapping[str, list[Shape]], predicate: str, known: Mapping[str, Collection[Term]],
        new: tuple[Triple, ...], end: int, node: Term,
    ) -> bool:  # fmt: skip
        """Whether a node is a target of shapes since just now, for standing at this end of a property."""
        if predicate not in targets:
            return False
        return len(known.get(predicate, ())) <= sum(one[1] == predicate and one[end] == node for one in new)

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

    # judging ---------------------------------------------------------------------------------------------------------

    def everything(self, facts: Facts, nodes: Iterable[Term] | None = None) -> list[Judged]:
        """All that does not hold now, of every target or of these nodes, with the shape that says so."""
        wanted = self.focus_nodes(facts) if nodes is None else nodes
        return [(shape, found) for node in wanted for shape in self.shapes_for(node, facts)
                for found in self.judge(shape, node, facts)]  # fmt: skip

    def at_once(self, facts: Facts, triples: Iterable[Triple]) -> list[Judged]:
        """What can never hold again, now that these facts are there."""
        touched = self.touched(triples, facts)
        found = [(shape, one) for node, fresh in touched.items()
                 for shape in self.shapes_for(node, facts) if not shape.late
                 for one in self.judge(shape, node, facts, fresh=fresh, lasting=True) if one.final]  # fmt: skip
        found += [judged for node in self._concerned(touched, facts) for judged in self._unreachable(node, facts)]
        for node in dict.fromkeys(subject for subject, predicate, _ in triples if predicate == TYPE):
            if clash := self.clash(*facts.types(node)):
                shape, inner, constraint = clash
                found.append((shape, Found(node, inner, constraint, None, True, inner.path)))
        return found

    def clash(self, *classes: Term) -> Clash | None:
        """What keeps anything from being of all these classes; None where nothing is known to. Sound, not complete."""
        kinds = frozenset(classes)
        if kinds not in self._clashes:
            ordered = sorted(kinds, key=str)
            shapes = [shape for kind in ordered for shape in self._of_class.get(str(kind), ())]
            self._clashes[kinds] = self._clash(shapes, ordered)
        return self._clashes[kinds]

    def _clash(self, shapes: Iterable[Shape], classes: Iterable[Term] = (), depth: int = 0) -> Clash | None:
        """What must hold of whatever is of these classes and fits these shapes, and cannot: it would have to be of two
        disjoint classes, or have a value that would, or more values than it may."""
        left, seen, kinds = list(shapes), set[int](), list(classes)
        ends: list[tuple[Shape, Shape, frozenset[str]]] = []  # shapes with a path, those that they are of, properties
        asked: list[tuple[Shape, Shape, Constraint, frozenset[str]]] = []
        for shape in left:  # it grows
            if id(shape) in seen or shape.late:
                continue
            seen.add(id(shape))
            for constraint in shape.constraints if shape.path is None and not shape.deactivated else ():
                if constraint.component == "noneOf" and any(
                    self.hierarchy.is_a(kinds, Iri(""), str(other)) for other in constraint.terms
                ):
                    return shape, shape, constraint
                if constraint.component in ("isA", "class"):
                    if self.apart(kinds, str(constraint.terms[0])):
                        return shape, shape, constraint
                    kinds.append(constraint.terms[0])
                    left += self._of_class.get(str(constraint.terms[0]), ())
            for inner in _of_target(shape, self.named):
                predicates = inner.path.predicates() if inner.path and inner.path.kind in ("iri", "alternative") else ()
                ends += [(shape, inner, frozenset(predicates))] if predicates else []
                for constraint in inner.constraints if predicates else ():
                    if constraint.component in _ASKING and (constraint.number or constraint.component == "hasValue"):
                        asked.append((shape, inner, constraint, frozenset(predicates)))
                        left += self._about_all(self._subjects_of, predicates)
        for shape, inner, constraint, predicates in asked:
            if constraint.component == "hasValue":
                same = {c.terms[0] for _, _, c, on in asked if c.component == "hasValue" and on == predicates}
                if any(c.component == "maxCount" and len(same) > c.number for _, end, wider in ends
                       if predicates <= wider for c in end.constraints):  # fmt: skip
                    return shape, inner, constraint
                continue
            values = [Shape(tuple(c for c in end.constraints if c.component in _OF_VALUES), None, end.properties)
                      for _, end, wider in ends if predicates <= wider]  # fmt: skip
            values = [*(value for value in values if value.constraints or value.properties), *constraint.shapes]
            if depth < _HANDED and self._clash(
                [*values, *self._about_all(self._objects_of, predicates)], (), depth + 1
            ):
                return shape, inner, constraint
        return None

    @staticmethod
    def _about_all(index: Mapping[str, list[Shape]], predicates: Iterable[str]) -> list[Shape]:
        """The shapes that are about what stands at an end of each of the properties."""
        first, *others = sorted(predicates)
        return [shape for shape in index.get(first, ()) if all(shape in index.get(one, ()) for one in others)]

    def _concerned(self, touched: Iterable[Term], facts: Facts) -> dict[Term, None]:
        """The nodes whose demands new facts about others may put out of reach: their own, and what is asked of values
        by what leads to them, or what needs them as a value."""
        found = dict.fromkeys(touched)
        for node in list(found):
            for shape in self._bearing(node, facts):
                for path, _ in self._handed(shape):
                    found |= dict.fromkeys(facts.ends(node, path))
            for predicate, others in facts.pointing_at(node).items() if self._needing else ():
                found |= dict.fromkeys(others if predicate in self._needing else ())
        return found

    def _bearing(self, node: Term, facts: Facts, depth: int = 0) -> Iterator[Shape]:
        """The shapes a node is judged by: those it is a target of, and those that neighbours hand to their values."""
        yield from self.shapes_for(node, facts)
        for index, ends in ((self._handing, facts.pointing_at(node)), (self._handing_back, facts.about(node))):
            for predicate in ends if index and depth < _HANDED else ():
                for other in ends[predicate] if predicate in index else ():
                    for shape in self._bearing(other, facts, depth + 1):
                        yield from (inner for path, inner in self._handed(shape) if node in facts.ends(other, path))

    def _unreachable(self, node: Term, facts: Facts, asked_of: Shape | None = None, depth: int = 0) -> Iterator[Judged]:
        """What a node must have and can have no more, since as many values as are allowed are there already.

        Without this a legal fact makes the last call impossible: a functional property that must lead to a hut leads to
        a valley. ``asked_of`` is a shape the node has to fit besides.
        """
        shapes = [*self._bearing(node, facts), *([asked_of] if asked_of else ())]
        limits = [limit for shape in shapes for limit in self._asking(shape)[1]]
        lacking: list[tuple[Shape, Asked]] = []  # of values that it must have: several may share a limit
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
                if constraint.component == "minCount":
                    have, least = len(values), constraint.number
                else:
                    wanted = constraint.shapes[0]
                    have, least = 0, constraint.number
                    for value in values:
                        lost = any(one.final for one in self.judge(wanted, value, facts, 1))
                        have += not (
                            lost or depth < _HANDED and any(self._unreachable(value, facts, wanted, depth + 1))
                        )
                if have + room < least:
                    yield shape, Found(node, inner, constraint, None, True, inner.path)
        for shape, (inner, constraint, predicates) in lacking:
            for limit in (one for one in limits if predicates <= one[2]):
                needed = {other.terms[0] for _, (_, other, narrower) in lacking if narrower <= limit[2]}
                if len(needed) > (self._room(node, facts, [limit], predicates) or 0):
                    yield shape, Found(node, inner, constraint, None, True, inner.path)
                    break

    @staticmethod
    def _room(node: Term, facts: Facts, limits: Iterable[Limit], predicates: frozenset[str]) -> int | None:
        """How many more values a node may have for these properties; None where there is no limit."""
        left = [most - len(facts.ends(node, path)) for path, most, wider in limits if predicates <= wider]
        return max(0, min(left)) if left else None

    def _asking(self, shape: Shape) -> tuple[list[Asked], list[Limit]]:
        """What a shape asks of its target at least, and how many values it allows it at most."""
        known = self._demands.get(id(shape))
        if known is None:
            asked: list[Asked] = []
            limits: list[Limit] = []
            for inner in _of_target(shape, self.named):
                for constraint in inner.constraints:
                    if inner.path is None or inner.path.kind not in ("iri", "alternative"):
                        continue
                    if constraint.component == "maxCount":
                        limits.append((inner.path, constraint.number, inner.path.predicates()))
                    elif constraint.component == "hasValue" or (
                        constraint.component in ("minCount", "qualifiedMinCount") and constraint.number
                    ):
                        asked.append((inner, constraint, inner.path.predicates()))
            known = self._demands[id(shape)] = (asked, limits)
        return known

    def _handed(self, shape: Shape, depth: int = 0) -> list[tuple[Path, Shape]]:
        """What a shape asks of the values of its target, with the path to them: no more than can be added up."""
        known = self._passed.get(id(shape))
        if known is None:
            known = self._passed[id(shape)] = []
            for inner in _of_target(shape, self.named) if depth < _HANDED else ():
                nested = tuple(c for c in inner.constraints if c.component in ("and", "node"))
                if inner.path is not None and (nested or inner.properties):
                    value = Shape(nested, None, inner.properties, shape.kind, shape.about, shape.id)
                    self._values.append(value)  # kept, for what is known of a shape is found by its id()
                    if any(self._asking(value)) or self._handed(value, depth + 1):
                        known.append((inner.path, value))
        return known

    def judge(
        self, shape: Shape, focus: Term, facts: Facts, depth: int = 0, fresh: Fresh | None = None, *,
        lasting: bool = False,
    ) -> list[Found]:  # fmt: skip
        """What does not hold of one node under one shape; of its values only ``fresh`` ones where that is enough.

        ``lasting`` leaves out, unlooked at, what more facts could mend.
        """
        if shape.reference:
            if depth > 40 or shape.reference not in self.named:
                return []  # a shape that runs in a circle says nothing (SHACL, section 3.4.3)
            return self.judge(self.named[shape.reference], focus, facts, depth + 1, lasting=lasting)
        if shape.deactivated:
            return []
        values: Collection[Term] = [focus] if shape.path is None else facts.ends(focus, shape.path)
        found: list[Found] = []
        looked_at = values
        near = shape.path is not None and shape.path.reach() == 1
        if fresh is not None and near:
            looked_at = [value for value in fresh if value in values]
        for constraint in shape.constraints:
            if lasting and shape.path is not None and constraint.component in _MENDABLE:
                continue
            if constraint.component in PER_VALUE:
                for value in looked_at:
                    found += self._value(shape, constraint, focus, value, facts, depth)
            else:
                new = fresh if near else None
                found += self._set(shape, constraint, focus, values, facts, depth, new)
        for inner in shape.properties:
            for value in values:
                found += self.judge(
                    inner, value, facts, depth + 1, fresh if shape.path is None else None, lasting=lasting
                )
        return found

    def _value(
        self, shape: Shape, constraint: Constraint, focus: Term, value: Term, facts: Facts, depth: int
    ) -> list[Found]:
        """One value under one component; empty where it holds."""
        component = constraint.component
        if component == "isA" or component == "class":
            fine = self._is_a(value, constraint, facts)
        elif component == "noneOf":
            types = facts.types(value)
            return [
                Found(focus, shape, Constraint("not", (iri,)), value, True, shape.path)
                for iri in constraint.terms
                if self.hierarchy.is_a(types, value, str(iri))
            ]
        elif component in ("not", "and", "or", "xone", "node"):
            return self._logical(shape, constraint, focus, value, facts, depth)
        else:
            fine = holds(constraint, value)
        return [] if fine else [Found(focus, shape, constraint, value, True, shape.path)]

    def _is_a(self, value: Term, constraint: Constraint, facts: Facts) -> bool:
        if isinstance(value, Literal):
            return False
        types = facts.types(value)
        if constraint.component == "isA":
            return self.hierarchy.is_a(types, value, str(constraint.terms[0]))
        wanted = constraint.terms[0]  # sh:class: over what the facts themselves say of subclasses, too
        if self.hierarchy.is_a(types, value, str(wanted)):
            return True
        return any(wanted in facts.follow(kind, SUBCLASSES) for kind in types)

    def _logical(
        self, shape: Shape, constraint: Constraint, focus: Term, value: Term, facts: Facts, depth: int
    ) -> list[Found]:
        judged = [self.judge(inner, value, facts, depth + 1) for inner in constraint.shapes]
        lost = [any(found.final for found in inner) for inner in judged]
        held = [inner for inner, found in zip(constraint.shapes, judged, strict=True) if not found]
        component = constraint.component
        if component == "not":
            if not held:
                return []
            final = self.grows(constraint.shapes[0])
        elif component in ("and", "node"):
            if len(held) == len(judged):
                return []
            final = any(lost)
        elif component == "or":
            if held:
                return []
            final = all(lost)
        else:
            if len(held) == 1:
                return []
            final = all(lost) if not held else sum(map(self.grows, held)) > 1
        return [Found(focus, shape, constraint, value, final, shape.path)]

    def _set(
        self, shape: Shape, constraint: Constraint, focus: Term, values: Collection[Term], facts: Facts, depth: int,
        fresh: Fresh | None,
    ) -> list[Found]:  # fmt: skip
        component = constraint.component

        def found(value: Term | None = None, *, final: bool, path: Path | None = shape.path) -> Found:
            return Found(focus, shape, constraint, value, final, path)

        if component == "minCount":
            return [found(final=False)] if len(values) < constraint.number else []
        if component == "maxCount":
            return [found(final=True)] if len(values) > constraint.number else []
        if component == "hasValue":
            final = shape.path is None
            return [] if constraint.terms[0] in values else [found(final=final)]
        if component.startswith("qualified"):
            return self._qualified(found, constraint, values, facts, depth, fresh)
        if component == "closed":
            allowed = {*constraint.texts, *(str(term) for term in constraint.terms)}
            return [
                Found(value, shape, constraint, end, True, Path("iri", predicate))
                for value in values
                if is_node(value)
                for predicate, ends in facts.about(value).items()
                if predicate not in allowed
                for end in ends
            ]
        if component == "uniqueLang":
            tags = Counter(v.language.lower() for v in values if isinstance(v, Literal) and v.language)
            return [found(final=True) for number in tags.values() if number > 1]
        if component == "sameKey":
            return [found(other, final=True) for other in self._sharing(constraint, focus, facts)]
        return [found(value, final=final) for value, final in compared(constraint, focus, values, facts)]

    def _sharing(self, constraint: Constraint, focus: Term, facts: Facts) -> Iterator[Term]:
        """The other members of a class that have a value of every property of its key in common with a node."""
        keys = [(one.path, facts.ends(focus, one.path)) for one in constraint.shapes if one.path is not None]

        def shared(key: tuple[Path, Collection[Term]]) -> Iterator[Collection[Term]]:
            return (facts.ends(value, inverse(key[0])) for value in key[1])

        fewest = min(keys, key=lambda key: sum(map(len, shared(key))))  # all first steps there are, or all of a recipe
        for other in dict.fromkeys(chain.from_iterable(shared(fewest))):
            if other != focus and self.hierarchy.is_a(facts.types(other), other, str(constraint.terms[0])) and all(
                any(value in ends for value in facts.ends(other, path)) for path, ends in keys
            ):  # fmt: skip
                yield other

    def _qualified(
        self, found: Callable[..., Found], constraint: Constraint, values: Collection[Term], facts: Facts, depth: int,
        fresh: Fresh | None,
    ) -> list[Found]:  # fmt: skip
        """Whether too few or too many values fit; no more are looked at than decide it."""
        inner, number = constraint.shapes[0], constraint.number

        def fits(value: Term) -> bool:
            return not self.judge(inner, value, facts, depth + 1) and all(
                self.judge(sibling, value, facts, depth + 1) for sibling in constraint.siblings
            )

        if constraint.component == "qualifiedMinCount":
            few = len(values) < number or sum(1 for _ in islice(filter(fits, values), number)) < number
            return [found(final=False)] if few else []
        if len(values) <= number or (fresh is not None and not any(fits(value) for value in fresh if value in values)):
            return []
        final = self.grows(inner) and not constraint.siblings
        many = sum(1 for _ in islice(filter(fits, values), number + 1)) > number
        return [found(final=final)] if many else []

    def grows(self, shape: Shape, depth: int = 0) -> bool:
        """Whether a node that fits the shape fits it for good, whatever facts are added."""
        if shape.reference:
            return depth < 40 and shape.reference in self.named and self.grows(self.named[shape.reference], depth + 1)
        if any(not self.grows(inner, depth + 1) for inner in shape.properties) or depth > 40:
            return False
        return all(self._grows(shape, constraint, depth) for constraint in shape.constraints)

    def _grows(self, shape: Shape, constraint: Constraint, depth: int) -> bool:
        component = constraint.component
        if component in ("minCount", "hasValue"):
            return True
        if component == "not" and shape.path is None:  # what has failed for good makes its negation hold for good
            return all(
                inner.path is None and not inner.properties and not inner.reference and inner.constraints
                and all(c.component in ("disjoint", "noneOf") for c in inner.constraints)
                for inner in constraint.shapes
            )  # fmt: skip
        if component == "qualifiedMinCount":
            return not constraint.siblings and self.grows(constraint.shapes[0], depth + 1)
        if component not in PER_VALUE or shape.path is not None or component in ("noneOf", "not", "xone"):
            return False
        return all(self.grows(inner, depth + 1) for inner in constraint.shapes)


SUBCLASSES = Path("zeroOrMore", parts=(Path("iri", "http://www.w3.org/2000/01/rdf-schema#subClassOf"),))


# components that look at a value alone, or compare two properties of a node

_KINDS = {
    f"{SH}IRI": (Iri,), f"{SH}BlankNode": (Blank,), f"{SH}Literal": (Literal,), f"{SH}BlankNodeOrIRI": (Blank, Iri),
    f"{SH}BlankNodeOrLiteral": (Blank, Literal), f"{SH}IRIOrLiteral": (Iri, Literal),
}  # fmt: skip


def holds(constraint: Constraint, value: Term) -> bool:
    """Whether one value keeps a component that needs nothing but the value (SHACL, sections 4.1 to 4.4 and 4.8)."""
    component = constraint.component
    if component == "datatype":
        return isinstance(value, Literal) and conforms(value, str(constraint.terms[0]))
    if component == "nodeKind":
        return isinstance(value, _KINDS.get(str(constraint.terms[0]), ()))
    if component == "in":
        return value in constraint.terms
    if component in ("minLength", "maxLength"):
        if isinstance(value, Blank):
            return False
        length = len(_text(value))
        return length >= constraint.number if component == "minLength" else length <= constraint.number
    if component == "pattern":
        return not isinstance(value, Blank) and _pattern(*constraint.texts[:2]).search(_text(value)) is not None
    if component == "languageIn":
        tag = (value.language or "").lower() if isinstance(value, Literal) else ""
        return any(tag == wanted or tag.startswith(f"{wanted}-") for wanted in map(str.lower, constraint.texts))
    bound = constraint.terms[0]
    order = compare(value, bound) if isinstance(value, Literal) and isinstance(bound, Literal) else None
    if order is None:
        return False
    kept = {
        "minInclusive": order >= 0,
        "maxInclusive": order <= 0,
        "minExclusive": order > 0,
        "maxExclusive": order < 0,
    }
    return kept[component]


def compared(
    constraint: Constraint, focus: Term, values: Collection[Term], facts: Facts
) -> Iterator[tuple[Term, bool]]:
    """Values that do not compare with another property as they should, and whether that is final (section 4.5)."""
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
                order = compare(value, other) if isinstance(value, Literal) and isinstance(other, Literal) else None
                if order is None or order > 0 or (order == 0 and component == "lessThan"):
                    yield value, True


def _text(value: Term) -> str:
    return value.text if isinstance(value, Literal) else str(value)


@lru_cache(maxsize=1024)
def _pattern(pattern: str, flags: str = "") -> re.Pattern[str]:
    """The regular expression of XPath as Python's: the two agree on all but rare classes."""
    known = {"i": re.IGNORECASE, "s": re.DOTALL, "m": re.MULTILINE, "x": re.VERBOSE}
    bits = 0
    for flag in flags:
        bits |= known.get(flag, 0)
    return re.compile(re.escape(pattern) if "q" in flags else pattern, bits)


def legal_pattern(pattern: str, flags: str = "") -> bool:
    """Whether Python can read a regular expression."""
    try:
        _pattern(pattern, flags)
    except re.error:
        return False
    return True

"""Cases against each kind of constraint: what leads up to the mistake, the mistake, and its legal twin."""

from collections.abc import Iterator
from itertools import islice
from string import ascii_lowercase
from typing import Any

from kgnb.kg.terms import Iri, Literal
from kgnb.shapes.checking import holds
from kgnb.shapes.datatypes import NUMBERS, literal_of
from kgnb.shapes.shape import Constraint, Shape
from tests.conformance.planted_facts import (
    AT_FINISH,
    FEW,
    PAIRED,
    Case,
    counts_back,
    facts_about,
    fresh,
    holders,
    made_class,
    predicates,
)
from tests.conformance.planted_pairs import (
    demands,
    disjoint_properties,
    incomplete,
    inverse_functional,
    no_way_back,
    paired,
    same_language,
    unfit,
)
from tests.conformance.samples import Call, Samples, Worded, _classes, _flat, json_of, making, near

_TEXTS = ("!?", "no such value", "7", "a 7", " a", "a ", "A", "a", "é", "two\nlines")
"""Texts of many forms: some of them do not match a pattern, or are not on a list."""
_LETTERS = "BCDEFGHIJKLMNOPQRSTUVWXYZ"
_NAMES = (
    *_LETTERS,
    *(f"{letter}{ascii_lowercase[at % 26] * (2 + at // 26)}" for at, letter in enumerate(_LETTERS * 2)),
)


def cases(make: Samples, chain: tuple[Shape, ...], constraint: Constraint) -> Iterator[Case]:
    """Cases against one constraint, which stands in the last of these nested shapes; the likeliest first."""
    shape, inner, component = chain[0], chain[-1], constraint.component
    if shape.kind == "domain":
        yield from _domain(make, shape)
    elif shape.kind == "disjointWith":
        yield from _disjoint_classes(make, shape, constraint)
    elif shape.kind == "unit":
        yield from _unit(make, shape)
    elif shape.kind in ("asymmetric", "irreflexive"):
        yield from no_way_back(make, shape)
    elif shape.kind == "propertyDisjointWith":
        yield from disjoint_properties(make, shape, constraint)
    elif shape.kind == "inverseFunctional":
        yield from inverse_functional(make, shape)
    elif component == "not" and inner.path is None:
        yield from _complement(make, shape, constraint)
    elif shape.late or (inner.path is None and component == "or"):
        yield from _union(make, shape, constraint)
    elif component in AT_FINISH and inner.path is not None:
        yield from _at_least(make, chain, constraint)
    elif component in ("maxCount", "qualifiedMaxCount") and inner.path is not None:
        yield from _at_most(make, chain, constraint)
    elif inner.path is not None and inner.path.kind == "sequence":
        yield from _number(make, shape, constraint)
    elif component in PAIRED and inner.path is not None:
        yield from paired(make, chain, constraint)
    elif component == "uniqueLang" and inner.path is not None:
        yield from same_language(make, chain)
    elif component == "node" and inner.path is not None and demands(make, constraint):
        yield from incomplete(make, chain, constraint)
        yield from unfit(make, chain, constraint)
        yield from _value(make, chain, constraint)
    elif inner.path is not None:
        yield from _value(make, chain, constraint)
    elif shape.kind == "oneOf":
        yield from _listed(make, shape)


def _domain(make: Samples, shape: Shape) -> Iterator[Case]:
    for predicate in predicates(shape):
        for holder in islice(make.subjects(predicate, "A"), FEW):
            for calls, call in islice(facts_about(make, predicate, holder, "B"), 3):
                for wrong in islice(make.other(tuple(_classes(shape)), "W"), FEW):
                    bad = (call[0], {**call[1], "subject": wrong[1]})
                    yield Case((*holder[0], *wrong[0], *calls), (bad,), (call,))


def _value(make: Samples, chain: tuple[Shape, ...], constraint: Constraint) -> Iterator[Case]:
    """A value of the wrong class, datatype, size or form."""
    inner = chain[-1]
    for predicate in predicates(inner):
        for holder in holders(make, chain, predicate):
            for calls, call in islice(facts_about(make, predicate, holder, "B", (inner,)), 4):
                for more, bad in islice(_wrong(make, predicate, holder[1], constraint, inner), FEW):
                    yield Case((*holder[0], *calls, *more), (bad,), (call,))


def _wrong(
    make: Samples, predicate: str, subject: str, constraint: Constraint, inner: Shape
) -> Iterator[tuple[tuple[Call, ...], Call]]:
    """Values that break a constraint on a property."""
    classes = tuple(_classes(Shape((constraint,))))
    said: list[Any] = []
    for leaf in _flat(Shape((constraint,))):
        if leaf.component == "datatype":
            kind = str(leaf.terms[0])
            said += [v for v in ("no such value", 7, True, 1.5) if literal_of(v, [kind]) is None]
        elif "clusive" in leaf.component and isinstance(leaf.terms[0], Literal):
            kinds = [str(c.terms[0]) for c in inner.constraints if c.component == "datatype"]
            said += [json_of(v) for v in near(leaf.terms[0], kinds)]
        elif leaf.component == "maxLength":
            said.append("x" * (leaf.number + 1))
        elif leaf.component == "minLength":
            said.append("x" * max(1, leaf.number - 1))
        elif leaf.component in ("in", "pattern", "languageIn"):
            yield from _unlisted(make, predicate, subject, leaf)
            said += [Worded("words", tag) for tag in ("zz", "en") if leaf.component == "languageIn"
                     and not holds(leaf, Literal("words", tag))]  # fmt: skip
            said += [text for text in _TEXTS if not holds(leaf, Literal(text))]
            numbers = [t for t in leaf.terms if isinstance(t, Literal) and t.datatype in NUMBERS]
            said = [-987654321] if numbers else said
    if constraint.component == "noneOf" or constraint.component == "not":
        for term in [*constraint.terms, *(Iri(c) for s in constraint.shapes for c in _classes(s))]:
            for calls, iri in islice(make.entity(str(term), "W"), 3):
                call = make.add(predicate, subject, iri, entity=True)
                yield from [(calls, call)] if call else []
    if any(leaf.component == "nodeKind" for leaf in _flat(Shape((constraint,)))):
        return  # every literal is a literal, and the tool takes nothing else
    for calls, iri in islice(make.other(classes, "W"), FEW) if classes or not said else ():
        call = make.add(predicate, subject, iri, entity=True)
        if call is not None:
            yield calls, call
    for value in said:
        call = make.add(predicate, subject, value, entity=False) or make.add(predicate, subject, value, entity=True)
        if call is not None:
            yield (), call


def _unlisted(make: Samples, predicate: str, subject: str, leaf: Constraint) -> Iterator[tuple[tuple[Call, ...], Call]]:
    """The ontology's own individuals that are like those of a list and not on it."""
    known = make.pack.tbox.individuals
    kinds = {kind for term in leaf.terms for kind in known.get(str(term), ())}
    for iri, own in known.items():
        if own & kinds and Iri(iri) not in leaf.terms:
            call = make.add(predicate, subject, iri, entity=True)
            if call is not None:
                yield (), call


def _at_most(make: Samples, chain: tuple[Shape, ...], constraint: Constraint) -> Iterator[Case]:
    """One value more than there may be."""
    back = counts_back(chain[-1])
    for predicate in predicates(chain[-1]):
        for holder in holders(make, chain, predicate):
            setup: list[Call] = list(holder[0])
            calls: list[Call] = []
            for name in _NAMES[: constraint.number + 1]:
                kind = made_class(holder, make)
                asked = make.demanded(predicate, kind) if not (calls or back) else []  # or it could never be there
                wanted = [*constraint.shapes, *asked, *(make.ranges(predicate, kind) if asked else ())]
                fitting = make.values(wanted, name) if wanted and not back else None
                found = fresh(make, predicate, holder, name, calls, fitting, backwards=back)
                if found is None:
                    break
                setup += found[0]
                calls.append(found[1])
            if len(calls) == constraint.number + 1:
                legal = tuple(calls[: constraint.number]) or (("missing", {}),)
                yield Case(tuple(setup), tuple(calls), legal)


def _at_least(make: Samples, chain: tuple[Shape, ...], constraint: Constraint) -> Iterator[Case]:
    """Stopping before what is required is there."""
    needed, back = constraint.number or 1, counts_back(chain[-1])
    for predicate in predicates(chain[-1]):
        for holder in holders(make, chain, predicate):
            setup, calls = list(holder[0]), list[Call]()
            for name in [f"B{at}" for at in range(min(needed, 60))]:
                wanted = constraint.shapes or (Shape((constraint,)),)
                ranges = make.ranges(predicate, made_class(holder, make))
                fitting = None if back else make.values((*wanted, *ranges), name)
                found = fresh(make, predicate, holder, name, calls, fitting, backwards=back)
                if found is None:
                    break
                setup += found[0]
                calls.append(found[1])
            if len(calls) == needed:
                yield Case(tuple(setup), (), tuple(calls), focus=holder[1])


def _disjoint_classes(make: Samples, shape: Shape, constraint: Constraint) -> Iterator[Case]:
    for iri in shape.classes:
        for first in islice(make.entity(iri, "A"), FEW):
            for other in constraint.terms[:3]:
                for calls, _ in islice(make.entity(str(other), "A"), FEW):
                    if calls:
                        bad = (making(calls)[0], {**making(calls)[1], "entity": first[1]})
                        yield Case(first[0], (bad,), calls)


def _union(make: Samples, shape: Shape, constraint: Constraint) -> Iterator[Case]:
    """An instance of a class that is none of the classes it is made of."""
    for iri in shape.classes:
        for holder in islice(make.entity(iri, "A"), 3):
            outside = [  # what it must be so that no complement in the union lets it pass
                (making(calls)[0], {**making(calls)[1], "entity": holder[1]})
                for inner in constraint.shapes for leaf in inner.constraints if leaf.component == "not"
                for part in islice(_classes(leaf.shapes[0]), 1)
                for calls, _ in islice(make.entity(part, "A"), 1) if calls
            ]  # fmt: skip
            for part in islice(_classes(Shape((constraint,))), 12):
                for calls, _ in islice(make.entity(part, "A"), 3):
                    if calls:
                        mend = (making(calls)[0], {**making(calls)[1], "entity": holder[1]})
                        yield Case((*holder[0], *outside), (), (mend,), focus=holder[1])


def _complement(make: Samples, shape: Shape, constraint: Constraint) -> Iterator[Case]:
    """An entity that becomes what it must not be: by a class of its own, or by a fact."""
    inner = constraint.shapes[0]
    for iri in shape.classes:
        for holder in islice(make.entity(iri, "A"), 3):
            for part in islice(_classes(inner), FEW):
                for calls, _ in islice(make.entity(part, "A"), 3):
                    if calls:
                        yield Case(holder[0], ((making(calls)[0], {**making(calls)[1], "entity": holder[1]}),), calls)
            for leaf in inner.constraints:
                if leaf.component == "disjoint":  # it must lead to itself
                    itself = make.add(leaf.texts[0], holder[1], holder[1], entity=True)
                    yield from [Case(holder[0], (), (itself,), focus=holder[1])] if itself else []
            for nested in inner.properties:
                for predicate in predicates(nested):
                    wanted = [Shape(c.shapes[0].constraints) for c in nested.constraints if c.shapes]
                    for calls, value in islice(make.values(wanted, "B", predicate), 3):
                        bad = make.add(predicate, holder[1], value, entity=True)
                        avoided = [c for s in wanted for c in _classes(s)]
                        for more, other in islice(make.other(avoided, "C"), FEW):
                            fine = make.add(predicate, holder[1], other, entity=True)
                            if bad and fine:
                                yield Case((*holder[0], *calls, *more), (bad,), (fine,))


def _unit(make: Samples, shape: Shape) -> Iterator[Case]:
    for tool in make.pack.of_kind("create"):
        if tool.term in shape.classes:
            units = next((p.choices for p in tool.parameters if p.kind == "unit"), ())
            if units:
                fine = {"value": 12, "unit": units[0][0]}
                yield Case((), ((tool.name, {**fine, "unit": "cubits per fortnight"}),), ((tool.name, fine),))


def _number(make: Samples, shape: Shape, constraint: Constraint) -> Iterator[Case]:
    """A bound on the number of a quantity, which is told as the quantity is made."""
    bounds = [term for term in constraint.terms if isinstance(term, Literal) and term.datatype in NUMBERS]
    for tool in make.pack.of_kind("create") if "clusive" in constraint.component else ():
        units = next((p.choices for p in tool.parameters if p.kind == "unit"), ())
        if tool.term in shape.classes and units and bounds:
            tried = list(near(bounds[0]))
            fine, bad = ([(tool.name, {"value": json_of(value), "unit": units[0][0]}) for value in tried
                          if holds(constraint, value) is kept] for kept in (True, False))  # fmt: skip
            yield from (Case((), (wrong,), (right,)) for right in fine[:FEW] for wrong in bad[:FEW])


def _listed(make: Samples, shape: Shape) -> Iterator[Case]:
    """A class that is a closed list cannot be made: something else stands where one of the list is asked for."""
    for iri in shape.classes:
        for shapes in make.pack.shapes:
            for predicate in shapes.subjects_of if shapes.kind == "range" and iri in _classes(shapes) else ():
                for holder in islice(make.subjects(predicate, "A"), 3):
                    for calls, call in islice(facts_about(make, predicate, holder, "B"), 2):
                        for wrong in islice(make.other((iri,), "W"), 3):
                            bad = (call[0], {**call[1], "object": wrong[1]})
                            yield Case((*holder[0], *calls, *wrong[0]), (bad,), (call,))

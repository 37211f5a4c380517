"""Cases against constraints that compare: properties with each other, values with their languages, ends with ends."""

from collections.abc import Iterator
from itertools import islice
from typing import Any

from kgnb.shapes.shape import Constraint, Shape
from tests.conformance.planted_facts import AT_FINISH, FEW, Case, facts_about, holders, predicates
from tests.conformance.samples import Call, Made, Samples, Worded


def no_way_back(make: Samples, shape: Shape) -> Iterator[Case]:
    """A fact the other way round, or of an entity to itself."""
    for predicate in predicates(Shape(about=shape.about)):
        for first in islice(make.ends(predicate, "A"), FEW):
            for second in islice(make.ends(predicate, "B"), FEW):
                there = make.add(predicate, first[1], second[1], entity=True)
                back = make.add(predicate, second[1], first[1], entity=True)
                self_ = make.add(predicate, first[1], first[1], entity=True)
                if there and back and self_:
                    bad = (there, back) if shape.kind == "asymmetric" else (self_,)
                    yield Case((*first[0], *second[0]), bad, (there,))


def disjoint_properties(make: Samples, shape: Shape, constraint: Constraint) -> Iterator[Case]:
    """One value under two properties that never share one."""
    for predicate in predicates(shape):
        for holder in islice(make.subjects(predicate, "A"), FEW):
            for calls, call in islice(facts_about(make, predicate, holder, "B"), FEW):
                value = call[1].get("object", call[1].get("value"))
                other = make.add(constraint.texts[0], holder[1], value, entity="object" in call[1])
                if other is not None:
                    yield Case((*holder[0], *calls), (call, other), (call,))


def inverse_functional(make: Samples, shape: Shape) -> Iterator[Case]:
    """One value of two entities."""
    for predicate in predicates(shape):
        for first in islice(make.subjects(predicate, "A"), FEW):
            for second in islice(make.subjects(predicate, "C"), 2):
                for calls, call in islice(facts_about(make, predicate, first, "B"), 3):
                    again = (call[0], {**call[1], "subject": second[1]})
                    if second[1] != first[1]:
                        yield Case((*first[0], *second[0], *calls), (call, again), (call,))


def paired(make: Samples, chain: tuple[Shape, ...], constraint: Constraint) -> Iterator[Case]:
    """Two properties of one entity whose values do not compare as they should."""
    other, component = constraint.texts[0], constraint.component
    for predicate in predicates(chain[-1]):
        for holder in islice(holders(make, chain, predicate), 3):
            theirs: list[tuple[tuple[Call, ...], Call | None]] = [((), None)]
            theirs += islice(facts_about(make, other, holder, "B"), 4)
            mine = list(islice(facts_about(make, predicate, holder, "B", (chain[-1],)), 12))
            numbers = [make.add(predicate, holder[1], value, entity=False) for value in (1, 2, 3)]
            mine += [((), call) for call in numbers if call is not None]
            for made, fixed in theirs:
                rival = [make.add(other, holder[1], 2, entity=False)] if component.startswith("less") else []
                for beside in [*rival, fixed]:
                    if beside is not None:
                        yield from _against(holder, made, beside, mine, component)


def _against(
    holder: Made, made: tuple[Call, ...], beside: Call, mine: list[tuple[tuple[Call, ...], Call]], component: str
) -> Iterator[Case]:
    """The mistakes and twins beside one fact of the other property."""
    bad, good = [], []
    for calls, call in mine:
        order = _order(_said(call), _said(beside))
        wrong = {"lessThan": order in (0, 1), "lessThanOrEquals": order == 1, "disjoint": order == 0}
        right = {"lessThan": order == -1, "lessThanOrEquals": order in (-1, 0), "disjoint": order != 0}
        if component == "equals":
            if order == 0:
                yield Case((*holder[0], *made, *calls, beside), (), (call,), focus=holder[1])
        elif wrong[component]:
            bad.append((calls, call))
        elif right[component]:
            good.append((calls, call))
    for calls, call in bad[:3]:
        for more, fine in good[:3]:
            yield Case((*holder[0], *made, *calls, *more, beside), (call,), (fine,))


def _said(call: Call) -> Any:
    return call[1].get("object", call[1].get("value"))


def _order(one: Any, other: Any) -> int | None:
    """How two JSON values compare; None where they are of different kinds."""
    if isinstance(one, str) != isinstance(other, str):
        return None
    return int(one > other) - int(one < other)


def same_language(make: Samples, chain: tuple[Shape, ...]) -> Iterator[Case]:
    """Two texts in one language where each language comes once."""
    for predicate in predicates(chain[-1]):
        for holder in islice(holders(make, chain, predicate), 3):
            texts = [make.add(predicate, holder[1], Worded(text, "en"), entity=False) for text in ("one", "two")]
            if all(texts):
                yield Case(holder[0], tuple(call for call in texts if call), tuple(call for call in texts[:1] if call))


def demands(make: Samples, constraint: Constraint) -> bool:
    """Whether a shape says something of the properties of its values."""
    return any(c.component in (*AT_FINISH, "maxCount") for c, _ in make.asked(constraint.shapes[0]))


def incomplete(make: Samples, chain: tuple[Shape, ...], constraint: Constraint) -> Iterator[Case]:
    """A value that lacks what the shape of the values demands; the twin states it."""
    for predicate in predicates(chain[-1]):
        for holder in islice(holders(make, chain, predicate), 3):
            for calls, call in islice(facts_about(make, predicate, holder, "B", (chain[-1],)), 4):
                value = str(_said(call))
                mend = make.completed(constraint.shapes[0], value, "D")
                if mend:
                    yield Case((*holder[0], *calls, call), (), mend, focus=holder[1])


def unfit(make: Samples, chain: tuple[Shape, ...], constraint: Constraint) -> Iterator[Case]:
    """A value that has more of a property than the shape of the values allows."""
    for predicate in predicates(chain[-1]):
        for holder in islice(holders(make, chain, predicate), 3):
            fine = list(islice(facts_about(make, predicate, holder, "B", (chain[-1],)), 3))
            for wrong in islice(make.other((), "W"), FEW):
                bad = make.add(predicate, holder[1], wrong[1], entity=True)
                for leaf, inner in make.asked(constraint.shapes[0]):
                    if leaf.component == "maxCount" and inner.path is not None and bad is not None:
                        some = [make.add(p, wrong[1], f"V{n}", entity=False)
                                for p in predicates(inner)[:1] for n in range(leaf.number + 1)]  # fmt: skip
                        setup = (*holder[0], *wrong[0], *(call for call in some if call))
                        yield from (Case((*setup, *calls), (bad,), (call,)) for calls, call in fine if all(some))

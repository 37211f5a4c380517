"""Entities and facts to plant mistakes with: who may have a property, and what may be said of them."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from kgnb.shapes.shape import PER_VALUE, Shape
from tests.conformance.samples import Call, Made, Samples, _classes

AT_FINISH = ("minCount", "qualifiedMinCount", "hasValue")
PAIRED = ("equals", "disjoint", "lessThan", "lessThanOrEquals")
FEW = 6


@dataclass(frozen=True)
class Case:
    """Calls that lead up to a mistake, the mistake, and its legal twin; ``finish``: the mistake is to stop there."""

    setup: tuple[Call, ...]
    illegal: tuple[Call, ...]
    legal: tuple[Call, ...]
    focus: str = ""  # where what is missing must be named


def holders(make: Samples, chain: tuple[Shape, ...], predicate: str, name: str = "A") -> Iterator[Made]:
    """Entities the last of nested shapes looks at, that may have the property."""
    outer = [shape for shape in chain[:-1] if shape.path is not None]
    if outer:  # the values of a property of what the shapes before look at
        for via in predicates(outer[-1]):
            for holder in islice(holders(make, chain[: chain.index(outer[-1]) + 1], via, f"{name}0"), 3):
                wanted = [*make.ranges(via, made_class(holder, make)), *make.needed(predicate)]
                for calls, value in islice(make.values(wanted, name, via), 3):
                    call = make.add(via, holder[1], value, entity=True)
                    if call is not None:
                        yield (*holder[0], *calls, call), str(value)
        return
    shape = chain[0]
    if shape.objects_of and not counts_back(chain[-1]):
        yield from _led_to(make, shape, predicate, name)
    elif shape.nodes:
        yield from (((), str(node)) for node in shape.nodes[:3])
    elif not shape.classes:
        yield from islice(make.subjects(predicate, name), FEW)
    domains = make.domains(predicate)
    if counts_back(chain[-1]):
        domains = [found for s in make.ranges(predicate) if (found := list(_classes(s)))]
    for iri in shape.classes:
        for chosen in make.combined([[iri], *domains]):
            yield from islice(make.all_of(chosen if iri in chosen else (iri, *chosen), name), FEW)


def _led_to(make: Samples, shape: Shape, predicate: str, name: str) -> Iterator[Made]:
    """Entities that the properties of the shape's targets lead to."""
    for via in shape.objects_of:
        for first in islice(make.subjects(via, f"{name}1"), 3):
            wanted = [*make.ranges(via, made_class(first, make)), *make.needed(predicate)]
            for calls, value in islice(make.values(wanted, name, via), 3):
                call = make.add(via, first[1], value, entity=True)
                if call is not None:
                    yield (*first[0], *calls, call), str(value)


def counts_back(shape: Shape) -> bool:
    """Whether a shape counts what leads to an entity, and not what it leads to."""
    return shape.path is not None and shape.path.kind == "inverse"


def made_class(made: Made, make: Samples) -> str:
    """The class the first call of an entity makes."""
    kinds = [make.pack.tool(name).term for name, _ in made[0] if name.startswith("create_")]
    return kinds[-1] if kinds else ""


def predicates(shape: Shape) -> list[str]:
    """The properties to write with: the one the axiom is about before those below it."""
    path = shape.path
    if path is None:
        return [shape.about]
    if path.kind == "inverse":
        path = path.parts[0]
    found = sorted(path.predicates()) if path.kind in ("iri", "alternative") else []
    return [iri for iri in found if iri == shape.about] + [iri for iri in found if iri != shape.about]


def facts_about(
    make: Samples, predicate: str, holder: Made, name: str, also: tuple[Shape, ...] = (), *, backwards: bool = False
) -> Iterator[tuple[tuple[Call, ...], Call]]:
    """Legal facts about an entity: what makes the value, and the call; ``backwards`` the entity is the value."""
    if backwards:
        for other in islice(make.subjects(predicate, name), 12):
            led = make.add(predicate, other[1], holder[1], entity=True)
            if led is not None:
                yield other[0], led
        return
    more = [Shape(tuple(c for c in shape.constraints if c.component in PER_VALUE)) for shape in also]
    wanted = [*make.ranges(predicate, made_class(holder, make)), *(shape for shape in more if shape.constraints)]
    for calls, value in islice(make.values(wanted, name, predicate), 12):
        call = make.add(predicate, holder[1], value, entity=bool(calls) or is_entity(make, value, predicate))
        if call is not None:
            yield calls, call


def is_entity(make: Samples, value: Any, predicate: str) -> bool:
    """Whether a value to pass on is an IRI that the property may lead to."""
    if not isinstance(value, str) or not make.leads_to_entities(predicate):
        return False
    return value in make.pack.tbox.individuals or "://" in value


def fresh(
    make: Samples, predicate: str, holder: Made, name: str, before: list[Call], fitting: Any, *, backwards: bool = False
) -> tuple[tuple[Call, ...], Call] | None:
    """A legal fact that was not stated yet."""
    if fitting is not None:
        for calls, value in fitting:
            call = make.add(predicate, holder[1], value, entity=bool(calls) or is_entity(make, value, predicate))
            if call is not None and call not in before:
                return calls, call
    facts = facts_about(make, predicate, holder, name, backwards=backwards)
    return next(((calls, call) for calls, call in facts if call not in before), None)

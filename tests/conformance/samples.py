"""Sample calls: legal and illegal values, entities and facts, made of what a pack's shapes demand."""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice, product
from typing import TYPE_CHECKING, Any

import rstr

from kgnb.kg.terms import RDF, XSD, Iri, Literal, Term
from kgnb.shapes.checking import holds
from kgnb.shapes.datatypes import NUMBERS, datatype_of, example, is_legal
from kgnb.shapes.shape import PER_VALUE, Constraint, Path, Shape
from kgnb.shapes.units import OM, QUDT_UNIT

if TYPE_CHECKING:
    from kgnb.agents.kg_construction.session import ConstructionSession

Call = tuple[str, dict[str, Any]]
Made = tuple[tuple[Call, ...], str]
"""Calls that make an entity, and its IRI."""
_MOST = 8


class Worded(str):
    """A text with its language, as arguments of a call say it."""

    language: str

    def __new__(cls, text: str, language: str) -> Worded:
        """The text; ``language`` goes along."""
        made = super().__new__(cls, text)
        made.language = language
        return made


_SIMPLE = ("abc", "abcd", "Abcde", "abcdefghij", "a-1b", "ab 1", "2024", "12", "a", "A", "1")


def matching(pattern: str) -> Iterator[str]:
    """A few texts in which an expression is found, plain ones first; the same every time."""
    plain = [text for text in _SIMPLE if re.search(pattern, text)]
    yield from plain[:4]
    if not plain:
        try:
            drawn = rstr.Rstr(random.Random(7))
            found = {drawn.xeger(pattern) for _ in range(12)}
        except (re.error, KeyError, NotImplementedError):
            return
        fitting = [text for text in found if len(text) <= 400 and re.search(pattern, text)]
        yield from sorted(fitting, key=lambda text: (len(text), text))[:4]


OWNER = "what others belong to"


def making(calls: Sequence[Call]) -> Call:
    """The call that makes an entity, without what it belongs to: for saying that another one is of its class."""
    name, arguments = next(call for call in calls if call[1].get("label") != OWNER)
    return name, {key: value for key, value in arguments.items() if key != "within"}


class Samples:
    """Makes the calls of one pack's cases; every entity is named by a letter, so that its IRI is known beforehand."""

    def __init__(self, session: ConstructionSession) -> None:
        self.session = session
        self.pack = session.pack
        self._creating = {tool.term: tool for tool in self.pack.of_kind("create")}
        self._adding = {tool.term: tool for tool in self.pack.of_kind("add")}
        self._made: dict[tuple[str, str], Made | None] = {}
        self._depth = 0  # of values made for values
        self._domains: defaultdict[str, list[Shape]] = defaultdict(list)
        self._leading: defaultdict[str, list[tuple[Shape, Shape]]] = defaultdict(list)
        for shape in self.pack.shapes:
            for predicate in shape.subjects_of if shape.kind == "domain" else ():
                self._domains[predicate].append(shape)
            for inner in (shape, *shape.properties):
                for predicate in _ends(inner.path) if inner.path is not None else ():
                    self._leading[predicate].append((shape, inner))

    # entities --------------------------------------------------------------------------------------------------------

    def entity(self, iri: str, name: str) -> Iterator[Made]:
        """Ways to an instance of a class, or of one below it."""
        below = self.pack.hierarchy.below.get(iri, frozenset({iri}))
        for kind in [iri, *sorted(below - {iri})][: _MOST * 2]:
            if kind in self._creating:
                made = self._create(kind, name)
                if made is not None:
                    yield made
        for one in sorted(self.pack.hierarchy.members.get(iri, ())):
            yield (), one

    def _create(self, kind: str, name: str) -> Made | None:
        if (kind, name) not in self._made:
            self._made[kind, name] = self._tried(kind, name)
        return self._made[kind, name]

    def _tried(self, kind: str, name: str) -> Made | None:
        tool = self._creating[kind]
        arguments: dict[str, Any] = {"label": f"{tool.label} {name}"}
        quantity = self.pack.quantities.get(kind)
        if quantity is not None:
            units = next((p.choices for p in tool.parameters if p.kind == "unit"), ())
            unit = units[0][0] if units else (f"{QUDT_UNIT}K" if quantity.style == "qudt" else f"{OM}kelvin")
            arguments |= {"value": 1 + sum(map(ord, name)) % 97, "unit": unit}
        trial = self.pack.session(namespace=self.session.namespace)
        before: tuple[Call, ...] = ()
        if self.pack.dependent(kind) and quantity is None:
            free = [one for one in self._creating if not self.pack.dependent(one) and one not in self.pack.quantities]
            if free:
                before = ((self._creating[free[0]].name, {"label": OWNER}),)
                arguments["within"] = trial.call(*before[0]).iri
        result = trial.call(tool.name, arguments)
        return ((*before, (tool.name, arguments)), result.iri) if result.ok else None

    def other(self, avoided: Iterable[str], name: str) -> Iterator[Made]:
        """Entities that are an instance of none of these classes."""
        hierarchy = self.pack.hierarchy
        bad = {b for iri in avoided for b in hierarchy.below.get(iri, {iri})}
        above = {a for iri in avoided for a in self.pack.tbox.above(iri)}
        kinds = [kind for kind in self._creating if kind not in bad]
        for kind in sorted(kinds, key=lambda k: (k in above, k))[: _MOST * 2]:
            made = self._create(kind, name)
            if made is not None:
                yield made

    # facts -----------------------------------------------------------------------------------------------------------

    def subjects(self, predicate: str, name: str) -> Iterator[Made]:
        """Entities that may have a property, as its domains and those of the properties above it say."""
        tbox = self.pack.tbox
        classes = self.domains(predicate)
        if not classes:
            start = tbox.restricted.get(predicate, ()) or tuple(self._creating)
            for iri in islice(start, _MOST):
                yield from self.entity(iri, name)
            return
        for chosen in self.combined(classes):
            yield from self.all_of(chosen, name)

    def ends(self, predicate: str, name: str) -> Iterator[Made]:
        """Entities that may stand at both ends of a property."""
        led_to = [found for shape in self.ranges(predicate) if (found := list(_classes(shape)))]
        for chosen in self.combined([*self.domains(predicate), *led_to]):
            yield from self.all_of(chosen, name) if chosen else ()
        yield from self.subjects(predicate, name)

    def combined(self, classes: list[list[str]]) -> list[tuple[str, ...]]:
        """One class of each list; combinations first that need the fewest, those above others left out."""
        above = self.pack.tbox.above
        found = []
        for chosen in islice(product(*classes), 64):
            different = dict.fromkeys(chosen)
            implied = {up for iri in different for up in above(iri) if up != iri and iri not in above(up)}
            found.append(tuple(iri for iri in different if iri not in implied))
        return sorted(dict.fromkeys(found), key=len)[:_MOST]

    def domains(self, predicate: str) -> list[list[str]]:
        """For every domain of a property the classes that do."""
        return [found for shape in self._domains[predicate] if (found := list(_classes(shape)))]

    def all_of(self, classes: tuple[str, ...], name: str) -> Iterator[Made]:
        """Entities that are an instance of every one of these classes."""
        below = [self.pack.hierarchy.below.get(iri, frozenset({iri})) for iri in classes]
        both = sorted(frozenset.intersection(*below))
        for iri in islice([iri for iri in classes if iri in both] + both, _MOST):
            yield from self.entity(iri, name)
        if len(classes) > 1:
            for calls, made in islice(self.entity(classes[0], name), 2):
                more = tuple(
                    (self._creating[iri].name, {"label": name, "entity": made})
                    for iri in classes[1:] if iri in self._creating
                )  # fmt: skip
                yield (*calls, *more), made

    def values(self, shapes: Iterable[Shape], name: str, predicate: str = "") -> Iterator[tuple[tuple[Call, ...], Any]]:
        """Legal values under several property shapes: calls that make them, and what to pass on."""
        listed = tuple(shapes)
        leaves = [c for s in listed for c in _flat(s) if c.component in PER_VALUE or c.component == "hasValue"]
        for term in self._listed(leaves):
            yield (), term
        if any(c.component in ("in", "hasValue") and isinstance(c.terms[0], Iri) for c in leaves):
            return
        classes = [found for s in listed if (found := list(_classes(s)))]
        asked = [shape for shape in listed if any(True for _ in self.asked(shape))]
        if classes or asked:
            starts = [self.all_of(chosen, name) for chosen in self.combined(classes)] if classes else []
            starts = starts or [self.other((), name)]
            for calls, iri in (made for start in starts for made in start):
                more = [call for shape in asked for call in self.completed(shape, iri, f"{name}0")]
                yield (*calls, *more), iri
            return
        if not classes:
            literals = [t for t in self._literals(leaves) if all(_fits(c, t) for c in leaves)]
            yield from (((), json_of(term)) for term in literals)
        if not classes and not leaves and predicate:
            tool = self._adding.get(predicate)
            if tool and any(p.name == "value" for p in tool.parameters):
                yield from (((), text) for text in (name, f"{name}2"))
            else:
                yield from islice(self.other((), name), _MOST)

    def asked(self, shape: Shape) -> Iterator[tuple[Constraint, Shape]]:
        """What a shape says of the properties of a value, constraint by constraint."""
        whole = self.pack.checker.named.get(shape.reference, shape) if shape.reference else shape
        for inner in whole.properties:
            yield from ((constraint, inner) for constraint in inner.constraints if inner.path is not None)
        for constraint in whole.constraints:
            if constraint.component in ("and", "node"):
                for nested in constraint.shapes:
                    yield from self.asked(nested) if not nested.reference else ()

    def completed(self, shape: Shape, iri: str, name: str) -> tuple[Call, ...]:
        """The calls that state what a shape demands of an entity; none where some cannot be made."""
        found: list[Call] = []
        if self._depth > 3:
            return ()
        self._depth += 1
        try:
            for constraint, inner in self.asked(shape):
                if constraint.component not in ("minCount", "qualifiedMinCount", "hasValue") or inner.path is None:
                    continue
                for at in range(constraint.number or 1):
                    found += next(self._stated(constraint, inner, iri, f"{name}{at}", found), ())
        finally:
            self._depth -= 1
        return tuple(found)

    def _stated(
        self, constraint: Constraint, inner: Shape, iri: str, name: str, before: list[Call]
    ) -> Iterator[tuple[Call, ...]]:
        for predicate in sorted(_ends(inner.path)) if inner.path is not None else ():
            wanted = constraint.shapes or (Shape((constraint,)),)
            for calls, value in islice(self.values((*wanted, *self.ranges(predicate)), name, predicate), 6):
                entity = bool(calls) or (isinstance(value, str) and value in self.pack.tbox.individuals)
                call = self.add(predicate, iri, value, entity=entity)
                if call is not None and call not in before:
                    yield (*calls, call)

    def _listed(self, leaves: list[Constraint]) -> Iterator[str]:
        lists = [leaf.terms for leaf in leaves if leaf.component in ("in", "hasValue")]
        for term in lists[0] if lists else ():
            if isinstance(term, Iri) and all(term in terms for terms in lists):
                yield str(term)

    def _literals(self, leaves: list[Constraint]) -> Iterator[Literal]:
        """Literals to try: listed ones, ones about the bounds, and examples of the datatypes."""
        datatypes = [str(c.terms[0]) for c in leaves if c.component == "datatype"]
        for leaf in leaves:
            if leaf.component in ("in", "hasValue"):
                yield from (term for term in leaf.terms if isinstance(term, Literal))
        for leaf in leaves:
            if leaf.component == "pattern" and not leaf.texts[1]:
                yield from (
                    Literal(text, None, _kind(d)) for text in matching(leaf.texts[0]) for d in datatypes or [""]
                )
        for leaf in leaves:
            if "clusive" in leaf.component and isinstance(leaf.terms[0], Literal):
                yield from near(leaf.terms[0], datatypes)
        lengths = [c.number for c in leaves if c.component.endswith("Length")]
        for datatype in datatypes or ([f"{XSD}string"] if leaves else []):
            yield from examples(datatype, lengths)

    def leads_to_entities(self, predicate: str) -> bool:
        """Whether the tool of a property takes entities."""
        tool = self._adding.get(predicate)
        return tool is not None and any(p.name == "object" for p in tool.parameters)

    def add(self, predicate: str, subject: str, value: Any, *, entity: bool) -> Call | None:
        """The call that states a fact."""
        tool = self._adding.get(predicate)
        if tool is None:
            return None
        names = {p.name for p in tool.parameters}
        if entity:
            return (tool.name, {"subject": subject, "object": value}) if "object" in names else None
        if "value" in names and not isinstance(value, Literal):
            said = {"language": value.language} if isinstance(value, Worded) and "language" in names else {}
            return (tool.name, {"subject": subject, "value": value, **said})
        return None

    def ranges(self, predicate: str, subject_kind: str = "") -> list[Shape]:
        """The property shapes that say what values a property may have, for subjects of a class as well."""
        above = set(self.pack.tbox.above(subject_kind)) if subject_kind else set()
        found = [
            inner
            for shape, inner in self._leading[predicate]
            if above & set(shape.classes) or (inner is shape and predicate in shape.subjects_of)
        ]
        kept = [replace(s, constraints=tuple(c for c in s.constraints if c.component in PER_VALUE)) for s in found]
        return [s for s in kept if s.kind != "unit" and s.constraints]

    def demanded(self, predicate: str, subject_kind: str) -> list[Shape]:
        """The property shapes that say what an instance of a class must have among the values of a property."""
        above = set(self.pack.tbox.above(subject_kind)) if subject_kind else set()
        return [
            constraint.shapes[0] if constraint.shapes else Shape((constraint,))
            for shape, inner in self._leading[predicate] if above & set(shape.classes)
            for constraint in inner.constraints if constraint.component in ("hasValue", "qualifiedMinCount")
        ]  # fmt: skip

    def needed(self, predicate: str) -> list[Shape]:
        """Shapes of what may have a property."""
        return [Shape((Constraint("isA", (Iri(found[0]),)),)) for found in self.domains(predicate)]


def _ends(path: Path) -> frozenset[str]:
    return path.predicates() if path.kind in ("iri", "alternative") else frozenset()


def _classes(shape: Shape) -> Iterator[str]:
    """The classes a shape asks a value to be one of; the alternatives of a union one after another."""
    for leaf in shape.constraints:
        if leaf.component in ("isA", "class"):
            yield str(leaf.terms[0])
        elif leaf.component in ("or", "and", "node", "xone"):
            for nested in leaf.shapes:
                if nested.path is None:
                    yield from _classes(nested)
        elif leaf.component == "qualifiedMinCount":
            yield from _classes(leaf.shapes[0])


def _flat(shape: Shape) -> Iterator[Constraint]:
    """The constraints on a value that look at it alone; of a union of datatypes the first."""
    for leaf in shape.constraints:
        if leaf.component in ("and", "node"):
            for nested in leaf.shapes:
                yield from _flat(nested)
        elif leaf.component in ("or", "xone") and leaf.shapes or leaf.component == "qualifiedMinCount":
            yield from _flat(leaf.shapes[0])
        else:
            yield leaf


def _fits(constraint: Constraint, value: Term) -> bool:
    looked_at = ("datatype", "nodeKind", "in", "pattern", "languageIn", "minLength", "maxLength", "minInclusive",
                 "maxInclusive", "minExclusive", "maxExclusive")  # fmt: skip
    return constraint.component not in looked_at or holds(constraint, value)


def _kind(datatype: str) -> str | None:
    return None if datatype in ("", f"{XSD}string") else datatype


def near(bound: Literal, datatypes: Iterable[str] = ()) -> Iterator[Literal]:
    """Literals at, below and above a bound."""
    datatype = datatype_of(bound)
    if datatype in NUMBERS:
        for wanted in [*datatypes, datatype]:
            for step in (0, 1, -1, 2, -2, 0.5, -0.5):
                number = float(bound.text) + step
                text = str(int(number)) if number.is_integer() else str(number)
                if is_legal(text, wanted):
                    yield Literal(text, None, wanted)
        return
    yield bound
    if datatype in (f"{XSD}date", f"{XSD}dateTime"):
        for year in (-1, 1, 10):
            yield Literal(f"{int(bound.text[:4]) + year:04d}{bound.text[4:]}", None, datatype)


def examples(datatype: str, lengths: Iterable[int] = ()) -> Iterator[Literal]:
    """A few literals of a datatype."""
    kind = None if datatype == f"{XSD}string" else datatype
    if datatype in (f"{RDF}langString",):
        yield from (Literal(text, "en") for text in ("one", "two", "three", "four"))
    elif datatype in NUMBERS:
        for text in ("1", "2", "3", "0", "5", "10", "50", "-1", "-5"):
            if is_legal(text, datatype):
                yield Literal(text, None, kind)
    elif datatype == f"{XSD}boolean":
        yield from (Literal(text, None, kind) for text in ("true", "false"))
    elif given := example(datatype):
        others = (given.replace("2024", "2023"), given.replace("2024", "2022"), given.replace("2", "1"), f"{given}x",
                  given.replace("5", "6"), given.replace("5", "7"))  # fmt: skip
        yield from (Literal(text, None, kind) for text in dict.fromkeys((given, *others)) if is_legal(text, datatype))
    else:
        for length in (*lengths, 3):
            yield from (Literal(letter * length, None, kind) for letter in "abcdef" if length)
        for text in ("Alpha", "A1", "AB-12", "12", "user@hut.example", "2024", "+43 5254 1234", "https://hut.example/"):
            if is_legal(text, datatype):
                yield Literal(text, None, kind)


def json_of(literal: Literal) -> Any:
    """How a literal is said in JSON."""
    if literal.datatype in NUMBERS:
        number = float(literal.text)
        return int(number) if number.is_integer() else number
    if literal.language:
        return Worded(literal.text, literal.language)
    return literal.text == "true" if literal.datatype == f"{XSD}boolean" else literal.text

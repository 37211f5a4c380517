"""Stage 1: an ontology, and shapes if there are any, become tools that can write valid facts only.

This is deterministic and needs no model: the same ontology gives the same bytes, whatever the order
of its triples and the names of its blank nodes. The published system has a model write the tools
and ignores restrictions.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib import metadata
from time import perf_counter

from kgnb.agents.kg_construction.hints import nearest
from kgnb.agents.kg_construction.naming import unique_names
from kgnb.agents.kg_construction.pack import ToolPack
from kgnb.agents.kg_construction.tool_values import PlanStep, ToolDefinition
from kgnb.agents.kg_construction.tools import ToolMaker
from kgnb.errors import DataError
from kgnb.kg import vocabulary as v
from kgnb.kg.graph import Graph
from kgnb.kg.ontology_reader import read_ontology
from kgnb.kg.quads import digest, written
from kgnb.kg.terms import OWL, SKOS, Iri, Triple
from kgnb.kg.words import words
from kgnb.shapes.checking import Checker, ClassHierarchy
from kgnb.shapes.facts import Facts
from kgnb.shapes.owl_reading import SHAPES, owl_shapes
from kgnb.shapes.phrases import Phrases
from kgnb.shapes.shacl import has_shapes, read_shapes
from kgnb.shapes.shape import SH, Shape, Warned
from kgnb.shapes.sparql_constraints import lasting_constraints
from kgnb.shapes.tbox import TBox
from kgnb.shapes.units import quantities, unit_names

MISTAKES = frozenset(
    {"malformed shape", "circular shape", "number", "path", "pattern", "unknown term"}
)
_ALWAYS = ("inspect", "replace", "retract", "missing", "finish")


_EMPTY = "there is no class and no property in it: is it data?"
_CONCEPTS = (
    "it has SKOS concepts and no property, so a text can say nothing of them. Give a file that "
    "declares classes and properties beside it (several are read as one ontology): a property with "
    "the range skos:Concept takes the concepts as values."
)


def compile(
    graph: Graph,
    shapes: Graph | None = None,
    *,
    closed_world: bool = True,
    loose_ranges: bool = False,
    derive_types: bool = False,
    only: Sequence[str] = (),
) -> ToolPack:
    """The tools of the ontology in ``graph``; SHACL is read from it and from ``shapes``.

    ``closed_world`` reads "some" as "required at finish": what an ontology says exists must be
    stated. Without it, least cardinalities and existential restrictions demand nothing.
    ``loose_ranges`` lets object properties without a range take values as well as entities.
    ``derive_types`` reads domains and ranges as RDFS does: a fact makes its two ends members of
    them, unless a constraint forbids that. ``only`` names classes, by label, local name or IRI:
    there are tools for them, what is below them, what their properties lead to and what that must
    have; all constraints hold as ever. ``owl:imports`` are not followed.

    Raises:
        DataError: there is no shape in ``shapes``, or one that cannot be read and so would not be
            enforced.
        ValueError: ``only`` names a class that there is not.
    """
    begun = perf_counter()
    triples = graph.triples()
    shape_triples = shapes.triples() if shapes is not None else []
    facts = Facts(triples)
    for triple in shape_triples:
        facts.add(triple)
    tbox = TBox(facts, read_ontology(graph))
    measured = quantities(tbox)
    stated, warnings = owl_shapes(tbox, measured, closed_world=closed_world)
    told, named, unread = read_shapes(facts) if has_shapes(facts) else ([], {}, [])
    if shapes is not None:
        _held(shapes.name, Facts(shape_triples), unread)
    told = [
        shape if shape.id else replace(shape, id=f"{SHAPES}shacl-{_digest(shape)}")
        for shape in told
    ]
    hierarchy = ClassHierarchy(tbox.below, tbox.enumerated)
    every = (*stated, *told)
    prefixes = dict(tbox.ontology.prefixes)
    of_classes, of_properties = (
        unique_names(terms, {iri: tbox.label(iri) for iri in terms}, prefixes)
        for terms in (tbox.classes, tbox.properties)
    )
    empty = empty_classes(
        tbox, Checker(every, hierarchy, named), Phrases(tbox, unit_names(measured))
    )
    warnings = sorted(
        [*warnings, *(Warned("unsatisfiable class", *one) for one in empty.items())], key=repr
    )
    maker = ToolMaker(
        tbox, every, of_classes, of_properties, measured, empty, loose_ranges=loose_ranges
    )
    tools = tuple(maker.tools())
    leads = {iri: maker.values(iri).classes for iri in tbox.properties}
    if only:
        tools = part_of(tools, tbox, every, leads, only)
    concepts = any(f"{SKOS}Concept" in map(str, facts.types(Iri(one))) for one in tbox.classes)
    if not tbox.properties and (concepts or not tbox.classes):
        warnings = [Warned("empty ontology", "", _CONCEPTS if concepts else _EMPTY), *warnings]
    manifest = {
        "ontology": tbox.ontology.iri or tbox.ontology.name,
        "tbox_sha256": digest(triples),
        "shapes_sha256": digest(shape_triples) if shape_triples else "",
        "compiler": f"kgnb {metadata.version('kgnb')}",
        "closed_world": str(closed_world).lower(),
    }
    chosen = {
        "loose_ranges": loose_ranges and "true",
        "derive_types": derive_types and "true",
        "only": ", ".join(only),
    }
    manifest |= {name: value for name, value in chosen.items() if value}
    return ToolPack(
        name=tbox.ontology.name,
        tools=tools,
        shapes=every,
        named_shapes=tuple(sorted(named.items())),
        hierarchy=hierarchy,
        plan=plan_steps(tbox, tools, leads),
        warnings=tuple([*warnings, *unread]),
        manifest=manifest,
        quantities=measured,
        tbox=tbox,
        sparql_shapes=_sparql_shapes(triples, shape_triples),
        sparql_constraints=lasting_constraints(Facts([*triples, *shape_triples])),
        milliseconds=(perf_counter() - begun) * 1000,
    )


def _held(name: str, shapes: Facts, unread: Iterable[Warned]) -> None:
    """Refuses given shapes that cannot be enforced; mistakes in the ontology's own are only
    warnings.
    """
    if not has_shapes(shapes):
        fix = "Give SHACL: [] a sh:NodeShape ; sh:targetClass :Hut ; sh:property [ sh:path :beds ; sh:minCount 1 ] ."
        raise DataError(
            "there is no SHACL shape in it, so nothing would be enforced", where=name, fix=fix
        )
    mistakes = {one for one in read_shapes(shapes)[2] if one.kind in MISTAKES}.intersection(unread)
    if mistakes:
        said = "; ".join(sorted(f"{one.about} {one.text}".strip() for one in mistakes))
        fix = "Correct the shapes, or leave them out: those that cannot be read would not be enforced."
        raise DataError(f"the shapes cannot be enforced: {said}", where=name, fix=fix)


def empty_classes(tbox: TBox, checker: Checker, phrases: Phrases) -> dict[str, str]:
    """Unsatisfiable classes, and why: those below ``owl:Nothing``, and those with contradictory
    constraints.
    """
    nothing = {
        str(child)
        for child, parent in tbox.facts.pairs(v.SUBCLASS)
        if str(parent) == f"{OWL}Nothing"
    }
    found = {}
    for iri in tbox.classes:
        if nothing.intersection(tbox.above(iri)):
            found[iri] = "it lies below owl:Nothing"
        elif clash := checker.clash(Iri(iri)):
            shape, inner, _ = clash
            said = phrases.of_shape(shape if inner is shape else replace(inner, classes=(), id=""))
            found[iri] = f"what must hold of it cannot: {said}"
    return found


def _sparql_shapes(triples: list[Triple], shape_triples: list[Triple]) -> str:
    """The shapes as N-Triples if some of them are SPARQL constraints, else ""."""
    found = [*triples, *shape_triples]
    if not any(predicate == f"{SH}sparql" for _, predicate, _ in found):
        return ""
    return written(((triple, None) for triple in found), "n-triples")


def _digest(shape: Shape) -> str:
    return hashlib.sha256(repr(shape).encode()).hexdigest()[:12]


MOST_LAYERS = 40  # deeper classes come in one last step: every step reads all documents
Ends = Mapping[str, frozenset[str]]
"""The classes at one end of every property, subclasses included."""


def plan_steps(
    tbox: TBox, tools: Iterable[ToolDefinition], values: Mapping[str, tuple[str, ...]]
) -> tuple[PlanStep, ...]:
    """The task in ordered steps, top-level entities first; ``values`` are the classes a property
    leads to.

    A class depends on the classes whose properties lead to it, and each depth of dependency is a
    step. Cycles are broken at the class that most others depend on, so that every class comes in
    one step.
    """
    listed = tuple(tools)
    made = [tool.term for tool in listed if tool.kind == "create"]
    domains = {iri: domain_of(tbox, iri) for iri in tbox.properties}
    starts = {iri: _below(tbox, subjects) for iri, subjects in domains.items()}
    ends = {iri: _below(tbox, values.get(iri, ())) for iri in domains}
    layers = _layers(made, starts, ends)
    steps: list[PlanStep] = []
    before: set[str] = set()
    for classes in layers:
        steps.append(_step(len(steps) + 1, tbox, classes, listed, starts, ends, before))
        before |= set(classes)
    named = {name for step in steps for name in step.tools}
    if loose := [tool for tool in listed if tool.kind == "add" and tool.name not in named]:
        groups = {"add": tuple(tool.name for tool in loose), "always": _ALWAYS}
        writes = tuple(tool.term for tool in loose)
        steps.append(PlanStep(len(steps) + 1, "other facts", (), (), writes, groups))
    return tuple(steps)


def domain_of(tbox: TBox, iri: str) -> tuple[str, ...]:
    """The classes that a property is stated of: its domains, and those whose restrictions name it."""
    return tuple(dict.fromkeys([*tbox.domains(iri), *tbox.restricted.get(iri, ())]))


def _below(tbox: TBox, classes: Iterable[str]) -> frozenset[str]:
    """These classes and all below them."""
    return frozenset(below for iri in classes for below in tbox.below.get(iri, {iri}))


def _layers(made: list[str], starts: Ends, ends: Ends) -> list[list[str]]:
    """Classes by their distance from a class that nothing leads to.

    Sets of classes are bits of integers, for a property between two large hierarchies makes as many
    dependencies as the product of their sizes.
    """
    order = sorted(set(made))
    place = {iri: at for at, iri in enumerate(order)}

    @cache
    def bits(classes: frozenset[str]) -> int:
        return sum(1 << place[iri] for iri in classes if iri in place)

    def reached(near: Ends, far: Ends) -> dict[str, int]:
        """For every class the others at the far end of properties that have it at their near end."""
        found, together = dict.fromkeys(order, 0), defaultdict[frozenset[str], int](int)
        for iri, classes in near.items():
            together[classes] |= bits(far[iri])
        for classes, others in together.items():
            for iri in classes & place.keys() if others else ():
                found[iri] |= others
        return {iri: others & ~(1 << place[iri]) for iri, others in found.items()}

    leads, led_to = reached(starts, ends), reached(ends, starts)
    layers: list[list[str]] = []
    waiting, left = order, (1 << len(order)) - 1
    while (
        waiting and len(layers) < MOST_LAYERS - 1
    ):  # two classes that lead to each other do not wait for each other
        ready = [iri for iri in waiting if not led_to[iri] & ~leads[iri] & left]
        if not ready:  # a cycle: begin with the classes that lead to most others
            ahead = {iri: (leads[iri] & left).bit_count() for iri in waiting}
            most = max(ahead.values())
            ready = [iri for iri in waiting if ahead[iri] == most]
        left &= ~bits(frozenset(ready))
        waiting = [iri for iri in waiting if left >> place[iri] & 1]
        layers.append(ready)
    return [*layers, waiting] if waiting else layers


def _step(
    number: int,
    tbox: TBox,
    classes: list[str],
    tools: tuple[ToolDefinition, ...],
    starts: Ends,
    ends: Ends,
    before: set[str],
) -> PlanStep:
    made = set(classes)
    added: list[str] = []
    reads: set[str] = set()
    for iri, subjects in starts.items():
        led = ends[iri]
        if (led & made and subjects & before) or (subjects & made and led <= made | before):
            added.append(iri)
            reads |= (subjects & before) | (led & before)
    names = [*map(tbox.label, classes)]
    shown = ", ".join(names[:6]) + (f" and {len(names) - 6} more" if len(names) > 6 else "")
    wanted = {"find": made | reads, "create": made, "add": set(added)}
    groups = {
        **{
            kind: tuple(t.name for t in tools if t.kind == kind and t.term in terms)
            for kind, terms in wanted.items()
        },
        "always": _ALWAYS,
    }
    writes = tuple(sorted([*classes, *added]))
    return PlanStep(number, shown, tuple(classes), tuple(sorted(reads)), writes, groups)


def part_of(
    tools: Sequence[ToolDefinition],
    tbox: TBox,
    shapes: Iterable[Shape],
    leads: Mapping[str, tuple[str, ...]],
    only: Sequence[str],
) -> tuple[ToolDefinition, ...]:
    """The tools of these classes and their subclasses, of the classes that their properties lead
    to, and of what any of them must have.

    ``leads`` holds the classes that a property leads to.

    Raises:
        ValueError: there is no class of this name.
    """
    chosen = [_class(tbox, name) for name in only]
    kept = {below for iri in chosen for below in tbox.below.get(iri, {iri})}
    above = {up for iri in kept for up in tbox.above(iri)}
    added = {iri for iri in tbox.properties if above & set(domain_of(tbox, iri))}
    required = _required(shapes)
    todo = [c for iri in sorted(added) for c in leads.get(iri, ())]
    while todo:
        found = todo.pop()
        for iri in tbox.below.get(found, {found}) if found not in above else ():
            if iri not in kept:
                kept.add(iri)
                for needed in sorted({p for up in tbox.above(iri) for p in required.get(up, ())}):
                    added.add(needed)
                    todo += leads.get(needed, ())
    return tuple(
        tool
        for tool in tools
        if (
            tool.term in kept
            if tool.kind in ("find", "create")
            else tool.kind != "add" or tool.term in added
        )
    )


def _class(tbox: TBox, name: str) -> str:
    found = [
        iri
        for iri in tbox.classes
        if name == iri
        or words(name) in map(words, (tbox.label(iri), iri.replace("#", "/").rpartition("/")[2]))
    ]
    if len(found) != 1:
        near = found or nearest(name, [*map(tbox.label, tbox.classes)], 5)
        said = f"{name!r} may be one of several classes" if found else f"there is no class {name!r}"
        raise ValueError(f"{said}: {', '.join(near)}\nGive the label or the IRI of a class.")
    return found[0]


def _required(shapes: Iterable[Shape]) -> dict[str, set[str]]:
    """The properties that the instances of each class must have, as far as a shape on the class
    itself says it.
    """
    found: dict[str, set[str]] = {}
    for shape in shapes:
        for inner in shape.parts():
            for iri in shape.classes if inner.path is not None and inner.asks() else ():
                found.setdefault(iri, set()).update(inner.path.predicates() if inner.path else ())
    return found

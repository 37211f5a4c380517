"""The task as ordered steps: top-level entities first, then what belongs to them, as ranges and domains tell."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from kgnb.agents.kg_construction.tbox import TBox
from kgnb.agents.kg_construction.values import PlanStep, ToolSpec
from kgnb.kg.terms import RDFS, Iri


def plan_steps(tbox: TBox, tools: Iterable[ToolSpec], values: Mapping[str, tuple[str, ...]]) -> tuple[PlanStep, ...]:
    """One step for each depth of dependency; ``values`` are the classes a property leads to.

    A class depends on the classes whose properties lead to it. Circles are broken at the class that most others hang
    on, so that every class comes in one step.
    """
    listed = tuple(tools)
    made = [tool.term for tool in listed if tool.kind == "create"]
    domains = {iri: _domain(tbox, iri) for iri in tbox.properties}
    layers = _layers(tbox, made, domains, values)
    steps: list[PlanStep] = []
    for classes in layers:
        before = {iri for step in steps for iri in step.classes}
        steps.append(_step(len(steps) + 1, tbox, classes, listed, domains, values, before))
    if loose := [tool for tool in listed if tool.kind == "add" and not any(tool.name in s.tools for s in steps)]:
        steps.append(_loose(len(steps) + 1, loose))
    return tuple(steps)


def _domain(tbox: TBox, iri: str) -> tuple[str, ...]:
    found = [str(c) for d in tbox.facts.objects(Iri(iri), f"{RDFS}domain") for c in tbox._named(d)]
    restricted = [cls for cls in tbox.restricted.get(iri, ())]
    return tuple(dict.fromkeys([*found, *restricted]))


def _layers(
    tbox: TBox, made: list[str], domains: Mapping[str, tuple[str, ...]], values: Mapping[str, tuple[str, ...]]
) -> list[list[str]]:
    """Classes by how far they hang below a class that nothing leads to."""
    makeable = set(made)
    leads: defaultdict[str, set[str]] = defaultdict(set)
    for iri, subjects in domains.items():
        starts = {b for s in subjects for b in tbox.below.get(s, {s}) if b in makeable}
        ends = {b for e in values.get(iri, ()) for b in tbox.below.get(e, {e}) if b in makeable}
        for start in starts:
            leads[start] |= ends - {start}
    waiting: dict[str, int] = dict.fromkeys(sorted(makeable), 0)
    for start, ends in leads.items():
        for end in ends:
            if start not in leads.get(end, ()):  # two classes that lead to each other do not wait
                waiting[end] += 1
    layers: list[list[str]] = []
    left = dict(waiting)
    while left:
        ready = [iri for iri, count in left.items() if count == 0]
        if not ready:  # a circle: begin with the classes that lead on to most
            most = max(len(leads[iri] & left.keys()) for iri in left)
            ready = [iri for iri in left if len(leads[iri] & left.keys()) == most]
        for iri in ready:
            del left[iri]
        for iri in ready:
            for end in leads[iri]:
                if end in left and iri not in leads.get(end, ()):
                    left[end] -= 1
        layers.append(sorted(ready))
    return layers


def _step(
    number: int, tbox: TBox, classes: list[str], tools: tuple[ToolSpec, ...], domains: Mapping[str, tuple[str, ...]],
    values: Mapping[str, tuple[str, ...]], before: set[str],
) -> PlanStep:  # fmt: skip
    made = set(classes)
    added, reads = [], set()
    for iri, subjects in domains.items():
        ends = {b for e in values.get(iri, ()) for b in tbox.below.get(e, {e})}
        starts = {b for s in subjects for b in tbox.below.get(s, {s})}
        if ends & made and starts & before or starts & made and not ends - made - before:
            added.append(iri)
            reads |= (starts & before) | (ends & before)
    names = [tbox.label(iri) for iri in classes]
    shown = ", ".join(names[:6]) + (f" and {len(names) - 6} more" if len(names) > 6 else "")
    groups = {
        "find": tuple(t.name for t in tools if t.kind == "find" and t.term in made | reads),
        "create": tuple(t.name for t in tools if t.kind == "create" and t.term in made),
        "add": tuple(t.name for t in tools if t.kind == "add" and t.term in set(added)),
        "always": ("inspect", "missing", "finish"),
    }
    goal = f"Find every {shown} in the text, create it, and state what is said of it."
    return PlanStep(number, shown, goal, tuple(classes), tuple(sorted(reads)), tuple(sorted([*classes, *added])),
                    tuple(n for g in groups.values() for n in g), groups)  # fmt: skip


def _loose(number: int, tools: list[ToolSpec]) -> PlanStep:
    names = tuple(tool.name for tool in tools)
    groups = {"add": names, "always": ("inspect", "missing", "finish")}
    goal = "State what else the text says of the entities created so far."
    return PlanStep(number, "other facts", goal, (), (), tuple(tool.term for tool in tools),
                    (*names, *groups["always"]), groups)  # fmt: skip

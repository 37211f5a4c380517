"""A part of a large ontology: the tools of some classes, and of what cannot be said without others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from kgnb.agents.kg_construction.hints import nearest
from kgnb.agents.kg_construction.steps import domain_of
from kgnb.agents.kg_construction.values import ToolSpec
from kgnb.kg.words import words
from kgnb.shapes.shape import Shape
from kgnb.shapes.tbox import TBox


def part_of(
    tools: Sequence[ToolSpec], tbox: TBox, shapes: Iterable[Shape], leads: Mapping[str, tuple[str, ...]],
    only: Sequence[str],
) -> tuple[ToolSpec, ...]:  # fmt: skip
    """The tools of these classes and those below them, of the classes that their properties lead to, and of what any
    of them must have.

    ``leads`` gives the classes a property leads to.

    Raises:
        ValueError: there is no class of a name.
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
        tool for tool in tools
        if (tool.term in kept if tool.kind in ("find", "create") else tool.kind != "add" or tool.term in added)
    )  # fmt: skip


def _class(tbox: TBox, name: str) -> str:
    local = {iri: iri.replace("#", "/").rsplit("/", 1)[-1] for iri in tbox.classes}
    found = [iri for iri in tbox.classes if name == iri or words(name) in (words(tbox.label(iri)), words(local[iri]))]
    if len(found) != 1:
        near = found or nearest(name, [tbox.label(iri) for iri in tbox.classes], 5)
        said = f"{name!r} may be one of several classes" if found else f"there is no class {name!r}"
        raise ValueError(f"{said}: {', '.join(near)}\nGive the label or the IRI of a class.")
    return found[0]


def _required(shapes: Iterable[Shape]) -> dict[str, set[str]]:
    """The properties that the instances of each class must have, as far as a shape on the class itself says it."""
    found: dict[str, set[str]] = {}
    for shape in shapes:
        for inner in (shape, *shape.properties):
            asks = any(c.component in ("minCount", "qualifiedMinCount") and c.number for c in inner.constraints)
            for iri in shape.classes if asks and inner.path is not None else ():
                found.setdefault(iri, set()).update(inner.path.predicates() if inner.path else ())
    return found

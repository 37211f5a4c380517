"""The content of a compiled ontology: tools, constraints and plan; counted, and saved as files."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import Any

import rdflib

from kgnb.agents.kg_construction.tool_values import TOOL_KINDS, PlanStep, ToolDefinition
from kgnb.files import refuse_links, write_whole
from kgnb.kg.quads import canonical
from kgnb.kg.terms import RDFS, Iri
from kgnb.kg.words import words
from kgnb.shapes.checking import Checker, ClassHierarchy
from kgnb.shapes.datatypes import INTEGERS
from kgnb.shapes.phrases import Phrases
from kgnb.shapes.shacl import shacl_turtle
from kgnb.shapes.shape import Shape, Warned
from kgnb.shapes.sparql_constraints import SparqlConstraint
from kgnb.shapes.tbox import TBox
from kgnb.shapes.units import Quantity, unit_names

ONTOLOGY = "ontology.nt"
"""The file of a pack that holds the ontology it was made of, shapes included."""
_ORDER = re.compile(r"\b(order|position|index|rank|ordinal|sequence)\b|\b(number|no|nr)$")


@dataclass(frozen=True)
class PackContent:
    """Tools, the constraints behind them as shapes, the plan, and what is not enforced."""

    name: str
    tools: tuple[ToolDefinition, ...] = field(repr=False)
    shapes: tuple[Shape, ...] = field(repr=False)
    named_shapes: tuple[tuple[str, Shape], ...] = field(repr=False)
    hierarchy: ClassHierarchy = field(repr=False)
    plan: tuple[PlanStep, ...] = field(repr=False)
    warnings: tuple[Warned, ...] = field(repr=False)
    manifest: Mapping[str, str] = field(repr=False)
    quantities: Mapping[str, Quantity] = field(repr=False)
    tbox: TBox = field(repr=False, compare=False)
    sparql_shapes: str = field(default="", repr=False)
    """The shapes graph as N-Triples if it has SPARQL constraints, which pyshacl checks at finish.
    """
    sparql_constraints: tuple[SparqlConstraint, ...] = field(default=(), repr=False)
    """Those of them that are checked at the call."""
    milliseconds: float = field(default=0.0, compare=False)

    def __getstate__(self) -> dict[str, Any]:
        return {one.name: getattr(self, one.name) for one in fields(self)}  # without what is cached

    @cached_property
    def _by_name(self) -> dict[str, ToolDefinition]:
        return {tool.name: tool for tool in self.tools}

    @cached_property
    def checker(self) -> Checker:
        """A checker of facts against the pack's shapes."""
        return Checker(self.shapes, self.hierarchy, dict(self.named_shapes))

    @cached_property
    def phrases(self) -> Phrases:
        """Constraints in words."""
        return Phrases(self.tbox, unit_names(self.quantities), dict(self.named_shapes))

    @cached_property
    def empty(self) -> Mapping[str, str]:
        """The unsatisfiable classes, and why they are."""
        return {one.about: one.text for one in self.warnings if one.kind == "unsatisfiable class"}

    def ends(self, predicate: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The types that a fact implies of its subject and its value (RDFS 1.1, rdfs2, rdfs3 and
        rdfs7).

        Empty unless the pack was compiled to derive types; a union or another expression implies
        nothing.
        """
        if "derive_types" not in self.manifest:
            return (), ()
        if predicate not in self._ends:
            above = [p for p, subs in self.tbox.sub_properties.items() if predicate in subs] or [
                predicate
            ]
            domains, ranges = (
                {
                    str(c): None
                    for p in above
                    for c in self.tbox.facts.objects(Iri(p), f"{RDFS}{end}")
                    if str(c) in self.tbox.below
                }
                for end in ("domain", "range")
            )
            self._ends[predicate] = tuple(domains), tuple(ranges)
        return self._ends[predicate]

    @cached_property
    def _ends(self) -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
        return {}

    def tool(self, name: str) -> ToolDefinition:
        """The tool of this name; KeyError, with the nearest names, if there is none."""
        if name not in self._by_name:
            from rapidfuzz import process

            near = [found for found, _, _ in process.extract(name, list(self._by_name), limit=3)]
            raise KeyError(f"there is no tool {name!r}; near: {', '.join(near)}")
        return self._by_name[name]

    def __contains__(self, name: str) -> bool:
        return name in self._by_name

    def dependent(self, iri: str) -> str:
        """The label of the class that instances of a class belong to, if their names alone do not
        identify them; or "".

        A class is dependent if each instance has one owner (an inverse-functional property leads to
        it, or it must have exactly one value of a property with an inverse) and is a part of it:
        the owner must have such parts, or they have an order. A wine has one winery and a document
        one author, but each is known by its own name.
        """
        return next(
            (self._owners[above] for above in self.tbox.above(iri) if above in self._owners), ""
        )

    @cached_property
    def orders(self) -> frozenset[str]:
        """The properties that state a place in an order: integers with a name like "step number"."""
        found = set()
        for tool in self.of_kind("add"):
            kinds = {d for p in tool.parameters if p.name == "value" for d in p.datatypes}
            if kinds and kinds <= INTEGERS and _ORDER.search(" ".join(words(tool.label))):
                found.add(tool.term)
        return frozenset(found)

    @cached_property
    def _owners(self) -> dict[str, str]:
        """The label of the owner of each dependent class, without its subclasses."""
        made = {tool.term: tool for tool in self.of_kind("create")}
        leads = {
            tool.term: next((p.classes for p in tool.parameters if p.name == "object"), ())
            for tool in self.of_kind("add")
        }
        asked: set[tuple[str, str]] = set()  # a class, and a property that it must have
        single: dict[tuple[str, str], set[str]] = {}
        parts: dict[
            tuple[str, str], set[str]
        ] = {}  # a class and its one owner, and what leads from the owner to it
        for shape in self.shapes:
            if shape.kind == "inverseFunctional":
                for iri in made.keys() & set(leads.get(shape.about, ())):
                    for owner in made.keys() & set(self.tbox.domains(shape.about)):
                        parts.setdefault((iri, owner), set()).add(shape.about)
            if len(shape.classes) == 1 and shape.path is not None and shape.path.kind == "iri":
                sides = {c.component for c in shape.constraints if c.number == 1}
                single.setdefault((shape.classes[0], shape.path.iri), set()).update(
                    sides & {"minCount", "maxCount"}
                )
                if shape.asks():
                    asked.add((shape.classes[0], shape.path.iri))
        for (iri, predicate), sides in single.items():
            once = "maxCount" in sides or self.tbox.has_trait(predicate, "Functional")
            inverse = {*self.tbox.mirrors.get(predicate, ())} - {predicate}
            for owner in (
                made.keys() & set(leads.get(predicate, ())) if "minCount" in sides and once else ()
            ):
                if inverse and iri in made:
                    parts.setdefault((iri, owner), set()).update(inverse)
        whole = {
            (iri, owner)
            for (iri, owner), ways in parts.items()
            if any((above, way) in asked for above in self.tbox.above(owner) for way in ways)
        }
        found: dict[str, str] = {}
        for iri, owner in sorted(parts):
            ordered = any(p.property in self.orders for p in made[iri].parameters)
            if (
                (ordered or (iri, owner) in whole)
                and owner not in self.tbox.below.get(iri, {iri})
                and (owner, iri) not in whole
            ):
                found.setdefault(iri, self.tbox.label(owner))
        return found

    def subclasses(self) -> rdflib.Graph:
        """The subclass hierarchy with all superclasses, by which SHACL targets and types reach
        subclasses.
        """
        graph = rdflib.Graph()
        for cls in self.tbox.classes:
            for above in self.tbox.above(cls):
                graph.add((rdflib.URIRef(cls), rdflib.RDFS.subClassOf, rdflib.URIRef(above)))
        return graph

    def of_kind(self, *kinds: str) -> tuple[ToolDefinition, ...]:
        """The tools of these kinds."""
        return tuple(tool for tool in self.tools if tool.kind in kinds)

    def counts(self) -> dict[str, Any]:
        """Classes, properties, individuals, tools by kind, constraints by kind, warnings by kind,
        milliseconds.
        """
        tools = Counter(tool.kind for tool in self.tools)
        kinds = Counter(kind for shape in self.shapes for kind in constraint_kinds(shape))
        return {
            "classes": len(self.tbox.classes),
            "properties": len(self.tbox.properties),
            "individuals": len(self.tbox.individuals),
            "tools": len(self.tools),
            "tools by kind": {kind: tools[kind] for kind in TOOL_KINDS},
            "constraints": sum(kinds.values()),
            "constraints by kind": dict(sorted(kinds.items())),
            "steps": len(self.plan),
            "warnings": len(self.warnings),
            "warnings by kind": dict(
                sorted(Counter(warned.kind for warned in self.warnings).items())
            ),
            "milliseconds": round(self.milliseconds, 1),
        }

    def shacl(self) -> str:
        """The constraints as SHACL in Turtle; a SHACL engine that reads it agrees with the tools."""
        return shacl_turtle(
            self.shapes, dict(self.named_shapes), self.hierarchy, dict(self.tbox.ontology.prefixes)
        )

    def plan_json(self) -> str:
        """The task plan as JSON."""
        steps = [step.as_json() for step in self.plan]
        return _json({"ontology": self.manifest["ontology"], "steps": steps})

    def tools_json(self) -> str:
        """Every tool with its schema, its hard constraints and its soft guidance."""
        names = "name kind term label description input_schema constraints guidance".split()  # noqa: SIM905
        return _json([{name: getattr(tool, name) for name in names} for tool in self.tools])

    @cached_property
    def content_sha256(self) -> str:
        """The hash of tools, constraints and plan, whichever compiler made them."""
        texts = (self.tools_json(), self.shacl(), self.plan_json())
        return hashlib.sha256("\0".join(texts).encode()).hexdigest()

    def files(self) -> dict[str, str]:
        """Name and text of every file a pack is saved as; the same ontology gives the same bytes."""
        warnings = [*map(asdict, self.warnings)]
        counts = {key: value for key, value in self.counts().items() if key != "milliseconds"}
        ontology = canonical(self.tbox.facts)
        made = {
            **self.manifest,
            "name": self.name,
            "ontology_sha256": hashlib.sha256(ontology.encode()).hexdigest(),
            "counts": counts,
        }
        return {
            "tools.json": self.tools_json(),
            "plan.json": self.plan_json(),
            "shapes.ttl": self.shacl(),
            "warnings.json": _json(warnings),
            ONTOLOGY: ontology,
            "manifest.json": _json(made),
        }

    def save(self, folder: str | Path) -> tuple[Path, ...]:
        """Write the pack into a folder, made when missing; returns the files."""
        where = Path(folder)
        where.mkdir(parents=True, exist_ok=True)
        refuse_links(where)
        return tuple(write_whole(where / name, text) for name, text in self.files().items())


def pack_difference(
    old: Sequence[Mapping[str, Any]], new: Sequence[Mapping[str, Any]]
) -> dict[str, list[str]]:
    """The names of tools that are new, gone, narrowed, widened or otherwise changed, of two
    ``tools.json``.

    Narrowed: with further constraints, arguments that are now required, or fewer allowed values.
    """
    before, after = ({tool["name"]: tool for tool in tools} for tools in (old, new))
    found: dict[str, list[str]] = {
        "added": list(after.keys() - before),
        "gone": list(before.keys() - after),
    }
    for name in after.keys() & before:
        if (kind := _changed(before[name], after[name])) != "same":
            found.setdefault(kind, []).append(name)
    return {kind: sorted(names) for kind, names in found.items() if names}


def _changed(old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    demands = [set(tool["constraints"]) for tool in (old, new)]
    for side, tool in zip(demands, (old, new), strict=True):
        schema = tool["input_schema"]
        side |= {f"required {name}" for name in schema.get("required", ())}
    options = [
        {
            (name, str(value))
            for name, said in tool["input_schema"]["properties"].items()
            for value in said.get("enum", ())
        }
        for tool in (old, new)
    ]
    less = demands[1] - demands[0] or options[0] - options[1]
    more = demands[0] - demands[1] or options[1] - options[0]
    if less and not more:
        return "narrowed"
    if more and not less:
        return "widened"
    return "changed" if less or old["input_schema"] != new["input_schema"] else "same"


def constraint_kinds(shape: Shape) -> list[str]:
    """The names of a shape's constraints: the axiom's name, or the components of a SHACL shape."""
    if shape.kind:
        return [shape.kind]
    own = [f"sh:{constraint.component}" for constraint in shape.constraints]
    return [
        *own,
        *(
            kind
            for inner in shape.properties
            if not inner.reference
            for kind in constraint_kinds(inner)
        ),
    ]


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1, sort_keys=False) + "\n"

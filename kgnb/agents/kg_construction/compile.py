"""Stage 1: an ontology, and shapes if there are any, become tools that can write valid facts only.

Deterministic and without a model: the same ontology gives the same bytes, whatever the order of its triples and the
names of its blank nodes. The published system has a model write the tools and reads no restriction at all.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from importlib import metadata
from pathlib import Path as File
from time import perf_counter

from kgnb.agents.kg_construction.naming import unique_names
from kgnb.agents.kg_construction.pack import ToolPack
from kgnb.agents.kg_construction.steps import part_of, plan_steps
from kgnb.agents.kg_construction.tools import ToolMaker
from kgnb.kg.graph import Graph
from kgnb.kg.ontology import Ontology
from kgnb.kg.ontology_reader import read_ontology
from kgnb.kg.oxigraph_graph import OxigraphGraph
from kgnb.kg.quads import digest, written
from kgnb.kg.rdflib_graph import RdflibGraph
from kgnb.kg.terms import Triple
from kgnb.shapes import shape as shape_module
from kgnb.shapes.checking import Hierarchy
from kgnb.shapes.facts import Facts
from kgnb.shapes.owl_reading import SHAPES, owl_shapes
from kgnb.shapes.shacl_reading import has_shapes, read_shapes
from kgnb.shapes.shape import SH, Shape, Warned
from kgnb.shapes.tbox import TBox
from kgnb.shapes.units import quantities

_SOURCES = ("compile", "naming", "pack", "steps", "tool_values", "tools")


def compile(
    graph: Graph, shapes: Graph | None = None, *, closed_world: bool = True, loose_ranges: bool = False,
    derive_types: bool = False, only: Sequence[str] = (),
) -> ToolPack:  # fmt: skip
    """The tools of the ontology in ``graph``; SHACL is read from it and from ``shapes``.

    ``closed_world`` reads "some" as "required at finish": what an ontology says exists must be stated. Without it,
    least cardinalities and existential restrictions demand nothing. ``loose_ranges`` lets object properties without
    a range take values as well as entities. ``derive_types`` reads domains and ranges as RDFS does: a fact makes its
    two ends members of them, unless a constraint forbids that. ``only`` names classes, by label, local name or IRI:
    there are tools for them, what is below them, what their properties lead to and what that must have; all constraints
    hold as ever. ``owl:imports`` are not followed.

    Raises:
        ValueError: ``only`` names a class that there is not.
    """
    begun = perf_counter()
    triples = graph.triples()
    shape_triples = shapes.triples() if shapes is not None else []
    facts = Facts(triples)
    for triple in shape_triples:
        facts.add(triple)
    tbox = TBox(facts, _ontology(graph, triples))
    measured = quantities(tbox)
    stated, warnings = owl_shapes(tbox, measured, closed_world=closed_world)
    told, named, unread = read_shapes(facts) if has_shapes(facts) else ([], {}, [])
    told = [_marked(shape) for shape in told]
    hierarchy = Hierarchy(tbox.below, tbox.enumerated)
    every = (*stated, *told)
    prefixes = dict(tbox.ontology.prefixes)
    of_classes, of_properties = (
        unique_names(terms, {iri: tbox.label(iri) for iri in terms}, prefixes)
        for terms in (tbox.classes, tbox.properties)
    )
    empty = {one.about: one.text for one in warnings if one.kind == "unsatisfiable class"}
    maker = ToolMaker(tbox, every, of_classes, of_properties, measured, empty, loose_ranges=loose_ranges)
    tools = tuple(maker.tools())
    leads = {iri: maker.values(iri).classes for iri in tbox.properties}
    if only:
        tools = part_of(tools, tbox, every, leads, only)
    if not tbox.classes and not tbox.properties:
        warnings = [Warned("empty ontology", "", "there is no class and no property in it: is it data?"), *warnings]
    manifest = (
        ("ontology", tbox.ontology.iri or tbox.ontology.name),
        ("tbox_sha256", digest(triples)),
        ("shapes_sha256", digest(shape_triples) if shape_triples else ""),
        ("compiler", f"kgnb {metadata.version('kgnb')}"),
        ("compiler_sha256", compiler_digest()),
        ("closed_world", str(closed_world).lower()),
        *([("loose_ranges", "true")] if loose_ranges else []),
        *([("derive_types", "true")] if derive_types else []),
        *([("only", ", ".join(only))] if only else []),
    )
    return ToolPack(
        name=tbox.ontology.name,
        tools=tools,
        shapes=every,
        named_shapes=tuple(sorted(named.items())),
        hierarchy=hierarchy,
        plan=plan_steps(tbox, tools, leads),
        warnings=tuple([*warnings, *unread]),
        manifest=dict(manifest),
        quantities=measured,
        tbox=tbox,
        sparql_shapes=_sparql_shapes(triples, shape_triples),
        milliseconds=(perf_counter() - begun) * 1000,
    )


def _sparql_shapes(triples: list[Triple], shape_triples: list[Triple]) -> str:
    """The shapes as N-Triples where some of them are constraints in SPARQL; "" where none is."""
    found = [*triples, *shape_triples]
    if not any(predicate == f"{SH}sparql" for _, predicate, _ in found):
        return ""
    return written(((triple, None) for triple in found), "n-triples")


def _ontology(graph: Graph, triples: list[Triple]) -> Ontology:
    """The ontology in a graph; an rdflib graph is copied into an embedded store first, whose queries are far faster."""
    if not isinstance(graph, RdflibGraph):
        return read_ontology(graph)
    copy = OxigraphGraph()
    copy.add(triples)
    return replace(read_ontology(copy, name=graph.name), prefixes=tuple(getattr(graph, "prefixes", ())))


def _marked(shape: Shape) -> Shape:
    """A shape of a SHACL file, with a name if it has none: one made of what it says."""
    if shape.id:
        return shape
    return replace(shape, id=f"{SHAPES}shacl-{hashlib.sha256(repr(shape).encode()).hexdigest()[:12]}")


def compiler_digest() -> str:
    """The hash of the compiler's own source, so that a pack tells which compiler made it."""
    folder = File(__file__).parent
    found = hashlib.sha256()
    shapes = sorted(File(shape_module.__file__).parent.glob("*.py"))
    for path in (*(folder / f"{name}.py" for name in _SOURCES), *shapes):
        found.update(path.name.encode() + b"\0" + path.read_bytes())
    return found.hexdigest()

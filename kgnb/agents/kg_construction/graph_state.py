"""A graph under construction: its facts, queries over them, and the store."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import rdflib

from kgnb.agents.kg_construction.hints import Hints, nearest
from kgnb.agents.kg_construction.pack_content import PackContent
from kgnb.agents.kg_construction.provenance import (
    DERIVED,
    DESCRIPTIONS,
    READ_WITH,
    CallLog,
    Origin,
    document_iri,
    origins,
)
from kgnb.agents.kg_construction.tool_values import (
    CallResult,
    RefusedArgument,
    ToolDefinition,
    Violation,
)
from kgnb.errors import ConfigError
from kgnb.kg import vocabulary as v
from kgnb.kg.oxigraph_graph import OxigraphGraph
from kgnb.kg.prefixes import PREFIXES
from kgnb.kg.quads import Quad, QuadWriter, quads
from kgnb.kg.rdflib_graph import to_rdflib
from kgnb.kg.terms import Iri, Literal, Term, Triple, is_iri
from kgnb.shapes.facts import Facts
from kgnb.shapes.shape import SH, TYPE

_MOST_MISSING = 200


def pyshacl_validate() -> Callable[..., Any]:
    """The function of pyshacl, which is slow to import.

    Raises:
        ConfigError: it is not installed.
    """
    try:
        from pyshacl import validate
    except ImportError as error:
        raise ConfigError(
            "SHACL constraints in SPARQL, and SHACL reports, need one more package here",
            fix='Run: pip install "kgnb[shacl]"',
        ) from error
    found: Callable[..., Any] = validate
    return found


class GraphState:
    """The facts of one graph under construction and a pack's shapes; whoever changes them holds
    ``lock``.
    """

    def __init__(
        self,
        pack: PackContent,
        namespace: str,
        store: OxigraphGraph | str | Path | None = None,
        *,
        checked: bool = True,
        stored: bool = True,
    ) -> None:
        if not is_iri(namespace):
            raise ValueError(
                f"namespace is {namespace!r}: it must be an absolute IRI, as in https://example.org/kg/"
            )
        if pack.sparql_shapes:
            pyshacl_validate()  # before a model is asked, not when all is to be checked
        self.pack = pack
        self.namespace = namespace if namespace.endswith(("/", "#", ":")) else f"{namespace}/"
        self.checked = checked
        self.stored = stored
        self._calls = CallLog() if store is None else None  # until somebody asks for the store
        self._store = (
            store if store is None or isinstance(store, OxigraphGraph) else OxigraphGraph(store)
        )
        self.facts = Facts()
        self.lock = threading.RLock()
        self.log: Callable[[Sequence[Quad], Sequence[Quad]], None] | None = (
            None  # called before each write
        )
        self.version = 0
        self._graph: tuple[int, rdflib.Graph] | None = None
        if store is not None:
            self.reload()

    @property
    def store(self) -> OxigraphGraph:
        """The facts, each call's in a named graph of its own, with their provenance."""
        with self.lock:
            if self._store is None:
                self._store = OxigraphGraph()
            if self._calls is not None:
                calls, self._calls = self._calls, None
                self.writer.add(calls.quads())
            return self._store

    @cached_property
    def writer(self) -> QuadWriter:
        """Writes into the store."""
        return QuadWriter(self.store)

    def reload(self) -> None:
        """Read the facts from the store."""
        with self.lock:
            for triple, name in quads(self.store):
                if name != DESCRIPTIONS and triple[0] not in self.schema:
                    self.facts.add(triple)
            self.version += 1

    @cached_property
    def schema(self) -> frozenset[str]:
        """The ontology's classes and relations: what a file says of them is no fact."""
        return frozenset((*self.pack.tbox.classes, *self.pack.tbox.properties))

    @cached_property
    def hints(self) -> Hints:
        """Turns findings into words."""
        return Hints(self.pack)

    def forget(self, documents: Collection[str]) -> None:
        """Take back what was read in some documents, as before they are read again; what others
        state as well stays.
        """
        with self.lock:
            if self._calls is not None:
                left = self._calls.forget(documents)
                gone = [one for one in self.facts if one not in left]
            else:
                gone = self._forget_stored(documents)
            for triple in gone:
                self.facts.remove(triple)
            self.version += bool(gone)

    def _forget_stored(self, documents: Collection[str]) -> list[Triple]:
        graphs = [
            graph
            for document in documents
            for link in (DERIVED, READ_WITH)
            for graph in self.writer.subjects(link, document_iri(document), DESCRIPTIONS)
        ]
        removed: list[Quad] = []
        for graph in graphs:
            removed += self.writer.content(graph)
            for described in (graph, Iri(f"{graph}:activity"), Iri(f"{graph}:span")):
                removed += self.writer.about(described, DESCRIPTIONS)
        self.keep([], removed)
        stated = dict.fromkeys(triple for triple, name in removed if name != DESCRIPTIONS)
        return [one for one in stated if one in self.facts and not self.writer.graphs_of(one)]

    def origins(self, iri: str) -> list[Origin]:
        """The calls that stated what is known of an entity, where it leads to and what leads to it."""
        with self.lock:
            return origins(QuadWriter(self.store), self.facts.triples_of(Iri(iri)))

    def keep(self, added: Sequence[Quad], removed: Sequence[Quad] = ()) -> None:
        """Put quads into the store and take others out, after logging it."""
        fresh = self.writer.lacking(added)
        if fresh or removed:
            if self.log is not None:
                self.log(fresh, removed)
            self.replay(fresh, removed)

    def replay(self, added: Sequence[Quad], removed: Sequence[Quad]) -> None:
        """Repeat logged writes in the store alone, unchecked; ``reload`` reads them."""
        self.writer.remove(removed)
        self.writer.add(added)

    def resolve(self, said: str, classes: Iterable[str] = ()) -> Iri | None:
        """The entity a text stands for: an IRI in use, or the IRI or label of one of the ontology's
        own individuals.
        """
        iri = Iri(said)
        if self.facts.knows(iri) or said in self.pack.tbox.individuals:
            return iri
        wanted, kinds = tuple(classes), self.pack.tbox.individuals
        fitting = [
            Iri(one)
            for one in self._names.get(said.casefold(), ())
            if not wanted or self._fits(one, kinds[one], wanted)
        ]
        return fitting[0] if len(fitting) == 1 else None

    @cached_property
    def _names(self) -> dict[str, list[str]]:
        """The ontology's own individuals by label."""
        found: dict[str, list[str]] = {}
        for iri in self.pack.tbox.individuals:
            found.setdefault(self.pack.tbox.label(iri).casefold(), []).append(iri)
        return found

    def near(self, said: str, classes: Iterable[str] = ()) -> tuple[str, ...]:
        """The IRIs of known entities that an unknown one may have meant, the likeliest first.

        The ontology's own individuals of the classes are among them.
        """
        wanted, labels = tuple(classes), self.labels()
        own = [
            iri
            for iri, kinds in self.pack.tbox.individuals.items()
            if self._fits(iri, kinds, wanted)
        ]
        labels = {iri: self.pack.tbox.label(iri) for iri in own} | labels
        made = self.entities(*wanted) or (() if wanted and own else self.entities())
        known = [iri for iri in dict.fromkeys([*made, *own]) if not iri.endswith("/measure")][:5000]
        texts = {iri if ":" in said else labels.get(iri, iri): iri for iri in reversed(known)}
        return tuple(texts[text] for text in nearest(said, texts, 5, least=65.0))

    def _fits(self, iri: str, kinds: Iterable[str], classes: Iterable[str]) -> bool:
        """Whether an individual of the ontology is a member of one of the classes."""
        return any(
            self.pack.hierarchy.is_a(list(map(Iri, kinds)), Iri(iri), one) for one in classes
        )

    def entities(self, *classes: str) -> tuple[str, ...]:
        """IRIs of the entities in the graph, or of those of some classes, in the order of their
        creation.
        """
        if not classes:
            return tuple(
                dict.fromkeys(str(s) for s, _ in self.facts.pairs(TYPE) if isinstance(s, Iri))
            )
        below = {b for c in classes for b in self.pack.hierarchy.below.get(c, {c})}
        return tuple(
            dict.fromkeys(
                str(s)
                for b in sorted(below)
                for s in self.facts.subjects(Iri(b), TYPE)
                if isinstance(s, Iri)
            )
        )

    def labels(self) -> dict[str, str]:
        """The label of every entity that has one."""
        return {str(s): o.text for s, o in self.facts.pairs(v.LABEL) if isinstance(o, Literal)}

    def refused(self, tool: ToolDefinition, refusals: Iterable[RefusedArgument]) -> CallResult:
        """The result of a call whose arguments were refused."""
        said = (self.hints.argument(tool, refusal, self.near) for refusal in refusals)
        return CallResult.refused(*said)

    def validate(self, iri: str | None = None, most: int | None = None) -> tuple[Violation, ...]:
        """All violations, missing values included: what a SHACL engine would report."""
        with self.lock:
            nodes: list[Term] | None = None if iri is None else [Iri(iri)]
            found = self.pack.checker.everything(self.facts, nodes)
            return tuple(
                self.hints.violation(shape, one, self.facts) for shape, one in found[:most]
            )

    def missing(self, iri: str | None = None) -> tuple[Violation, ...]:
        """What is still required before the work can be finished, of one entity or of all; at most
        200.
        """
        return self.validate(iri, _MOST_MISSING)

    def sparql_violations(self) -> tuple[Violation, ...]:
        """The violations of SPARQL constraints, found by pyshacl."""
        if not self.pack.sparql_shapes:
            return ()
        validate = pyshacl_validate()
        shapes = rdflib.Graph().parse(data=self.pack.sparql_shapes, format="nt")
        data = self.graph + self.pack.subclasses()
        _, report, _ = validate(data, shacl_graph=shapes, advanced=False)
        sh = rdflib.SH
        found = []
        for result in report.subjects(sh.sourceConstraintComponent, sh.SPARQLConstraintComponent):
            focus, value = report.value(result, sh.focusNode), report.value(result, sh.value)
            message = str(
                report.value(result, sh.resultMessage) or "a constraint in SPARQL does not hold"
            )
            shape = str(report.value(result, sh.sourceShape) or "")
            found.append(self.in_sparql(shape, str(focus), message, str(value or "")))
        return tuple(sorted(set(found), key=repr))[:_MOST_MISSING]

    def in_sparql(self, shape: str, focus: str, message: str, value: str = "") -> Violation:
        """The violation of a constraint in SPARQL."""
        name = self.labels().get(focus, focus)
        hint, component = f"{name}: {message}", f"{SH}SPARQLConstraintComponent"
        got = value or name
        return Violation("the entity itself", "sh:sparql", got, (), hint, focus, component, shape)

    @property
    def graph(self) -> rdflib.Graph:
        """The facts as an rdflib graph, without provenance: a copy as of now."""
        with self.lock:
            if self._graph is None or self._graph[0] != self.version:
                graph = rdflib.Graph()
                graph.bind("kg", self.namespace)
                for prefix, namespace in self._prefixes.items():
                    graph.bind(prefix, namespace)
                for triple in self.facts:
                    graph.add(tuple(map(to_rdflib, triple)))  # type: ignore[arg-type]  # three nodes
                self._graph = (self.version, graph)
            return self._graph[1]

    @cached_property
    def _prefixes(self) -> dict[str, str]:
        own = {p: ns for p, ns in self.pack.tbox.ontology.prefixes if not p or p.isalnum()}
        used = {p: PREFIXES[p] for p in ("rdf", "rdfs", "xsd", "prov")} | {
            "oa": "http://www.w3.org/ns/oa#"
        }
        return own | used

    def close(self) -> None:
        """Close the store; a store on disk keeps what was written."""
        if self._store is not None:
            self._store.close()

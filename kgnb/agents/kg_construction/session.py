"""A session: calls are checked before anything is written, and written whole or not at all."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rdflib

from kgnb.agents.kg_construction import answers
from kgnb.agents.kg_construction.arguments import Arguments, read_arguments
from kgnb.agents.kg_construction.hints import Hints, nearest
from kgnb.agents.kg_construction.provenance import DESCRIPTIONS, TBOX, call_graph, described
from kgnb.agents.kg_construction.values import WRITING, CallResult, Source, ToolSpec, Violation
from kgnb.agents.kg_construction.withdrawals import Withdrawals
from kgnb.agents.kg_construction.writes import Writes
from kgnb.errors import DataError
from kgnb.files import write_whole
from kgnb.kg import vocabulary as v
from kgnb.kg.oxigraph_graph import OxigraphGraph
from kgnb.kg.prefixes import PREFIXES
from kgnb.kg.quads import Quad, QuadWriter, quads, written
from kgnb.kg.rdflib_graph import to_rdflib
from kgnb.kg.terms import Iri, Literal, Term, Triple, is_iri
from kgnb.shapes.facts import Facts
from kgnb.shapes.shape import SH, TYPE

if TYPE_CHECKING:
    from kgnb.agents.kg_construction.pack import ToolPack
    from kgnb.shapes.checking import Judged

_MOST_VIOLATIONS = 20
_MOST_MISSING = 200


class Session:
    """One graph under construction. Calls may come from several threads; each is a transaction of its own.

    >>> import kgnb
    >>> from rdflib import Graph
    >>> tbox = Graph().parse(data='''@prefix : <https://hut.example/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
    ... :Hut a owl:Class .''', format="turtle")
    >>> session = kgnb.compile_ontology(tbox).session(namespace="https://hut.example/data/")
    >>> session.call("create_hut", {"label": "Berliner Hütte"}).created
    True
    """

    def __init__(
        self, pack: ToolPack, namespace: str, store: OxigraphGraph | str | Path | None = None, *, checked: bool = True,
        stored: bool = True,
    ) -> None:  # fmt: skip
        if not is_iri(namespace):
            raise ValueError(f"namespace is {namespace!r}: it must be an absolute IRI, as in https://example.org/kg/")
        self.pack = pack
        self.namespace = namespace if namespace.endswith(("/", "#", ":")) else f"{namespace}/"
        self.checked = checked
        self._stored = stored
        self.store = store if isinstance(store, OxigraphGraph) else OxigraphGraph(store)
        self.facts = Facts()
        self._tbox_names: dict[str, list[str]] | None = None
        self._writer = QuadWriter(self.store)
        self._writes = Writes(self)
        self._withdrawals = Withdrawals(self)
        self._made: dict[str, CallResult] = {}  # calls that wrote, and what came of them
        self._refused: dict[str, int] = {}  # calls that were refused, and how many facts there were then
        self.lock = threading.RLock()
        self.log: Callable[[Sequence[Quad], Sequence[Quad]], None] | None = None  # told of a write before it is done
        self._version = 0
        self._graph: tuple[int, rdflib.Graph] | None = None
        self.reload()

    def reload(self) -> None:
        """Take up the facts that the store holds."""
        with self.lock:
            for triple, name in quads(self.store):
                if name != DESCRIPTIONS:
                    self.facts.add(triple)
            self._version += 1

    def __repr__(self) -> str:
        return f"<Session: {len(self.facts):,} facts by the tools of {self.pack.name}>"

    @cached_property
    def hints(self) -> Hints:
        """Puts findings into words."""
        return Hints(self.pack)

    # calls -----------------------------------------------------------------------------------------------------------

    def call(
        self, name: str, arguments: Mapping[str, Any] | None = None, source: Source | None = None, *,
        merge: bool = False,
    ) -> CallResult:  # fmt: skip
        """Call a tool. What is wrong comes back as violations; nothing is raised for it and nothing is written.

        ``source`` says where in which document the facts were read. ``merge`` is for doing again what was accepted
        elsewhere: an entity of the same name and a fitting class is taken for the same, and a fact is taken back only
        as far as this document said it. Raises BackendError where the store fails.
        """
        with self.lock:
            if name not in self.pack:
                near = nearest(str(name), [tool.name for tool in self.pack.tools], 5)
                wrong = Violation("tool", "unknown tool", str(name)[:120], near, "call one of the tools there are")
                return CallResult(False, violations=(wrong,), retryable=True)
            tool = self.pack.tool(name)
            given = {} if arguments is None else arguments
            if tool.kind in WRITING:
                return self._write(tool, given, source, merge)
            read = read_arguments(tool, given, self)
            if read.violations:
                return CallResult(False, violations=tuple(read.violations), retryable=True)
            return answers.answer(self, tool, read)

    def _write(self, tool: ToolSpec, given: Any, source: Source | None, merge: bool) -> CallResult:
        try:
            key = json.dumps([tool.name, given, source.document if source else ""], sort_keys=True)
        except (TypeError, ValueError):
            wrong = Violation("arguments", "object", type(given).__name__, (), "give plain JSON values")
            return CallResult(False, violations=(wrong,), retryable=True)
        if key in self._made:
            return self._repeat(self._made[key])
        read = read_arguments(tool, given, self)
        result = CallResult(False, violations=tuple(read.violations), retryable=True) if read.violations else None
        if result is None and tool.kind in ("create", "add"):
            result = self._attempts(tool, read, given, source, call_graph(tool.name, given, source), merge)
        elif result is None:
            result = self._withdrawals.change(tool, read, given, source, merge)
        if result.ok and tool.kind in ("create", "add"):
            self._made[key] = result
            self._refused.pop(key, None)
        elif result.ok:
            self._made.clear()  # what was made once may be wanted again
        elif self._refused.get(key) == self._version:
            hint = "this very call was refused before: change its arguments"
            again = Violation("call", "repeat", tool.name, (), hint)
            result = CallResult(False, result.iri, violations=(again, *result.violations), retryable=True)
        else:
            self._refused[key] = self._version
        return result

    def _repeat(self, before: CallResult) -> CallResult:
        hint = "this very call was made before and its facts are there: go on with something else"
        wrong = Violation("call", "repeat", before.iri, (before.iri,) if before.iri else (), hint)
        return CallResult(False, before.iri, violations=(wrong,))

    def _attempts(
        self, tool: ToolSpec, read: Arguments, given: Mapping[str, Any], source: Source | None, graph: Iri,
        merge: bool,
    ) -> CallResult:  # fmt: skip
        """Write what a call says, in the first of its readings that keeps every constraint."""
        first: CallResult | None = None
        for iri, triples in self._writes.readings(tool, read):
            if tool.kind == "create" and "entity" not in read.terms and self.facts.knows(iri):
                if self.pack.checker.apart(self.facts.types(iri), tool.term):  # nothing is both: another thing
                    iri, triples = self._writes.apart(tool, iri, triples)
                met = self._met(tool, iri, triples, merge) if self.facts.knows(iri) else (iri, triples)
                if isinstance(met, CallResult):
                    return met
                iri, triples = met
            result = self._commit(tool, iri, triples, given, source, graph)
            if result.ok:
                return result
            first = first or result
        return first or CallResult(False, retryable=True)

    def write_through(
        self, tool: ToolSpec, read: Arguments, given: Mapping[str, Any], source: Source | None
    ) -> CallResult:
        """Write what a tool's arguments, read already, say."""
        return self._attempts(tool, read, given, source, call_graph(tool.name, given, source), False)

    def _met(
        self, tool: ToolSpec, iri: Iri, triples: list[Triple], merge: bool
    ) -> tuple[Iri, list[Triple]] | CallResult:
        """What becomes of a creation whose name another entity has: the one there is, or a refusal that says so.

        A name is not an identity, so nothing new is said of what is there unless the caller names it.
        """
        types, hierarchy = list(self.facts.types(iri)), self.pack.hierarchy
        fits = hierarchy.is_a(types, iri, tool.term)
        if tool.term in self.pack.quantities and fits:
            triples = []  # the same quantity, whichever unit it is given in
        fresh = [one for one in triples if one not in self.facts and one[1] != v.LABEL
                 and not (one[1] == TYPE and one[0] == iri and fits)]  # fmt: skip
        if merge:
            below = self.pack.tbox.below.get(tool.term, frozenset({tool.term}))
            related = fits or any(tool.term in self.pack.tbox.below.get(str(kind), ()) for kind in types)
            if related or below & set(map(str, types)):
                return iri, fresh or triples
            return self._writes.apart(tool, iri, triples)
        there = self.hints.entity(iri, self.facts)
        if not fresh:
            return CallResult(True, str(iri), data={"exists": there})
        return CallResult(False, str(iri), violations=(self.hints.exists(iri, tool, self.facts),), retryable=True)

    def _commit(
        self, tool: ToolSpec, iri: Iri, triples: list[Triple], given: Mapping[str, Any], source: Source | None,
        graph: Iri,
    ) -> CallResult:  # fmt: skip
        new_entity = tool.kind == "create" and not self.facts.knows(iri)
        borrowed = self._writes.borrowed(triples)
        added = [triple for triple in (*borrowed, *triples) if self.facts.add(triple)]
        done = False
        try:
            broken = self.pack.checker.at_once(self.facts, added) if self.checked and added else []
            if broken:
                violations = self._caused(added, broken)
                if violations:
                    return CallResult(False, str(iri) if not new_entity else "", violations=violations, retryable=True)
            if self._stored:
                content: list[Quad] = [(triple, TBOX) for triple in borrowed]
                self._put(content + described(triples, graph, tool.name, given, source))
            done = True
        finally:
            if not done:
                for triple in reversed(added):
                    self.facts.remove(triple)
        self._version += bool(added)
        return CallResult(True, str(iri), created=new_entity, triples=len(added) - len(borrowed))

    def touch(self) -> None:
        """Note that the facts have changed."""
        self._version += 1

    def take_back(self, content: Sequence[Quad], said: Sequence[Quad]) -> None:
        """Take quads out of the store, and put in what is to be said of that."""
        if self._stored:
            if self.log is not None:
                self.log(said, content)
            self._writer.remove(content)
            self._writer.add(said)

    def sources(self, triple: Triple) -> list[Iri]:
        """The named graphs a fact stands in: one a call that said it."""
        return self._writer.graphs_of(triple)

    def documents(self, graph: Iri) -> list[Term]:
        """The documents a call's facts were read in."""
        return self._writer.values(graph, f"{PREFIXES['prov']}wasDerivedFrom", DESCRIPTIONS)

    def _put(self, content: list[Quad]) -> None:
        """Into the store what it does not hold, noted before it is done."""
        fresh = self._writer.lacking(content)
        if fresh:
            if self.log is not None:
                self.log(fresh, ())
            self._writer.add(fresh)

    def replay(self, added: Sequence[Quad], removed: Sequence[Quad]) -> None:
        """Do again, unchecked, to the store alone, what a log was told; ``reload`` takes it up."""
        self._writer.add(added)
        self._writer.remove(removed)

    def _caused(self, added: list[Triple], broken: list[Judged]) -> tuple[Violation, ...]:
        """What the new facts broke, leaving out what was broken before; the facts are as they were afterwards."""
        said = [self.hints.violation(shape, found, self.facts) for shape, found in broken]
        for triple in reversed(added):
            self.facts.remove(triple)
        before = {_place(j) for j in self.pack.checker.at_once(self.facts, added)}
        for triple in added:
            self.facts.add(triple)
        fresh = [one for one, judged in zip(said, broken, strict=True) if _place(judged) not in before]
        return tuple(dict.fromkeys(fresh))[:_MOST_VIOLATIONS]

    # what is known ---------------------------------------------------------------------------------------------------

    def resolve(self, said: str, classes: Iterable[str] = ()) -> Iri | None:
        """The entity a text stands for: an IRI in use or of the ontology's own individuals, or such one's name."""
        iri = Iri(said)
        if self.facts.knows(iri) or said in self.pack.tbox.individuals:
            return iri
        wanted, kinds = tuple(classes), self.pack.tbox.individuals
        fitting = [
            Iri(one)
            for one in self._names.get(said.casefold(), ())
            if not wanted or any(self.pack.hierarchy.is_a(list(map(Iri, kinds[one])), Iri(one), c) for c in wanted)
        ]
        return fitting[0] if len(fitting) == 1 else None

    @property
    def _names(self) -> dict[str, list[str]]:
        """The ontology's own individuals by label."""
        if self._tbox_names is None:
            self._tbox_names = {}
            for iri in self.pack.tbox.individuals:
                self._tbox_names.setdefault(self.pack.tbox.label(iri).casefold(), []).append(iri)
        return self._tbox_names

    def near(self, said: str, classes: Iterable[str] = ()) -> tuple[str, ...]:
        """The IRIs of the known entities that a wrong one may have meant, the likeliest first."""
        entities = self.entities(*classes) or self.entities()
        labels = self.labels()
        texts = {f"{labels.get(iri, '')} {iri}": iri for iri in entities[:5000]}
        return tuple(texts[text] for text in nearest(said, texts, 5)) if texts else ()

    def entities(self, *classes: str) -> tuple[str, ...]:
        """IRIs of the entities in the graph, or of those of some classes, in the order of their creation."""
        if not classes:
            return tuple(dict.fromkeys(str(s) for s, _ in self.facts.pairs(TYPE) if isinstance(s, Iri)))
        below = {b for c in classes for b in self.pack.hierarchy.below.get(c, {c})}
        return tuple(dict.fromkeys(str(s) for b in sorted(below) for s in self.facts.subjects(Iri(b), TYPE)
                                   if isinstance(s, Iri)))  # fmt: skip

    def labels(self) -> dict[str, str]:
        """The label of every entity that has one."""
        return {str(s): o.text for s, o in self.facts.pairs(v.LABEL) if isinstance(o, Literal)}

    # judgement -------------------------------------------------------------------------------------------------------

    def validate(self, iri: str | None = None) -> tuple[Violation, ...]:
        """Everything that does not hold now, what is still required included: what a SHACL engine would report."""
        with self.lock:
            nodes: list[Term] | None = None if iri is None else [Iri(iri)]
            return tuple(self.hints.violation(shape, found, self.facts)
                         for shape, found in self.pack.checker.everything(self.facts, nodes))  # fmt: skip

    def missing(self, iri: str | None = None) -> tuple[Violation, ...]:
        """What is still required before the work can be finished, of one entity or of all."""
        with self.lock:
            nodes: list[Term] | None = None if iri is None else [Iri(iri)]
            found = self.pack.checker.everything(self.facts, nodes)
            return tuple(self.hints.violation(s, f, self.facts) for s, f in found[:_MOST_MISSING])

    def sparql_violations(self) -> tuple[Violation, ...]:
        """What the constraints in SPARQL find, by pyshacl; empty where there are none."""
        if not self.pack.sparql_shapes:
            return ()
        from pyshacl import validate

        shapes = rdflib.Graph().parse(data=self.pack.sparql_shapes, format="nt")
        data = self.graph + _hierarchy(self.pack)
        _, report, _ = validate(data, shacl_graph=shapes, advanced=False)
        sh = rdflib.SH
        found = []
        for result in report.subjects(sh.sourceConstraintComponent, sh.SPARQLConstraintComponent):
            focus, value = report.value(result, sh.focusNode), report.value(result, sh.value)
            message = str(report.value(result, sh.resultMessage) or "a constraint in SPARQL does not hold")
            shape = str(report.value(result, sh.sourceShape) or "")
            name = self.labels().get(str(focus), str(focus))
            found.append(Violation("the entity itself", "sh:sparql", str(value or name), (), f"{name}: {message}",
                                   str(focus), f"{SH}SPARQLConstraintComponent", shape))  # fmt: skip
        return tuple(sorted(set(found), key=repr))[:_MOST_MISSING]

    # the graph -------------------------------------------------------------------------------------------------------

    @property
    def graph(self) -> rdflib.Graph:
        """The facts as an rdflib graph, without provenance: a copy as of now."""
        with self.lock:
            if self._graph is None or self._graph[0] != self._version:
                graph = rdflib.Graph()
                graph.bind("kg", self.namespace)
                for prefix, namespace in self._prefixes.items():
                    graph.bind(prefix, namespace)
                for triple in self.facts:
                    graph.add(tuple(map(to_rdflib, triple)))  # type: ignore[arg-type]  # three nodes
                self._graph = (self._version, graph)
            return self._graph[1]

    @cached_property
    def _prefixes(self) -> dict[str, str]:
        own = {p: ns for p, ns in self.pack.tbox.ontology.prefixes if not p or p.isalnum()}
        used = {p: PREFIXES[p] for p in ("rdf", "rdfs", "xsd", "prov")} | {"oa": "http://www.w3.org/ns/oa#"}
        return own | used

    def trig(self) -> str:
        """Facts and where they come from, each call's in a named graph of its own, as TriG."""
        with self.lock:
            content = list(quads(self.store))
        return written(content, "trig", self._prefixes)

    def turtle(self) -> str:
        """The facts alone as Turtle."""
        return written(self._alone(), "turtle", self._prefixes)

    def jsonld(self) -> str:
        """The facts alone as JSON-LD."""
        return written(self._alone(), "json-ld", self._prefixes)

    def _alone(self) -> list[Quad]:
        with self.lock:
            return [(triple, None) for triple in self.facts]

    def save(self, path: str | Path, *, lasting: bool = False) -> Path:
        """Write the graph to a file: .trig with provenance, .ttl or .jsonld without; whole or not at all.

        ``lasting`` waits until it is on the disk, so that a power cut leaves the old file or the new one.
        """
        target = Path(path)
        writers = {".trig": self.trig, ".ttl": self.turtle, ".jsonld": self.jsonld}
        if target.suffix not in writers:
            raise ValueError(f"{target}: name a file that ends in .trig, .ttl or .jsonld")
        return write_whole(target, writers[target.suffix](), lasting=lasting)

    def shacl_report(self) -> tuple[bool, str]:
        """Whether the facts conform to the pack's SHACL, and the report as Turtle, by an engine not ours (pyshacl)."""
        try:
            from pyshacl import validate
        except ImportError as error:
            raise DataError(
                "pyshacl is not installed", where="SHACL report", fix="pip install pyshacl, or use session.validate()"
            ) from error
        shapes = rdflib.Graph().parse(data=self.pack.shacl(), format="turtle")
        conforms, report, _ = validate(self.graph, shacl_graph=shapes, advanced=False)
        return bool(conforms), report.serialize(format="turtle")

    def close(self) -> None:
        """Let go of the store; a store on disk keeps what was written."""
        self.store.close()


def _hierarchy(pack: ToolPack) -> rdflib.Graph:
    """The subclasses of a pack's ontology: targets by class reach the classes below."""
    graph = rdflib.Graph()
    for cls in pack.tbox.classes:
        for above in pack.tbox.parents.get(cls, ()):
            graph.add((rdflib.URIRef(cls), rdflib.RDFS.subClassOf, rdflib.URIRef(above)))
    return graph


def _place(judged: Judged) -> tuple[str, str, str, str]:
    shape, found = judged
    return (shape.id, repr(found.focus), found.constraint.component, repr(found.value))

"""A session: calls are checked before anything is written, and written atomically."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property, partial
from io import BytesIO
from itertools import chain, groupby
from operator import itemgetter
from pathlib import Path
from typing import IO, Any

import rdflib
from rapidfuzz import fuzz

from kgnb.agents.kg_construction.arguments import Arguments, read_arguments
from kgnb.agents.kg_construction.graph_state import GraphState, pyshacl_validate
from kgnb.agents.kg_construction.hints import nearest, worded
from kgnb.agents.kg_construction.naming import normalised
from kgnb.agents.kg_construction.provenance import (
    DERIVED,
    DESCRIPTIONS,
    READ_WITH,
    TBOX,
    Call,
    document_iri,
    withdrawn,
)
from kgnb.agents.kg_construction.tool_values import (
    WRITING,
    CallResult,
    RefusedArgument,
    Source,
    ToolDefinition,
    Violation,
)
from kgnb.agents.kg_construction.writes import Writes, with_mirrors
from kgnb.files import write_whole
from kgnb.kg import vocabulary as v
from kgnb.kg.quads import Quad, in_order, quads, write
from kgnb.kg.terms import Blank, Iri, Literal, Term, Triple, term_key, triple_key
from kgnb.results.bundle import count
from kgnb.shapes.checking import Judged
from kgnb.shapes.shape import TYPE
from kgnb.shapes.sparql_constraints import broken_in_sparql

_MOST_VIOLATIONS = 20


class ConstructionSession(GraphState):
    """One graph under construction. Calls may come from several threads; each is a transaction of
    its own.

    >>> import kgnb
    >>> from rdflib import Graph
    >>> tbox = Graph().parse(data='''@prefix : <https://hut.example/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
    ... :Hut a owl:Class .''', format="turtle")
    >>> session = kgnb.compile_ontology(tbox).session(namespace="https://hut.example/data/")
    >>> session.call("create_hut", {"label": "Berliner Hütte"}).created
    True
    """

    @cached_property
    def _writes(self) -> Writes:
        return Writes(self)

    @cached_property
    def _made(self) -> dict[str, CallResult]:
        """The results of calls that wrote."""
        return {}

    def __repr__(self) -> str:
        return f"<Session: {count(len(self.facts), 'fact')} by the tools of {self.pack.name}>"

    def call(
        self,
        name: str,
        arguments: Mapping[str, Any] | None = None,
        source: Source | None = None,
        *,
        merge: bool = False,
    ) -> CallResult:
        """Call a tool. A wrong call returns violations, raises nothing and writes nothing.

        ``source`` says where in which document the facts were read. ``merge`` is for repeating
        calls that were accepted elsewhere: an entity with the same name and a fitting class is
        taken for the same, and a fact is retracted only as far as this document stated it. Raises
        BackendError where the store fails.
        """
        with self.lock:
            if name not in self.pack:
                near = nearest(str(name), [tool.name for tool in self.pack.tools], 5)
                return _refused("unknown tool", "tool", str(name)[:120], near)
            tool = self.pack.tool(name)
            given = {} if arguments is None else arguments
            if tool.kind in WRITING:
                return self._write(tool, Call(name, given, source), merge)
            read = read_arguments(tool, given, self)
            if read.refusals:
                return self.refused(tool, read.refusals)
            return answer(self, tool, read)

    def forget(self, documents: Collection[str]) -> None:
        """Take back what was read in some documents."""
        with self.lock:
            super().forget(documents)
            self._made.clear()

    def _write(self, tool: ToolDefinition, call: Call, merge: bool) -> CallResult:
        try:
            key = json.dumps(
                [tool.name, call.arguments, call.source.document if call.source else ""],
                sort_keys=True,
            )
        except (TypeError, ValueError):
            return _refused("not JSON", "arguments", type(call.arguments).__name__)
        if key in self._made and not merge:
            before = self._made[key].iri
            again = _refused("made before", "call", before, filter(None, [before]))
            return replace(again, iri=before, retryable=False)
        read, states = read_arguments(tool, call.arguments, self), tool.kind in ("create", "add")
        if read.refusals:
            result = self.refused(tool, read.refusals)
        elif self.checked and tool.kind == "create" and tool.term in self.pack.empty:
            label, why = tool.label, self.pack.empty[tool.term]
            nothing = _refused("empty class", "class", label, label=label, why=why)
            result = replace(nothing, retryable=False)
        elif states:
            result = self._attempts(tool, read, call, merge)
        else:
            result = self._withdraw(tool, read, call, merge)
        if result.ok and not states:
            self._made.clear()  # what was made once may be wanted again
        elif result.ok and not merge:  # a journal says nothing twice
            self._made[key] = result
        return result

    def _attempts(
        self,
        tool: ToolDefinition,
        read: Arguments,
        call: Call,
        merge: bool = False,
        dry: bool = False,
    ) -> CallResult:
        """Write a call in the first of its readings that keeps every constraint; ``dry`` writes
        nothing.
        """
        first: CallResult | None = None
        for iri, triples in self._writes.readings(tool, read):
            named = tool.kind == "create" and "entity" not in read.terms
            if named and self._are_apart(iri, tool.term):
                iri, triples = self._writes.apart(tool, iri, triples)
            if named and self.facts.knows(iri):
                met = self._met(tool, iri, triples, merge)
                if isinstance(met, CallResult):
                    taken = self.hints.exists(iri, tool, self.facts)
                    return replace(met, violations=(taken,)) if dry else met
                iri, triples = met
            if not dry:
                result = self._commit(tool, iri, triples, call)
            elif all(one in self.facts for one in triples):
                result = CallResult(True, str(iri))
            else:
                new = _refused("new fact", "fact", self.hints.name(iri, self.facts))
                result = replace(new, iri=str(iri), retryable=False)
            if result.ok:
                return result
            first = first or result
        return first or CallResult.refused()

    def _are_apart(self, iri: Iri, kind: str) -> bool:
        """Whether nothing can be both: what has this IRI, and one of the class."""
        return self.facts.knows(iri) and self.pack.checker.apart(self.facts.types(iri), kind)

    def holds(self, name: str, arguments: Mapping[str, Any]) -> CallResult:
        """Whether all that a creating or adding call says is there already; other calls are made as
        usual.

        Nothing is written or noted. Where a creation's name is taken, the violations say by what,
        and how to go on.
        """
        with self.lock:
            tool = self.pack.tool(name)
            if tool.kind not in ("create", "add"):
                return self.call(name, arguments)
            read = read_arguments(tool, arguments, self)
            if read.refusals:
                return self.refused(tool, read.refusals)
            return self._attempts(tool, read, Call(name, arguments, None), dry=True)

    def _met(
        self, tool: ToolDefinition, iri: Iri, triples: list[Triple], merge: bool
    ) -> tuple[Iri, list[Triple]] | CallResult:
        """The entity and triples of a creation whose name another entity has, or the result that
        ends it.

        A name is not an identity, so nothing new is stated about the other entity unless the caller
        names it.
        """
        types, hierarchy = list(self.facts.types(iri)), self.pack.hierarchy
        fits = hierarchy.is_a(types, iri, tool.term)
        if tool.term in self.pack.quantities and fits:
            triples = []  # the same quantity, whichever unit it is given in
        fresh = [
            one
            for one in triples
            if one not in self.facts
            and one[1] != v.LABEL
            and not (one[1] == TYPE and one[0] == iri and fits)
        ]
        if merge:
            below = self.pack.tbox.below.get(tool.term, frozenset({tool.term}))
            related = fits or any(
                tool.term in self.pack.tbox.below.get(str(kind), ()) for kind in types
            )
            if related or below & set(map(str, types)):
                return iri, fresh or triples
            return self._writes.apart(tool, iri, triples)
        there = self.hints.entity(iri, self.facts)
        if not fresh:
            return CallResult(True, str(iri), data={"exists": there})
        return CallResult.refused(self.hints.exists(iri, tool, self.facts), iri=str(iri))

    def _commit(
        self, tool: ToolDefinition, iri: Iri, triples: list[Triple], call: Call
    ) -> CallResult:
        new_entity = tool.kind == "create" and not self.facts.knows(iri)
        borrowed = self._writes.borrowed(triples)
        triples = [*triples, *self._writes.derived([*borrowed, *triples])]
        added = [triple for triple in (*borrowed, *triples) if self.facts.add(triple)]
        done = False
        try:
            broken = self.pack.checker.at_once(self.facts, added) if self.checked and added else []
            violations = self._caused(added, broken) if broken else ()
            violations = violations or self._caused_in_sparql(added)
            if violations:
                return CallResult.refused(*violations, iri=str(iri) if not new_entity else "")
            if self.stored and self._calls is not None:
                self._calls.add(triples, borrowed, call)
            elif self.stored:
                self.keep([*((triple, TBOX) for triple in borrowed), *call.described(triples)])
            done = True
        finally:
            if not done:
                for triple in reversed(added):
                    self.facts.remove(triple)
        self.version += bool(added)
        return CallResult(True, str(iri), created=new_entity, triples=len(added) - len(borrowed))

    def _withdraw(self, tool: ToolDefinition, read: Arguments, call: Call, own: bool) -> CallResult:
        """Retract or replace, wholly or not at all. ``own`` retracts only what this source's
        document said.
        """
        chosen = self._writes.withdrawn(tool, read)
        if isinstance(chosen, RefusedArgument):
            return self.refused(tool, [chosen])
        subject = read.terms["subject"][0]
        stated = [one for one in with_mirrors(self.pack, chosen) if one in self.facts]
        quads = [(one, graph) for one in stated for graph in self._graphs_of(one)]
        if own and call.source is not None:
            document, ends = document_iri(call.source.document), self.writer.values
            quads = [
                (one, graph)
                for one, graph in quads
                if graph is None
                or document in ends(graph, DERIVED, DESCRIPTIONS)
                or document in ends(graph, READ_WITH, DESCRIPTIONS)
            ]
        elif tool.kind == "replace":
            return self._replaced(call, chosen[0], quads, read.plain["value"])
        withdrawn_here = set(quads)
        gone = [
            one
            for one in stated
            if all((one, graph) in withdrawn_here for graph in self._graphs_of(one))
        ]
        if violations := self._removed(gone):
            return CallResult.refused(*violations, iri=str(subject))
        self._withdrawn(call, quads)
        return CallResult(True, str(subject), triples=-len(gone))

    def _graphs_of(self, triple: Triple) -> list[Iri | None]:
        """The graphs a fact stands in; the default one where the store names none."""
        return [*self.writer.graphs_of(triple)] or [None]

    def _replaced(
        self, call: Call, old: Triple, quads: Sequence[Quad], value: object
    ) -> CallResult:
        """Retracts the old value and states the new one through its own tool; all or nothing."""
        subject, predicate, _ = old
        gone = list(dict.fromkeys(triple for triple, _ in quads))
        adding = next((t for t in self.pack.of_kind("add") if t.term == predicate), None)
        if adding is None and predicate != v.LABEL:
            return _refused("not replaced", "property", predicate)
        if adding is None:
            self._removed(gone)
            new: Triple = (subject, Iri(v.LABEL), Literal(str(value)))
            self.facts.add(new)
            self._withdrawn(call, quads, [new])
            return CallResult(True, str(subject))
        held = {p.name for p in adding.parameters}
        known = (
            "object" in held
            and isinstance(value, str)
            and ("value" not in held or self.resolve(value))
        )
        arguments = {"subject": str(subject), ("object" if known else "value"): value}
        read = read_arguments(adding, arguments, self)
        if read.refusals:
            return self.refused(adding, read.refusals)
        if violations := self._removed(gone):
            return CallResult.refused(*violations, iri=str(subject))
        result = self._attempts(adding, read, Call(adding.name, arguments, call.source))
        if not result.ok:
            for triple in gone:
                self.facts.add(triple)
            return result
        self._withdrawn(call, quads)
        return CallResult(True, str(subject), triples=-1)

    def _removed(self, gone: Sequence[Triple]) -> tuple[Violation, ...]:
        """Removes facts from memory, or returns the lasting violations that this would cause and
        keeps the facts.
        """
        nodes: dict[Term, None] = {}
        for subject, _, value in gone:
            for node in (subject, value):
                nodes |= dict.fromkeys([node, *self.facts.neighbours(node)])
        before = self._lasting(nodes)
        for triple in gone:
            self.facts.remove(triple)
        after = [broken for place, broken in self._lasting(nodes).items() if place not in before]
        if after and self.checked:
            said = [self.hints.violation(shape, found, self.facts) for shape, found in after]
            for triple in gone:
                self.facts.add(triple)
            return tuple(dict.fromkeys(said))
        self.version += 1
        return ()

    def _lasting(self, nodes: Mapping[Term, None]) -> dict[tuple[str, ...], Judged]:
        """What no later fact could mend about these nodes."""
        found = self.pack.checker.everything(self.facts, nodes)
        return {_place(judged): judged for judged in found if judged[1].final}

    def _withdrawn(self, call: Call, quads: Sequence[Quad], new: Sequence[Triple] = ()) -> None:
        """Take quads out of the store, and keep there who withdrew what, and what was stated
        instead.
        """
        kept = [quad for quad in quads if quad[1] != TBOX]
        if self.stored:
            self.keep(call.described(new) + withdrawn(kept, call.graph), quads)

    def _caused(self, added: list[Triple], broken: list[Judged]) -> tuple[Violation, ...]:
        """The violations that the new facts caused, without those that existed before; the facts
        stay unchanged.
        """
        said = [self.hints.violation(shape, found, self.facts) for shape, found in broken]
        with self._without(added):
            before = {*map(_place, self.pack.checker.at_once(self.facts, added))}
        fresh = [
            one for one, judged in zip(said, broken, strict=True) if _place(judged) not in before
        ]
        return tuple(dict.fromkeys(fresh))[:_MOST_VIOLATIONS]

    def _caused_in_sparql(self, added: list[Triple]) -> tuple[Violation, ...]:
        """The same for constraints in SPARQL, those that no later fact could mend."""
        if not (self.checked and added and self.pack.sparql_constraints):
            return ()
        look = partial(broken_in_sparql, self.pack.sparql_constraints, self.pack.hierarchy)
        if not (now := look(self.facts, added)):
            return ()
        with self._without(added):
            before = look(self.facts, added)
        return tuple(
            self.in_sparql(one.shape, node, said)
            for one, node, said in now
            if (one, node, said) not in before
        )[:_MOST_VIOLATIONS]

    @contextmanager
    def _without(self, added: list[Triple]) -> Iterator[None]:
        """While the facts are as they were before these."""
        for triple in reversed(added):
            self.facts.remove(triple)
        try:
            yield
        finally:
            for triple in added:
                self.facts.add(triple)

    def trig(self) -> str:
        """Facts and their provenance, each call's in a named graph of its own, as TriG; with the
        names of the ontology's terms, as every form.
        """
        return self._text("trig")

    def turtle(self) -> str:
        """The facts as Turtle, without provenance."""
        return self._text("turtle")

    def jsonld(self) -> str:
        """The facts as JSON-LD, without provenance."""
        return self._text("json-ld")

    def terms(self) -> list[Triple]:
        """What the ontology calls the classes and relations in use: in a file, whoever asks the
        graph needs no other.
        """
        tbox = self.pack.tbox
        used = {str(end) for _, predicate, end in self.facts if predicate == TYPE}
        used.update(predicate for _, predicate, _ in self.facts)
        terms = {Iri(above) for term in used & self.schema for above in tbox.above(term)}
        return [
            (term, Iri(predicate), value)
            for term in sorted(terms)
            for predicate in (TYPE, v.LABEL, v.SUBCLASS)
            for value in sorted(tbox.all(term, predicate), key=term_key)
            if not isinstance(value, Blank)
        ]

    def content(self) -> Iterator[Quad]:
        """Facts, provenance and ``terms``, each in its named graph; nothing is written meanwhile."""
        with self.lock:
            terms = self.terms()
            if self._calls is not None:
                yield from self._calls.quads(terms)
            else:
                yield from in_order({*quads(self.store), *((triple, TBOX) for triple in terms)})

    def _text(self, form: str) -> str:
        stream = BytesIO()
        self._write_as(form, stream)
        return stream.getvalue().decode("utf-8")

    def _write_as(self, form: str, stream: IO[bytes]) -> None:
        """Write the graph as of now, even if other threads go on writing."""
        if form == "trig":
            return write(self.content(), form, stream, self._prefixes)
        with self.lock:
            told = (triple for triple in self.terms() if triple not in self.facts)
            groups = [list(one) for _, one in groupby(chain(self.facts, told), itemgetter(0))]
        groups.sort(key=lambda group: term_key(group[0][0]))
        facts = ((triple, None) for group in groups for triple in sorted(group, key=triple_key))
        write(facts, form, stream, self._prefixes)

    def save(self, path: str | Path, *, lasting: bool = False) -> Path:
        """Write the graph to a file atomically: .trig with provenance, .ttl or .jsonld without.

        ``lasting`` waits until it is on the disk.
        """
        target = Path(path)
        forms = {".trig": "trig", ".ttl": "turtle", ".jsonld": "json-ld"}
        if target.suffix not in forms:
            raise ValueError(f"{target}: name a file that ends in .trig, .ttl or .jsonld")
        return write_whole(target, partial(self._write_as, forms[target.suffix]), lasting=lasting)

    def shacl_report(self) -> tuple[bool, str]:
        """Whether the facts conform to the pack's SHACL according to pyshacl, and its report as
        Turtle.
        """
        validate = pyshacl_validate()
        shapes = rdflib.Graph().parse(data=self.pack.shacl(), format="turtle")
        conforms, report, _ = validate(self.graph, shacl_graph=shapes, advanced=False)
        return bool(conforms), report.serialize(format="turtle")


def _refused(
    rule: str, path: str, got: str, allowed: Iterable[str] = (), **details: object
) -> CallResult:
    """The result of a call that breaks one rule."""
    return CallResult.refused(worded(rule, path, got, allowed, **details))


def _place(judged: Judged) -> tuple[str, str, str, str]:
    shape, found = judged
    return (shape.id, repr(found.focus), found.constraint.component, repr(found.value))


_MOST_FOUND = 20
_NEAR = 75.0  # of 100, rapidfuzz's WRatio


def answer(session: GraphState, tool: ToolDefinition, read: Arguments) -> CallResult:
    """The result of a tool that writes nothing."""
    if tool.kind == "find":
        return _find(session, tool.term, read.texts.get("label", ""))
    iri = str(read.term("iri") or "")
    if tool.kind == "inspect":
        return CallResult(True, iri, data=_inspect(session, iri))
    missing = session.missing(iri or None)
    if tool.kind == "missing":
        return CallResult(
            True, iri, data=[{"entity": one.focus, **one.as_json()} for one in missing]
        )
    missing = missing or session.sparql_violations()
    return CallResult(not missing, violations=missing, retryable=bool(missing))


def _find(session: GraphState, kind: str, said: str) -> CallResult:
    """Entities of a class whose label equals, contains or resembles a name, the ontology's own
    individuals included.
    """
    labels, own = session.labels(), session.pack.tbox.individuals
    below = session.pack.hierarchy.below.get(kind, frozenset({kind}))
    members = session.pack.hierarchy.members.get(kind, frozenset())
    known = dict.fromkeys(session.entities(kind)) | {
        i: None for i, k in own.items() if k & below or i in members
    }
    wanted = normalised(said)
    entries = [
        {"iri": iri, "label": labels.get(iri) or session.pack.tbox.label(iri)} for iri in known
    ]
    scores = {entry["iri"]: _score(wanted, normalised(entry["label"])) for entry in entries}
    found = sorted(
        (entry for entry in entries if scores[entry["iri"]] >= _NEAR),
        key=lambda one: -scores[one["iri"]],
    )
    exact = [e for e in found if normalised(e["label"]) == wanted]
    data: dict[str, Any] = {"found": found[:_MOST_FOUND], "total": len(found)}
    return CallResult(True, exact[0]["iri"] if len(exact) == 1 else "", data=data)


def _score(wanted: str, label: str) -> float:
    if not wanted or wanted == label:
        return 100.0
    return 95.0 if wanted in label else float(fuzz.WRatio(wanted, label))


def _inspect(session: GraphState, iri: str) -> dict[str, Any]:
    """An entity's classes, label, facts and the facts that lead to it."""
    tbox, facts, node, name = session.pack.tbox, session.facts, Iri(iri), session.hints.name
    said: dict[str, list[str]] = {}
    for predicate, values in facts.about(node).items():
        if predicate not in (TYPE, v.LABEL):
            said[tbox.label(predicate)] = [
                t.text if isinstance(t, Literal) else name(t, facts) for t in values
            ]
    back = {
        tbox.label(p): [name(s, facts) for s in subjects]
        for p, subjects in facts.pointing_at(node).items()
    }
    kinds = [tbox.label(str(kind)) for kind in facts.types(node)] or [
        *map(tbox.label, sorted(tbox.individuals.get(iri, ())))
    ]
    label = facts.label(node) or tbox.label(iri)
    return {"iri": iri, "label": label, "classes": kinds, "facts": said, "pointed at by": back}

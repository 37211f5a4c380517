"""Where facts come from: one named graph a call, described with PROV-O and character positions."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any
from urllib.parse import quote

from kgnb.agents.kg_construction.tool_values import Source, ToolAnswer
from kgnb.kg.prefixes import PREFIXES
from kgnb.kg.quads import Quad, QuadWriter, as_stored
from kgnb.kg.terms import RDF, RDFS, XSD, Iri, Literal, Term, Triple, is_iri, triple_key

PROV = PREFIXES["prov"]
OA = "http://www.w3.org/ns/oa#"
CALL = "urn:kgnb:call:"
DERIVED = f"{PROV}wasDerivedFrom"
READ_WITH = f"{PROV}wasInfluencedBy"
"""From the graph of a call that rests on an outside tool's answer to the document that was read."""
_DIGITS = 24
DESCRIPTIONS = Iri("urn:kgnb:provenance")
"""The named graph that says where the others come from."""
TBOX = Iri("urn:kgnb:tbox")
"""The named graph of what was copied out of the ontology: types and labels of its own individuals,
of classes and of relations.
"""


@dataclass(frozen=True)
class Call:
    """A call of a tool, as the provenance describes it."""

    tool: str
    arguments: Mapping[str, Any]
    source: Source | None

    @cached_property
    def graph(self) -> Iri:
        """The named graph of the call: the same for the same call on the same span."""
        source = self.source
        span: list[Any] | None = [source.document, source.start, source.end] if source else None
        if source and source.answer:
            span = [source.document, str(answer_iri(source.answer))]
        said = json.dumps(
            [self.tool, self.arguments, span], sort_keys=True, ensure_ascii=True, default=str
        )
        return Iri(f"{CALL}{hashlib.sha256(said.encode()).hexdigest()[:_DIGITS]}")

    def described(self, facts: Iterable[Triple]) -> list[Quad]:
        """The facts in the call's graph, and the description of that graph; the document's name
        comes last.
        """
        said = json.dumps(self.arguments, sort_keys=True, ensure_ascii=False, default=str)
        graph, source = self.graph, self.source
        activity = Iri(f"{graph}:activity")
        about: list[tuple[Iri, str, Iri | Literal]] = [
            (graph, f"{RDF}type", Iri(f"{PROV}Entity")),
            (graph, f"{PROV}wasGeneratedBy", activity),
            (activity, f"{RDF}type", Iri(f"{PROV}Activity")),
            (activity, f"{RDFS}label", Literal(f"{self.tool} {said}")),
        ]
        if source is not None and source.answer:
            about += _answered(graph, activity, source.answer)
            about.append((graph, READ_WITH, document_iri(source.document)))
        elif source is not None:
            about.append((graph, DERIVED, document_iri(source.document)))
        if source is not None and source.start is not None and not source.answer:
            span = Iri(f"{graph}:span")
            about += [
                (graph, f"{OA}hasSelector", span),
                (span, f"{RDF}type", Iri(f"{OA}TextPositionSelector")),
                (span, f"{OA}start", Literal(str(source.start), None, f"{XSD}integer")),
                (span, f"{OA}end", Literal(str(source.end), None, f"{XSD}integer")),
            ]
        triples: list[Triple] = [*((s, Iri(p), o) for s, p, o in about), *named(source)]
        return [*((fact, graph) for fact in facts), *((one, DESCRIPTIONS) for one in triples)]


def _answered(
    graph: Iri, activity: Iri, answer: ToolAnswer
) -> list[tuple[Iri, str, Iri | Literal]]:
    """An outside tool's answer as the source of a graph: who gave it, when, to which question."""
    iri = answer_iri(answer)
    asking, tool = Iri(f"{iri}:activity"), Iri(f"urn:kgnb:tool:{quote(answer.tool, safe='')}")
    said = json.dumps(answer.arguments, sort_keys=True, ensure_ascii=False, default=str)
    return [
        (graph, DERIVED, iri),
        (activity, f"{PROV}used", iri),
        (iri, f"{RDF}type", Iri(f"{PROV}Entity")),
        (iri, f"{PROV}value", Literal(answer.text)),
        (iri, f"{PROV}wasGeneratedBy", asking),
        (asking, f"{RDF}type", Iri(f"{PROV}Activity")),
        (asking, f"{RDFS}label", Literal(f"{answer.tool} {said}")),
        (asking, f"{PROV}endedAtTime", Literal(answer.time, None, f"{XSD}dateTime")),
        (asking, f"{PROV}wasAssociatedWith", tool),
        (tool, f"{RDF}type", Iri(f"{PROV}SoftwareAgent")),
        (tool, f"{RDFS}label", Literal(answer.tool)),
    ]


def answer_iri(answer: ToolAnswer) -> Iri:
    """The IRI of an outside tool's answer: the same for the same answer at the same time."""
    said = json.dumps(asdict(answer), sort_keys=True, default=str)
    return Iri(f"urn:kgnb:answer:{hashlib.sha256(said.encode()).hexdigest()[:_DIGITS]}")


def named(source: Source | None) -> list[Triple]:
    """The label of a source's document."""
    return (
        [(document_iri(source.document), Iri(f"{RDFS}label"), Literal(source.document))]
        if source
        else []
    )


def withdrawn(content: Iterable[Quad], graph: Iri) -> list[Quad]:
    """The description of facts that a call retracted: each as a statement that the call's activity
    invalidated.
    """
    found: list[tuple[Iri, str, Term]] = []
    for at, ((subject, predicate, value), said_in) in enumerate(content):
        statement = Iri(f"{graph}:withdrawn:{at}")
        found += [
            (statement, f"{RDF}type", Iri(f"{RDF}Statement")),
            (statement, f"{RDF}subject", subject),
            (statement, f"{RDF}predicate", predicate),
            (statement, f"{RDF}object", value),
            (statement, f"{PROV}wasInvalidatedBy", Iri(f"{graph}:activity")),
            *([(statement, f"{PROV}wasQuotedFrom", said_in)] if said_in else []),
        ]
    return [((s, Iri(p), o), DESCRIPTIONS) for s, p, o in found]


class CallLog:
    """The calls of a session. A description has many times the size of its call, so it is made when
    it is asked for.
    """

    def __init__(self) -> None:
        self._calls: dict[Iri, list[tuple[Sequence[Triple], Call]]] = {}  # by their graph
        self._borrowed: dict[Triple, None] = {}

    def add(self, facts: Sequence[Triple], borrowed: Iterable[Triple], call: Call) -> None:
        """Note a call: its facts, and those about the ontology's own individuals that it is the
        first to mention.
        """
        kept = replace(call, arguments=dict(call.arguments))  # the caller's may change
        self._calls.setdefault(call.graph, []).append((facts, kept))
        self._borrowed |= dict.fromkeys(borrowed)

    def forget(self, documents: Collection[str]) -> set[Triple]:
        """Drop the calls that were read in some documents; returns the facts that are left."""
        for graph, calls in list(self._calls.items()):
            kept = [
                one
                for one in calls
                if one[1].source is None or one[1].source.document not in documents
            ]
            if kept:
                self._calls[graph] = kept
            else:
                del self._calls[graph]
        stated = {fact for calls in self._calls.values() for facts, _ in calls for fact in facts}
        return stated | set(self._borrowed)

    def quads(self, terms: Iterable[Triple] = ()) -> Iterator[Quad]:
        """All of it and what is said of the ontology's terms, by graph and then by triple: as
        ``written`` has it.
        """
        by_graph = sorted(self._calls.items())
        for graph, calls in by_graph:
            facts = {(s, p, as_stored(o)) for stated, _ in calls for s, p, o in stated}
            yield from ((fact, graph) for fact in sorted(facts, key=triple_key))
        labels = {one for _, calls in by_graph for _, call in calls for one in named(call.source)}
        documents = dict.fromkeys(sorted(labels, key=triple_key))
        yield from ((one, DESCRIPTIONS) for one in documents if str(one[0]) < CALL)
        for _, calls in by_graph:
            said = {
                quad for _, call in calls for quad in call.described(()) if quad[0] not in documents
            }
            yield from sorted(said, key=lambda one: triple_key(one[0]))
        yield from ((one, DESCRIPTIONS) for one in documents if str(one[0]) >= CALL)
        borrowed = {(s, p, as_stored(o)) for s, p, o in (*self._borrowed, *terms)}
        yield from ((one, TBOX) for one in sorted(borrowed, key=triple_key))


@dataclass(frozen=True)
class Origin:
    """A call that stated something, as the provenance describes it: where it was read."""

    call: str
    source: str
    start: int | None = None
    end: int | None = None
    answer: str = ""  # of an outside tool


def origins(writer: QuadWriter, triples: Iterable[Triple]) -> list[Origin]:
    """The calls that stated some facts, each once."""
    graphs = dict.fromkeys(graph for triple in triples for graph in writer.graphs_of(triple))
    return [_origin(writer, graph) for graph in graphs if graph not in (TBOX, DESCRIPTIONS)]


def _origin(writer: QuadWriter, graph: Iri) -> Origin:
    def first(subject: Iri | None, predicate: str) -> Any:
        values = writer.values(subject, predicate, DESCRIPTIONS) if subject else []
        return next((v.text if isinstance(v, Literal) else v for v in values), None)

    activity, source = first(graph, f"{PROV}wasGeneratedBy"), first(graph, DERIVED)
    span = first(graph, f"{OA}hasSelector")
    start, end = first(span, f"{OA}start"), first(span, f"{OA}end")
    answer = first(source, f"{PROV}value")
    asked = first(first(source, f"{PROV}wasGeneratedBy"), f"{RDFS}label")
    named = str(asked or first(source, f"{RDFS}label") or source or "")
    return Origin(
        str(first(activity, f"{RDFS}label") or graph),
        named,
        int(start) if start is not None else None,
        int(end) if end is not None else None,
        str(answer or ""),
    )


def document_iri(document: str) -> Iri:
    """The IRI of a document: its own if its name is one, else one made of the name."""
    return (
        Iri(document) if is_iri(document) else Iri(f"urn:kgnb:document:{quote(document, safe='')}")
    )

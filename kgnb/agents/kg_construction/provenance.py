"""Where facts come from: one named graph a call, described with PROV-O and character positions."""

from __future__ import annotations

import hashlib
import json
import pickle
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from tempfile import TemporaryFile, gettempdir
from typing import IO, Any
from urllib.parse import quote

import numpy as np

from kgnb.agents.kg_construction.tool_values import Source
from kgnb.errors import BackendError
from kgnb.kg.prefixes import PREFIXES
from kgnb.kg.quads import Quad, as_stored
from kgnb.kg.terms import RDF, RDFS, XSD, Iri, Literal, Term, Triple, is_iri, triple_key

PROV = PREFIXES["prov"]
OA = "http://www.w3.org/ns/oa#"
CALL = "urn:kgnb:call:"
_DIGITS = 24
_NEAR = 4_000_000  # bytes of calls that stay in memory
DESCRIPTIONS = Iri("urn:kgnb:provenance")
"""The named graph that says where the others come from."""
TBOX = Iri("urn:kgnb:tbox")
"""The named graph of what was copied out of the ontology: types and labels of its own individuals."""


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
        span = [source.document, source.start, source.end] if source else None
        said = json.dumps([self.tool, self.arguments, span], sort_keys=True, ensure_ascii=True, default=str)
        return Iri(f"{CALL}{hashlib.sha256(said.encode()).hexdigest()[:_DIGITS]}")

    def described(self, facts: Iterable[Triple]) -> list[Quad]:
        """The facts in the call's graph, and the description of that graph; the document's name comes last."""
        said = json.dumps(self.arguments, sort_keys=True, ensure_ascii=False, default=str)
        graph, source = self.graph, self.source
        activity = Iri(f"{graph}:activity")
        about: list[tuple[Iri, str, Iri | Literal]] = [
            (graph, f"{RDF}type", Iri(f"{PROV}Entity")),
            (graph, f"{PROV}wasGeneratedBy", activity),
            (activity, f"{RDF}type", Iri(f"{PROV}Activity")),
            (activity, f"{RDFS}label", Literal(f"{self.tool} {said}")),
        ]
        if source is not None:
            about.append((graph, f"{PROV}wasDerivedFrom", document_iri(source.document)))
        if source is not None and source.start is not None:
            span = Iri(f"{graph}:span")
            about += [
                (graph, f"{OA}hasSelector", span),
                (span, f"{RDF}type", Iri(f"{OA}TextPositionSelector")),
                (span, f"{OA}start", Literal(str(source.start), None, f"{XSD}integer")),
                (span, f"{OA}end", Literal(str(source.end), None, f"{XSD}integer")),
            ]
        triples: list[Triple] = [*((s, Iri(p), o) for s, p, o in about), *named(source)]
        return [*((fact, graph) for fact in facts), *((one, DESCRIPTIONS) for one in triples)]


def named(source: Source | None) -> list[Triple]:
    """The label of a source's document."""
    return [(document_iri(source.document), Iri(f"{RDFS}label"), Literal(source.document))] if source else []


def withdrawn(content: Iterable[Quad], graph: Iri) -> list[Quad]:
    """The description of facts that a call retracted: each as a statement that the call's activity invalidated."""
    found: list[tuple[Iri, str, Term]] = []
    for at, ((subject, predicate, value), said_in) in enumerate(content):
        statement = Iri(f"{graph}:withdrawn:{at}")
        found += [
            (statement, f"{RDF}type", Iri(f"{RDF}Statement")), (statement, f"{RDF}subject", subject),
            (statement, f"{RDF}predicate", predicate), (statement, f"{RDF}object", value),
            (statement, f"{PROV}wasInvalidatedBy", Iri(f"{graph}:activity")),
            *([(statement, f"{PROV}wasQuotedFrom", said_in)] if said_in else []),
        ]  # fmt: skip
    return [((s, Iri(p), o), DESCRIPTIONS) for s, p, o in found]


class CallLog:
    """Calls in a temporary file of its own, so that provenance takes no memory, however many calls there are.

    The description of a call has many times the size of its facts; it is made of the call when it is asked for.
    """

    def __init__(self) -> None:
        self._file: IO[bytes] | None = None
        self._far, self._near = 0, bytearray()  # bytes in the file, and those that are not yet
        self._names = bytearray()  # of the calls' graphs, 24 digits each
        self._starts = array("Q")
        self._borrowed: dict[Triple, None] = {}
        self._documents: dict[Triple, None] = {}

    def add(self, facts: Sequence[Triple], borrowed: Iterable[Triple], call: Call) -> None:
        """Note a call: its facts, and those about the ontology's own individuals that it is the first to mention."""
        if len(self._near) >= _NEAR:
            self._move()
        self._borrowed |= dict.fromkeys(borrowed)
        self._documents |= dict.fromkeys(named(call.source))
        self._names += call.graph[-_DIGITS:].encode()
        self._starts.append(self._far + len(self._near))
        self._near += pickle.dumps((facts, call.tool, call.arguments, call.source), 5)

    def _move(self) -> None:
        """Move calls from memory into the file; all of them stay in memory where that fails."""
        try:
            self._file = self._file or TemporaryFile(buffering=0)  # noqa: SIM115  # as long as this
            self._file.seek(self._far)
            rest = bytes(self._near)
            while rest:
                rest = rest[self._file.write(rest) :]
        except OSError as error:
            raise BackendError(
                f"the fact could not be put into {gettempdir()}: {error.strerror or error}", service="temporary folder",
                fix="Make room there; nothing was written, the same call can be made again.",
            ) from error  # fmt: skip
        self._far += len(self._near)
        self._near.clear()

    def quads(self) -> Iterator[Quad]:
        """All of it, by graph and then by triple: as ``written`` has it."""
        for graph, calls in self._calls():
            facts = {(s, p, as_stored(o)) for call in calls for s, p, o in call[0]}
            yield from ((fact, graph) for fact in sorted(facts, key=triple_key))
        documents = sorted(self._documents, key=triple_key)
        yield from ((one, DESCRIPTIONS) for one in documents if str(one[0]) < CALL)
        for _, calls in self._calls():
            said = {quad for _, *call in calls for quad in Call(*call).described(()) if quad[0] not in self._documents}
            yield from sorted(said, key=lambda one: triple_key(one[0]))
        yield from ((one, DESCRIPTIONS) for one in documents if str(one[0]) >= CALL)
        borrowed = {(s, p, as_stored(o)) for s, p, o in self._borrowed}
        yield from ((one, TBOX) for one in sorted(borrowed, key=triple_key))

    def _calls(self) -> Iterator[tuple[Iri, list[Any]]]:
        """The calls of each graph, by its name."""
        names = np.frombuffer(bytes(self._names), f"S{_DIGITS}")
        for digits, places in groupby(map(int, np.argsort(names, kind="stable")), names.__getitem__):
            yield Iri(CALL + digits.decode()), [self._read(at) for at in places]

    def _read(self, at: int) -> Any:
        start, end = self._starts[at], self._starts[at + 1] if at + 1 < len(self._starts) else None
        if self._file is None or start >= self._far:
            return pickle.loads(self._near[start - self._far : end and end - self._far])
        self._file.seek(start)
        return pickle.loads(self._file.read((end or self._far) - start))


def document_iri(document: str) -> Iri:
    """The IRI of a document: its own if its name is one, else one made of the name."""
    return Iri(document) if is_iri(document) else Iri(f"urn:kgnb:document:{quote(document, safe='')}")

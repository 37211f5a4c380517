"""Where facts come from: one named graph a call, described with PROV-O and character positions."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import quote

from kgnb.agents.kg_construction.tool_values import Source
from kgnb.kg.prefixes import PREFIXES
from kgnb.kg.quads import Quad
from kgnb.kg.terms import RDF, RDFS, XSD, Iri, Literal, Term, Triple, is_iri

PROV = PREFIXES["prov"]
OA = "http://www.w3.org/ns/oa#"
CALL = "urn:kgnb:call:"
DESCRIPTIONS = Iri("urn:kgnb:provenance")
"""The named graph that says where the others come from."""
TBOX = Iri("urn:kgnb:tbox")
"""The named graph of what was copied out of the ontology: types and labels of its own individuals."""


def call_graph(tool: str, arguments: Mapping[str, Any], source: Source | None) -> Iri:
    """The named graph of a call: the same call on the same span has the same."""
    span = [source.document, source.start, source.end] if source else None
    said = json.dumps([tool, arguments, span], sort_keys=True, ensure_ascii=True, default=str)
    return Iri(f"{CALL}{hashlib.sha256(said.encode()).hexdigest()[:24]}")


def described(
    facts: Iterable[Triple], graph: Iri, tool: str, arguments: Mapping[str, Any], source: Source | None
) -> list[Quad]:
    """The facts in their graph, and what is to be said of that graph."""
    said = json.dumps(arguments, sort_keys=True, ensure_ascii=False, default=str)
    activity = Iri(f"{graph}:activity")
    about: list[tuple[Iri, str, Iri | Literal]] = [
        (graph, f"{RDF}type", Iri(f"{PROV}Entity")),
        (graph, f"{PROV}wasGeneratedBy", activity),
        (activity, f"{RDF}type", Iri(f"{PROV}Activity")),
        (activity, f"{RDFS}label", Literal(f"{tool} {said}")),
    ]
    if source is not None:
        document = document_iri(source.document)
        about += [(graph, f"{PROV}wasDerivedFrom", document), (document, f"{RDFS}label", Literal(source.document))]
        if source.start is not None:
            span = Iri(f"{graph}:span")
            about += [
                (graph, f"{OA}hasSelector", span),
                (span, f"{RDF}type", Iri(f"{OA}TextPositionSelector")),
                (span, f"{OA}start", Literal(str(source.start), None, f"{XSD}nonNegativeInteger")),
                (span, f"{OA}end", Literal(str(source.end), None, f"{XSD}nonNegativeInteger")),
            ]
    quads: list[Quad] = [(triple, graph) for triple in facts]
    return quads + [((s, Iri(p), o), DESCRIPTIONS) for s, p, o in about]


def withdrawn(content: Iterable[Quad], graph: Iri) -> list[Quad]:
    """What is to be said of facts that a call took back: each as a statement that the call's activity invalidated."""
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


def document_iri(document: str) -> Iri:
    """The IRI of a document: its own if its name is one, else one made of the name."""
    return Iri(document) if is_iri(document) else Iri(f"urn:kgnb:document:{quote(document, safe='')}")

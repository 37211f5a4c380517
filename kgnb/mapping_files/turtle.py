"""Turtle: one triple a mapping, with its other fields in an OWL axiom annotation with SSSOM's
properties.

Equivalent classes and properties become ``owl:equivalentClass`` and ``owl:equivalentProperty``,
individuals ``owl:sameAs``, other relations SKOS matches. A "different" or "unsure" mapping has no
triple, so it is only a comment. Characters not allowed in IRIs are percent-encoded. RDF has no
order, so mappings come back sorted.
"""

from __future__ import annotations

import re
from pathlib import Path

from kgnb.errors import DataError
from kgnb.kg.loading import load
from kgnb.kg.oxigraph_graph import OxigraphGraph
from kgnb.kg.terms import Blank, Iri, Literal
from kgnb.mapping_files import plain
from kgnb.mapping_files.plain import KNOWN, NAMESPACES, kind_of, predicate_of, relation_of
from kgnb.mappings import Alignment, Mapping, which_concepts

_KINDS = {
    "class": "owl:Class",
    "object property": "owl:ObjectProperty",
    "datatype property": "owl:DatatypeProperty",
    "annotation property": "owl:AnnotationProperty",
    "individual": "owl:NamedIndividual",
}
# RFC 3987, section 2.2: ucschar, and characters not allowed in an IRI; "%" only before two
# hexadecimal digits.
_UCS = "\u00a0-\ud7ff\uf900-\ufdcf\ufdf0-\uffef" + "".join(
    f"{chr(plane + (0x1000 if plane == 0xE0000 else 0))}-{chr(plane + 0xFFFD)}"
    for plane in range(0x10000, 0xF0000, 0x10000)
)
_FORBIDDEN = re.compile(rf"%(?![0-9A-Fa-f]{{2}})|[^A-Za-z0-9\-._~!$&'()*+,;=:@/?#%{_UCS}]")
_CONCEPT = NAMESPACES["skos"] + "Concept"
_USED = ("owl", "rdfs", "semapv", "skos", "sssom", "xsd")
_MATCHES = {
    iri: curie
    for iri, curie in KNOWN.items()
    if curie.startswith("owl:equivalent") or curie.endswith("Match")
}
_MATCHES[NAMESPACES["owl"] + "sameAs"] = "owl:sameAs"
_FIX = "Write owl:equivalentClass, owl:equivalentProperty, owl:sameAs or SKOS matches between IRIs."


def write(alignment: Alignment) -> str:
    """The alignment as Turtle text."""
    lines = [f"@prefix {prefix}: <{NAMESPACES[prefix]}> ." for prefix in _USED]
    sides = [
        f"{slot} {_iri(iri) if ':' in iri else _literal(iri)}"
        for slot, iri in (
            ("sssom:subject_source", alignment.source),
            ("sssom:object_source", alignment.target),
        )
        if iri
    ]
    lines += ["", " ;\n   ".join(["[] a sssom:MappingSet", *sides]) + " ."] if sides else []
    for mapping in alignment:
        lines += ["", *_statement(plain.checked(mapping))]
    return "\n".join([*lines, ""])


def _statement(mapping: Mapping) -> list[str]:
    source, target, predicate = _iri(mapping.source), _iri(mapping.target), predicate_of(mapping)
    if mapping.relation in {"different", "unsure"}:
        return [f"# {mapping.relation}: {source} {target}"]
    about = [
        "[] a owl:Axiom",
        f"owl:annotatedSource {source}",
        f"owl:annotatedProperty {predicate}",
        f"owl:annotatedTarget {target}",
        f'sssom:confidence "{mapping.confidence!r}"^^xsd:double',
        f"sssom:subject_type {_type(mapping, 'source')}",
        *([f"sssom:object_type {_type(mapping, 'target')}"] if mapping.concepts else []),
        f"sssom:mapping_justification {_justification(mapping.justification)}",
    ]
    for slot, text in (
        ("sssom:subject_label", mapping.source_label),
        ("sssom:object_label", mapping.target_label),
        ("sssom:mapping_tool", mapping.judged_by),
        ("rdfs:comment", mapping.rationale),
    ):
        about += [f"{slot} {_literal(text)}"] if text else []
    return [f"{source} {predicate} {target} .", " ;\n   ".join(about) + " ."]


def _type(mapping: Mapping, side: str) -> str:
    return (
        "skos:Concept"
        if mapping.is_concept(side)
        else _KINDS.get(mapping.kind) or _literal(mapping.kind)
    )


def _iri(iri: str) -> str:
    safe = _FORBIDDEN.sub(lambda found: "".join(f"%{byte:02X}" for byte in found[0].encode()), iri)
    path, mark, fragment = safe.partition("#")
    return f"<{path}{mark}{fragment.replace('#', '%23')}>"


def _literal(text: str) -> str:
    escaped = re.sub('[\x00-\x1f"\\\\\x7f]', lambda found: f"\\u{ord(found[0]):04X}", text)
    return f'"{escaped}"'


def _justification(name: str) -> str:
    return name if re.fullmatch(r"semapv:\w+", name) else _literal(name)


def read(path: Path) -> Alignment:
    """The alignment in a Turtle file, sorted; DataError names file and line, also for a file
    without a match.
    """
    where, graph = str(path), OxigraphGraph()
    load(graph, path)
    triples = graph.triples()
    graph.close()
    about: dict[str, dict[str, str]] = {}
    for subject, predicate, object in triples:
        if isinstance(subject, Blank) and isinstance(object, Iri | Literal):
            value = object.text if isinstance(object, Literal) else str(object)
            about.setdefault(subject.label, {}).setdefault(predicate, value)
    known = {
        tuple(
            slots.get(f"{NAMESPACES['owl']}annotated{part}")
            for part in ("Source", "Property", "Target")
        ): slots
        for slots in about.values()
    }
    mappings = tuple(
        _mapping(str(subject), predicate, str(object), known, where)
        for subject, predicate, object in sorted(
            triples, key=lambda triple: (str(triple[0]), str(triple[2]), triple[1])
        )
        if predicate in _MATCHES and isinstance(subject, Iri) and isinstance(object, Iri)
    )
    sets = [
        slots
        for slots in about.values()
        if slots.get(f"{NAMESPACES['rdf']}type") == NAMESPACES["sssom"] + "MappingSet"
    ]
    if not mappings and not sets:
        raise DataError("there is no match in it", where=where, fix=_FIX)
    slots = sets[0] if sets else {}
    return Alignment(
        mappings,
        source=slots.get(NAMESPACES["sssom"] + "subject_source", ""),
        target=slots.get(NAMESPACES["sssom"] + "object_source", ""),
    )


def _mapping(
    source: str,
    predicate: str,
    target: str,
    known: dict[tuple[str | None, ...], dict[str, str]],
    where: str,
) -> Mapping:
    slots = known.get((source, predicate, target), {})

    def slot(name: str) -> str:
        return slots.get(NAMESPACES["sssom"] + name, "")

    kinds = {
        f"{NAMESPACES['owl']}{curie.partition(':')[2]}": kind for kind, curie in _KINDS.items()
    }
    curie, kind, justification = (
        _MATCHES[predicate],
        slot("subject_type"),
        slot("mapping_justification"),
    )
    try:
        return plain.checked(
            Mapping(
                source,
                target,
                relation=relation_of(curie) or "related",
                confidence=float(slot("confidence") or 1.0),
                kind="class" if kind == _CONCEPT else kinds.get(kind, kind) or kind_of(curie),
                concepts=which_concepts(kind == _CONCEPT, slot("object_type") == _CONCEPT),
                source_label=slot("subject_label"),
                target_label=slot("object_label"),
                justification=justification.replace(NAMESPACES["semapv"], "semapv:")
                or "semapv:UnspecifiedMatching",
                judged_by=slot("mapping_tool"),
                rationale=slots.get(NAMESPACES["rdfs"] + "comment", ""),
            )
        )
    except ValueError as error:
        raise DataError(
            str(error), where=where, fix="A confidence is a number between 0 and 1."
        ) from error

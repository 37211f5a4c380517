"""OAEI Alignment RDF (the Alignment API's format, level 0), written strictly and read leniently.

The format has source, target, relation and measure. Other fields of a mapping go into ``details``
elements of our own namespace: the Alignment API and MELT skip elements of foreign namespaces as
extensions.

``<`` says that the source is subsumed by the target (our "broader": the target is broader), ``>``
the reverse.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import Any, TypeVar
from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

from kgnb.errors import DataError
from kgnb.mapping_files import plain
from kgnb.mapping_files.plain import KGNB
from kgnb.mappings import Alignment, Dropped, Mapping, Relation

ALIGNMENT = "http://knowledgeweb.semanticweb.org/heterogeneity/alignment#"
_SIGNS: dict[Relation, str] = {
    "equivalent": "=",
    "broader": "<",
    "narrower": ">",
    "different": "%",
    "related": "?",  # not in the format; ``details`` tells the two apart
    "unsure": "?",
}
_WORDS: dict[Relation, str] = {  # signs, and the Alignment API's Java classes
    "equivalent": "= equivrelation equivalence",
    "broader": "< subsumedrelation subsumption",
    "narrower": "> subsumerelation",
    "different": "% incompatrelation",
    "related": "~> instanceof hasinstance instanceofrelation hasinstancerelation nontransitiveimplicationrelation",
    "unsure": "?",
}
_RELATIONS = {word: relation for relation, words in _WORDS.items() for word in words.split()}
T = TypeVar("T")

_FIX = "An alignment is an <Alignment> element with <map><Cell> elements (OAEI Alignment format)."
_ILLEGAL = re.compile(
    "[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"
)  # XML 1.0, section 2.2


def write(alignment: Alignment) -> str:
    """The alignment as RDF/XML text."""
    sources = [mapping.source for mapping in alignment]
    targets = [mapping.target for mapping in alignment]
    one_to_one = len(set(sources)) == len(sources) and len(set(targets)) == len(targets)
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        f'<rdf:RDF xmlns="{ALIGNMENT}"',
        '         xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"',
        '         xmlns:xsd="http://www.w3.org/2001/XMLSchema#"',
        f'         xmlns:kgnb="{KGNB}">',
        "<Alignment>",
        "  <xml>yes</xml>",
        "  <level>0</level>",
        f"  <type>{'11' if one_to_one else '**'}</type>",
    ]
    lines += _ontology("onto1", alignment.source) + _ontology("onto2", alignment.target)
    lines += [_details(note, "note", "  ") for note in alignment.notes]
    lines += [
        _details(plain.dropped_json(dropped), "dropped", "  ") for dropped in alignment.dropped
    ]
    lines += [
        _details(plain.mapping_json(plain.checked(mapping)), "unsure", "  ")
        for mapping in alignment.unsure
    ]
    for mapping in alignment:
        lines += _cell(plain.checked(mapping))
    return "\n".join([*lines, "</Alignment>", "</rdf:RDF>", ""])


def _ontology(element: str, iri: str) -> list[str]:
    if not iri:
        return []
    return [f"  <{element}>", f"    <Ontology rdf:about={_attribute(iri)}/>", f"  </{element}>"]


def _cell(mapping: Mapping) -> list[str]:
    known = plain.mapping_json(mapping)
    more = {
        name: value
        for name, value in known.items()
        if name not in {"source", "target", "confidence", "relation"}
    }
    if mapping.relation == "related":
        more["relation"] = mapping.relation
    return [
        "  <map>",
        "    <Cell>",
        f"      <entity1 rdf:resource={_attribute(mapping.source)}/>",
        f"      <entity2 rdf:resource={_attribute(mapping.target)}/>",
        f'      <measure rdf:datatype="http://www.w3.org/2001/XMLSchema#float">{mapping.confidence!r}</measure>',
        f"      <relation>{escape(_SIGNS[mapping.relation])}</relation>",
        *([_details(more, "details", "      ")] if more else []),
        "    </Cell>",
        "  </map>",
    ]


def _attribute(iri: str) -> str:
    if _ILLEGAL.search(iri):
        raise ValueError(f"{iri!r} cannot be written in XML: it holds a control character")
    return quoteattr(iri, {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"})


def _details(value: object, element: str, indent: str) -> str:
    # JSON escapes encode the characters that XML cannot hold.
    text = _ILLEGAL.sub(lambda found: f"\\u{ord(found[0]):04x}", plain.dumps(value))
    return f"{indent}<kgnb:{element}>{escape(text)}</kgnb:{element}>"


def read(content: bytes, where: str) -> Alignment:
    """The alignment in RDF/XML bytes; DataError names file and line.

    Accepts what real files contain: white space before the prolog, single quotes, relative
    datatypes, ``http`` or prefixed alignment namespaces, ontologies as text or as elements,
    entities declared in the file, no measure or one above 1.
    """
    root = parse(content, where)
    alignment = root if root.name == "Alignment" else root.first("Alignment")
    if alignment is None:
        what = (
            "an ontology" if root.first("Ontology", "Class", "ObjectProperty") else f"<{root.name}>"
        )
        raise DataError(f"this is {what}, not an alignment", where=f"{where}:{root.line}", fix=_FIX)
    own = [child for child in alignment.children if child.namespace == KGNB]
    cells = [cell for child in alignment.all("map") for cell in child.all("Cell")]

    def written(name: str, kind: type[T]) -> list[T]:
        return [
            plain.loads(kind, child.text, f"{where}:{child.line}")
            for child in own
            if child.name == name
        ]

    above = sum(_measure(cell, f"{where}:{cell.line}") > 1.0 for cell in cells)
    return Alignment(
        mappings=tuple(_mapping(cell, where) for cell in cells),
        source=_ontology_iri(alignment, "onto1", "uri1"),
        target=_ontology_iri(alignment, "onto2", "uri2"),
        dropped=tuple(written("dropped", Dropped)),
        unsure=tuple(written("unsure", Mapping)),
        notes=(
            *written("note", str),
            *([f"{above} measures above 1 were read as 1"] if above else []),
        ),
    )


def _ontology_iri(alignment: Element, element: str, fallback: str) -> str:
    found = alignment.first(element)
    if found is not None:
        inner = found.first("Ontology")
        iri = (
            inner.attribute("about")
            if inner is not None
            else found.attribute("resource") or found.text.strip()
        )
        if iri:
            return iri
    found = alignment.first(fallback)
    return (found.attribute("resource") or found.text.strip()) if found is not None else ""


def _mapping(cell: Element, where: str) -> Mapping:
    at = f"{where}:{cell.line}"
    source, target = (_entity(cell, name, at) for name in ("entity1", "entity2"))
    details = cell.first("details")
    own = details is not None and details.namespace == KGNB
    more = plain.loads(dict[str, Any], details.text, at) if details is not None and own else {}
    relation = more.pop("relation", None) or _relation(cell, at)
    return plain.read_mapping(
        more
        | {
            "source": source,
            "target": target,
            "relation": relation,
            "confidence": min(_measure(cell, at), 1.0),
        },
        at,
    )


def _entity(cell: Element, name: str, at: str) -> str:
    element = cell.first(name)
    if element is None:
        raise DataError(f"a <Cell> lacks its <{name}>", where=at, fix=_FIX)
    inner = (
        element.children[0]
        if len(element.children) == 1 and not element.children[0].children
        else None
    )
    iri = element.attribute("resource") or (
        inner.attribute("about") if inner is not None else element.text.strip()
    )
    if element.children and inner is None:
        raise DataError(
            f"<{name}> is an expression, not an entity",
            where=at,
            fix="Complex (EDOAL) cells are not read; remove them.",
        )
    if not iri:
        raise DataError(
            f"<{name}> names no entity", where=at, fix='Write <entity1 rdf:resource="IRI"/>.'
        )
    return iri


def _relation(cell: Element, at: str) -> Relation:
    element = cell.first("relation")
    sign = element.text.strip() if element is not None else "="
    relation = _RELATIONS.get(
        sign.rsplit(".", 1)[-1].lower()
    )  # also the Alignment API's Java class names
    if relation is None:
        raise DataError(
            f"the relation {sign[:40]!r} is unknown", where=at, fix="Use one of =, <, >, % and ?."
        )
    return relation


def _measure(cell: Element, at: str) -> float:
    """The measure, which LogMap and float noise may push above 1; 1 by default."""
    element = cell.first("measure")
    text = element.text.strip() if element is not None else ""
    try:
        measure = float(text) if text else 1.0
    except ValueError:
        measure = math.nan
    if not 0.0 <= measure < math.inf:
        raise DataError(
            f"the measure {text[:40]!r} is not between 0 and 1",
            where=at,
            fix="Write it as in 0.75.",
        )
    return measure


MAX_ENTITY = 400  # characters: enough for a namespace, too few for an entity bomb
MAX_DEPTH = 100


@dataclass(slots=True)
class Element:
    """One element: its local name, namespace, attributes by local name, children, own text and
    line.
    """

    name: str
    namespace: str
    line: int
    attributes: dict[str, str] = field(default_factory=dict)
    children: list[Element] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The element's own text, without that of its children."""
        return "".join(self.texts)

    def attribute(self, name: str) -> str:
        """An attribute by its local name, or ""."""
        return self.attributes.get(name, "").strip()

    def all(self, name: str) -> list[Element]:
        """The children of that local name."""
        return [child for child in self.children if child.name == name]

    def first(self, *names: str) -> Element | None:
        """The first child of one of those local names, or None."""
        return next((child for child in self.children if child.name in names), None)


def parse(content: bytes, where: str) -> Element:
    """The root element; DataError with file and line for malformed or unsafe content."""
    body = content.removeprefix(b"\xef\xbb\xbf").lstrip()  # real files put tabs before the prolog
    skipped = content[: len(content) - len(body)].count(b"\n")
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
    root = Element("", "", 0)
    stack = [root]

    def at() -> str:
        return f"{where}:{parser.CurrentLineNumber + skipped}"

    def start(name: str, attributes: dict[str, str]) -> None:
        if len(stack) > MAX_DEPTH:
            raise DataError(
                f"elements nest deeper than {MAX_DEPTH}",
                where=at(),
                fix="This is not an alignment file.",
            )
        namespace, _, local = name.rpartition(" ")
        element = Element(local, namespace, parser.CurrentLineNumber + skipped)
        element.attributes = {key.rpartition(" ")[2]: value for key, value in attributes.items()}
        stack[-1].children.append(element)
        stack.append(element)

    def end(_: str) -> None:
        stack.pop()

    def text(data: str) -> None:
        stack[-1].texts.append(data)

    def entity(name: str, parameter: bool, value: str | None, *_: str | None) -> None:
        if value is None or parameter or "&" in value or len(value) > MAX_ENTITY:
            what = f"the entity {name!r} refers to another file, or unfolds too far"
            raise DataError(what, where=at(), fix="Remove the entity declarations from the file.")

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = text
    parser.EntityDeclHandler = entity
    try:
        parser.Parse(body, True)
    except expat.ExpatError as error:
        message = expat.errors.messages.get(error.code, "error")
        raise DataError(
            f"is not well-formed XML: {message}",
            where=f"{where}:{error.lineno + skipped}",
            fix="Look at that line; a file in another format needs another suffix (.sssom.tsv, .ttl).",
        ) from error
    except (
        LookupError,
        ValueError,
    ) as error:  # an encoding that Python does not know or cannot hand to expat
        raise DataError(
            f"cannot be decoded: {error}", where=where, fix="Save the file as UTF-8."
        ) from error
    return root.children[0]

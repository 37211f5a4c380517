"""Sloppy RDF made strict: what real files get wrong, mended where the meaning is plain, and counted.

``Mender`` mends parsed quads (pyoxigraph's lenient mode lets them through, and what it lets through could not be read
back); ``mend_text`` rewrites what no parser accepts.
"""

from __future__ import annotations

import html.entities
import re
from collections import Counter
from collections.abc import Callable
from urllib.parse import quote, urljoin

import pyoxigraph as ox

from kgnb.errors import DataError
from kgnb.kg.hazards import TURTLE, markup
from kgnb.kg.oxigraph_terms import OxTerm
from kgnb.kg.prefixes import PREFIXES

_BAD_IRI = re.compile(
    r"[\x00-\x20<>\"{}|\\^`\x7f-\x9f\ud800-\udfff]|%(?![0-9A-Fa-f]{2})|^(?![A-Za-z][A-Za-z0-9+.\-]*:)"
)
_BAD_CHARACTER = re.compile(r"[\x00-\x20<>\"{}|\\^`\x7f-\x9f]|%(?![0-9A-Fa-f]{2})")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:")
_LANGUAGE = re.compile(r"[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*")


class Mender:
    """Mends quads and keeps count: ``counts`` by kind, ``examples`` with the first of each."""

    def __init__(self, base: str, counts: Counter[str], examples: dict[str, str]) -> None:
        self.base = base
        self.counts = counts
        self.examples = examples
        self._iris: dict[str, ox.NamedNode] = {}

    def note(self, kind: str, before: str, after: str) -> None:
        """Count one mend of this kind."""
        self.counts[kind] += 1
        self.examples.setdefault(kind, f"{before!r:.120} became {after!r:.120}")

    def quad(self, quad: ox.Quad) -> ox.Quad:
        """The quad with every term strict."""
        graph = quad.graph_name
        return ox.Quad(
            self._resource(quad.subject),
            self._iri(quad.predicate),
            self._term(quad.object),
            self._iri(graph) if isinstance(graph, ox.NamedNode) else graph,
        )

    def _resource(self, node: ox.NamedNode | ox.BlankNode | ox.Triple) -> ox.NamedNode | ox.BlankNode:
        if isinstance(node, ox.Triple):
            raise DataError("a triple term stands where a subject belongs", where="RDF 1.2")
        return self._iri(node) if isinstance(node, ox.NamedNode) else node

    def _term(self, term: OxTerm) -> OxTerm:
        if isinstance(term, ox.NamedNode):
            return self._iri(term)
        if isinstance(term, ox.Literal):
            return self._literal(term)
        if isinstance(term, ox.Triple):
            return ox.Triple(self._resource(term.subject), self._iri(term.predicate), self._term(term.object))
        return term

    def _iri(self, node: ox.NamedNode) -> ox.NamedNode:
        known = self._iris.get(node.value)
        if known is None:
            known = self._iris[node.value] = self._mended_iri(node.value)
        elif known.value != node.value:
            self.counts[_kind_of_iri(node.value)] += 1
        return known

    def _mended_iri(self, value: str) -> ox.NamedNode:
        iri = value
        if _BAD_IRI.search(iri):
            iri = _BAD_CHARACTER.sub(lambda bad: quote(bad[0], safe=""), iri.strip())
            if not _SCHEME.match(iri):
                iri = urljoin(self.base, iri)
        for attempt in (iri, _all_quoted(iri)):
            try:
                node = ox.NamedNode(attempt)
            except ValueError:
                continue
            if attempt != value:
                self.note(_kind_of_iri(value), value, attempt)
            return node
        raise DataError(f"not an IRI, and it cannot be made one: {value!r:.200}", where="RDF data")

    def _literal(self, literal: ox.Literal) -> ox.Literal:
        tag = literal.language
        if tag is None:
            datatype = literal.datatype
            mended = self._iri(datatype)
            return literal if mended.value == datatype.value else ox.Literal(literal.value, datatype=mended)
        if _LANGUAGE.fullmatch(tag):
            return literal
        better = mended_tag(tag)
        if not tag:
            self.note("empty language tags dropped", f"{literal.value:.40}@", literal.value[:40])
        elif better:
            self.note("language tags mended", tag, better)
        else:
            self.note("language tags dropped", tag, "")
        return ox.Literal(literal.value, language=better) if better else ox.Literal(literal.value)


def mended_tag(tag: str) -> str:
    """The language tag this must mean (``en_US`` is ``en-US``), or "" where it means none.

    >>> mended_tag("en_US"), mended_tag("english (uk)"), mended_tag("?")
    ('en-US', 'english-uk', '')
    """
    candidate = re.sub(r"[^A-Za-z0-9]+", "-", tag).strip("-")
    return candidate if _LANGUAGE.fullmatch(candidate) else ""


def mend_text(text: str, is_xml: bool, note: Callable[[str, str, str], None]) -> str:
    """The text with what no parser accepts rewritten; ``note`` hears of each change. Line breaks stay."""
    return _mend_xml(text, note) if is_xml else _mend_turtle(text, note)


def _kind_of_iri(value: str) -> str:
    return "characters percent-encoded in IRIs" if _SCHEME.match(value) else "relative IRIs resolved against the base"


def _all_quoted(iri: str) -> str:
    scheme, _, rest = iri.partition(":")
    slashes = "//" if rest.startswith("//") else ""
    return f"{scheme}:{slashes}{quote(rest[len(slashes) :], safe='/%?=&;,.~-_@!$()*+' + chr(39))}"


_BAD_ESCAPE = re.compile(r"\\(u(?![0-9A-Fa-f]{4})|U(?![0-9A-Fa-f]{8})|[^tbnrf\"'\\uU])")
_BAD_IRI_ESCAPE = re.compile(r"\\(?!u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8})")


def _mend_turtle(text: str, note: Callable[[str, str, str], None]) -> str:
    def mend(match: re.Match[str]) -> str:
        if match["iri"]:
            better = _BAD_IRI_ESCAPE.sub("%5C", match["iri"])
            if better != match["iri"]:
                note("characters percent-encoded in IRIs", match["iri"], better)
            return better
        string, tag = match["string"], match["tag"]
        if string is None:
            return match[0]
        escaped = _BAD_ESCAPE.sub(r"\\\\\1", string)
        if escaped != string:
            note("unknown escapes in strings", string, escaped)
        if tag is None:
            return escaped
        better = mended_tag(tag)
        if better != tag:
            note("language tags mended" if better else "language tags dropped", tag, better)
        return f"{escaped}@{better}" if better else escaped

    return TURTLE.sub(mend, text)


_NOT_XML = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|&#(?:[0-8]|1[124-9]|2[0-9]|3[01]|x0*(?:[0-8bcefBCEF]|1[0-9a-fA-F]));"
)
_ENTITY = re.compile(r"&(?:([A-Za-z_][\w.\-]*);|(?!#\d+;|#x[0-9A-Fa-f]+;))")
_DECLARED = re.compile(r"<!ENTITY\s+([\w.\-]+)\s")
_SINGLE = re.compile(r"(<!ENTITY\s+[\w.\-]+\s+)'([^']*)'")
_NAMESPACE = re.compile(r"""xmlns:([\w.\-]+)\s*=\s*["']([^"'&]*)["']""")
_NAME = re.compile(r"[^\W\d][\w.\-]*")


def _mend_xml(text: str, note: Callable[[str, str, str], None]) -> str:
    namespaces = dict(_NAMESPACE.findall(text[:65536]))
    rdf = next((prefix for prefix, iri in namespaces.items() if iri == PREFIXES["rdf"]), "rdf")
    identifier = re.compile(rf"""(\s){re.escape(rdf)}:(ID|nodeID)(\s*=\s*)(["'])(.*?)\4""", re.DOTALL)
    declared = {"amp", "lt", "gt", "quot", "apos", *_DECLARED.findall(text)}

    def character(match: re.Match[str]) -> str:
        note("characters that XML forbids removed", match[0], "")
        return ""

    def entity(match: re.Match[str]) -> str:
        name = match[1]
        if name is None:
            note("bare & escaped", "&", "&amp;")
            return "&amp;"
        if name in declared:
            return match[0]
        meant = html.entities.html5.get(f"{name};") or namespaces.get(name) or PREFIXES.get(name)
        if meant is None:
            return match[0]
        note("undeclared entities resolved", match[0], meant)
        return "".join(f"&#{ord(c)};" for c in meant) if name + ";" in html.entities.html5 else html.escape(meant)

    def named(match: re.Match[str]) -> str:
        space, kind, equals, mark, value = match.groups()
        if _NAME.fullmatch(value):
            return match[0]
        better = f"#{value}" if kind == "ID" else "n" + re.sub(r"\W", lambda c: f"_{ord(c[0]):x}", value)
        note(f"rdf:{kind} that is not an XML name", value, better)
        return f"{space}{rdf}:{'about' if kind == 'ID' else kind}{equals}{mark}{better}{mark}"

    def plain(part: str) -> str:
        return identifier.sub(named, _ENTITY.sub(entity, part))

    def single(match: re.Match[str]) -> str:
        return f'{match[1]}"{match[2].replace(chr(34), "&#34;")}"'

    text = _NOT_XML.sub(character, text)
    pieces: list[str] = []
    end = 0
    for begin, after in markup(text):
        if text[begin + 1] in "!?":  # comments, CDATA, instructions and the DOCTYPE are left as they are
            pieces += [plain(text[end:begin]), _SINGLE.sub(single, text[begin:after])]
            end = after
    return "".join([*pieces, plain(text[end:])])

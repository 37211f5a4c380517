"""Sloppy and hostile RDF: what no parser accepts is rewritten and counted; what harms a parser is
refused first.

Refused are XML entities that multiply, elements and JSON nested so deep that the engine takes
minutes, quoted triples nested so deep that it ends the process (pyoxigraph 0.5: a signal, nothing
to catch). Every scan is linear: a token that is never closed reaches to the end of the text.
"""

from __future__ import annotations

import html
import html.entities
import re
from collections import Counter
from contextlib import suppress
from urllib.parse import quote, urljoin
from xml.parsers import expat

import pyoxigraph as ox

from kgnb.errors import DataError
from kgnb.kg.oxigraph_graph import OxTerm
from kgnb.kg.prefixes import PREFIXES

_BAD_CHARACTER = re.compile(r"[\x00-\x20<>\"{}|\\^`\x7f-\x9f]|%(?![0-9A-Fa-f]{2})")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:")
_LANGUAGE = re.compile(r"[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*")


class Mends:
    """What was repaired: ``counts`` by kind, and the first of each in ``examples``."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.examples: dict[str, str] = {}

    def note(self, kind: str, before: str, after: str) -> None:
        """Count one repair of this kind."""
        self.counts[kind] += 1
        self.examples.setdefault(kind, f"{before!r:.120} became {after!r:.120}")

    def add(self, other: Mends) -> None:
        """Count what was repaired elsewhere, too."""
        self.counts += other.counts
        self.examples = {**other.examples, **self.examples}


class Mender:
    """Makes quads strict, relative IRIs resolved against ``base``."""

    def __init__(self, base: str, mends: Mends) -> None:
        self.base = base
        self.mends = mends
        self._iris: dict[str, ox.NamedNode] = {}

    def quad(self, quad: ox.Quad) -> ox.Quad:
        """The quad with every term strict; raises DataError where that cannot be."""
        graph = quad.graph_name
        return ox.Quad(
            self._resource(quad.subject),
            self._iri(quad.predicate),
            self._term(quad.object),
            self._iri(graph) if isinstance(graph, ox.NamedNode) else graph,
        )

    def _resource(
        self, node: ox.NamedNode | ox.BlankNode | ox.Triple
    ) -> ox.NamedNode | ox.BlankNode:
        if isinstance(node, ox.Triple):
            raise DataError("a triple term is used as a subject", where="RDF 1.2")
        return self._iri(node) if isinstance(node, ox.NamedNode) else node

    def _term(self, term: OxTerm) -> OxTerm:
        if isinstance(term, ox.NamedNode):
            return self._iri(term)
        if isinstance(term, ox.Literal):
            return self._literal(term)
        if isinstance(term, ox.Triple):
            return ox.Triple(
                self._resource(term.subject), self._iri(term.predicate), self._term(term.object)
            )
        return term

    def _iri(self, node: ox.NamedNode) -> ox.NamedNode:
        return self.iri(node.value)

    def iri(self, value: str) -> ox.NamedNode:
        """The IRI, mended where it is malformed, which is counted."""
        known = self._iris.get(value)
        if known is None:
            known = self._iris[value] = self.mended_iri(value)
        if known.value != value:
            absolute = _SCHEME.match(value) is not None
            kind = (
                "characters percent-encoded in IRIs"
                if absolute
                else "relative IRIs resolved against the base"
            )
            self.mends.note(kind, value, known.value)
        return known

    def mended_iri(self, value: str) -> ox.NamedNode:
        """The IRI that a malformed one must mean; raises DataError where there is none."""
        iri = value
        if _BAD_CHARACTER.search(iri) or not _SCHEME.match(iri):
            iri = _BAD_CHARACTER.sub(lambda bad: quote(bad[0], safe=""), iri.strip())
            if not _SCHEME.match(iri):
                iri = urljoin(self.base, iri)
        scheme, _, rest = iri.partition(":")
        slashes = "//" if rest.startswith("//") else ""
        quoted = (
            f"{scheme}:{slashes}{quote(rest[len(slashes) :], safe='/%?=&;,.~-_@!$()*+' + chr(39))}"
        )
        for attempt in (iri, quoted):
            with suppress(ValueError):
                return ox.NamedNode(attempt)
        raise DataError(f"not an IRI, and it cannot be made one: {value!r:.200}", where="RDF data")

    def _literal(self, literal: ox.Literal) -> ox.Literal:
        tag = literal.language
        if tag is None:
            datatype = literal.datatype
            mended = self._iri(datatype)
            return (
                literal
                if mended.value == datatype.value
                else ox.Literal(literal.value, datatype=mended)
            )
        if _LANGUAGE.fullmatch(tag):
            return literal
        better = mended_tag(tag, self.mends) if tag else ""
        if not tag:
            self.mends.note(
                "empty language tags dropped", f"{literal.value:.40}@", literal.value[:40]
            )
        return ox.Literal(literal.value, language=better) if better else ox.Literal(literal.value)


def mended_tag(tag: str, mends: Mends) -> str:
    """The language tag this must mean, or "" where it means none; a change is counted.

    >>> [mended_tag(tag, Mends()) for tag in ("en_US", "english (uk)", "?")]
    ['en-US', 'english-uk', '']
    """
    better = re.sub(r"[^A-Za-z0-9]+", "-", tag).strip("-")
    if not _LANGUAGE.fullmatch(better):
        better = ""
    if better != tag:
        mends.note("language tags mended" if better else "language tags dropped", tag, better)
    return better


_BAD_ESCAPE = re.compile(r"\\(u(?![0-9A-Fa-f]{4})|U(?![0-9A-Fa-f]{8})|[^tbnrf\"'\\uU])")
_BAD_IRI_ESCAPE = re.compile(r"\\(?!u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8})")


def mend_turtle(text: str, mends: Mends) -> str:
    """Turtle and its kin with unknown escapes and malformed language tags rewritten; line breaks
    stay.
    """

    def mend(match: re.Match[str]) -> str:
        if match["iri"]:
            better = _BAD_IRI_ESCAPE.sub("%5C", match["iri"])
            if better != match["iri"]:
                mends.note("characters percent-encoded in IRIs", match["iri"], better)
            return better
        string, tag = match["string"], match["tag"]
        if string is None:
            return match[0]
        escaped = _BAD_ESCAPE.sub(r"\\\\\1", string)
        if escaped != string:
            mends.note("unknown escapes in strings", string, escaped)
        better = mended_tag(tag, mends) if tag is not None else ""
        return f"{escaped}@{better}" if better else escaped

    return TURTLE.sub(mend, text)


_NOT_XML = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|&#(?:[0-8]|1[124-9]|2[0-9]|3[01]|x0*(?:[0-8bcefBCEF]|1[0-9a-fA-F]));"
)
_ENTITY = re.compile(r"&(?:([A-Za-z_][\w.\-]*);|(?!#\d+;|#x[0-9A-Fa-f]+;))")
_BOUND = re.compile(r"<!ENTITY\s+([\w.\-]+)\s")
_SINGLE = re.compile(r"(<!ENTITY\s+[\w.\-]+\s+)'([^']*)'")
_NAMESPACE = re.compile(r"""xmlns:([\w.\-]+)\s*=\s*["']([^"'&]*)["']""")
_NAME = re.compile(r"[^\W\d][\w.\-]*")
_LATE_DECLARATION = re.compile(r"\A(\s+)<\?xml\s[^>]*\?>")
_NO_CONTENT = re.compile(
    r"<!--.*?(?:-->|\Z)|<!\[CDATA\[.*?(?:\]\]>|\Z)|<\?.*?(?:\?>|\Z)|<!DOCTYPE[^\[>]*+(?:\[.*?(?:\]\s*+>|\Z))?",
    re.DOTALL,
)
"""Comments, CDATA, instructions and the DOCTYPE; one that is never closed reaches to the end."""


def mend_xml(text: str, mends: Mends) -> str:
    """XML that is nearly well-formed made so (ampersands, entities, forbidden characters, comments)
    and rdf:IDs too.
    """
    namespaces = dict(_NAMESPACE.findall(text[:65536]))
    rdf = next((prefix for prefix, iri in namespaces.items() if iri == PREFIXES["rdf"]), "rdf")
    identifier = re.compile(
        rf"""(\s){re.escape(rdf)}:(ID|nodeID)(\s*=\s*)(["'])(.*?)\4""", re.DOTALL
    )
    declared = {"amp", "lt", "gt", "quot", "apos", *_BOUND.findall(text)}

    def character(match: re.Match[str]) -> str:
        mends.note("characters that XML forbids removed", match[0], "")
        return ""

    def entity(match: re.Match[str]) -> str:
        name = match[1]
        if name is None:
            mends.note("bare & escaped", "&", "&amp;")
            return "&amp;"
        if name in declared:
            return match[0]
        meant = html.entities.html5.get(f"{name};") or namespaces.get(name) or PREFIXES.get(name)
        if meant is None:
            return match[0]
        mends.note("undeclared entities resolved", match[0], meant)
        return (
            "".join(f"&#{ord(c)};" for c in meant)
            if name + ";" in html.entities.html5
            else html.escape(meant)
        )

    def named(match: re.Match[str]) -> str:
        space, kind, equals, mark, value = match.groups()
        if _NAME.fullmatch(value):
            return match[0]
        better = (
            f"#{value}" if kind == "ID" else "n" + re.sub(r"\W", lambda c: f"_{ord(c[0]):x}", value)
        )
        mends.note(f"rdf:{kind} that is not an XML name", value, better)
        return f"{space}{rdf}:{'about' if kind == 'ID' else kind}{equals}{mark}{better}{mark}"

    def content(part: str) -> str:
        return identifier.sub(named, _ENTITY.sub(entity, part))

    def double_quoted(match: re.Match[str]) -> str:
        return f'{match[1]}"{match[2].replace(chr(34), "&#34;")}"'

    def no_content(part: str) -> str:
        if (
            part.startswith("<!--")
            and part.endswith("-->")
            and ("--" in part[4:-3] or part.endswith("--->"))
        ):
            mends.note("comments with -- removed", part, "")
            return "\n" * part.count("\n")
        return _SINGLE.sub(double_quoted, part)

    def declaration(match: re.Match[str]) -> str:
        mends.note("XML declarations after blanks removed", match[0], match[1])
        return match[1]

    text = _NOT_XML.sub(character, _LATE_DECLARATION.sub(declaration, text))
    pieces: list[str] = []
    end = 0
    for other in _NO_CONTENT.finditer(text):
        pieces += [content(text[end : other.start()]), no_content(other[0])]
        end = other.end()
    return "".join([*pieces, content(text[end:])])


MOST_DEEP = {"RDF/XML": 10_000, "JSON-LD": 1_000, "quoted": 100}
"""How deep elements, JSON and quoted triples may nest. Measured with pyoxigraph 0.5.13: elements
cost the square of their depth (10,000: 0.5 s, 100,000: over 20 s), JSON-LD too (1,000: 0.1 s,
10,000: over 20 s), 100,000 quoted triples overflow the stack. Lists written as nested elements are
the deepest that real files hold: two levels a member.
"""

LONGEST_TERM = 16 << 20
"""Bytes of one term that pyoxigraph's parsers hold."""

_JSON = re.compile(
    r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\Z)|(?P<open>[\[{])|(?P<close>[\]}])', re.DOTALL
)
TURTLE = re.compile(
    r'''(?P<skip>\#[^\n]*+|\\.)
    |(?P<string>
        """[^"\\]*+(?:(?:\\.|"(?!""))[^"\\]*+)*+(?:"""|\Z)
        |\'\'\'[^'\\]*+(?:(?:\\.|'(?!''))[^'\\]*+)*+(?:\'\'\'|\Z)
        |"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"?
        |'[^'\\\n]*+(?:\\.[^'\\\n]*+)*+'?
     )(?:@(?P<tag>[A-Za-z0-9][A-Za-z0-9_\-]*+))?
    |(?P<open><<)
    |(?P<iri><[^<>\n]*+>)
    |(?P<close>>>)''',
    re.VERBOSE | re.DOTALL,
)
"""The tokens of Turtle and its kin that hide others: comments, strings with their language, IRIs,
quoted triples.
"""

_GROWS = (
    expat.errors.codes[expat.errors.XML_ERROR_RECURSIVE_ENTITY_REF],
    43,
)  # 43: amplification, of no name before 3.12


def check_xml(text: str, where: str) -> None:
    """Check with expat that an XML text is well-formed and harmless.

    Raises:
        SyntaxError: it is not well-formed; with line and column.
        DataError: its elements nest deeper than ``MOST_DEEP``, its entities grow without bounds or
            stand for other
            files; with the line.
    """
    parser = expat.ParserCreate()
    depth, most = 0, MOST_DEEP["RDF/XML"]

    def begin(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > most:
            raise _too_deep("elements", most, where, parser.CurrentLineNumber)

    def end(name: str) -> None:
        nonlocal depth
        depth -= 1

    def entity(name: str, parameter: bool, value: str | None, *external: str | None) -> None:
        if parameter or (value is None and f"&{name};" in text):
            raise DataError(
                f"the entity {name} stands for another file or for markup, and kgnb fetches neither",
                where=where,
                fix="put the text itself in the file, or save it as Turtle",
            )

    parser.StartElementHandler, parser.EndElementHandler, parser.EntityDeclHandler = (
        begin,
        end,
        entity,
    )
    try:
        parser.Parse(text.encode("utf-8"), True)
    except expat.ExpatError as error:
        if error.code in _GROWS:
            raise DataError(
                "its entities refer to themselves or grow without bounds",
                where=f"{where}:{error.lineno}",
                fix="this looks like an attack on XML readers: get the file from another source, or as Turtle",
            ) from error
        complaint = expat.ErrorString(error.code) or "not well-formed"
        if complaint == expat.errors.XML_ERROR_NO_ELEMENTS:
            complaint = "the file ends before its root element is closed; it looks cut off"
        raise SyntaxError(complaint, (where, error.lineno, error.offset + 1, None)) from error


def xml_root(head: str) -> tuple[str, dict[str, str]]:
    """The name and the attributes of the root element of a text that may be cut; an empty name
    where there is none.

    >>> xml_root("<!-- <b> --><h:huts xmlns:h='urn:h'><h:hut")
    ('h:huts', {'xmlns:h': 'urn:h'})
    """
    found: list[tuple[str, dict[str, str]]] = []
    parser = expat.ParserCreate()
    parser.StartElementHandler = lambda name, attributes: found.append((name, attributes))
    with suppress(expat.ExpatError):
        parser.Parse(head.encode("utf-8"), False)
    return found[0] if found else ("", {})


def refuse_deep(text: str, kind: str, where: str) -> None:
    """Raise DataError, with the line, where JSON-LD or Turtle and its kin nest deeper than
    ``MOST_DEEP`` allows.
    """
    json = kind == "JSON-LD"
    most = MOST_DEEP["JSON-LD" if json else "quoted"]
    if (text.count("{") + text.count("[") if json else text.count("<<")) <= most:
        return
    depth = 0
    for token in (_JSON if json else TURTLE).finditer(text):
        depth += bool(token["open"]) - bool(token["close"])
        if depth > most:
            what = "objects and lists" if json else "quoted triples"
            raise _too_deep(what, most, where, text.count("\n", 0, token.start()) + 1)


def _too_deep(what: str, most: int, where: str, line: int) -> DataError:
    return DataError(
        f"{what} nest deeper than {most:,}",
        where=f"{where}:{line}",
        fix="no ontology needs this; if the file is honest, write the structure flat, with named nodes",
    )


def long_term_line(text: str) -> int | None:
    """The line where the first string of more than ``LONGEST_TERM`` bytes begins in Turtle,
    N-Triples and their kin.
    """
    long = next(
        (found for found in TURTLE.finditer(text) if len(found[0].encode()) > LONGEST_TERM), None
    )
    return text.count("\n", 0, long.start()) + 1 if long else None

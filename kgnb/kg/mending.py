"""Sloppy and hostile RDF: terms that a lenient parser lets through are made strict and counted; what
harms a parser is refused first.

Refused are XML entities that multiply, elements and JSON nested so deep that the engine takes
minutes, quoted triples nested so deep that it ends the process (pyoxigraph 0.5: a signal, nothing
to catch). Every scan is linear: a token that is never closed reaches to the end of the text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from urllib.parse import quote, urljoin
from xml.parsers import expat

import pyoxigraph as ox

from kgnb.errors import DataError
from kgnb.files import from_json
from kgnb.kg.graph import Mended
from kgnb.kg.oxigraph_graph import OxTerm

_BAD_CHARACTER = re.compile(r"[\x00-\x20<>\"{}|\\^`\x7f-\x9f]|%(?![0-9A-Fa-f]{2})")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:")
_LANGUAGE = re.compile(r"[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*")


class Mends:
    """What was repaired: ``counts`` by kind, and the first of each in ``examples``."""

    def __init__(self, earlier: Iterable[Mended] = ()) -> None:
        self.counts: Counter[str] = Counter()
        self.examples: dict[str, str] = {}
        for one in earlier:
            self.counts[one.kind], self.examples[one.kind] = one.count, one.example

    def note(self, kind: str, before: str, after: str) -> None:
        """Count one repair of this kind."""
        self.counts[kind] += 1
        self.examples.setdefault(kind, f"{before!r:.120}" + f": {after:.120}" * bool(after))

    def add(self, other: Mends) -> None:
        """Count what was repaired elsewhere, too."""
        self.counts += other.counts
        self.examples = {**other.examples, **self.examples}

    def all(self) -> tuple[Mended, ...]:
        """What was repaired, by kind."""
        return tuple(
            Mended(kind, n, self.examples[kind]) for kind, n in sorted(self.counts.items())
        )


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
        better = re.sub(r"[^A-Za-z0-9]+", "-", tag).strip("-")
        if not _LANGUAGE.fullmatch(better):
            self.mends.note("language tags dropped", f"{literal.value:.40}@{tag}", literal.value)
            return ox.Literal(literal.value)
        self.mends.note("language tags mended", tag, better)
        return ox.Literal(literal.value, language=better)


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
     )
    |(?P<open><<)
    |(?P<iri><[^<>\n]*+>)
    |(?P<close>>>)''',
    re.VERBOSE | re.DOTALL,
)
"""The tokens of Turtle and its kin that hide others: comments, strings, IRIs,
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


_SINGLE = re.compile(r"(<!ENTITY\s+[\w.\-]+\s+)'([^'\"]*)'")


def as_engine_takes(text: str) -> str:
    """XML with what the engine's parser refuses though XML allows it: entities in single quotes, and
    (which XML does not allow, but everybody takes) a doctype in small letters.
    """
    text = re.sub("<!doctype", "<!DOCTYPE", text, count=1, flags=re.IGNORECASE)
    return _SINGLE.sub(r'\1"\2"', text) if "<!ENTITY" in text else text


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


MOST_CONTEXTS = 20_000_000  # some five seconds of the parser


def refuse_contexts(text: str, where: str) -> None:
    """Raise DataError where JSON-LD has so many contexts, and such large ones, that the parser,
    which copies one for each, would not end.
    """
    if text.count("context") + text.count("\\u") < 100:
        return
    sizes: list[int] = []

    def size(pairs: list[tuple[str, object]]) -> int:
        for name, value in pairs:
            if name == "@context":
                parts = value if isinstance(value, list) else [value]
                sizes.append(sum(part for part in parts if isinstance(part, int)))
        return len(pairs)

    with suppress(ValueError):  # the parser says what is wrong
        from_json(text, object_pairs_hook=size, parse_int=float, parse_constant=float)
    if sizes and max(sizes) * len(sizes) > MOST_CONTEXTS:
        raise DataError(
            f"{len(sizes):,} contexts, one of {max(sizes):,} terms, take the parser too long",
            where=where,
            fix="give all terms in one @context at the top",
        )


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

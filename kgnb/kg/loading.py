"""RDF files into a graph: any usual format, sloppy files mended and counted, the rest refused with file and line."""

from __future__ import annotations

import codecs
import glob
import gzip
import hashlib
import html.entities
import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast
from typing import Literal as OneOf
from urllib.parse import quote, urljoin
from xml.parsers import expat

import pyoxigraph as ox

from kgnb.errors import DataError
from kgnb.files import read_at_most
from kgnb.kg.graph import Graph
from kgnb.kg.hazards import LONGEST_TERM, TURTLE, long_term_line, markup, prolog_end, refuse_deep, refuse_swelling
from kgnb.kg.name_triples import SUFFIXES as NAMES
from kgnb.kg.name_triples import looks_like_names, read_name_triples
from kgnb.kg.oxigraph_graph import OxigraphGraph, OxTerm, triple_from_oxigraph
from kgnb.kg.prefixes import PREFIXES
from kgnb.kg.rdflib_graph import RdflibGraph
from kgnb.kg.table_triples import SUFFIXES as TABLES
from kgnb.kg.table_triples import read_table

Format = OneOf["Turtle", "RDF/XML", "N-Triples", "N-Quads", "TriG", "N3", "JSON-LD", "names", "table"]

SUFFIXES: dict[str, Format] = {
    ".ttl": "Turtle",
    ".turtle": "Turtle",
    ".rdf": "RDF/XML",
    ".rdfs": "RDF/XML",
    ".owl": "RDF/XML",
    ".xml": "RDF/XML",
    ".nt": "N-Triples",
    ".ntriples": "N-Triples",
    ".nq": "N-Quads",
    ".nquads": "N-Quads",
    ".trig": "TriG",
    ".n3": "N3",
    ".jsonld": "JSON-LD",
    ".json": "JSON-LD",
}
MOST_BYTES = 4 << 30
"""No file is read beyond this size, so that a small compressed file cannot fill the memory."""

_CONVERT = (
    "save it as Turtle or RDF/XML first, with Protégé (Save as) or `robot convert --input FILE --output FILE.ttl`"
)
_OTHERS = {".owx": "OWL/XML", ".ofn": "OWL functional syntax", ".omn": "Manchester syntax", ".obo": "OBO format"}
_ROOT = re.compile(r"<([A-Za-z_][\w.\-]*:)?([A-Za-z_][\w.\-]*)((?:\s[^>]*)?)/?>", re.DOTALL)
_TRIPLE = re.compile(r"(?:<[^>\n]*>|_:\S+)[ \t]*<[^>\n]*>[ \t]*(?:<|_:|\")[^\n]*\.[ \t]*(?:\#[^\n]*)?(?:\n|$)")
_DECLARED = re.compile(rb"""^\s*<\?xml[^>]*?encoding\s*=\s*["']([A-Za-z0-9._\-]+)["']""")
_NOT_ASCII = re.compile(rb"[\x80-\xff]+")


def file_bytes(path: Path, most: int = MOST_BYTES) -> bytes:
    """The bytes of a file, unpacked where it is gzipped; raises DataError where it cannot be read, or holds nothing."""
    where = str(path)
    try:
        with path.open("rb") as file:
            packed = file.read(2) == b"\x1f\x8b"
        with gzip.open(path) if packed else path.open("rb") as stream:
            data = read_at_most(stream, most + 1)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise DataError(
            f"the gzip data is damaged: {error}", where=where, fix="fetch or pack the file again"
        ) from error
    except OSError as error:
        raise DataError(
            f"cannot be read: {error.strerror or error}", where=where, fix="check its name and its permissions"
        ) from error
    if len(data) > most:
        raise DataError(f"holds more than {most >> 20:,} MiB", where=where, fix="ask a graph of this size by SPARQL")
    if data[:4] == b"PK\x03\x04":
        raise DataError("this is a zip archive", where=where, fix="unpack it and load the files inside")
    if not data.strip():
        raise DataError("the file is empty", where=where, fix="check that it was fetched or saved completely")
    return data


def decode(data: bytes, mended: Counter[str], examples: dict[str, str]) -> str:
    """The text of a file; bytes that are not UTF-8 are read as Windows-1252 and counted."""
    for mark, encoding in (
        (codecs.BOM_UTF8, "utf-8-sig"),
        (codecs.BOM_UTF16_LE, "utf-16"),
        (codecs.BOM_UTF16_BE, "utf-16"),
    ):
        if data.startswith(mark):
            return _rewritten(data.decode(encoding, "replace"))
    declared = _DECLARED.match(data)
    if declared and declared[1].lower() not in {b"utf-8", b"utf8", b"us-ascii"}:
        try:
            text = data.decode(declared[1].decode("ascii"))
            text.encode("utf-8")  # UTF-7 can say half a surrogate pair
            return _rewritten(text)
        except (LookupError, UnicodeError):
            pass
    try:
        return _rewritten(data.decode("utf-8"))
    except UnicodeDecodeError:
        return _rewritten(_NOT_ASCII.sub(lambda run: _as_utf8(run[0], mended, examples), data).decode("utf-8"))


def format_of(path: Path, text: str) -> Format:
    """The format a file holds; raises DataError for what is not RDF or not in a form that can be read."""
    name = path.name.lower().removesuffix(".gz")
    suffix = Path(name).suffix
    head = text[:65536]
    seen = sniff(head)
    if seen in _REFUSED or suffix in _OTHERS:
        what = seen if seen in _REFUSED else _OTHERS[suffix]
        raise DataError(f"this is {what}, which cannot be read here", where=str(path), fix=_REFUSED.get(what, _CONVERT))
    known = SUFFIXES.get(suffix)
    if known is None and not seen and (suffix in NAMES or not suffix) and looks_like_names(head):
        return "names"
    if known is None and not seen and suffix in TABLES:
        return "table"
    if seen in ("RDF/XML", "JSON-LD"):
        return cast(Format, seen)
    if seen == "Turtle" and known in (None, "RDF/XML", "JSON-LD", "N-Triples", "N-Quads"):
        return "Turtle"
    if seen == "N-Quads" and known in (None, "RDF/XML", "JSON-LD", "N-Triples"):
        return "N-Quads"  # every N-Triples file is an N-Quads file
    if known is None:
        raise DataError(
            f"cannot tell what this file holds (suffix {suffix or 'none'})",
            where=str(path),
            fix=f"give it the suffix of its format: {' '.join(SUFFIXES)}, each also with .gz; "
            f"{' '.join(NAMES)} are for plain triples, head TAB relation TAB tail, {' '.join(TABLES)} for tables with "
            "a header. A text is no graph yet: %kgc (kgnb build) makes one of it.",
        )
    return known


_REFUSED = {
    "a web page": "the address may lead to a page about the file: fetch the file itself",
    "OWL/XML": _CONVERT,
    "OWL functional syntax": _CONVERT,
    "Manchester syntax": _CONVERT,
    "OBO format": _CONVERT,
}


def sniff(head: str) -> str:
    """The format that the first characters show: a Format, a key of what is refused, or "" where they do not tell.

    >>> sniff("<?xml version='1.0'?>\\n<Ontology xmlns='http://www.w3.org/2002/07/owl#'/>")
    'OWL/XML'
    >>> sniff("# huts\\n@prefix : <http://hut.example/> .")
    'Turtle'
    """
    text = head.lstrip("\ufeff \t\r\n")
    if re.match(r"(?i)<!doctype html|<html", text):
        return "a web page"
    position = prolog_end(text)
    if text.startswith(("<?xml", "<!")) or (root := _ROOT.match(text, position)) and "xmlns" in root[3]:
        return _xml_kind(text, position)
    lines = "\n".join(line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")).lstrip()
    if re.match(r"(?i)@(prefix|base|version)\b|(prefix\s+[\w.\-]*:|base)\s*<", lines):
        return "Turtle"
    if re.match(r"(Prefix|Ontology)\s*\(", lines):
        return "OWL functional syntax"
    if re.match(r"(Prefix|Ontology):\s", lines):
        return "Manchester syntax"
    if re.match(r"format-version:\s*\d", lines):
        return "OBO format"
    if re.match(r"[\[{]", lines) and re.search(r'"@(context|id|graph|type)"\s*:', lines):
        return "JSON-LD"
    return "N-Quads" if _TRIPLE.match(lines) else ""


def refuse_cut_xml(text: str, where: str) -> None:
    """Raise DataError where an XML file ends before its root element does; pyoxigraph takes such a file for whole."""
    position = prolog_end(text)
    if position == len(text):
        raise DataError("not readable as RDF/XML: there is no element in it", where=where, fix="fetch or save it again")
    root = _ROOT.match(text, position)
    if root is None or root[0].endswith("/>"):
        return
    name = f"{root[1] or ''}{root[2]}"
    end = text.rfind(f"</{name}")
    tail = re.compile(rf"</{re.escape(name)}\s*>").match(text, end) if end >= 0 else None
    if tail is None or prolog_end(text, tail.end()) < len(text):
        line = text.count("\n") + 1
        raise DataError(
            f"not readable as RDF/XML: the file ends before <{name}> is closed",
            where=f"{where}:{line}",
            fix="it looks cut off: fetch or save it again, or mend it at this place",
        )


def _xml_kind(text: str, position: int) -> str:
    root = _ROOT.match(text, position)
    if root is None:
        return "RDF/XML"  # the parser says what is wrong
    if root[2].lower() == "html":
        return "a web page"
    if root[2] == "Ontology" and "http://www.w3.org/2002/07/owl#" in root[3] and "rdf-syntax-ns" not in (root[1] or ""):
        default = re.search(r"""xmlns\s*=\s*["']http://www.w3.org/2002/07/owl#["']""", root[3])
        return "OWL/XML" if default and not root[1] else "RDF/XML"
    return "RDF/XML"


def _rewritten(text: str) -> str:
    """The text with LF line ends untouched, no byte order mark and an XML declaration that says UTF-8."""
    text = text.removeprefix("\ufeff")
    return re.sub(r"""\A(\s*<\?xml[^>]*?encoding\s*=\s*)(["'])[A-Za-z0-9._\-]+\2""", r"\1\2UTF-8\2", text, count=1)


def _as_utf8(run: bytes, mended: Counter[str], examples: dict[str, str]) -> bytes:
    try:
        run.decode("utf-8")
        return run
    except UnicodeDecodeError:
        kind = "bytes that are not UTF-8"
        read = run.decode("cp1252", "ignore") or run.decode("latin-1")
        if len(read) != len(run):
            read = run.decode("latin-1")
        mended[kind] += len(run)
        examples.setdefault(kind, f"{run[:8].hex(' ')} read as {read[:8]}")
        return read.encode("utf-8")


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
_BOUND = re.compile(r"<!ENTITY\s+([\w.\-]+)\s")
_SINGLE = re.compile(r"(<!ENTITY\s+[\w.\-]+\s+)'([^']*)'")
_NAMESPACE = re.compile(r"""xmlns:([\w.\-]+)\s*=\s*["']([^"'&]*)["']""")
_NAME = re.compile(r"[^\W\d][\w.\-]*")


def _mend_xml(text: str, note: Callable[[str, str, str], None]) -> str:
    namespaces = dict(_NAMESPACE.findall(text[:65536]))
    rdf = next((prefix for prefix, iri in namespaces.items() if iri == PREFIXES["rdf"]), "rdf")
    identifier = re.compile(rf"""(\s){re.escape(rdf)}:(ID|nodeID)(\s*=\s*)(["'])(.*?)\4""", re.DOTALL)
    declared = {"amp", "lt", "gt", "quot", "apos", *_BOUND.findall(text)}

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


_FORMATS: dict[Format, ox.RdfFormat] = {
    "Turtle": ox.RdfFormat.TURTLE,
    "RDF/XML": ox.RdfFormat.RDF_XML,
    "N-Triples": ox.RdfFormat.N_TRIPLES,
    "N-Quads": ox.RdfFormat.N_QUADS,
    "TriG": ox.RdfFormat.TRIG,
    "N3": ox.RdfFormat.N3,
    "JSON-LD": ox.RdfFormat.JSON_LD,
}


@dataclass(frozen=True, slots=True)
class Mended:
    """One kind of mistake that loading put right: how often, and the first of them."""

    kind: str
    count: int
    example: str


@dataclass(frozen=True, slots=True)
class LoadReport:
    """What was loaded: the files in order, how many triples they hold together, and what had to be mended."""

    files: tuple[str, ...]
    triples: int
    mended: tuple[Mended, ...] = ()
    prefixes: tuple[tuple[str, str], ...] = ()


def load(graph: Graph, *paths: str | Path, base: str | None = None) -> LoadReport:
    """Load files, folders (all RDF files inside) and globs into ``graph``.

    A file goes in whole or not at all. Turtle, RDF/XML, N-Triples, N-Quads, TriG, N3 (without rules) and JSON-LD are
    read, each also gzipped, by suffix and by what the file begins with; so are plain triples of names, in three
    columns (``name_triples``), and tables with a header (``table_triples``). Named graphs are kept in an OxigraphGraph;
    elsewhere their triples join the default graph. ``owl:imports`` are not followed and no address is fetched.

    What is sloppy is mended and counted: characters percent-encoded in IRIs, relative IRIs resolved against ``base``
    (by default ``file:///NAME``, the same on every machine), language tags, bytes that are not UTF-8, XML names and
    entities. What is then in the graph can be written out and read by a strict parser. Blank node labels are made of
    the file's content, so that loading it again adds nothing.

    Raises DataError with file and line for what cannot be mended, is missing, empty or no RDF.
    """
    if not paths:
        raise TypeError("load() needs at least one file, folder or glob")
    counts: Counter[str] = Counter()
    examples: dict[str, str] = {}
    prefixes: dict[str, str] = {}
    files = _files(paths)
    triples = 0
    for path in files:
        quads, found = read_quads(path, counts, examples, base=base)
        prefixes |= {prefix: iri for prefix, iri in found.items() if prefix not in prefixes}
        if isinstance(graph, OxigraphGraph):
            graph.add_quads(quads)
        else:
            graph.add(triple_from_oxigraph(quad) for quad in quads)
        triples += len(quads)
    mended = tuple(Mended(kind, counts[kind], examples.get(kind, "")) for kind in sorted(counts))
    if isinstance(graph, OxigraphGraph | RdflibGraph):
        graph.mended = tuple(sorted((Counter(dict(graph.mended)) + counts).items()))
        graph.prefixes = tuple(sorted((prefixes | dict(graph.prefixes)).items()))
    return LoadReport(tuple(map(str, files)), triples, mended, tuple(sorted(prefixes.items())))


def read_quads(
    path: Path, counts: Counter[str], examples: dict[str, str], *, base: str | None = None
) -> tuple[list[ox.Quad], dict[str, str]]:
    """The quads of one file, strict, and its prefixes; mends are added to ``counts`` and ``examples``."""
    text = decode(file_bytes(path), counts, examples)
    kind = format_of(path, text)
    if kind == "names":
        return read_name_triples(text, str(path), base), {}
    if kind == "table":
        return read_table(text, str(path), path.name.partition(".")[0], base), {}
    if kind == "RDF/XML":
        refuse_swelling(text, str(path))
    refuse_deep(text, kind, str(path))
    mender = Mender(base or f"file:///{quote(path.name)}", counts, examples)
    read = _Reader(text, kind, mender.base if kind == "JSON-LD" else None, str(path))
    try:
        quads = read(strictly=True)
    except SyntaxError:
        quads = _mended(read, mender, path)
    if kind == "RDF/XML":
        refuse_cut_xml(read.text, str(path))
    if kind == "N3" and any(isinstance(quad.graph_name, ox.BlankNode) for quad in quads):
        raise DataError("this N3 file holds rules", where=str(path), fix=_NO_RULES)
    return _relabelled(quads, hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:10]), read.prefixes


class _Reader:
    """One text that can be parsed again and again, strictly or leniently."""

    def __init__(self, text: str, kind: Format, base: str | None, where: str) -> None:
        self.where = where
        self.text = text
        self.kind = kind
        self.base = base
        self.prefixes: dict[str, str] = {}

    def __call__(self, *, strictly: bool) -> list[ox.Quad]:
        parser = ox.parse(
            self.text.encode("utf-8"), format=_FORMATS[self.kind], base_iri=self.base, lenient=not strictly
        )
        try:
            quads = list(parser)
        except MemoryError as error:
            raise _too_long(error, self.text, self.where) from error
        self.prefixes = dict(parser.prefixes)
        return quads


def _mended(read: _Reader, mender: Mender, path: Path) -> list[ox.Quad]:
    """The quads of a file that is not strict RDF: parsed leniently, its text mended where even that fails."""
    try:
        quads = read(strictly=False)
    except SyntaxError as error:
        counts, examples = Counter(mender.counts), dict(mender.examples)
        better = mend_text(read.text, read.kind == "RDF/XML", mender.note) if read.kind != "JSON-LD" else read.text
        if better == read.text:
            raise _unreadable(error, read, path) from error
        read.text = better
        try:
            quads = read(strictly=False)
        except SyntaxError as again:
            mender.counts.clear()
            mender.counts.update(counts)
            mender.examples.clear()
            mender.examples.update(examples)
            raise _unreadable(again, read, path) from again
    try:
        return [mender.quad(quad) for quad in quads]
    except DataError as error:
        raise DataError(error.what, where=str(path), fix="mend this term in the file") from error


def _too_long(error: MemoryError, text: str, where: str) -> DataError | MemoryError:
    """A term longer than the parser's buffer, which it reports as if the memory were full."""
    if "buffer" not in str(error):
        return error
    line = long_term_line(text)
    return DataError(
        f"a single term is longer than {LONGEST_TERM >> 20} MiB, and the parser holds no more",
        where=where if line is None else f"{where}:{line}",
        fix="shorten it, or keep it in a file of its own and write the address here",
    )


def _relabelled(quads: list[ox.Quad], digest: str) -> list[ox.Quad]:
    """The quads with blank nodes named by the file's content and their place in it."""
    labels: dict[str, ox.BlankNode] = {}

    def named(term: Any) -> Any:
        if isinstance(term, ox.BlankNode):
            if term.value not in labels:
                labels[term.value] = ox.BlankNode(f"f{digest}n{len(labels)}")
            return labels[term.value]
        if isinstance(term, ox.Triple):
            return ox.Triple(named(term.subject), term.predicate, named(term.object))
        return term

    renamed = ox.BlankNode, ox.Triple
    for at, quad in enumerate(quads):
        subject, value, graph = quad.subject, quad.object, quad.graph_name
        if isinstance(subject, renamed) or isinstance(value, renamed) or isinstance(graph, renamed):
            quads[at] = ox.Quad(named(subject), quad.predicate, named(value), named(graph))
    return quads


def _files(paths: Iterable[str | Path]) -> list[Path]:
    """The files that paths, folders and globs name, in order, each once."""
    found: dict[Path, None] = {}
    for given in paths:
        path = Path(given).expanduser()
        if path.is_file():
            found[path] = None
        elif path.is_dir():
            found |= dict.fromkeys(_inside(path))
        elif any(mark in str(given) for mark in "*?["):
            matches = [Path(match) for match in sorted(glob.glob(str(path), recursive=True))]
            files = [match for match in matches if match.is_file()]
            if not files:
                raise DataError(
                    "no file matches this pattern", where=str(given), fix="check the pattern and the folder"
                )
            found |= dict.fromkeys(files)
        else:
            near = [other.name for other in path.parent.glob(f"{path.stem}.*")][:3] if path.parent.is_dir() else []
            hint = f"; did you mean {' or '.join(sorted(near))}?" if near else ""
            raise DataError("there is no such file", where=str(given), fix=f"check the name{hint}")
    return list(found)


def _inside(folder: Path) -> list[Path]:
    """The RDF files below a folder; what is hidden (JupyterLab's old versions, macOS's attributes) is none of them."""
    known = [
        file
        for file in sorted(folder.rglob("*"))
        if Path(file.name.lower().removesuffix(".gz")).suffix in SUFFIXES
        and not any(part.startswith(".") for part in file.relative_to(folder).parts)
        and file.is_file()
    ]
    if not known:
        raise DataError("no RDF file in this folder", where=str(folder), fix=f"RDF files end in {' '.join(SUFFIXES)}")
    return known


def _unreadable(error: SyntaxError, read: _Reader, path: Path) -> DataError:
    """The parser's complaint with file, line and column, and a way to mend what is known."""
    line, column, complaint = error.lineno, error.offset, str(error)
    if read.kind == "RDF/XML" and line is None:
        line, column, better = _xml_place(read.text, complaint)
        complaint = better or complaint
    complaint = re.sub(r"^Parser error at line \d+ .*?: |(?: \(line \d+\))$", "", complaint)
    place = "".join(f":{number}" for number in (line, column) if number is not None)
    return DataError(f"not readable as {read.kind}: {complaint[:300]}", where=f"{path}{place}", fix=_way_out(complaint))


_NO_RULES = "take the rules and variables out and save the plain triples as Turtle"


def _way_out(complaint: str) -> str:
    ways: tuple[tuple[str, str], ...] = (
        ("LoadDocumentCallback", "its @context is on the network and is not fetched: put the context into the file"),
        ("entit", "declare the entity in the DOCTYPE, or write the text it stands for"),
        ("variables are not allowed", _NO_RULES),
        ("been declared", "declare the prefix at the head of the file"),
        ("language", "mend the language tag, as in en or en-GB"),
        ("UTF-8", "save the file as UTF-8"),
    )
    return next((way for sign, way in ways if sign.lower() in complaint.lower()), "mend the file at this place")


def _xml_place(text: str, complaint: str) -> tuple[int | None, int | None, str]:
    """Line, column and a plainer complaint: expat's where the XML is broken, else where the named text stands."""
    parser = expat.ParserCreate()
    try:
        parser.Parse(text.encode("utf-8"), True)
    except expat.ExpatError as error:
        return error.lineno, error.offset + 1, expat.ErrorString(error.code)
    quoted = re.search(r"[`'\"<](.+?)[`'\">]|^(\S+) is not", complaint)
    at = text.find(quoted[1] or quoted[2]) if quoted else -1
    if at < 0:
        return None, None, ""
    return text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at), ""

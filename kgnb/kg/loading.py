"""RDF files into a graph: every common format, sloppy files repaired, the rest refused with file
and line.
"""

from __future__ import annotations

import codecs
import glob
import gzip
import hashlib
import re
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast
from typing import Literal as OneOf
from urllib.parse import quote

import pyoxigraph as ox

from kgnb.errors import DataError
from kgnb.files import most_unpacked, no_file, read_at_most
from kgnb.kg.columns import (
    NAME_SUFFIXES,
    TABLE_SUFFIXES,
    checked_rows,
    looks_like_names,
    read_name_triples,
    read_table,
    table_quads,
)
from kgnb.kg.converting import SPREADSHEETS, as_rdf_xml, sheet_rows
from kgnb.kg.graph import Graph, Mended
from kgnb.kg.mending import (
    LONGEST_TERM,
    Mender,
    Mends,
    as_engine_takes,
    check_xml,
    long_term_line,
    refuse_contexts,
    refuse_deep,
    xml_root,
)
from kgnb.kg.oxigraph_graph import OxigraphGraph, triple_from_oxigraph
from kgnb.kg.terms import OWL

Format = OneOf[
    "Turtle",
    "RDF/XML",
    "N-Triples",
    "N-Quads",
    "TriG",
    "N3",
    "JSON-LD",
    "names",
    "table",
    "OBO format",
    "OBO Graphs JSON",
    "OWL functional syntax",
    "OWL/XML",
    "Manchester syntax",
]

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
_PARSERS: dict[Format, ox.RdfFormat] = {
    "Turtle": ox.RdfFormat.TURTLE,
    "RDF/XML": ox.RdfFormat.RDF_XML,
    "N-Triples": ox.RdfFormat.N_TRIPLES,
    "N-Quads": ox.RdfFormat.N_QUADS,
    "TriG": ox.RdfFormat.TRIG,
    "N3": ox.RdfFormat.N3,
    "JSON-LD": ox.RdfFormat.JSON_LD,
}
MOST_BYTES = 4 << 30
"""No file is read beyond this size, so that a small compressed file cannot fill the memory."""

FOREIGN_SUFFIXES = {
    ".owx": "OWL/XML",
    ".ofn": "OWL functional syntax",
    ".omn": "Manchester syntax",
    ".obo": "OBO format",
}
"""Ontologies that are no RDF, read through a library (``converting``)."""

_FOREIGN = frozenset({*FOREIGN_SUFFIXES.values(), "OBO Graphs JSON"})
_AS_TABLE = "make a table of it (CSV), or JSON-LD by adding an @context"
_REFUSED = {
    "a web page": "the address may lead to a page about the file: fetch the file itself",
    "Wikidata JSON": "fetch the entity as RDF: .../wiki/Special:EntityData/Q42.ttl, or ask the "
    "Wikidata endpoint: %kg connect https://query.wikidata.org/sparql",
    "RDF/JSON": "save it as Turtle or JSON-LD, with rdflib or Apache Jena's riot",
    "GeoJSON": _AS_TABLE,
    "JSON results of a SPARQL query": "save the triples of a CONSTRUCT query instead of rows",
    "JSON, but not JSON-LD": _AS_TABLE,
}
_TRIPLE = re.compile(
    r"(?:<[^>\n]*>|_:\S+)[ \t]*<[^>\n]*>[ \t]*(?:<|_:|\")[^\n]*\.[ \t]*(?:\#[^\n]*)?(?:\n|$)"
)
_JSON_KINDS = (
    (r'"@(context|id|graph|type|value|list|set)"\s*:', "JSON-LD"),
    (r'"graphs"\s*:\s*\[(?s:.*)"(nodes|edges)"\s*:', "OBO Graphs JSON"),
    (
        r'"entities"\s*:\s*\{|"claims"\s*:|"labels"\s*:\s*\{\s*"\w+"\s*:\s*\{',
        "Wikidata JSON",
    ),
    (r'"(bindings|boolean)"\s*:', "JSON results of a SPARQL query"),
    (r'"type"\s*:\s*"(FeatureCollection|Feature)"', "GeoJSON"),
    (r'"type"\s*:\s*"(uri|literal|bnode)"', "RDF/JSON"),
    ("", "JSON, but not JSON-LD"),
)
_BEGINNINGS = (
    (r"(?i)@(prefix|base|version)\b|(prefix\s+[\w.\-]*:|base)\s*<", "Turtle"),
    (r"(Prefix|Ontology)\s*\(", "OWL functional syntax"),
    (r"(Prefix|Ontology):\s", "Manchester syntax"),
    (r"format-version:\s*\d", "OBO format"),
    (_TRIPLE, "N-Quads"),
)
_ENCODING = re.compile(rb"""^\s*<\?xml[^>]*?encoding\s*=\s*["']([A-Za-z0-9._\-]+)["']""")
_UTF16 = codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE
_NOT_ASCII = re.compile(rb"[\x80-\xff]+")


@dataclass(frozen=True, slots=True)
class LoadReport:
    """What was loaded: the files in order, how many triples came with them that were not there
    before, and what had to be repaired.
    """

    files: tuple[str, ...]
    triples: int
    mended: tuple[Mended, ...] = ()
    prefixes: tuple[tuple[str, str], ...] = ()


def load(graph: Graph, *paths: str | Path, base: str | None = None) -> LoadReport:
    """Load files, folders (all RDF files inside) and globs into ``graph``.

    A file goes in whole or not at all. Turtle, RDF/XML, N-Triples, N-Quads, TriG, N3 (without
    rules) and JSON-LD are read, each also gzipped, by suffix and by what the file begins with; so
    are plain triples of names, in three columns, and tables with a header (``columns``); with extras
    also OBO, OBO Graphs, OWL functional, OWL/XML and Manchester syntax and spreadsheets. Named
    graphs are kept in an OxigraphGraph; elsewhere their triples join the default graph.
    ``owl:imports`` are not followed and no address is fetched.

    Sloppy files are repaired and every repair is counted: characters percent-encoded in IRIs,
    relative IRIs resolved against ``base`` (by default ``file:///NAME``, the same on every
    machine), language tags, bytes that are not UTF-8, XML names and entities. A strict parser can
    read whatever is then written out. Blank node labels are derived from the file's content, so
    that loading it again adds nothing.

    Raises DataError with file and line for a file that cannot be repaired, is missing or empty, or
    is not RDF.
    """
    if not paths:
        raise TypeError("load() needs at least one file, folder or glob")
    mends = Mends()
    prefixes: dict[str, str] = {}
    files = _files(paths)
    triples = 0
    # What the files may hold, told by their bytes: numbers beyond the engine, labels that are nodes.
    many = node_labels = False
    before = graph.count() if isinstance(graph, OxigraphGraph) else 0
    for path in files:
        sheet = path.suffix.lower() in SPREADSHEETS
        data = b"" if sheet else file_bytes(path)
        many = many or sheet or _holds_long_numbers(data)
        node_labels = node_labels or b"skos-xl#" in data
        found = None
        if type(graph) is OxigraphGraph and not sheet:
            found = _strictly(graph, path, data, base)
        if found is None:
            read = Mends()
            quads, found = (
                (_sheet(path, base, read), {}) if sheet else _quads(path, data, read, base)
            )
            if isinstance(graph, OxigraphGraph):
                # every file is read to its end, or refused, before its first quad is made
                graph.add_quads(quads, parts=True)
            else:
                quads = list(quads)
                graph.add(triple_from_oxigraph(quad) for quad in quads)
                triples += len(quads)
            mends.add(read)
        prefixes = found | prefixes
    if isinstance(graph, OxigraphGraph):
        triples = graph.count() - before
        if many:
            graph.count_beyond()
        added = graph.add_plain_labels() if node_labels and type(graph) is OxigraphGraph else 0
        if added:
            kind = "SKOS-XL labels also written as plain SKOS labels"
            mends.counts[kind] += added
            mends.examples[kind] = "as they follow from them (SKOS Reference, S55 to S57)"
        known = Mends(graph.mended)
        known.add(mends)
        graph.mended = known.all()
        graph.prefixes = tuple(sorted((prefixes | dict(graph.prefixes)).items()))
    return LoadReport(tuple(map(str, files)), triples, mends.all(), tuple(sorted(prefixes.items())))


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
            files = [
                Path(match)
                for match in sorted(glob.glob(str(path), recursive=True))
                if Path(match).is_file()
            ]
            if not files:
                fix = "check the pattern and the folder"
                raise DataError("no file matches this pattern", where=given, fix=fix)
            found |= dict.fromkeys(files)
        else:
            near = [other.name for other in path.parent.glob(f"{path.stem}.*")][:3]
            hint = f"; did you mean {' or '.join(sorted(near))}?" if near else ""
            raise no_file(given, f"check the name{hint}")
    return list(found)


def _inside(folder: Path) -> list[Path]:
    """The RDF files below a folder, without hidden ones (JupyterLab's old versions, macOS's
    attributes).
    """
    known = [
        file
        for file in sorted(folder.rglob("*"))
        if Path(file.name.lower().removesuffix(".gz")).suffix in (*SUFFIXES, *FOREIGN_SUFFIXES)
        and not any(part.startswith(".") for part in file.relative_to(folder).parts)
        and file.is_file()
    ]
    if not known:
        others = Counter(file.suffix for file in folder.iterdir() if file.is_file())
        there = ", ".join(f"{many} {kind or 'without a suffix'}" for kind, many in others.items())
        raise DataError(
            "no RDF file in this folder" + (f", but {there}" if there else ""),
            where=folder,
            fix=f"RDF files end in {' '.join(SUFFIXES)}; tables are named one by one.",
        )
    return known


def read_quads(
    path: Path, mends: Mends | None = None, *, base: str | None = None
) -> tuple[list[ox.Quad], dict[str, str]]:
    """The quads of one file, strict, and its prefixes; repairs are counted in ``mends``."""
    mends = mends or Mends()
    if path.suffix.lower() in SPREADSHEETS:
        return list(_sheet(path, base, mends)), {}
    quads, prefixes = _quads(path, file_bytes(path), mends, base)
    return list(quads), prefixes


def _sheet(path: Path, base: str | None, mends: Mends) -> Iterable[ox.Quad]:
    """The triples of a spreadsheet."""
    rows, others = sheet_rows(path)
    for name in others:
        mends.note("sheets left out (only the first is read: save another as CSV)", name, "")
    header, below = checked_rows(rows, str(path))
    wide = len(header)
    below = [(row + [""] * wide)[:wide] for row in below]
    return table_quads(header, below, path.name.partition(".")[0], base, mends)


def _quads(
    path: Path, data: bytes, mends: Mends, base: str | None
) -> tuple[Iterable[ox.Quad], dict[str, str]]:
    where, stem = str(path), path.name.partition(".")[0]
    text = decode(data, mends)
    kind = format_of(path, text)
    if kind == "names":
        return read_name_triples(text, where, base, mends), {}
    if kind == "table":
        return read_table(text, where, stem, base, mends), {}
    digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:10]
    if kind in _FOREIGN:
        text, library = as_rdf_xml(text, kind, where, stem)
        mends.note(f"converted from {kind} by {library}", path.name, "RDF/XML")
        kind = "RDF/XML"
    if kind == "RDF/XML":
        text = as_engine_takes(text)
    else:
        refuse_deep(text, kind, where)
        if kind == "JSON-LD":
            refuse_contexts(text, where)
    base = base or f"file:///{quote(path.name)}"
    try:
        quads, prefixes = _parsed(text, kind, base, where)
    except SyntaxError:
        quads, prefixes = _repaired(text, kind, Mender(base, mends), where)
    if kind == "N3" and any(isinstance(quad.graph_name, ox.BlankNode) for quad in quads):
        raise DataError("this N3 file holds rules", where=where, fix=_NO_RULES)
    if kind == "JSON-LD" and not quads:
        raise DataError(
            "this JSON-LD holds no triple",
            where=where,
            fix="its @context must say which IRIs its names stand for; a context on the network is "
            "not fetched",
        )
    return _relabelled(quads, digest), prefixes


_STRICT: frozenset[Format] = frozenset({"Turtle", "N-Triples", "N-Quads", "TriG"})
_DIGITS = bytes(48 if chr(at).isdigit() and at < 128 else 32 for at in range(256))
_AT_A_TIME = 1 << 20


def _holds_long_numbers(data: bytes) -> bool:
    """Whether there are 19 digits in a row; looked for in parts, which takes no second copy."""
    return any(
        b"0" * 19 in data[at : at + _AT_A_TIME + 18].translate(_DIGITS)
        for at in range(0, len(data), _AT_A_TIME)
    )


_PREFIX_LINE = re.compile(rb"^[ \t]*@?prefix[ \t]+([\w.\-]*):[ \t]*<([^<>\s]*)>", re.I | re.M)


def _strictly(
    graph: OxigraphGraph, path: Path, data: bytes, base: str | None
) -> dict[str, str] | None:
    """Let the engine load a file that it takes as it is, and give its prefixes; None, and nothing
    loaded, where it does not, or where what it would take is not safe to give it.
    """
    head = data[:65536].decode("utf-8", "replace")
    if data.startswith(_UTF16) or b"<<" in data:
        return None
    try:
        kind = format_of(path, head)
        if kind not in _STRICT:
            return None
        data = data.removeprefix(codecs.BOM_UTF8)
        if b"_:" in data or (kind in ("Turtle", "TriG") and (b"[" in data or b"(" in data)):
            # its blank nodes are named by its content: the engine would name them anew each time
            digest = hashlib.sha256(data).hexdigest()[:10]
            graph.add_quads(_relabelled(ox.parse(data, format=_PARSERS[kind]), digest))
        else:
            graph.load_strictly(data, _PARSERS[kind])
    except (SyntaxError, ValueError, MemoryError, DataError):
        return None  # read with repairs, or refused with the place
    named = _PREFIX_LINE.findall(data[: 1 << 20]) if kind in ("Turtle", "TriG") else []
    return {prefix.decode(): iri.decode("utf-8", "replace") for prefix, iri in named}


def _parsed(
    text: str, kind: Format, base: str, where: str, *, lenient: bool = False
) -> tuple[list[ox.Quad], dict[str, str]]:
    """Quads and prefixes; raises SyntaxError for a text that is malformed."""
    if kind == "RDF/XML":
        check_xml(
            text, where
        )  # pyoxigraph takes a file for whole that ends before its root element does
    parser = ox.parse(
        text.encode("utf-8"),
        format=_PARSERS[kind],
        base_iri=base if kind == "JSON-LD" else None,
        lenient=lenient,
    )
    try:
        return list(parser), dict(parser.prefixes)
    except MemoryError as error:
        if "buffer" not in str(error):
            raise
        line = long_term_line(text)
        raise DataError(
            f"a single term is longer than {LONGEST_TERM >> 20} MiB, and the parser holds no more",
            where=where if line is None else f"{where}:{line}",
            fix="shorten it, or keep it in a file of its own and write the address here",
        ) from error


def _repaired(
    text: str, kind: Format, mender: Mender, where: str
) -> tuple[list[ox.Quad], dict[str, str]]:
    """The quads of a file that is not strict RDF: parsed leniently, its terms made strict."""
    try:
        quads, prefixes = _parsed(text, kind, mender.base, where, lenient=True)
    except SyntaxError as error:
        raise _unreadable(error, text, kind, where) from error
    try:
        return [mender.quad(quad) for quad in quads], prefixes
    except DataError as error:
        raise DataError(error.what, where=where, fix="correct this term in the file") from error


def _relabelled(quads: Iterable[ox.Quad], digest: str) -> Iterator[ox.Quad]:
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
    for quad in quads:
        subject, value, graph = quad.subject, quad.object, quad.graph_name
        if isinstance(subject, renamed) or isinstance(value, renamed) or isinstance(graph, renamed):
            yield ox.Quad(named(subject), quad.predicate, named(value), named(graph))
        else:
            yield quad


def _unreadable(error: SyntaxError, text: str, kind: Format, where: str) -> DataError:
    """The parser's complaint with file, line and column, and how to correct what is known."""
    line, column, complaint = error.lineno, error.offset, error.msg
    if line is None and (quoted := re.search(r"[`'\"<](.+?)[`'\">]|^(\S+) is not", complaint)):
        at = text.find(quoted[1] or quoted[2])  # of RDF/XML pyoxigraph names no place
        if at >= 0:
            line, column = text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
    complaint = re.sub(r"^Parser error at line \d+ .*?: |(?: \(line \d+\))$", "", complaint)
    place = "".join(f":{number}" for number in (line, column) if number is not None)
    fixes = (fix for sign, fix in _FIXES.items() if sign.lower() in complaint.lower())
    fix = next(fixes, _FIX)
    if column is not None and line is not None:
        # a parser may take a lone carriage return for the end of a line, or not
        lines = re.split(r"\r\n?|\n", text) if "\r" in text else text.split("\n")
        if line <= len(lines) and column > len(lines[line - 1]) + 1:
            place, fix = f":{line}", _OPEN_QUOTE
    name = where.lower().removesuffix(".gz")
    if kind == "N-Quads" and name.endswith((".nt", ".ntriples")):
        kind = "N-Triples"  # read by the same parser
    return DataError(f"not readable as {kind}: {complaint[:300]}", where=f"{where}{place}", fix=fix)


_NO_RULES = "take the rules and variables out and save the plain triples as Turtle"
_FIX = "correct the file at this place"
_OPEN_QUOTE = "close the quotation mark that is opened in this line; a line break in a text is \\n"
_FIXES = {
    "declaration not at start": "take out what stands before <?xml",
    "not well-formed": "in XML & is written &amp; and < is &lt;; control characters, and -- within a comment, "
    "are not allowed",
    "valid rdf:": "it begins with a letter and has no blanks; rdf:about takes any IRI",
    "escape": "write a backslash in a text as two",
    "unexpected character": "correct the file at this place; a language tag takes hyphens, as in en-GB",
    "LoadDocumentCallback": "its @context is on the network and is not fetched: put the context into the file",
    "entit": "declare the entity in the DOCTYPE, or write the text it stands for",
    "cut off": "fetch or save it again, or complete it at this place",
    "variables are not allowed": _NO_RULES,
    "been declared": "declare the prefix at the head of the file",
    "language": "correct the language tag, as in en or en-GB",
    "UTF-8": "save the file as UTF-8",
}


def file_bytes(path: Path, most: int = MOST_BYTES) -> bytes:
    """The bytes of a file, unpacked where it is gzipped; raises DataError where it is empty or
    cannot be read.
    """
    where = str(path)
    try:
        with path.open("rb") as file:
            packed = file.read(2) == b"\x1f\x8b"
        if packed:
            most = min(most, most_unpacked(path.stat().st_size))
        with gzip.open(path) if packed else path.open("rb") as stream:
            # at once where the size is known: of pieces there would be two copies
            data = b"" if packed else stream.read(min(path.stat().st_size, most) + 1)
            if more := read_at_most(stream, most + 1 - len(data)):
                data += more
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        what = f"the gzip data is damaged: {error}"
        raise DataError(what, where=where, fix="fetch or pack the file again") from error
    except OSError as error:
        what = f"cannot be read: {error.strerror or error}"
        raise DataError(what, where=where, fix="check its name and its permissions") from error
    if len(data) > most:
        raise DataError(
            f"{'unpacks to' if packed else 'holds'} more than {most >> 20:,} MiB",
            where=where,
            fix="unpack it yourself, if it comes from somebody you trust"
            if packed
            else "ask a graph of this size by SPARQL",
        )
    if data[:4] == b"PK\x03\x04":
        raise DataError(
            "this is a zip archive", where=where, fix="unpack it and load the files inside"
        )
    if not data or data.isspace():
        raise DataError(
            "the file is empty", where=where, fix="check that it was fetched or saved completely"
        )
    return data


def decode(data: bytes, mends: Mends) -> str:
    """The text of a file, an XML declaration rewritten to say UTF-8.

    Bytes that are not UTF-8 are read as Windows-1252, and counted.
    """
    text = _decoded(data, mends).removeprefix("\ufeff")
    return re.sub(
        r"""\A(\s*<\?xml[^>]*?encoding\s*=\s*)(["'])[A-Za-z0-9._\-]+\2""",
        r"\1\2UTF-8\2",
        text,
        count=1,
    )


def _decoded(data: bytes, mends: Mends) -> str:
    if data.startswith(_UTF16):
        return data.decode("utf-16", "replace")
    for start, encoding in ((1, "utf-16-le"), (0, "utf-16-be")):  # without a mark
        every_other = data[start:2000:2]
        if every_other and every_other.count(0) * 2 > len(every_other):
            mends.note("UTF-16 without a byte order mark", encoding, "text")
            return data.decode(encoding, "replace")
    declared = _ENCODING.match(data)
    if declared and declared[1].lower() not in {b"utf-8", b"utf8", b"us-ascii"}:
        with suppress(LookupError, UnicodeError):
            text = data.decode(declared[1].decode("ascii"))
            text.encode("utf-8")  # UTF-7 can say half a surrogate pair
            return text

    def as_utf8(run: re.Match[bytes]) -> bytes:
        with suppress(UnicodeDecodeError):
            run[0].decode("utf-8")
            return run[0]
        try:
            read = run[0].decode("cp1252")
        except UnicodeDecodeError:
            read = run[0].decode("latin-1")
        kind = "bytes that are not UTF-8"
        mends.counts[kind] += len(read)
        mends.examples.setdefault(kind, f"{run[0][:8].hex(' ')} read as {read[:8]}")
        return read.encode("utf-8")

    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return _NOT_ASCII.sub(as_utf8, data).decode("utf-8")


def format_of(path: Path, text: str) -> Format:
    """The format a file holds; raises DataError where it is not RDF or not in a form that can be
    read.
    """
    suffix = Path(path.name.lower().removesuffix(".gz")).suffix
    head = text[:65536]
    seen = sniff(head)
    if seen in _REFUSED:
        raise DataError(
            f"this is {seen}, which cannot be read here", where=path, fix=_REFUSED[seen]
        )
    if seen in _FOREIGN or suffix in FOREIGN_SUFFIXES:
        return cast(Format, seen if seen in _FOREIGN else FOREIGN_SUFFIXES[suffix])
    known = SUFFIXES.get(suffix)
    if known is None and not seen:
        if suffix in (*NAME_SUFFIXES, "") and looks_like_names(head):
            return "names"
        if suffix in TABLE_SUFFIXES:
            return "table"
    if seen in ("RDF/XML", "JSON-LD"):
        return cast(Format, seen)
    if seen in ("Turtle", "N-Quads") and known in (
        None,
        "RDF/XML",
        "JSON-LD",
        "N-Triples",  # every such file is an N-Quads file
        "N-Quads",
    ):
        return cast(Format, seen)
    if known is None:
        raise DataError(
            f"cannot tell what this file holds (suffix {suffix or 'none'})",
            where=path,
            fix=f"give it the suffix of its format: {' '.join(SUFFIXES)}, each also with .gz; "
            f"{' '.join(NAME_SUFFIXES)} are for plain triples, head TAB relation TAB tail, "
            f"{' '.join(TABLE_SUFFIXES)} for tables with a header. Text is not a graph yet: %kgc (kgnb build) makes "
            "one of it.",
        )
    return known


def sniff(head: str) -> str:
    """The format that the first characters show: a Format, a key of ``_REFUSED``, or "" where they
    do not tell.

    >>> sniff("<?xml version='1.0'?>\\n<Ontology xmlns='http://www.w3.org/2002/07/owl#'/>")
    'OWL/XML'
    >>> sniff("# huts\\n@prefix : <http://hut.example/> .")
    'Turtle'
    """
    text = head.lstrip("\ufeff \t\r\n")
    if re.match(r"(?i)<!doctype html|<html", text):
        return "a web page"
    if text.startswith("<"):
        root, attributes = xml_root(text)
        if root.lower() == "html":
            return "a web page"
        if root == "Ontology" and attributes.get("xmlns") == OWL:
            return "OWL/XML"
        if text.startswith(("<?xml", "<!")) or any(name.startswith("xmlns") for name in attributes):
            return "RDF/XML"
    lines = "\n".join(
        line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")
    ).lstrip()
    for sign, kind in _BEGINNINGS:
        if re.match(sign, lines):
            return kind
    if re.match(r'\{\s*"|\[\s*\{', lines):
        return next(kind for sign, kind in _JSON_KINDS if re.search(sign, lines))
    return ""

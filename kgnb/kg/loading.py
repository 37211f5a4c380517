"""RDF files into a graph: any usual format, sloppy files mended and counted, the rest refused with file and line."""

from __future__ import annotations

import glob
import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote
from xml.parsers import expat

import pyoxigraph as ox

from kgnb.errors import DataError
from kgnb.kg.formats import SUFFIXES, Format, Mender, decode, file_bytes, format_of, mend_text, refuse_cut_xml
from kgnb.kg.graph import Graph
from kgnb.kg.hazards import LONGEST_TERM, long_term_line, refuse_deep, refuse_swelling
from kgnb.kg.name_triples import read_name_triples
from kgnb.kg.oxigraph_graph import OxigraphGraph
from kgnb.kg.oxigraph_terms import triple_from_oxigraph
from kgnb.kg.rdflib_graph import RdflibGraph

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
    columns (``name_triples``). Named graphs are kept in an OxigraphGraph;
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

    def name(term: ox.BlankNode) -> ox.BlankNode:
        if term.value not in labels:
            labels[term.value] = ox.BlankNode(f"f{digest}n{len(labels)}")
        return labels[term.value]

    blank = ox.BlankNode
    for at, quad in enumerate(quads):
        subject, value, graph = quad.subject, quad.object, quad.graph_name
        if isinstance(subject, blank) or isinstance(value, blank) or isinstance(graph, blank):
            quads[at] = ox.Quad(
                name(subject) if isinstance(subject, blank) else subject,
                quad.predicate,
                name(value) if isinstance(value, blank) else value,
                name(graph) if isinstance(graph, blank) else graph,
            )
    return quads


def _files(paths: Iterable[str | Path]) -> list[Path]:
    """The files that paths, folders and globs name, in order, each once."""
    found: dict[Path, None] = {}
    for given in paths:
        path = Path(given).expanduser()
        if path.is_file():
            found[path] = None
        elif path.is_dir():
            found |= dict.fromkeys(_inside(path, sorted(path.rglob("*"))))
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


def _inside(folder: Path, files: Sequence[Path]) -> list[Path]:
    known = [file for file in files if file.is_file() and Path(file.name.removesuffix(".gz")).suffix in SUFFIXES]
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

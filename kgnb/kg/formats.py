"""What kind of RDF a file holds, told by its suffix and its first characters, and its text as Unicode."""

from __future__ import annotations

import codecs
import gzip
import re
import zlib
from collections import Counter
from io import BufferedReader
from pathlib import Path
from typing import Literal as OneOf
from typing import cast

from kgnb.errors import DataError
from kgnb.kg.hazards import prolog_end
from kgnb.kg.name_triples import SUFFIXES as NAMES
from kgnb.kg.name_triples import looks_like_names

Format = OneOf["Turtle", "RDF/XML", "N-Triples", "N-Quads", "TriG", "N3", "JSON-LD", "names"]

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
_PIECE = 16 << 20

_CONVERT = (
    "save it as Turtle or RDF/XML first, with Protégé (Save as) or `robot convert --input FILE --output FILE.ttl`"
)
_OTHERS = {".owx": "OWL/XML", ".ofn": "OWL functional syntax", ".omn": "Manchester syntax", ".obo": "OBO format"}
_ROOT = re.compile(r"<([A-Za-z_][\w.\-]*:)?([A-Za-z_][\w.\-]*)((?:\s[^>]*)?)/?>", re.DOTALL)
_TRIPLE = re.compile(r"(?:<[^>\n]*>|_:\S+)[ \t]*<[^>\n]*>[ \t]*(?:<|_:|\")[^\n]*\.[ \t]*(?:\#[^\n]*)?(?:\n|$)")
_DECLARED = re.compile(rb"""^\s*<\?xml[^>]*?encoding\s*=\s*["']([A-Za-z0-9._\-]+)["']""")
_NOT_ASCII = re.compile(rb"[\x80-\xff]+")


def file_bytes(path: Path) -> bytes:
    """The bytes of a file, unpacked where it is gzipped; raises DataError where it cannot be read or is empty."""
    where = str(path)
    try:
        with path.open("rb") as file:
            packed = file.read(2) == b"\x1f\x8b"
        with gzip.open(path) if packed else path.open("rb") as stream:
            data = _limited(stream)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise DataError(
            f"the gzip data is damaged: {error}", where=where, fix="fetch or pack the file again"
        ) from error
    except OSError as error:
        raise DataError(
            f"cannot be read: {error.strerror or error}", where=where, fix="check its permissions"
        ) from error
    if len(data) > MOST_BYTES:
        raise DataError("unpacks to more than 4 GiB", where=where, fix="serve it from a SPARQL endpoint instead")
    if data[:4] == b"PK\x03\x04":
        raise DataError("this is a zip archive", where=where, fix="unpack it and load the files inside")
    if not data.strip():
        raise DataError("the file is empty", where=where, fix="check that it was fetched or saved completely")
    return data


def _limited(stream: gzip.GzipFile | BufferedReader) -> bytes:
    """What a stream holds, one byte more than the limit at most: Python sets aside at once whatever a read asks for."""
    pieces = []
    left = MOST_BYTES + 1
    while left and (piece := stream.read(min(_PIECE, left))):
        pieces.append(piece)
        left -= len(piece)
    return b"".join(pieces)


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
            return _rewritten(data.decode(declared[1].decode("ascii")))
        except (LookupError, UnicodeDecodeError):
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
            f"{' '.join(NAMES)} are for plain triples, head TAB relation TAB tail",
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

"""Documents: text, Markdown, HTML, tables, PDF and DOCX become text, and facts point at its characters."""

from __future__ import annotations

import csv
import glob
import hashlib
import logging
import lzma
import re
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from html.parser import HTMLParser
from io import BytesIO, StringIO
from itertools import count
from pathlib import Path
from typing import TypeAlias
from xml.etree import ElementTree
from zipfile import BadZipFile, ZipFile

from kgnb.agents.kg_construction.tables import CellReading, Place, read_tables, tables
from kgnb.errors import DataError
from kgnb.files import no_file
from kgnb.kg.columns import table_form

SUFFIXES = (
    ".txt",
    ".text",
    ".md",
    ".markdown",
    ".html",
    ".htm",
    ".xhtml",
    ".pdf",
    ".docx",
    ".csv",
    ".tsv",
)
_SUFFIXES = f"Documents end in {' '.join(SUFFIXES)}."
_OLD_WORD = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # a compound file, as .doc is
_PACKED = (b"%PDF", b"PK\x03\x04")  # what PDF and Word documents begin with
LARGEST = 50_000_000  # bytes of one file
MOST_UNPACKED = (
    8_000_000  # bytes of a small Word document, unpacked; of a large one 30 times as much
)
MOST_EMPTY = 20  # times as many cells as a table's rows have, where short ones are filled up


@dataclass(frozen=True)
class Document:
    """A text to read. Spans of facts count characters of ``text``: the file's content, or what HTML
    and PDF show.
    """

    name: str
    text: str
    semicolons: bool = False  # divided the cells of the table that it was

    def __post_init__(self) -> None:
        if not self.name.strip():
            raise ValueError("a document needs a name")

    @cached_property
    def readings(self) -> dict[Place, CellReading]:
        """What the numbers and dates in its tables say."""
        return read_tables(self.text, semicolons=self.semicolons)

    @cached_property
    def digest(self) -> str:
        """A digest of name and text."""
        return hashlib.sha256(
            f"{self.name}\0{self.text}".encode("utf-8", "surrogatepass")
        ).hexdigest()[:16]


@dataclass(frozen=True)
class DocumentFile:
    """A file that is read when its turn comes, so that a damaged one does not stop the others."""

    name: str
    path: Path


Readable: TypeAlias = "Document | DocumentFile"
Documents: TypeAlias = "str | Path | Document | Mapping[str, str] | Sequence[str | Path | Document]"


def find_documents(given: Documents) -> list[Readable]:
    """The documents of files, folders, globs, Document values or ``{name: text}``, in order, with
    unique names.

    A folder stands for the files in it with a readable suffix, sorted by name. Of files with the
    same name in several folders, the later ones are named with their folder.

    Raises:
        DataError: a file does not exist, or a folder or pattern holds none.
        ValueError: nothing was named, or two documents have the same name.
    """
    if isinstance(given, Mapping):
        found: list[Readable] = [Document(name, text) for name, text in given.items()]
    else:
        listed = [given] if isinstance(given, str | Path | Document) else given
        found = [
            one
            for each in listed
            for one in ([each] if isinstance(each, Document) else _files(each))
        ]
    if not found:
        raise ValueError("no document was named")
    named: dict[str, Readable] = {}
    paths: set[Path] = set()
    for entry in found:
        if isinstance(entry, DocumentFile):
            if entry.path in paths:
                continue
            paths.add(entry.path)
            if entry.name in named:
                entry = DocumentFile("/".join(entry.path.parts[-2:]), entry.path)
        if entry.name in named:
            raise ValueError(
                f"two documents are called {entry.name}; facts could not be traced to the one they are of"
            )
        named[entry.name] = entry
    return list(named.values())


def read_document(entry: Readable) -> Document:
    """The text of a document.

    Raises:
        DataError: the file cannot be opened or parsed, or holds no text.
    """
    document = entry if isinstance(entry, Document) else _read(entry)
    if not document.text.strip():
        fix = "A scanned page has to go through text recognition first."
        raise DataError("there is no text in it", where=document.name, fix=fix)
    return document


def _files(spec: str | Path) -> list[Readable]:
    path = Path(spec).expanduser()
    if path.is_dir():
        inside = sorted(
            file for file in path.rglob("*") if file.is_file() and file.suffix.lower() in SUFFIXES
        )
        if not inside:
            there = passed_over([path])
            what = "no document in this folder" + (f", but {there}" if there else "")
            raise DataError(what, where=str(spec), fix=_SUFFIXES)
        here = path.resolve()
        if out := [file for file in inside if not file.resolve().is_relative_to(here)]:
            raise DataError(
                f"is a link to {out[0].resolve()}, which is not in this folder",
                where=str(out[0]),
                fix=f"Delete it, or name the files to read what links lead to: {spec}/*",
            )
        return [DocumentFile(file.relative_to(path).as_posix(), file) for file in inside]
    if path.is_file():
        return [DocumentFile(path.name, path)]
    files = [
        file
        for match in sorted(glob.glob(str(path), recursive=True))
        if (file := Path(match)).is_file()
    ]
    if not files:
        fix = "Name a file, a folder or a pattern; a text itself goes in as {name: text}."
        raise no_file(spec, fix, "document")
    return [DocumentFile(file.name, file) for file in files]


def passed_over(given: Documents) -> str:
    """The files in folders that no document is read from, by their endings: ``3 .doc, 1 .odt``."""
    if isinstance(given, Mapping):
        return ""
    kinds = Counter(
        file.suffix.lower() or "without an ending"
        for one in ([given] if isinstance(given, str | Path | Document) else given)
        if isinstance(one, str | Path) and (folder := Path(one).expanduser()).is_dir()
        for file in folder.rglob("*")
        if file.is_file() and not any(part[0] == "." for part in file.relative_to(folder).parts)
    )
    return ", ".join(f"{kinds[one]} {one}" for one in sorted(kinds) if one not in SUFFIXES)


def _read(entry: DocumentFile) -> Document:
    path = entry.path
    data = _bytes(path)
    if path.suffix.lower() in (".csv", ".tsv") and not data.startswith(b"%PDF"):
        delimiter, text, above = table_form(_decoded(data))
        return Document(entry.name, _table_text(text, path, delimiter, above), delimiter == ";")
    return Document(entry.name, _text(data, path))


def _bytes(path: Path) -> bytes:
    try:
        size = path.stat().st_size
        if size > LARGEST:
            raise DataError(
                f"it has {size:,} bytes, more than {LARGEST:,}", where=str(path), fix="Split it."
            )
        return path.read_bytes()
    except OSError as error:
        fix = "Check the file and its permissions."
        raise DataError(f"it cannot be read: {error.strerror}", where=str(path), fix=fix) from error


def _text(data: bytes, path: Path) -> str:
    if data.startswith(b"%PDF") or path.suffix.lower() == ".pdf":
        return _pdf_text(data, path)
    if path.suffix.lower() == ".docx":
        return docx_text(data, path)
    if data.startswith(_OLD_WORD):
        fix = "Save it as .docx or PDF."
        raise DataError("this is a Word document of before 2007", where=str(path), fix=fix)
    at = data.find(b"\0", 0, 2000)
    if at >= 0 and not data.startswith((b"\xff\xfe", b"\xfe\xff")):
        line = data.count(b"\n", 0, at) + 1
        fix = "Save it as plain text (UTF-8), or take the byte out."
        raise DataError("this is not text: a byte here is 0", where=f"{path}:{line}", fix=fix)
    text = _decoded(data)
    if path.suffix.lower() in (".html", ".htm", ".xhtml"):
        try:
            return html_text(text)
        except (ValueError, AssertionError, RecursionError) as error:
            fix = "Save it again, or as text."
            raise DataError(
                f"the page cannot be read: {error}", where=str(path), fix=fix
            ) from error
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _table_text(text: str, path: Path, delimiter: str, above: int) -> str:
    """The text of a file of rows below ``above`` lines as a Markdown table: its first row names the
    columns.
    """
    given = csv.reader(StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        rows = [row for row in given if any(map(str.strip, row))]
    except csv.Error as error:
        where, fix = (
            f"{path}, line {given.line_num + above}",
            "Close every quote, and double those inside a cell.",
        )
        raise DataError(f"the table cannot be read: {error}", where=where, fix=fix) from error
    if not rows:
        return ""
    width = max(map(len, rows))
    if width * len(rows) > MOST_EMPTY * sum(map(len, rows)) + LARGEST // 100:
        fix = "Check its quotes and separators: one row is far longer than the others."
        raise DataError("the rows are not of one table", where=str(path), fix=fix)
    cells = (
        [" ".join(cell.split()).replace("|", "\\|") for cell in row] + [""] * (width - len(row))
        for row in rows
    )
    lines = ["| " + " | ".join(row) + " |" for row in cells]
    return "\n".join([*lines[:1], "|" + "---|" * width, *lines[1:]])


def _decoded(data: bytes) -> str:
    """Text in UTF-16 with a byte order mark, else in UTF-8, else in Windows-1252, which decodes
    anything.
    """
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", errors="replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", errors="replace")


def is_utf8(entry: Readable) -> bool:
    """Whether a document is in UTF-8; one that is not from a file, or is not text, counts as such."""
    if isinstance(entry, Document):
        return True
    try:
        data = entry.path.read_bytes()
        return data.startswith(_PACKED) or data.decode("utf-8-sig") is not None
    except (UnicodeDecodeError, OSError):
        return False


def _pdf_text(data: bytes, path: Path) -> str:
    from pypdf import PdfReader  # slow to import, and most documents are not PDF
    from pypdf.errors import PyPdfError

    log = logging.getLogger("pypdf")  # its remarks are no output of ours
    if not log.hasHandlers():
        log.addHandler(logging.NullHandler())
    try:
        reader = PdfReader(BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise DataError(
                "the PDF is locked with a password", where=str(path), fix="Save it without one."
            )
        return "\n\n".join(page.extract_text() for page in reader.pages)
    except (
        PyPdfError,
        ValueError,
        LookupError,
        TypeError,
        AttributeError,
        RecursionError,
    ) as error:
        fix = "Open and save it again, or convert it to text."
        raise DataError(
            f"the PDF cannot be read ({type(error).__name__})", where=str(path), fix=fix
        ) from error


# RecursionError and NotImplementedError are RuntimeErrors
_DAMAGES: tuple[type[Exception], ...] = (
    *(BadZipFile, KeyError, ValueError, RuntimeError, EOFError, OSError),
    *(zlib.error, lzma.LZMAError, ElementTree.ParseError),
)
_WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"


def docx_text(data: bytes, path: Path) -> str:
    """The text of a Word document: headings, lists and tables in Markdown; what was deleted is
    left out.

    Raises:
        DataError: it is none, is damaged, or unpacks to more than ``LARGEST`` bytes.
    """
    try:
        with ZipFile(BytesIO(data)) as packed:
            size = packed.getinfo("word/document.xml").file_size
            most = max(MOST_UNPACKED, 30 * len(data))
            content = packed.read("word/document.xml") if size <= most else b""
        if not content or b"<!DOCTYPE" in content:
            raise ValueError("it unpacks to too much, or declares a document type")
        body = ElementTree.fromstring(content).find(f"{_WORD}body")
        return html_text("" if body is None else _word_html(body))
    except _DAMAGES as error:
        fix = "Save it again as .docx, or as text."
        raise DataError(
            f"the document cannot be read: {error}", where=str(path), fix=fix
        ) from error


_WORD_TAGS = {"tbl": "table", "tr": "tr", "tc": "td", "br": "br"}


def _word_html(element: ElementTree.Element) -> str:
    """A part of a Word document as HTML; what was deleted (``delText``) is left out."""
    name = element.tag.removeprefix(_WORD)
    if name == "t":
        return escape(element.text or "")
    inside = "".join(map(_word_html, element))
    tag = _word_tag(element) if name == "p" else _WORD_TAGS.get(name, "")
    raised = element.find(f"{_WORD}rPr/{_WORD}vertAlign") if name == "r" else None
    if raised is not None and raised.get(f"{_WORD}val") == "superscript":
        tag = "sup"
    return f"<{tag}>{inside}</{tag}>" if tag else " " if name == "tab" else inside


def _word_tag(paragraph: ElementTree.Element) -> str:
    """What a paragraph is in HTML, by its style."""
    style = paragraph.find(f"{_WORD}pPr/{_WORD}pStyle")
    name = "" if style is None else style.get(f"{_WORD}val", "")
    if heading := re.fullmatch(r"Heading([1-6])|Title", name):
        return f"h{heading[1] or 1}"
    listed = paragraph.find(f"{_WORD}pPr/{_WORD}numPr") is not None
    return "li" if listed or name.startswith("List") else "p"


_HIDDEN = set(
    "script style template noscript head svg math iframe object del s strike".split()  # noqa: SIM905
)
_BLOCKS = set(
    """
    address article aside blockquote body caption dd details div dl dt fieldset figcaption figure
    footer form h1 h2 h3 h4 h5 h6 header hr legend li main nav ol option p pre section select
    summary table tbody tfoot thead tr ul
    """.split()
)  # noqa: SIM905
_MARKS = {f"h{level}": "#" * level + " " for level in range(1, 7)}
_GAPS = (
    dict.fromkeys(_BLOCKS | {"br"}, "\n")
    | dict.fromkeys(("p", *_MARKS), "\n\n")
    | {"td": " ", "th": " "}
)


@dataclass
class _Cell:
    pieces: list[str]
    head: bool
    down: int = 1  # rows it stands in
    across: int = 1  # columns

    @property
    def lines(self) -> list[str]:
        """Its lines that are not empty."""
        lines = "".join(self.pieces).replace("|", "\\|").split("\n")
        return [" ".join(line.split()) for line in lines if line.strip()]

    @property
    def text(self) -> str:
        """All of it on one line."""
        return " ".join(self.lines)

    @property
    def value(self) -> str:
        """The same with its lines told apart: the items of a list by semicolons, others, which may be
        one value or several, by strokes.
        """
        lines = self.lines
        items = [match[1] for line in lines if (match := _LISTED.fullmatch(line))]
        parted = "; ".join(items) if len(items) == len(lines) else " / ".join(lines)
        return parted.replace(" / (", " (")


_LISTED = re.compile(r"(?:-|\d+\.) (.+)")
_RAISED = str.maketrans("0123456789+-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻")
_WIDEST = 200  # columns, and rows, that one cell may span


def _spanned(attributes: Mapping[str, str | None], name: str) -> int:
    given = attributes.get(name) or ""
    return min(max(1, int(given[:5])), _WIDEST) if given.isdecimal() else 1


def _table_lines(rows: Sequence[Sequence[_Cell]]) -> list[str]:
    """A table of a page as text: Markdown below its header; keys and values where each row has a
    name and a value; a row of one cell over all columns as a line of its own.
    """
    width = max((sum(cell.across for cell in row) for row in rows), default=0)
    if width * len(rows) > MOST_EMPTY * sum(map(len, rows)) + LARGEST // 100:
        raise ValueError("the rows of a table are not of one table")
    open_cells: dict[int, tuple[int, _Cell]] = {}  # by column: rows still to fill
    header: list[str] = []
    found: list[str] = []
    pairs = width == 2 and not any(len(row) == 2 and all(c.head for c in row) for row in rows)
    for row in rows:
        cells: list[_Cell | None] = [None] * width
        for column, (left, cell) in list(open_cells.items()):
            cells[column] = cell
            open_cells[column] = (left - 1, cell)
            if left == 1:
                del open_cells[column]
        column = 0
        for cell in row:
            while column < width and cells[column] is not None:
                column += 1
            for at in range(column, min(column + cell.across, width)):
                cells[at] = cell
                if cell.down > 1:
                    open_cells[at] = (cell.down - 1, cell)
        texts = ["" if cell is None else cell.text for cell in cells]
        if len(row) == 1 and (row[0].across >= width or width == 1):
            found += ["", texts[0], ""] if texts and texts[0] else []
            if header:
                found += _header_lines(header)
        elif not pairs and not header:
            header = texts
            found += _header_lines(header)
        else:
            values = ["" if cell is None else cell.value for cell in cells]
            keyed = pairs and texts[0][:1].isalpha() and bool(texts[1])
            row_of_pairs = f"{texts[0]}: {values[1]}" if keyed else " ".join(texts)
            found.append(row_of_pairs if pairs else f"| {' | '.join(values)} |")
    return found


def _header_lines(header: Sequence[str]) -> list[str]:
    return [f"| {' | '.join(header)} |", "|" + "---|" * len(header)]


_CONDITION = re.compile(r"<!\[[^\[\]<>]*\]>")  # for a browser of long ago


def _ended(text: str) -> str:
    """A page in which nothing begins that never ends: the parser looks for each such end through all
    that follows, which takes the square of the length.
    """
    text = _CONDITION.sub("", text).replace("<![", "&lt;![")
    end = text.rfind("-->") + 1
    text = text[:end] + text[end:].replace("<!--", "&lt;!--")
    end = text.rfind(">") + 1
    return text[:end] + text[end:].replace("<", "&lt;")


class _Shown(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.pieces: list[str] = []
        self._text = self.pieces  # where text goes: the page, or a cell of a table
        self._rows: list[list[_Cell]] = []
        self._depth = 0  # of tables
        self._term = ""  # the last one of a list of definitions
        self._term_at = 0
        self._hidden: list[str] = []
        self._raised = 0  # how many superscripts are open
        self._lists: list[
            Iterator[int] | None
        ] = []  # the numbers of each open list; None: it has none

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if self._hidden == ["head"] and tag in _BLOCKS:  # the end of a head may be left out
            self._hidden.clear()
        if self._hidden[-1:] == [tag] or (not self._hidden and tag in _HIDDEN):
            self._hidden.append(tag)
        if self._hidden:
            return
        self._raised += tag == "sup"
        if tag in ("ol", "ul"):
            start = dict(attributes).get("start") or ""
            self._lists.append(
                count(int(start) if start.isdecimal() else 1) if tag == "ol" else None
            )
        if self._in_table(tag, dict(attributes)):
            return
        if tag == "dd" and (self._term_at or self._term):
            if self._term_at:
                self._term = " ".join("".join(self._text[self._term_at :]).split())
                self._text[self._term_at :] = [f"{self._term}: "]
            else:
                self._text.append(f"\n{self._term}: ")  # its second definition
            self._term_at = 0
            return
        if tag in ("dl", *_MARKS):
            self._term, self._term_at = "", 0
        self._text += [_GAPS.get(tag, ""), _MARKS.get(tag, "")]
        self._term_at = len(self._text) if tag == "dt" else self._term_at
        if tag == "li":
            numbers = self._lists[-1] if self._lists else None
            self._text.append(f"{next(numbers)}. " if numbers else "- ")

    def _in_table(self, tag: str, attributes: Mapping[str, str | None]) -> bool:
        """Whether a tag is one of an outermost table, whose cells are kept until it ends."""
        if tag == "table":
            self._depth += 1
            if self._depth == 1:
                self._rows = []
                self._text.append("\n\n")
            return self._depth == 1
        if self._depth != 1 or tag not in ("tr", "td", "th"):
            return False
        self._text = self.pieces
        if tag == "tr":
            self._rows.append([])
            return True
        cell = _Cell(
            [], tag == "th", _spanned(attributes, "rowspan"), _spanned(attributes, "colspan")
        )
        self._rows = self._rows or [[]]
        self._rows[-1].append(cell)
        self._text = cell.pieces
        return True

    def _end_table(self) -> None:
        self._depth -= 1
        if self._depth == 0:
            self._text = self.pieces
            rows = [row for row in self._rows if any(cell.text for cell in row)]
            self.pieces.append("\n" + "\n".join(_table_lines(rows)) + "\n\n")

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if tag not in _HIDDEN:  # <script/> hides nothing after it
            self.handle_starttag(tag, attributes)

    def handle_endtag(self, tag: str) -> None:
        if self._hidden:
            if tag == self._hidden[-1]:
                self._hidden.pop()
            return
        self._raised -= tag == "sup" and self._raised > 0
        if tag in ("ol", "ul") and self._lists:
            self._lists.pop()
        if tag == "table" and self._depth:
            self._end_table()
        elif tag in _BLOCKS and not (self._depth == 1 and tag == "tr"):
            self._text.append(_GAPS[tag])

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            shown = data.translate(_RAISED) if self._raised else data  # 30¹ is not 301
            self._text.append(re.sub(r"\s+", " ", shown))


def html_text(page: str) -> str:
    """The visible text of a page, with headings and lists in Markdown.

    >>> html_text("<h1>Soup</h1><ol><li>Boil&nbsp;it</ol><script>no()</script>")
    '# Soup\\n\\n1. Boil it'
    """
    parser = _Shown()
    parser.feed(_ended(page))
    parser.close()
    while parser._depth:
        parser._end_table()
    text = "\n".join(" ".join(line.split()) for line in "".join(parser.pieces).split("\n"))
    return re.sub(r"\n{3,}", "\n\n", text).strip()


_CUTS = (
    re.compile(r"\n\s*\n"),
    re.compile(r"\n"),
    re.compile(r"(?<=[.!?。])\s+"),
    re.compile(r"\s+"),
)


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of a document: characters ``start`` up to ``end``. ``number`` counts from 1.

    ``header`` is the first line of the table that the passage begins in, if it does; ``readings``
    are what the cells of the document's tables say.
    """

    document: str
    number: int
    start: int
    end: int
    text: str
    header: str = ""
    readings: Mapping[Place, CellReading] = field(default_factory=dict, compare=False, repr=False)


def passages(document: Document, length: int = 6000, overlap: int = 400) -> tuple[Passage, ...]:
    """The document in passages of at most ``length`` characters that overlap by ``overlap``
    characters or fewer.

    They are cut at paragraphs where possible, else at lines, sentences or words.

    >>> [one.text for one in passages(Document("note", "Boil it. Serve it hot."), length=15, overlap=0)]
    ['Boil it.', 'Serve it hot.']

    Raises:
        ValueError: length is below 1, or the overlap is not shorter than half of it.
    """
    if length < 1 or not 0 <= overlap <= length // 2:
        raise ValueError(
            "a passage has a length of 1 or more, and the overlap is at most half of it"
        )
    text, found, start = document.text, list[Passage](), 0
    stretches = tables(text)
    while start < len(text):
        end = _end(text, start, length)
        shown = text[start:end]
        left, right = start + len(shown) - len(shown.lstrip()), start + len(shown.rstrip())
        if left < right:
            header = next((header for begin, end_, header in stretches if begin < left < end_), "")
            found.append(
                Passage(
                    document.name,
                    len(found) + 1,
                    left,
                    right,
                    text[left:right],
                    header,
                    document.readings,
                )
            )
        if end >= len(text):
            break
        start = max(_begin(text, end, overlap), start + 1)
    return tuple(found)


def _end(text: str, start: int, length: int) -> int:
    """The end of a passage: the last good place for a cut in its second half."""
    limit = start + length
    if limit >= len(text):
        return len(text)
    for cut in _CUTS:
        places = [match.start() for match in cut.finditer(text, start + length // 2, limit + 1)]
        if places:
            return places[-1]
    return limit


def _begin(text: str, end: int, overlap: int) -> int:
    """The start of the next passage: a line, sentence or word within the overlap."""
    for cut in _CUTS[1:]:
        match = cut.search(text, end - overlap, end)
        if overlap and match:
            return match.end()
    return end - overlap

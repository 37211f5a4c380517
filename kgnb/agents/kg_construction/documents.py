"""Documents to be read: plain text, Markdown, HTML and PDF become text whose characters facts can point at."""

from __future__ import annotations

import glob
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import TypeAlias

from kgnb.agents.kg_construction.html_text import html_text
from kgnb.errors import DataError

SUFFIXES = (".txt", ".text", ".md", ".markdown", ".html", ".htm", ".xhtml", ".pdf")
LARGEST = 50_000_000  # bytes of one file


@dataclass(frozen=True)
class Document:
    """A text to be read. Spans of facts count characters of ``text``: the file's own, or what HTML and PDF show."""

    name: str
    text: str

    def __post_init__(self) -> None:
        if not self.name.strip():
            raise ValueError("a document needs a name")

    @cached_property
    def digest(self) -> str:
        """A digest of name and text."""
        return hashlib.sha256(f"{self.name}\0{self.text}".encode("utf-8", "surrogatepass")).hexdigest()[:16]


@dataclass(frozen=True)
class DocumentFile:
    """A file that is read when its turn comes, so that a damaged one stops no other."""

    name: str
    path: Path


Readable: TypeAlias = "Document | DocumentFile"
Documents: TypeAlias = "str | Path | Document | Mapping[str, str] | Sequence[str | Path | Document]"


def find_documents(given: Documents) -> list[Readable]:
    """The documents that files, folders, globs, Document values or ``{name: text}`` name, in order, each name once.

    A folder stands for the files inside whose suffix says that they can be read, sorted by name. Of files of one name
    in several folders the later ones are named with their folder.

    Raises:
        DataError: a file is not there, a folder or a pattern holds none.
        ValueError: nothing was named, or two documents have one name.
    """
    if isinstance(given, Mapping):
        found: list[Readable] = [Document(name, text) for name, text in given.items()]
    else:
        each: Iterable[str | Path | Document] = [given] if isinstance(given, str | Path | Document) else given
        found = []
        for one in each:
            found += [one] if isinstance(one, Document) else _files(one)
    if not found:
        raise ValueError("no document was named")
    named: dict[str, Readable] = {}
    for entry in found:
        if isinstance(entry, DocumentFile):
            if any(isinstance(old, DocumentFile) and old.path == entry.path for old in named.values()):
                continue
            if entry.name in named:
                entry = DocumentFile("/".join(entry.path.parts[-2:]), entry.path)
        if entry.name in named:
            raise ValueError(f"two documents are called {entry.name}; facts could not be traced to the one they are of")
        named[entry.name] = entry
    return list(named.values())


def read_document(entry: Readable) -> Document:
    """The text of a document.

    Raises:
        DataError: the file cannot be opened or parsed, or holds no text.
    """
    document = entry if isinstance(entry, Document) else Document(entry.name, _text(entry.path))
    if not document.text.strip():
        raise DataError(
            "there is no text in it",
            where=document.name,
            fix="A scanned page has to go through text recognition first.",
        )
    return document


def _files(spec: str | Path) -> list[Readable]:
    path = Path(spec).expanduser()
    if path.is_dir():
        inside = sorted(file for file in path.rglob("*") if file.is_file() and file.suffix.lower() in SUFFIXES)
        if not inside:
            raise DataError(
                "no document in this folder", where=str(spec), fix=f"Documents end in {' '.join(SUFFIXES)}."
            )
        return [DocumentFile(file.relative_to(path).as_posix(), file) for file in inside]
    if path.is_file():
        return [DocumentFile(path.name, path)]
    matches = [Path(match) for match in sorted(glob.glob(str(path), recursive=True))]
    files = [match for match in matches if match.is_file()]
    if not files:
        raise DataError(
            "there is no such document",
            where=str(spec)[:200],
            fix="Name a file, a folder or a pattern; a text itself goes in as {name: text}.",
        )
    return [DocumentFile(file.name, file) for file in files]


def _text(path: Path) -> str:
    try:
        size = path.stat().st_size
        if size > LARGEST:
            raise DataError(f"it has {size:,} bytes, more than {LARGEST:,}", where=str(path), fix="Split it.")
        data = path.read_bytes()
    except OSError as error:
        raise DataError(
            f"it cannot be read: {error.strerror}", where=str(path), fix="Check the file and its rights."
        ) from error
    if data.startswith(b"%PDF") or path.suffix.lower() == ".pdf":
        return _pdf_text(data, path)
    if b"\0" in data[:2000] and not data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise DataError("this is not a text file", where=str(path), fix=f"Documents end in {' '.join(SUFFIXES)}.")
    text = _decoded(data)
    if path.suffix.lower() in (".html", ".htm", ".xhtml"):
        return html_text(text)
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _decoded(data: bytes) -> str:
    """Text in whatever encoding it says, else UTF-8, else the one of old Windows files, which reads anything."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", errors="replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", errors="replace")


def _pdf_text(data: bytes, path: Path) -> str:
    from pypdf import PdfReader  # slow to import, and most documents are not PDF
    from pypdf.errors import PyPdfError

    try:
        reader = PdfReader(BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise DataError("the PDF is locked with a password", where=str(path), fix="Save it without one.")
        return "\n\n".join(page.extract_text() for page in reader.pages)
    except (PyPdfError, ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError) as error:
        raise DataError(
            f"the PDF cannot be read ({type(error).__name__})",
            where=str(path),
            fix="Open and save it again, or convert it to text.",
        ) from error

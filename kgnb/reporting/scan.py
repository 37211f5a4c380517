"""Finds secrets in notebooks, runs, reports and settings: before they are shared, and in CI.

What is looked for: values of the secrets that the settings and the environment know, keys that betray themselves by how
they begin, authorization headers, passwords in URLs, and long mixed values under names such as ``api_key``.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kgnb.errors import DataError
from kgnb.reporting.redaction import disguises
from kgnb.secret import KEYS, TOLD

LARGEST = 200_000_000  # bytes; a larger file is named, not read
LEFT_OUT = {".git", "node_modules", ".venv", "__pycache__", ".mypy_cache", ".ruff_cache"}  # not ours to share
LONGEST_LINE = 20_000  # characters of a line in which assignments are looked for; pictures are longer
BEFORE = r"(?<![A-Za-z0-9+/=_-])"
VENDORS = [(what, re.compile(BEFORE + form)) for what, form in KEYS.items()]
IN_QUERY = TOLD[2]
HEADER = re.compile(r"(?:authorization[\"'\\]*\s*[:=]\s*[\"'\\]*)?\b(?:bearer|basic)\s+([A-Za-z0-9._~+/=-]{12,})", re.I)
URL = re.compile(r"://[^\s/@:\"'<>]{0,100}:([^\s/@\"'<>]{3,200})@")
ASSIGNED = re.compile(
    r"""(?P<name>(?<![A-Za-z0-9_.-])[A-Za-z0-9_.-]{0,60}?(?:api[_-]?key|access[_-]?key|private[_-]?key|secret|token|passw(?:or)?d|passwd|
    passphrase|credentials?|\bkey|[_-]key))["'\\]*\s*(?:[:=]|=>)\s*(?:[rbfu]?\\*(?P<quote>["'])(?P<quoted>[^"'\\\n]{6,})
    \\*(?P=quote)|(?P<bare>[A-Za-z0-9_+/=.~-]{16,}))""",
    re.I | re.X,
)
PLACEHOLDER = re.compile(
    r"^(?:env:|keyring:|\$|%|\{|<|\(hidden\)|\[redacted\]|\*{3}|x{4,}|\.{3}|…|your[-_ ]|os\.environ|not-a-)", re.I
)
HEX = re.compile(r"^[0-9a-f]{16,}$|^sha\d+[:-]", re.I)


@dataclass(frozen=True, slots=True)
class Finding:
    """One secret: the file, where in it, what it is, and a form that does not give it away."""

    file: Path
    where: str  # "line 3", "cell 2, source, line 1", "metadata"
    what: str
    shown: str

    def __str__(self) -> str:
        if self.where.startswith("line "):
            return f"{self.file}:{self.where[5:]}: {self.what}: {self.shown}"
        return f"{self.file}: {self.where}: {self.what}: {self.shown}"


def scan(path: Path | str, known: Sequence[str] = ()) -> list[Finding]:
    """Every secret in a file, or in all files below a folder (not those in ``LEFT_OUT``), in the order of their places.

    Args:
        path: file or folder.
        known: values that must not occur, also encoded as in URLs, JSON and Base64.

    Raises:
        DataError: there is no such file or folder.
    """
    path = Path(path)
    if not path.exists():
        raise DataError("there is no such file or folder", where=str(path))
    files = [path] if path.is_file() else sorted(_below(path))
    hidden = [text for text in disguises(known) if text]
    return [finding for file in files for finding in _in_file(file, hidden)]


def _below(folder: Path) -> Iterator[Path]:
    for path in folder.rglob("*"):
        if path.is_file() and not path.is_symlink() and LEFT_OUT.isdisjoint(path.relative_to(folder).parts[:-1]):
            yield path


def _in_file(file: Path, known: Sequence[str]) -> Iterator[Finding]:
    if file.stat().st_size > LARGEST:
        yield Finding(file, "line 1", "too large to be read", "scan it by other means")
        return
    content = file.read_bytes()
    seen: set[tuple[str, str, str]] = set()
    for where, text in _texts(file, content):
        for number, line in enumerate(text.splitlines(), start=1):
            place = f"{where}, line {number}" if where else f"line {number}"
            for what, value in _in_line(line, known, assigned=b"\0" not in content):
                key = (place, what, value)
                if key not in seen:
                    seen.add(key)
                    yield Finding(file, place, what, masked(value, what))


def _texts(file: Path, content: bytes) -> Iterator[tuple[str, str]]:
    """The texts in a file and where they are: a notebook's by cell, of anything else the whole."""
    text = content.decode("utf-8", "replace")
    if text.startswith("\ufffd") and content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        text = content.decode("utf-16", "replace")
    if file.suffix == ".ipynb":
        try:
            notebook = json.loads(text)
        except ValueError:
            notebook = None
        if isinstance(notebook, dict) and isinstance(notebook.get("cells"), list):
            yield from _in_notebook(notebook)
            return
    yield "", text


def _in_notebook(notebook: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for number, cell in enumerate(notebook["cells"], start=1):
        if not isinstance(cell, dict):
            continue
        yield f"cell {number}, source", _joined(cell.get("source", ""))
        for at, output in enumerate(cell.get("outputs") or [], start=1):
            yield f"cell {number}, output {at}", _flat(output)
        rest = {name: value for name, value in cell.items() if name not in ("source", "outputs")}
        yield f"cell {number}, metadata", _flat(rest)
    metadata = dict(notebook.get("metadata") or {})
    yield "widget state", _flat(metadata.pop("widgets", {}))
    yield "notebook metadata", _flat(metadata)


def _flat(value: Any, name: str = "") -> str:
    """The texts inside a value, a line each, with the name each stands under."""
    if isinstance(value, dict):
        return "\n".join(_flat(item, str(key)) for key, item in value.items())
    if isinstance(value, list):
        if all(isinstance(item, str) for item in value):
            return _flat("".join(value), name)
        return "\n".join(_flat(item, name) for item in value)
    if isinstance(value, str):
        if name.startswith("image/"):
            return ""
        lines = value.splitlines() or [""]
        return "\n".join([f'{name}: "{lines[0]}"' if len(lines) == 1 else f"{name}: {lines[0]}", *lines[1:]])
    return ""


def _joined(source: Any) -> str:
    return "".join(map(str, source)) if isinstance(source, list) else str(source)


def _in_line(line: str, known: Sequence[str], *, assigned: bool) -> Iterator[tuple[str, str]]:
    """What is secret in one line; each value once, under the name that says most."""
    taken: list[str] = []

    def new(value: str) -> bool:
        if any(value in other or other in value for other in taken):
            return False
        taken.append(value)
        return True

    for value in known:
        if value in line and new(value):
            yield "a known secret", value
    for what, form in VENDORS:
        for match in form.finditer(line):
            if new(match[0]):
                yield what, match[0]
    for match in URL.finditer(line):
        if not PLACEHOLDER.search(match[1]) and new(match[1]):
            yield "a password in a URL", match[1]
    for match in IN_QUERY.finditer(line):
        value = match[0][len(match["before"]) :]
        if not PLACEHOLDER.search(value) and new(value):
            yield "a key in a URL", value
    if not assigned:
        return
    for start in range(0, len(line), LONGEST_LINE):
        part = line[max(0, start - 200) : start + LONGEST_LINE]
        for match in HEADER.finditer(part):
            if _mixed(match[1]) and not PLACEHOLDER.search(match[1]) and new(match[1]):
                yield "an authorization header", match[1]
        for match in ASSIGNED.finditer(part):
            value = match["quoted"] or match["bare"]
            if _secret(match["name"], value, quoted=bool(match["quoted"])) and new(value):
                yield f"a value of {match['name'].strip('.-_')}", value


def _secret(name: str, value: str, *, quoted: bool) -> bool:
    if PLACEHOLDER.search(value) or value.endswith(("...", "…")):
        return False
    if re.search(r"passw|passphrase", name, re.I):
        return (quoted and not re.search(r"\s", value)) or _mixed(value)
    if name.casefold().strip("._-") in ("key", "token", "secret") and HEX.search(value):
        return False  # digests stand under such names
    return len(value) >= 16 and not re.search(r"\s|://|\(", value) and _mixed(value)


def _mixed(value: str) -> bool:
    """Whether a value is as mixed as keys are: letters and digits, three bits a character or more.

    >>> _mixed("hj3K9sLq0vXz81Pd"), _mixed("aaaaaaaaaaaaaaaa1"), _mixed("entity_alignment")
    (True, False, False)
    """
    if not (re.search(r"\d", value) and re.search(r"[A-Za-z]", value)):
        return False
    counts = Counter(value).values()
    return -sum(count / len(value) * math.log2(count / len(value)) for count in counts) >= 3.0


def masked(value: str, what: str) -> str:
    """How a finding is shown: the few characters that are the same in all keys of its kind, and its length."""
    known = next((value[: len(start)] for start in ("sk-", "ghp_", "AKIA", "hf_", "eyJ", "-----BEGIN")
                  if value.startswith(start)), "") if what in KEYS else ""  # fmt: skip
    return f"{known}… ({len(value)} characters)"

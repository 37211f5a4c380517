"""Finds secrets in notebooks, runs, reports and settings before they are shared, and keeps them out
of reports.

A scan looks for the values of secrets that the settings and the environment name, keys recognisable
by their prefix (ours, and the detectors of detect-secrets), authorization headers, passwords in
URLs and in configuration, and long random-looking values under names such as ``api_key``; also
inside gzip, zip, Base64 and colour codes. A line with ``pragma: allowlist secret`` (as in
detect-secrets) is skipped, and so is what an allow-list names.
"""

from __future__ import annotations

import base64
import binascii
import fnmatch
import hashlib
import io
import math
import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from kgnb.errors import DataError
from kgnb.files import from_json, read_input, write_whole
from kgnb.results.escaping import unbroken
from kgnb.secret import BEFORE, HIDDEN, KEY, KEYS, TOLD, blotted, disguises, hide
from kgnb.settings import known_secrets

__all__ = ["disguises", "known_secrets", "redact", "redact_folder"]

REDACTED = HIDDEN
KEY_BYTES = re.compile(KEY.pattern.encode())
TOLD_BYTES = tuple(re.compile(form.pattern.encode()) for form in TOLD)


def redact(value: Any, secrets: Iterable[str]) -> Any:
    """``value`` (text, or lists and mappings of it, keys included) with every secret replaced."""
    hide(*secrets)
    return blotted(value)


def redact_folder(folder: Path, secrets: Iterable[str]) -> None:
    """Replace the secrets, and anything recognisable as one, in every file below ``folder``.

    In a binary file (a database, a picture) a secret is replaced by as many bytes.
    """
    texts = [text.encode() for text in disguises(secrets)]
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink():
            content = path.read_bytes()
            clean = _bytes_redacted(content, texts)
            if clean != content:
                write_whole(path, clean)


def _bytes_redacted(content: bytes, texts: Iterable[bytes]) -> bytes:
    mark = REDACTED.encode()
    if b"\0" in content:
        for text in texts:
            content = content.replace(text, b"*" * len(text))
        return KEY_BYTES.sub(lambda match: b"*" * len(match[0]), content)
    for text in texts:
        content = content.replace(text, mark)
    content = KEY_BYTES.sub(mark, content)
    for form in TOLD_BYTES:
        content = form.sub(rb"\g<before>" + mark, content)
    return content


LARGEST = 200_000_000  # bytes; a larger file is reported, not read
LEFT_OUT = {".git", "node_modules", ".venv", "__pycache__", ".mypy_cache", ".ruff_cache"}  # folders
LONGEST_LINE = 20_000  # characters of a line that detect-secrets is given; pictures are longer
VENDORS = [(what, re.compile(BEFORE + form)) for what, form in KEYS.items()]
HEADER = re.compile(
    r"(?:authorization[\"'\\]*\s*[:=]\s*[\"'\\]*)?\b(?:bearer|basic)\s+([A-Za-z0-9._~+/=-]{12,})",
    re.I,
)
ASSIGNED = re.compile(
    r"""(?P<name>(?<![A-Za-z0-9_.-])[A-Za-z0-9_.-]{0,60}?(?:api[_-]?key|access[_-]?key|private[_-]?key|secret|token|passw(?:or)?d|passwd|
    passphrase|credentials?|\bkey|[_-]key))["'\\]*\s*(?:[:=]|=>)\s*(?:[rbfu]?\\*(?P<quote>["'])(?P<quoted>[^"'\\\n]{6,})
    \\*(?P=quote)|(?P<bare>[A-Za-z0-9_+/=.~-]{16,}))""",
    re.I | re.X,
)
PLACEHOLDER = re.compile(
    r"^(?:env:|keyring:|\$|%|\{|<|\(hidden\)|\[redacted\]|\*{3}|x{4,}|\.{3}|…|your[-_ ]|os\.environ|not-a-)",
    re.I,
)
ALLOW = "pragma: allowlist secret"
ALLOW_FILE = ".kgnb-scan-allow"
FORMS = (  # of which no placeholder is one
    ("a password in a URL", re.compile(r"://[^\s/@:\"'<>]{0,100}:([^\s/@\"'<>]{3,200})@")),
    ("a key in a URL", TOLD[2]),
    (
        "a session cookie",
        re.compile(r"\bcookie[\"']?\s*[:=].{0,200}?\b\w*sess\w*=([A-Za-z0-9%._~+/=-]{16,})", re.I),
    ),
    ("a DigitalOcean token", re.compile(r"\bdo[opr]_v1_[a-f0-9]{64}\b")),
    ("a Telegram token", re.compile(r"(?<![\w-])\d{8,10}:AA[\w-]{32,33}(?![\w-])")),
)
CONFIGURATION = {".yml", ".yaml", ".ini", ".cfg", ".conf", ".env", ".toml", ".properties"}
IN_CONFIGURATION = re.compile(
    r"^\s*(?:- )?[\w.-]*(?:passw(?:or)?d|passphrase)\s*[:=]\s*([^\s#'\"]{6,})\s*(?:#.*)?$", re.I
)
IN_NETRC = re.compile(
    r"\b(?:machine|login|default)\b.*\bpassword\s+(\S{6,})|^\s*password\s+(\S{6,})\s*$"
)
COLOURS = re.compile(r"\x1b\[[0-9;]*[A-Za-z]|\\u001b\[[0-9;]*[A-Za-z]")
NAMED_ABOVE = re.compile(r"(?:key|secret|token|passw(?:or)?d)[\"']?\s*[:=]\s*[\[({]?\s*\\?$", re.I)
BASE64 = re.compile(r"(?<![A-Za-z0-9+/=])[A-Za-z0-9+/]{28,4000}={0,2}(?![A-Za-z0-9+/=])")
DETECTORS = (
    *(
        "artifactory.ArtifactoryDetector",
        "azure_storage_key.AzureStorageKeyDetector",
        "cloudant.CloudantDetector",
    ),
    *(
        "discord.DiscordBotTokenDetector",
        "mailchimp.MailchimpDetector",
        "npm.NpmDetector",
        "sendgrid.SendGridDetector",
    ),
    *("slack.SlackDetector", "square_oauth.SquareOAuthDetector"),
    *(
        "twilio.TwilioKeyDetector",
        "ibm_cloud_iam.IbmCloudIamDetector",
        "softlayer.SoftlayerDetector",
    ),
)
"""Those of detect-secrets that recognise a key by its form; those that use entropy alone report
every digest.
"""
LARGEST_MEMBER = 50_000_000  # bytes unpacked from one file
HEX = re.compile(r"^[0-9a-f]{16,}$|^sha\d+[:-]", re.I)


@dataclass(frozen=True, slots=True)
class Finding:
    """One secret: its file, place and kind, and a form that does not reveal it."""

    file: Path
    where: str  # "line 3", "cell 2, source, line 1", "metadata"
    what: str
    shown: str
    digest: str = ""  # of the value, for allow-lists

    def __str__(self) -> str:
        line = self.where.removeprefix("line ")
        place = f":{line}" if line != self.where else f": {self.where}"
        return unbroken(f"{self.file}{place}: {self.what}: {self.shown}")


def read_allowed(path: Path) -> list[tuple[str, str]]:
    """An allow-list: lines of a digest (or ``*``) and a pattern of paths below its folder; ``#``
    begins a comment.

    Raises:
        DataError: it cannot be read, or a line is malformed.
    """
    found, fix = [], "kgnb scan --digests prints such lines."
    for number, line in enumerate(read_input(path, fix).splitlines(), start=1):
        match line.partition("#")[0].split():
            case [digest, pattern] if re.fullmatch(r"\*|[0-9a-f]{16}", digest):
                found.append((digest, pattern))
            case [_, *_]:
                raise DataError("a line is a digest and a path", where=f"{path}:{number}", fix=fix)
    return found


def scan(path: Path | str, known: Sequence[str] = (), allowed: Path | None = None) -> list[Finding]:
    """Every secret in a file, or in all files below a folder except ``LEFT_OUT``, in order of their
    places.

    Args:
        known: values that must not occur, plain or encoded as in URLs, JSON and Base64.
        allowed: an allow-list (see ``read_allowed``); by default the folder's ``.kgnb-scan-allow``,
            if any.

    Raises:
        DataError: there is no such file or folder.
    """
    path = Path(path)
    if not path.exists():
        raise DataError("there is no such file or folder", where=str(path))
    root = path if path.is_dir() else path.parent
    files = (
        [path]
        if path.is_file()
        else [file for file in sorted(path.rglob("*")) if not file.is_symlink()]
    )
    hidden = [text for text in disguises(known) if text]
    listed = allowed or root / ALLOW_FILE
    exempt = read_allowed(listed) if allowed or listed.is_file() else []
    found = []
    for file in files:
        if file.is_file() and LEFT_OUT.isdisjoint(file.relative_to(root).parts[:-1]):
            name = (
                file.relative_to(listed.parent) if file.is_relative_to(listed.parent) else file
            ).as_posix()
            known_here = {digest for digest, pattern in exempt if fnmatch.fnmatch(name, pattern)}
            found += [
                one for one in _in_file(file, hidden) if known_here.isdisjoint(("*", one.digest))
            ]
    return found


def _in_file(file: Path, known: Sequence[str]) -> Iterator[Finding]:
    if file.stat().st_size > LARGEST:
        yield Finding(file, "line 1", "too large to be read", "scan it with another tool")
        return
    for where, text in _texts(file, file.read_bytes()):
        above = ""
        for number, line in enumerate(text.splitlines(), start=1):
            place = f"{where}, line {number}" if where else f"line {number}"
            whole = f"{above.rstrip()} {line.strip()}" if NAMED_ABOVE.search(above) else line
            above, taken = line, list[str]()
            for what, value in (
                _candidates(COLOURS.sub("", whole), known, file, "\0" in text)
                if ALLOW not in line
                else ()
            ):
                if not any(
                    value in other or other in value for other in taken
                ):  # the most specific kind comes first
                    taken.append(value)
                    yield Finding(file, place, what, masked(value, what), digest_of(value))


def _candidates(
    line: str, known: Sequence[str], file: Path, binary: bool
) -> Iterator[tuple[str, str]]:
    """What looks like a secret, the most specific kinds first."""
    yield from (("a known secret", value) for value in known if value in line)
    for what, form in VENDORS:
        yield from ((what, match[0]) for match in form.finditer(line))
    forms = [
        *FORMS,
        *([("a password", IN_CONFIGURATION)] if {file.suffix, file.name} & CONFIGURATION else []),
    ]
    forms += [("a password", IN_NETRC)] if "netrc" in file.name else []
    for what, form in forms:
        for match in form.finditer(line):
            value = (
                match[0][len(match["before"]) :]
                if "before" in form.groupindex
                else next(filter(None, match.groups()), match[0])
            )
            if not PLACEHOLDER.search(value) and value not in ("true", "false", "null"):
                yield what, value
    if binary:
        return
    for match in HEADER.finditer(line):
        if _mixed(match[1]) and not PLACEHOLDER.search(match[1]):
            yield "an authorization header", match[1]
    for match in ASSIGNED.finditer(line):
        value = match["quoted"] or match["bare"]
        if _secret(match["name"], value, quoted=bool(match["quoted"])):
            yield f"a value of {match['name'].strip('.-_')}", value
    if len(line) <= LONGEST_LINE:
        yield from _by_detectors(line)


def _texts(file: Path, content: bytes) -> Iterator[tuple[str, str]]:
    """The texts in a file and their places: a notebook by cell, an archive by member, anything else
    as a whole.
    """
    if unpacked := list(_unpacked(content)):
        yield from ((name, _decoded(inner)) for name, inner in unpacked)
        return
    text = _decoded(content)
    if file.suffix == ".ipynb":
        with suppress(ValueError):
            notebook = from_json(text)
            if isinstance(notebook, dict) and isinstance(notebook.get("cells"), list):
                yield from _in_notebook(notebook)
                return
    yield "", text


def _decoded(content: bytes) -> str:
    head = content[:2000]
    for encoding, zeros in (("utf-16-le", head[1::2]), ("utf-16-be", head[::2])):
        if len(head) > 8 and zeros.count(0) > 0.8 * len(zeros) and head.count(0) < 0.6 * len(head):
            return content.decode(encoding, "replace")
    if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return content.decode("utf-16", "replace")
    return content.decode("utf-8", "replace")


def _unpacked(content: bytes) -> Iterator[tuple[str, bytes]]:
    """The members of gzip and zip files by name, except damaged, encrypted and too large ones."""
    if content[:2] == b"\x1f\x8b":
        try:
            yield "unpacked", zlib.decompressobj(wbits=31).decompress(content, LARGEST_MEMBER)
        except zlib.error:
            return
    elif content[:4] == b"PK\x03\x04":
        try:
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                for member in archive.infolist():
                    if member.file_size <= LARGEST_MEMBER and not member.flag_bits & 1:
                        yield member.filename, archive.read(member)
        except (zipfile.BadZipFile, NotImplementedError, zlib.error, EOFError):
            return


@cache
def _detectors() -> tuple[tuple[str, Callable[[str], Iterator[str]]], ...]:
    found = []
    for name in DETECTORS:
        module, _, kind = name.partition(".")
        detector = getattr(import_module(f"detect_secrets.plugins.{module}"), kind)()
        found.append((f"a secret ({detector.secret_type})", detector.analyze_string))
    return tuple(found)


def _by_detectors(line: str) -> Iterator[tuple[str, str]]:
    """What detect-secrets recognises, and keys of ours in Base64."""
    for what, find in _detectors():
        yield from ((what, value) for value in find(line) if not PLACEHOLDER.search(value))
    for encoded in BASE64.findall(line):
        with suppress(binascii.Error, UnicodeDecodeError):
            inside = base64.b64decode(encoded + "=" * (-len(encoded) % 4)).decode("ascii")
            found = ((what, form.search(inside)) for what, form in VENDORS)
            yield from ((f"{what} in Base64", match[0]) for what, match in found if match)


def digest_of(value: str) -> str:
    """The name of a value in an allow-list.

    >>> digest_of("not a secret")
    '8f260a0b09492f08'
    """
    return hashlib.sha256(value.encode("utf-8", "replace")).hexdigest()[:16]


def _in_notebook(notebook: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Every part of a notebook and its place; a broken one may hold anything anywhere."""
    for number, cell in enumerate(notebook["cells"], start=1):
        parts = dict(cell) if isinstance(cell, dict) else {"": cell}
        source, outputs = parts.pop("source", ""), parts.pop("outputs", None) or []
        yield (
            f"cell {number}, source",
            "".join(map(str, source)) if isinstance(source, list) else str(source),
        )
        for at, output in enumerate(outputs if isinstance(outputs, list) else [outputs], start=1):
            yield f"cell {number}, output {at}", "\n".join(_flat(output))
        yield f"cell {number}, metadata", "\n".join(_flat(parts))
    metadata = notebook.get("metadata")
    metadata = dict(metadata) if isinstance(metadata, dict) else {"": metadata}
    yield "widget state", "\n".join(_flat(metadata.pop("widgets", {})))
    yield "notebook metadata", "\n".join(_flat(metadata))


def _flat(value: Any, name: str = "") -> Iterator[str]:
    """The texts inside a value, a line each, with the name of each; that of a password field is
    called one.
    """
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _flat(item, str(key))
        state = value.get("state")
        if value.get("model_name") == "PasswordModel" and isinstance(state, dict):
            yield f'password = "{"".join(str(state.get("value") or "").split())}"'
    elif isinstance(value, list) and all(isinstance(item, str) for item in value):
        yield from _flat("".join(value), name)
    elif isinstance(value, list):
        for item in value:
            yield from _flat(item, name)
    elif isinstance(value, str) and not name.startswith("image/"):
        first, *rest = value.splitlines() or [""]
        yield f"{name}: {first}" if rest else f'{name}: "{first}"'
        yield from rest


def _secret(name: str, value: str, *, quoted: bool) -> bool:
    if PLACEHOLDER.search(value) or value.endswith(("...", "…")):
        return False
    if re.search(r"passw|passphrase", name, re.I):
        return (quoted and not re.search(r"\s", value)) or _mixed(value)
    if name.casefold().strip("._-") in ("key", "token", "secret") and HEX.search(value):
        return False  # digests have such names
    return len(value) >= 16 and not re.search(r"\s|://|\(", value) and _mixed(value)


def _mixed(value: str) -> bool:
    """Whether a value is as random as a key: letters and digits, three bits a character or more.

    >>> _mixed("hj3K9sLq0vXz81Pd"), _mixed("aaaaaaaaaaaaaaaa1"), _mixed("entity_alignment")
    (True, False, False)
    """
    if not (re.search(r"\d", value) and re.search(r"[A-Za-z]", value)):
        return False
    counts = Counter(value).values()
    return -sum(count / len(value) * math.log2(count / len(value)) for count in counts) >= 3.0


def masked(value: str, what: str) -> str:
    """A finding without its secret: the prefix that all keys of its kind share, and the length."""
    prefixes = ("sk-", "ghp_", "AKIA", "hf_", "eyJ", "-----BEGIN") if what in KEYS else ()
    prefix = next((start for start in prefixes if value.startswith(start)), "")
    return f"{prefix}… ({len(value)} characters)"

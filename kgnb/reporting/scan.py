"""Finds secrets in notebooks, runs, reports and settings: before they are shared, and in CI.

What is looked for: values of the secrets that the settings and the environment know, keys that betray themselves by how
they begin (ours, and the detectors of the package detect-secrets), authorization headers, passwords in URLs and in
configuration, and long mixed values under names such as ``api_key``. Archives, gzip, Base64 and text broken up by
colour codes are looked into.

A line with ``pragma: allowlist secret`` is left out (the word of detect-secrets), and so is what an allow-list names.
"""

from __future__ import annotations

import base64
import binascii
import fnmatch
import hashlib
import io
import json
import math
import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus

from kgnb.errors import DataError
from kgnb.files import from_json
from kgnb.secret import HIDDEN, KEY, KEYS, TOLD, blot_forms
from kgnb.settings import known_secrets

__all__ = ["disguises", "known_secrets", "redact", "redact_folder"]

REDACTED = HIDDEN
KEY_BYTES = re.compile(KEY.pattern.encode())
TOLD_BYTES = tuple(re.compile(form.pattern.encode()) for form in TOLD)


def disguises(secrets: Iterable[str]) -> tuple[str, ...]:
    """The secrets and the ways they are commonly encoded, longest first so that no part of one is left."""
    found = set()
    for value in secrets:
        raw = value.encode()
        found |= {value, quote(value, safe=""), quote_plus(value), json.dumps(value)[1:-1], escape(value)}
        found.add(base64.b64encode(raw).decode().rstrip("="))
    return tuple(sorted(found, key=lambda text: (-len(text), text)))


def redact(value: Any, secrets: Iterable[str]) -> Any:
    """``value`` (text, or lists and mappings of it, keys included) with every secret blotted out.

    >>> redact({"auth": ["Bearer hunter2!"]}, ["hunter2!"])
    {'auth': ['Bearer [redacted]']}
    """
    return _redact(value, disguises(secrets))


def redact_folder(folder: Path, secrets: Iterable[str]) -> None:
    """Blot the secrets, and what betrays itself as one, out of every file below ``folder``, byte by byte.

    In a file that is no text (a database, a picture) as many bytes take a secret's place as it had.
    """
    texts = [text.encode() for text in disguises(secrets)]
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink():
            content = path.read_bytes()
            clean = _bytes_redacted(content, texts)
            if clean != content:
                path.write_bytes(clean)


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


def _redact(value: Any, texts: tuple[str, ...]) -> Any:
    if isinstance(value, str):
        for text in texts:
            value = value.replace(text, REDACTED)
        return blot_forms(value)
    if isinstance(value, dict):
        return type(value)({_redact(name, texts): _redact(item, texts) for name, item in value.items()})
    if isinstance(value, list | tuple):
        return type(value)(_redact(item, texts) for item in value)
    return value


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
ALLOW = "pragma: allowlist secret"
ALLOW_FILE = ".kgnb-scan-allow"
CONFIGURATION = {".yml", ".yaml", ".ini", ".cfg", ".conf", ".env", ".toml", ".properties"}
IN_CONFIGURATION = re.compile(
    r"^\s*(?:- )?[\w.-]*(?:passw(?:or)?d|passphrase)\s*[:=]\s*([^\s#'\"]{6,})\s*(?:#.*)?$", re.I
)
IN_NETRC = re.compile(r"\b(?:machine|login|default)\b.*\bpassword\s+(\S{6,})|^\s*password\s+(\S{6,})\s*$")
COOKIE = re.compile(r"\bcookie[\"']?\s*[:=].{0,200}?\b\w*sess\w*=([A-Za-z0-9%._~+/=-]{16,})", re.I)
TELEGRAM = re.compile(r"(?<![\w-])\d{8,10}:AA[\w-]{32,33}(?![\w-])")
DIGITAL_OCEAN = re.compile(r"\bdo[opr]_v1_[a-f0-9]{64}\b")
COLOURS = re.compile(r"\x1b\[[0-9;]*[A-Za-z]|\\u001b\[[0-9;]*[A-Za-z]")
NAMED_ABOVE = re.compile(r"(?:key|secret|token|passw(?:or)?d)[\"']?\s*[:=]\s*[\[({]?\s*\\?$", re.I)
BASE64 = re.compile(r"(?<![A-Za-z0-9+/=])[A-Za-z0-9+/]{28,4000}={0,2}(?![A-Za-z0-9+/=])")
DETECTORS = (
    *("artifactory.ArtifactoryDetector", "azure_storage_key.AzureStorageKeyDetector", "cloudant.CloudantDetector"),
    *("discord.DiscordBotTokenDetector", "mailchimp.MailchimpDetector", "npm.NpmDetector", "sendgrid.SendGridDetector"),
    *("slack.SlackDetector", "square_oauth.SquareOAuthDetector"),
    *("twilio.TwilioKeyDetector", "ibm_cloud_iam.IbmCloudIamDetector", "softlayer.SoftlayerDetector"),
)
"""Of detect-secrets, those that go by the form of a key; those that go by entropy alone call every digest a secret."""
LARGEST_MEMBER = 50_000_000  # bytes of what is unpacked from one file
HEX = re.compile(r"^[0-9a-f]{16,}$|^sha\d+[:-]", re.I)


@dataclass(frozen=True, slots=True)
class Finding:
    """One secret: the file, where in it, what it is, and a form that does not give it away."""

    file: Path
    where: str  # "line 3", "cell 2, source, line 1", "metadata"
    what: str
    shown: str
    digest: str = ""  # of the value: what an allow-list names it by

    def __str__(self) -> str:
        if self.where.startswith("line "):
            return f"{self.file}:{self.where[5:]}: {self.what}: {self.shown}"
        return f"{self.file}: {self.where}: {self.what}: {self.shown}"


@dataclass(frozen=True, slots=True)
class Allowed:
    """What is known to be no secret: a pattern of paths, and a digest of the value ("*": any)."""

    digest: str
    path: str

    def covers(self, finding: Finding, root: Path) -> bool:
        """Whether it is this one."""
        file = finding.file.relative_to(root) if finding.file.is_relative_to(root) else finding.file
        return self.digest in ("*", finding.digest) and fnmatch.fnmatch(file.as_posix(), self.path)


def read_allowed(path: Path) -> tuple[Allowed, ...]:
    """An allow-list: lines of a digest (or ``*``) and a pattern of paths below its folder; ``#`` begins a comment.

    Raises:
        DataError: it cannot be read, or a line is none.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"cannot be read: {error}", where=str(path)) from error
    found = []
    for number, line in enumerate(lines, start=1):
        words = line.partition("#")[0].split()
        if words and (len(words) != 2 or not re.fullmatch(r"\*|[0-9a-f]{16}", words[0])):
            raise DataError(
                "no digest and path", where=f"{path}:{number}", fix="kgnb scan --digests prints such lines."
            )
        found += [Allowed(*words)] if words else []
    return tuple(found)


def scan(path: Path | str, known: Sequence[str] = (), allowed: Path | None = None) -> list[Finding]:
    """Every secret in a file, or in all files below a folder (not those in ``LEFT_OUT``), in the order of their places.

    Args:
        path: file or folder.
        known: values that must not occur, also encoded as in URLs, JSON and Base64.
        allowed: an allow-list (see ``read_allowed``); by default ``.kgnb-scan-allow`` in the folder, if there is one.

    Raises:
        DataError: there is no such file or folder.
    """
    path = Path(path)
    if not path.exists():
        raise DataError("there is no such file or folder", where=str(path))
    files = [path] if path.is_file() else sorted(_below(path))
    hidden = [text for text in disguises(known) if text]
    root = path if path.is_dir() else path.parent
    names = allowed or root / ALLOW_FILE
    exempt = read_allowed(names) if allowed or names.is_file() else ()
    return [
        finding
        for file in files
        for finding in _in_file(file, hidden)
        if not any(one.covers(finding, names.parent) for one in exempt)
    ]


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
        above = ""
        for number, line in enumerate(text.splitlines(), start=1):
            place = f"{where}, line {number}" if where else f"line {number}"
            whole = f"{above.rstrip()} {line.strip()}" if NAMED_ABOVE.search(above) else line
            above = line
            if ALLOW in line:
                continue
            readable = "\0" not in text
            found = [*_in_line(COLOURS.sub("", whole), known, assigned=readable)]
            found += _by_detectors(line) if readable else ()
            found += _configured(line, file) if readable else ()
            for what, value in found:
                key = (place, what, value)
                if key not in seen and not any(place == at and value in other for at, _, other in seen):
                    seen.add(key)
                    yield Finding(file, place, what, masked(value, what), digest_of(value))


def _texts(file: Path, content: bytes) -> Iterator[tuple[str, str]]:
    """The texts in a file and where they are: a notebook's by cell, of anything else the whole."""
    unpacked = list(_unpacked(content))
    for name, inner in unpacked:
        yield name, _decoded(inner)
    if unpacked:
        return
    text = _decoded(content)
    if file.suffix == ".ipynb":
        try:
            notebook = from_json(text)
        except ValueError:
            notebook = None
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
    """What lies inside gzip and zip, by its name; nothing of what is damaged, locked or too large."""
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
    if len(line) > LONGEST_LINE:
        return
    for what, find in _detectors():
        for value in find(line):
            if not PLACEHOLDER.search(value):
                yield what, value
    for encoded in BASE64.findall(line):
        try:
            inside = base64.b64decode(encoded + "=" * (-len(encoded) % 4)).decode("ascii")
        except (binascii.Error, UnicodeDecodeError):
            continue
        for what, form in VENDORS:
            if found := form.search(inside):
                yield f"{what} in Base64", found[0]


def _configured(line: str, file: Path) -> Iterator[tuple[str, str]]:
    """Passwords as configuration, .netrc and cookies hold them: bare words, told by their place alone."""
    forms = [("a session cookie", COOKIE), ("a DigitalOcean token", DIGITAL_OCEAN), ("a Telegram token", TELEGRAM)]
    forms += [("a password", IN_CONFIGURATION)] if {file.suffix, file.name} & CONFIGURATION else []
    forms += [("a password", IN_NETRC)] if "netrc" in file.name else []
    for what, form in forms:
        for match in form.finditer(line[:LONGEST_LINE]):
            value = next((group for group in match.groups() if group), match[0])
            if not PLACEHOLDER.search(value) and value not in ("true", "false", "null"):
                yield what, value


def digest_of(value: str) -> str:
    """What an allow-list calls a value.

    >>> digest_of("not a secret")
    '8f260a0b09492f08'
    """
    return hashlib.sha256(value.encode("utf-8", "replace")).hexdigest()[:16]


def _in_notebook(notebook: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for number, cell in enumerate(notebook["cells"], start=1):
        if not isinstance(cell, dict):
            continue
        yield f"cell {number}, source", _joined(cell.get("source", ""))
        for at, output in enumerate(_listed(cell.get("outputs")), start=1):
            yield f"cell {number}, output {at}", _flat(output)
        rest = {name: value for name, value in cell.items() if name not in ("source", "outputs")}
        yield f"cell {number}, metadata", _flat(rest)
    said = notebook.get("metadata")
    metadata = dict(said) if isinstance(said, dict) else {"": said}
    widgets = metadata.pop("widgets", {})
    yield "widget state", _flat(widgets)
    yield "widget state, a password field", "\n".join(_passwords(widgets))
    yield "notebook metadata", _flat(metadata)


def _listed(value: Any) -> list[Any]:
    """What should be a list, and in a broken notebook may be anything: nothing of it goes unread."""
    return value if isinstance(value, list) else [value] if value else []


def _passwords(widgets: Any) -> Iterator[str]:
    """What stands in password fields, as assignments: whatever it looks like, nobody may see it."""
    for view in widgets.values() if isinstance(widgets, dict) else ():
        for model in (view.get("state") or {}).values() if isinstance(view, dict) else ():
            if isinstance(model, dict) and model.get("model_name") == "PasswordModel":
                state = model.get("state")
                if isinstance(state, dict) and str(state.get("value") or ""):
                    yield f'password = "{"".join(str(state["value"]).split())}"'


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
    for what, value in _candidates(line, known, assigned):
        if not any(value in other or other in value for other in taken):
            taken.append(value)
            yield what, value


def _candidates(line: str, known: Sequence[str], assigned: bool) -> Iterator[tuple[str, str]]:
    yield from (("a known secret", value) for value in known if value in line)
    for what, form in VENDORS:
        yield from ((what, match[0]) for match in form.finditer(line))
    told = [("a password in a URL", match[1]) for match in URL.finditer(line)]
    told += [("a key in a URL", match[0][len(match["before"]) :]) for match in IN_QUERY.finditer(line)]
    yield from ((what, value) for what, value in told if not PLACEHOLDER.search(value))
    for start in range(0, len(line), LONGEST_LINE) if assigned else ():
        part = line[max(0, start - 200) : start + LONGEST_LINE]
        for match in HEADER.finditer(part):
            if _mixed(match[1]) and not PLACEHOLDER.search(match[1]):
                yield "an authorization header", match[1]
        for match in ASSIGNED.finditer(part):
            value = match["quoted"] or match["bare"]
            if _secret(match["name"], value, quoted=bool(match["quoted"])):
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

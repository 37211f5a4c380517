"""Keeping known secrets out of whatever a report saves."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus

from kgnb.secret import HIDDEN, KEY, TOLD, blot_forms
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

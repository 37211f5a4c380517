"""Keeping known secrets out of whatever a report saves."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from kgnb.errors import ConfigError
from kgnb.settings import Settings, secret

REDACTED = "[redacted]"
SHORTEST = 6  # anything shorter would blot out innocent text


def known_secrets(settings: Settings) -> tuple[str, ...]:
    """The secrets these settings lead to: their keys, the default key, and passwords within their URLs."""
    values = [urlsplit(url).password or "" for url in (settings.base_url, settings.embedder_url, settings.index)]
    for handle in (settings.key, settings.embedder_key, settings.index_key, "env:OPENAI_API_KEY"):
        try:
            values.append(secret(handle).reveal() if handle else "")
        except ConfigError:  # the variable is not set: there is nothing to hide
            continue
    return tuple(sorted({value for value in values if len(value) >= SHORTEST}))


def disguises(secrets: Iterable[str]) -> tuple[str, ...]:
    """The secrets and the ways they are commonly encoded, longest first so that no part of one is left."""
    found = set()
    for value in secrets:
        raw = value.encode()
        found |= {value, quote(value, safe=""), json.dumps(value)[1:-1], base64.b64encode(raw).decode().rstrip("=")}
    return tuple(sorted(found, key=lambda text: (-len(text), text)))


def redact(value: Any, secrets: Iterable[str]) -> Any:
    """``value`` (text, or lists and mappings of it, keys included) with every secret blotted out.

    >>> redact({"auth": ["Bearer hunter2!"]}, ["hunter2!"])
    {'auth': ['Bearer [redacted]']}
    """
    return _redact(value, disguises(secrets))


def redact_folder(folder: Path, secrets: Iterable[str]) -> None:
    """Blot the secrets out of every file below ``folder``, byte by byte."""
    texts = [text.encode() for text in disguises(secrets)]
    for path in sorted(folder.rglob("*")) if texts else ():
        if path.is_file() and not path.is_symlink():
            content = path.read_bytes()
            clean = content
            for text in texts:
                clean = clean.replace(text, REDACTED.encode())
            if clean != content:
                path.write_bytes(clean)


def _redact(value: Any, texts: tuple[str, ...]) -> Any:
    if isinstance(value, str):
        for text in texts:
            value = value.replace(text, REDACTED)
        return value
    if isinstance(value, dict):
        return type(value)({_redact(name, texts): _redact(item, texts) for name, item in value.items()})
    if isinstance(value, list | tuple):
        return type(value)(_redact(item, texts) for item in value)
    return value

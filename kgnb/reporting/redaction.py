"""Keeping known secrets out of whatever a report saves."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from kgnb.errors import ConfigError
from kgnb.secret import HIDDEN, KEY, SHORTEST
from kgnb.settings import Settings, secret, secret_variables

REDACTED = HIDDEN
KEY_BYTES = re.compile(KEY.pattern.encode())


def known_secrets(settings: Settings) -> tuple[str, ...]:
    """The secrets these settings lead to: their keys, passwords within their URLs, and every environment variable
    whose name looks like that of a secret."""
    urls = [settings.base_url, settings.embedder_url, settings.index, *(one.url for one in settings.endpoints)]
    values = [*map(_password, urls), *secret_variables().values()]
    handles = [settings.key, settings.embedder_key, settings.index_key, *(one.auth for one in settings.endpoints)]
    for handle in handles:
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


def _password(url: str) -> str:
    try:
        return unquote(urlsplit(url).password or "")
    except ValueError:  # no URL at all
        return ""


def redact_folder(folder: Path, secrets: Iterable[str]) -> None:
    """Blot the secrets, and what looks like a key, out of every file below ``folder``, byte by byte."""
    texts = [text.encode() for text in disguises(secrets)]
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink():
            content = path.read_bytes()
            clean = content
            for text in texts:
                clean = clean.replace(text, REDACTED.encode())
            clean = KEY_BYTES.sub(REDACTED.encode(), clean)
            if clean != content:
                path.write_bytes(clean)


def _redact(value: Any, texts: tuple[str, ...]) -> Any:
    if isinstance(value, str):
        for text in texts:
            value = value.replace(text, REDACTED)
        return KEY.sub(REDACTED, value)
    if isinstance(value, dict):
        return type(value)({_redact(name, texts): _redact(item, texts) for name, item in value.items()})
    if isinstance(value, list | tuple):
        return type(value)(_redact(item, texts) for item in value)
    return value

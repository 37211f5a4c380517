"""Secrets, such as API keys between the environment and the client that needs them, and their
redaction.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable, Mapping
from html import escape
from typing import Any
from urllib.parse import quote, quote_plus

HIDDEN = "[redacted]"
SHORTEST = 6  # anything shorter would redact innocent text

KEYS = {
    "a private key": r"-----BEGIN [A-Z ]*PRIVATE KEY-----"
    # up to its end, or to the next beginning: each letter is looked at once
    r"(?:[^-]*+(?:-(?!----BEGIN )[^-]*+)*?-----END [A-Z ]*PRIVATE KEY-----)?",
    "a key of an OpenAI-like service": r"sk-(?:ant-|proj-|or-v1-|svcacct-)?[A-Za-z0-9_-]{16,}",
    "a GitHub token": r"(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{30,})",
    "a GitLab token": r"glpat-[A-Za-z0-9_-]{18,}",
    "a Hugging Face token": r"hf_[A-Za-z0-9]{30,}",
    "an AWS key id": r"(?:AKIA|ASIA)[A-Z0-9]{16}",
    "a Google API key": r"AIza[A-Za-z0-9_-]{35}",
    "a Slack token": r"xox[abprs]-[A-Za-z0-9-]{10,}",
    "a Stripe key": r"[rs]k_(?:live|test)_[A-Za-z0-9]{16,}",
    "a Groq key": r"gsk_[A-Za-z0-9]{30,}",
    "a PyPI token": r"pypi-[A-Za-z0-9_-]{50,}",
    "a JSON web token": r"eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}",
}
"""Keys that can be recognised by their prefix."""
BEFORE = r"(?:(?<![A-Za-z0-9+/=_-])|(?=-----BEGIN ))"
"""No Base64 character may stand before a key, but for one that begins with a line of its own, which
may be written as ``\\n``.
"""
KEY = re.compile(BEFORE + "(?:" + "|".join(f"(?:{form})" for form in KEYS.values()) + ")")

TOLD = (
    re.compile(r"""(?P<before>://[^\s/@:"'<>]{0,100}:)[^\s/@"'<>]{3,500}(?=@)"""),
    re.compile(
        r"""(?P<before>[Aa][Uu][Tt][Hh][Oo][Rr][Ii][Zz][Aa][Tt][Ii][Oo][Nn]["'\\]*\s*[:=]\s*["'\\]*(?:[Bb]earer|[Bb]asic)\s+)"""
        r"[A-Za-z0-9._~+/%=-]{6,}"
    ),
    re.compile(
        r"(?P<before>[?&](?<=[A-Za-z0-9/%_.~=+-].)(?:amp;)?(?:[xX]-)?(?:[aA][pP][iI][_-]?[kK][eE][yY]|key"
        r"|(?:(?:access|auth|sas)[_-]?)?token|(?:client[_-]?)?secret|pass(?:word|wd)?|sig)=)"
        r"""[^\s/@"'<>&\\#;)]{6,500}"""
    ),
)
"""Secrets that are recognised by their context: a password in a URL, an authorization header, a key
in a query string. ``?key=`` after a space or a bracket is a variable of SPARQL.
"""

_hidden: set[str] = set()
_longest_first: tuple[str, ...] = ()


def hide(*secrets: str) -> None:
    """From now on ``blot`` removes these from every text, however encoded; those under six
    characters stay.
    """
    global _longest_first
    if new := [secret for secret in secrets if len(secret) >= SHORTEST and secret not in _hidden]:
        _hidden.update(disguises(new))
        _longest_first = tuple(sorted(_hidden, key=lambda value: (-len(value), value)))


def disguises(secrets: Iterable[str]) -> tuple[str, ...]:
    """The secrets and their common encodings, longest first so that no part of one is left."""
    found = set()
    for value in secrets:
        encoded = base64.b64encode(value.encode("utf-8", "replace")).decode().rstrip("=")
        found |= {
            value,
            encoded,
            json.dumps(value)[1:-1],
            json.dumps(value, ensure_ascii=False)[1:-1],
            escape(value),
        }
        found |= {quote(value, "", errors="replace"), quote_plus(value, errors="replace")}
    return tuple(sorted(found, key=lambda text: (-len(text), text)))


def blot(text: str) -> str:
    """The text without recognisable keys and without any secret revealed in or given to this
    process.

    >>> blot("the reply was: use sk-proj-abcdefghijklmnop1234, it works")
    'the reply was: use [redacted], it works'
    """
    for known in _longest_first:
        text = text.replace(known, HIDDEN)
    return blot_forms(text)


def blot_forms(text: str) -> str:
    """The text without secrets recognisable by their form or context.

    >>> blot_forms("GET https://me:hunter2@graph.example/sparql?api_key=abcd-1234&query=ASK")
    'GET https://me:[redacted]@graph.example/sparql?api_key=[redacted]&query=ASK'
    """
    text = KEY.sub(HIDDEN, text)
    for form in TOLD:
        text = form.sub(rf"\g<before>{HIDDEN}", text)
    return text


def blotted(value: Any) -> Any:
    """Plain data with ``blot`` applied to every text in it.

    >>> blotted({"auth": ["Bearer sk-proj-abcdefghijklmnop1234"]})
    {'auth': ['Bearer [redacted]']}
    """
    if isinstance(value, str):
        return blot(value)
    if isinstance(value, Mapping):
        kind = (
            type(value) if isinstance(value, dict) else dict
        )  # a notebook's dictionaries are of a kind of their own
        return kind({blotted(name): blotted(item) for name, item in value.items()})
    return [blotted(item) for item in value] if isinstance(value, list | tuple) else value


class Secret:
    """A text that is only shown by ``reveal()``."""

    __slots__ = ("_text", "source")

    def __init__(self, text: str, source: str = "") -> None:
        self._text = text
        self.source = source

    def reveal(self) -> str:
        """The secret itself: pass it to a client, never to a file."""
        hide(self._text)
        return self._text

    def __repr__(self) -> str:
        return f"Secret({self.source or '...'})"

    def __bool__(self) -> bool:
        return bool(self._text)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other._text == self._text

    def __hash__(self) -> int:
        return hash(self._text)

"""Values as plain JSON without secrets, for a run's parameters end up in files."""

from __future__ import annotations

import hashlib
import json
import math
import re
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from importlib import metadata
from numbers import Integral, Real
from pathlib import Path
from typing import Any

from kgnb.errors import shown

HIDDEN = "(hidden)"
_SECRET_NAME = re.compile(
    r"(^|_)(api_?key|key|secret|pass(word|wd|phrase)?|credentials?|authorization|(api|auth|access|bearer|refresh)_?token|token)$",
    re.IGNORECASE,
)


def plain(value: Any, name: str = "value") -> Any:
    """``value`` as plain JSON: dataclasses become objects, sequences lists, paths and IRIs text.

    A text under a name such as ``api_key`` is hidden, unless it only says where the secret is
    (``env:NAME``).

    >>> plain({"k": 10, "files": (Path("a.owl"),), "api_key": "abc", "key": "env:OPENAI_API_KEY"})
    {'k': 10, 'files': ['a.owl'], 'api_key': '(hidden)', 'key': 'env:OPENAI_API_KEY'}

    Raises:
        TypeError: the value, or one inside it, is not plain data.
        ValueError: a number is not finite, so JSON cannot hold it.
    """
    if isinstance(value, Enum):
        return plain(value.value, name)
    if isinstance(value, str):
        return (
            HIDDEN
            if value and _SECRET_NAME.search(name) and not value.startswith("env:")
            else str(value)
        )
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, Path):
        return str(value)
    if hasattr(value, "reveal"):  # a Secret shows where it comes from, no more
        return repr(value)
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        if not math.isfinite(value):
            raise ValueError(f"{name} is {value}, which is not a finite number")
        return float(value)
    if is_dataclass(value) and not isinstance(value, type):
        return {
            entry.name: plain(getattr(value, entry.name), entry.name) for entry in fields(value)
        }
    if isinstance(value, Mapping):
        return {str(key): plain(item, str(key)) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item, name) for item in value]
    if isinstance(value, (set, frozenset)):
        return sorted((plain(item, name) for item in value), key=_canonical)
    raise TypeError(
        f"{name} is a {type(value).__name__}, which is not plain data: pass its name or its digest"
    )


def numbers(counts: Mapping[str, Any]) -> dict[str, int | float]:
    """The entries that are finite numbers, as Python's own.

    >>> numbers({"mappings": 12, "share": 0.5, "by kind": {"class": 12}, "mean": math.nan})
    {'mappings': 12, 'share': 0.5}
    """
    return {
        str(name): int(value) if isinstance(value, Integral) else float(value)
        for name, value in counts.items()
        if isinstance(value, Real) and math.isfinite(value)
    }


def digest(value: Any) -> str:
    """A short digest of a plain value's content (16 hexadecimal digits of SHA-256)."""
    return hashlib.sha256(_canonical(value).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _canonical(value: Any) -> str:
    return json.dumps(
        value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False
    )


def said(error: BaseException | None) -> str | None:
    """An error in one line: its type and the first line of its message; None stays None."""
    return (
        None
        if error is None
        else shown(f"{type(error).__name__}: {str(error).partition(chr(10))[0]}".rstrip(": "), 400)
    )


_PACKAGES = ("kgnb", "numpy", "openai", "pyoxigraph", "qdrant-client", "rdflib", "scipy")


@cache
def package_versions() -> dict[str, str]:
    """The versions of Python and of the packages that may change a result."""
    found = {"python": ".".join(map(str, sys.version_info[:3]))}
    for package in _PACKAGES:
        with suppress(metadata.PackageNotFoundError):
            found[package] = metadata.version(package)
    return found

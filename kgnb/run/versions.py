"""The versions of what a run is made with."""

from __future__ import annotations

import sys
from functools import cache
from importlib import metadata

_PACKAGES = ("kgnb", "numpy", "openai", "pyoxigraph", "qdrant-client", "rdflib", "scipy")


def package_versions() -> dict[str, str]:
    """The versions of Python and of the packages that sway a result."""
    return {"python": ".".join(map(str, sys.version_info[:3]))} | dict(_installed())


@cache
def _installed() -> tuple[tuple[str, str], ...]:
    found = []
    for package in _PACKAGES:
        try:
            found.append((package, metadata.version(package)))
        except metadata.PackageNotFoundError:
            continue
    return tuple(found)

"""Regular expressions of ontologies and shapes, which may come from anybody, by the engine of the
store: it takes time in proportion to the text, where Python's may take for ever (``^(a+)+$``).
"""

from __future__ import annotations

from functools import lru_cache
from typing import cast

import pyoxigraph as ox

_EMPTY = ox.Store()


@lru_cache(maxsize=8192)
def matches(pattern: str, text: str, flags: str = "") -> bool | None:
    """Whether the pattern occurs in the text, as SPARQL's REGEX says; None where it is none.

    >>> matches("^(a+)+$", "a" * 40 + "!"), matches("[", "")
    (False, None)
    """
    asked = ", ".join(str(ox.Literal(each)) for each in (text, pattern, flags))
    found = cast(ox.QuerySolutions, _EMPTY.query(f"SELECT (REGEX({asked}) AS ?found) {{}}"))
    value = next(found)["found"]
    return None if value is None else cast(ox.Literal, value).value == "true"

"""The ways an entity can take through the tools, and what one is worth (EA-Agent's reward)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TypeAlias

Path: TypeAlias = tuple[str, ...]
Record: TypeAlias = Mapping[Path, tuple[tuple[int, int], tuple[int, int]]]
"""(asked, right) of each path on entities whose known counterpart was compared: margins below ``CLOSE``, and wider."""

CLOSE = 0.05

ATTRIBUTES, RELATIONS, ALIGN, REFLECT = TOOLS = ("attributes", "relations", "align", "reflect")
STANDS: Path = ()
"""The empty path: the first alignment stands, and nobody is asked."""

PATHS: tuple[Path, ...] = (
    STANDS,
    (ATTRIBUTES, ALIGN),
    (RELATIONS, ALIGN),
    (ATTRIBUTES, RELATIONS, ALIGN),
    (ATTRIBUTES, ALIGN, REFLECT),
    (RELATIONS, ALIGN, REFLECT),
    (ATTRIBUTES, RELATIONS, ALIGN, REFLECT),
)

# What a reflection was worth, by (first answer right, last answer right). Wrong to wrong is not in the paper.
REFLECTION = {(False, True): 1.0, (True, True): -0.5, (True, False): -1.0, (False, False): 0.0}


def named(path: Path) -> str:
    """A path as a person reads it, and as a policy file writes it.

    >>> named(("attributes", "align")), named(())
    ('attributes > align', 'stands')
    """
    return " > ".join(path) if path else "stands"


def path_of(name: str) -> Path:
    """The path behind a name; ValueError for one that is none of ``PATHS``.

    >>> path_of("relations > align > reflect")
    ('relations', 'align', 'reflect')
    """
    found = {named(path): path for path in PATHS}
    if name not in found:
        raise ValueError(f"there is no path {name!r}: choose {', '.join(found)}")
    return found[name]


def reward(path: Path, *, first_right: bool, last_right: bool, reflected: bool) -> float:
    """hit + c * reflection + exp(-0.2 * length), with c = 1 where the reflector ran and 0 where it did not.

    >>> round(reward(("attributes", "align"), first_right=True, last_right=True, reflected=False), 3)
    1.67
    >>> right_kept = reward(PATHS[-1], first_right=True, last_right=True, reflected=True)
    >>> round(right_kept, 3)
    0.949
    """
    reflection = REFLECTION[first_right, last_right] if reflected else 0.0
    return float(last_right) + reflection + math.exp(-0.2 * len(path))


def shorter(path: Path) -> tuple[Path, ...]:
    """The other paths worth trying in place of one, shortest first: every path there is."""
    return tuple(sorted((other for other in PATHS if other != path), key=lambda other: (len(other), other)))

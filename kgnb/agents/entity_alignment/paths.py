"""Paths: which tools look at an entity, in which order, and what taking a path was worth."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Literal as OneOf
from typing import TypeAlias, get_args

Tool = OneOf["attributes", "relations", "align", "reflect"]
Path: TypeAlias = tuple[Tool, ...]
Record: TypeAlias = Mapping[Path, tuple[tuple[int, int], tuple[int, int]]]
"""(asked, right) of each path on entities with a known counterpart: margins below ``CLOSE``, and wider ones."""

CLOSE = 0.05
TOOLS: tuple[Tool, ...] = get_args(Tool)
STANDS: Path = ()
"""The empty path: the first alignment stands, and nobody is asked."""
PATHS: tuple[Path, ...] = (
    STANDS,
    ("attributes", "align"),
    ("relations", "align"),
    ("attributes", "relations", "align"),
    ("attributes", "align", "reflect"),
    ("relations", "align", "reflect"),
    ("attributes", "relations", "align", "reflect"),
)

# What a reflection was worth, by (first answer right, last answer right). Wrong to wrong is not in the paper.
REFLECTION = {(False, True): 1.0, (True, True): -0.5, (True, False): -1.0, (False, False): 0.0}


def named(path: Path) -> str:
    """A path as a person reads it, and as a policy file writes it.

    >>> named(("attributes", "align")), named(())
    ('attributes > align', 'stands')
    """
    return " > ".join(path) or "stands"


def path_of(name: str) -> Path:
    """The path with this name; ValueError if it is not one of ``PATHS``.

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
    """
    reflection = REFLECTION[first_right, last_right] if reflected else 0.0
    return float(last_right) + reflection + math.exp(-0.2 * len(path))

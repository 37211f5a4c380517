"""Every ontology-matching data set by its name."""

from __future__ import annotations

from pathlib import Path

from kgnb.datasets import huts, oaei
from kgnb.datasets.cases import MatchingSet

NAMES = ("huts", "oaei-conference", "oaei-anatomy", "oaei-mse")


def matching_set(name: str, folder: Path | None = None) -> MatchingSet:
    """The set of that name; ``folder`` is where benchmark data lies (the settings' ``data``, from ``KGNB_DATA``).

    ValueError for a name we do not know; DataError, which says how to get it, for a set that is not at hand.
    """
    match name:
        case "huts":
            return huts.huts()
        case "oaei-conference":
            return oaei.conference(folder)
        case "oaei-anatomy":
            return oaei.anatomy(folder)
        case "oaei-mse":
            return oaei.mse(folder)
    raise ValueError(f"there is no matching data set {name!r}; there are {', '.join(NAMES)}")

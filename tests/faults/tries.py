"""How often a fault is tried: a few times with all other tests, often by ``make faults``."""

from __future__ import annotations

import os

WHOLE = os.environ.get("FAULTS") == "whole"


def tries(few: int, many: int) -> range:
    """``few`` tries, or ``many`` where the whole suite is asked for."""
    return range(many if WHOLE else few)

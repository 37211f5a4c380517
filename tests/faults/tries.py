"""How often a fault is tried: a few times with all other tests, often by ``make faults``."""

import os

WHOLE = os.environ.get("FAULTS") == "whole"
IN_A_ROW = 5 if WHOLE else 1
"""Kills of one piece of work, each of what goes on from the one before; then it may end, and is
compared.
"""


def tries(few: int, many: int) -> range:
    """``few`` tries, or ``many`` where the whole suite is asked for."""
    return range(many if WHOLE else few)

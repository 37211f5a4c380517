"""Plain text in aligned columns, for terminals: counts the cells a character takes, not the code
points.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

WIDTH = 110  # characters a line may take; notebooks and terminals of today show about this much
_GAP = "  "


def width(text: str) -> int:
    """Return how many terminal cells a text takes (Unicode Standard Annex 11).

    >>> width("Hütte"), width("山小屋")
    (5, 6)
    """
    return sum(_cells(character) for character in text)


def _cells(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def fit(text: str, cells: int) -> str:
    """Return as much of a text as fits, the cut marked by an ellipsis.

    >>> fit("Hochjoch-Hospiz", 9)
    'Hochjoch…'
    """
    if width(text) <= cells:
        return text
    return _beginning(text, cells - 1) + "…"


def fit_ends(text: str, cells: int) -> str:
    """Return as much of a text as fits, cut in the middle: names that begin alike end differently.

    >>> fit_ends("weather report of the Amber station, 2025-11-03", 26)
    'weather report o…025-11-03'
    """
    if width(text) <= cells:
        return text
    end = _beginning(text[::-1], cells // 3 + 1)[::-1]
    return fit(text, cells - width(end)) + end


def _beginning(text: str, cells: int) -> str:
    for at, character in enumerate(text):
        cells -= _cells(character)
        if cells < 0:
            return text[:at]
    return text


def pad(text: str, cells: int, right: bool = False) -> str:
    """Return a text filled with spaces up to a width, at its right or left side."""
    space = " " * (cells - width(text))
    return space + text if right else text + space


def aligned(
    titles: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[bool], room: int = WIDTH
) -> list[str]:
    """Return the lines of a table: titles, a rule, rows; the widest columns shrink until a line
    fits ``room``.

    >>> print("\\n".join(aligned(["hut", "beds"], [["Vent", "80"], ["Obergurgl", "120"]], [False, True])))
    hut        beds
    ---------  ----
    Vent         80
    Obergurgl   120
    """
    widths = [
        max([width(title), *(width(row[at]) for row in rows)]) for at, title in enumerate(titles)
    ]
    most = max(8, fair_share(widths, room - len(_GAP) * (len(widths) - 1)))
    widths = [min(cells, most) for cells in widths]
    lines = [titles, ["-" * cells for cells in widths], *rows]
    return [
        _GAP.join(
            pad(fit(text, cells), cells, at_right)
            for text, cells, at_right in zip(line, widths, right, strict=True)
        ).rstrip()
        for line in lines
    ]


def fair_share(sizes: Sequence[int], room: int) -> int:
    """The most each of several may keep so that all of them fit.

    >>> fair_share([2, 100, 100], 22)
    10
    """
    share, left = 0, sorted(sizes)
    while left:
        if left[0] * len(left) > room:
            return room // len(left)
        share = left.pop(0)
        room -= share
    return share

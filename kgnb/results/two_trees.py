"""Two trees side by side with lines between them, as a picture that stays as it is when a notebook is saved.

The layout is computed here, so live, saved and printed pictures agree; the picture is an image because JupyterLab drops
SVG elements; its lines are also listed in a table below it, for keyboards and screen readers. It has its own
background, so that it reads well in light and dark.
"""

from __future__ import annotations

import base64
from collections.abc import Container, Sequence
from dataclasses import dataclass

from kgnb.results.bundle import Bundled, count
from kgnb.results.cells import Value
from kgnb.results.escaping import escaped, fold, one_line
from kgnb.results.graph_svg import DARK, NOT_XML, cut, letters
from kgnb.results.table import Column, Table

ROW, INDENT, TOP, MARGIN, MIDDLE = 22, 16, 58, 18, 190  # pixels
LETTERS = 36  # of a name at most, in widths of a Latin letter
LETTER = 6.9  # pixels, on average, at 13 pixels a line
GROUND, INK, PALE, FAINT, MARK = "#fbfbf8", "#1c1c1c", "#666666", "#d4d4cf", "#fff0b8"
# From certain to doubtful: colours that stay apart for the colour-blind (after Paul Tol's "bright"), and dashes for
# print without colour.
STRENGTHS = (
    (0.9, "#225588", "", 2.0, "0.9 and more"),
    (0.75, "#228833", "", 1.4, "0.75 to 0.9"),
    (0.6, "#b06a00", "6 3", 1.4, "0.6 to 0.75"),
    (0.0, "#cc3355", "2 3", 1.4, "below 0.6"),
)
SIGNS = {"broader": "⊂", "narrower": "⊃", "related": "~"}


@dataclass(frozen=True, slots=True)
class Branch:
    """One row of a tree. ``more`` marks a row that stands for several, ``marked`` the one the picture is about."""

    name: str
    depth: int = 0
    more: bool = False
    marked: bool = False


@dataclass(frozen=True, slots=True)
class TreeLink:
    """A line between two rows, given by their positions, with its strength (0 to 1) and the relation it says."""

    left: int
    right: int
    strength: float
    word: str = "equivalent"


@dataclass(frozen=True, repr=False)
class TwoTrees(Bundled):
    """Two trees and the lines between them.

    >>> picture = TwoTrees(("a", "b"), (Branch("Hut"),), (Branch("Refuge"),), (Link(0, 0, 0.93),))
    >>> print(picture)
    a   b
    --- --------------------
    Hut = Refuge (0.93)

    Raises:
        ValueError: a line ends at a row that does not exist.
    """

    titles: tuple[str, str]
    left: tuple[Branch, ...]
    right: tuple[Branch, ...]
    links: tuple[TreeLink, ...]
    caption: str = ""
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for link in self.links:
            if not (0 <= link.left < len(self.left) and 0 <= link.right < len(self.right)):
                raise ValueError(f"the line {link} ends at a row that does not exist")

    def __repr__(self) -> str:
        return f"<TwoTrees: {count(len(self.left), 'row')} and {len(self.right)}, {count(len(self.links), 'line')}>"

    def table(self) -> Table:
        """The lines as a table, numbered as in the picture."""
        columns = [
            Column("number", "#", "number"),
            Column("left", self.titles[0]),
            Column("word", "relation"),
            Column("right", self.titles[1]),
            Column("strength", "confidence", "percent"),
        ]
        rows: list[list[Value]] = [
            [number, self.left[one.left].name, one.word, self.right[one.right].name, one.strength]
            for number, one in enumerate(self.links, start=1)
        ]
        return Table(columns, rows, caption="The lines of the picture")

    def text(self) -> str:
        """The left tree with the rows it is linked to, then the rows of the right tree without a link."""
        joined: dict[int, list[str]] = {}
        for one in self.links:
            sign = SIGNS.get(one.word, "=" if one.word == "equivalent" else one_line(one.word))
            joined.setdefault(one.left, []).append(f"{sign} {_name(self.right[one.right])} ({one.strength:.2f})")
        lefts = ["  " * branch.depth + _name(branch) for branch in self.left]
        title = one_line(self.titles[0])
        width = max(map(len, [title, *lefts]), default=0)
        lines = [one_line(self.caption), ""] if self.caption else []
        lines += [f"{title:{width}} {one_line(self.titles[1])}", f"{'-' * width:{width}} {'-' * 20}"]
        lines += [f"{left:{width}} {'; '.join(joined.get(at, []))}".rstrip() for at, left in enumerate(lefts)]
        reached = {one.right for one in self.links}
        alone = [_name(branch) for at, branch in enumerate(self.right) if at not in reached]
        lines += [f"only in {one_line(self.titles[1])}: {', '.join(alone)}"] if alone else []
        return "\n".join([*lines, *map(one_line, self.notes)])

    def html(self) -> str:
        """The picture as an image, and the table behind a fold below it."""
        source = base64.b64encode(self.svg().encode()).decode("ascii")
        says = one_line(
            f"{self.titles[0]} and {self.titles[1]} side by side, {count(len(self.links), 'line')} between them; "
            "the table below lists them"
        )
        caption = f'<div style="font-weight: 600; padding: 0 0 6px 0">{escaped(self.caption)}</div>' * bool(
            self.caption
        )
        notes = "".join(f'<div style="opacity: 0.75; margin: 2px 0">{escaped(note)}</div>' for note in self.notes)
        return (
            f'<div style="font-size: 13px; overflow-x: auto; max-width: 100%">{caption}'
            f'<img alt="{escaped(says)}" width="{self._width}" height="{self._height}" '
            f'src="data:image/svg+xml;base64,{source}">{notes}'
            f"{fold('The same as a table', self.table().html())}</div>"
        )

    # ------------------------------------------------------------------------------------------ the drawing

    @property
    def _columns(self) -> tuple[float, float]:
        """How wide each tree is."""
        return _extent(self.left, self.titles[0]), _extent(self.right, self.titles[1])

    @property
    def _width(self) -> int:
        return max(560, round(sum(self._columns) + MIDDLE + 2 * MARGIN))

    @property
    def _height(self) -> int:
        return TOP + ROW * max(len(self.left), len(self.right), 1) + (62 if self._signs else 44)

    @property
    def _signs(self) -> list[str]:
        """The relations that are drawn with a sign."""
        return [word for word in SIGNS if any(one.word == word for one in self.links)]

    def svg(self) -> str:
        """The picture as SVG, the same bytes for the same trees."""
        inner_left = MARGIN + self._columns[0]
        inner_right = inner_left + MIDDLE
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{self._width}" height="{self._height}" '
            f'viewBox="0 0 {self._width} {self._height}" font-family="system-ui, sans-serif" font-size="13">',
            DARK,
            f'<rect width="100%" height="100%" rx="6" fill="{GROUND}"/>',
            _text(MARGIN, 30, self.titles[0], weight=600),
            _text(inner_right, 30, self.titles[1], weight=600),
            f'<path d="M{MARGIN} 40H{self._width - MARGIN}" stroke="{FAINT}"/>',
            *_tree(self.left, MARGIN, {one.left for one in self.links}),
            *_tree(self.right, inner_right, {one.right for one in self.links}),
        ]
        for number, one in sorted(enumerate(self.links, start=1), key=lambda each: each[1].strength):
            parts += self._line(number, one, inner_left, inner_right)
        return "".join([*parts, *self._legend(), "</svg>"])

    def _line(self, number: int, one: TreeLink, left: float, right: float) -> list[str]:
        """A curve between two rows, from the end of one name to the beginning of the other, with its number."""
        _, colour, dash, width, _ = next(each for each in STRENGTHS if one.strength >= each[0])
        y1, y2 = _middle(one.left), _middle(one.right)
        begin = MARGIN + self.left[one.left].depth * INDENT + letters(_name(self.left[one.left])) * LETTER + 8
        end = right + self.right[one.right].depth * INDENT - 6
        bend = (right - left) / 2
        stroke = f'fill="none" stroke="{colour}" stroke-width="{width}"' + f' stroke-dasharray="{dash}"' * bool(dash)
        path = f"M{left + 22:.1f} {y1}C{left + bend:.1f} {y1} {right - bend:.1f} {y2} {right - 22:.1f} {y2}"
        parts = [
            f'<path d="M{begin:.1f} {y1}H{left + 2:.1f}M{right:.1f} {y2}H{max(end, right):.1f}" stroke="{FAINT}"/>',
            f'<path d="{path}" {stroke}/>',
            _text(left + 12, y1 + 4, str(number), colour=colour, size=10, anchor="middle"),
            _text(right - 12, y2 + 4, str(number), colour=colour, size=10, anchor="middle"),
        ]
        if one.word in SIGNS:
            x, y = (left + right) / 2, (y1 + y2) / 2
            parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="8" fill="{GROUND}" stroke="{colour}"/>')
            parts.append(_text(x, y + 4, SIGNS[one.word], colour=colour, size=12, anchor="middle"))
        return parts

    def _legend(self) -> list[str]:
        y, x, parts = self._height - (36 if self._signs else 18), float(MARGIN), []
        for floor, colour, dash, width, words in STRENGTHS:
            ceiling = min((each[0] for each in STRENGTHS if each[0] > floor), default=2.0)
            if not any(floor <= one.strength < ceiling for one in self.links):
                continue
            dashed = f' stroke-dasharray="{dash}"' if dash else ""
            parts.append(f'<path d="M{x:.1f} {y - 4}h26" stroke="{colour}" stroke-width="{width}"{dashed}/>')
            parts.append(_text(x + 32, y, words, colour=PALE, size=11))
            x += 32 + len(words) * 6 + 18
        meanings = {"broader": "the right one is broader", "narrower": "the right one is narrower"}
        said = [f"{SIGNS[word]} {meanings.get(word, word)}" for word in self._signs]
        return [*parts, _text(MARGIN, y + 18, ", ".join(said), colour=PALE, size=11)] if said else parts


def _tree(branches: Sequence[Branch], x: float, reached: Container[int]) -> list[str]:
    """The rows of a tree: a rule down from each row to its children, and the names."""
    parts = []
    for at, branch in enumerate(branches):
        begin, y = x + branch.depth * INDENT, _middle(at)
        last = at
        for later in range(at + 1, len(branches)):
            if branches[later].depth <= branch.depth:
                break
            if branches[later].depth == branch.depth + 1:
                last = later
                parts.append(f'<path d="M{begin + 4:.1f} {_middle(later)}h{INDENT - 7}" stroke="{FAINT}"/>')
        if last > at:
            parts.append(f'<path d="M{begin + 4:.1f} {y + 8}V{_middle(last)}" stroke="{FAINT}"/>')
        name = _name(branch)
        if branch.marked:
            wide = letters(name) * LETTER + 10
            parts.append(
                f'<rect x="{begin - 4:.1f}" y="{y - 10}" width="{wide:.1f}" height="20" rx="4" fill="{MARK}"/>'
            )
        colour = INK if at in reached or branch.marked else PALE
        parts.append(_text(begin, y + 4, name, colour=colour, italic=branch.more))
    return parts


def _text(
    x: float, y: float, text: str, *, colour: str = INK, size: int = 0, weight: int = 0, anchor: str = "",
    italic: bool = False,
) -> str:  # fmt: skip
    style = f' font-size="{size}"' if size else ""
    style += f' font-weight="{weight}"' if weight else ""
    style += f' text-anchor="{anchor}"' if anchor else ""
    style += ' font-style="italic"' if italic else ""
    return f'<text x="{x:.1f}" y="{y:g}" fill="{colour}"{style}>{escaped(NOT_XML.sub("?", one_line(text)))}</text>'


def _middle(row: int) -> int:
    return TOP + ROW * row + 6


def _extent(branches: Sequence[Branch], title: str) -> float:
    widths = [branch.depth * INDENT + letters(_name(branch)) * LETTER for branch in branches]
    return max([*widths, letters(title) * LETTER, 120.0]) + 12


def _name(branch: Branch) -> str:
    return cut(branch.name, LETTERS)

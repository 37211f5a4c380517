"""A graph as an SVG picture: few bytes, names always readable, colours that stay apart for the
colour-blind.

The same graph has the same places everywhere. Each connected part is laid out by itself (the energy
of Kamada and Kawai 1989, made small by majorisation: Gansner, Koren and North 2004), turned so that
its long side lies flat, loosened until no two names overlap, and the parts are set in rows.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from kgnb.results import columns
from kgnb.results.escaping import escaped, one_line

Places = NDArray[np.float64]  # (nodes, 2), in pixels, the middle of each node

HEIGHT = 24.0  # of a node, in pixels
LENGTH = 150.0  # of a line, on average
GAP = (16.0, 18.0)  # between two nodes, across and down
SCREEN = 1.7  # width of a picture to its height
ROUNDS = 120
SETTLED = 1e-4  # share of the energy that a round takes off, below which the layout is done
LOOP = 34.0  # pixels a line from a node to itself rises above it


def lay_out(widths: Sequence[float], lines: Mapping[tuple[int, int], float]) -> Places:
    """The middle of every node, none below zero; ``widths`` are theirs in pixels, ``lines`` those
    of the lines' names.

    ``lines`` are known by the positions of their ends, which lie far enough apart for the name to
    be read.

    >>> lay_out([60, 60], {(0, 1): 40}).shape
    (2, 2)
    """
    near: list[set[int]] = [set() for _ in widths]
    for source, target in lines:
        if source != target:
            near[source].add(target)
            near[target].add(source)
    places = np.zeros((len(widths), 2))
    half = np.column_stack([np.asarray(widths) / 2, np.full(len(widths), HEIGHT / 2)])
    parts = sorted(_parts(near), key=lambda part: (-len(part), part[0]))
    sizes = []
    for part in parts:
        at = {node: position for position, node in enumerate(part)}
        shape = tuple(tuple(sorted(at[other] for other in near[node])) for node in part)
        own = _apart(_drawn(shape).copy(), 2 * half[part, 0], _between(part, lines))
        head = LOOP if any((node, node) in lines for node in part) else 0.0
        places[part] = own - (own - half[part]).min(axis=0) + (0.0, head)
        sizes.append((places[part] + half[part]).max(axis=0))
    for part, corner in zip(parts, _corners(sizes), strict=True):
        places[part] += corner
    return np.round(places, 1)


def _corners(sizes: Sequence[Places]) -> Places:
    """The corner of each part, in rows about as wide as makes the whole picture fill a screen."""
    shelf = np.sqrt(SCREEN * sum((size[0] + 3 * GAP[0]) * (size[1] + 2 * GAP[1]) for size in sizes))
    corners, left, top, deepest = [], 0.0, 0.0, 0.0
    for wide, high in sizes:
        if left and left + wide > shelf:
            left, top, deepest = 0.0, top + deepest + 2 * GAP[1], 0.0
        corners.append((left, top))
        left += wide + 3 * GAP[0]
        deepest = max(deepest, high)
    return np.array(corners)


def _parts(near: Sequence[set[int]]) -> list[list[int]]:
    """The connected parts of a graph, the nodes of each in order."""
    left, parts = set(range(len(near))), []
    while left:
        part = sorted(_steps(near, min(left)))
        left.difference_update(part)
        parts.append(part)
    return parts


def _steps(near: Sequence[Collection[int]], start: int) -> dict[int, int]:
    """How many lines away each node is that can be reached."""
    steps, border = {start: 0}, [start]
    for node in border:  # which grows
        for other in near[node]:
            if other not in steps:
                steps[other] = steps[node] + 1
                border.append(other)
    return steps


@lru_cache(256)
def _drawn(near: tuple[tuple[int, ...], ...]) -> Places:
    """The layout of a connected part, in pixels, its long axis horizontal; ``near`` holds the
    neighbours of each node. Small parts of one shape are many.
    """
    if len(near) == 1:
        return np.zeros((1, 2))
    apart = np.empty((len(near), len(near)))
    for node in range(len(near)):
        steps = _steps(near, node)
        apart[node, list(steps)] = list(steps.values())
    places: Places = _settled(apart)
    places -= places.mean(axis=0)
    long, _ = np.linalg.svd(places, full_matrices=False)[2]
    long = long if (long[0], long[1]) > (0, 0) else -long
    places = places @ np.array([[long[0], -long[1]], [long[1], long[0]]])
    if places[0, 0] > places[-1, 0]:  # the first node lies to the left
        places = -places
    one, other = np.nonzero(apart == 1)
    mean = float(np.linalg.norm(places[one] - places[other], axis=1).mean())
    return places * (LENGTH / max(mean, 1e-9)) * (1.2, 0.8)  # names are wide and low


def _settled(apart: NDArray[np.float64]) -> Places:
    """Places whose distances are about ``apart``, the near ones the most, beginning on a circle."""
    count = len(apart)
    itself = np.eye(count, dtype=bool)
    weights = 1 / np.where(itself, np.inf, apart) ** 2
    laplacian = np.diag(weights.sum(axis=1)) - weights
    inverse = np.linalg.inv(laplacian + 1 / count) - 1 / count
    turn = 2 * np.pi * np.arange(count) / count
    places: Places = apart.mean() * np.column_stack([np.cos(turn), np.sin(turn)])
    before = np.inf
    for _ in range(ROUNDS):
        far = np.linalg.norm(places[:, None] - places, axis=2) + itself
        energy = float((weights * (far - apart) ** 2).sum())
        if before - energy < SETTLED * energy:
            break
        before = energy
        pull = weights * apart / np.maximum(far, 1e-9)
        places = inverse @ ((np.diag(pull.sum(axis=1)) - pull) @ places)
    return places


def _between(part: list[int], lines: Mapping[tuple[int, int], float]) -> NDArray[np.float64]:
    """The space each two nodes of a part need for the name of their line; (nodes, nodes),
    symmetric.
    """
    at = {node: position for position, node in enumerate(part)}
    room = np.full((len(part), len(part)), GAP[0])
    for (one, other), width in lines.items():
        if one in at and one != other:
            a, b = at[one], at[other]
            room[a, b] = room[b, a] = max(room[a, b], width + 2 * GAP[0])
    return room


def _apart(places: Places, widths: NDArray[np.float64], room: NDArray[np.float64]) -> Places:
    """The places with overlapping nodes pushed apart, along the shorter axis."""
    count = len(places)
    if count == 1:
        return places
    one, other = np.triu_indices(count, 1)
    needed = np.column_stack(
        [(widths[one] + widths[other]) / 2 + room[one, other], np.full(len(one), HEIGHT + GAP[1])]
    )
    for _ in range(ROUNDS):
        apart = places[other] - places[one]
        short = needed - np.abs(apart)
        touching = np.flatnonzero((short > 0.5).all(axis=1))
        if not len(touching):
            break
        axis = np.argmin(short[touching], axis=1)
        way = np.where(apart[touching, axis] < 0, -1.0, 1.0)
        push = way * short[touching, axis] / 2
        np.add.at(places, (one[touching], axis), -push)
        np.add.at(places, (other[touching], axis), push)
    return places


GROUND, INK, PALE, LINE, STRONG = "#fbfbf8", "#1c1c1c", "#5c5c5c", "#a9a9a3", "#225588"
# An image follows the colour scheme of the page around it: the extension says which one JupyterLab
# has.
DARK = (
    "<style>@media (prefers-color-scheme: dark){svg{filter:invert(1) hue-rotate(180deg)}}</style>"
)
# After Paul Tol's "light" scheme: all bear dark writing. The last two are for what is rare or of no
# kind, and values.
FILLS = (
    "#cfe3f2",
    "#d9ecc4",
    "#f7dcc9",
    "#e4d5ee",
    "#f4ebb5",
    "#c6ebe4",
    "#f3cfd6",
    "#dcdcd6",
    "#ffffff",
)
OTHER, VALUE = 7, 8
LETTER, LETTERS, MARGIN = (
    6.7,
    26,
    14,
)  # pixels a letter takes; letters of a name at most; pixels around the picture
NOT_XML = re.compile("[\ufffe\uffff]")
ALONG = (
    0.5,
    0.42,
    0.58,
    0.34,
    0.66,
)  # how far along its line a name may stand, the best place first
HIGH = 11.0  # pixels of a line's name
FEW = 12  # names of lines: up to this many are all drawn, even overlapping
CROWDED = 0.3  # share of a name that may be covered


def cut(text: str) -> str:
    """A name on one line, cut to what fits; wide letters (Chinese, Japanese, Korean) count twice.

    >>> cut("the hut that stands beside the lake below the glacier")
    'the hut that stands besid…'
    """
    return columns.fit(NOT_XML.sub("?", one_line(text)), LETTERS)


def cut_node(text: str) -> str:
    """The name of a node on one line, cut in the middle to what fits.

    >>> cut_node("weather report of the Amber station, 2025-11-03")
    'weather report o…025-11-03'
    """
    return columns.fit_ends(NOT_XML.sub("?", one_line(text)), LETTERS)


def width(name: str) -> float:
    """How wide a node with this name is, in pixels."""
    return columns.width(name) * LETTER + 20


def named(name: str) -> float:
    """How wide the name of a line is, in pixels; 0 where it has none."""
    return columns.width(cut(name)) * 5.8


@dataclass(frozen=True, slots=True)
class Spot:
    """A node as it is drawn: its name cut to what fits, which colour, whether it stands out, or
    stands for several.
    """

    name: str
    fill: int
    emphasis: bool = False
    group: bool = False


@dataclass(frozen=True, slots=True)
class Arrow:
    """All that leads from one node to another, by position: the names on the line, and how it is
    drawn.
    """

    source: int
    target: int
    name: str
    emphasis: bool = False
    bend: float = 0.0

    def control(self, places: Places) -> Places:
        """The control point of a bent line; the middle of a straight one."""
        one, other = places[self.source], places[self.target]
        across = np.array([one[1] - other[1], other[0] - one[0]])
        control: Places = (one + other) / 2 + across / max(
            1.0, float(np.hypot(*across))
        ) * self.bend
        return control

    def point(self, places: Places, along: float) -> Places:
        """The position of its name: this far along the line, or above a loop."""
        one, other, back = places[self.source], places[self.target], 1 - along
        if self.source == self.target:
            above: Places = one - (0.0, HEIGHT / 2 + 30)
            return above
        found: Places = (
            back * back * one + 2 * back * along * self.control(places) + along * along * other
        )
        return found


@dataclass(frozen=True)
class Drawing:
    """Nodes and lines with their places; ``legend`` gives each kind's name its colour."""

    places: Places
    spots: Sequence[Spot]
    arrows: Sequence[Arrow]
    legend: Mapping[str, int]

    @property
    def size(self) -> tuple[int, int]:
        """How wide and high the picture is, in pixels."""
        right = max(
            (
                x + width(spot.name) / 2
                for (x, _), spot in zip(self.places, self.spots, strict=True)
            ),
            default=0,
        )
        low = max((y + HEIGHT / 2 for _, y in self.places), default=0)
        keys = sum(columns.width(cut(kind)) * 6 + 34 for kind in self.legend)
        below = 26 if self.legend else 0
        return round(max(right, min(keys, 1000.0), 240) + 2 * MARGIN), round(
            low + 2 * MARGIN + below
        )

    @cached_property
    def along(self) -> list[float]:
        """How far along each arrow its name stands; 0 where there is none, or no room for it.

        Names of emphasised arrows are placed first and always drawn; the others in order.
        """
        nodes = [
            (x, y, width(spot.name), HEIGHT)
            for (x, y), spot in zip(self.places, self.spots, strict=True)
        ]
        taken = np.array(nodes, dtype=float).reshape(-1, 4)
        few = sum(bool(arrow.name) for arrow in self.arrows) <= FEW
        found = [0.0] * len(self.arrows)
        for at in sorted(range(len(self.arrows)), key=lambda at: not self.arrows[at].emphasis):
            arrow = self.arrows[at]
            if not arrow.name:
                continue
            tried = ALONG[:1] if arrow.source == arrow.target else ALONG
            boxes = [
                np.array([*arrow.point(self.places, along), named(arrow.name), HIGH])
                for along in tried
            ]
            covered = [round(_covered(box, taken), 2) for box in boxes]
            best = int(np.argmin(covered))
            if covered[best] <= CROWDED or few or arrow.emphasis:
                found[at] = tried[best]
                taken = np.vstack([taken, boxes[best]])
        return found

    @property
    def unnamed(self) -> int:
        """How many lines have no room for their name."""
        return sum(
            bool(arrow.name) and not along
            for arrow, along in zip(self.arrows, self.along, strict=True)
        )

    def svg(self) -> str:
        """The picture: the same text for the same graph."""
        wide, high = self.size
        at = self.places + MARGIN
        both = list(zip(self.arrows, self.along, strict=True))
        weak, strong = (
            [self._arrow(arrow, at, along) for arrow, along in both if arrow.emphasis is emphasis]
            for emphasis in (False, True)
        )
        markers = (
            f"<marker id='{name}' viewBox='0 0 8 8' refX='7.5' refY='4' markerWidth='7' markerHeight='7' "
            f"markerUnits='userSpaceOnUse' orient='auto'><path d='M0 0L8 4L0 8z' fill='{colour}'/></marker>"
            for name, colour in (("a", LINE), ("b", STRONG))
        )
        halo = f"stroke='{GROUND}' stroke-width='3' paint-order='stroke'"
        return "".join(
            [
                f"<svg xmlns='http://www.w3.org/2000/svg' width='{wide}' height='{high}' viewBox='0 0 {wide} {high}' "
                f"font-family='system-ui,sans-serif' font-size='12' text-anchor='middle'>{DARK}<defs>",
                *markers,
                f"</defs><rect width='100%' height='100%' rx='6' fill='{GROUND}'/>",
                f"<g fill='none' stroke='{LINE}' marker-end='url(#a)'>{''.join(path for path, _ in weak)}</g>",
                f"<g fill='none' stroke='{STRONG}' stroke-width='2' marker-end='url(#b)'>",
                f"{''.join(path for path, _ in strong)}</g>",
                f"<g font-size='10.5' fill='{PALE}' {halo}>{''.join(name for _, name in weak)}</g>",
                f"<g font-size='10.5' fill='{STRONG}' {halo}>{''.join(name for _, name in strong)}</g>",
                *(_spot(spot, x, y) for spot, (x, y) in zip(self.spots, at, strict=True)),
                *self._legend(wide, high - MARGIN),
                "</svg>",
            ]
        )

    def _arrow(self, arrow: Arrow, at: Places, along: float) -> tuple[str, str]:
        """The line from the edge of one node to the edge of the other, and its name if there is
        room.
        """
        x, y = arrow.point(at, along)
        name = (
            f"<text x='{x:.0f}' y='{y + 4:.0f}'>{escaped(cut(arrow.name))}</text>" if along else ""
        )
        one, other = at[arrow.source], at[arrow.target]
        if arrow.source == arrow.target:
            x, top = one[0], one[1] - HEIGHT / 2
            path = f"<path d='M{x - 12:.0f} {top:.0f}C{x - 26:.0f} {top - 32:.0f} {x + 26:.0f} {top - 32:.0f} "
            return f"{path}{x + 12:.0f} {top:.0f}'/>", name
        control = arrow.control(at)
        begin = _border(one, control, width(self.spots[arrow.source].name))
        end = _border(other, control, width(self.spots[arrow.target].name))
        way = f"Q{control[0]:.0f} {control[1]:.0f} " if arrow.bend else "L"
        return f"<path d='M{begin[0]:.0f} {begin[1]:.0f}{way}{end[0]:.0f} {end[1]:.0f}'/>", name

    def _legend(self, wide: int, y: int) -> list[str]:
        parts, x = [], float(MARGIN)
        for kind, fill in self.legend.items():
            name = cut(kind)
            room = columns.width(name) * 6 + 34
            if x + room > wide:
                break
            parts.append(
                f"<rect x='{x:.0f}' y='{y - 10}' width='14' height='12' rx='5' fill='{FILLS[fill]}' stroke='#8f8f89'/>"
                f"<text x='{x + 19:.0f}' y='{y}' font-size='11' fill='{PALE}' text-anchor='start'>"
                f"{escaped(name)}</text>"
            )
            x += room
        return parts


def _spot(spot: Spot, x: float, y: float) -> str:
    wide = width(spot.name)
    edge = f" stroke='{STRONG}' stroke-width='2.5'" if spot.emphasis else " stroke='#8f8f89'"
    edge += " stroke-dasharray='4 3'" if spot.group else ""
    return (
        f"<rect x='{x - wide / 2:.0f}' y='{y - HEIGHT / 2:.0f}' width='{wide:.0f}' height='{HEIGHT:.0f}' rx='12' "
        f"fill='{FILLS[spot.fill]}'{edge}/>"
        f"<text x='{x:.0f}' y='{y + 4:.0f}' fill='{INK}'>{escaped(spot.name)}</text>"
    )


def _border(middle: Places, towards: Places, wide: float) -> Places:
    """Where a line from the middle of a node to another point crosses the node's border."""
    away = towards - middle
    with np.errstate(divide="ignore"):
        reach = (np.array([wide, HEIGHT]) / 2 / np.abs(away)).min()
    found: Places = middle + away * min(reach, 1.0)
    return found


def _covered(box: NDArray[np.float64], taken: NDArray[np.float64]) -> float:
    """The share of a box (middle, width, height) that lies on others, added up."""
    apart = np.abs(taken[:, :2] - box[:2])
    shared = np.minimum((taken[:, 2:] + box[2:]) / 2 - apart, np.minimum(taken[:, 2:], box[2:]))
    both = (shared > 0).all(axis=1)
    return float((shared[both, 0] * shared[both, 1]).sum() / max(1.0, box[2] * box[3]))

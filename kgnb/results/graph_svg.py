"""A graph as an SVG picture: few bytes, names always readable, colours that stay apart for the colour-blind.

The same graph has the same places everywhere. Each connected part is laid out by itself (Kamada and Kawai 1989; by
forces, Fruchterman and Reingold 1991, where it is large), turned so that its long side lies flat, loosened until no two
names overlap, and the parts are set in rows.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kgnb.results.escaping import escaped, one_line, shortened

Places = NDArray[np.float64]  # (nodes, 2), in pixels, the middle of each node

HEIGHT = 24.0  # of a node, in pixels
LENGTH = 150.0  # of a line, on average
GAP = (16.0, 18.0)  # between two nodes, across and down
SMALL = 120  # nodes up to which the slower, better layout is used
SCREEN, SHAPES = 1.7, (0.8, 1.2, 1.7, 2.4, 3.4)  # width of a picture to its height; those tried for rows of parts
ROUNDS = 120
LOOP = 34.0  # pixels a line from a node to itself rises above it


def lay_out(widths: Sequence[float], lines: Mapping[tuple[int, int], float]) -> Places:
    """The middle of every node, none below zero; ``widths`` are theirs in pixels, ``lines`` those of the lines' names.

    ``lines`` are known by the positions of their ends, which lie far enough apart for the name to be read.

    >>> lay_out([60, 60], {(0, 1): 40}).shape
    (2, 2)
    """
    import networkx as nx  # slow to import

    graph = nx.Graph()
    graph.add_nodes_from(range(len(widths)))
    graph.add_edges_from(sorted({(min(line), max(line)) for line in lines if line[0] != line[1]}))
    places = np.zeros((len(widths), 2))
    wide = np.asarray(widths, dtype=float)
    parts = sorted((sorted(part) for part in nx.connected_components(graph)), key=lambda part: (-len(part), part[0]))
    drawn: list[tuple[list[int], Places, Places]] = []
    for part in parts:
        own = _apart(_drawn(graph.subgraph(part), part), wide[part], _between(part, lines))
        head = LOOP if any((node, node) in lines for node in part) else 0.0
        half = np.column_stack([wide[part] / 2, np.full(len(part), HEIGHT / 2)])
        own -= (own - half).min(axis=0) - (0.0, head)
        drawn.append((part, own, (own + half).max(axis=0)))
    for (part, own, _), corner in zip(drawn, _corners([size for *_, size in drawn]), strict=True):
        places[part] = own + corner
    return np.round(places, 1)


def _corners(sizes: Sequence[Places]) -> list[tuple[float, float]]:
    """The corner of each part: in rows of the width that makes the whole picture largest on a screen."""
    area = sum((size[0] + 3 * GAP[0]) * (size[1] + 2 * GAP[1]) for size in sizes)
    best: tuple[float, list[tuple[float, float]]] = (float("inf"), [])
    for shape in SHAPES:
        shelf = float(np.sqrt(area * shape))
        corners, left, top, deepest, widest = [], 0.0, 0.0, 0.0, 0.0
        for size in sizes:
            if left and left + size[0] > shelf:
                left, top, deepest = 0.0, top + deepest + 2 * GAP[1], 0.0
            corners.append((left, top))
            widest = max(widest, left + size[0])
            left += size[0] + 3 * GAP[0]
            deepest = max(deepest, size[1])
        best = min(best, (max(widest / SCREEN, top + deepest), corners), key=lambda one: one[0])
    return best[1]


def _drawn(graph: Any, part: list[int]) -> Places:
    """The layout of one connected part, in pixels, its long axis horizontal."""
    if len(part) == 1:
        return np.zeros((1, 2))
    small = len(part) <= SMALL
    import networkx as nx

    found = nx.kamada_kawai_layout(graph) if small else nx.spring_layout(graph, seed=0, iterations=80)
    places: Places = np.array([found[node] for node in part])
    places -= places.mean(axis=0)
    long, _ = np.linalg.svd(places, full_matrices=False)[2]
    long = long if (long[0], long[1]) > (0, 0) else -long
    places = places @ np.array([[long[0], -long[1]], [long[1], long[0]]])
    if places[0, 0] > places[-1, 0]:  # the first node lies to the left
        places = -places
    at = {node: position for position, node in enumerate(part)}
    ends = np.array([(at[a], at[b]) for a, b in graph.edges])
    mean = float(np.linalg.norm(places[ends[:, 0]] - places[ends[:, 1]], axis=1).mean())
    return places * (LENGTH / max(mean, 1e-9)) * (1.2, 0.8)  # names are wide and low


def _between(part: list[int], lines: Mapping[tuple[int, int], float]) -> NDArray[np.float64]:
    """The space each two nodes of a part need for the name of their line; (nodes, nodes), symmetric."""
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
    needed = np.column_stack([(widths[one] + widths[other]) / 2 + room[one, other], np.full(len(one), HEIGHT + GAP[1])])
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
# An image follows the colour scheme of the page around it: the extension says which one JupyterLab has.
DARK = "<style>@media (prefers-color-scheme: dark){svg{filter:invert(1) hue-rotate(180deg)}}</style>"
# After Paul Tol's "light" scheme: all bear dark writing. The last two are for what is rare or of no kind, and values.
FILLS = ("#cfe3f2", "#d9ecc4", "#f7dcc9", "#e4d5ee", "#f4ebb5", "#c6ebe4", "#f3cfd6", "#dcdcd6", "#ffffff")
OTHER, VALUE = 7, 8
LETTER, LETTERS, MARGIN = 6.7, 26, 14  # pixels a letter takes; letters of a name at most; pixels around the picture
NOT_XML = re.compile("[\ufffe\uffff]")


@dataclass(frozen=True, slots=True)
class Spot:
    """A node as it is drawn: its name cut to what fits, which colour, whether it stands out, or stands for several."""

    name: str
    fill: int
    emphasis: bool = False
    group: bool = False


@dataclass(frozen=True, slots=True)
class Arrow:
    """All that leads from one node to another: positions, the names on the line, how it is drawn."""

    source: int
    target: int
    name: str
    emphasis: bool = False
    bend: float = 0.0
    along: float = 0.5  # how far along it the name stands; 0: there is no room for it


def cut(text: str, most: int = LETTERS) -> str:
    """A name on one line, cut to what fits; wide letters (Chinese, Japanese, Korean) count twice.

    >>> cut("the hut that stands beside the lake below the glacier")
    'the hut that stands besid…'
    """
    name = NOT_XML.sub("?", one_line(text))
    length = next((at for at in range(len(name)) if letters(name[: at + 1]) > most), len(name))
    return shortened(name, max(1, length))


def letters(text: str) -> int:
    """The width of a text in Latin letters."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)


def width(name: str) -> float:
    """How wide a node with this name is, in pixels."""
    return letters(name) * LETTER + 20


def named(name: str) -> float:
    """How wide the name of a line is, in pixels; 0 where it has none."""
    return letters(cut(name)) * 5.8


def size(places: Places, spots: Sequence[Spot], legend: Mapping[str, int]) -> tuple[int, int]:
    """How wide and high the picture is, in pixels."""
    right = max((x + width(spot.name) / 2 for (x, _), spot in zip(places, spots, strict=True)), default=0.0)
    low = max((y + HEIGHT / 2 for _, y in places), default=0.0)
    keys = sum(letters(cut(kind)) * 6 + 34 for kind in legend)
    return round(max(right, min(keys, 1000.0), 240) + 2 * MARGIN), round(low + 2 * MARGIN + (26 if legend else 0))


def svg(places: Places, spots: Sequence[Spot], arrows: Sequence[Arrow], legend: Mapping[str, int]) -> str:
    """The picture: the same text for the same graph; ``legend`` gives each kind's name its colour."""
    wide, high = size(places, spots, legend)
    at = places + MARGIN
    weak = [_arrow(arrow, at, spots) for arrow in arrows if not arrow.emphasis]
    strong = [_arrow(arrow, at, spots) for arrow in arrows if arrow.emphasis]
    parts = [
        f"<svg xmlns='http://www.w3.org/2000/svg' width='{wide}' height='{high}' viewBox='0 0 {wide} {high}' "
        "font-family='system-ui,sans-serif' font-size='12' text-anchor='middle'>",
        DARK,
        "<defs>",
        *(
            f"<marker id='{name}' viewBox='0 0 8 8' refX='7.5' refY='4' markerWidth='7' markerHeight='7' "
            f"markerUnits='userSpaceOnUse' orient='auto'><path d='M0 0L8 4L0 8z' fill='{colour}'/></marker>"
            for name, colour in (("a", LINE), ("b", STRONG))
        ),
        f"</defs><rect width='100%' height='100%' rx='6' fill='{GROUND}'/>",
        f"<g fill='none' stroke='{LINE}' marker-end='url(#a)'>{''.join(path for path, _ in weak)}</g>",
        f"<g fill='none' stroke='{STRONG}' stroke-width='2' marker-end='url(#b)'>",
        "".join(path for path, _ in strong),
        "</g>",
        f"<g font-size='10.5' fill='{PALE}' stroke='{GROUND}' stroke-width='3' paint-order='stroke'>",
        "".join(name for _, name in weak),
        f"</g><g font-size='10.5' fill='{STRONG}' stroke='{GROUND}' stroke-width='3' paint-order='stroke'>",
        "".join(name for _, name in strong),
        "</g>",
        *(_spot(spot, x, y) for spot, (x, y) in zip(spots, at, strict=True)),
        *_legend(legend, wide, high),
        "</svg>",
    ]
    return "".join(parts)


def _spot(spot: Spot, x: float, y: float) -> str:
    wide = width(spot.name)
    edge = f" stroke='{STRONG}' stroke-width='2.5'" if spot.emphasis else " stroke='#8f8f89'"
    edge += " stroke-dasharray='4 3'" if spot.group else ""
    return (
        f"<rect x='{x - wide / 2:.0f}' y='{y - HEIGHT / 2:.0f}' width='{wide:.0f}' height='{HEIGHT:.0f}' rx='12' "
        f"fill='{FILLS[spot.fill % len(FILLS)]}'{edge}/>"
        f"<text x='{x:.0f}' y='{y + 4:.0f}' fill='{INK}'>{escaped(spot.name)}</text>"
    )


def middle(arrow: Arrow, places: Places, along: float = 0.5) -> tuple[float, float]:
    """The position of a line's name: this far along the line, or above a loop."""
    (x1, y1), (x2, y2) = places[arrow.source].tolist(), places[arrow.target].tolist()
    if arrow.source == arrow.target:
        return x1, y1 - HEIGHT / 2 - 30
    mx, my = _control(x1, y1, x2, y2, arrow.bend)
    back = 1 - along
    return (
        back * back * x1 + 2 * back * along * mx + along * along * x2,
        back * back * y1 + 2 * back * along * my + along * along * y2,
    )


def _control(x1: float, y1: float, x2: float, y2: float, bend: float) -> tuple[float, float]:
    """The control point of a bent line; the middle of a straight one."""
    length = max(1.0, float(((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5))
    return (x1 + x2) / 2 - (y2 - y1) / length * bend, (y1 + y2) / 2 + (x2 - x1) / length * bend


def _arrow(arrow: Arrow, at: Places, spots: Sequence[Spot]) -> tuple[str, str]:
    """The line from the edge of one node to the edge of the other, and its name if there is room."""
    (x1, y1), (x2, y2) = at[arrow.source].tolist(), at[arrow.target].tolist()
    name = escaped(cut(arrow.name)) if arrow.along else ""
    tx, ty = middle(arrow, at, arrow.along)
    label = f"<text x='{tx:.0f}' y='{ty + 4:.0f}'>{name}</text>" if name else ""
    if arrow.source == arrow.target:
        top = y1 - HEIGHT / 2
        path = f"<path d='M{x1 - 12:.0f} {top:.0f}C{x1 - 26:.0f} {top - 32:.0f} {x1 + 26:.0f} {top - 32:.0f} "
        return path + f"{x1 + 12:.0f} {top:.0f}'/>", label
    mx, my = _control(x1, y1, x2, y2, arrow.bend)
    bx, by = _border(x1, y1, mx, my, width(spots[arrow.source].name))
    ex, ey = _border(x2, y2, mx, my, width(spots[arrow.target].name))
    way = f"Q{mx:.0f} {my:.0f} {ex:.0f} {ey:.0f}" if arrow.bend else f"L{ex:.0f} {ey:.0f}"
    return f"<path d='M{bx:.0f} {by:.0f}{way}'/>", label


def _border(x: float, y: float, tx: float, ty: float, wide: float) -> tuple[float, float]:
    """Where a line from the middle of a node to another point crosses the node's border."""
    dx, dy = tx - x, ty - y
    reach = min(wide / 2 / abs(dx) if dx else float("inf"), HEIGHT / 2 / abs(dy) if dy else float("inf"), 1.0)
    return x + dx * reach, y + dy * reach


def _legend(legend: Mapping[str, int], wide: int, high: int) -> list[str]:
    parts, x, y = [], float(MARGIN), high - MARGIN
    for kind, fill in legend.items():
        name = cut(kind)
        if x + letters(name) * 6 + 34 > wide:
            break
        parts.append(
            f"<rect x='{x:.0f}' y='{y - 10}' width='14' height='12' rx='5' fill='{FILLS[fill % len(FILLS)]}' "
            f"stroke='#8f8f89'/><text x='{x + 19:.0f}' y='{y}' font-size='11' fill='{PALE}' text-anchor='start'>"
            f"{escaped(name)}</text>"
        )
        x += letters(name) * 6 + 34
    return parts


ALONG = (0.5, 0.42, 0.58, 0.34, 0.66)  # how far along its line a name may stand, the best place first
HIGH = 11.0  # pixels of a name
FEW = 12  # names: up to this many are all drawn, even overlapping
CROWDED = 0.3  # share of a name that may be covered


def with_places(arrows: Sequence[Arrow], places: Places, spots: Sequence[Spot]) -> list[Arrow]:
    """The arrows with the position of their names along them; 0 where there is no room.

    Names of emphasised arrows are placed first and always drawn; the others in order.
    """
    nodes = [(x, y, width(spot.name), HEIGHT) for (x, y), spot in zip(places.tolist(), spots, strict=True)]
    taken = np.array(nodes, dtype=float).reshape(-1, 4)
    few = sum(bool(arrow.name) for arrow in arrows) <= FEW
    found: dict[int, float] = {}
    for at in sorted(range(len(arrows)), key=lambda at: not arrows[at].emphasis):
        arrow = arrows[at]
        if not arrow.name:
            continue
        boxes = [(*middle(arrow, places, along), named(arrow.name), HIGH) for along in ALONG]
        covered = [_covered(np.array(box), taken) for box in (boxes[:1] if arrow.source == arrow.target else boxes)]
        best = min(range(len(covered)), key=lambda which: (round(covered[which], 2), which))
        if covered[best] <= CROWDED or few or arrow.emphasis:
            found[at] = ALONG[best]
            taken = np.vstack([taken, boxes[best]])
    return [replace(arrow, along=found.get(at, 0.0)) for at, arrow in enumerate(arrows)]


def _covered(box: NDArray[np.float64], taken: NDArray[np.float64]) -> float:
    """The share of a box (middle, width, height) that lies on others, added up."""
    apart = np.abs(taken[:, :2] - box[:2])
    shared = np.minimum((taken[:, 2:] + box[2:]) / 2 - apart, np.minimum(taken[:, 2:], box[2:]))
    both = (shared > 0).all(axis=1)
    return float((shared[both, 0] * shared[both, 1]).sum() / max(1.0, box[2] * box[3]))

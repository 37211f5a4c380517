"""Where the nodes of a picture lie: the same places for the same graph, every time and everywhere.

Each connected part is laid out by itself (Kamada and Kawai 1989; by forces, Fruchterman and Reingold 1991, where it is
large), turned so that its long side lies flat, loosened until no two names overlap, and the parts are set in rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import networkx as nx
import numpy as np
from numpy.typing import NDArray

Places = NDArray[np.float64]  # (nodes, 2), in pixels, the middle of each node

HEIGHT = 24.0  # of a node, in pixels
LENGTH = 150.0  # of a line, on average
GAP = (16.0, 18.0)  # between two nodes, across and down
SMALL = 120  # nodes up to which the slower, better layout is used
SCREEN, SHAPES = 1.7, (0.8, 1.2, 1.7, 2.4, 3.4)  # width of a picture to its height; those tried for rows of parts
ROUNDS = 120
LOOP = 34.0  # pixels a line from a node to itself rises above it


def lay_out(widths: Sequence[float], lines: Mapping[tuple[int, int], float], seed: int = 0) -> Places:
    """The middle of every node, none below zero; ``widths`` are theirs in pixels, ``lines`` those of the lines' names.

    ``lines`` are known by the positions of their ends, which lie far enough apart for the name to be read.

    >>> lay_out([60, 60], {(0, 1): 40}).shape
    (2, 2)
    """
    graph = nx.Graph()
    graph.add_nodes_from(range(len(widths)))
    graph.add_edges_from(sorted({(min(line), max(line)) for line in lines if line[0] != line[1]}))
    places = np.zeros((len(widths), 2))
    wide = np.asarray(widths, dtype=float)
    parts = sorted((sorted(part) for part in nx.connected_components(graph)), key=lambda part: (-len(part), part[0]))
    drawn: list[tuple[list[int], Places, Places]] = []
    for part in parts:
        own = _apart(_drawn(graph.subgraph(part), part, seed), wide[part], _between(part, lines))
        head = LOOP if any((node, node) in lines for node in part) else 0.0
        half = np.column_stack([wide[part] / 2, np.full(len(part), HEIGHT / 2)])
        own -= (own - half).min(axis=0) - (0.0, head)
        drawn.append((part, own, (own + half).max(axis=0)))
    for (part, own, _), corner in zip(drawn, _corners([size for *_, size in drawn]), strict=True):
        places[part] = own + corner
    return np.round(places, 1)


def _corners(sizes: Sequence[Places]) -> list[tuple[float, float]]:
    """Where each part begins: in rows, as wide as make the whole picture largest on a screen."""
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


def _drawn(graph: nx.Graph, part: list[int], seed: int) -> Places:
    """One connected part, in pixels, its long side flat."""
    if len(part) == 1:
        return np.zeros((1, 2))
    small = len(part) <= SMALL
    found = nx.kamada_kawai_layout(graph) if small else nx.spring_layout(graph, seed=seed, iterations=80)
    places: Places = np.array([found[node] for node in part])
    places -= places.mean(axis=0)
    long, _ = np.linalg.svd(places, full_matrices=False)[2]
    long = long if (long[0], long[1]) > (0, 0) else -long
    places = places @ np.array([[long[0], -long[1]], [long[1], long[0]]])
    if places[0, 0] > places[-1, 0]:  # what was named first lies to the left
        places = -places
    at = {node: position for position, node in enumerate(part)}
    ends = np.array([(at[a], at[b]) for a, b in graph.edges])
    mean = float(np.linalg.norm(places[ends[:, 0]] - places[ends[:, 1]], axis=1).mean())
    return places * (LENGTH / max(mean, 1e-9)) * (1.2, 0.8)  # names are wide and low


def _between(part: list[int], lines: Mapping[tuple[int, int], float]) -> NDArray[np.float64]:
    """The room each two nodes of a part need between them for the name of their line; (nodes, nodes), symmetric."""
    at = {node: position for position, node in enumerate(part)}
    room = np.full((len(part), len(part)), GAP[0])
    for (one, other), width in lines.items():
        if one in at and one != other:
            a, b = at[one], at[other]
            room[a, b] = room[b, a] = max(room[a, b], width + 2 * GAP[0])
    return room


def _apart(places: Places, widths: NDArray[np.float64], room: NDArray[np.float64]) -> Places:
    """The places with every two nodes that overlap pushed apart, along whichever way is shorter."""
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

"""Small worlds with a known answer: a seeded graph and a renamed, thinned copy of it."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from kgnb.agents.entity_alignment.graphs import EntityGraph, Integers, Value

SYLLABLES = (
    "al",
    "ber",
    "cor",
    "dun",
    "el",
    "fen",
    "gor",
    "hal",
    "ith",
    "kar",
    "lo",
    "mor",
    "nim",
    "os",
    "pel",
    "ra",
)


class World(NamedTuple):
    """Two graphs; entity ``answers[i]`` of the right is entity i of the left, -1 where it has no
    counterpart.
    """

    left: EntityGraph
    right: EntityGraph
    answers: np.ndarray


def names(number: int, seed: int) -> list[str]:
    """Different names of two words."""
    draw = np.random.default_rng(seed)
    found: dict[str, None] = {}
    while len(found) < number:
        words = [
            "".join(SYLLABLES[at] for at in draw.integers(0, len(SYLLABLES), 3)).title()
            for _ in range(2)
        ]
        found[" ".join(words)] = None
    return list(found)


def world(size: int = 200, *, dangling: int = 0, degree: float = 4.0, seed: int = 0) -> World:
    """A graph and its copy: entities shuffled, names misspelt in one letter, one triple in eight
    missing.

    The last ``dangling`` entities are other ones there: their names, triples and values are other
    ones.
    """
    draw = np.random.default_rng(seed)
    called = names(size + dangling, seed)
    number = int(size * degree / 2)
    triples = np.column_stack(
        [
            draw.integers(0, size, number),
            draw.integers(0, 6, number),
            draw.integers(0, size, number),
        ]
    ).astype(np.int32)
    order = draw.permutation(size)
    copied = np.column_stack([order[triples[:, 0]], triples[:, 1], order[triples[:, 2]]])
    stranger = (triples[:, [0, 2]] >= size - dangling).any(axis=1)
    copied[stranger, 0] = order[draw.integers(0, size, int(stranger.sum()))]
    copied = copied[draw.random(number) > 0.125]
    right_names = [""] * size
    for entity, place in enumerate(order.tolist()):
        name = (
            called[entity]
            if entity < size - dangling
            else called[size + entity - (size - dangling)]
        )
        at = int(draw.integers(1, len(name)))
        right_names[place] = name[:at] + "y" + name[at + 1 :]
    answers = np.where(np.arange(size) < size - dangling, order, -1)
    values = tuple(Value(str(1000 + entity)) for entity in range(size))
    left = EntityGraph(
        "left",
        tuple(f"http://left.example/{entity}" for entity in range(size)),
        tuple(called[:size]),
        tuple(f"http://left.example/r{r}" for r in range(6)),
        triples,
        ("http://left.example/height",),
        values,
        np.column_stack([np.arange(size), np.zeros(size, int), np.arange(size)]).astype(np.int32),
    )
    right = EntityGraph(
        "right",
        tuple(f"http://right.example/{entity}" for entity in range(size)),
        tuple(right_names),
        tuple(f"http://right.example/s{r}" for r in range(6)),
        copied.astype(np.int32),
        ("http://right.example/hoehe",),
        tuple(
            Value(f"{1000 + entity + size * (entity >= size - dangling)}.0")
            for entity in range(size)
        ),
        np.column_stack([order, np.zeros(size, int), np.arange(size)]).astype(np.int32),
    )
    return World(left, right, answers)


def without_values(graph: EntityGraph) -> EntityGraph:
    """The graph without its attributes."""
    return EntityGraph(graph.name, graph.entities, graph.names, graph.relations, graph.triples)


def pairs(left: EntityGraph, right: EntityGraph, links: Sequence[tuple[str, str]]) -> Integers:
    """Links between IRIs as indices, shape (n, 2)."""
    return np.array(
        [(left.index(one), right.index(other)) for one, other in links], dtype=np.int32
    ).reshape(-1, 2)

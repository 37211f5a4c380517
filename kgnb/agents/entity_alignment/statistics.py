"""What can be said of every entity before anybody looks at it: the numbers that plan its way."""

from __future__ import annotations

import numpy as np

from kgnb.agents.entity_alignment.graphs import EntityGraph, Integers
from kgnb.agents.entity_alignment.values import Floats, Proposal

FEATURES = (
    "attribute triples",
    "attributes",
    "relation triples",
    "relations",
    "has a name",
    "first similarity",
    "second similarity",
    "third similarity",
    "margin",
    "confidence",
)


def statistics(proposal: Proposal) -> Floats:
    """One row a source, one column a feature: shape (n, 10)."""
    graph, sources = proposal.left, proposal.sources
    said, kinds = _counted(graph.attribute_triples[:, :2], len(graph))
    ends = np.concatenate([graph.triples[:, :2], graph.triples[:, [2, 1]] + [0, len(graph.relations)]])
    linked, relations = _counted(ends, len(graph))
    has_name = np.fromiter((bool(name) for name in graph.names), dtype=np.float32, count=len(graph))
    similar = np.full((len(sources), 3), 0.0, dtype=np.float32)
    width = min(3, proposal.similarities.shape[1])
    best = -np.sort(-np.where(proposal.candidates >= 0, proposal.similarities, -np.inf), axis=1)[:, :width]
    similar[:, :width] = np.where(np.isfinite(best), best, 0.0)
    columns = [said[sources], kinds[sources], linked[sources], relations[sources], has_name[sources]]
    margin = np.where(np.isfinite(proposal.margin), proposal.margin, 1.0)
    found = np.column_stack([*columns, similar, margin, proposal.confidence])
    return found.astype(np.float32)


def reads(row: Floats) -> str:
    """One entity's statistics as a line for a person or a model.

    >>> print(reads(np.array([3, 2, 8, 4, 1, 0.91, 0.84, 0.2, 0.07, 0.62])))
    3 attribute triples (2 kinds), 8 relation triples (4 kinds), named; similarities 0.91, 0.84, 0.20; margin 0.07,
    confidence 0.62
    """
    attributes, kinds, triples, relations, has_name, *rest = (float(value) for value in row)
    similar = ", ".join(f"{value:.2f}" for value in rest[:3])
    return (
        f"{attributes:.0f} attribute triples ({kinds:.0f} kinds), {triples:.0f} relation triples ({relations:.0f} "
        f"kinds), {'named' if has_name else 'without a name'}; similarities {similar}; margin {rest[3]:.2f}, "
        f"confidence {rest[4]:.2f}"
    )


def _counted(pairs: Integers, size: int) -> tuple[Floats, Floats]:
    """How many rows each entity has, and how many different kinds among them."""
    rows = np.bincount(pairs[:, 0], minlength=size).astype(np.float32)
    kinds = np.bincount(np.unique(pairs, axis=0)[:, 0], minlength=size) if len(pairs) else np.zeros(size)
    return rows, kinds.astype(np.float32)


def numbers_of(graph: EntityGraph) -> tuple[Integers, Integers]:
    """How often each relation and each attribute is used in a graph."""
    relations = np.bincount(graph.triples[:, 1], minlength=len(graph.relations))
    attributes = np.bincount(graph.attribute_triples[:, 1], minlength=len(graph.attributes))
    return relations.astype(np.int32), attributes.astype(np.int32)

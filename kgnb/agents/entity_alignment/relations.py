"""Relations as evidence: edges in both directions, their rarity, and relations that are each
other's counterparts.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import matmul
from typing import NamedTuple, TypeAlias

import numpy as np
import scipy
from numpy.typing import NDArray

from kgnb.agents.entity_alignment.graphs import EntityGraph, Integers
from kgnb.vectors.close_pairs import Each, alone
from kgnb.vectors.embedder import Vectors
from kgnb.vectors.reproducible import log, on_grid, principal, unit

Longs = NDArray[np.int64]
Singles = NDArray[np.float32]
Matrix: TypeAlias = "scipy.sparse.csr_matrix"

_DOUBT = 3.0  # edges after which the counterpart of a relation is half believed


class Edges(NamedTuple):
    """Every triple from both of its ends: ``start`` has relation ``relation`` to ``end``; each edge
    once.

    The inverse of relation r is r + the number of relations.
    """

    start: Longs
    relation: Longs
    end: Longs
    entities: int
    relations: int  # inverses included
    rarity: Singles  # of (relation, end), about 0 to log(entities)


def edges_of(graph: EntityGraph) -> Edges:
    """The edges of a graph without loops and repeats."""
    triples = np.unique(graph.triples.astype(np.int64), axis=0)
    triples = triples[triples[:, 0] != triples[:, 2]]
    subject, relation, object_ = triples.T
    start, end = np.concatenate([subject, object_]), np.concatenate([object_, subject])
    relation = np.concatenate([relation, relation + len(graph.relations)])
    _, place, often = np.unique(
        relation * len(graph) + end, return_inverse=True, return_counts=True
    )
    rarity = log(1 + len(graph) / often[place.ravel()]).astype(np.float32)
    return Edges(start, relation, end, len(graph), 2 * len(graph.relations), rarity)


def adjacency(edges: Edges) -> Matrix:
    """Neighbours, weighted by how rare they are as a neighbour: (entities, entities)."""
    _, first = np.unique(edges.start * edges.entities + edges.end, return_index=True)
    start, end = edges.start[first], edges.end[first]
    often = np.bincount(end, minlength=edges.entities)
    weights = log(1 + edges.entities / np.maximum(often[end], 1)).astype(np.float32)
    return scipy.sparse.csr_matrix((weights, (start, end)), shape=(edges.entities, edges.entities))


def counterparts(left: Edges, right: Edges, anchors: Matrix) -> Matrix:
    """How far each relation of the left equals each of the right, learnt from edges with both ends
    anchored.

    ``anchors`` (left entities, right entities) holds the chance that two are the same; only entries
    above one half are used. Entry (r, s) is the share of r's anchored edges that s has too, damped
    for few edges (PARIS, Suchanek et al., PVLDB 5(3), 2011, section 4.2). The three best of each
    row are kept.
    """
    sure = anchors.tocoo()
    strong = sure.data > 0.5
    other = np.full(left.entities, -1, dtype=np.int64)
    other[sure.row[strong]] = sure.col[strong]
    start, end = other[left.start], other[left.end]
    both = (start >= 0) & (end >= 0)
    asked = start[both] * right.entities + end[both]
    order = np.argsort(right.start * right.entities + right.end, kind="stable")
    known = (right.start * right.entities + right.end)[order]
    first, last = np.searchsorted(known, asked), np.searchsorted(known, asked, side="right")
    met = last - first
    relation, at = np.repeat(left.relation[both], met), _runs(first, met)
    shape = (left.relations, right.relations)
    counts = scipy.sparse.csr_matrix(
        (np.ones(len(relation), np.float32), (relation, right.relation[order[at]])), shape=shape
    ).tocoo()
    often = np.bincount(left.relation[both], minlength=left.relations)
    shares = (counts.data / (often[counts.row] + _DOUBT)).astype(np.float32)
    order = np.lexsort((counts.col, -shares, counts.row))
    row = counts.row[order]
    kept = order[np.arange(len(row)) - np.searchsorted(row, row) < 3]
    return scipy.sparse.csr_matrix(
        (shares[kept], (counts.row[kept], counts.col[kept])), shape=shape
    )


def _runs(starts: Longs, lengths: Longs) -> Longs:
    """The numbers of several runs, each of so many from its start, one after the other."""
    return np.repeat(starts - (np.cumsum(lengths) - lengths), lengths) + np.arange(
        int(lengths.sum())
    )


class SharedSurroundings(NamedTuple):
    """Both sides' surroundings in the right graph's terms, ready to be multiplied row by row."""

    left: Matrix  # (left entities, columns)
    right: Matrix  # (right entities, columns)


def neighbours(left: Edges, right: Edges, anchors: Matrix) -> SharedSurroundings:
    """Anchored neighbours, whatever the relation; columns are entities of the right."""
    mine, theirs = adjacency(left), adjacency(right)
    mine.data, theirs.data = np.sqrt(mine.data), np.sqrt(theirs.data)
    return SharedSurroundings(_met(mine @ anchors), _only(theirs, anchors))


def statements(left: Edges, right: Edges, anchors: Matrix, alike: Matrix) -> SharedSurroundings:
    """Anchored neighbours by relation: columns are (relation, entity) of the right; ``alike`` from
    ``counterparts``.
    """
    relation, met = _entries(alike, left.relation)
    chosen = np.repeat(np.arange(len(left.start)), met)
    weight = alike.data[relation]
    other, more = _entries(anchors, left.end[chosen])
    again = np.repeat(np.arange(len(chosen)), more)
    chosen, weight = (
        chosen[again],
        weight[again] * anchors.data[other] * np.sqrt(left.rarity[chosen[again]]),
    )
    column = (
        alike.indices[relation][again].astype(np.int64) * right.entities + anchors.indices[other]
    )
    theirs = right.relation * right.entities + right.end
    kinds, place = np.unique(np.concatenate([column, theirs]), return_inverse=True)
    place = place.ravel()
    mine = scipy.sparse.csr_matrix(
        (weight, (left.start[chosen], place[: len(column)])), shape=(left.entities, len(kinds))
    )
    yours = scipy.sparse.csr_matrix(
        (np.sqrt(right.rarity), (right.start, place[len(column) :])),
        shape=(right.entities, len(kinds)),
    )
    return SharedSurroundings(_met(mine), _only(yours, mine))


def signatures(left: Edges, right: Edges, alike: Matrix) -> SharedSurroundings:
    """Which relations an entity has, whatever their other ends; columns are relations of the right,
    by rarity.
    """
    mine, theirs = (
        scipy.sparse.csr_matrix(
            (np.ones(len(side.start), np.float32), (side.start, side.relation)),
            shape=(side.entities, side.relations),
        )
        for side in (left, right)
    )
    rarity = log(
        1 + right.entities / np.maximum(np.bincount(theirs.indices, minlength=right.relations), 1)
    )
    weights = scipy.sparse.diags(np.sqrt(rarity).astype(np.float32), format="csr")
    for side in (mine, theirs):
        side.data = np.sqrt(np.minimum(side.data, 4))
    return SharedSurroundings(
        _met(mine @ alike @ weights), scipy.sparse.csr_matrix(theirs @ weights)
    )


def _entries(matrix: Matrix, rows: Longs) -> tuple[Longs, Longs]:
    """The positions of these rows' entries, row by row, and the number of each row's."""
    begin, met = matrix.indptr[rows].astype(np.int64), np.diff(matrix.indptr)[rows].astype(np.int64)
    return _runs(begin, met), met


def _met(matrix: Matrix) -> Matrix:
    met = scipy.sparse.csr_matrix(matrix)
    met.sum_duplicates()
    return met


def _only(matrix: Matrix, reached: Matrix) -> Matrix:
    """The entries in columns that the other side reaches at all; others cannot agree with anything."""
    used = np.zeros(matrix.shape[1], dtype=np.float32)
    used[np.unique(reached.indices)] = 1.0
    kept = scipy.sparse.csr_matrix(matrix @ scipy.sparse.diags(used, format="csr"))
    kept.eliminate_zeros()
    return kept


# propagation to neighbours, hop by hop: names, and the labels of seeds


def averaging(weights: Matrix) -> Matrix:
    """The same neighbours with weights that add up to one per row."""
    total = np.asarray(weights.sum(axis=1)).ravel()
    scale = np.divide(1.0, total, out=np.zeros_like(total), where=total > 0)
    return scipy.sparse.csr_matrix(
        scipy.sparse.diags(scale.astype(np.float32), format="csr") @ weights
    )


def spread(
    rows: Vectors, weights: Matrix, hops: int, kept: type = np.float32, each: Each = alone
) -> list[Vectors]:
    """``rows`` propagated over one hop, two, ...: unit rows of type ``kept``.

    What returns to its start after two hops is subtracted: it tells nothing new of an entity, and
    marks a seed as one.
    """
    arrived: list[Vectors] = []
    mean = averaging(weights)
    back = np.asarray(mean.multiply(mean.T).sum(axis=1)).ravel().astype(np.float32)
    current = rows
    for hop in range(1, hops + 1):
        blocks = (
            (mean[at : at + _SENT] for at in range(0, mean.shape[0], _SENT))
            if each is not alone
            else [mean]
        )
        parts = [np.asarray(part, dtype=np.float32) for part in each(matmul, blocks, current)]
        current = np.concatenate(parts) if len(parts) > 1 else parts[0]
        if hop == 2:
            current -= back[:, None] * rows
        arrived.append(unit(current).astype(kept, copy=False))
    return arrived


def labels(anchors: Integers, size: int, side: int, dimensions: int, seed: int) -> Vectors:
    """A random unit vector per anchor, the same on both sides; zeros for all other entities: (size,
    dimensions).
    """
    draw = np.random.default_rng(seed).standard_normal((len(anchors), dimensions), dtype=np.float32)
    found = np.zeros((size, dimensions), dtype=np.float32)
    found[anchors[:, side]] = unit(draw)
    return found


WIDE = 512  # dimensions up to which vectors are never narrowed
NARROW = 384  # dimensions kept of wider ones; as many as the bundled embedder has
MANY = 30_000  # rows of both sides up to which vectors are never narrowed
# rows of both sides from which memory counts: fewer dimensions, half precision where vectors are
# stored
LARGE = 60_000
SPREAD = 256  # dimensions that are propagated then
_SAMPLE = 8192  # rows that the directions are learnt from
_SENT = 100_000  # rows per task of a cluster's worker
_ROWS = 8192  # rows computed at a time if intermediate results are wide


def narrowed(left: Vectors, right: Vectors, *, many: int = MANY) -> tuple[Vectors, Vectors]:
    """Both (centred) sides on the grid; if they are many and wide, as unit rows in fewer
    dimensions.

    These are principal directions of a sample; cosines are about kept.
    """
    rows, left, right = len(left) + len(right), on_grid(left), on_grid(right)
    if rows <= many or left.shape[1] <= WIDE:
        return left, right
    directions = principal(np.vstack([left[sampled(rows)], right[sampled(rows)]]), NARROW)
    return unit(left @ directions), unit(right @ directions)


def sampled(rows: int) -> slice:
    """An even sample of the rows, enough to learn directions from."""
    return slice(None, None, -(-rows // _SAMPLE))


def in_blocks(work: Callable[[slice], Vectors], rows: int) -> Vectors:
    """The result of ``work`` for all rows, a few thousand at a time, as its intermediate results
    are large.
    """
    return np.concatenate([work(slice(at, at + _ROWS)) for at in range(0, max(rows, 1), _ROWS)])

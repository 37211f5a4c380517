"""Relations as evidence: edges both ways, how rare an end is, and which relations of two graphs say the same."""

from __future__ import annotations

from collections.abc import Callable
from operator import matmul
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from kgnb.agents.entity_alignment.graphs import EntityGraph, Integers
from kgnb.vectors.close_pairs import Each, alone
from kgnb.vectors.embedder import Vectors
from kgnb.vectors.reproducible import log, on_grid, principal, unit

Longs = NDArray[np.int64]
Singles = NDArray[np.float32]
Matrix = sparse.csr_matrix

_DOUBT = 3.0  # edges a relation must have shown before its counterpart is half believed


class Edges(NamedTuple):
    """Every triple seen from both of its ends: ``start`` has relation ``relation`` to ``end``; each edge once.

    The inverse of relation r is r + the number of relations.
    """

    start: Longs
    relation: Longs
    end: Longs
    entities: int
    relations: int  # inverses included
    rarity: Singles  # of (relation, end): how much it tells of the start, about 0 to log(entities)


def edges_of(graph: EntityGraph) -> Edges:
    """The edges of a graph without loops and repeats."""
    triples = np.unique(graph.triples.astype(np.int64), axis=0)
    triples = triples[triples[:, 0] != triples[:, 2]]
    subject, relation, object_ = triples.T
    start, end = np.concatenate([subject, object_]), np.concatenate([object_, subject])
    relation = np.concatenate([relation, relation + len(graph.relations)])
    _, place, often = np.unique(relation * len(graph) + end, return_inverse=True, return_counts=True)
    rarity = log(1 + len(graph) / often[place.ravel()]).astype(np.float32)
    return Edges(start, relation, end, len(graph), 2 * len(graph.relations), rarity)


def adjacency(edges: Edges) -> Matrix:
    """Neighbours, each weighed by how rare it is as a neighbour: (entities, entities)."""
    _, first = np.unique(edges.start * edges.entities + edges.end, return_index=True)
    start, end = edges.start[first], edges.end[first]
    often = np.bincount(end, minlength=edges.entities)
    weights = log(1 + edges.entities / np.maximum(often[end], 1)).astype(np.float32)
    return sparse.csr_matrix((weights, (start, end)), shape=(edges.entities, edges.entities))


def counterparts(left: Edges, right: Edges, anchors: Matrix) -> Matrix:
    """How far each relation of the left is each of the right, learnt where both ends of an edge are anchored.

    ``anchors`` (left entities, right entities) holds the chance that two are the same; only its best per row above one
    half are used. Entry (r, s) is the share of r's anchored edges that s has, too, less for few edges (PARIS, Suchanek
    et al., PVLDB 5(3), 2011, section 4.2). The few best of each row are kept.
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
    relation = np.repeat(left.relation[both], met)
    at = np.repeat(first, met) + np.arange(int(met.sum())) - np.repeat(np.cumsum(met) - met, met)
    shape = (left.relations, right.relations)
    counts = sparse.csr_matrix(
        (np.ones(len(relation), np.float32), (relation, right.relation[order[at]])), shape=shape
    ).tocoo()
    often = np.bincount(left.relation[both], minlength=left.relations)
    shares = counts.data / (often[counts.row] + _DOUBT)
    return best_of_rows(sparse.csr_matrix((shares.astype(np.float32), (counts.row, counts.col)), shape=shape), 3)


def best_of_rows(matrix: Matrix, k: int) -> Matrix:
    """The ``k`` highest entries of each row."""
    found = matrix.tocoo()
    order = np.lexsort((found.col, -found.data, found.row))
    row = found.row[order]
    kept = order[np.arange(len(row)) - np.searchsorted(row, row) < k]
    return sparse.csr_matrix((found.data[kept], (found.row[kept], found.col[kept])), shape=matrix.shape)


class Seen(NamedTuple):
    """Both sides' surroundings in the right graph's terms, ready to be multiplied row by row."""

    left: Matrix  # (left entities, columns)
    right: Matrix  # (right entities, columns)


def neighbours(left: Edges, right: Edges, anchors: Matrix) -> Seen:
    """Anchored neighbours, whatever the relation; columns are entities of the right."""
    mine, theirs = adjacency(left), adjacency(right)
    mine.data, theirs.data = np.sqrt(mine.data), np.sqrt(theirs.data)
    return Seen(_met(mine @ anchors), _only(theirs, anchors))


def statements(left: Edges, right: Edges, anchors: Matrix, alike: Matrix) -> Seen:
    """Anchored neighbours by relation: columns are (relation, entity) of the right; ``alike`` from ``counterparts``."""
    relation, met = _spread(alike, left.relation)
    chosen = np.repeat(np.arange(len(left.start)), met)
    weight = alike.data[relation]
    other, more = _spread(anchors, left.end[chosen])
    again = np.repeat(np.arange(len(chosen)), more)
    chosen, weight = chosen[again], weight[again] * anchors.data[other] * np.sqrt(left.rarity[chosen[again]])
    column = alike.indices[relation][again].astype(np.int64) * right.entities + anchors.indices[other]
    theirs = right.relation * right.entities + right.end
    kinds, place = np.unique(np.concatenate([column, theirs]), return_inverse=True)
    place = place.ravel()
    mine = sparse.csr_matrix((weight, (left.start[chosen], place[: len(column)])), shape=(left.entities, len(kinds)))
    yours = sparse.csr_matrix(
        (np.sqrt(right.rarity), (right.start, place[len(column) :])), shape=(right.entities, len(kinds))
    )
    return Seen(_met(mine), _only(yours, mine))


def signatures(left: Edges, right: Edges, alike: Matrix) -> Seen:
    """Which relations an entity has, whoever is at their other ends; columns are relations of the right, by rarity."""
    mine, theirs = (
        sparse.csr_matrix(
            (np.ones(len(side.start), np.float32), (side.start, side.relation)), shape=(side.entities, side.relations)
        )
        for side in (left, right)
    )
    rarity = log(1 + right.entities / np.maximum(np.bincount(theirs.indices, minlength=right.relations), 1))
    weights = sparse.diags(np.sqrt(rarity).astype(np.float32), format="csr")
    for side in (mine, theirs):
        side.data = np.sqrt(np.minimum(side.data, 4))
    return Seen(_met(mine @ alike @ weights), sparse.csr_matrix(theirs @ weights))


def _spread(matrix: Matrix, rows: Longs) -> tuple[Longs, Longs]:
    """Where the entries of these rows stand, one row after the other, and how many each row has."""
    begin, met = matrix.indptr[rows].astype(np.int64), np.diff(matrix.indptr)[rows].astype(np.int64)
    return np.repeat(begin - (np.cumsum(met) - met), met) + np.arange(int(met.sum())), met


def _met(matrix: Matrix) -> Matrix:
    met = sparse.csr_matrix(matrix)
    met.sum_duplicates()
    return met


def _only(matrix: Matrix, reached: Matrix) -> Matrix:
    """The entries in columns that the other side reaches at all: what cannot be met says nothing."""
    used = np.zeros(matrix.shape[1], dtype=np.float32)
    used[np.unique(reached.indices)] = 1.0
    kept = sparse.csr_matrix(matrix @ sparse.diags(used, format="csr"))
    kept.eliminate_zeros()
    return kept


# what is known of an entity spread to its neighbours: names and labels of seeds, hop by hop


def averaging(weights: Matrix) -> Matrix:
    """The same neighbours, the weights of each row adding up to one."""
    total = np.asarray(weights.sum(axis=1)).ravel()
    scale = np.divide(1.0, total, out=np.zeros_like(total), where=total > 0)
    return sparse.csr_matrix(sparse.diags(scale.astype(np.float32), format="csr") @ weights)


def spread(rows: Vectors, weights: Matrix, hops: int, kept: type = np.float32, each: Each = alone) -> list[Vectors]:
    """What arrives after one hop, after two, ... : unit rows, each like ``rows``, held as numbers of the type ``kept``.

    What comes back to where it started (two hops there and back) is taken off: it would say of an entity what was
    known of it anyway, and of a seed, that it is a seed.
    """
    arrived: list[Vectors] = []
    mean = averaging(weights)
    back = np.asarray(mean.multiply(mean.T).sum(axis=1)).ravel().astype(np.float32)
    current = rows
    for hop in range(1, hops + 1):
        blocks = (mean[at : at + _SENT] for at in range(0, mean.shape[0], _SENT)) if each is not alone else [mean]
        parts = [np.asarray(part, dtype=np.float32) for part in each(matmul, blocks, current)]
        current = np.concatenate(parts) if len(parts) > 1 else parts[0]
        if hop == 2:
            current -= back[:, None] * rows
        arrived.append(unit(current).astype(kept, copy=False))
    return arrived


def labels(anchors: Integers, size: int, side: int, dimensions: int, seed: int) -> Vectors:
    """A random unit vector for each anchor, the same on both sides; zero rows for all others: (size, dimensions)."""
    draw = np.random.default_rng(seed).standard_normal((len(anchors), dimensions), dtype=np.float32)
    found = np.zeros((size, dimensions), dtype=np.float32)
    found[anchors[:, side]] = unit(draw)
    return found


WIDE = 512  # dimensions up to which vectors stay as they are
NARROW = 384  # dimensions kept of wider ones; as many as the bundled embedder has
MANY = 30_000  # rows on both sides together up to which they stay as they are
LARGE = 60_000  # rows on both sides from which on memory counts: fewer dimensions, and half precision where these rest
SPREAD = 256  # dimensions kept of what spreads over relations, beyond that
_SAMPLE = 8192  # rows that the directions are learnt from
_SENT = 100_000  # rows that a worker of a cluster makes at a time
_ROWS = 8192  # made at a time, of what is wider in between


def narrowed(left: Vectors, right: Vectors, *, many: int = MANY) -> tuple[Vectors, Vectors]:
    """Both sides on the grid, in the directions in which they differ most where they are many and wide; unit rows.

    Principal directions of an evenly drawn sample; cosines are about kept. ``left`` and ``right`` are centred.
    """
    rows, left, right = len(left) + len(right), on_grid(left), on_grid(right)
    if rows <= many or left.shape[1] <= WIDE:
        return left, right
    directions = principal(np.vstack([left[sampled(rows)], right[sampled(rows)]]), NARROW)
    return unit(left @ directions), unit(right @ directions)


def sampled(rows: int) -> slice:
    """Evenly drawn rows, enough to learn directions from."""
    return slice(None, None, -(-rows // _SAMPLE))


def in_blocks(work: Callable[[slice], Vectors], rows: int) -> Vectors:
    """What ``work`` gives for all rows, asked for a few thousand at a time: what it needs in between is large."""
    return np.concatenate([work(slice(at, at + _ROWS)) for at in range(0, max(rows, 1), _ROWS)])

"""Attribute values as evidence: how many rare values, and rare words in them, two entities share."""

from __future__ import annotations

import re

import numpy as np
from scipy import sparse

from kgnb.agents.entity_alignment.candidates import Longs, Pairs
from kgnb.agents.entity_alignment.graphs import EntityGraph
from kgnb.agents.entity_alignment.names import folded
from kgnb.agents.entity_alignment.relations import Matrix, Seen

_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?([eE][+-]?\d+)?")
_WORDS = 40  # of a value that count: a long text is not a fact
_RARE = 50  # entities of a side that may share a value for it to propose a pair
_BLOCK = 4096


def value_tokens(text: str) -> tuple[str, ...]:
    """What a value is compared by: itself as a whole, folded (numbers by their size), and its words.

    >>> value_tokens("80.0"), value_tokens("Hütte am See")
    (('=80',), ('=hutte am see', 'hutte', 'am', 'see'))
    """
    if _NUMBER.fullmatch(text.strip()):
        return (f"={float(text):.9g}",)
    plain = folded(text)
    words = plain.split()[:_WORDS]
    return (f"={plain}", *words) if len(words) > 1 else (f"={plain}",) if plain else ()


def shared_values(left: EntityGraph, right: EntityGraph) -> Seen | None:
    """Entities by tokens of their values, roots of rarities as entries; None where a side has no values."""
    if not len(left.attribute_triples) or not len(right.attribute_triples):
        return None
    numbers: dict[str, int] = {}
    tables = [_incidence(graph, numbers) for graph in (left, right)]
    mine, yours = (sparse.csr_matrix((t.data, t.indices, t.indptr), shape=(t.shape[0], len(numbers))) for t in tables)
    often = [np.bincount(table.indices, minlength=len(numbers)) for table in (mine, yours)]
    both = (often[0] > 0) & (often[1] > 0)
    rarity = np.log1p((len(left) + len(right)) / np.maximum(often[0] + often[1], 1)) * both
    weights = sparse.diags(np.sqrt(rarity).astype(np.float32), format="csr")
    found = Seen(sparse.csr_matrix(mine @ weights), sparse.csr_matrix(yours @ weights))
    found.left.eliminate_zeros()
    found.right.eliminate_zeros()
    return found


def _incidence(graph: EntityGraph, numbers: dict[str, int]) -> Matrix:
    tokens = [[numbers.setdefault(t, len(numbers)) for t in dict.fromkeys(value_tokens(v.text))] for v in graph.values]
    sizes = np.array([len(found) for found in tokens], dtype=np.int64)
    flat = np.array([number for found in tokens for number in found], dtype=np.int64)
    starts = np.cumsum(sizes) - sizes
    entity, value = graph.attribute_triples[:, 0], graph.attribute_triples[:, 2]
    met = sizes[value]
    at = np.repeat(starts[value] - (np.cumsum(met) - met), met) + np.arange(int(met.sum()))
    rows, columns = np.repeat(entity.astype(np.int64), met), flat[at]
    keys = np.unique(rows * max(len(numbers), 1) + columns)
    rows, columns = keys // max(len(numbers), 1), keys % max(len(numbers), 1)
    return sparse.csr_matrix((np.ones(len(keys), np.float32), (rows, columns)), shape=(len(graph), len(numbers)))


def value_pairs(seen: Seen, rows: Longs, columns: Longs, k: int) -> Pairs:
    """The ``k`` columns that share most rare tokens with each row."""
    mine, yours = seen.left[rows], seen.right[columns]
    rare = [np.bincount(side.indices, minlength=side.shape[1]) <= _RARE for side in (mine, yours)]
    kept = sparse.diags((rare[0] & rare[1]).astype(np.float32), format="csr")
    turned = sparse.csr_matrix((yours @ kept).T)
    found_rows, found_columns = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for first in range(0, len(rows), _BLOCK):
        met = (mine[first : first + _BLOCK] @ turned).tocoo()
        order = np.lexsort((met.col, -met.data, met.row))
        row = met.row[order]
        best = order[(np.arange(len(row)) - np.searchsorted(row, row) < k) & (met.data[order] > 0)]
        found_rows.append(met.row[best].astype(np.int64) + first)
        found_columns.append(met.col[best].astype(np.int64))
    return Pairs(np.concatenate(found_rows), np.concatenate(found_columns))

"""What speaks for each candidate pair: one column a view, each between 0 and about 1, more is better."""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np
from scipy import sparse

from kgnb.agents.entity_alignment.candidates import Longs, Pairs, Singles, dense_dots, sparse_dots
from kgnb.agents.entity_alignment.graphs import EntityGraph
from kgnb.agents.entity_alignment.names import Further, Named, folded
from kgnb.agents.entity_alignment.relations import Edges, Matrix, Seen, counterparts, neighbours, statements
from kgnb.vectors.embedder import Vectors

NAME_PRIOR = {
    "meaning": 12.0, "spelling": 14.0, "same name": 3.0, "same bare name": 1.0, "numbers agree": 3.0,
    "names one hop away": 8.0, "names two hops away": 4.0,
}  # fmt: skip
LABEL_PRIOR = {"anchors one hop away": 6.0, "anchors two hops away": 6.0, "anchors further away": 2.0}
STRUCTURE_PRIOR = {
    "shared neighbours": 4.0, "shared neighbours, amount": 3.0, "shared statements": 6.0,
    "shared statements, amount": 4.0,
}  # fmt: skip
VALUE_PRIOR = {"shared values": 6.0, "shared values, amount": 4.0}


class Evidence(NamedTuple):
    """Views of some pairs, column by column."""

    values: Singles  # (pairs, views)
    prior: dict[str, float]  # view -> weight before anything is learnt; in column order


def of_names(left: Named, right: Named, hops_left: list[Vectors], hops_right: list[Vectors], pairs: Pairs) -> Evidence:
    """How alike the names of the two are, and those of their neighbours."""
    if left.further is not None and right.further is not None:
        views = best_of_names(left.further, right.further, pairs)
    else:
        views = [
            dense_dots(left.meaning, right.meaning, pairs),
            sparse_dots(left.grams, right.grams, pairs),
            same(left.whole, right.whole, pairs),
        ]
    views.append(same(left.bare, right.bare, pairs))
    views.append((left.numbers[pairs.rows] == right.numbers[pairs.columns]).astype(np.float32))
    names = ["meaning", "spelling", "same name", "same bare name", "numbers agree"]
    for hop, (mine, yours) in enumerate(zip(hops_left, hops_right, strict=True)):
        if hop < 2:
            views.append(dense_dots(mine, yours, pairs))
            names.append(("names one hop away", "names two hops away")[hop])
    return Evidence(np.column_stack(views), {name: NAME_PRIOR[name] for name in names})


def best_of_names(left: Further, right: Further, pairs: Pairs) -> list[Singles]:
    """Meaning, spelling, sameness of the names of two entities that are most alike, whichever of theirs these are."""
    each = [np.diff(side.starts)[ends] for side, ends in ((left, pairs.rows), (right, pairs.columns))]
    met = each[0] * each[1]
    first = np.cumsum(met) - met
    at = np.arange(int(met.sum())) - np.repeat(first, met)
    wide = np.repeat(each[1], met)
    names = Pairs(
        np.repeat(left.starts[pairs.rows], met) + at // wide, np.repeat(right.starts[pairs.columns], met) + at % wide
    )
    if not len(at):
        return [np.zeros(len(pairs.rows), dtype=np.float32)] * 3
    views = (
        dense_dots(left.meaning, right.meaning, names),
        sparse_dots(left.grams, right.grams, names),
        same(left.whole, right.whole, names),
    )
    return [np.maximum.reduceat(view, first) for view in views]


def of_labels(dots: list[Singles]) -> Evidence:
    """How alike the anchors around the two are, hop by hop."""
    near, far = dots[:2], dots[2:]
    columns = [*near, *([np.mean(far, axis=0)] if far else [])]
    names = list(LABEL_PRIOR)[: len(near)] + (["anchors further away"] if far else [])
    return Evidence(np.column_stack(columns), {name: LABEL_PRIOR[name] for name in names})


def of_values(seen: Seen, pairs: Pairs) -> Evidence:
    """How many rare attribute values the two share."""
    return Evidence(np.column_stack(overlap(seen, pairs)), dict(VALUE_PRIOR))


def same(left: np.ndarray, right: np.ndarray, pairs: Pairs) -> Singles:
    """One for an equal key, less where several entities of a side share it."""
    size = int(max(left.max(initial=-1), right.max(initial=-1))) + 1
    mine, yours = (np.bincount(keys[keys >= 0], minlength=max(size, 1)) for keys in (left, right))
    one, other = left[pairs.rows], right[pairs.columns]
    equal = (one == other) & (one >= 0)
    found: Singles = np.where(equal, 1 / np.sqrt(np.maximum(mine[one] * yours[one], 1)), 0.0).astype(np.float32)
    return found


def of_structure(left: Edges, right: Edges, anchors: Matrix, pairs: Pairs) -> Evidence:
    """How much the surroundings agree where they are anchored: as a cosine, and as an amount."""
    alike = counterparts(left, right, anchors)
    views: list[Singles] = []
    for seen in (neighbours(left, right, anchors), statements(left, right, anchors, alike)):
        views += overlap(seen, pairs)
    return Evidence(np.column_stack(views), dict(STRUCTURE_PRIOR))


def overlap(seen: Seen, pairs: Pairs) -> list[Singles]:
    """Cosine of the two rows of each pair, and the logarithm of their product, about 1 for a dozen rare things."""
    product = sparse_dots(seen.left, seen.right, pairs)
    mine, yours = (_lengths(side) for side in seen)
    cosine = product / (1.0 + mine[pairs.rows] * yours[pairs.columns])
    amount: Singles = (np.log1p(product) / 4.5).astype(np.float32)
    return [cosine.astype(np.float32), amount]


def _lengths(matrix: Matrix) -> Singles:
    lengths: Singles = np.sqrt(np.asarray(sparse.csr_matrix(matrix).multiply(matrix).sum(axis=1)).ravel())
    return lengths


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

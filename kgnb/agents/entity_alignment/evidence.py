"""What speaks for each candidate pair: one column a view, each between 0 and about 1, more is better."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import sparse

from kgnb.agents.entity_alignment.candidates import Pairs, Singles, dense_dots, sparse_dots
from kgnb.agents.entity_alignment.names import Further, Named
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

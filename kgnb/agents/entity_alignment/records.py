"""Records: the chance that two rows of tables, or two entities described by values, are the same.

After Fellegi and Sunter (JASA 64, 1969): each pair of comparable fields speaks for or against a
match by the ratio of two chances, that of such an agreement among matches (learnt by expectation
maximisation from the two tables alone, one counterpart each) and among others (counted: how many
other rows agree as well with this very value). How alike all values of two rows together are spelt
counts as well (``LIKENESS``): it is what tells products apart by long descriptions. A calibration
fitted on many tables with known matches turns both into a probability that can be believed
(``CALIBRATION``).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from kgnb.agents.entity_alignment.candidates import CandidatePairs, corrected, united
from kgnb.agents.entity_alignment.fields import (
    CLOSE,
    PARTLY,
    SLIGHTLY,
    Kind,
    RecordField,
    alike_values,
    apart,
    associated,
    comparable,
    fields_of_both,
    scale_of,
    words,
)
from kgnb.agents.entity_alignment.graphs import EntityGraph, Integers
from kgnb.vectors.character_embedder import hashed_grams
from kgnb.vectors.reproducible import exp, log

Singles = NDArray[np.float32]
Doubles = NDArray[np.float64]
Longs = NDArray[np.int64]
Levels = NDArray[np.int8]

EVERY = 40_000  # pairs up to which all are compared
NEAREST = 30  # candidates of a row, of more than that
SAMPLED = 20_000  # pairs drawn at random, to count how others agree
_PROBED = 2_000  # the same where it is only asked which fields say the same
_DIMENSIONS = 1 << 18
_SIGNAL = (
    0.08  # by how much likely pairs must agree more than random ones in fields that are compared
)
_SUREST = 0.75  # of likely pairs of one table, the share that is less alike than the surest
_ROUNDS = 8
_OUT = -8.0  # log-odds below which a pair is not considered
_PRIOR = 3.0  # rows that the usual agreement of matches is worth
_UNSEEN = 200.0  # rows that the usual chance of a coincidence is worth
LEVELS = 5  # missing apart: differ, slightly, partly, close, equal
MISSING = -1
USUAL: dict[Kind, tuple[float, ...]] = {
    "text": (0.10, 0.05, 0.10, 0.25, 0.50),
    "number": (0.15, 0.05, 0.10, 0.10, 0.60),
    "date": (0.06, 0.02, 0.04, 0.08, 0.80),
    "phone": (0.12, 0.01, 0.02, 0.10, 0.75),
    "mail": (0.10, 0.01, 0.05, 0.09, 0.75),
    "url": (0.08, 0.01, 0.05, 0.11, 0.75),
    "code": (0.25, 0.01, 0.04, 0.10, 0.60),
    "category": (0.10, 0.10, 0.20, 0.30, 0.30),
}
"""How matches agree in fields of a kind, before anything is learnt."""
COINCIDENCE: dict[Kind, float] = {
    "text": 0.002,
    "number": 0.01,
    "date": 0.001,
    "phone": 0.0001,
    "mail": 0.0001,
    "url": 0.0005,
    "code": 0.001,
    "category": 0.01,
}
"""How often values of a kind are equal by chance, before anything is counted."""


class FieldPair(NamedTuple):
    """Two fields that say the same, one of each side."""

    left: RecordField
    right: RecordField
    kind: Kind
    likely: CandidatePairs | None = None  # of a category, the pairs that show what goes together
    scale: float = 1.0  # of numbers, by what the right's are multiplied

    @property
    def name(self) -> str:
        """As a person reads it."""
        one, other = self.left.name, self.right.name
        return one if one.casefold() == other.casefold() else f"{one} ~ {other}"


@dataclass(frozen=True, eq=False)
class RecordMatch:
    """Every compared pair with what its fields say.

    ``pairs`` are entities of left and right, sorted by row, then column. ``alike[p, f]`` is the
    similarity of field pair ``f`` (NaN where a side has no value), ``level[p, f]`` its level and
    ``speaks[p, f]`` the logarithm of the ratio of chances.
    """

    fields: tuple[FieldPair, ...]
    pairs: CandidatePairs
    alike: Singles
    level: Levels
    speaks: Singles
    whole: Singles  # how alike all values together are spelt, less how alike others are
    apart: (
        Singles  # (pairs, 4): shares of words, figures and names that the other lacks (``apart``)
    )
    size: tuple[int, int]  # entities of either side
    others: Levels  # levels of pairs drawn at random
    one_table: bool = False  # which is searched for duplicates

    @cached_property
    def odds(self) -> Doubles:
        """Log-odds of each pair by itself (``LIKENESS``)."""
        *weights, free = LIKENESS.values()
        total: Doubles = traits(self) @ np.array(weights) + free
        return total

    def turned(self) -> RecordMatch:
        """The same from right to left; the pairs stay in their order."""
        pairs = CandidatePairs(self.pairs.columns, self.pairs.rows)
        fields = tuple(FieldPair(pair.right, pair.left, pair.kind) for pair in self.fields)
        return replace(self, fields=fields, pairs=pairs, size=self.size[::-1])

    def kept(self, some: NDArray[np.bool_]) -> RecordMatch:
        """The same for some of the pairs."""
        pairs = CandidatePairs(self.pairs.rows[some], self.pairs.columns[some])
        return replace(
            self,
            pairs=pairs,
            alike=self.alike[some],
            level=self.level[some],
            speaks=self.speaks[some],
            whole=self.whole[some],
            apart=self.apart[some],
        )


def grams_of(
    graphs: tuple[EntityGraph, EntityGraph], fields: tuple[list[RecordField], list[RecordField]]
) -> list[scipy.sparse.csr_matrix]:
    """Each entity's values as letters in a row, unit rows weighted by rarity over both sides."""
    texts = []
    for graph, side in zip(graphs, fields, strict=True):
        joined: list[list[str]] = [[] for _ in range(len(graph))]
        for field in side:
            for row, at in zip(*np.nonzero(field.held >= 0), strict=True):
                joined[row].append(" ".join(words(field.texts[field.held[row, at]])))
        texts.append([" ".join(dict.fromkeys(found)) for found in joined])
    grams = hashed_grams([*texts[0], *texts[1]], _DIMENSIONS)
    often = np.bincount(grams.indices, minlength=grams.shape[1])
    grams.data = (
        (1 + log(grams.data)) * log((1 + grams.shape[0]) / (1 + often))[grams.indices]
    ).astype(np.float32)
    lengths = np.sqrt(np.asarray(grams.multiply(grams).sum(axis=1)).ravel())
    grams.data /= np.repeat(np.maximum(lengths, 1e-9), np.diff(grams.indptr))
    return [grams[: len(graphs[0])], grams[len(graphs[0]) :]]


def _near(
    left: scipy.sparse.csr_matrix, right: scipy.sparse.csr_matrix, k: int, block: int = 512
) -> CandidatePairs:
    """The ``k`` nearest of the right for every row of the left."""
    rows, columns = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    turned = right.T.tocsr()
    for first in range(0, left.shape[0], block):
        dots = (left[first : first + block] @ turned).toarray()
        best = np.argsort(-dots, axis=1, kind="stable")[:, :k]
        at = np.repeat(np.arange(len(best)), best.shape[1])
        kept = dots[at, best.ravel()] > 0
        rows.append(at[kept] + first)
        columns.append(best.ravel()[kept].astype(np.int64))
    return CandidatePairs(np.concatenate(rows), np.concatenate(columns))


LARGEST = 30_000  # entities of a side that are compared as records


def are_records(left: EntityGraph, right: EntityGraph) -> bool:
    """Whether two graphs are tables, or like tables: values, and hardly any links between entities."""
    return all(
        len(graph.attribute_triples) > 0
        and 2 * len(graph.triples) < len(graph)
        and len(graph) <= LARGEST
        for graph in (left, right)
    )


def compare_records(
    left: EntityGraph,
    right: EntityGraph,
    *,
    known: Integers | None = None,
    listed: Integers | None = None,
    seed: int = 0,
) -> RecordMatch | None:
    """All likely pairs compared field by field; None where fewer than two fields say the same.

    ``known`` are pairs of entities that are the same, to learn from; where pairs are ``listed``,
    sorted, only those and the known ones are compared. Of a graph and itself, an
    entity is not compared with itself.
    """
    sides = fields_of_both(left, right)
    if not sides[0] or not sides[1]:
        return None
    one_table = left is right
    height, width = len(left), len(right)
    grams = grams_of((left, right), sides)
    k = NEAREST + one_table
    near = _near(grams[0], grams[1], k)
    back = _near(grams[1], grams[0], k)
    close = united(near, CandidatePairs(back.columns, back.rows), width=width)
    if listed is not None:
        some = np.vstack([listed, *([] if known is None else [known])]).astype(np.int64)
        pairs = united(CandidatePairs(some[:, 0], some[:, 1]), width=width)
    elif height * width <= EVERY:
        pairs = CandidatePairs(
            np.repeat(np.arange(height), width), np.tile(np.arange(width), height)
        )
    else:
        pairs = close
    draw = np.random.default_rng(seed)
    others = CandidatePairs(draw.integers(0, height, SAMPLED), draw.integers(0, width, SAMPLED))
    if one_table:
        pairs, others, close = (
            CandidatePairs(
                some.rows[some.rows != some.columns], some.columns[some.rows != some.columns]
            )
            for some in (pairs, others, close)
        )
    cosine = np.asarray(grams[0][pairs.rows].multiply(grams[1][pairs.columns]).sum(axis=1)).ravel()
    whole = corrected(pairs, cosine.astype(np.float32), height, width)
    likely = _mutual(pairs, whole.astype(np.float64), height, width)
    if one_table:
        fields = _same_fields(sides[0], pairs, likely, whole, others)
    else:
        fields = _field_pairs(sides, pairs, likely, others)
    if len(fields) < (1 if one_table else 2):
        return None
    alike = np.column_stack([agreement(pair, pairs) for pair in fields])
    among = np.column_stack([agreement(pair, others) for pair in fields])
    said = np.zeros((len(pairs.rows), 4), dtype=np.float32)
    surest = likely & (whole >= np.median(whole[likely])) if likely.any() else likely
    for pair in fields:
        if pair.kind == "text":
            lacks = apart(pair.left, pair.right, pairs)
            if surest.any() and not one_table:
                # two languages, or two ways to write sizes: matches lack each other's words too
                lacks -= lacks[surest].mean(axis=0)
            said = np.maximum(said, lacks)
    size = height, width
    match = _learnt(tuple(fields), pairs, alike, among, likely, whole, size, known)
    match = replace(match, apart=said, one_table=one_table)
    if one_table or not (unpaired := _unpaired(sides, fields)) or _share(match) >= _SHARED:
        return match
    # lists that share next to nothing: no likely pair shows that dates of birth are comparable
    fields += unpaired
    alike, among = (
        np.column_stack([before, *(agreement(pair, some) for pair in unpaired)])
        for before, some in ((alike, pairs), (among, others))
    )
    again = _learnt(tuple(fields), pairs, alike, among, likely, whole, size, known)
    return replace(again, apart=said)


_SHARED = 0.05  # of the smaller side matched, from which matches show which fields are comparable
_SINGLE: tuple[Kind, ...] = ("date", "phone", "mail")


def _unpaired(
    sides: tuple[list[RecordField], list[RecordField]], fields: list[FieldPair]
) -> list[FieldPair]:
    """Pairs of fields that are each the only one of their kind on their side, and in no pair yet."""
    taken = [{pair.left for pair in fields}, {pair.right for pair in fields}]
    found = []
    for kind in _SINGLE:
        ends = [
            [field for field in side if field.kind == kind and field.filled >= _MOSTLY]
            for side in sides
        ]
        if all(
            len(some) == 1 and some[0] not in known for some, known in zip(ends, taken, strict=True)
        ):
            found.append(FieldPair(ends[0][0], ends[1][0], kind))
    return found


_MOSTLY = 0.5


def _share(match: RecordMatch) -> float:
    """The expected share of the smaller side that has a counterpart."""
    at = mutual(match)
    chances = calibrated(match, at)
    return float(chances[chances >= 0.5].sum()) / max(min(match.size), 1)


def _mutual(pairs: CandidatePairs, scores: Doubles, height: int, width: int) -> NDArray[np.bool_]:
    """Which pairs are each other's best."""
    best = [np.full(size, -np.inf) for size in (height, width)]
    np.maximum.at(best[0], pairs.rows, scores)
    np.maximum.at(best[1], pairs.columns, scores)
    found: NDArray[np.bool_] = (
        (scores >= best[0][pairs.rows]) & (scores >= best[1][pairs.columns]) & (scores > 0)
    )
    return found


def _field_pairs(
    sides: tuple[list[RecordField], list[RecordField]],
    pairs: CandidatePairs,
    likely: NDArray[np.bool_],
    others: CandidatePairs,
) -> list[FieldPair]:
    """For each field of either side the one of the other that agrees with it most in likely pairs,
    beyond chance.
    """
    mutual = CandidatePairs(pairs.rows[likely], pairs.columns[likely])
    random = CandidatePairs(others.rows[:_PROBED], others.columns[:_PROBED])
    signals: dict[tuple[int, int], tuple[float, FieldPair]] = {}
    for at, one in enumerate(sides[0]):
        for place, other in enumerate(sides[1]):
            for pair in _ways(one, other, mutual):
                known = signals.get((at, place), (0.0,))[0]
                if known and not (one.few and other.few and signals[at, place][1].kind == "text"):
                    break  # they are compared by what they say
                signal = _signal(*(agreement(pair, some) for some in (mutual, random)))
                if signal >= max(_SIGNAL, known):
                    signals[at, place] = signal, pair
    chosen = set()
    for axis in (0, 1):
        for at in {key[axis] for key in signals}:
            ends = sorted(key for key in signals if key[axis] == at)
            chosen.add(max(ends, key=lambda key: signals[key][0]))
    return [signals[key][1] for key in sorted(chosen)]


def _same_fields(
    side: list[RecordField],
    pairs: CandidatePairs,
    likely: NDArray[np.bool_],
    whole: Singles,
    others: CandidatePairs,
) -> list[FieldPair]:
    """The fields of one table, each with itself, that agree beyond chance in likely pairs or in the
    surest of them: where few rows are duplicates, most likely pairs are none.
    """
    surest = likely & (whole >= np.quantile(whole[likely], _SUREST)) if likely.any() else likely
    samples = [
        CandidatePairs(some.rows[kept], some.columns[kept])
        for some, kept in (
            (pairs, likely),
            (pairs, surest),
            (others, np.arange(len(others.rows)) < _PROBED),
        )
    ]
    chosen = []
    for field in side:
        pair = FieldPair(field, field, field.kind)
        *there, chance = (agreement(pair, some) for some in samples)
        if max(_signal(some, chance) for some in there) >= _SIGNAL:
            chosen.append(pair)
    return chosen


CATEGORISED = (None, "text", "number", "code")
"""As what values are comparable that may be of one category instead."""


def _ways(one: RecordField, other: RecordField, mutual: CandidatePairs) -> Iterator[FieldPair]:
    """As what two fields may be compared."""
    kind = comparable(one.kind, other.kind)
    if kind is not None:
        scale = scale_of(one, other, mutual) if kind == "number" else 1.0
        yield FieldPair(one, other, kind, scale=scale)
    if kind in CATEGORISED and (one.few or other.few):
        yield FieldPair(one, other, "category", mutual)


def _signal(there: Singles, chance: Singles) -> float:
    """How much likelier pairs agree more than random ones; more for fields that more of them have."""
    if not np.isfinite(there).any():
        return 0.0
    by_chance = float(np.nanmean(chance)) if np.isfinite(chance).any() else 0.0
    return (float(np.nanmean(there)) - by_chance) * min(1.0, 0.5 + float(np.isfinite(there).mean()))


def agreement(pair: FieldPair, pairs: CandidatePairs) -> Singles:
    """How alike two entities are in a field: the best of their values; NaN where one has none."""
    if pair.likely is not None:
        return associated(pair.left, pair.right, pairs, pair.likely)
    found = np.full(len(pairs.rows), np.nan, dtype=np.float32)
    for mine in range(pair.left.held.shape[1]):
        for yours in range(pair.right.held.shape[1]):
            one, other = pair.left.held[pairs.rows, mine], pair.right.held[pairs.columns, yours]
            both = (one >= 0) & (other >= 0)
            if both.any():
                found[both] = np.fmax(
                    found[both],
                    alike_values(*pair[:3], one[both], other[both], pair.scale),
                )
    return found


def levels(alike: Singles) -> Levels:
    """Levels of agreement: 0 differ, 1 slightly, 2 partly, 3 close, 4 equal; -1 missing."""
    found = np.searchsorted(
        [SLIGHTLY, PARTLY, CLOSE, 0.97], np.nan_to_num(alike), side="right"
    ).astype(np.int8)
    found[np.isnan(alike)] = MISSING
    return found


def _learnt(
    fields: tuple[FieldPair, ...],
    pairs: CandidatePairs,
    alike: Singles,
    among: Singles,
    likely: NDArray[np.bool_],
    whole: Singles,
    size: tuple[int, int],
    known: Integers | None,
) -> RecordMatch:
    """What each agreement says, by expectation maximisation over the pairs."""
    level, random = levels(alike), levels(among)
    by_chance = np.column_stack(
        [
            log_chance(pair, pairs, alike[:, f], level[:, f], random[:, f], size)
            for f, pair in enumerate(fields)
        ]
    )
    smaller = min(size)
    # at first the surest half of the pairs that are each other's nearest are matches
    start = np.median(whole[likely]) if likely.any() else 1.0
    chance = np.where(likely & (whole >= start), 0.9, 0.0)
    speaks, prior = np.zeros(level.shape, dtype=np.float32), 0.0
    stated = np.zeros(len(chance), dtype=bool)
    settled = np.zeros(len(chance), dtype=bool)
    if known is not None and len(known):
        stated = np.isin(
            pairs.rows * size[1] + pairs.columns,
            known[:, 0].astype(np.int64) * size[1] + known[:, 1],
        )
        settled = np.isin(pairs.rows, known[:, 0]) | np.isin(pairs.columns, known[:, 1])
    for _ in range(_ROUNDS):
        chance = np.where(settled, stated, chance)
        for f, pair in enumerate(fields):
            speaks[:, f] = ratio(pair, level[:, f], by_chance[:, f], chance)
        share = float(np.clip((chance.sum() + 1) / (smaller + 2), 0.005, 0.98))
        prior = float(np.log(share * smaller / (size[0] * size[1])))
        chance = one_each(pairs, prior + speaks.sum(axis=1, dtype=np.float64), size)
    together = np.zeros((len(chance), 4), dtype=np.float32)
    return RecordMatch(fields, pairs, alike, level, speaks, whole, together, size, random)


def log_chance(
    pair: FieldPair,
    pairs: CandidatePairs,
    alike: Singles,
    level: Levels,
    random: Levels,
    size: tuple[int, int],
    known: Doubles | None = None,
) -> Singles:
    """The logarithm of how often pairs that do not match agree as well as this one.

    For agreements, counted on both sides for the very value: the share of the other rows that agree
    with it at least as well, those aside that are ``known`` to match with these chances. For the
    rest, the share of random pairs on the same level.
    """
    met = random[random >= 0]
    shares = (np.bincount(met, minlength=LEVELS) + 0.5) / (len(met) + 0.5 * LEVELS)
    found = np.zeros(len(level), dtype=np.float64)
    there = level >= 0
    found[there] = log(shares[level[there]])
    agrees = level >= 2
    usual = COINCIDENCE[pair.kind] * (1.0, 10.0, 10.0, 3.0, 1.0)[4]
    counts = []
    apart = (np.ones(len(level)) if known is None else 1 - known)[agrees]
    for ends, number, side in (
        (pairs.rows, size[1], pair.right),
        (pairs.columns, size[0], pair.left),
    ):
        order = np.lexsort((-alike[agrees], ends[agrees]))
        sorted_ends, sorted_alike = ends[agrees][order], alike[agrees][order]
        # rows that agree at least as well, this one aside
        last = np.searchsorted(
            -sorted_alike + 2.0 * sorted_ends,
            -sorted_alike + 2.0 * sorted_ends + 1e-6,
            side="right",
        )
        sums = np.concatenate([[0.0], np.cumsum(apart[order])])
        count = np.empty(len(order))
        count[order] = sums[last] - sums[np.searchsorted(sorted_ends, sorted_ends)]
        count = np.maximum(count - apart, 0)
        held = max(side.filled * number, 1.0)
        counts.append((count + _UNSEEN * usual) / (held + _UNSEEN))
    found[agrees] = log(np.maximum(np.sqrt(counts[0] * counts[1]), 1e-9))
    return found.astype(np.float32)


def ratio(pair: FieldPair, level: Levels, by_chance: Singles, chance: Doubles) -> Singles:
    """The logarithm of how much likelier such an agreement is among matches."""
    there = level >= 0
    usual = np.array(USUAL[pair.kind])
    counted = np.bincount(level[there], weights=chance[there], minlength=LEVELS) + _PRIOR * usual
    among = counted / counted.sum()
    found = np.zeros(len(level), dtype=np.float32)
    found[there] = (log(among)[level[there]] - by_chance[there]).astype(np.float32)
    return found


def one_each(pairs: CandidatePairs, odds: Doubles, size: tuple[int, int]) -> Doubles:
    """The chance of each pair if every entity has at most one counterpart."""
    weight = exp(np.minimum(odds, 60.0))
    rows = np.bincount(pairs.rows, weights=weight, minlength=size[0])
    columns = np.bincount(pairs.columns, weights=weight, minlength=size[1])
    found: Doubles = weight / (1 + rows[pairs.rows] + columns[pairs.columns] - weight)
    return found


HARD: frozenset[Kind] = frozenset({"phone", "mail", "url", "date", "code"})
"""Kinds whose values are nobody else's, or nearly so."""

LIKENESS = {
    "agrees": 0.21,
    "disagrees": 0.11,
    "spelt alike": 6.12,
    "identifiers equal": 0.3,
    "identifiers differ": -2.74,
    "texts equal": -0.2,
    "texts differ": -0.52,
    "words apart": -0.48,
    "figures apart": -1.1,
    "names apart": -0.89,
    "words alone": -0.9,
    "fields together": 0.53,
    "": -2.27,
}
"""Log-odds that two records are the same, whatever else they may be compared with: a logistic
regression over what their fields say and how alike all their values together are spelt."""
CALIBRATION = {
    "likeness": 0.42,
    "margin": 0.47,
    "spelt alike": 1.14,
    "identifiers equal": 1.11,
    "identifiers differ": -2.16,
    "texts equal": -0.11,
    "texts differ": -0.37,
    "words apart": -0.2,
    "figures apart": -0.88,
    "names apart": -1.04,
    "words alone": -1.22,
    "fields together": -0.02,
    "disagrees": 0.4,
    "below the usual": 1.82,
    "entities": 1.09,
    "share": 10.0,
    "": -12.62,
}
"""Log-odds of a match of two records that are each other's best."""
DUPLICATES = {
    "likeness": 0.59,
    "margin": 0.11,
    "spelt alike": 0.55,
    "identifiers equal": 0.11,
    "identifiers differ": -2.2,
    "texts equal": 0.37,
    "texts differ": -1.1,
    "words apart": 1.28,
    "figures apart": 1.84,
    "names apart": -4.32,
    "words alone": -1.59,
    "fields together": -0.06,
    "disagrees": 0.0,
    "below the usual": 0.0,
    "entities": 0.0,
    "share": -0.37,
    "": -1.69,
}
"""The same of two records of one table, whatever others they are like. All are fitted on tables with known
matches, each kind counting the same (``python -m benchmarks.tables``, docs/evaluation.md)."""


NAMED_APART = 0.3  # share of the words of two names that each lacks, in one table
IN_DOUBT = 0.45  # the most that is believed of pairs alike in one field only, or contradicted
DISTINCT = 4.0  # what a value says that hardly any other row has
CONTRADICTS = -1.5  # what a difference says where four of five matches agree
DIFFERS = -2.5  # and where hardly any match differs so


def traits(match: RecordMatch) -> Doubles:
    """What ``LIKENESS`` weighs, for every pair: (pairs, 12)."""
    hard = np.array([pair.kind in HARD for pair in match.fields])
    together = match.speaks.sum(axis=1, dtype=np.float64) - log(np.array([max(match.size)]))
    if not match.one_table:
        chance = one_each(match.pairs, together, match.size)
        together = log(chance + 1e-9) - log(1 - chance + 1e-9)
    level, soft = match.level[:, hard], match.level[:, ~hard]
    columns = [
        np.clip(np.clip(match.speaks, 0, None).sum(axis=1), 0, 15),
        np.clip(np.clip(match.speaks, None, 0).sum(axis=1), -10, 0),
        match.whole,
        (level >= 3).sum(axis=1),
        (level == 0).sum(axis=1),
        (soft >= 3).sum(axis=1),
        ((soft >= 0) & (soft <= 1)).sum(axis=1),
        *match.apart.T,
        # few fields together say no more than each by itself
        np.clip(together, -6, 6) * np.clip(((match.level >= 0).sum(axis=1) - 3) / 3, 0, 1),
    ]
    return np.column_stack(columns).astype(np.float64)


def features(
    match: RecordMatch, at: Longs, *, alone: bool = False, repeated: bool = False
) -> Doubles:
    """What the calibration reads of some of the pairs: (n, 14), in the order of ``CALIBRATION``.

    ``margin`` is over the next best pair of either entity; of the row's entity alone if columns may
    be used several times. Where anything may be ``repeated``, likely pairs do not compete. ``share``
    is how many of the smaller side are somebody's best as somebody is theirs: where the two share
    little, few are. How far a pair is ``below the usual``, the likelier half of those, says how to
    read its likeness: what is left over on both sides pairs up as well, and agrees in a town or a year.
    """
    score = match.odds
    rivals = np.where(score > 0, -np.inf, score) if repeated else score
    next_best = _second(match.pairs.rows, rivals, match.size[0])
    if not alone:
        next_best = np.maximum(next_best, _second(match.pairs.columns, rivals, match.size[1]))
    open_ = min((len(np.unique(ends)) for ends in match.pairs), default=1)
    best = mutual(match)
    usual = _usual(score[best])
    own = traits(match)[at]
    columns = [
        np.clip(score[at], -8, 12),
        np.clip((score - next_best)[at], 0, 12),
        own[:, 2:],
        np.zeros(len(at)) if repeated else own[:, 1],
        np.zeros(len(at)) if repeated else np.clip((usual - score[at]) / max(usual, 1.0), 0, 2),
        np.full(len(at), 0.0 if repeated else float(log(np.array([max(match.size)]))[0])),
        np.full(len(at), len(best) / max(open_, 1)),
    ]
    return np.column_stack(columns).astype(np.float64)


def _usual(odds: Doubles) -> float:
    """The median of the likelier half."""
    likelier = odds[odds >= np.median(odds)] if len(odds) else odds
    return float(np.median(likelier)) if len(likelier) else 0.0


def _second(ends: Longs, scores: Doubles, size: int) -> Doubles:
    """For each pair the best score among the other pairs of its end; -inf if there is none."""
    order = np.lexsort((-scores, ends))
    first = np.searchsorted(ends[order], np.arange(size))
    often = np.bincount(ends, minlength=size)
    best, second = np.full(size, -np.inf), np.full(size, -np.inf)
    best[often > 0] = scores[order][first[often > 0]]
    second[often > 1] = scores[order][first[often > 1] + 1]
    found: Doubles = np.where(scores >= best[ends], second[ends], best[ends])
    return found


def mutual(match: RecordMatch, *, alone: bool = False) -> Longs:
    """The positions of the pairs that are each other's best (``alone``: the row's best) and not out
    of the question.
    """
    score = match.odds
    best = score >= _second(match.pairs.rows, score, match.size[0])
    if not alone:
        best &= score >= _second(match.pairs.columns, score, match.size[1])
    found: Longs = np.flatnonzero(best & (score > _OUT))
    return found


def calibrated(
    match: RecordMatch, at: Longs, *, alone: bool = False, repeated: bool = False
) -> Doubles:
    """The chance that each of these pairs is a match, if each other's best."""
    *weights, free = (DUPLICATES if repeated else CALIBRATION).values()
    odds = features(match, at, alone=alone, repeated=repeated) @ np.array(weights) + free
    found: Doubles = 1 / (1 + exp(-odds))
    return np.where(in_doubt(match, at, repeated=repeated), np.minimum(found, IN_DOUBT), found)


def in_doubt(match: RecordMatch, at: Longs, *, repeated: bool = False) -> NDArray[np.bool_]:
    """Which of these pairs stay in doubt, however alike they are.

    One value that agrees (a street, a city) does not tell which thing is meant where the tables have
    more, unless hardly any other row has it and one of the two rows says more. Two with different
    birth dates are hardly one where dates usually agree; and in one table, where duplicates are few,
    firms of one family share an address, but not their trade: of their names each has a word that the
    other lacks.
    """
    thin = (match.level[at] >= 0).sum(axis=1) < min(len(match.fields), 2)
    if repeated:
        thin |= match.apart[at, 2] >= NAMED_APART
    else:
        rare = match.speaks[at].max(axis=1) >= DISTINCT
        thin &= ~(rare & (_said(match, at) >= 2))
    found: NDArray[np.bool_] = thin | _contradicted(match, at)
    return found


def _said(match: RecordMatch, at: Longs) -> Longs:
    """How many of the compared fields have a value, in the row of each pair that has more."""
    found = np.zeros((2, len(at)), dtype=np.int64)
    sides = ([pair.left for pair in match.fields], [pair.right for pair in match.fields])
    for count, ends, fields in zip(found, match.pairs, sides, strict=True):
        for field in dict.fromkeys(fields):
            count += field.held[ends[at], 0] >= 0
    most: Longs = found.max(axis=0)
    return most


def _contradicted(match: RecordMatch, at: Longs) -> NDArray[np.bool_]:
    """Which of these pairs differ in an identifier that matches usually agree in, and agree in none; or
    differ in several fields that matches agree in, and in more than they agree in: a remake has the
    title of a film, another year and another director.
    """
    hard = np.array([pair.kind in HARD for pair in match.fields])
    level, speaks = match.level[at][:, hard], match.speaks[at][:, hard]
    against = ((level == 0) & (speaks <= CONTRADICTS)).any(axis=1)
    differ = (match.speaks[at] <= DIFFERS).sum(axis=1)
    many = (differ >= 2) & (differ > (match.level[at] >= 2).sum(axis=1))
    found: NDArray[np.bool_] = (against & ~(level >= 3).any(axis=1)) | (
        many & (not match.one_table)
    )
    return found

"""The proposal for two tables: candidates by what their fields say, each pair with a calibrated
chance.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kgnb.agents.entity_alignment.candidates import (
    CandidatePairs,
    Longs,
    Singles,
    places,
    precise,
    stable,
)
from kgnb.agents.entity_alignment.comparison import AskedEntities, across
from kgnb.agents.entity_alignment.fields import said_of_long_values
from kgnb.agents.entity_alignment.graphs import EntityGraph, Integers
from kgnb.agents.entity_alignment.records import (
    RecordMatch,
    calibrated,
    compare_records,
    mutual,
    one_each,
)
from kgnb.agents.entity_alignment.values import REASONS, Options, Proposal
from kgnb.results.bundle import count
from kgnb.vectors.reproducible import exp

WORTH_A_LOOK = 0.1
"""The chance of a match below which an entity is taken to have no counterpart."""
LIKELY = 0.5
"""A match that is more likely wrong than right is written only where no precision is asked for."""
REPEATED = 0.8
"""The chance from which an entity is said to be a duplicate, and to fit a counterpart that another one has."""


def of_records(
    left: EntityGraph,
    right: EntityGraph,
    asked: AskedEntities,
    match: RecordMatch,
    options: Options,
) -> Proposal:
    """The proposal over all sources: seeds keep their counterpart, the others get the one found."""
    match = match.kept(_asked_about(left, right, asked, match))
    several = options.cardinality == "n:1" or options.assignment == "argmax"
    pairs, odds, size = match.pairs, match.odds.astype(np.float32), match.size
    chances = _chances(match, alone=several)
    given = _best(pairs, odds, size[0]) if several else stable(pairs, odds, *size)
    mine = given[pairs.rows] == pairs.columns
    confidence = np.zeros(size[0], dtype=np.float32)
    confidence[pairs.rows[mine]] = chances[mine]

    rows = asked.sources
    shared = one_each(pairs, match.odds, size).astype(np.float32)
    # the chance as calibrated where the pair is each other's best, so that scores and confidence agree
    listed = ranked(match, rows, np.where(mine, chances, shared), mine, options.k)
    candidates, similarities, scores, evidence = listed
    matched, no_candidate, taken, doubtful, *_, unlikely = range(len(REASONS))
    first = np.where(given[rows] >= 0, given[rows], -1).astype(np.int32)
    sure = confidence[rows]
    low = sure < bar_of(sure[first >= 0], options)
    hopeless = np.maximum(sure, scores[:, 0]) < WORTH_A_LOOK
    reasons = np.select(
        [candidates[:, 0] < 0, (first < 0) | low],
        [no_candidate, np.where(hopeless, unlikely, np.where(first < 0, taken, doubtful))],
        matched,
    ).astype(np.int8)
    first[reasons != matched] = -1
    best, second = (
        np.where(np.isfinite(similarities[:, j]), similarities[:, j], 0.0)
        if options.k > j
        else np.zeros(len(rows))
        for j in (0, 1)
    )
    margin = np.clip(best - second, 0.0, 1.0).astype(np.float32)
    settled = np.full(size[0], -1, dtype=np.int32)
    settled[rows] = first
    proposed = "" if several else _repeated(left, right, match, settled)
    _seeded(left, asked, candidates, similarities, scores, first, reasons, margin, sure)
    return Proposal(
        left,
        right,
        asked.sources,
        asked.targets,
        asked.seeds,
        candidates,
        similarities,
        scores,
        tuple(pair.name for pair in match.fields),
        evidence,
        first,
        reasons,
        margin,
        sure,
        options,
        tuple(_notes(left, right, asked, match)),
        records=True,
        proposed=proposed,
    )


def ranked(
    match: RecordMatch, rows: Integers | Longs, chances: Singles, chosen: NDArray[np.bool_], k: int
) -> tuple[Integers, Singles, Singles, Singles]:
    """The ``k`` candidates of each of these rows, the chosen one first: their columns, similarities,
    chances and what their fields say.
    """
    pairs, odds, shape = match.pairs, match.odds.astype(np.float32), (len(rows), k)
    row = np.full(match.size[0], -1, dtype=np.int64)
    row[rows] = np.arange(len(rows))
    place = places(pairs.rows, pairs.columns, odds + 100 * chosen.astype(np.float32))
    top = place < k
    at = (row[pairs.rows[top]], place[top])
    candidates = np.full(shape, -1, dtype=np.int32)
    similarities = np.full(shape, -np.inf, dtype=np.float32)
    scores = np.zeros(shape, dtype=np.float32)
    evidence = np.full((*shape, len(match.fields)), np.nan, dtype=np.float32)
    candidates[at] = pairs.columns[top]
    similarities[at] = (1 / (1 + exp(-odds[top]))).astype(np.float32)
    scores[at] = chances[top]
    evidence[at] = match.alike[top]
    return candidates, similarities, scores, evidence


_EVEN = 0.35  # among candidates that are all alike the best one means nothing


def bar_of(chances: Singles, options: Options, *, least: float = LIKELY) -> float:
    """The ``least`` chance of a match that is written, or more: of all of them the wanted share is
    expected to be right.
    """
    if options.confidence is not None:
        return options.confidence
    if options.precision == 0:
        return _EVEN
    return max(precise(chances, options.precision), least)


def _asked_about(
    left: EntityGraph, right: EntityGraph, asked: AskedEntities, match: RecordMatch
) -> NDArray[np.bool_]:
    """Which pairs are of open rows and columns, and not stated to be different."""
    rows, columns = np.zeros(len(left), dtype=bool), np.zeros(len(right), dtype=bool)
    rows[asked.rows[: asked.open_rows]] = True
    columns[asked.columns[: asked.open_columns]] = True
    apart = across(left, right, (*left.different, *right.different)).astype(np.int64)
    keys = match.pairs.rows * len(right) + match.pairs.columns
    found: NDArray[np.bool_] = rows[match.pairs.rows] & columns[match.pairs.columns]
    return found & ~np.isin(keys, apart[:, 0] * len(right) + apart[:, 1])


def _chances(match: RecordMatch, *, alone: bool) -> Singles:
    """The calibrated chance of the pairs that are each other's best (or the best of their row), else
    0.
    """
    at = mutual(match, alone=alone)
    found = np.zeros(len(match.pairs.rows), dtype=np.float32)
    found[at] = calibrated(match, at, alone=alone)
    return found


def _best(pairs: CandidatePairs, odds: Singles, height: int) -> Longs:
    given = np.full(height, -1, dtype=np.int64)
    best = places(pairs.rows, pairs.columns, odds) == 0
    given[pairs.rows[best]] = pairs.columns[best]
    return given


def _repeated(left: EntityGraph, right: EntityGraph, match: RecordMatch, first: Integers) -> str:
    """What is proposed where duplicates of one side fit one entity of the other; "" for nothing."""
    turned = match.turned()
    back = np.full(match.size[1], -1, dtype=np.int64)
    back[first[first >= 0]] = np.flatnonzero(first >= 0)
    found = [
        _duplicates(left, match, first.astype(np.int64)),
        _duplicates(right, turned, back),
    ]
    if not any(found):
        return ""
    said = [
        f"{count(len(some), 'duplicate')} in {side.name} of one that is matched "
        f"({side.called(some[0][0])} and {side.called(some[0][1])})"
        for side, some in zip((left, right), found, strict=True)
        if some
    ]
    mend = "--merged FILE.csv for one table alone merges its duplicates first"
    if found[0]:
        mend = f"--cardinality n:1 matches those of {left.name} too; {mend}"
    else:
        mend = (
            f"--cardinality n:1, with the two named the other way round, matches them too; {mend}"
        )
    shape = "n:m" if all(found) else "n:1" if found[0] else "1:n"
    return f"{shape} proposed: {' and '.join(said)}; {mend}"


def _duplicates(side: EntityGraph, match: RecordMatch, given: Longs) -> list[tuple[int, int]]:
    """The entities of a side that have no counterpart, and fit that of a duplicate of theirs; each
    with that duplicate.
    """
    chances = _chances(match, alone=True)
    best = _best(match.pairs, match.odds.astype(np.float32), match.size[0])
    holder = np.full(match.size[1], -1, dtype=np.int64)
    holder[given[given >= 0]] = np.flatnonzero(given >= 0)
    fits = best[match.pairs.rows] == match.pairs.columns
    fits &= (chances >= REPEATED) & (given[match.pairs.rows] < 0)
    fits &= holder[match.pairs.columns] >= 0
    rows, holders = match.pairs.rows[fits], holder[match.pairs.columns[fits]]
    own = compare_records(side, side) if len(rows) else None
    if own is None:
        return []
    wanted = np.isin(own.pairs.rows * len(side) + own.pairs.columns, rows * len(side) + holders)
    at = np.flatnonzero(wanted)
    same = at[calibrated(own, at, repeated=True) >= REPEATED]
    return list(zip(own.pairs.rows[same].tolist(), own.pairs.columns[same].tolist(), strict=True))


def _notes(
    left: EntityGraph, right: EntityGraph, asked: AskedEntities, match: RecordMatch
) -> list[str]:
    names = ", ".join(pair.name for pair in match.fields)
    return [
        f"candidates among {count(asked.open_columns, 'target')}; {count(len(asked.seeds), 'seed')}",
        f"compared as records, field by field: {names}",
        *said_of_links(left, right, asked.seeds),
        *said_of_long_values(left, right),
    ]


def said_of_links(left: EntityGraph, right: EntityGraph, seeds: Integers) -> list[str]:
    """What became of the pairs that the graphs state to be the same or different."""
    known = set(map(tuple, seeds.tolist()))
    unused = [
        pair
        for pair in across(left, right, (*left.same, *right.same)).tolist()
        if tuple(pair) not in known
    ]
    apart = across(left, right, (*left.different, *right.different))
    notes = []
    if unused:
        notes.append(
            f"{len(unused)} stated to be the same (owl:sameAs, exactMatch) were not used: "
            "--seeds stated takes them as known"
        )
    if len(apart):
        notes.append(f"{len(apart)} stated to be different (owl:differentFrom) were left out")
    return notes


def _seeded(
    left: EntityGraph,
    asked: AskedEntities,
    candidates: Integers,
    similarities: Singles,
    scores: Singles,
    first: Integers,
    reasons: NDArray[np.int8],
    margin: Singles,
    confidence: Singles,
) -> None:
    """Seeds keep their counterpart."""
    seeded = np.isin(asked.sources, asked.seeds[:, 0])
    if not seeded.any():
        return
    partner = np.full(len(left), -1, dtype=np.int32)
    partner[asked.seeds[::-1, 0]] = asked.seeds[::-1, 1]
    first[seeded] = candidates[seeded, 0] = partner[asked.sources[seeded]]
    similarities[seeded, 0] = scores[seeded, 0] = confidence[seeded] = margin[seeded] = 1.0
    reasons[seeded] = 0

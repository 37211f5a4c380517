"""From weighed pairs to the proposal: assigned, ranked, and told how sure it is."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kgnb.agents.entity_alignment.assignment import hungarian, row_best, sinkhorn, softmax, stable
from kgnb.agents.entity_alignment.calibration import chance_of_a_counterpart, corrected, expected_best, precise
from kgnb.agents.entity_alignment.candidates import Longs, Pairs, Singles, places
from kgnb.agents.entity_alignment.comparison import Comparison, Found
from kgnb.agents.entity_alignment.graphs import EntityGraph
from kgnb.agents.entity_alignment.values import DOUBTFUL, MATCHED, NO_CANDIDATE, REASONS, TAKEN, WEIGHTS, Proposal

Flags = NDArray[np.bool_]

_LEAST = 0.2  # confidence without which nothing is matched: where all are alike, the best of them tells nothing
_LIKELY = 0.5  # the same where precision decides: sure ones do not make up for what is likelier wrong than right
_EVEN = 0.01  # sides that differ by less are taken to have one counterpart for everyone


def shared(comparison: Comparison, pairs: Pairs, logits: Singles) -> Singles:
    """Chances of pairs (open rows and columns only) under the assignment that was asked for."""
    asked, options = comparison.asked, comparison.options
    height, width = asked.open_rows, asked.open_columns
    if options.assignment == "argmax" or options.cardinality == "n:1":
        halved = (corrected(pairs, logits, height, width) / 2).astype(np.float32)  # of the logits' own scale
        return softmax(pairs, halved, height)
    even = abs(height - width) <= _EVEN * max(height, width)
    warm = (logits / (50 * options.temperature)).astype(np.float32)
    return sinkhorn(pairs, warm, height, width, rounds=options.sinkhorn_rounds, even=even)


def proposal(left: EntityGraph, right: EntityGraph, comparison: Comparison, found: Found | None) -> Proposal:
    """The proposal over all sources: those with a seed have their answer, the others what was found."""
    asked, options = comparison.asked, comparison.options
    views = tuple(found.evidence.prior) if found else ()
    size, k = len(asked.sources), options.k
    candidates = np.full((size, k), -1, dtype=np.int32)
    similarities = np.full((size, k), -np.inf, dtype=np.float32)
    scores = np.zeros((size, k), dtype=np.float32)
    evidence = np.zeros((size, k, len(views)), dtype=np.float32)
    first = np.full(size, -1, dtype=np.int32)
    reasons = np.full(size, REASONS.index(NO_CANDIDATE), dtype=np.int8)
    margin, confidence = np.zeros(size, dtype=np.float32), np.zeros(size, dtype=np.float32)

    seeded = np.isin(asked.sources, asked.seeds[:, 0])
    where = np.flatnonzero(~seeded)  # the row in the proposal of each open row
    if found is not None:
        part = found.pairs.rows < asked.open_rows
        pairs = Pairs(found.pairs.rows[part], found.pairs.columns[part])
        logits = found.logits[part]
        given, chances = _assigned(comparison, pairs, logits)
        mine = given[pairs.rows] == pairs.columns
        place = places(pairs.rows, pairs.columns, chances + mine * _bonus(options.assignment))
        top = place < k
        at = (where[pairs.rows[top]], place[top])
        similar = (logits / max(float(found.weights.sum()), 1e-9)).astype(np.float32)
        candidates[at] = asked.columns[pairs.columns[top]]
        similarities[at] = similar[top]
        scores[at] = chances[top]
        evidence[at] = found.evidence.values[np.flatnonzero(part)[top]]
        first[where] = np.where(given >= 0, asked.columns[given], -1)
        best, second = _two_best(pairs, similar, asked.open_rows)
        seen = np.isfinite(best)
        margin[where] = np.where(seen, best - np.where(np.isfinite(second), second, 0.0), 0.0)
        sure = confidences(comparison, pairs, logits, chances, mine)
        confidence[where] = sure
        best_f1 = expected_best(sure[given >= 0], min(asked.open_rows, asked.open_columns))
        wanted = precise(sure[given >= 0], options.precision)
        bar = max(_LEAST, best_f1, max(wanted, _LIKELY) if wanted > best_f1 else 0.0)
        doubtful = sure < (bar if options.confidence is None else options.confidence)
        reasons[where] = np.select(
            [~seen, given < 0, doubtful],
            [REASONS.index(NO_CANDIDATE), REASONS.index(TAKEN), REASONS.index(DOUBTFUL)],
            REASONS.index(MATCHED),
        )
        first[where[(reasons[where] != REASONS.index(MATCHED))]] = -1
    if seeded.any():
        partner = np.full(len(left), -1, dtype=np.int32)
        partner[asked.seeds[::-1, 0]] = asked.seeds[::-1, 1]
        first[seeded] = candidates[seeded, 0] = partner[asked.sources[seeded]]
        similarities[seeded, 0] = scores[seeded, 0] = confidence[seeded] = margin[seeded] = 1.0
        reasons[seeded] = REASONS.index(MATCHED)
    return Proposal(
        left, right, asked.sources, asked.targets, asked.seeds, candidates, similarities, scores, views, evidence,
        first, reasons, margin, confidence, options, _notes(comparison, found),
    )  # fmt: skip


def confidences(comparison: Comparison, pairs: Pairs, logits: Singles, chances: Singles, mine: Flags) -> Singles:
    """For each open row the chance that what it was given (``mine``) is right: nobody else meant, and someone meant."""
    height, width = comparison.asked.open_rows, comparison.asked.open_columns
    alone = corrected(pairs, logits, height, width)
    given, chance = np.full(height, -np.inf, dtype=np.float32), np.zeros(height, dtype=np.float32)
    given[pairs.rows[mine]] = alone[mine]
    chance[pairs.rows[mine]] = chances[mine]
    # How the best of everyone would look if nobody had a counterpart: scaled without any of the pairs that were given.
    others = Pairs(pairs.rows[~mine], pairs.columns[~mine])
    other = row_best(others, corrected(others, logits[~mine], height, width), height)
    return chance * chance_of_a_counterpart(given, other)


def _bonus(assignment: str) -> float:
    """Whether who was given comes before who scores higher."""
    return 1.0 if assignment in ("hungarian", "stable") else 0.0


def _assigned(comparison: Comparison, pairs: Pairs, logits: Singles) -> tuple[Longs, Singles]:
    """The column of each open row (-1 for none) and every pair's chance."""
    asked, options = comparison.asked, comparison.options
    height, width = asked.open_rows, asked.open_columns
    chances = shared(comparison, pairs, logits)
    if options.assignment == "argmax" or options.cardinality == "n:1":
        return _best_columns(pairs, chances, height), chances
    if options.assignment == "hungarian":
        return hungarian(pairs, logits, height, width), chances
    if options.assignment == "stable":
        return stable(pairs, corrected(pairs, logits, height, width), height, width), chances
    return stable(pairs, chances, height, width), chances


def _best_columns(pairs: Pairs, scores: Singles, height: int) -> Longs:
    given = np.full(height, -1, dtype=np.int64)
    best = places(pairs.rows, pairs.columns, scores) == 0
    given[pairs.rows[best]] = pairs.columns[best]
    return given


def _two_best(pairs: Pairs, logits: Singles, height: int) -> tuple[Singles, Singles]:
    """The best and the second best logit of each row, -inf where there is none."""
    place = places(pairs.rows, pairs.columns, logits)
    found = []
    for wanted in (0, 1):
        values = np.full(height, -np.inf, dtype=np.float32)
        values[pairs.rows[place == wanted]] = logits[place == wanted]
        found.append(values)
    return found[0], found[1]


def _notes(comparison: Comparison, found: Found | None) -> tuple[str, ...]:
    asked = comparison.asked
    notes = [f"candidates among {asked.open_columns:,} targets; {len(asked.seeds):,} seeds"]
    if not comparison.names:
        notes.append(
            "names hidden" if comparison.options.names == "hidden" else "no names to compare on one side at least"
        )
    if found is not None:
        said = ", ".join(
            f"{view} {weight:.1f}" for view, weight in zip(found.evidence.prior, found.weights.tolist(), strict=True)
        )
        notes.append(f"{WEIGHTS}: {said}")
    return tuple(notes)

"""Propose: candidates and a first alignment for every entity from names, values and structure,
without a model.

All work is done over candidate pairs, never over all pairs. A round propagates anchors over
relations, searches candidates, weighs the views (learnt from seeds, else from what the views agree
on) and assigns; sure pairs then anchor the next round (iterated self-training, as in Sun et al.,
IJCAI 2018).

Confidence is estimated without a reference. Two things can be wrong. Another candidate may be
meant: the assignment shows what is left to the others. Or the entity has no counterpart, and still
a best candidate. How such candidates score is estimated from everyone's *second* best, which are
all wrong where each has at most one counterpart (target-decoy estimation: Elias and Gygi, Nature
Methods 4, 2007).
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from kgnb.agents.entity_alignment.candidates import (
    CandidatePairs,
    Doubles,
    Longs,
    Singles,
    best_pairs,
    corrected,
    fitted,
    hungarian,
    nearest_pairs,
    places,
    precise,
    row_best,
    sinkhorn,
    stable,
    united,
)
from kgnb.agents.entity_alignment.comparison import (
    BESIDE,
    EVERYONE,
    NEAREST,
    AskedEntities,
    Entities,
    GraphComparison,
    Links,
    PairViews,
    RoundResult,
    asked,
    compare,
    own_value,
)
from kgnb.agents.entity_alignment.duplicates import of_one_table
from kgnb.agents.entity_alignment.graphs import EntityGraph
from kgnb.agents.entity_alignment.record_proposal import of_records, said_of_links
from kgnb.agents.entity_alignment.records import are_records, compare_records
from kgnb.agents.entity_alignment.relations import Matrix
from kgnb.agents.entity_alignment.values import (
    MATCHED,
    REASONS,
    UNLISTED,
    WEIGHTS,
    Options,
    Proposal,
)
from kgnb.results.bundle import count
from kgnb.run.dask import blocks_on
from kgnb.vectors.close_pairs import alone
from kgnb.vectors.embedder import Embedder, Vectors
from kgnb.vectors.reproducible import exp

_LESSONS_ENOUGH = 500  # seeds from which on the weights are learnt from seeds alone
_PASSES = 2  # of learning weights from the pairs found, and finding pairs again
_STRENGTH = 20.0  # how many rows the prior weights are worth
_BLOCK = 1 << 18  # pairs weighed at a time, of more than eight times as many: 27 MB
_CHANCE = 0.1  # below this, a pair anchors nothing
_EXACT_HOPS = 3  # unit vectors side by side whose products stay exact (kgnb.vectors.reproducible)

Labels = tuple[list[Vectors], list[Vectors]]


def propose(
    left: EntityGraph,
    right: EntityGraph,
    embedder: Embedder,
    options: Options = Options(),
    seeds: Links = (),
    sources: Entities | None = None,
    targets: Entities | None = None,
    candidates: Links | None = None,
) -> Proposal:
    """The best candidates of every source, and the first alignment. Deterministic.

    ``seeds`` are known pairs, ``sources`` the entities to align (None: all of the left) and
    ``targets`` those that may be matched (None: all of the right), each by index or IRI. Where
    ``candidates`` are given, pairs as well, no other pair is considered. With
    ``options.scheduler`` the workers of that cluster search for candidates, with the same result.

    Raises:
        ValueError: a seed, source or target is not in its graph.
    """
    task = asked(left, right, seeds, sources, targets, options, candidates)
    found = _proposed(left, right, embedder, options, task)
    if task.listed is None:
        return found
    listed = np.isin(found.sources, task.listed if left is right else task.listed[:, 0])
    unlisted = ~listed & (found.reasons != REASONS.index(MATCHED))
    reasons = np.where(unlisted, REASONS.index(UNLISTED), found.reasons).astype(np.int8)
    return replace(found, reasons=reasons)


def _proposed(
    left: EntityGraph, right: EntityGraph, embedder: Embedder, options: Options, task: AskedEntities
) -> Proposal:
    """The proposal, by records or by all views."""
    if left is right and len(left):  # one table, searched for duplicates
        records = compare_records(left, right, listed=task.listed, seed=options.seed)
        return of_one_table(left, task, records, options)
    if options.names == "native" and are_records(left, right):
        records = compare_records(
            left, right, known=task.seeds, listed=task.listed, seed=options.seed
        )
        if records is not None:
            return of_records(left, right, task, records, options)
    with blocks_on(options.scheduler) if options.scheduler else nullcontext(alone) as each:
        comparison = compare(left, right, embedder, task, options, each)
        found = _found(comparison, options)
    return proposal(left, right, comparison, found)


def _found(comparison: GraphComparison, options: Options) -> RoundResult | None:
    """The pairs of the last round; None if there is nothing to compare."""
    anchors = comparison.given()
    pairs, found, before = comparison.first_pairs(), None, None
    for turn in range(options.rounds + 1):
        labelled = comparison.labelled(anchors)
        pairs = _searched(comparison, pairs, labelled, found)
        if not len(pairs.rows):
            break
        found = _weighed(comparison, pairs, comparison.views(pairs, anchors, labelled, before))
        anchors = _anchored(comparison, found)
        del labelled  # large
        if turn < options.rounds:
            kept = best_pairs(pairs, found.logits, NEAREST, BESIDE) | (found.chances > _CHANCE)
            pairs = CandidatePairs(pairs.rows[kept], pairs.columns[kept])
            before = pairs, found.evidence.values[kept]
            found = found._replace(
                evidence=found.evidence._replace(values=found.evidence.values[:0].copy())
            )
    return found


def _searched(
    comparison: GraphComparison,
    pairs: CandidatePairs,
    labelled: Labels | None,
    found: RoundResult | None,
) -> CandidatePairs:
    """The pairs so far, those near by their anchors, and those among the unmatched of both sides."""
    more = [pairs]
    if labelled is not None:
        near = [np.hstack(side[:_EXACT_HOPS]) for side in labelled]
        more.append(comparison.near(near, BESIDE if comparison.names else NEAREST))
        if found is not None:
            more.append(_leftovers(comparison, found, lambda at, ends: near[at][ends]))
    if found is not None and comparison.names:
        more.append(_leftovers(comparison, found, comparison.named_surroundings))
    return comparison.allowed(united(*more, width=comparison.width))


def _leftovers(
    comparison: GraphComparison, found: RoundResult, vectors: Callable[[int, Longs], Vectors]
) -> CandidatePairs:
    """Pairs of unmatched rows and columns, which better pairs may have kept out of the candidates
    so far. ``vectors`` are those of some entities of a side.
    """
    asked = comparison.asked
    best = row_best(found.pairs, found.chances, comparison.height)[: asked.open_rows]
    mass = np.bincount(found.pairs.columns, weights=found.chances, minlength=comparison.width)[
        : asked.open_columns
    ]
    rows, columns = np.flatnonzero(best < 0.5), np.flatnonzero(mass < 0.5)
    if len(rows) * len(columns) <= EVERYONE:
        return CandidatePairs(np.repeat(rows, len(columns)), np.tile(columns, len(rows)))
    left, right = vectors(0, asked.rows[rows]), vectors(1, asked.columns[columns])
    near = nearest_pairs(left, right, NEAREST, comparison.each)
    return CandidatePairs(rows[near.rows], columns[near.columns])


def _weighed(
    comparison: GraphComparison, pairs: CandidatePairs, evidence: PairViews
) -> RoundResult:
    """The weights of the views and the pairs' chances; learnt from seeds and, if these are few, the
    chances as well.
    """
    asked, height = comparison.asked, comparison.height
    prior = np.array(list(evidence.prior.values()))
    lesson = pairs.rows >= asked.open_rows
    right = np.zeros(len(pairs.rows), dtype=np.float32)
    right[lesson] = pairs.columns[lesson] == asked.answers[pairs.rows[lesson] - asked.open_rows]
    few = len(asked.answers) < _LESSONS_ENOUGH
    weights, truth = prior, right
    for _ in range(_PASSES if few else 1):
        if few:
            guessed = _chances(comparison, pairs, _product(evidence.values, weights))
            truth = np.where(lesson, right, guessed)
        weights = fitted(pairs, evidence.values, truth, prior, height=height, strength=_STRENGTH)
    logits = _product(evidence.values, weights)
    chances = _chances(comparison, pairs, logits)
    return RoundResult(pairs, evidence, weights.astype(np.float32), logits, chances)


def _product(values: Singles, weights: Doubles) -> Singles:
    """``values @ weights``, in blocks if there are many, as the intermediate doubles are large."""
    step = _BLOCK if len(values) > 8 * _BLOCK else len(values)
    return np.concatenate(
        [
            (values[at : at + step] @ weights).astype(np.float32)
            for at in range(0, len(values), step)
        ]
    )


def _chances(comparison: GraphComparison, pairs: CandidatePairs, logits: Singles) -> Singles:
    """Chances under assignment of the open rows; 0 for the rows of seeds."""
    open_ = pairs.rows < comparison.asked.open_rows
    chances = np.zeros(len(logits), dtype=np.float32)
    part = CandidatePairs(pairs.rows[open_], pairs.columns[open_])
    chances[open_] = shared(comparison, part, logits[open_])
    return chances


def _anchored(comparison: GraphComparison, found: RoundResult) -> Matrix:
    """The given anchors, and the pairs found so far with their chances."""
    given = comparison.given().tocoo()
    kept = found.chances > _CHANCE
    entities = comparison.entities(
        CandidatePairs(found.pairs.rows[kept], found.pairs.columns[kept])
    )
    return comparison.anchors(
        np.concatenate([given.row, entities.rows]),
        np.concatenate([given.col, entities.columns]),
        np.concatenate([given.data, found.chances[kept]]),
    )


Flags = NDArray[np.bool_]

# least confidence of a match: among candidates that are all alike the best one means nothing
_LEAST = 0.2
_LIKELY = (
    0.5  # the same where precision decides: sure matches must not make up for likely wrong ones
)
_BINS = 40  # of the scores of best candidates
FEW = 100  # sources up to which the names of a pair tell more than decoys do
_SINKHORN_ROUNDS = 10  # of normalising rows and columns
_EVEN = 0.01  # sides that differ by less are assumed to have a counterpart for every entity


def shared(comparison: GraphComparison, pairs: CandidatePairs, logits: Singles) -> Singles:
    """Chances of pairs (open rows and columns only) under the chosen assignment."""
    asked, options = comparison.asked, comparison.options
    height, width = asked.open_rows, asked.open_columns
    if options.assignment == "argmax" or options.cardinality == "n:1":
        halved = (corrected(pairs, logits, height, width) / 2).astype(
            np.float32
        )  # of the logits' own scale
        return sinkhorn(pairs, halved, height, 0, rounds=0)  # a softmax of each row
    even = abs(height - width) <= _EVEN * max(height, width)
    warm = (logits / (50 * options.temperature)).astype(np.float32)
    return sinkhorn(pairs, warm, height, width, rounds=_SINKHORN_ROUNDS, even=even)


def proposal(
    left: EntityGraph, right: EntityGraph, comparison: GraphComparison, found: RoundResult | None
) -> Proposal:
    """The proposal over all sources: seeds keep their counterpart, the others get the one found."""
    asked, options = comparison.asked, comparison.options
    views = tuple(found.evidence.prior) if found else ()
    size, k = len(asked.sources), options.k
    matched, no_candidate, taken, doubtful, *_ = range(len(REASONS))
    candidates = np.full((size, k), -1, dtype=np.int32)
    similarities = np.full((size, k), -np.inf, dtype=np.float32)
    scores = np.zeros((size, k), dtype=np.float32)
    evidence = np.zeros((size, k, len(views)), dtype=np.float32)
    first = np.full(size, -1, dtype=np.int32)
    reasons = np.full(size, no_candidate, dtype=np.int8)
    margin, confidence = np.zeros(size, dtype=np.float32), np.zeros(size, dtype=np.float32)

    seeded = np.isin(asked.sources, asked.seeds[:, 0])
    where = np.flatnonzero(~seeded)  # the row in the proposal of each open row
    if found is not None:
        part = found.pairs.rows < asked.open_rows
        pairs = CandidatePairs(found.pairs.rows[part], found.pairs.columns[part])
        logits = found.logits[part]
        given, chances = _assigned(comparison, pairs, logits)
        mine = given[pairs.rows] == pairs.columns
        first_given = (
            1.0 if options.assignment in ("hungarian", "stable") else 0.0
        )  # before who scores higher
        place = places(pairs.rows, pairs.columns, chances + mine * first_given)
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
        if asked.open_rows <= FEW and comparison.names:
            ends = comparison.entities(CandidatePairs(pairs.rows[mine], pairs.columns[mine]))
            own, at = own_value(left, right, ends), np.flatnonzero(part)[mine]
            sure = believed(found.evidence, at, pairs.rows[mine], chances[mine], margin[where], own)
        else:
            sure = confidences(comparison, pairs, logits, chances, mine)
        confidence[where] = sure
        most = min(asked.open_rows, asked.open_columns)
        bar = written_from(
            sure[given >= 0], most, options.precision, named=comparison.names is not None
        )
        low = sure < (bar if options.confidence is None else options.confidence)
        reasons[where] = np.select(
            [~seen, given < 0, low], [no_candidate, taken, doubtful], matched
        )
        first[where[reasons[where] != matched]] = -1
    if seeded.any():
        partner = np.full(len(left), -1, dtype=np.int32)
        partner[asked.seeds[::-1, 0]] = asked.seeds[::-1, 1]
        first[seeded] = candidates[seeded, 0] = partner[asked.sources[seeded]]
        similarities[seeded, 0] = scores[seeded, 0] = confidence[seeded] = margin[seeded] = 1.0
        reasons[seeded] = matched
    return Proposal(
        left,
        right,
        asked.sources,
        asked.targets,
        asked.seeds,
        candidates,
        similarities,
        scores,
        views,
        evidence,
        first,
        reasons,
        margin,
        confidence,
        options,
        (*_notes(comparison, found), *said_of_links(left, right, asked.seeds)),
    )


def confidences(
    comparison: GraphComparison,
    pairs: CandidatePairs,
    logits: Singles,
    chances: Singles,
    mine: Flags,
) -> Singles:
    """For each open row the chance that its match (``mine``) is right: the chance of it times that
    of any.
    """
    height, width = comparison.asked.open_rows, comparison.asked.open_columns
    alone = corrected(pairs, logits, height, width)
    given, chance = np.full(height, -np.inf, dtype=np.float32), np.zeros(height, dtype=np.float32)
    given[pairs.rows[mine]] = alone[mine]
    chance[pairs.rows[mine]] = chances[mine]
    # Everyone's best score if nobody had a counterpart: scaled without any of the matched pairs.
    others = CandidatePairs(pairs.rows[~mine], pairs.columns[~mine])
    other = row_best(others, corrected(others, logits[~mine], height, width), height)
    return chance * chance_of_a_counterpart(given, other)


BELIEF = {
    "chance": 3.4,
    "margin": 8.2,
    "same name": 0.6,
    "same bare name": 2.7,
    "own value": 3.3,
    "": -1.9,
}
"""Log-odds of a match among few entities, fitted on small samples of real pairs
(docs/evaluation.md).
"""


def believed(
    evidence: PairViews, given: Longs, rows: Longs, chances: Singles, margin: Singles, own: Singles
) -> Singles:
    """For each row the chance that its match is right, by logistic regression on how the names
    agree.

    It serves where there are too few decoys. ``given`` are the places of the matched pairs in the
    evidence, ``rows`` and ``chances`` theirs, ``own`` 1.0 for those with a value in common that no
    other entity has. Chance and margin count in proportion to how alike the two are spelt.
    """
    views = dict(zip(evidence.prior, evidence.values[given].T, strict=True))
    views |= {"": np.ones(len(rows)), "own value": own}
    views |= {"chance": chances * views["spelling"], "margin": margin[rows] * views["spelling"]}
    found = np.zeros(len(margin), dtype=np.float32)
    found[rows] = 1 / (1 + exp(-sum(weight * views[view] for view, weight in BELIEF.items())))
    return found


def _assigned(
    comparison: GraphComparison, pairs: CandidatePairs, logits: Singles
) -> tuple[Longs, Singles]:
    """The column of each open row (-1 for none) and every pair's chance."""
    asked, options = comparison.asked, comparison.options
    height, width = asked.open_rows, asked.open_columns
    chances = shared(comparison, pairs, logits)
    if options.assignment == "argmax" or options.cardinality == "n:1":
        given = np.full(height, -1, dtype=np.int64)
        best = places(pairs.rows, pairs.columns, chances) == 0
        given[pairs.rows[best]] = pairs.columns[best]
        return given, chances
    if options.assignment == "hungarian":
        return hungarian(pairs, logits, height, width), chances
    scores = corrected(pairs, logits, height, width) if options.assignment == "stable" else chances
    return stable(pairs, scores, height, width), chances


def _two_best(pairs: CandidatePairs, logits: Singles, height: int) -> tuple[Singles, Singles]:
    """The best and the second best logit of each row, -inf if there is none."""
    place = places(pairs.rows, pairs.columns, logits)
    found = np.full((2, height), -np.inf, dtype=np.float32)
    for wanted in (0, 1):
        found[wanted, pairs.rows[place == wanted]] = logits[place == wanted]
    return found[0], found[1]


def _notes(comparison: GraphComparison, found: RoundResult | None) -> tuple[str, ...]:
    asked = comparison.asked
    notes = [
        f"candidates among {count(asked.open_columns, 'target')}; {count(len(asked.seeds), 'seed')}"
    ]
    if not comparison.names:
        notes.append(
            "names hidden"
            if comparison.options.names == "hidden"
            else "no names to compare on one side at least"
        )
    if found is not None:
        weights = zip(found.evidence.prior, found.weights.tolist(), strict=True)
        notes.append(f"{WEIGHTS}: {', '.join(f'{view} {weight:.1f}' for view, weight in weights)}")
    return tuple(notes)


def chance_of_a_counterpart(best: Singles, second: Singles) -> Singles:
    """For each entity the chance that its best candidate is right, from the second best of all.

    ``second`` is -inf where there is none. It needs many entities.
    """
    decoys = second[
        np.isfinite(second) & (second < best)
    ]  # of two equally good ones neither is known to be wrong
    there = np.isfinite(best)
    chances = np.zeros(len(best), dtype=np.float32)
    if not there.any():
        return chances
    if not len(decoys):
        chances[there] = 0.5
        return chances
    share = min(
        1.0, 2 * float(np.mean(best[there] <= np.median(decoys)))
    )  # of entities without a counterpart
    edges = np.unique(
        np.quantile(np.concatenate([best[there], decoys]), np.linspace(0, 1, _BINS + 1))
    )
    place = np.clip(np.searchsorted(edges, best[there], side="right") - 1, 0, len(edges) - 1)
    found = np.bincount(place, minlength=len(edges)).astype(np.float64)
    among = np.clip(np.searchsorted(edges, decoys, side="right") - 1, 0, len(edges) - 1)
    wrong = np.bincount(among, minlength=len(edges))
    expected = share * wrong * (there.sum() / len(decoys))
    right = 1 - (expected + 0.5 * share) / (found + 0.5)
    chances[there] = rising(np.clip(right, 0.0, 1.0), found + 0.5)[place]
    return chances


def written_from(confidence: Singles, most: int, precision: float, *, named: bool = True) -> float:
    """The least confidence of a match that serves F1 and the wanted precision best.

    If nothing is ``named`` the estimate runs high; then no match is kept that is more likely wrong
    than right.

    >>> choices = np.array([0.99] * 40 + [0.4], dtype=np.float32)
    >>> [round(written_from(choices, 60, 0.95, named=named), 2) for named in (True, False)]
    [0.4, 0.5]
    """
    best_f1, wanted = expected_best(confidence, most), precise(confidence, precision)
    least = _LEAST if named else max(_LEAST, min(_LIKELY, precision))
    return max(least, best_f1, max(wanted, _LIKELY) if wanted > best_f1 else 0.0)


def expected_best(confidence: Singles, most: int) -> float:
    """The least confidence of a match with which the expected F1 is highest.

    ``most`` is the largest possible number of right pairs. The sum of the confidences kept is the
    expected number of hits; keeping a pair pays while its confidence is above half of the F1
    reached.

    >>> expected_best(np.array([0.9, 0.8, 0.1], dtype=np.float32), 2) > 0.1
    True
    """
    ranked = np.sort(confidence.astype(np.float64))[::-1]
    ranked = ranked[ranked > 0]
    if not len(ranked):
        return 0.0
    f1 = 2 * np.cumsum(ranked) / (np.arange(1, len(ranked) + 1) + max(most, 1))
    return float(np.float32(ranked[int(np.argmax(f1))]))


def rising(values: Doubles, weights: Doubles) -> Doubles:
    """The nearest non-decreasing values (pool adjacent violators)."""
    blocks: list[list[float]] = []  # value, weight, length
    for value, weight in zip(values.tolist(), weights.tolist(), strict=True):
        blocks.append([value, weight, 1])
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            last = blocks.pop()
            total = blocks[-1][1] + last[1]
            blocks[-1] = [
                (blocks[-1][0] * blocks[-1][1] + last[0] * last[1]) / total,
                total,
                blocks[-1][2] + last[2],
            ]
    return np.repeat([block[0] for block in blocks], [int(block[2]) for block in blocks])

"""Names, values and structure give every entity candidates and a first alignment; no model is asked.

Everything is done pair by pair over candidates, never over all pairs. A round spreads what is anchored over relations,
looks for candidates, weighs the views (learnt from seeds, else from what the views agree on) and assigns; what is sure
then anchors the next round (iterated self-training, as in Sun et al., IJCAI 2018).
"""

from __future__ import annotations

import numpy as np

from kgnb.agents.entity_alignment import assign_proposal
from kgnb.agents.entity_alignment.assignment import Doubles, fitted, row_best
from kgnb.agents.entity_alignment.candidates import Pairs, Singles, best_pairs, nearest_pairs, united
from kgnb.agents.entity_alignment.comparison import (
    BESIDE,
    EVERYONE,
    NEAREST,
    Comparison,
    Entities,
    Found,
    Links,
    Sides,
    asked,
    compare,
)
from kgnb.agents.entity_alignment.evidence import Evidence
from kgnb.agents.entity_alignment.graphs import EntityGraph
from kgnb.agents.entity_alignment.relations import Matrix
from kgnb.agents.entity_alignment.values import Options, Proposal
from kgnb.vectors.embedder import Embedder, Vectors

_LESSONS_ENOUGH = 500  # seeds from which on the views are weighed by seeds alone
_PASSES = 2  # of weighing by what was found, and finding again
_STRENGTH = 20.0  # rows that the weights before learning are worth
_BLOCK = 1 << 18  # pairs weighed at a time, of more than eight times as many: 27 MB
_CHANCE = 0.1  # below this, a pair anchors nothing

Labels = tuple[list[Vectors], list[Vectors]]


def propose(
    left: EntityGraph,
    right: EntityGraph,
    embedder: Embedder,
    options: Options = Options(),
    seeds: Links = (),
    sources: Entities | None = None,
    targets: Entities | None = None,
) -> Proposal:
    """The best candidates of every source, and the first alignment.

    ``seeds`` are pairs known to be right, ``sources`` the entities asked about (none: all of the left) and ``targets``
    those that may be given (none: all of the right), each by index or IRI. Deterministic. Raises ValueError for what is
    in neither graph.
    """
    task = asked(left, right, seeds, sources, targets, options)
    comparison = compare(left, right, embedder, task, options)
    anchors = comparison.given()
    pairs, found = comparison.first_pairs(), None
    for turn in range(options.rounds + 1):
        labelled = comparison.labelled(anchors)
        pairs = _searched(comparison, pairs, labelled, found)
        if not len(pairs.rows):
            break
        found = _weighed(comparison, pairs, comparison.views(pairs, anchors, labelled))
        anchors = _anchored(comparison, found)
        del labelled
        if turn < options.rounds:
            found = found._replace(evidence=found.evidence._replace(values=found.evidence.values[:0].copy()))
        kept = best_pairs(pairs, found.logits, NEAREST, BESIDE) | (found.chances > _CHANCE)
        pairs = Pairs(pairs.rows[kept], pairs.columns[kept])
    return assign_proposal.proposal(left, right, comparison, found)


def _searched(comparison: Comparison, pairs: Pairs, labelled: Labels | None, found: Found | None) -> Pairs:
    """The pairs so far, what the anchors propose, and what is left on both sides with each other."""
    more = [pairs]
    if labelled is not None:
        mine, yours = (np.hstack(side).astype(np.float32, copy=False) for side in labelled)
        more.append(comparison.near(Sides(mine, yours), BESIDE if comparison.names else NEAREST))
        if found is not None:
            more.append(_leftovers(comparison, found, Sides(mine, yours)))
    if found is not None and comparison.names:
        more.append(_leftovers(comparison, found, comparison.named_surroundings()))
    return united(*more, width=comparison.width)


def _leftovers(comparison: Comparison, found: Found, sides: Sides) -> Pairs:
    """Rows and columns that have nobody yet, with each other: who was hidden behind better ones comes into sight."""
    asked = comparison.asked
    best = row_best(found.pairs, found.chances, comparison.height)[: asked.open_rows]
    mass = np.bincount(found.pairs.columns, weights=found.chances, minlength=comparison.width)[: asked.open_columns]
    rows, columns = np.flatnonzero(best < 0.5), np.flatnonzero(mass < 0.5)
    if len(rows) * len(columns) <= EVERYONE:
        return Pairs(np.repeat(rows, len(columns)), np.tile(columns, len(rows)))
    left, right = sides.left[asked.rows[rows]], sides.right[asked.columns[columns]]
    near = nearest_pairs(left, right, NEAREST, comparison.options.block_rows)
    return Pairs(rows[near.rows], columns[near.columns])


def _weighed(comparison: Comparison, pairs: Pairs, evidence: Evidence) -> Found:
    """The views weighed and the pairs' chances: learnt from lessons; where these are few, from the chances as well."""
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
    return Found(pairs, evidence, weights.astype(np.float32), logits, chances)


def _product(values: Singles, weights: Doubles) -> Singles:
    """``values @ weights``, in blocks where there are many: the doubles in between are large."""
    step = _BLOCK if len(values) > 8 * _BLOCK else len(values)
    return np.concatenate([(values[at : at + step] @ weights).astype(np.float32) for at in range(0, len(values), step)])


def _chances(comparison: Comparison, pairs: Pairs, logits: Singles) -> Singles:
    """Chances under assignment of the open rows; a lesson's row has none."""
    open_ = pairs.rows < comparison.asked.open_rows
    chances = np.zeros(len(logits), dtype=np.float32)
    part = Pairs(pairs.rows[open_], pairs.columns[open_])
    chances[open_] = assign_proposal.shared(comparison, part, logits[open_])
    return chances


def _anchored(comparison: Comparison, found: Found) -> Matrix:
    """What was given, and what has been found with some chance."""
    given = comparison.given().tocoo()
    kept = found.chances > _CHANCE
    entities = comparison.entities(Pairs(found.pairs.rows[kept], found.pairs.columns[kept]))
    return comparison.anchors(
        np.concatenate([given.row, entities.rows]),
        np.concatenate([given.col, entities.columns]),
        np.concatenate([given.data, found.chances[kept]]),
    )

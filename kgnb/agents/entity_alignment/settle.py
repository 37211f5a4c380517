"""Settle: answers and first alignments put together into one alignment, one to one where that is wanted.

The paper leaves two entities with one counterpart where its aligner said so twice. Here confidences decide: entities
that want the same counterpart, and those left without one, share what there is so that the sum is greatest.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from kgnb.agents.entity_alignment.looking import Aligned, Answer
from kgnb.agents.entity_alignment.reviewed import Ruling
from kgnb.agents.entity_alignment.settled import FIRST, PERSON, Choice, Settled
from kgnb.agents.entity_alignment.values import Proposal

SECOND_CHOICE = 0.5
"""How sure the next candidate is, by its score, where another entity has taken the one that was chosen."""
CONSOLATION = 0.001
"""What it counts for in deciding who gets the one that several want: little, so that the surest does."""


@dataclass
class _Wish:
    """What one row wants: candidates (target positions) with their worth."""

    worth: dict[int, float] = field(default_factory=dict)
    answer: Answer | None = None
    fixed: bool = False  # a person said so
    heeded: bool = False  # it is the judge's wish, not the first alignment


def settle(aligned: Aligned, *, rulings: Mapping[str, Ruling] | None = None) -> Settled:
    """The final choice for every row, who made it, and why a row has none.

    An answer less confident than ``heed`` and one that is unsure change nothing. What a person ruled holds.
    """
    proposal = aligned.selected.planned.proposal
    heed = aligned.selected.options.heed
    wishes = {answer.question.row: _wish(answer, proposal, heed) for answer in aligned.answers}
    wishes |= _ruled(proposal, rulings or {})
    chosen = _chosen(proposal, wishes)
    lost: dict[int, int] = {}
    if proposal.options.cardinality == "1:1" and proposal.options.assignment != "argmax":
        for row, target in _repaired(proposal, wishes, chosen).items():
            if chosen[row] >= 0 and target != chosen[row]:
                lost[row] = chosen[row]
            chosen[row] = target
    choices = {row: _choice(proposal, row, wish, chosen[row], lost.get(row, -1)) for row, wish in wishes.items()}
    choices |= {row: Choice(chosen[row], 0.0, FIRST, lost=target) for row, target in lost.items() if row not in wishes}
    return Settled(aligned, np.array(chosen, dtype=np.int32), choices)


def _wish(answer: Answer, proposal: Proposal, heed: float) -> _Wish:
    """What stands by the answer: its choice, or the first alignment where it does not decide."""
    target, confidence = answer.standing(heed)
    worth = {proposal.right.index(target): max(0.01, confidence)} if target else {}
    sure = answer.verdict.sure and answer.verdict.confidence >= heed
    return _Wish(worth, answer, heeded=sure or target != answer.question.first)


def _ruled(proposal: Proposal, rulings: Mapping[str, Ruling]) -> dict[int, _Wish]:
    """What people ruled on the rows there are; a target this graph lacks counts as none."""
    found = {}
    for source, ruling in rulings.items():
        try:
            row = proposal.row(source)
        except KeyError:
            continue
        first = int(proposal.first[row])
        if ruling.target and ruling.target in proposal.right:
            found[row] = _Wish({proposal.right.index(ruling.target): 10.0}, None, True)
        elif not ruling.target and (first < 0 or proposal.right.entities[first] in ruling.rejected):
            found[row] = _Wish({}, None, True)
    return found


def _chosen(proposal: Proposal, wishes: Mapping[int, _Wish]) -> list[int]:
    chosen: list[int] = proposal.first.tolist()
    for row, wish in wishes.items():
        chosen[row] = next(iter(wish.worth), -1)
    return chosen


def _repaired(proposal: Proposal, wishes: Mapping[int, _Wish], chosen: list[int]) -> dict[int, int]:
    """New choices for the rows that want what another wants; solved exactly within each group of rivals."""
    wanting: dict[int, list[int]] = defaultdict(list)
    for row, target in enumerate(chosen):
        if target >= 0:
            wanting[target].append(row)
    rivals = sorted({row for rows in wanting.values() if len(rows) > 1 for row in rows})
    if not rivals:
        return {}
    held = {target for target, rows in wanting.items() if len(rows) == 1}
    worth = {row: _worths(proposal, row, wishes.get(row), chosen[row], held) for row in rivals}
    pairs = [(row, target) for row in rivals for target in worth[row]]
    found = dict.fromkeys(rivals, -1)
    for group in _groups(pairs):
        rows = sorted({row for row, _ in group})
        targets = sorted({target for _, target in group})
        gain = np.zeros((len(rows), len(targets)))
        for row, target in group:
            gain[rows.index(row), targets.index(target)] = worth[row][target]
        for i, j in zip(*linear_sum_assignment(gain, maximize=True), strict=True):
            if gain[i, j] > 0:
                found[rows[i]] = targets[j]
    return found


def _worths(proposal: Proposal, row: int, wish: _Wish | None, wanted: int, held: set[int]) -> dict[int, float]:
    """What a row may get: what it wants, and its other candidates that nobody holds."""
    own = max(0.01, float(proposal.confidence[row])) if wish is None else wish.worth[wanted]
    found = {wanted: own}
    if wish is not None and wish.fixed:
        return found
    for target, score in zip(proposal.candidates[row].tolist(), proposal.scores[row].tolist(), strict=True):
        if target >= 0 and target not in held and target != wanted and score > 0:
            found[target] = CONSOLATION * min(score, own)
    return found


def _groups(pairs: list[tuple[int, int]]) -> Iterable[list[tuple[int, int]]]:
    """Pairs that hang together by a row or a target."""
    rows = {row: at for at, row in enumerate(dict.fromkeys(row for row, _ in pairs))}
    targets = {target: at for at, target in enumerate(dict.fromkeys(target for _, target in pairs))}
    i = np.array([rows[row] for row, _ in pairs])
    j = np.array([targets[target] + len(rows) for _, target in pairs])
    size = len(rows) + len(targets)
    labels = connected_components(coo_matrix((np.ones(len(pairs)), (i, j)), shape=(size, size)), directed=False)[1]
    groups: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for pair, at in zip(pairs, i, strict=True):
        groups[int(labels[at])].append(pair)
    return groups.values()


def _choice(proposal: Proposal, row: int, wish: _Wish, target: int, lost: int) -> Choice:
    answer = wish.answer
    if wish.fixed:
        return Choice(target, 1.0 if lost < 0 else 0.0, PERSON, lost=lost)
    assert answer is not None
    wanted, worth = next(iter(wish.worth.items()), (-1, 0.0))
    if target != wanted:
        confidence = SECOND_CHOICE * worth if target >= 0 else 0.0
        return Choice(target, round(confidence, 4), FIRST, lost=lost, answer=answer)
    if wish.heeded:
        confidence = worth if target >= 0 else answer.verdict.confidence
        return Choice(target, round(confidence, 4), answer.verdict.judged_by, answer=answer)
    confidence = float(proposal.confidence[row]) if target >= 0 else 0.0
    return Choice(target, round(confidence, 4), FIRST, answer=answer)

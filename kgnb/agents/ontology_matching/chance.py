"""How much evidence arises by chance, learnt from the task itself, without a reference (part of the rule judge).

An entity whose counterpart is certain, for they have one name, has no other; so whatever else looks like it does so by
chance. How strong such chance likenesses get, beside the best candidates of the entities that are still without a
counterpart, says how far those can be believed: the local false discovery rate (Efron, 2001), by the tilted densities
of Qin (1998). The larger and the more uniform the vocabularies, the stronger are their chance likenesses.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kgnb.agents.ontology_matching.values import Pair
from kgnb.kg.ontology import Kind

Floats = NDArray[np.float64]

NONE = -12.0  # the evidence of an entity without any candidate left
SLOPES = np.linspace(0.5, 1.1, 7)
SHIFTS = np.linspace(-2.0, 7.0, 37)
ALONE = np.linspace(0.2, 1.0, 17)  # shares of entities that have no counterpart
SLOPE_SPREAD = 0.1  # how far the slope is expected from 1, and
SHIFT_SPREAD = 0.5  # the shift from 0, before anything is seen


@dataclass(frozen=True, slots=True)
class Chance:
    """What to make of evidence: ``slope`` times it, less ``shift``, are the log-odds that the task itself bears out.

    An overestimate of chance: entities with a certain counterpart are the central ones, with many like them.
    """

    slope: float = 1.0
    shift: float = 0.0

    def odds(self, evidence: float, belief: float = 1.0) -> float:
        """The log-odds that some evidence stands for, if this is believed so far."""
        return evidence + belief * ((self.slope - 1.0) * evidence - self.shift)


AS_IT_IS = Chance()


def chances(evidence: Mapping[Pair, float], certain: Iterable[Pair]) -> dict[Kind, Chance]:
    """For each kind, how much evidence means, given the pairs whose names leave no doubt."""
    known: dict[Kind, list[Pair]] = defaultdict(list)
    for pair in certain:
        known[pair[2]].append(pair)
    found: dict[Kind, Chance] = {}
    for kind, pairs in sorted(known.items()):
        found[kind] = fit(*_best({pair[:2]: value for pair, value in evidence.items() if pair[2] == kind}, pairs))
    return found


def _best(pairs: Mapping[tuple[str, str], float], certain: list[Pair]) -> tuple[Floats, Floats]:
    """The best evidence of each entity with a certain counterpart, that aside, and of each without.

    Candidates with a certain counterpart of their own are passed over: they are spoken for.
    """
    by_chance: list[float] = []
    open_: list[float] = []
    for side in (0, 1):
        settled, spoken_for = {pair[side] for pair in certain}, {pair[1 - side] for pair in certain}
        best: dict[str, float] = {}
        for ends, value in pairs.items():
            known = best.setdefault(ends[side], NONE)
            if value > known and ends[1 - side] not in spoken_for:
                best[ends[side]] = value
        for entity, value in best.items():
            (by_chance if entity in settled else open_).append(value)
    return np.array(by_chance), np.array(open_)


def fit(by_chance: Floats, open_: Floats) -> Chance:
    """The slope and shift under which the open entities' evidence is best told from chance.

    Where little is seen, both stay near what they are without looking.
    """
    if not by_chance.size or not open_.size:
        return AS_IT_IS
    (theirs, their_number), (ours, our_number) = _counted(by_chance), _counted(open_)
    offsets = np.log(open_.size / by_chance.size) + np.log(ALONE)[:, np.newaxis]
    best, found = -np.inf, AS_IT_IS
    for slope in SLOPES:
        for shift in SHIFTS:
            expected = -0.5 * (((slope - 1.0) / SLOPE_SPREAD) ** 2 + (shift / SHIFT_SPREAD) ** 2)
            # an open entity's evidence is as likely as by chance, times alone * (1 + odds)
            likelihood = -np.logaddexp(0.0, -np.logaddexp(0.0, slope * ours - shift) - offsets) @ our_number
            likelihood -= np.logaddexp(0.0, np.logaddexp(0.0, slope * theirs - shift) + offsets) @ their_number
            fits = float(likelihood.max()) + expected
            if fits > best + 1e-9:
                best, found = fits, Chance(float(slope), float(shift))
    return found


def _counted(evidence: Floats) -> tuple[Floats, Floats]:
    """The distinct values, to a tenth, and how often each occurs."""
    values, number = np.unique(np.round(evidence, 1), return_counts=True)
    return values, number.astype(np.float64)

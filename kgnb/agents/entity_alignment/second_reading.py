"""The chance that two rows of one table are the same thing, read twice.

The first reading knows only what duplicates of many tables have in common (``DUPLICATES``). The
second learns from the table's own surest ones: how often such rows differ in each field, how rare an
agreement is among rows that are not the same, and which different values go together (M, medium).
Near twins agree in nearly everything, and differ in what other rows have too: another size.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kgnb.agents.entity_alignment.fields import RecordField
from kgnb.agents.entity_alignment.records import (
    IN_DOUBT,
    Doubles,
    Longs,
    RecordMatch,
    calibrated,
    features,
    in_doubt,
    log_chance,
    ratio,
    traits,
)
from kgnb.vectors.reproducible import exp, log

OUT = -3.0  # log-odds below which a pair is not considered
SURE = 0.8  # chance in the first reading from which the second learns of a pair
LIKELY = 0.5
_TOGETHER = 4.0  # pairs that say nothing, to which it is added how values go together
_AS_RARE = 3  # rows with either value, from which a difference is no slip

AGAIN = {
    "likeness": 0.07,
    "margin": 0.08,
    "spelt alike": 0.68,
    "identifiers equal": 0.22,
    "identifiers differ": 0.05,
    "texts equal": -0.36,
    "texts differ": 0.9,
    "words apart": -0.38,
    "figures apart": -0.19,
    "names apart": -3.92,
    "words alone": 1.11,
    "fields together": -0.06,
    "share": -3.44,
    "agrees": 0.29,
    "disagrees": 0.12,
    "all fields": 0.02,
    "below the usual": -0.39,
    "most against": 0.38,
    "fields against": -0.88,
    "share equal": 0.88,
    "entities": 0.9,
    "likely": 1.29,
    "nothing differs": 1.34,
    "all fields, nothing differs": 0.05,
    "values apart": 1.4,
    "values together": 0.45,
    "others have it": -0.88,
    "others of few have it": -2.62,
    "": -3.16,
}
"""The log-odds of the second reading, fitted as ``DUPLICATES`` (``python -m benchmarks.duplicates --fit``)."""


def chances(match: RecordMatch) -> Doubles:
    """The chance of every pair of one table to be duplicates; 0 where it is out of the question."""
    likely = np.flatnonzero(match.odds > OUT)
    found = np.zeros(len(match.odds))
    *weights, free = AGAIN.values()
    odds = read_again(match, likely) @ np.array(weights) + free
    found[likely] = 1 / (1 + exp(-odds))
    doubtful = likely[in_doubt(match, likely, repeated=True)]
    found[doubtful] = np.minimum(found[doubtful], IN_DOUBT)
    return found


def read_again(match: RecordMatch, at: Longs) -> Doubles:
    """What the second reading knows of some pairs, in the order of ``AGAIN``."""
    likely = np.flatnonzero(match.odds > OUT)
    first = np.zeros(len(match.odds))
    first[likely] = calibrated(match, likely, repeated=True)
    sure = np.where(first >= SURE, first, 0.0)
    match = _relearnt(match, sure)
    size = match.size[0]
    read, own = features(match, at, repeated=True), traits(match)[at, :2]
    speaks, level = match.speaks[at], match.level[at]
    total = np.clip(speaks.sum(axis=1, dtype=np.float64) - 2 * log(np.array([size])), -15, 15)
    usual = float(np.median(match.odds[first >= LIKELY])) if (first >= LIKELY).any() else 4.0
    differs = (level == 0) | (level == 1)
    clean = ~differs.any(axis=1)
    together, other, few = (np.zeros((len(at), len(match.fields))) for _ in range(3))
    for f, pair in enumerate(match.fields):
        field = pair.left
        together[:, f] = _together(match, field, sure, at) if pair.kind != "category" else 0.0
        ends = [field.held[side[at], 0] for side in match.pairs]
        there = (np.minimum(*ends) >= 0) & (ends[0] != ends[1]) & (level[:, f] <= 2)
        held = np.minimum(*(field.often[np.maximum(end, 0)] for end in ends))
        other[:, f] = there & (held >= _AS_RARE)
        few[:, f] = other[:, f] * field.few * (together[:, f] <= 0)
    columns = [
        read[:, :12],  # as far as fields together
        read[:, -1],  # share
        own,
        total,
        np.clip((usual - match.odds[at]) / max(usual, 1.0), -1, 2),
        np.clip(speaks.min(axis=1), -6, 0),
        np.minimum((speaks <= -2).sum(axis=1), 4),
        (level >= 4).sum(axis=1) / np.maximum((level >= 0).sum(axis=1), 1),
        np.full(len(at), float(log(np.array([size]))[0])),
        np.full(len(at), float(log(np.array([(first.sum() / 2 + 1) / size]))[0])),
        clean,
        clean * np.maximum(total, -10),
        np.clip(together, None, 0).sum(axis=1),
        np.clip(together, 0, None).sum(axis=1),
        np.minimum(other.sum(axis=1), 4),
        np.minimum(few.sum(axis=1), 3),
    ]
    return np.column_stack(columns).astype(np.float64)


def _relearnt(match: RecordMatch, known: Doubles) -> RecordMatch:
    """The same, with what each agreement says by the pairs that are known to match."""
    speaks = np.column_stack(
        [
            ratio(
                pair,
                match.level[:, f],
                log_chance(
                    pair,
                    match.pairs,
                    match.alike[:, f],
                    match.level[:, f],
                    match.others[:, f],
                    match.size,
                    known,
                ),
                known,
            )
            for f, pair in enumerate(match.fields)
        ]
    )
    return replace(match, speaks=speaks)


def _together(match: RecordMatch, field: RecordField, known: Doubles, at: Longs) -> Doubles:
    """How much likelier two different values of a field of few values meet in pairs that are known
    to match than by chance, as a logarithm; a pair itself aside.
    """
    found = np.zeros(len(known))
    one, other = (field.held[side, 0] for side in match.pairs)
    differ = (np.minimum(one, other) >= 0) & (one != other)
    if not field.few or not differ.any():
        return found[at]
    number = len(field.texts)
    keys = (np.minimum(one, other) * number + np.maximum(one, other))[differ]
    own = known[differ]
    met = np.bincount(keys, weights=own, minlength=number**2) / 2
    share = field.often / field.often.sum()
    by_chance = np.outer(share, share)
    np.fill_diagonal(by_chance, 0.0)
    often = 2 * (by_chance / by_chance.sum()).ravel()
    here = np.maximum((met[keys] - own) / np.maximum(often[keys], 1e-9), 0)
    found[differ] = np.clip(
        log((here + _TOGETHER) / (np.maximum(met.sum() - own, 0) + _TOGETHER)), -3, 3
    )
    return found[at]

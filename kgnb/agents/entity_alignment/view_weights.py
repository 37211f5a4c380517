"""How much each view weighs, learnt from the two graphs at hand: from seeds, else from what the views agree on."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from kgnb.agents.entity_alignment.assignment import row_best
from kgnb.agents.entity_alignment.candidates import Pairs, Singles

Doubles = NDArray[np.float64]


def fitted(pairs: Pairs, views: Singles, truth: Singles, prior: Doubles, *, height: int, strength: float) -> Doubles:
    """The weights under which each row would choose as ``truth`` (chances, a row of pairs adding up to one) does.

    A conditional logit (McFadden 1974), held near ``prior`` as if ``strength`` rows had said so; a row whose ``truth``
    is zero throughout does not count. No weight turns negative: every view is made so that more is better.
    """
    told = np.bincount(pairs.rows, weights=truth, minlength=height) > 0
    kept = told[pairs.rows]
    rows, columns = pairs.rows[kept], pairs.columns[kept]
    if not len(rows):
        return prior.copy()
    _, rows = np.unique(rows, return_inverse=True)
    rows = rows.ravel()
    few = Pairs(rows, columns)
    number = int(rows[-1]) + 1
    x, target = views[kept].astype(np.float64), truth[kept].astype(np.float64)
    mass = np.bincount(rows, weights=target, minlength=number)

    def loss(weights: Doubles) -> tuple[float, Doubles]:
        logits = x @ weights
        highest = row_best(few, logits.astype(np.float32), number)
        raised = np.exp(logits - highest[rows])
        total = np.bincount(rows, weights=raised, minlength=number)
        expected = raised / total[rows] * mass[rows]
        value = float((mass * (np.log(total) + highest)).sum() - target @ logits)
        away = (weights - prior) / scale
        return (value + strength * float(away @ away)) / number, (
            (expected - target) @ x + 2 * strength * away / scale
        ) / number

    scale = np.maximum(np.abs(prior), 1.0)
    bounds = [(0.0, None)] * len(prior)
    found = minimize(loss, prior, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": 60})
    weights: Doubles = found.x
    return weights

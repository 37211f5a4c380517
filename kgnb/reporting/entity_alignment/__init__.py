"""What the entity-alignment report computes and draws; its notebook only calls these functions.

``aligning``    one pair aligned under every setting: ``run_pair`` gives ``Results``
``simulation``  what a learned planning policy saves, with simulated answers
``sections``    tables and plots
``saving``      ``metrics.json`` and the alignment
"""

from kgnb.reporting.entity_alignment.aligning import Results, run_pair
from kgnb.reporting.entity_alignment.saving import save
from kgnb.reporting.entity_alignment.sections import (
    ablation,
    cost,
    headline,
    notice,
    policy,
    reproduce,
    rounds,
    seed_curve,
    slices,
    unmatched,
)

__all__ = [
    "Results",
    "ablation",
    "cost",
    "headline",
    "notice",
    "policy",
    "reproduce",
    "rounds",
    "run_pair",
    "save",
    "seed_curve",
    "slices",
    "unmatched",
]

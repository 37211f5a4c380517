"""What the entity-alignment report computes and draws; its notebook only calls these functions.

``aligning``    one pair aligned under every setting: ``run_pair`` gives ``AlignmentResults``
``sections``    tables and plots
``errors``      known pairs that were missed, with evidence
``saving``      ``metrics.json`` and the alignment
"""

from kgnb.reporting.entity_alignment.aligning import AlignmentResults, run_pair
from kgnb.reporting.entity_alignment.errors import errors, risk
from kgnb.reporting.entity_alignment.saving import save
from kgnb.reporting.entity_alignment.sections import (
    ablation,
    cost,
    headline,
    headline_bars,
    notice,
    reproduce,
    seed_curve,
    setting_times,
    slices,
    stages,
    unmatched,
)

"""What the entity-alignment report computes and draws; its notebook only calls these functions.

``aligning``  one pair aligned under every setting: ``run_pair`` gives ``AlignmentResults``
``sections``  tables, plots, known pairs that were missed; ``metrics.json`` and the alignment
"""

from kgnb.reporting.entity_alignment.aligning import AlignmentResults, run_pair
from kgnb.reporting.entity_alignment.sections import (
    ablation,
    cost,
    errors,
    headline,
    headline_bars,
    notice,
    reproduce,
    risk,
    save,
    seed_curve,
    setting_times,
    slices,
    stages,
    unmatched,
)

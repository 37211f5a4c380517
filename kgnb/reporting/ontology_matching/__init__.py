"""What the ontology-matching report computes and draws; its notebook only calls these functions.

``matching``  every pair matched: ``run_cases`` gives ``MatchingResults``
``results``   scores, curves and costs of one pair and of all
``sections``  tables and plots; metrics, timing and the alignments
``stored``    what is wrong, missed or unsure; other systems' alignments beside ours
"""

from kgnb.reporting.ontology_matching.matching import run_cases
from kgnb.reporting.ontology_matching.results import MatchingResults
from kgnb.reporting.ontology_matching.sections import (
    behind,
    beside_costs,
    by_pair,
    by_pair_bars,
    headline,
    headline_bars,
    notice,
    risk,
    save,
    sources,
    thresholds,
)
from kgnb.reporting.ontology_matching.stored import (
    beside,
    missed,
    often_theirs,
    only_ours,
    only_theirs,
    overlap,
    unsure,
    wrong,
)
from kgnb.reporting.sections import reproduce, stages

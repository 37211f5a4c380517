"""What the ontology-matching report computes and draws; its notebook only calls these functions.

``matching``  every pair matched: ``run_cases`` gives ``Results``
``outcome``   one pair: what was found, the reference, what it took
``results``   all pairs: scores, curves, costs
``sections``  tables and plots
``errors``    what went wrong, with evidence
``metrics``   ``metrics.json``, ``timing.json`` and the alignments
"""

from kgnb.reporting.ontology_matching.errors import missed, unsure, wrong
from kgnb.reporting.ontology_matching.matching import run_cases
from kgnb.reporting.ontology_matching.metrics import save
from kgnb.reporting.ontology_matching.results import Results
from kgnb.reporting.ontology_matching.sections import (
    behind,
    by_pair,
    by_pair_bars,
    cost,
    headline,
    headline_bars,
    notice,
    reproduce,
    risk,
    sources,
    thresholds,
)

__all__ = [
    "Results",
    "behind",
    "by_pair",
    "by_pair_bars",
    "cost",
    "headline",
    "headline_bars",
    "missed",
    "notice",
    "reproduce",
    "risk",
    "run_cases",
    "save",
    "sources",
    "thresholds",
    "unsure",
    "wrong",
]

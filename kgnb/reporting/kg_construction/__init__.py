"""What the report on graph construction computes and draws; its notebook only calls these functions.

``running``    one run of everything: ``run_report`` gives ``Results``
``sections``   a table or picture of each part
``errors``     records that are not as the reference has them, and calls that were refused
``saving``     ``metrics.json``, ``timing.json`` and the graph
``scoring``    a built graph against a reference
``feedback``   the ablation: the same model without being told why a call is refused
"""

from kgnb.reporting.kg_construction.errors import errors, refused
from kgnb.reporting.kg_construction.running import Results, run_report
from kgnb.reporting.kg_construction.saving import save
from kgnb.reporting.kg_construction.sections import (
    compiling,
    costs,
    documents,
    enforcement,
    extraction,
    feedback,
    grounding,
    headline,
    headline_bars,
    notice,
    ontologies,
    picture,
    published,
    reproduce,
    review,
    stages,
    tools,
    trace,
)

__all__ = [
    "Results",
    "compiling",
    "costs",
    "documents",
    "enforcement",
    "errors",
    "extraction",
    "feedback",
    "grounding",
    "headline",
    "headline_bars",
    "notice",
    "ontologies",
    "picture",
    "published",
    "refused",
    "reproduce",
    "review",
    "run_report",
    "save",
    "stages",
    "tools",
    "trace",
]

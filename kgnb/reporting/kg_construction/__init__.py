"""What the report on graph construction computes and draws; its notebook only calls these functions.

``running``    one run of everything: ``run_report`` gives ``Results``
``sections``   a table or picture of each part
``errors``     records that are not as the reference has them, and calls that were refused
``saving``     ``metrics.json``, ``timing.json`` and the graph
``scoring``    a built graph against a reference
``mistakes``   a scripted reader that errs on purpose (simulation); ``feedback`` runs it with feedback and without
``sentences``  Text2KGBench by patterns, beside baselines
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
    paper,
    picture,
    published,
    reproduce,
    review,
    sentences,
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
    "paper",
    "picture",
    "published",
    "refused",
    "reproduce",
    "review",
    "run_report",
    "save",
    "sentences",
    "stages",
    "tools",
    "trace",
]

"""What the report on graph construction computes and draws; its notebook only calls these functions.

``sections``   one run of everything, ``Results``, and a table or picture of each part
``scoring``    a built graph against a reference
``mistakes``   a scripted reader that errs on purpose (simulation); ``feedback`` runs it with feedback and without
``sentences``  Text2KGBench by patterns, beside baselines
"""

from kgnb.reporting.kg_construction.sections import (
    Results,
    costs,
    documents,
    enforcement,
    extraction,
    feedback,
    grounding,
    ontologies,
    paper,
    picture,
    published,
    review,
    run_report,
    save,
    sentences,
    trace,
)

__all__ = [
    "Results",
    "costs",
    "documents",
    "enforcement",
    "extraction",
    "feedback",
    "grounding",
    "ontologies",
    "paper",
    "picture",
    "published",
    "review",
    "run_report",
    "save",
    "sentences",
    "trace",
]

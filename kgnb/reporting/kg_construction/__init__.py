"""What the report on graph construction computes and draws; its notebook only calls these functions.

``running``    one run of everything: ``run_report`` gives ``BuildingResults``
``sections``   a table or picture of each part, what is not as the reference has it among them; the files
``scoring``    a built graph against a reference
"""

from kgnb.reporting.kg_construction.running import BuildingResults, run_report
from kgnb.reporting.kg_construction.sections import (
    compiling,
    costs,
    documents,
    enforcement,
    errors,
    extraction,
    feedback,
    grounding,
    headline,
    headline_bars,
    notice,
    ontologies,
    picture,
    published,
    refused,
    review,
    save,
    tools,
    trace,
)
from kgnb.reporting.sections import reproduce, stages

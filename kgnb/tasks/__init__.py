"""One function a task, as a script calls it: one file an agent; what they share is in ``running``."""

from kgnb.tasks.aligning import align, align_entities
from kgnb.tasks.matching import (
    digests,
    keep_decisions,
    match_ontologies,
    open_decisions,
    open_reference,
    reference_pairs,
)
from kgnb.tasks.running import new_run, remembering

__all__ = [
    "align",
    "align_entities",
    "digests",
    "keep_decisions",
    "match_ontologies",
    "new_run",
    "open_decisions",
    "open_reference",
    "reference_pairs",
    "remembering",
]

"""How often the rule judge is right when it says so: what is shown, by kind of evidence (part of ``merge``).

The judge's own probability decides what is taken and what a model is asked, and stays as it is. But it says 0.98 where
three in four are right, for what it weighs is not independent. Shown is how often such mappings were right on tasks
with a reference: a line for each kind of evidence, each sort of task counting as sixty mappings at most. ``python -m
tests.benchmarks.agents.carry_over --calibration`` fits the lines, and prints how they do on tasks left out.
"""

from __future__ import annotations

from kgnb.agents.ontology_matching.tongues import foreign
from kgnb.agents.ontology_matching.values import Description
from kgnb.kg.words import plain

LINES = {
    "name": (0.60, 0.94),  # 153 mappings: classes with a name or synonym in common
    "words": (0.40, 0.81),  # 65: classes by their other words, vectors and relatives
    "property": (0.40, 0.84),  # 52: properties, whatever they are called
    "foreign": (0.21, 0.88),  # 667: named in no common language
}
"""How often a mapping is right at probability 0.5 and at 1, by kind of evidence."""

LEAST, MOST = 0.5, 0.99


def evidence_of(source: Description, target: Description) -> str:
    """The kind of evidence there is for a pair: a key of ``LINES``, or "stated" where an ontology says it itself."""
    ends = ((source.entity, target.iri), (target.entity, source.iri))
    if any(iri in entity.equivalents or iri in entity.matches for entity, iri in ends):
        return "stated"
    named = not _forms(source).isdisjoint(_forms(target))
    if foreign(source, target) and not named:
        return "foreign"
    if "property" in source.kind:
        return "property"
    return "name" if named else "words"


def calibrated(probability: float, evidence: str) -> float:
    """How often mappings with this probability and kind of evidence are right, ``LEAST`` to ``MOST``.

    What is taken is at least as likely as not in the judge's eyes, and never shown as less.
    """
    if evidence not in LINES or probability < LEAST:
        return probability
    low, high = LINES[evidence]
    return round(min(max(low + (high - low) * (2.0 * probability - 1.0), LEAST), MOST), 4)


def _forms(description: Description) -> set[tuple[str, ...]]:
    return {tuple(map(plain, name)) for name in description.names}

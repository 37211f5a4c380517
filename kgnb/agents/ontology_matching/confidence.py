"""Calibration: how often mappings of the rule judge with such a probability and evidence are right.

The judge's probability decides what is chosen and asked, but is 0.98 where three in four are right, as the evidence
that it weighs is not independent. The confidence shown is the share of right mappings on tasks with a reference, each
sort of task counting as sixty mappings at most. ``python -m tests.benchmarks.agents.carry_over --calibration`` fits the
weights, and prints how they do on tasks left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from math import exp, log, log10
from operator import mul

from kgnb.agents.ontology_matching.rule import SAME_MEANING, stated, surroundings
from kgnb.agents.ontology_matching.tongues import foreign
from kgnb.agents.ontology_matching.values import Cosines, Description, MatchQuestion, Pair
from kgnb.kg.words import plain

WEIGHTS = {
    "": 1.27,
    "odds": 1.84,
    "name": 1.02,
    "name alone": 0.78,
    "foreign": -0.31,
    "small": -1.01,
    "small, name alone": -0.86,
    "small, property": 0.61,
}
"""A logistic regression on the judge's log-odds, the kind of evidence and how small the ontologies are."""

SUREST = 7.0  # log-odds of the judge from which higher ones mean the same: about 0.999
LARGE, SMALLEST = 3.0, 1.4  # powers of ten: entities of the smaller ontology
LEAST, MOST = 0.5, 0.99
AGREE = 0.3  # agreement of relatives from which they confirm a name


class EvidenceKinds:
    """The kinds of evidence for pairs, given the probabilities of those ``held`` equal.

    A common name means little by itself: of homonyms in small ontologies nothing else agrees.
    """

    def __init__(self, questions: Sequence[MatchQuestion], held: Mapping[Pair, float]) -> None:
        self._around = surroundings(questions)
        self._around.update(held)
        self._ends: set[tuple[str, str]] = set()  # classes at the same end of properties that are held equal
        for question in questions:
            for candidate, source, target in question.ends():
                if "property" in candidate.kind and held.get(candidate.pair, 0.0) >= LEAST:
                    one, other = source.entity, target.entity
                    self._ends |= {*product(one.domain, other.domain), *product(one.range, other.range)}

    def evidence(self, source: Description, target: Description, cosines: Cosines) -> str:
        """The kind of evidence: a key of ``WEIGHTS``, "words", or "stated" if an ontology states the pair."""
        if stated(source, target):
            return "stated"
        named = not _forms(source).isdisjoint(_forms(target))
        if foreign(source, target) and not named:
            return "foreign"
        if "property" in source.kind:
            return "property"
        if not named:
            return "words"
        told = cosines.meaning is not None and cosines.meaning >= SAME_MEANING
        at_ends = (source.iri, target.iri) in self._ends
        return "name" if told or at_ends or self._around.hints(source, target).support >= AGREE else "name alone"


def features(probability: float, evidence: str, entities: int) -> list[float]:
    """The features, in the order of the weights; ``entities`` is the size of the smaller ontology."""
    odds = min(log(probability / (1.0 - min(probability, 0.9999))), SUREST) / SUREST
    small = LARGE - min(max(log10(entities), SMALLEST), LARGE)
    values = {"": 1.0, "odds": odds, evidence: 1.0, "small": small, f"small, {evidence}": small}
    return [values.get(name, 0.0) for name in WEIGHTS]


def calibrated(probability: float, evidence: str, entities: int, weights: Mapping[str, float] = WEIGHTS) -> float:
    """How often mappings with this probability and evidence are right, ``LEAST`` to ``MOST``.

    Probabilities below ``LEAST``, and of stated pairs, stay as they are.
    """
    if evidence == "stated" or probability < LEAST:
        return probability
    odds = sum(map(mul, weights.values(), features(probability, evidence, entities)))
    return round(min(max(1.0 / (1.0 + exp(-odds)), LEAST), MOST), 4)


def _forms(description: Description) -> set[tuple[str, ...]]:
    return {tuple(map(plain, name)) for name in description.names}

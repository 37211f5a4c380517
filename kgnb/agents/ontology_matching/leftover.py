"""What the rule judge leaves open between two small ontologies, decided by comparison.

Two small models of one domain, written apart, have few names in common, so most of their right
pairs lie below what is evidence elsewhere. But there are few entities to choose from: two that are
left over and nearest to each other, in name, meaning, ends and properties together, are more often
equal than not.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import exp, fsum
from operator import mul
from typing import TypeAlias

from kgnb.agents.ontology_matching.rule import SAME_MEANING, RuleJudge
from kgnb.agents.ontology_matching.surroundings import datatype
from kgnb.agents.ontology_matching.values import (
    SIDES,
    Described,
    Description,
    Judged,
    Key,
    Pair,
    Side,
)
from kgnb.judging import Verdict
from kgnb.mappings import one_to_one

LEFTOVER = "rule, among what is left"
SIZES = range(5, 51)
"""Entities a side for which this holds: it was fitted on 31 to 50, and holds on 6 to 14 as well. In
larger ontologies the rule is the better judge (ten conference pairs lose a point).
"""
LIKENESS = {
    "": -2.4,
    "name": 3.21,
    "axioms": 1.72,
    "definitions": 0.8,
    "rule": 0.21,
    "domain": 1.65,
    "range": 0.64,
    "other datatype": -1.11,
    "properties": 2.33,
}
"""A logistic regression on how alike the two of a pair are."""
PLACE = {"": -0.77, "likeness": 0.46, "nearest": 0.58, "ahead": 1.26, "namesakes": -1.84}
"""Another on that likeness and the pair's place among its rivals."""
UNDECLARED = 0.3  # likeness of ends of which one side says nothing
FEW = 3  # properties of a class below which they say less
WEAKEST, STRONGEST = -10.0, 7.0  # bounds of the rule's evidence
FAR, CLEAR = -2.0, 2.0  # bounds of a lead
NAMESAKES = 0.95  # overlap of names that the rule did not believe: often homonyms
BAR = 0.6
"""Of small pairs left out of the fit, F1 70.0, 69.4 and 68.1 from .5, .55 and .6 on, but of those
shown with less than .6 more were wrong than right; of unrelated ontologies, as many pairs are held
equal as 2.1, 1.6 and 1.1 each.
"""
BELIEVED = 0.85
"""The most that such a pair is believed: of those at .8 and more, six in seven are right on tasks
left out of the fit.
"""

Ends: TypeAlias = tuple[str, str]


class Leftover:
    """The pairs neither end of which has a counterpart yet, and how alike they are.

    Names that express a relation from opposite ends are none.
    """

    def __init__(self, judged: Sequence[Judged]) -> None:
        questions = [one.question for one in judged]
        cases = RuleJudge().weigh(questions)
        self._alike: dict[Ends, float] = {
            (source, target): max(case.overlap, case.cosine, 0.0)
            for (source, target, _), case in cases.items()
        }
        taken = set()
        for one in judged:
            about, choice = one.question.about, one.verdict.choice
            if choice is not None:
                ends = (about.iri, choice) if one.question.side == "source" else (choice, about.iri)
                self._alike[ends] = 1.0
                taken |= {(side, iri, about.kind) for side, iri in zip(SIDES, ends, strict=True)}
        self._known = [{pair[end] for pair in cases} for end in (0, 1)]
        self._said_of = [_said_of(q.about for q in questions if q.side == side) for side in SIDES]
        self.cases = {
            pair: case
            for pair, case in cases.items()
            if not case.opposed
            and taken.isdisjoint((side, pair[end], pair[2]) for end, side in enumerate(SIDES))
        }

    def features(self, pair: Pair) -> list[float]:
        """What ``LIKENESS`` weighs."""
        case = self.cases[pair]
        one, other = case.source.entity, case.target.entity
        here, there = ({*filter(None, map(datatype, e.range))} for e in (one, other))
        return [
            1.0,
            case.cosine,
            case.context,
            0.0 if case.meaning is None else case.meaning - SAME_MEANING,
            min(max(case.evidence, WEAKEST), STRONGEST),
            self._ends(one.domain, other.domain),
            self._ends(one.range, other.range),
            float(bool(here and there) and here.isdisjoint(there)),
            self._properties(*pair[:2]),
        ]

    def places(self, likeness: Mapping[Pair, float]) -> dict[Pair, list[float]]:
        """What ``PLACE`` weighs."""
        rivals: dict[tuple[int, str, str], list[float]] = defaultdict(list)
        for pair, alike in likeness.items():
            for end in (0, 1):
                rivals[end, pair[end], pair[2]].append(alike)
        best = {key: sorted(those, reverse=True)[:2] for key, those in rivals.items()}
        places = {}
        for pair, alike in likeness.items():
            ahead = CLEAR
            for end in (0, 1):
                first, *second = best[end, pair[end], pair[2]]
                if alike < first:
                    ahead = min(ahead, alike - first)
                elif second:
                    ahead = min(ahead, alike - second[0])
            namesakes = self.cases[pair].overlap >= NAMESAKES
            places[pair] = [1.0, alike, float(ahead > 0), max(ahead, FAR), float(namesakes)]
        return places

    def chances(self) -> dict[Pair, float]:
        """The chance of each pair."""
        likeness = {pair: _sum(LIKENESS, self.features(pair)) for pair in self.cases}
        return {
            pair: 1.0 / (1.0 + exp(-_sum(PLACE, place)))
            for pair, place in self.places(likeness).items()
        }

    def _ends(self, ones: Sequence[str], others: Sequence[str]) -> float:
        """How alike two domains or ranges are."""
        known = (
            self._alike.get((one, other), float(one == other))
            for one in ones
            for other in others
            if one == other or (one in self._known[0] and other in self._known[1])
        )
        return max(known, default=UNDECLARED)

    def _properties(self, source: str, target: str) -> float:
        """How alike the properties are that have the two at the same end."""
        ones, others = self._said_of[0][source], self._said_of[1][target]
        alike = [
            [self._alike.get((one, other), 0.0) * (end == at) for other, at in others]
            for one, end in ones
        ]
        fewer = alike if len(ones) <= len(others) else zip(*alike, strict=True)
        best = [max(row, default=0.0) for row in fewer]
        return fsum(best) / max(len(best), FEW)


def _said_of(descriptions: Iterable[Description]) -> Mapping[str, list[tuple[str, int]]]:
    """Of each class, the properties that have it at an end."""
    found: dict[str, list[tuple[str, int]]] = defaultdict(list)
    for each in descriptions:
        for end, classes in enumerate((each.entity.domain, each.entity.range)):
            for iri in classes:
                found[iri].append((each.iri, end))
    return found


def _sum(weights: Mapping[str, float], features: Sequence[float]) -> float:
    return fsum(map(mul, weights.values(), features))


def with_leftover(described: Described, judged: Sequence[Judged]) -> tuple[Judged, ...]:
    """The verdicts, with those on what is left over that are more likely than not, if the rule is the
    only judge.

    What is found tells more of what is still left, by its ends and its properties, which is therefore
    compared again. Where no class has a counterpart in the end, nothing is held equal: the ontologies
    are about different things, with dates and amounts in both.
    """
    if not all(len(described.of(side)) in SIZES for side in SIDES) or any(
        one.verdict.judged_by != RuleJudge.name for one in judged
    ):
        return tuple(judged)
    decided = tuple(judged)
    while found := _found(decided):
        decided = tuple(_decided(one, found) for one in decided)
    if any(one.verdict.choice and one.question.about.kind == "class" for one in decided):
        return decided
    return tuple(judged)


def _found(judged: Sequence[Judged]) -> dict[tuple[Side, Key], tuple[Key, float]]:
    worth = {
        ((source, kind), (target, kind)): chance
        for (source, target, kind), chance in Leftover(judged).chances().items()
        if chance >= BAR
    }
    found: dict[tuple[Side, Key], tuple[Key, float]] = {}
    for source, target in one_to_one(worth):
        chance = round(min(worth[source, target], BELIEVED), 4)
        found["source", source], found["target", target] = (target, chance), (source, chance)
    return found


def _decided(one: Judged, found: Mapping[tuple[Side, Key], tuple[Key, float]]) -> Judged:
    about = (one.question.side, one.question.about.key)
    if about not in found:
        return one
    (choice, _), chance = found[about]
    names = {other.iri: other.name for other in one.question.others}
    why = f"likeliest of what is left: “{names[choice]}”; {one.verdict.rationale}"
    return replace(one, verdict=Verdict("equivalent", choice, chance, why, LEFTOVER))

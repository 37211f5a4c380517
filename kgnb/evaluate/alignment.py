"""Metrics of alignments on plain triples (source IRI, target IRI, relation).

Precision is TP / (TP + FP), recall TP / (TP + FN), F1 their harmonic mean; a share with denominator
0 counts as 0, so that finding nothing is never rewarded. Scores over several tasks come in two
kinds, never to be mixed: :func:`micro` adds up the counts (as the OAEI does for its conference
track), :func:`mean` averages the scores (as Agent-OM does).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TypeAlias

from kgnb.mappings import Alignment, turned

Triple: TypeAlias = tuple[str, str, str]
Pair: TypeAlias = tuple[str, str]

_UNSCORED = re.compile(
    r"http://www\.w3\.org/2002/07/owl#(Thing|Nothing|(top|bottom)(Object|Data)Property)$"
    r"|http://www\.geneontology\.org/formats/oboInOwl#|.*#UNDEFINED_(part_of|is_a)$"
)


@dataclass(frozen=True, slots=True)
class Score:
    """True positives, false positives and false negatives of a matcher."""

    tp: int = 0
    fp: int = 0
    fn: int = 0

    @property
    def precision(self) -> float:
        """Share of the mappings found that are right; 0 if none was found."""
        return _share(self.tp, self.tp + self.fp)

    @property
    def recall(self) -> float:
        """Share of the reference that was found; 0 if it is empty."""
        return _share(self.tp, self.tp + self.fn)

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        return _share(2 * self.tp, 2 * self.tp + self.fp + self.fn)

    def shares(self) -> dict[str, tuple[float, int]]:
        """Precision and recall, each with the number of mappings that it is a share of."""
        found, wanted = self.tp + self.fp, self.tp + self.fn
        return {"precision": (self.precision, found), "recall": (self.recall, wanted)}

    def row(self) -> dict[str, float | int | None]:
        """A row of a table of scores; a share of nothing is None rather than 0."""
        found, wanted = self.tp + self.fp, self.tp + self.fn
        return {
            "precision": self.precision if found else None,
            "recall": self.recall if wanted else None,
            "f1": self.f1 if wanted else None,
            "right": self.tp,
            "found": found,
            "wanted": wanted,
        }

    def to_json(self) -> dict[str, float | int]:
        """The figures, and the counts they are of."""
        found, wanted = self.tp + self.fp, self.tp + self.fn
        shares = {"precision": self.precision, "recall": self.recall, "f1": self.f1}
        return shares | {"right": self.tp, "found": found, "reference": wanted}

    def __add__(self, other: Score) -> Score:
        return Score(self.tp + other.tp, self.fp + other.fp, self.fn + other.fn)


@dataclass(frozen=True, slots=True)
class Average:
    """Figures averaged over ``tasks``; its F1 is the average of the F1s, not the F1 of the
    averages.
    """

    precision: float
    recall: float
    f1: float
    tasks: int


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def triples(alignment: Alignment, *relations: str) -> frozenset[Triple]:
    """The mappings of an alignment as triples, of these relations only if any are named.

    >>> from kgnb.mappings import Mapping
    >>> triples(Alignment((Mapping("a#Hut", "b#Refuge"), Mapping("a#Hut", "b#Building", "broader"))), "equivalent")
    frozenset({('a#Hut', 'b#Refuge', 'equivalent')})
    """
    return frozenset(
        (m.source, m.target, m.relation)
        for m in alignment
        if not relations or m.relation in relations
    )


def score(found: Iterable[Triple], reference: Iterable[Triple], *, by_pair: bool = False) -> Score:
    """Compare what was found with a reference; repeats count once.

    With ``by_pair`` relations are ignored: a pair counts as found with any relation.

    >>> hut, bed = ("a#Hut", "b#Refuge", "equivalent"), ("a#Bed", "b#Lit", "equivalent")
    >>> score([hut], [hut, bed])
    Score(tp=1, fp=0, fn=1)
    """
    length = 2 if by_pair else 3
    ours, theirs = ({triple[:length] for triple in side} for side in (found, reference))
    return Score(len(ours & theirs), len(ours - theirs), len(theirs - ours))


def micro(scores: Iterable[Score]) -> Score:
    """All tasks as one: the counts added up."""
    return sum(scores, Score())


def mean(scores: Sequence[Score]) -> Average:
    """The plain average of the tasks' figures; ValueError without a task."""
    if not scores:
        raise ValueError("there is no task to average over")
    figures = zip(*((one.precision, one.recall, one.f1) for one in scores), strict=True)
    precision, recall, f1 = (sum(each) / len(scores) for each in figures)
    return Average(precision, recall, f1, len(scores))


def per_relation(found: Iterable[Triple], reference: Iterable[Triple]) -> dict[str, Score]:
    """A score for every relation that occurs on either side."""
    return _by(lambda triple: triple[2], list(found), list(reference))


def per_kind(
    found: Iterable[Triple], reference: Iterable[Triple], kinds: Mapping[str, str]
) -> dict[str, Score]:
    """A score for every kind of source entity (``kinds``: source IRI to kind; unlisted ones are
    "unknown").
    """
    return _by(lambda triple: kinds.get(triple[0], "unknown"), list(found), list(reference))


def _by(sort: Callable[[Triple], str], *sides: list[Triple]) -> dict[str, Score]:
    sorts = sorted({sort(triple) for side in sides for triple in side})
    return {one: score(*([t for t in side if sort(t) == one] for side in sides)) for one in sorts}


def non_trivial(
    found: Iterable[Triple],
    reference: Iterable[Triple],
    trivial: Collection[Pair] | Callable[[str, str], bool],
) -> Score:
    """The score without trivial pairs on either side; its recall is the OAEI's recall+.

    The caller defines the trivial pairs, as a set or a rule; :func:`same_name` is the usual rule.
    """
    rule = trivial if callable(trivial) else lambda source, target: (source, target) in trivial
    ours, theirs = ([t for t in side if not rule(t[0], t[1])] for side in (found, reference))
    return score(ours, theirs)


def same_name(names: Mapping[str, Iterable[str]]) -> Callable[[str, str], bool]:
    """The triviality rule "they share a name, ignoring case, Unicode normalisation and
    punctuation".

    ``names`` holds the names of every IRI of both sides: labels, or synonyms too (a report should
    say which).

    >>> rule = same_name({"a#RescueHut": ["Rescue Hut"], "b#7": ["rescue_hut"], "b#8": ["hut"]})
    >>> rule("a#RescueHut", "b#7"), rule("a#RescueHut", "b#8")
    (True, False)
    """
    keys = {iri: frozenset(filter(None, map(_key, texts))) for iri, texts in names.items()}
    return lambda source, target: (
        not keys.get(source, frozenset()).isdisjoint(keys.get(target, frozenset()))
    )


def _key(name: str) -> str:
    folded = unicodedata.normalize("NFKC", name).casefold()
    return "".join(
        character for character in folded if character.isalnum() or unicodedata.combining(character)
    )


def scored_by_oaei(found: Iterable[Triple]) -> frozenset[Triple]:
    """The triples that the OAEI evaluates.

    Pairs with owl:Thing or another top or bottom entity are left out, and pairs of oboInOwl's own
    vocabulary or of the ``UNDEFINED_`` stand-ins of the anatomy track.
    """
    return frozenset(triple for triple in found if not any(map(_UNSCORED.match, triple[:2])))


@dataclass(frozen=True)
class Oriented:
    """A reference in the direction of the ontologies; ``strangers`` name an entity in neither
    ontology.
    """

    triples: frozenset[Triple]
    flipped: bool
    strangers: frozenset[Triple]


def flipped(reference: Iterable[Triple]) -> frozenset[Triple]:
    """The same statements from target to source: broader becomes narrower.

    >>> flipped([("a#RescueHut", "b#Refuge", "broader")])
    frozenset({('b#Refuge', 'a#RescueHut', 'narrower')})
    """
    return frozenset((target, source, turned(relation)) for source, target, relation in reference)


def oriented(
    reference: Iterable[Triple], source: Collection[str], target: Collection[str]
) -> Oriented:
    """The reference with its sources in ``source`` and its targets in ``target``, flipped if
    needed.

    Strangers stay in the reference (they count as missed, as the OAEI counts them) and are listed,
    so that a report can say so. ValueError if no pair belongs to these two ontologies.
    """
    given = frozenset(reference)
    turned = flipped(given)
    straight, reverse = (
        frozenset(t for t in side if t[0] in source and t[1] in target) for side in (given, turned)
    )
    if not straight and not reverse:
        raise ValueError(
            "none of the reference's pairs joins these two ontologies; check that the reference belongs to them"
            if given
            else "the reference holds no pair; there is nothing to measure against"
        )
    backwards = len(reverse) > len(straight)
    kept, known = (turned, reverse) if backwards else (given, straight)
    return Oriented(kept, backwards, kept - known)


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """Everything found at or above a confidence: its share of all found, its share of errors, its
    score.
    """

    confidence: float
    coverage: float
    risk: float
    score: Score


def risk_coverage(
    found: Iterable[tuple[Triple, float]], reference: Iterable[Triple]
) -> list[CurvePoint]:
    """The risk (share of wrong mappings) against coverage, one point a distinct confidence, highest
    first.

    A triple found twice counts once, at its higher confidence. Nothing found gives no point.
    """
    wanted = frozenset(reference)
    best: dict[Triple, float] = {}
    for triple, confidence in found:
        best[triple] = max(confidence, best.get(triple, confidence))
    ranked = sorted(best.items(), key=lambda item: -item[1])
    points, right, kept = list[CurvePoint](), 0, 0
    for confidence, group in groupby(ranked, key=lambda item: item[1]):
        members = [triple in wanted for triple, _ in group]
        right, kept = right + sum(members), kept + len(members)
        so_far = Score(right, kept - right, len(wanted) - right)
        points.append(CurvePoint(confidence, kept / len(ranked), 1 - right / kept, so_far))
    return points


def best_threshold(points: Sequence[CurvePoint]) -> CurvePoint:
    """The point of highest F1, the higher confidence on a tie; ValueError without a point.

    It is *chosen on the reference*: say so wherever it is shown, and never report its score as the
    matcher's result.
    """
    if not points:
        raise ValueError("nothing was found, so there is no threshold to choose")
    return max(points, key=lambda point: (point.score.f1, point.confidence))

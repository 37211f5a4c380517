"""The rule judge: decides without a model, from names, vectors and the neighbourhood of both
entities.

It judges a batch as a whole, in a few rounds: a likely pair of parents raises their children (the
idea of similarity flooding, Melnik et al. 2002).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import exp, log, log10
from operator import mul
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kgnb.agents.ontology_matching.lexicon import (
    SAME,
    Lexicon,
    NameComparison,
    Surplus,
    Wordbook,
    foreign,
    opposed,
)
from kgnb.agents.ontology_matching.surroundings import (
    NO_HINTS,
    POSSIBLE,
    ContextAgreement,
    Surroundings,
)
from kgnb.agents.ontology_matching.values import (
    SIDES,
    Cosines,
    Description,
    MatchQuestion,
    Pair,
)
from kgnb.judging import Verdict
from kgnb.kg.ontology import Kind
from kgnb.kg.words import plain

SAME_MEANING = (
    0.35  # centred cosine of two definitions that is evidence neither for nor against a pair
)
FAR_MEANING = 0.2  # centred cosine below which definitions do not count further against a pair
SAME_NAME, CERTAIN = 0.9, 0.8  # overlap and probability from which a counterpart counts as certain
STATED = 20.0  # log-odds of a pair that one of the ontologies states to be equal
MASS = 0.9  # joint probability of rivals from which the best of them is chosen
NEAR, NEAREST, OF_MANY, MANY = 0.45, 0.125, 0.1, 1000
"""Of pairs without a word in common ("Place", "Location") that are each other's nearest, both
without a counterpart, at such a cosine or a higher one, one in eight is right on ten conference
pairs, one in eighteen on anatomy, 15 of 23 on six small pairs; at .35 and above one in thirteen. From
MANY entities on it counts for less. At an eighth, a cascade takes such a pair for
likely, and asks about it from one side first, not from both at once.
"""
ABROAD = 0.5
"""Cosine and lead over the next best on either side, together, from which such a pair, without a
language in common, is held to be equal. Mean F1 of eleven pairs of vocabularies 78.5, of twelve
small pairs 53.0 (.45: 76.4 and 54.9; .6: 77.9 and 46.5; by a cosine of .4 alone: 75.7 and 49.3).
"""
MOST_USUAL = 2.0  # bound of the log-odds of having a counterpart, as that estimate feeds on itself


@dataclass(frozen=True)
class Weights:
    """What each ingredient adds to the log-odds; 0 leaves it out.

    Rounded from a random search over cmt-confof and our own huts; ``supplied`` from telling labels
    and synonyms of one ontology apart. ``chance`` and the choice of ingredients were made looking
    at the sums over all tracks as well.
    """

    name: float = 10.5  # word overlap of the best pair of names
    vector: float = 3.7  # centred cosine of the names
    translated: float = 1.0  # share of that cosine that counts as overlap between languages,
    margin: float = 2.0  # and of its lead over the next best of either entity
    property_name: float = 6.0  # word overlap of properties, whose names are short and much alike
    supplied: float = 5.0  # words that only one name has and the other entity's surroundings supply
    known: float = 1.0  # words that only one name has and the other ontology uses elsewhere
    context: float = 0.8  # cosine of the names in their axioms
    meaning: float = 16.0  # centred cosine of the definitions, from ``SAME_MEANING``
    support: float = 2.3  # relatives whose counterparts are relatives too
    ends_agree: float = 8.4  # domain and range of properties are counterparts
    ends_clash: float = 6.6  # or have other counterparts
    rivals: bool = (
        True  # an entity has one counterpart: other claims on either side count against a pair
    )
    bias: float = -7.8
    prior: float = 1.0  # how usual counterparts are among these entities, in log-odds
    chance: float = 0.5  # how far to correct for evidence that arises by chance
    rounds: int = 3
    wordbook: bool = True  # word equivalences mined from the ontologies' own names


@dataclass(slots=True)
class _Case:
    """One pair while it is being weighed."""

    source: Description
    target: Description
    cosine: float
    context: float
    meaning: float | None
    stated: bool  # one of the two ontologies states that they are equal
    overlap: float = 0.0
    base: float = 0.0  # log-odds without relatives
    names: tuple[str, str] = ("", "")  # the two names, as they are written
    own_name: bool = False  # their own names are equal, not only synonyms
    opposed: bool = False  # the two names express a relation from opposite ends
    hints: ContextAgreement = NO_HINTS
    evidence: float = 0.0
    probability: float = 0.0


class RuleJudge:
    """Judges match questions without a model; the same batch always gives the same verdicts."""

    name = "rule"

    def __init__(self, weights: Weights = Weights()) -> None:
        self.weights = weights

    def judge(self, questions: Sequence[MatchQuestion]) -> list[Verdict]:
        """One verdict a question: the most probable candidate is equivalent if more probable than
        not.
        """
        cases = self.weigh(questions)
        return [self._verdict(question, cases) for question in questions]

    def weigh(self, questions: Sequence[MatchQuestion]) -> dict[Pair, _Case]:
        """Every pair among the questions, weighed."""
        cases = _cases(questions)
        self._compare_names(questions, cases)
        around = surroundings(questions)
        pairs = _Pairs(cases)
        self._share(pairs)
        for _ in range(self.weights.rounds):
            around.update(pairs.likely())
            for case in cases.values():
                case.hints = around.hints(case.source, case.target, opposed=case.opposed)
            self._share(pairs, again=True)
        if self.weights.rivals:
            _decide_between_equals(pairs)
            _doubt_the_nearest(pairs, _ahead(cases))
        numbers = zip(pairs.evidence.tolist(), pairs.probability.tolist(), strict=True)
        for case, (evidence, probability) in zip(cases.values(), numbers, strict=True):
            case.evidence, case.probability = evidence, probability
        return cases

    def _compare_names(
        self, questions: Sequence[MatchQuestion], cases: Mapping[Pair, _Case]
    ) -> None:
        descriptions = {(q.side, q.about.key): q.about for q in questions}
        sides = [
            [d for (at, _), d in descriptions.items() if at == side]
            for side in ("source", "target")
        ]
        names = [[d.names for d in side] for side in sides]
        w = self.weights
        wordbook = Wordbook(names) if w.wordbook else None
        others = ((q.other_side, d) for q in questions for d in q.others)
        also = (d.names for side, d in others if (side, d.key) not in descriptions)
        lexicon = Lexicon((one for side in names for one in side), wordbook, also)
        surplus = Surplus(lexicon, wordbook, [{d.iri: d for d in side} for side in sides])
        leads = _ahead(cases) if w.margin else [0.0] * len(cases)
        for case, ahead in zip(cases.values(), leads, strict=True):
            compared = self._compare(case, lexicon, ahead)
            supplied, known = surplus.weigh(case.source, case.target, compared)
            more = w.supplied * supplied - w.known * known
            case.base = w.bias + (self._names(case, compared.agreement) + more)

    def _share(self, pairs: _Pairs, *, again: bool = False) -> None:
        """The probability of every pair from its own evidence and that of its rivals."""
        w = self.weights
        support, ends = np.array([case.hints for case in pairs.cases]).reshape(-1, 2).T
        ends *= np.where(ends > 0, w.ends_agree, w.ends_clash)
        evidence = pairs.evidence = pairs.base + w.support * support + ends
        if again and w.prior:
            evidence = evidence + self._usual(pairs)[pairs.kind]
        if again and w.chance:
            certain = (pairs.overlap >= SAME_NAME) & (pairs.probability >= CERTAIN)
            by_kind = [_chance(pairs, evidence, certain, kind) for kind in pairs.kinds]
            slope, shift = np.array(by_kind).reshape(-1, 2)[pairs.kind].T
            evidence = evidence + w.chance * ((slope - 1.0) * evidence - shift)
        evidence = np.where(pairs.stated, STATED, evidence)
        if w.rivals:
            pairs.probability = _claims(pairs, evidence)
        else:
            alone = [1.0 / (1.0 + exp(-odds)) for odds in evidence.tolist()]
            pairs.probability = np.array(alone)

    def _usual(self, pairs: _Pairs) -> Floats:
        """The log-odds that an entity of each kind has a counterpart.

        Estimated from the last round (as Saerens et al., 2002, adjust a classifier to new priors),
        so that two models of one domain are matched more readily than two that overlap a little.
        """
        usual = []
        for kind in pairs.kinds:
            of_kind = pairs.kind == kind
            total = sum(pairs.probability[of_kind].tolist())
            most = min(len(np.unique(end[of_kind])) for end in (pairs.row, pairs.column))
            odds = log((total + 1.0) / (most - min(total, most) + 1.0))
            usual.append(self.weights.prior * max(-MOST_USUAL, min(odds, MOST_USUAL)))
        return np.array(usual)

    def _compare(self, case: _Case, lexicon: Lexicon, ahead: float) -> NameComparison:
        """The comparison of the most alike names, one of either entity."""
        source, target, nearest = case.source, case.target, SAME
        best = -1.0
        for (i, one), (j, other) in product(enumerate(source.names), enumerate(target.names)):
            compared = lexicon.compare(one, other, headed=source.kind == "class")
            if compared.likeness > best:
                best = compared.likeness
                case.own_name = (
                    compared is SAME and i < source.synonyms_from and j < target.synonyms_from
                )
                case.names, nearest = (source.spelled[i], target.spelled[j]), compared
                case.opposed = "property" in source.kind and opposed(one, other)
            if best >= 1.0:  # no two names are more alike
                break
        case.overlap = best
        translated = min(self.weights.translated * case.cosine + self.weights.margin * ahead, 1.0)
        if translated > best and foreign(source, target):
            case.overlap, nearest = translated, SAME
        return nearest

    def _names(self, case: _Case, agreement: float) -> float:
        """The log-odds of a pair's names and definitions."""
        w = self.weights
        named = w.property_name if "property" in case.source.kind else w.name
        names = (
            named * case.overlap
            + w.context * case.context
            + w.vector * agreement * max(case.cosine, 0.0)
        )
        if case.meaning is None:
            return names
        return names + w.meaning * (max(case.meaning, FAR_MEANING) - SAME_MEANING)

    def _verdict(self, question: MatchQuestion, cases: Mapping[Pair, _Case]) -> Verdict:
        weighed = [
            (cases[c.pair], other.iri)
            for c, other in zip(question.candidates, question.others, strict=True)
        ]
        weighed.sort(key=lambda entry: (-entry[0].probability, entry[1]))
        (case, iri), *others = weighed
        also = tuple(
            (other, round(o.probability, 4)) for o, other in others if o.probability >= 0.05
        )
        if case.probability >= 0.5:
            return Verdict(
                "equivalent", iri, round(case.probability, 4), _reason(case), self.name, also
            )
        also = ((iri, round(case.probability, 4)), *also) if case.probability >= 0.05 else also
        confidence = round(1.0 - case.probability, 4)
        return Verdict("different", None, confidence, f"nearest: {_reason(case)}", self.name, also)


Claim: TypeAlias = tuple[str, str, Kind]  # the name of one end, and the other end


class _Pairs:
    """All pairs as arrays, in the order of the cases."""

    def __init__(self, cases: Mapping[Pair, _Case]) -> None:
        self.cases = list(cases.values())
        self.row, self.column = (_numbered([(p[end], p[2]) for p in cases]) for end in (0, 1))
        self.kind = _numbered([pair[2] for pair in cases])
        self.kinds = range(len(set(self.kind.tolist())))
        self.base, self.overlap, self.cosine = (
            np.array([getattr(case, name) for case in self.cases], dtype=np.float64)
            for name in ("base", "overlap", "cosine")
        )
        self.stated = np.array([case.stated for case in self.cases], dtype=bool)
        self.together = _together(cases)
        self.evidence: Floats = self.base
        self.probability: Floats = np.zeros_like(self.base)
        self._pairs = list(cases)

    def likely(self) -> dict[Pair, float]:
        """The probabilities of the pairs that count as evidence for others."""
        there = np.flatnonzero(self.probability >= POSSIBLE)
        chosen = zip(there.tolist(), self.probability[there].tolist(), strict=True)
        return {self._pairs[at]: probability for at, probability in chosen}


def _together(cases: Mapping[Pair, _Case]) -> dict[int, list[Claim]]:
    """The claims of the pairs, by position, that have an entity with another's name, which claim
    together.
    """
    shared = (
        _shared(case.source for case in cases.values()),
        _shared(case.target for case in cases.values()),
    )
    together: dict[int, list[Claim]] = {}
    for at, (pair, case) in enumerate(cases.items()):
        source, target, kind = pair
        one, other = case.source.syntactic, case.target.syntactic
        claims = [(one, target, kind)] if (one, kind) in shared[0] else []
        claims += [(source, other, kind)] if (other, kind) in shared[1] else []
        if claims:
            together[at] = claims
    return together


def _claims(pairs: _Pairs, evidence: Floats) -> Floats:
    """The probabilities of all pairs; entities of one side with the same name claim a counterpart
    together.

    Else two terms for one thing (an old property and its successor) would keep each other from it.
    The assignment decides between them.
    """
    first: dict[Claim, int] = {}
    ahead: dict[int, int] = {}
    for at in sorted(pairs.together, key=lambda at: (-evidence[at], at)):
        claims = pairs.together[at]
        before = next((first[claim] for claim in claims if claim in first), None)
        if before is None:
            first.update(dict.fromkeys(claims, at))
        else:
            ahead[at] = before
    claiming = np.ones(len(evidence), dtype=bool)
    claiming[list(ahead)] = False
    found = np.zeros_like(evidence)
    found[claiming] = shares(pairs.row[claiming], pairs.column[claiming], evidence[claiming])
    for at, before in ahead.items():
        found[at] = found[before] * exp(evidence[at] - evidence[before])
    return found


def _shared(descriptions: Iterable[Description]) -> set[tuple[str, Kind]]:
    """The names that several entities of a kind have."""
    named = {description.key: description.syntactic for description in descriptions}
    numbers = Counter((name, kind) for (_, kind), name in named.items() if name)
    return {at for at, number in numbers.items() if number > 1}


def _decide_between_equals(pairs: _Pairs) -> None:
    """Choose the best of several rivals that together are likely, unless another claim stands
    against it.

    Two equally good ones would keep each other from being chosen. Equal own names come first.
    """
    probability = pairs.probability
    groups: list[tuple[int, NDArray[np.bool_]]] = []
    for end in (pairs.row, pairs.column):
        likely = np.bincount(end, probability) >= MASS
        likely[end[probability >= 0.5]] = False
        for number in np.flatnonzero(likely):
            same = end == number
            groups.append((int(same.argmax()), same))
    for _, same in sorted(groups, key=lambda group: group[0]):
        rivals = np.flatnonzero(same)
        if probability[rivals].max() >= 0.5:  # chosen since
            continue
        best = max(rivals.tolist(), key=lambda at: (pairs.cases[at].own_name, probability[at], at))
        others = (pairs.row == pairs.row[best]) | (pairs.column == pairs.column[best])
        if probability[best] >= MASS / 4 and probability[others].max() < 0.5:
            probability[best] = 0.5


def _doubt_the_nearest(pairs: _Pairs, leads: Sequence[float]) -> None:
    """Hold it possible that those without a counterpart that are each other's nearest are equal."""
    many = len({case.source.iri for case in pairs.cases}) >= MANY
    usual = OF_MANY if many else NEAREST
    likely = pairs.probability >= 0.5
    free = ~(np.isin(pairs.row, pairs.row[likely]) | np.isin(pairs.column, pairs.column[likely]))
    order = np.argsort(-pairs.cosine, kind="stable")
    order = order[free[order]]
    by_row, by_column = (
        order[np.unique(end[order], return_index=True)[1]] for end in (pairs.row, pairs.column)
    )
    for at in np.intersect1d(by_row, by_column).tolist():
        case = pairs.cases[at]
        abroad = case.cosine + leads[at] >= ABROAD and foreign(case.source, case.target)
        if abroad or case.cosine >= NEAR:
            chance = 0.5 if abroad else usual
            pairs.probability[at] = max(pairs.probability[at], chance)


def _ahead(cases: Mapping[Pair, _Case]) -> list[float]:
    """The lead of each pair's cosine over the best that either entity has with another; negative if
    behind.
    """
    cosine = np.array([case.cosine for case in cases.values()])
    others = []
    for end in (0, 1):
        place = _numbered([(pair[end], pair[2]) for pair in cases])
        order = np.lexsort((-cosine, place))
        begun = np.searchsorted(place[order], np.arange(place.max(initial=-1) + 1))
        best = np.zeros(len(cosine) + 1)  # the last has no next one
        best[:-1] = np.maximum(cosine[order], 0.0)
        alone = np.append(np.diff(begun), len(cosine) - begun[-1:]) == 1
        second = np.where(alone, 0.0, best[begun + 1])
        others.append(np.where(cosine >= best[begun][place], second[place], best[begun][place]))
    ahead: list[float] = (cosine - np.maximum(*others)).tolist()
    return ahead


def _cases(questions: Sequence[MatchQuestion]) -> dict[Pair, _Case]:
    cases: dict[Pair, _Case] = {}
    for question in questions:
        for one, source, target in question.ends():
            if one.pair not in cases:
                near, equal = one.cosines, stated(source, target)
                cosine = max(near.syntactic, near.lexical)
                cases[one.pair] = _Case(source, target, cosine, near.semantic, near.meaning, equal)
    return dict(sorted(cases.items()))


def stated(source: Description, target: Description) -> bool:
    """Whether one of the two ontologies states that they are equal, or both have the same term."""
    one, other = source.entity, target.entity
    if one.iri == other.iri:
        return True
    if other.iri in one.equivalents or other.iri in one.matches:
        return True
    return one.iri in other.equivalents or one.iri in other.matches


def surroundings(questions: Sequence[MatchQuestion]) -> Surroundings:
    """The relatives of all entities in the questions and among the candidates."""
    found = {(q.side, q.about.key): q.about for q in questions}
    found |= {(q.other_side, other.key): other for q in questions for other in q.others}
    return Surroundings(
        *([d for (at, _), d in sorted(found.items()) if at == side] for side in SIDES)
    )


def _reason(case: _Case) -> str:
    one, other = case.names
    parts = []
    if case.source.iri == case.target.iri:
        parts.append("the same IRI")
    elif case.stated:
        parts.append("said to be equal in the ontology itself")
    parts += [f"“{one}” against “{other}”: overlap {case.overlap:.2f}, cosine {case.cosine:.2f}"]
    if case.meaning is not None:
        parts.append(f"definitions {case.meaning:.2f}")
    if case.hints.support:
        parts.append(f"relatives agree {case.hints.support:.2f}")
    if case.hints.ends:
        parts.append(f"domain and range {case.hints.ends:+.2f}")
    return ", ".join(parts)


Floats = NDArray[np.float64]

NONE = -12.0  # the evidence of an entity without any candidate left
SLOPES = np.linspace(0.5, 1.1, 7)
SHIFTS = np.linspace(-2.0, 7.0, 37)
ALONE = np.linspace(0.2, 1.0, 17)  # shares of entities without a counterpart
SLOPE_SPREAD, SHIFT_SPREAD = 0.1, 0.5  # standard deviations of their priors, around 1 and 0


class Chance(NamedTuple):
    """A correction of evidence: the task supports log-odds of ``slope`` times the evidence, less
    ``shift``.

    It overestimates chance: entities with a certain counterpart are the central ones, with many
    similar to them.
    """

    slope: float = 1.0
    shift: float = 0.0


AS_IT_IS = Chance()


def _chance(pairs: _Pairs, evidence: Floats, certain: NDArray[np.bool_], kind: int) -> Chance:
    """The correction for a kind, given the pairs that are certain by name; no reference is needed.

    An entity with a certain counterpart has no other, so other candidates resemble it by chance.
    Comparing these with the best candidates of entities without a counterpart tells how far the
    latter can be believed: the local false discovery rate (Efron, 2001), with the tilted densities
    of Qin (1998). The larger and the more uniform the vocabularies, the stronger are resemblances
    by chance. Candidates with a certain counterpart of their own are ignored.
    """
    of_kind = pairs.kind == kind
    by_chance, open_ = [], []
    for here, there in ((pairs.row, pairs.column), (pairs.column, pairs.row)):
        settled = np.isin(here, here[of_kind & certain])
        free = of_kind & ~np.isin(there, there[of_kind & certain])
        best = np.full(here.max() + 1, NONE)
        np.maximum.at(best, here[free], evidence[free])
        by_chance.append(best[np.unique(here[of_kind & settled])])
        open_.append(best[np.unique(here[of_kind & ~settled])])
    return fit(np.concatenate(by_chance), np.concatenate(open_))


def fit(by_chance: Floats, open_: Floats) -> Chance:
    """The slope and shift that best separate the open entities' evidence from chance, with priors
    for small samples.
    """
    if not by_chance.size or not open_.size:
        return AS_IT_IS
    (theirs, their_number), (ours, our_number) = _counted(by_chance), _counted(open_)
    offsets = np.log(open_.size / by_chance.size) + np.log(ALONE)[:, np.newaxis]
    best, found = -np.inf, AS_IT_IS
    for slope in SLOPES:
        for shift in SHIFTS:
            expected = -0.5 * (((slope - 1.0) / SLOPE_SPREAD) ** 2 + (shift / SHIFT_SPREAD) ** 2)
            # an open entity's evidence is as likely as by chance, times alone * (1 + odds)
            likelihood = (
                -np.logaddexp(0.0, -np.logaddexp(0.0, slope * ours - shift) - offsets) @ our_number
            )
            likelihood -= (
                np.logaddexp(0.0, np.logaddexp(0.0, slope * theirs - shift) + offsets)
                @ their_number
            )
            fits = float(likelihood.max()) + expected
            if fits > best + 1e-9:
                best, found = fits, Chance(float(slope), float(shift))
    return found


def _counted(evidence: Floats) -> tuple[Floats, Floats]:
    """The distinct values, to a tenth, and their frequencies."""
    values, number = np.unique(np.round(evidence, 1), return_counts=True)
    return values, number.astype(np.float64)


Integers = NDArray[np.int64]

TURNS = 60
SETTLED = 1e-4
LIMIT = 30.0  # log-odds beyond which nothing changes


def shares(row: Integers, column: Integers, evidence: Floats) -> Floats:
    """The probability of each pair, given by position, from its log-odds; those of one entity add
    up to at most 1.

    Each entity has at most one counterpart: a pair's probability is its share of all possible
    matchings, weighted by the product of their pairs' odds. Belief propagation approximates it and
    always converges (Williams and Lau, 2014, on data association). So a rival with its own certain
    counterpart does not count, and ten weak rivals do not add up to a strong one.
    """
    if not len(evidence):
        return evidence
    return _marginals(row, column, np.exp(np.clip(evidence, -LIMIT, LIMIT)))


def _numbered(keys: Iterable[Hashable]) -> Integers:
    """The position of each key among the different ones."""
    numbers: dict[Hashable, int] = {}
    return np.array([numbers.setdefault(key, len(numbers)) for key in keys], dtype=np.int64)


def _marginals(row: Integers, column: Integers, odds: Floats) -> Floats:
    """The probability of each pair, given by position and odds; symmetric in rows and columns."""
    to_row: Floats = np.ones_like(odds)  # how free a column would be without this pair
    to_column: Floats = np.ones_like(odds)
    for _ in range(TURNS):
        # both sides use the last turn's messages, so that neither goes first
        free_column, free_row = _without(column, odds * to_column), _without(row, odds * to_row)
        change = max(
            float(np.abs(free_column - to_row).max()), float(np.abs(free_row - to_column).max())
        )
        to_row, to_column = free_column, free_row
        if change < SETTLED:
            break
    by_row, by_column = _share(row, odds * to_row), _share(column, odds * to_column)
    return np.minimum(
        by_row, by_column
    )  # equal after convergence; the minimum keeps both sums at 1 or below


def _share(place: Integers, claims: Floats) -> Floats:
    """The share of each claim if having no counterpart claims 1."""
    return np.asarray(claims / (1.0 + np.bincount(place, claims)[place]))


def _without(place: Integers, claims: Floats) -> Floats:
    """How free each pair's entity is without that pair, 0 to 1."""
    others = np.bincount(place, claims)[place] - claims
    return np.asarray(1.0 / (1.0 + np.maximum(others, 0.0)))


# Calibration. The judge's probability decides what is chosen and asked, but is 0.98 where three in
# four are right, as the evidence that it weighs is not independent. The confidence shown is the
# share of right mappings on tasks with a reference, each sort of task counting as sixty mappings at
# most. ``python -m tests.benchmarks.agents.carry_over
# --calibration`` fits the weights, and prints how they do on tasks left out.

CALIBRATION = {
    "": 1.27,
    "odds": 1.84,
    "name": 1.02,
    "name alone": 0.78,
    "foreign": -0.31,
    "small": -1.01,
    "small, name alone": -0.86,
    "small, property": 0.61,
}
"""A logistic regression on the judge's log-odds, the kind of evidence and how small the ontologies
are.
"""

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
        self._ends: set[tuple[str, str]] = (
            set()
        )  # classes at the same end of properties that are held equal
        for question in questions:
            for candidate, source, target in question.ends():
                if "property" in candidate.kind and held.get(candidate.pair, 0.0) >= LEAST:
                    one, other = source.entity, target.entity
                    self._ends |= {
                        *product(one.domain, other.domain),
                        *product(one.range, other.range),
                    }

    def evidence(self, source: Description, target: Description, cosines: Cosines) -> str:
        """The kind of evidence: a key of ``CALIBRATION``, "words", or "stated" if an ontology
        states the pair.
        """
        if stated(source, target):
            return "stated"
        named = not _plain_names(source).isdisjoint(_plain_names(target))
        if foreign(source, target) and not named:
            return "foreign"
        if "property" in source.kind:
            return "property"
        if not named:
            return "words"
        told = cosines.meaning is not None and cosines.meaning >= SAME_MEANING
        at_ends = (source.iri, target.iri) in self._ends
        return (
            "name"
            if told or at_ends or self._around.hints(source, target).support >= AGREE
            else "name alone"
        )


def features(probability: float, evidence: str, entities: int) -> list[float]:
    """The features, in the order of the weights; ``entities`` is the size of the smaller ontology."""
    odds = min(log(probability / (1.0 - min(probability, 0.9999))), SUREST) / SUREST
    small = LARGE - min(max(log10(entities), SMALLEST), LARGE)
    values = {"": 1.0, "odds": odds, evidence: 1.0, "small": small, f"small, {evidence}": small}
    return [values.get(name, 0.0) for name in CALIBRATION]


def calibrated(
    probability: float, evidence: str, entities: int, weights: Mapping[str, float] = CALIBRATION
) -> float:
    """How often mappings with this probability and evidence are right, ``LEAST`` to ``MOST``.

    Probabilities below ``LEAST``, and of stated pairs, stay as they are.
    """
    if evidence == "stated" or probability < LEAST:
        return probability
    odds = sum(map(mul, weights.values(), features(probability, evidence, entities)))
    return round(min(max(1.0 / (1.0 + exp(-odds)), LEAST), MOST), 4)


def _plain_names(description: Description) -> set[tuple[str, ...]]:
    return {tuple(map(plain, name)) for name in description.names}

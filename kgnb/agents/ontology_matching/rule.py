"""The rule judge: decides without a model, from names, vectors and the neighbourhood of both entities.

It judges a batch as one: what two neighbours are to each other is taken from their own question, in a few rounds, so
that a pair of equal parents speaks for a pair of children (similarity flooding's idea, Melnik et al. 2002).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import exp, log

import numpy as np
from numpy.typing import NDArray

from kgnb.agents.ontology_matching.lexicon import SAME, Comparison, Lexicon, Surplus, Wordbook, opposed
from kgnb.agents.ontology_matching.surroundings import NO_HINTS, Hints, Surroundings
from kgnb.agents.ontology_matching.tongues import foreign
from kgnb.agents.ontology_matching.values import Description, MatchQuestion, Pair
from kgnb.judging import Verdict
from kgnb.kg.ontology import Kind

SAME_MEANING = 0.35
"""The centred cosine at which two definitions speak neither for nor against; two people rarely define a thing alike."""

FAR_MEANING = 0.2
"""The cosine below which they are just different: what an unlike definition says against a pair has its limit."""

SAME_NAME = 0.9
CERTAIN = 0.8
"""The overlap and probability from which on a counterpart is taken for certain."""

STATED = 20.0
"""The log-odds of a pair of which one of the two ontologies says itself that it is equal."""

MASS = 0.9
"""The probability of all rivals together from which on the better of them is taken."""

MOST_USUAL = 2.0
"""How far, in log-odds, the estimate of how usual counterparts are may go: it feeds on itself."""


@dataclass(frozen=True)
class Weights:
    """What each ingredient adds to the log-odds; 0 leaves it out.

    Rounded from a random search over cmt-confof and our own huts; ``supplied`` from telling labels and synonyms of one
    ontology apart. ``chance`` and the choice of ingredients were made looking at the sums over all tracks as well.
    """

    name: float = 10.5  # word overlap of the best pair of names
    vector: float = 3.7  # cosine of the names, centred
    translated: float = 1.0  # of that cosine as overlap, where the two are named in different languages,
    margin: float = 2.0  # and of how far it is ahead of the next best of either
    property_name: float = 6.0  # the same of properties, whose names are short and much alike
    supplied: float = 5.0  # words that only one name has and the other entity's surroundings supply
    known: float = 1.0  # or that the other ontology has, and left out here
    context: float = 0.8  # cosine of what their axioms mention
    meaning: float = 16.0  # cosine of the definitions, centred, above or below what unrelated ones have
    support: float = 2.3  # relatives whose counterparts are relatives too
    ends_agree: float = 8.4  # domain and range of properties have counterparts in each other
    ends_clash: float = 6.6  # or in something else
    rivals: bool = True  # an entity has one counterpart: other claims on either side count against a pair
    bias: float = -7.8
    prior: float = 1.0  # how usual counterparts are among these entities, in log-odds
    chance: float = 0.5  # how far to believe what the task itself says about evidence that arises by chance
    rounds: int = 3
    wordbook: bool = True  # what the ontologies' own names say about their words


@dataclass(slots=True)
class _Case:
    """One pair while it is being weighed."""

    source: Description
    target: Description
    cosine: float
    context: float
    meaning: float | None
    stated: bool  # one of the two ontologies says that they are equal
    overlap: float = 0.0
    agreement: float = 1.0  # of the two names that are most alike
    surplus: float = 0.0  # what the words that one name has and the other lacks add
    names: tuple[str, str] = ("", "")  # the two compared, as they are written
    own_name: bool = False  # their own names, no synonyms, are equal
    opposed: bool = False  # the two names say a relation from either end
    hints: Hints = NO_HINTS
    evidence: float = 0.0
    probability: float = 0.0


class RuleJudge:
    """Judges match questions without a model; the same batch always gives the same verdicts."""

    name = "rule"

    def __init__(self, weights: Weights = Weights()) -> None:
        self.weights = weights

    def judge(self, questions: Sequence[MatchQuestion]) -> list[Verdict]:
        """One verdict a question: the most probable candidate is equivalent if more probable than not."""
        cases = self.weigh(questions)
        return [self._verdict(question, cases) for question in questions]

    def weigh(self, questions: Sequence[MatchQuestion]) -> dict[Pair, _Case]:
        """Every pair among the questions, weighed."""
        cases = _cases(questions)
        self._compare_names(questions, cases)
        self._settle(cases, surroundings(questions))
        if self.weights.rivals:
            _decide_between_equals(cases)
        return cases

    def _settle(self, cases: Mapping[Pair, _Case], surroundings: Surroundings) -> None:
        """Round by round: what each pair is likely to be, in the light of its rivals and of what its relatives are."""
        self._share(cases)
        for _ in range(self.weights.rounds):
            surroundings.update({pair: case.probability for pair, case in cases.items()})
            for case in cases.values():
                case.hints = surroundings.hints(case.source, case.target, opposed=case.opposed)
            self._share(cases, again=True)

    def _compare_names(self, questions: Sequence[MatchQuestion], cases: Mapping[Pair, _Case]) -> None:
        descriptions = {(q.side, q.about.key): q.about for q in questions}
        sides = [[d for (at, _), d in descriptions.items() if at == side] for side in ("source", "target")]
        names = [[d.names for d in side] for side in sides]
        w = self.weights
        wordbook = Wordbook(names) if w.wordbook else None
        lexicon = Lexicon((one for side in names for one in side), wordbook)
        surplus = Surplus(lexicon, wordbook, [{d.iri: d for d in side} for side in sides])
        ahead = _ahead(cases) if w.margin else {}
        for pair, case in cases.items():
            compared = self._compare(case, lexicon, ahead.get(pair, 0.0))
            supplied, known = surplus.weigh(case.source, case.target, compared)
            case.agreement, case.surplus = compared.agreement, w.supplied * supplied - w.known * known

    def _share(self, cases: Mapping[Pair, _Case], *, again: bool = False) -> None:
        """The probability of every pair: its own evidence, and what its rivals leave of it."""
        for case in cases.values():
            case.evidence = self._evidence(case)
        usual = self._usual(cases) if again and self.weights.prior else {}
        evidence = {pair: case.evidence + usual.get(pair[2], 0.0) for pair, case in cases.items()}
        if again and self.weights.chance:
            by_kind = chances(evidence, (pair for pair, case in cases.items() if _certain(case)))
            evidence = {
                pair: by_kind.get(pair[2], AS_IT_IS).odds(e, self.weights.chance) for pair, e in evidence.items()
            }
        evidence |= {pair: STATED for pair, case in cases.items() if case.stated}
        found = (
            _claims(cases, evidence) if self.weights.rivals else {pair: _logistic(e) for pair, e in evidence.items()}
        )
        for pair, probability in found.items():
            cases[pair].probability = probability

    def _usual(self, cases: Mapping[Pair, _Case]) -> dict[Kind, float]:
        """How much more usual it is for an entity of a kind to have a counterpart than not, as log-odds.

        Estimated from the last round (as Saerens et al., 2002, adjust a classifier to new priors), so that two models
        of one thing are matched more readily than two that share a corner.
        """
        found: dict[Kind, float] = {}
        ends: dict[Kind, tuple[set[str], set[str]]] = {}
        for (source, target, kind), case in cases.items():
            found[kind] = found.get(kind, 0.0) + case.probability
            ones, others = ends.setdefault(kind, (set(), set()))
            ones.add(source)
            others.add(target)
        usual: dict[Kind, float] = {}
        for kind, total in found.items():
            most = min(map(len, ends[kind]))
            odds = log((total + 1.0) / (most - min(total, most) + 1.0))
            usual[kind] = self.weights.prior * max(-MOST_USUAL, min(odds, MOST_USUAL))
        return usual

    def _compare(self, case: _Case, lexicon: Lexicon, ahead: float) -> Comparison:
        """The two names, one a side, that are most alike, compared."""
        source, target, nearest = case.source, case.target, SAME
        best = -1.0
        for (i, one), (j, other) in product(enumerate(source.names), enumerate(target.names)):
            compared = lexicon.compare(one, other, headed=source.kind == "class")
            if compared.likeness > best:
                best = compared.likeness
                case.own_name = compared == SAME and i < source.synonyms_from and j < target.synonyms_from
                case.names, nearest = (source.spelled[i], target.spelled[j]), compared
                case.opposed = "property" in source.kind and opposed(one, other)
        case.overlap = best
        translated = min(self.weights.translated * case.cosine + self.weights.margin * ahead, 1.0)
        if translated > best and foreign(source, target):
            case.overlap, nearest = translated, SAME
        return nearest

    def _evidence(self, case: _Case) -> float:
        """The log-odds of a pair, its rivals aside."""
        w, hints = self.weights, case.hints
        ends = hints.ends * (w.ends_agree if hints.ends > 0 else w.ends_clash)
        named = w.property_name if "property" in case.source.kind else w.name
        names = named * case.overlap + w.context * case.context + w.vector * case.agreement * max(case.cosine, 0.0)
        names += w.meaning * (max(case.meaning, FAR_MEANING) - SAME_MEANING) if case.meaning is not None else 0.0
        names += case.surplus
        return w.bias + names + w.support * hints.support + ends

    def _verdict(self, question: MatchQuestion, cases: Mapping[Pair, _Case]) -> Verdict:
        weighed = [(cases[c.pair], other.iri) for c, other in zip(question.candidates, question.others, strict=True)]
        weighed.sort(key=lambda entry: (-entry[0].probability, entry[1]))
        (case, iri), *others = weighed
        also = tuple((other, round(o.probability, 4)) for o, other in others if o.probability >= 0.05)
        if case.probability >= 0.5:
            return Verdict("equivalent", iri, round(case.probability, 4), _reason(case), self.name, also)
        also = ((iri, round(case.probability, 4)), *also) if case.probability >= 0.05 else also
        confidence = round(1.0 - case.probability, 4)
        return Verdict("different", None, confidence, f"nearest: {_reason(case)}", self.name, also)


def _claims(cases: Mapping[Pair, _Case], evidence: Mapping[Pair, float]) -> dict[Pair, float]:
    """The shares of all pairs, where entities of one name on one side claim a counterpart together.

    Else two that an ontology has for one thing (an old property and its heir) would keep each other from it. Which of
    them gets it is for the assignment to say.
    """
    shared = _shared(case.source for case in cases.values()), _shared(case.target for case in cases.values())
    first: dict[tuple[str, str, Kind], Pair] = {}
    ahead: dict[Pair, Pair] = {}
    for pair in sorted(evidence, key=lambda pair: (-evidence[pair], pair)):
        (source, target, kind), (one, other) = pair, (cases[pair].source.syntactic, cases[pair].target.syntactic)
        claims = [(one, target, kind)] if (one, kind) in shared[0] else []
        claims += [(source, other, kind)] if (other, kind) in shared[1] else []
        before = next((first[claim] for claim in claims if claim in first), None)
        if before is None:
            first.update(dict.fromkeys(claims, pair))
        else:
            ahead[pair] = before
    found = shares({pair: value for pair, value in evidence.items() if pair not in ahead})
    for pair, before in ahead.items():
        found[pair] = found[before] * exp(evidence[pair] - evidence[before])
    return found


def _shared(descriptions: Iterable[Description]) -> set[tuple[str, Kind]]:
    """The names that several entities of a kind have."""
    named = {description.key: description.syntactic for description in descriptions}
    numbers = Counter((name, kind) for (_, kind), name in named.items() if name)
    return {at for at, number in numbers.items() if number > 1}


def _decide_between_equals(cases: Mapping[Pair, _Case]) -> None:
    """Where one of several rivals is right more probably than not, the better is taken, if nothing else claims it.

    Two that are equally good would keep each other from being chosen at all. Equal own names go first.
    """
    claims: dict[tuple[int, str, Kind], list[Pair]] = defaultdict(list)
    for pair in cases:
        claims[0, pair[0], pair[2]].append(pair)
        claims[1, pair[1], pair[2]].append(pair)
    for pairs in claims.values():
        if sum(cases[pair].probability for pair in pairs) < MASS or any(cases[p].probability >= 0.5 for p in pairs):
            continue
        best = max(pairs, key=lambda pair: (cases[pair].own_name, cases[pair].probability, pair))
        others = (*claims[0, best[0], best[2]], *claims[1, best[1], best[2]])
        if cases[best].probability >= MASS / 4 and all(cases[p].probability < 0.5 for p in others):
            cases[best].probability = 0.5


def _ahead(cases: Mapping[Pair, _Case]) -> dict[Pair, float]:
    """How far each pair's cosine is ahead of the best that either of the two has with another; below 0: behind."""
    best: dict[tuple[int, str, Kind], list[float]] = defaultdict(lambda: [0.0, 0.0])
    for (source, target, kind), case in cases.items():
        for at in ((0, source, kind), (1, target, kind)):
            best[at] = sorted([*best[at], case.cosine])[-2:]
    found: dict[Pair, float] = {}
    for pair, case in cases.items():
        source, target, kind = pair
        rivals = [
            best[at][0] if case.cosine >= best[at][1] else best[at][1] for at in ((0, source, kind), (1, target, kind))
        ]
        found[pair] = case.cosine - max(rivals)
    return found


def _cases(questions: Sequence[MatchQuestion]) -> dict[Pair, _Case]:
    cases: dict[Pair, _Case] = {}
    for question in questions:
        for candidate, source, target in question.ends():
            if candidate.pair not in cases:
                near = candidate.cosines
                cosine = max(near.syntactic, near.lexical)
                cases[candidate.pair] = _Case(
                    source, target, cosine, near.semantic, near.meaning, stated(source, target)
                )
    return dict(sorted(cases.items()))


def stated(source: Description, target: Description) -> bool:
    """Whether one of the two ontologies says itself that they are equal."""
    ends = ((source.entity, target.iri), (target.entity, source.iri))
    return any(iri in entity.equivalents or iri in entity.matches for entity, iri in ends)


def surroundings(questions: Sequence[MatchQuestion]) -> Surroundings:
    """The relatives of all that is asked about or offered."""
    sides = {(q.side, q.about.key): q.about for q in questions}
    sides |= {("target" if q.side == "source" else "source", o.key): o for q in questions for o in q.others}
    ordered = sorted(sides.items())
    return Surroundings(
        (d for (side, _), d in ordered if side == "source"), (d for (side, _), d in ordered if side == "target")
    )


def _certain(case: _Case) -> bool:
    return case.overlap >= SAME_NAME and case.probability >= CERTAIN


def _logistic(evidence: float) -> float:
    return 1.0 / (1.0 + exp(-evidence))


def _reason(case: _Case) -> str:
    one, other = case.names
    parts = ["said to be equal in the ontology itself"] if case.stated else []
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
ALONE = np.linspace(0.2, 1.0, 17)  # shares of entities that have no counterpart
SLOPE_SPREAD = 0.1  # how far the slope is expected from 1, and
SHIFT_SPREAD = 0.5  # the shift from 0, before anything is seen


@dataclass(frozen=True, slots=True)
class Chance:
    """What to make of evidence: ``slope`` times it, less ``shift``, are the log-odds that the task itself bears out.

    An overestimate of chance: entities with a certain counterpart are the central ones, with many like them.
    """

    slope: float = 1.0
    shift: float = 0.0

    def odds(self, evidence: float, belief: float = 1.0) -> float:
        """The log-odds that some evidence stands for, if this is believed so far."""
        return evidence + belief * ((self.slope - 1.0) * evidence - self.shift)


AS_IT_IS = Chance()


def chances(evidence: Mapping[Pair, float], certain: Iterable[Pair]) -> dict[Kind, Chance]:
    """For each kind, how much evidence means, given the pairs whose names leave no doubt; no reference is looked at.

    An entity whose counterpart is certain has no other; so whatever else looks like it does so by chance. How strong
    such chance likenesses get, beside the best candidates of the entities still without a counterpart, says how far
    those can be believed: the local false discovery rate (Efron, 2001), by the tilted densities of Qin (1998). The
    larger and the more uniform the vocabularies, the stronger are their chance likenesses.
    """
    known: dict[Kind, list[Pair]] = defaultdict(list)
    for pair in certain:
        known[pair[2]].append(pair)
    found: dict[Kind, Chance] = {}
    for kind, pairs in sorted(known.items()):
        found[kind] = fit(*_best({pair[:2]: value for pair, value in evidence.items() if pair[2] == kind}, pairs))
    return found


def _best(pairs: Mapping[tuple[str, str], float], certain: list[Pair]) -> tuple[Floats, Floats]:
    """The best evidence of each entity with a certain counterpart, that aside, and of each without.

    Candidates with a certain counterpart of their own are passed over: they are spoken for.
    """
    by_chance: list[float] = []
    open_: list[float] = []
    for side in (0, 1):
        settled, spoken_for = {pair[side] for pair in certain}, {pair[1 - side] for pair in certain}
        best: dict[str, float] = {}
        for ends, value in pairs.items():
            known = best.setdefault(ends[side], NONE)
            if value > known and ends[1 - side] not in spoken_for:
                best[ends[side]] = value
        for entity, value in best.items():
            (by_chance if entity in settled else open_).append(value)
    return np.array(by_chance), np.array(open_)


def fit(by_chance: Floats, open_: Floats) -> Chance:
    """The slope and shift under which the open entities' evidence is best told from chance.

    Where little is seen, both stay near what they are without looking.
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
            likelihood = -np.logaddexp(0.0, -np.logaddexp(0.0, slope * ours - shift) - offsets) @ our_number
            likelihood -= np.logaddexp(0.0, np.logaddexp(0.0, slope * theirs - shift) + offsets) @ their_number
            fits = float(likelihood.max()) + expected
            if fits > best + 1e-9:
                best, found = fits, Chance(float(slope), float(shift))
    return found


def _counted(evidence: Floats) -> tuple[Floats, Floats]:
    """The distinct values, to a tenth, and how often each occurs."""
    values, number = np.unique(np.round(evidence, 1), return_counts=True)
    return values, number.astype(np.float64)


Integers = NDArray[np.int64]

TURNS = 60
SETTLED = 1e-4
LIMIT = 30.0  # log-odds beyond which nothing changes


def shares(evidence: Mapping[Pair, float]) -> dict[Pair, float]:
    """The probability of each pair, 0 to 1, from log-odds; those of one entity add up to at most 1.

    Each entity takes one counterpart or none: a pair's share is that of all ways to pair the entities up, each weighed
    by the product of its pairs' odds. Belief propagation comes close to it and always settles (Williams and Lau, 2014,
    on data association). A rival that has its own certain counterpart therefore stands in nobody's way, and ten weak
    rivals do not add up to a strong one.
    """
    pairs = list(evidence)
    if not pairs:
        return {}
    row, column = places(pairs)
    odds = np.exp(np.clip(np.array([evidence[pair] for pair in pairs]), -LIMIT, LIMIT))
    return dict(zip(pairs, marginals(row, column, odds).tolist(), strict=True))


def places(pairs: Sequence[Pair]) -> tuple[Integers, Integers]:
    """Each pair's row and column in a matrix of all sources and targets there are."""
    ends = ([(pair[end], pair[2]) for pair in pairs] for end in (0, 1))
    numbers = ((side, {key: n for n, key in enumerate(dict.fromkeys(side))}) for side in ends)
    row, column = (np.array([number[key] for key in side]) for side, number in numbers)
    return row, column


def marginals(row: Integers, column: Integers, odds: Floats) -> Floats:
    """The probability of each pair, given as positions and odds; the same if rows and columns change places."""
    to_row: Floats = np.ones_like(odds)  # how free a column would be, were it not for this pair
    to_column: Floats = np.ones_like(odds)
    for _ in range(TURNS):
        # both sides listen to the last turn's messages, so that neither goes first
        free_column, free_row = _without(column, odds * to_column), _without(row, odds * to_row)
        change = max(float(np.abs(free_column - to_row).max()), float(np.abs(free_row - to_column).max()))
        to_row, to_column = free_column, free_row
        if change < SETTLED:
            break
    by_row, by_column = _share(row, odds * to_row), _share(column, odds * to_column)
    return np.minimum(by_row, by_column)  # the same once settled; of neither do an entity's shares add up to over 1


def _share(place: Integers, claims: Floats) -> Floats:
    """What each claim gets where staying alone claims 1."""
    return np.asarray(claims / (1.0 + np.bincount(place, claims)[place]))


def _without(place: Integers, claims: Floats) -> Floats:
    """How free each pair's entity is, 0 to 1, were it not for that pair."""
    others = np.bincount(place, claims)[place] - claims
    return np.asarray(1.0 / (1.0 + np.maximum(others, 0.0)))

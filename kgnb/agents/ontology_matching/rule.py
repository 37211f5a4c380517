"""The rule judge: decides without a model, from names, vectors and the neighbourhood of both entities.

It judges a batch as one: what two neighbours are to each other is taken from their own question, in a few rounds, so
that a pair of equal parents speaks for a pair of children (similarity flooding's idea, Melnik et al. 2002).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import exp

from kgnb.agents.ontology_matching.lexicon import Lexicon, Name
from kgnb.agents.ontology_matching.surroundings import Hints, Surroundings
from kgnb.agents.ontology_matching.values import Candidate, Description, MatchQuestion, Pair
from kgnb.judging import Verdict

SAME_MEANING = 0.35
"""The centred cosine at which two definitions speak neither for nor against; two people rarely define a thing alike."""


@dataclass(frozen=True)
class Weights:
    """What each ingredient adds to the log-odds; 0 leaves it out. Set by hand, looking at cmt-confof and huts only."""

    name: float = 7.0  # word overlap of the best pair of names
    synonym: float = 0.03  # taken off the overlap for each side whose name is a synonym
    vector: float = 3.0  # cosine of the names, centred
    meaning: float = 8.0  # cosine of the definitions, centred, above or below what unrelated ones have
    support: float = 2.0  # relatives whose counterparts are relatives too
    conflict: float = 2.5  # relatives whose counterparts are elsewhere
    ends_agree: float = 3.0  # domain and range of properties have counterparts in each other
    ends_clash: float = 4.0  # or in something else
    ahead: float = 1.0  # how far ahead of the next candidate, in log-odds, at most 1
    behind: float = 1.0  # how far behind the best one, at most 3
    bias: float = -7.2
    rounds: int = 3


@dataclass
class _Case:
    """One pair while it is being weighed."""

    source: Description
    target: Description
    cosine: float
    meaning: float | None
    overlap: float
    names: tuple[Name, Name]
    hints: Hints = Hints()
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
        cases = self._cases(questions)
        sides = {(q.side, q.about.key): q.about for q in questions}
        sides |= {("target" if q.side == "source" else "source", o.key): o for q in questions for o in q.others}
        ordered = sorted(sides.items())
        surroundings = Surroundings(
            (d for (side, _), d in ordered if side == "source"), (d for (side, _), d in ordered if side == "target")
        )
        for case in cases.values():
            case.evidence = self._evidence(case)
            case.probability = _logistic(case.evidence)
        for _ in range(self.weights.rounds):
            surroundings.update({pair: case.probability for pair, case in cases.items()})
            for case in cases.values():
                case.hints = surroundings.hints(case.source, case.target)
                case.evidence = self._evidence(case)
            for pair, margin in _margins(cases).items():
                bonus = (
                    self.weights.ahead * min(margin, 1.0) if margin >= 0 else self.weights.behind * max(margin, -3.0)
                )
                cases[pair].probability = _logistic(cases[pair].evidence + bonus)
        return cases

    def _cases(self, questions: Sequence[MatchQuestion]) -> dict[Pair, _Case]:
        lexicon = Lexicon({(q.side, q.about.key): q.about.names for q in questions}.values())
        cases: dict[Pair, _Case] = {}
        for question in questions:
            for candidate, other in zip(question.candidates, question.others, strict=True):
                if candidate.pair not in cases:
                    ends = (question.about, other) if question.side == "source" else (other, question.about)
                    cases[candidate.pair] = self._case(candidate, *ends, lexicon)
        return dict(sorted(cases.items()))

    def _case(self, candidate: Candidate, source: Description, target: Description, lexicon: Lexicon) -> _Case:
        best = (-1.0, source.names[0], target.names[0])
        for (i, one), (j, other) in product(enumerate(source.names), enumerate(target.names)):
            likeness = lexicon.likeness(one, other, headed=source.kind == "class")
            likeness -= self.weights.synonym * ((i >= source.synonyms_from) + (j >= target.synonyms_from))
            if likeness > best[0]:
                best = (likeness, one, other)
        near = candidate.cosines
        return _Case(source, target, max(near.syntactic, near.lexical), near.meaning, best[0], (best[1], best[2]))

    def _evidence(self, case: _Case) -> float:
        """The log-odds of a pair, its rivals aside."""
        w, hints = self.weights, case.hints
        ends = hints.ends * (w.ends_agree if hints.ends > 0 else w.ends_clash)
        names = w.name * case.overlap + w.vector * max(case.cosine, 0.0)
        names += w.meaning * (case.meaning - SAME_MEANING) if case.meaning is not None else 0.0
        return w.bias + names + w.support * hints.support - w.conflict * hints.conflict + ends

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


def _margins(cases: Mapping[Pair, _Case]) -> dict[Pair, float]:
    """How far each pair's evidence is ahead of (or behind) the best other pair of either of its entities."""
    values: dict[tuple[int, str, str], list[float]] = {}
    for (source, target, kind), case in cases.items():
        for place in ((0, source, kind), (1, target, kind)):
            values.setdefault(place, []).append(case.evidence)
    top = {place: sorted(those, reverse=True)[:2] for place, those in values.items()}
    margins: dict[Pair, float] = {}
    for (source, target, kind), case in cases.items():
        rivals = []
        for place in ((0, source, kind), (1, target, kind)):
            first, *second = top[place]
            rivals.append(first if case.evidence < first else second[0] if second else case.evidence - 1.0)
        margins[source, target, kind] = case.evidence - max(rivals)
    return margins


def _logistic(evidence: float) -> float:
    return 1.0 / (1.0 + exp(-evidence))


def _reason(case: _Case) -> str:
    one, other = (" ".join(name) for name in case.names)
    parts = [f"“{one}” against “{other}”: overlap {case.overlap:.2f}, cosine {case.cosine:.2f}"]
    if case.meaning is not None:
        parts.append(f"definitions {case.meaning:.2f}")
    if case.hints.support:
        parts.append(f"relatives agree {case.hints.support:.2f}")
    if case.hints.conflict:
        parts.append(f"relatives conflict {case.hints.conflict:.2f}")
    if case.hints.ends:
        parts.append(f"domain and range {case.hints.ends:+.2f}")
    return ", ".join(parts)

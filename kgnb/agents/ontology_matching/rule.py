"""The rule judge: decides without a model, from names, vectors and the neighbourhood of both entities.

It judges a batch as one: what two neighbours are to each other is taken from their own question, in a few rounds, so
that a pair of equal parents speaks for a pair of children (similarity flooding's idea, Melnik et al. 2002).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import exp

from kgnb.agents.ontology_matching.lexicon import Lexicon, Name
from kgnb.agents.ontology_matching.values import Candidate, Description, Key, MatchQuestion, Pair
from kgnb.judging import Verdict
from kgnb.kg.ontology import Kind

PROPERTIES: tuple[Kind, ...] = ("object property", "datatype property", "annotation property")


@dataclass(frozen=True)
class Weights:
    """What each ingredient adds to the evidence; set to 0 to leave one out. Chosen by hand, looking at cmt-confof only."""

    name: float = 7.0  # word overlap of the best pair of names
    synonym: float = 0.03  # taken off the overlap for each side whose name is a synonym
    vector: float = 3.0  # cosine of names and definitions, centred
    around: float = 2.0  # relatives that are alike
    against: float = 1.5  # relatives that should be alike and are not
    ends: float = 4.0  # domain and range of properties that are alike, or not
    rival: float = 1.5  # how much better than the next candidate
    bias: float = -6.6
    rounds: int = 3


@dataclass
class _Case:
    """One pair while it is being weighed."""

    source: Description
    target: Description
    cosine: float
    overlap: float
    names: tuple[Name, Name]
    around: float = 0.0
    against: float = 0.0
    ends: float = 0.0
    probability: float = field(default=0.0)


class RuleJudge:
    """Judges match questions without a model; the same batch always gives the same verdicts."""

    name = "rule"

    def __init__(self, weights: Weights = Weights()) -> None:
        self.weights = weights

    def judge(self, questions: Sequence[MatchQuestion]) -> list[Verdict]:
        """One verdict a question: the most probable candidate is equivalent if more probable than not."""
        cases = self._cases(questions)
        likeness = _Likeness(cases)
        for case in cases.values():
            case.probability = self._probability(case, 0.0)
        for _ in range(self.weights.rounds):
            likeness.update(cases)
            for case in cases.values():
                case.around, case.against = _around(case, likeness)
                case.ends = _ends(case, likeness)
            margins = _margins(cases)
            for pair, case in cases.items():
                case.probability = self._probability(case, margins[pair])
        return [self._verdict(question, cases) for question in questions]

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
            likeness = lexicon.likeness(one, other)
            likeness -= self.weights.synonym * ((i >= source.synonyms_from) + (j >= target.synonyms_from))
            if likeness > best[0]:
                best = (likeness, one, other)
        syntactic, lexical, _ = candidate.cosines
        return _Case(source, target, max(syntactic, lexical), best[0], (best[1], best[2]))

    def _probability(self, case: _Case, margin: float) -> float:
        w = self.weights
        evidence = w.bias + w.name * case.overlap + w.vector * max(case.cosine, 0.0)
        evidence += w.around * case.around - w.against * case.against + w.ends * case.ends + w.rival * min(margin, 0.0)
        return 1.0 / (1.0 + exp(-evidence))

    def _verdict(self, question: MatchQuestion, cases: Mapping[Pair, _Case]) -> Verdict:
        ranked = sorted(
            ((cases[c.pair].probability, other.iri, cases[c.pair]) for c, other in zip(question.candidates, question.others, strict=True)),
            key=lambda entry: (-entry[0], entry[1]),
        )
        probability, iri, case = ranked[0]
        also = tuple((other, round(p, 4)) for p, other, _ in ranked[1:] if p >= 0.05)
        if probability >= 0.5:
            return Verdict("equivalent", iri, round(probability, 4), _reason(case), self.name, also)
        also = ((iri, round(probability, 4)), *also) if probability >= 0.05 else also
        return Verdict("different", None, round(1.0 - probability, 4), f"nearest: {_reason(case)}", self.name, also)


class _Likeness:
    """How probable it is that two entities are the same, as far as the round before knows."""

    def __init__(self, cases: Mapping[Pair, _Case]) -> None:
        self._by_iri: dict[tuple[str, str], float] = {}
        self.known_source = {iri for iri, _, _ in cases}
        self.known_target = {iri for _, iri, _ in cases}

    def update(self, cases: Mapping[Pair, _Case]) -> None:
        self._by_iri = {}
        for (source, target, _), case in cases.items():
            self._by_iri[source, target] = max(case.probability, self._by_iri.get((source, target), 0.0))

    def of(self, source: str, target: str) -> float:
        """1 for the same IRI on both sides (xsd:string), else what the last round found."""
        return 1.0 if source == target else self._by_iri.get((source, target), 0.0)

    def best(self, sources: Iterable[str], targets: Sequence[str]) -> float | None:
        """Mean, over the side with fewer members, of the best likeness on the other; None if a side is empty."""
        ones = list(sources)
        if not ones or not targets:
            return None
        if len(ones) > len(targets):
            return sum(max(self.of(one, other) for one in ones) for other in targets) / len(targets)
        return sum(max(self.of(one, other) for other in targets) for one in ones) / len(ones)


def _around(case: _Case, likeness: _Likeness) -> tuple[float, float]:
    """How alike the relatives are (0 to 1), and how unlike those that should be alike (0 to 1)."""
    source, target = case.source.entity, case.target.entity
    groups = [
        likeness.best(source.parents, target.parents),
        likeness.best(source.children, target.children),
        likeness.best(_fillers(case.source), _fillers(case.target)),
    ]
    known = [value for value in groups if value is not None]
    if not known:
        return 0.0, 0.0
    parents = groups[0]
    return max(known), (1.0 - parents if parents is not None and max(known) < 0.3 else 0.0)


def _fillers(description: Description) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one.filler for one in description.entity.restrictions if ":" in one.filler))


def _ends(case: _Case, likeness: _Likeness) -> float:
    """Agreement of domain and range, -1 to 1; 0 for anything but properties and where nothing is declared."""
    if case.source.kind not in PROPERTIES:
        return 0.0
    source, target = case.source.entity, case.target.entity
    known = [
        value
        for value in (likeness.best(source.domain, target.domain), likeness.best(source.range, target.range))
        if value is not None
    ]
    return 2.0 * sum(known) / len(known) - 1.0 if known else 0.0


def _margins(cases: Mapping[Pair, _Case]) -> dict[Pair, float]:
    """How much more probable each pair is than the best other pair of either of its entities."""
    best: dict[tuple[int, Key], list[float]] = {}
    for (source, target, kind), case in cases.items():
        for place in ((0, (source, kind)), (1, (target, kind))):
            best.setdefault(place, []).append(case.probability)
    top = {place: sorted(values, reverse=True)[:2] for place, values in best.items()}
    margins: dict[Pair, float] = {}
    for (source, target, kind), case in cases.items():
        rivals = []
        for place in ((0, (source, kind)), (1, (target, kind))):
            first, *rest = top[place]
            rivals.append(rest[0] if rest and case.probability >= first else (first if case.probability < first else 0.0))
        margins[source, target, kind] = case.probability - max(rivals)
    return margins


def _reason(case: _Case) -> str:
    one, other = (" ".join(name) for name in case.names)
    parts = [f"“{one}” against “{other}”: overlap {case.overlap:.2f}", f"cosine {case.cosine:.2f}"]
    if case.around or case.against:
        parts.append(f"relatives {case.around:.2f}")
    if case.ends:
        parts.append(f"domain and range {case.ends:+.2f}")
    return ", ".join(parts)

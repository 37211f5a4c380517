"""People's decisions about pairs of entities, and a judge that obeys them.

A decision is about a pair, not about the wording of one question: it holds from either side, and
still holds when descriptions or candidates have changed. Rejected candidates are not offered to any
judge.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, cast

from kgnb import judging
from kgnb.agents.ontology_matching.values import KINDS, MatchQuestion, Pair
from kgnb.judging import Decision, Judge, Verdict
from kgnb.judging.person import PERSON, SubjectDecisions, signature, verdict_of
from kgnb.kg.labels import readable
from kgnb.kg.ontology import Kind, Ontology
from kgnb.mappings import Alignment, Dropped, Relation, turned, which_concepts
from kgnb.mappings import Mapping as AlignedPair

End = tuple[str, str, Kind]  # side, IRI, kind


@dataclass(frozen=True)
class PairDecision:
    """A person's decision about one pair: ``relation`` is that of the target to the source,
    "different" for none.
    """

    source: str
    target: str
    kind: Kind
    relation: Relation
    who: str = ""
    when: str = ""
    note: str = ""

    @property
    def pair(self) -> Pair:
        """Source, target and kind."""
        return (self.source, self.target, self.kind)

    @property
    def turned(self) -> PairDecision:
        """The same, seen from the target."""
        return replace(self, source=self.target, target=self.source, relation=turned(self.relation))

    @property
    def signature(self) -> str:
        """The person, as in ``Verdict.judged_by``."""
        return signature(self.who)


class PairDecisions(Protocol):
    """A source of decisions."""

    def by_pair(self) -> dict[Pair, PairDecision]:
        """The decisions in force, oldest first."""

    def standing(self) -> dict[str, Decision]:
        """Decisions by question id."""


class MatchDecisions(SubjectDecisions):
    """A file of decisions on matching questions; each line says which entity and which candidates
    it is about.
    """

    def take_over(self, decisions: Iterable[PairDecision]) -> int:
        """Add decisions made elsewhere, unless they are in force already; returns how many were
        added.
        """
        known = self.by_pair()
        new = [one for one in decisions if known.get(one.pair) != one]
        for one in new:
            choice = None if one.relation == "different" else one.target
            question, about = (
                f"pair {one.source} {one.target} {one.kind}",
                ("source", one.source, one.kind),
            )
            self._add(
                Decision(
                    question,
                    one.relation,
                    choice,
                    one.who,
                    one.note,
                    one.when,
                    about,
                    (one.target,),
                )
            )
        return len(new)

    def by_pair(self) -> dict[Pair, PairDecision]:
        """The decisions in force; a later one replaces an earlier one on the same pair."""
        found: dict[Pair, PairDecision] = {}
        for decision in self.standing().values():
            for one in _pairs(decision):
                found.pop(one.pair, None)
                found[one.pair] = one
        return found


def _pairs(decision: Decision) -> list[PairDecision]:
    """A decision for the chosen candidate, or one for each candidate that was rejected by "none of
    these".
    """
    if len(decision.about) != 3 or not decision.decision:
        return []
    side, iri, kind = decision.about
    none = decision.choice is None
    relation = cast(Relation, "different" if none else decision.decision)
    others = decision.offered if none else (decision.choice or "",)
    who, when, note = decision.who, decision.when, decision.note
    found = [
        PairDecision(iri, other, cast(Kind, kind), relation, who, when, note) for other in others
    ]
    return [one.turned for one in found] if side == "target" else found


class GivenDecisions:
    """Decisions that exist already, as from a file of reviewed mappings.

    They hold for entities of any kind, as such files seldom distinguish kinds of property, and
    whichever of the two ontologies comes first.
    """

    def __init__(self, decisions: Iterable[PairDecision]) -> None:
        either = (one for decision in decisions for one in (decision.turned, decision))
        every = (replace(one, kind=kind) for one in either for kind in KINDS)
        self._decisions = {one.pair: one for one in every}

    def by_pair(self) -> dict[Pair, PairDecision]:
        """All of them."""
        return self._decisions

    def standing(self) -> dict[str, Decision]:
        """None: they belong to pairs, not to questions."""
        return {}


class ReviewedMatches(judging.Reviewed[MatchQuestion]):
    """A judge overruled by people: it is not asked about what they decided. Without a judge the
    rest waits.

    ``exclusive`` (the alignment is one to one): an entity that has a decided counterpart is offered
    to no other.
    """

    def __init__(
        self,
        decisions: PairDecisions,
        judge: Judge[MatchQuestion] | None = None,
        *,
        exclusive: bool = True,
    ) -> None:
        super().__init__(self._settled, judge)
        self._source, self._exclusive = decisions, exclusive

    def _settled(self, questions: Sequence[MatchQuestion]) -> list[MatchQuestion | Verdict]:
        """For each question its verdict, or the part of it that is still open."""
        decided, standing = self._source.by_pair(), self._source.standing()
        taken = {
            end
            for pair, one in decided.items()
            if one.relation == "equivalent"
            for end in _ends(pair)
        }
        taken = taken if self._exclusive else set()
        by_id = {question: one for question, one in standing.items() if not one.about}
        return [
            verdict_of(by_id[one.id], one) if one.id in by_id else _by_pair(one, decided, taken)
            for one in questions
        ]


def _by_pair(
    question: MatchQuestion, decided: Mapping[Pair, PairDecision], taken: set[End]
) -> MatchQuestion | Verdict:
    said = [decided[pair] for pair in decided.keys() & {c.pair for c in question.candidates}]
    if chosen := [one for one in said if one.relation != "different"]:
        best = max(chosen, key=lambda one: (one.relation == "equivalent", one.when, one.pair))
        best = best.turned if question.side == "target" else best
        return Verdict(best.relation, best.target, 1.0, best.note, best.signature)
    pairs = [candidate.pair for candidate in question.candidates]
    left = [
        at for at, pair in enumerate(pairs) if pair not in decided and taken.isdisjoint(_ends(pair))
    ]
    if left:
        return question if len(left) == len(pairs) else question.narrowed(left)
    last = max(said, key=lambda one: (one.when, one.pair), default=None)
    why = (
        last.note if last else ""
    ) or "every candidate is rejected, or decided to equal something else"
    return Verdict("different", None, 1.0, why, last.signature if last else PERSON)


def honoured(
    alignment: Alignment,
    decided: Mapping[Pair, PairDecision],
    source: Ontology,
    target: Ontology,
    *,
    exclusive: bool = True,
) -> Alignment:
    """The alignment with every decision applied, also on pairs that were never candidates or were
    dropped.

    ``exclusive``: a decided equivalence drops others of the same entities.
    """
    wanted = {
        pair: one
        for pair, one in sorted(decided.items())
        if source.find(pair[0], pair[2]) and target.find(pair[1], pair[2])
    }
    taken = {
        end: one
        for pair, one in wanted.items()
        if one.relation == "equivalent"
        for end in _ends(pair)
    }
    kept: list[AlignedPair] = []
    dropped: list[Dropped] = []
    for mapping in alignment:
        pair = _pair(mapping)
        one = wanted.get(pair)
        rival = next(
            (taken[end] for end in _ends(pair) if end in taken and taken[end].pair != pair), None
        )
        if one is not None and one.relation != mapping.relation:
            dropped.append(Dropped(mapping, f"{one.signature} decided: {one.relation}"))
        elif exclusive and rival is not None and mapping.relation == "equivalent":
            dropped.append(
                Dropped(mapping, f"{rival.signature} decided otherwise for one of the two")
            )
        else:
            kept.append(mapping)
    there = set(map(_pair, kept))
    new = {
        pair: curated(one, source, target)
        for pair, one in wanted.items()
        if pair not in there and one.relation not in ("different", "unsure")
    }
    if not new and not dropped:
        return alignment
    mappings = sorted(
        [*kept, *new.values()], key=lambda m: (m.kind, m.source, m.target, m.relation)
    )
    was = [one for one in alignment.dropped if _pair(one.mapping) not in new]
    return replace(alignment, mappings=tuple(mappings), dropped=(*was, *dropped))


def curated(decision: PairDecision, source: Ontology, target: Ontology) -> AlignedPair:
    """A decision as a mapping."""
    ends = source.find(decision.source, decision.kind), target.find(decision.target, decision.kind)
    names = [readable(entity) if entity is not None else "" for entity in ends]
    return AlignedPair(
        decision.source,
        decision.target,
        decision.relation,
        kind=decision.kind,
        source_label=names[0],
        target_label=names[1],
        justification="semapv:ManualMappingCuration",
        judged_by=decision.signature,
        rationale=decision.note,
        concepts=which_concepts(*(end is not None and end.concept for end in ends)),
    )


def _pair(mapping: AlignedPair) -> Pair:
    return (mapping.source, mapping.target, cast(Kind, mapping.kind))


def _ends(pair: Pair) -> tuple[End, End]:
    return ("source", pair[0], pair[2]), ("target", pair[1], pair[2])

"""What people decided about pairs of entities, and a judge that keeps to it.

A decision is about a pair, not about the wording of one question: it holds from either side, and still holds when
descriptions or candidates have changed. What was rejected is taken off the list before anybody else is asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, cast

from kgnb import judging
from kgnb.agents.ontology_matching.values import KINDS, MatchQuestion, Pair
from kgnb.judging import Decision, Decisions, Judge, Verdict, checked
from kgnb.judging.person import PERSON
from kgnb.kg.labels import readable
from kgnb.kg.ontology import Entity, Kind, Ontology
from kgnb.mappings import Alignment, Dropped, Relation, turned, which_concepts
from kgnb.mappings import Mapping as AlignedPair


@dataclass(frozen=True)
class Ruling:
    """What somebody decided about one pair: ``relation`` is what the target is to the source, "different" for none."""

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
    def turned(self) -> Ruling:
        """The same, seen from the target."""
        return replace(self, source=self.target, target=self.source, relation=turned(self.relation))


class Rulings(Protocol):
    """Where rulings come from."""

    def rulings(self) -> dict[Pair, Ruling]:
        """Those that stand, by pair, oldest first."""

    def standing(self) -> dict[str, Decision]:
        """Decisions by question id, where they are known by it alone."""


class MatchDecisions(Decisions):
    """A file of decisions on matching questions; each line says which entity and which candidates it is about."""

    def decide(self, question: Any, decision: str, choice: str | None = None, **given: Any) -> Decision:
        """Keep a decision; see ``Decisions.decide``."""
        about = (question.side, question.about.iri, question.about.kind)
        return super().decide(question, decision, choice, about=about, **given)

    def reject(self, question: MatchQuestion, candidate: str, *, who: str = "", note: str = "") -> Decision:
        """Keep that one candidate is wrong; the others stay open. What was rejected before stays so."""
        earlier = self.standing().get(question.id)
        before = earlier.offered if earlier is not None and earlier.decision == "different" else ()
        return self.decide(
            question, "different", who=who, note=note, offered=tuple(dict.fromkeys((*before, candidate)))
        )

    def take_over(self, rulings: Iterable[Ruling]) -> int:
        """Add what was decided elsewhere, unless it stands here already; how many were added."""
        known = self.rulings()
        new = [one for one in rulings if known.get(one.pair) != one]
        for one in new:
            none = one.relation == "different"
            self._add(
                Decision(
                    f"pair {one.source} {one.target} {one.kind}",
                    one.relation,
                    None if none else one.target,
                    one.who,
                    one.note,
                    one.when,
                    ("source", one.source, one.kind),
                    (one.target,),
                )
            )
        return len(new)

    def rulings(self) -> dict[Pair, Ruling]:
        """The decisions that stand, pair by pair; a later one replaces an earlier one on the same pair."""
        found: dict[Pair, Ruling] = {}
        for decision in self.standing().values():
            for ruling in _rulings(decision):
                found.pop(ruling.pair, None)
                found[ruling.pair] = ruling
        return found


class KnownRulings:
    """Rulings that are there already, as from a file of mappings somebody reviewed.

    They hold for entities of any kind, for such files seldom tell kinds of property apart, and whichever of the two
    ontologies comes first.
    """

    def __init__(self, rulings: Iterable[Ruling]) -> None:
        either = (one for ruling in rulings for one in (ruling.turned, ruling))
        every = (replace(ruling, kind=kind) for ruling in either for kind in KINDS)
        self._rulings = {ruling.pair: ruling for ruling in every}

    def rulings(self) -> dict[Pair, Ruling]:
        """All of them, by pair."""
        return self._rulings

    def standing(self) -> dict[str, Decision]:
        """None: they belong to pairs, not to questions."""
        return {}


class Reviewed(judging.Reviewed[MatchQuestion]):
    """A judge overruled by people: what they decided is not even asked of it. Without a judge the rest waits for them.

    ``exclusive`` (the alignment is one to one): what is decided to equal one entity is offered to no other.
    """

    def __init__(self, rulings: Rulings, judge: Judge[MatchQuestion] | None = None, *, exclusive: bool = True) -> None:
        super().__init__(self._settled, judge)
        self._source, self._exclusive = rulings, exclusive

    def _settled(self, questions: Sequence[MatchQuestion]) -> list[MatchQuestion | Verdict]:
        """For each question its verdict, or what is left of it to ask."""
        rulings, standing = self._source.rulings(), self._source.standing()
        taken = {end for pair, one in rulings.items() if one.relation == "equivalent" for end in _ends(pair)}
        return [self._ruled(question, rulings, standing, taken) for question in questions]

    def _ruled(
        self,
        question: MatchQuestion,
        rulings: Mapping[Pair, Ruling],
        standing: Mapping[str, Decision],
        taken: set[tuple[str, str, Kind]],
    ) -> MatchQuestion | Verdict:
        known = standing.get(question.id)
        if known is not None and not known.about and known.decision:
            verdict = Verdict(known.decision, known.choice, 1.0, known.note)
            return checked(verdict, question, _signature(known.who))
        said = [rulings[pair] for pair in rulings.keys() & {c.pair for c in question.candidates}]
        chosen = [ruling for ruling in said if ruling.relation != "different"]
        if chosen:
            best = max(chosen, key=lambda one: (one.relation == "equivalent", one.when, one.pair))
            return _verdict(best, question)
        left = [
            number
            for number, candidate in enumerate(question.candidates)
            if candidate.pair not in rulings and not (self._exclusive and taken.intersection(_ends(candidate.pair)))
        ]
        if left and len(left) == len(question.candidates):
            return question
        if left:
            return question.narrowed(left)
        last = max(said, key=lambda one: (one.when, one.pair), default=None)
        why = (last.note if last else "") or "every candidate is rejected, or decided to equal something else"
        return Verdict("different", None, 1.0, why, _signature(last.who if last else ""))


def honoured(
    alignment: Alignment, rulings: Mapping[Pair, Ruling], source: Ontology, target: Ontology, *, exclusive: bool = True
) -> Alignment:
    """The alignment with every ruling kept: pairs that search never brought together, or merge dropped, included.

    ``exclusive``: an equivalence that somebody decided drops others of the same entities.
    """
    wanted = {
        pair: ruling
        for pair, ruling in sorted(rulings.items())
        if source.find(pair[0], pair[2]) and target.find(pair[1], pair[2])
    }
    taken = {end: one for pair, one in wanted.items() if one.relation == "equivalent" for end in _ends(pair)}
    kept: list[AlignedPair] = []
    dropped: list[Dropped] = []
    for mapping in alignment:
        pair = (mapping.source, mapping.target, cast(Kind, mapping.kind))
        ruling = wanted.get(pair)
        rival = next((taken[end] for end in _ends(pair) if end in taken and taken[end].pair != pair), None)
        if ruling is not None and ruling.relation != mapping.relation:
            dropped.append(Dropped(mapping, f"{_signature(ruling.who)} decided: {ruling.relation}"))
        elif exclusive and rival is not None and mapping.relation == "equivalent":
            dropped.append(Dropped(mapping, f"{_signature(rival.who)} decided otherwise for one of the two"))
        else:
            kept.append(mapping)
    there = {(mapping.source, mapping.target, mapping.kind) for mapping in kept}
    found = [one for pair, one in wanted.items() if pair not in there and one.relation not in ("different", "unsure")]
    new = [curated(one, source, target) for one in found]
    if not new and not dropped:
        return alignment
    back = {(mapping.source, mapping.target, mapping.kind) for mapping in new}
    was = [one for one in alignment.dropped if (one.mapping.source, one.mapping.target, one.mapping.kind) not in back]
    return replace(
        alignment,
        mappings=tuple(sorted([*kept, *new], key=lambda m: (m.kind, m.source, m.target, m.relation))),
        dropped=(*was, *dropped),
    )


def curated(ruling: Ruling, source: Ontology, target: Ontology) -> AlignedPair:
    """What somebody decided, as a mapping."""
    ends = source.find(ruling.source, ruling.kind), target.find(ruling.target, ruling.kind)
    return AlignedPair(
        ruling.source,
        ruling.target,
        ruling.relation,
        kind=ruling.kind,
        source_label=_name(ends[0]),
        target_label=_name(ends[1]),
        justification="semapv:ManualMappingCuration",
        judged_by=_signature(ruling.who),
        rationale=ruling.note,
        concepts=which_concepts(*(end is not None and end.concept for end in ends)),
    )


def _name(entity: Entity | None) -> str:
    return readable(entity) if entity is not None else ""


def _verdict(ruling: Ruling, question: MatchQuestion) -> Verdict:
    if question.side == "target":
        ruling = ruling.turned
    return Verdict(ruling.relation, ruling.target, 1.0, ruling.note, _signature(ruling.who))


def _signature(who: str) -> str:
    return f"{PERSON}:{who}" if who else PERSON


def _ends(pair: Pair) -> tuple[tuple[str, str, Kind], tuple[str, str, Kind]]:
    return ("source", pair[0], pair[2]), ("target", pair[1], pair[2])


def _rulings(decision: Decision) -> list[Ruling]:
    """One ruling for the chosen candidate, or one for each that "none of these" was said of."""
    if len(decision.about) != 3 or not decision.decision:
        return []
    side, iri, kind = decision.about
    none = decision.choice is None
    relation = "different" if none else decision.decision
    if side == "target":
        relation = turned(relation)
    others = decision.offered if none else (decision.choice or "",)
    found = Ruling(iri, iri, cast(Kind, kind), cast(Relation, relation), decision.who, decision.when, decision.note)
    return [replace(found, target=other) if side == "source" else replace(found, source=other) for other in others]

"""What people decided about entities, and a judge that keeps to it.

A decision is about an entity, not about the wording of one question: it still holds when other candidates or triples
are shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kgnb import judging
from kgnb.agents.entity_alignment.questions import DIFFERENT, EQUIVALENT, AlignQuestion
from kgnb.judging import Decision, Decisions, Judge, Verdict
from kgnb.judging.person import PERSON


@dataclass(frozen=True)
class Ruling:
    """What somebody decided about one source entity: its counterpart, or which candidates it is not."""

    source: str
    target: str = ""  # "" where none of ``rejected`` is it
    rejected: frozenset[str] = frozenset()
    who: str = ""
    note: str = ""


class EntityDecisions(Decisions):
    """A file of decisions on entities; each line says which entity and which candidates it is about."""

    def decide(self, question: Any, decision: str, choice: str | None = None, **given: Any) -> Decision:
        """Keep a decision; see ``Decisions.decide``."""
        about = (question.side, question.about.iri, question.about.kind)
        return super().decide(question, decision, choice, about=about, **given)

    def reject(self, question: Any, candidate: str, *, who: str = "", note: str = "") -> Decision:
        """Keep that one candidate is wrong; what was rejected before stays so."""
        earlier = self.rulings().get(question.about.iri)
        before = sorted(earlier.rejected) if earlier is not None else []
        offered = tuple(dict.fromkeys((*before, candidate)))
        return self.decide(question, DIFFERENT, who=who, note=note, offered=offered)

    def rulings(self) -> dict[str, Ruling]:
        """The decisions that stand, by source IRI; a later one replaces an earlier one."""
        found: dict[str, Ruling] = {}
        for decision in self.standing().values():
            if len(decision.about) < 2:
                continue
            iri = decision.about[1]
            found.pop(iri, None)
            if decision.decision == EQUIVALENT and decision.choice:
                found[iri] = Ruling(iri, decision.choice, frozenset(), decision.who, decision.note)
            else:
                found[iri] = Ruling(iri, "", frozenset(decision.offered), decision.who, decision.note)
        return found


class Reviewed(judging.Reviewed[AlignQuestion]):
    """A judge overruled by people: what they decided is not even asked of it. Without a judge the rest waits."""

    def __init__(self, decisions: EntityDecisions, judge: Judge[AlignQuestion] | None = None) -> None:
        super().__init__(self._settled, judge)
        self.decisions = decisions

    def _settled(self, questions: Sequence[AlignQuestion]) -> list[AlignQuestion | Verdict]:
        rulings = self.decisions.rulings()
        return [self._verdict(one, rulings.get(one.about.iri)) or one for one in questions]

    def _verdict(self, question: AlignQuestion, ruling: Ruling | None) -> Verdict | None:
        offered = {card.iri for card in question.others}
        if ruling is None:
            return None
        who = f"{PERSON}:{ruling.who}" if ruling.who else PERSON
        if ruling.target:
            if ruling.target in offered:
                return Verdict(EQUIVALENT, ruling.target, 1.0, ruling.note, who)
            return Verdict(DIFFERENT, None, 1.0, ruling.note, who)  # it is another one, which is not on show
        return Verdict(DIFFERENT, None, 1.0, ruling.note, who) if offered <= ruling.rejected else None

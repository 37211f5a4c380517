"""The final alignment: answers and first alignments combined, one to one by default.

The paper leaves two entities with one counterpart where its aligner said so twice. Here entities
that compete for a counterpart, and those left without one, are assigned so that the sum of
confidences is greatest.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from kgnb.agents.entity_alignment.graphs import Integers
from kgnb.agents.entity_alignment.judges import Decided
from kgnb.agents.entity_alignment.judging_values import (
    DIFFERENT,
    HEEDED,
    Aligned,
    EntityVerdicts,
)
from kgnb.agents.entity_alignment.select import Selector
from kgnb.agents.entity_alignment.values import (
    ALONE,
    DOUBTFUL,
    MATCHED,
    SHOWN,
    TAKEN,
    UNLIKELY,
    WEIGHTS,
    Proposal,
)
from kgnb.judging import UNSURE, Verdict
from kgnb.mappings import Alignment, Dropped, Evidence, one_to_one
from kgnb.mappings import Mapping as AlignedPair
from kgnb.results.bundle import count
from kgnb.results.cells import OfFew
from kgnb.results.wording import NINE_IN_TEN

FIRST, PERSON = "similarity", "person"
NONE_SAID = "none of its candidates, says the judge"
UNTRIED = "model:"
"""How the name of who chose begins where a model was asked everything, and tried on nothing before."""
OUTBID = "the counterpart fits another entity better"
BETWEEN_TABLES = 0.02
"""How far the estimate is off for one table and another beyond the chance of the draw."""
UNSURE_FROM = 0.05  # half the width of the interval from which it stands in place of the number


@dataclass(frozen=True)
class ChosenTarget:
    """The choice for one row that was looked at or repaired."""

    target: int  # entity of right, or -1
    confidence: float
    by: str  # who chose it
    lost: int = -1  # the entity that it wanted and another row got
    answer: EntityVerdicts | None = None


@dataclass(frozen=True, eq=False)
class Settled:
    """The result of a run: every row's target, and the choices for the rows that were looked at."""

    aligned: Aligned
    targets: Integers  # (n,) entity of right, or -1
    choices: Mapping[
        int, ChosenTarget
    ]  # of rows that were looked at, decided by a person or repaired

    @property
    def proposal(self) -> Proposal:
        """The proposal the run started from."""
        return self.aligned.selected.planned.proposal

    @property
    def simulation(self) -> bool:
        """Whether the judge or the planner knows the reference."""
        return self.aligned.simulation or self.aligned.selected.planned.simulation

    @property
    def partial(self) -> str:
        """Why the result is partial; "" if it is complete."""
        return self.aligned.partial

    def confidence(self, row: int) -> float:
        """The confidence of a row's choice."""
        choice = self.choices.get(row)
        return (
            choice.confidence
            if choice is not None
            else round(float(self.proposal.confidence[row]), 4)
        )

    def why(self, row: int) -> str:
        """Why a row has its target, or none."""
        choice = self.choices.get(row)
        if choice is None:
            return self.proposal.why(row)
        if choice.target >= 0:
            return MATCHED
        if choice.lost >= 0:
            return OUTBID
        return (
            NONE_SAID
            if self.proposal.first[row] >= 0 and choice.by != FIRST
            else self.proposal.why(row)
        )

    def unmatched(self) -> dict[str, int]:
        """The number of entities without a counterpart by reason, the most frequent first."""
        reasons = Counter(self.why(row) for row in np.flatnonzero(self.targets < 0).tolist())
        return dict(sorted(reasons.items(), key=lambda item: (-item[1], item[0])))

    def counts(self) -> dict[str, int]:
        """Entities, matched and unmatched, and how many were looked at and changed."""
        matched = int((self.targets >= 0).sum())
        return {
            "entities": len(self.targets),
            "matched": matched,
            "unmatched": len(self.targets) - matched,
            "looked at": len(self.aligned.answers),
            "changed": int((self.targets != self.proposal.first).sum()),
        }

    def _matched(self) -> list[int]:
        """The rows with a target, seeds aside."""
        proposal = self.proposal
        found = (self.targets >= 0) & ~np.isin(proposal.sources, proposal.seeds[:, 0])
        rows: list[int] = np.flatnonzero(found).tolist()
        return rows

    def _untried(self, row: int) -> bool:
        return row in self.choices and self.choices[row].by.startswith(UNTRIED)

    @property
    def untried(self) -> str:
        """What the estimate leaves out: matches chosen by a model that was not tried, whose
        confidences are its own word; "" where there are none.
        """
        number = sum(map(self._untried, self._matched()))
        matches = count(number, "match", "matches")
        return f"{matches} of a model that was not tried left out" if number else ""

    def _chances(self) -> list[float]:
        """The confidence of each match, seeds and ``untried`` ones aside."""
        rows = [row for row in self._matched() if not self._untried(row)]
        return [min(1.0, self.confidence(row)) for row in rows]

    @property
    def estimated_precision(self) -> float | None:
        """The expected share of right matches without a reference, seeds and ``untried`` ones aside.

        None if there is no such match.
        """
        chances = self._chances()
        return round(sum(chances) / len(chances), 6) if chances else None

    @property
    def likely_precision(self) -> tuple[float, float] | None:
        """The bounds within which the share of right matches lies nine times in ten."""
        chances = self._chances()
        if not chances:
            return None
        share = sum(chances) / len(chances)
        # at least one match is held to be open: of three sure ones nobody knows that all are right
        drawn = sum(one * (1 - one) for one in chances) + share
        spread = NINE_IN_TEN * (drawn / len(chances) ** 2 + BETWEEN_TABLES**2) ** 0.5
        return max(0.0, share - spread), min(1.0, share + spread)

    @property
    def shown_precision(self) -> float | None:
        """The estimated precision as a cell of a table: with its bounds where it is unsure."""
        share, likely = self.estimated_precision, self.likely_precision
        if share is None or likely is None or not _unsure(share, likely):
            return share
        return OfFew(share, len(self._chances()), likely)

    def estimate(self) -> str:
        """The estimated precision in words; an interval where a number would say too much."""
        share, likely = self.estimated_precision, self.likely_precision
        if share is None or likely is None:
            return ""
        low, high = likely
        unseen = "; ".join(filter(None, [self.untried, "no reference was looked at"]))
        if _unsure(share, likely):
            matches = count(len(self._chances()), "match", "matches")
            return (
                f"estimated precision unsure, with {matches} between {100 * low:.0f} and "
                f"{100 * high:.0f} %, nine times in ten; {unseen}"
            )
        return (
            f"estimated precision {100 * share:.1f} %, the share of matches expected to be right; "
            f"{unseen}"
        )

    def pairs(self, *, untried: bool = True) -> list[tuple[str, str, float]]:
        """Source IRI, target IRI and confidence of every match, in source order, or of those that
        the estimate rests on.
        """
        proposal = self.proposal
        return [
            (
                proposal.left.entities[int(source)],
                proposal.right.entities[target],
                self.confidence(row),
            )
            for row, (source, target) in enumerate(
                zip(proposal.sources, self.targets.tolist(), strict=True)
            )
            if target >= 0 and (untried or not self._untried(row))
        ]

    def ranking(self, row: int) -> list[tuple[str, float]]:
        """A row's candidates with their scores: the chosen one first, then the others by score."""
        proposal = self.proposal
        entities, target = proposal.right.entities, int(self.targets[row])
        pairs = zip(proposal.candidates[row].tolist(), proposal.scores[row].tolist(), strict=True)
        found = [pair for pair in pairs if pair[0] >= 0]
        best = max((score for _, score in found), default=0.0)
        if target >= 0:
            found = [
                (target, max(best, self.confidence(row))),
                *(one for one in found if one[0] != target),
            ]
        return [(entities[candidate], round(score, 6)) for candidate, score in found]

    def rankings(self, sources: Iterable[str] | None = None, k: int = 10) -> dict[str, list[str]]:
        """The k best targets of each source (or of ``sources``)."""
        left = self.proposal.left
        wanted = None if sources is None else set(sources)
        return {
            left.entities[int(source)]: [iri for iri, _ in self.ranking(row)[:k]]
            for row, source in enumerate(self.proposal.sources)
            if wanted is None or left.entities[int(source)] in wanted
        }

    def alignment(self, notes: Iterable[str] = ()) -> Alignment:
        """The matches as an alignment of individuals (owl:sameAs when written as RDF)."""
        mappings = [
            self._mapping(row, target)
            for row, target in enumerate(self.targets.tolist())
            if target >= 0
        ]
        return Alignment(
            mappings=tuple(sorted(mappings, key=lambda one: one.pair)),
            source=self.proposal.left.name,
            target=self.proposal.right.name,
            dropped=tuple(self._dropped()),
            unsure=tuple(self._unsure()),
            notes=(*self.notes(), *notes),
            partial=self.partial,
        )

    def summary(self) -> list[str]:
        """How many were matched, how many were not and why, the estimated precision, and whether
        another cardinality is proposed.
        """
        counts, estimate = self.counts(), self.estimate()
        found = [
            f"{counts['matched']:,} of {count(counts['entities'], 'entity', 'entities')} matched"
        ]
        found += [
            f"{number:,} left unmatched: {reason}" for reason, number in self.unmatched().items()
        ]
        if estimate:
            found.append(estimate)
        if self.proposal.records and not counts["matched"]:
            best = float(self.proposal.confidence.max(initial=0.0))
            found.append(f"nothing seems to be shared: the likeliest pair has {100 * best:.0f} %")
        if DOUBTFUL in self.unmatched():
            precision = self.proposal.options.precision
            keep = (
                f"--precision 0 (now {precision:g}) takes the doubtful too; " if precision else ""
            )
            found.append(f"{keep}in a notebook they can be reviewed one by one")
        return [*found, self.proposal.proposed] if self.proposal.proposed else found

    def notes(self) -> list[str]:
        """The summary, whether it is a simulation, and the notes of the first alignment."""
        told = ["SIMULATION: whoever was asked knows the reference"] if self.simulation else []
        spared = self.aligned.spared
        skipped = (
            f"{spared} planned reflections were not needed: the answer was sure (--reflect-below)"
        )
        return [
            *told,
            *self.summary(),
            *self.aligned.selected.planned.unusable,
            *([skipped] if spared else []),
            *(note for note in self.proposal.notes if not note.startswith(WEIGHTS)),
        ]

    def unmatched_rows(self) -> list[int]:
        """The rows without a counterpart that have a candidate, the surest first."""
        proposal = self.proposal
        left = np.flatnonzero((self.targets < 0) & (proposal.candidates[:, 0] >= 0)).tolist()
        return sorted(left, key=lambda row: (-proposal.confidence[row], -proposal.scores[row, 0]))

    def why_unmatched(self, row: int) -> str:
        """Why a row has no target; if its best candidate fits another entity better, also which
        one.
        """
        proposal, best = self.proposal, self.proposal.candidates[row, 0]
        rivals = [
            at for at in np.flatnonzero(proposal.candidates[:, 0] == best).tolist() if at != row
        ]
        if self.why(row) not in (TAKEN, OUTBID) or best < 0 or not rivals:
            return self.why(row)
        rival = max(rivals, key=lambda at: (self.targets[at] == best, proposal.scores[at, 0]))
        better = proposal.left.called(int(proposal.sources[rival]))
        return f"{self.why(row)}: {proposal.right.called(int(best))} fits {better}"

    def _dropped(self) -> Iterator[Dropped]:
        for row, choice in sorted(self.choices.items()):
            if choice.lost >= 0:
                yield Dropped(self._mapping(row, choice.lost), OUTBID)

    def _unsure(self) -> Iterator[AlignedPair]:
        """Undecided rows, with the candidate that stands for now, or the likeliest."""
        for answer in self.aligned.answers:
            if answer.unsure:
                row = answer.question.row
                target = (
                    int(self.targets[row])
                    if self.targets[row] >= 0
                    else int(self.proposal.candidates[row, 0])
                )
                yield replace(
                    self._mapping(row, target),
                    relation="unsure",
                    judged_by=answer.verdict.judged_by,
                )

    def _mapping(self, row: int, target: int) -> AlignedPair:
        proposal = self.proposal
        source, choice = int(proposal.sources[row]), self.choices.get(row)
        said = (
            choice.answer.verdict.rationale
            if choice and choice.answer and choice.by != FIRST
            else ""
        )
        return AlignedPair(
            source=proposal.left.entities[source],
            target=proposal.right.entities[target],
            confidence=min(1.0, max(0.0, self.confidence(row))),
            kind="individual",
            source_label=proposal.left.called(source),
            target_label=proposal.right.called(target),
            judged_by=choice.by if choice is not None else FIRST,
            rationale=said,
            evidence=tuple(self._evidence(row, target)),
        )

    def _evidence(self, row: int, target: int) -> Iterator[Evidence]:
        proposal = self.proposal
        places = [
            at
            for at, candidate in enumerate(proposal.candidates[row].tolist())
            if candidate == target
        ]
        for at in places[:1]:
            score = round(float(proposal.scores[row, at]), 4)
            yield Evidence(f"candidate {at + 1}", proposal.views_of(row, at), score)

    def __repr__(self) -> str:
        counts = self.counts()
        return f"<Settled: {counts['matched']} of {count(counts['entities'], 'entity', 'entities')} matched>"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return self.alignment().table()._repr_mimebundle_(include, exclude)


SECOND_CHOICE = 0.5
"""The confidence of the next candidate, relative to the chosen one that another entity got."""
CONSOLATION = 0.001
"""The weight of next candidates in the assignment: small, so that the surest entity gets the
contested one.
"""


@dataclass(frozen=True)
class _Wish:
    """The target (-1: none) that one row wants."""

    target: int
    worth: float  # in the assignment
    confidence: float
    by: str
    answer: EntityVerdicts | None = None  # None: a person decided it


def settle(aligned: Aligned, *, decided: Mapping[str, Decided] | None = None) -> Settled:
    """The final choice for every row, with who made it, or why a row has none.

    Answers that are unsure, or less confident than ``HEEDED``, change nothing. A person's decisions
    always hold.
    """
    proposal = aligned.selected.planned.proposal
    wishes = {answer.question.row: _wish(answer, proposal) for answer in aligned.answers}
    wishes |= _fixed(proposal, decided or {})
    chosen: list[int] = proposal.first.tolist()
    for row, wish in wishes.items():
        chosen[row] = wish.target
    lost: dict[int, int] = {}
    if proposal.options.cardinality == "1:1" and proposal.options.assignment != "argmax":
        for row, target in _repaired(proposal, wishes, chosen).items():
            if chosen[row] >= 0 and target != chosen[row]:
                lost[row] = chosen[row]
            chosen[row] = target
    left_over = {
        row: ChosenTarget(chosen[row], 0.0, FIRST, lost=target) for row, target in lost.items()
    }
    choices = left_over | {
        row: _choice(wish, chosen[row], lost.get(row, -1)) for row, wish in wishes.items()
    }
    return Settled(aligned, np.array(chosen, dtype=np.int32), choices)


def _wish(answer: EntityVerdicts, proposal: Proposal) -> _Wish:
    """The answer's choice, or the first alignment if it does not decide."""
    (iri, confidence), verdict = answer.standing(), answer.verdict
    target, worth = (proposal.right.index(iri), max(0.01, confidence)) if iri else (-1, 0.0)
    if (verdict.sure and verdict.confidence >= HEEDED) or iri != answer.question.first:
        return _Wish(target, worth, worth if iri else verdict.confidence, verdict.judged_by, answer)
    return _Wish(target, worth, answer.question.confidence if iri else 0.0, FIRST, answer)


def _fixed(proposal: Proposal, decided: Mapping[str, Decided]) -> dict[int, _Wish]:
    """A person's decisions on the rows of the proposal; a target that is not in the graph is
    ignored.
    """
    found = {}
    for source, one in decided.items():
        try:
            row = proposal.row(source)
        except KeyError:
            continue
        first = int(proposal.first[row])
        if one.target and one.target in proposal.right:
            found[row] = _Wish(proposal.right.index(one.target), 10.0, 1.0, PERSON)
        elif not one.target and (first < 0 or proposal.right.entities[first] in one.rejected):
            found[row] = _Wish(-1, 0.0, 1.0, PERSON)
    return found


def _repaired(proposal: Proposal, wishes: Mapping[int, _Wish], chosen: list[int]) -> dict[int, int]:
    """New choices for the rows that compete for a target, by an optimal assignment."""
    wanting: dict[int, list[int]] = defaultdict(list)
    for row, target in enumerate(chosen):
        if target >= 0:
            wanting[target].append(row)
    rivals = sorted({row for rows in wanting.values() if len(rows) > 1 for row in rows})
    if not rivals:
        return {}
    held = {target for target, rows in wanting.items() if len(rows) == 1}
    worth: dict[tuple[int, int], float] = {}
    for row in rivals:
        wish, wanted = wishes.get(row), chosen[row]
        own = max(0.01, float(proposal.confidence[row])) if wish is None else wish.worth
        worth[row, wanted] = own
        # next candidates of what nobody looked at are doubtful: they are for --precision 0
        if not proposal.options.precision if wish is None else wish.answer:
            for target, score in zip(
                proposal.candidates[row].tolist(), proposal.scores[row].tolist(), strict=True
            ):
                if target >= 0 and target not in held and target != wanted and score > 0:
                    worth[row, target] = CONSOLATION * min(score, own)
    return dict.fromkeys(rivals, -1) | {
        row: target for row, target in one_to_one(worth) if worth[row, target] > 0
    }


def _choice(wish: _Wish, target: int, lost: int) -> ChosenTarget:
    if target == wish.target:
        return ChosenTarget(target, round(wish.confidence, 4), wish.by, answer=wish.answer)
    if wish.answer is None:
        return ChosenTarget(target, 0.0, PERSON, lost=lost)
    confidence = SECOND_CHOICE * wish.worth if target >= 0 else 0.0
    return ChosenTarget(target, round(confidence, 4), FIRST, lost=lost, answer=wish.answer)


def reviewable(aligned: Aligned) -> list[EntityVerdicts]:
    """Every answer; a question for each unmatched entity that was not looked at, the likeliest
    first; and each pair that was taken without a look, the least sure first. What hardly has a
    counterpart does not wait for a person.
    """
    settled, proposal = settle(aligned), aligned.selected.planned.proposal
    selector = Selector(proposal, aligned.selected.options)
    unmatched = settled.unmatched_rows()
    alone = {row for row in unmatched if settled.why(row) in (ALONE, UNLIKELY)}
    found = [
        answer
        for answer in aligned.answers
        if not answer.unsure or answer.question.row not in alone
    ]
    asked = {answer.question.row for answer in found}
    for row in [row for row in unmatched if row not in asked][:SHOWN]:
        best, chance = int(proposal.candidates[row, 0]), float(proposal.confidence[row])
        also = ((proposal.right.entities[best], round(chance, 4)),)
        verdict = Verdict(UNSURE, None, 0.0, settled.why_unmatched(row), FIRST, also)
        if row in alone:
            verdict = replace(verdict, decision=DIFFERENT, confidence=round(1 - chance, 4))
        found.append(EntityVerdicts(selector.question(row), verdict, ()))
    taken = [row for row in np.flatnonzero(settled.targets >= 0).tolist() if row not in asked]
    for row in sorted(taken, key=settled.confidence)[: SHOWN // 4]:
        target = proposal.right.entities[int(settled.targets[row])]
        question = selector.question(row)
        if target in [other.iri for other in question.others]:
            verdict = Verdict("equivalent", target, settled.confidence(row), "", FIRST)
            found.append(EntityVerdicts(question, verdict, ()))
    return found


def _unsure(share: float, likely: tuple[float, float]) -> bool:
    """Whether a number alone would say too much."""
    return max(share - likely[0], likely[1] - share) > UNSURE_FROM

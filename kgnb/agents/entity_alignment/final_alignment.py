"""What the agent gives in the end: answers and first alignments put together, one to one where that is wanted.

The paper leaves two entities with one counterpart where its aligner said so twice. Here confidences decide: entities
that want the same counterpart, and those left without one, share what there is so that the sum is greatest.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from kgnb.agents.entity_alignment.align import align
from kgnb.agents.entity_alignment.graphs import EntityGraph, Integers
from kgnb.agents.entity_alignment.judges import Ruling
from kgnb.agents.entity_alignment.judging_values import Aligned, AlignQuestion, Answer, LookOptions, PlanQuestion
from kgnb.agents.entity_alignment.plan import plan
from kgnb.agents.entity_alignment.propose import propose
from kgnb.agents.entity_alignment.reflect import reflect
from kgnb.agents.entity_alignment.select import Selector, select
from kgnb.agents.entity_alignment.values import DOUBTFUL, MATCHED, SHOWN, TAKEN, WEIGHTS, Options, Proposal
from kgnb.judging import UNSURE, Judge, Verdict
from kgnb.mappings import Alignment, Dropped, Evidence, one_to_one
from kgnb.mappings import Mapping as AlignedPair
from kgnb.run import Run
from kgnb.vectors.embedder import Embedder

FIRST, PERSON = "first alignment", "person"
NONE_SAID = "none of its candidates, says the judge"
OUTBID = "its counterpart fits another entity better"


@dataclass(frozen=True)
class Choice:
    """One row that was looked at or repaired: what it got, how sure that is, who said so."""

    target: int  # entity of right, or -1
    confidence: float
    by: str
    lost: int = -1  # what it wanted and another got
    answer: Answer | None = None


@dataclass(frozen=True, eq=False)
class Settled:
    """The last value of a run: every row's target, and what became of the rows that were looked at."""

    aligned: Aligned
    targets: Integers  # (n,) entity of right, or -1
    choices: Mapping[int, Choice]  # of rows that were looked at, ruled on or repaired

    @property
    def proposal(self) -> Proposal:
        """What it all began with."""
        return self.aligned.selected.planned.proposal

    @property
    def simulation(self) -> bool:
        """Whether anybody who answered knows the reference."""
        return self.aligned.simulation or self.aligned.selected.planned.simulation

    @property
    def partial(self) -> str:
        """Why the result is partial; "" where it is whole."""
        return self.aligned.partial

    def confidence(self, row: int) -> float:
        """How sure the choice of a row is."""
        choice = self.choices.get(row)
        return choice.confidence if choice is not None else round(float(self.proposal.confidence[row]), 4)

    def why(self, row: int) -> str:
        """Why a row has its target, or none."""
        choice = self.choices.get(row)
        if choice is None:
            return self.proposal.why(row)
        if choice.target >= 0:
            return MATCHED
        if choice.lost >= 0:
            return OUTBID
        return NONE_SAID if self.proposal.first[row] >= 0 and choice.by != FIRST else self.proposal.why(row)

    def unmatched(self) -> dict[str, int]:
        """How many entities were left without a counterpart, by reason; the most frequent first."""
        reasons = Counter(self.why(row) for row, target in enumerate(self.targets.tolist()) if target < 0)
        return dict(sorted(reasons.items(), key=lambda item: (-item[1], item[0])))

    def counts(self) -> dict[str, int]:
        """Entities, matched and not, and what looking changed."""
        first = self.proposal.first
        return {
            "entities": len(self.targets),
            "matched": int((self.targets >= 0).sum()),
            "unmatched": int((self.targets < 0).sum()),
            "looked at": len(self.aligned.answers),
            "changed": int((self.targets != first).sum()),
        }

    @property
    def estimated_precision(self) -> float | None:
        """The share of right ones to be expected among the matches that are no seeds: the mean of their confidences.

        No reference is looked at. What nobody was asked about is as sure as its likeness to decoys says
        (``propose``), what a judge or a person chose as sure as they were. None where there is no such match.
        """
        proposal = self.proposal
        found = np.flatnonzero((self.targets >= 0) & ~np.isin(proposal.sources, proposal.seeds[:, 0])).tolist()
        return round(sum(min(1.0, self.confidence(row)) for row in found) / len(found), 6) if found else None

    def pairs(self) -> list[tuple[str, str, float]]:
        """Source IRI, target IRI and confidence of every match, in the order of the sources."""
        proposal = self.proposal
        return [
            (proposal.left.entities[int(source)], proposal.right.entities[target], self.confidence(row))
            for row, (source, target) in enumerate(zip(proposal.sources, self.targets.tolist(), strict=True))
            if target >= 0
        ]

    def ranking(self, row: int) -> list[tuple[str, float]]:
        """A row's candidates, the chosen one first and the others as they scored; with the scores shown."""
        proposal = self.proposal
        entities, target = proposal.right.entities, int(self.targets[row])
        found = [
            (int(candidate), float(score))
            for candidate, score in zip(proposal.candidates[row], proposal.scores[row], strict=True)
            if candidate >= 0
        ]
        best = max((score for _, score in found), default=0.0)
        if target >= 0:
            found = [(target, max(best, self.confidence(row))), *(one for one in found if one[0] != target)]
        return [(entities[candidate], round(score, 6)) for candidate, score in found]

    def rankings(self, sources: Iterable[str] | None = None, k: int = 10) -> dict[str, list[str]]:
        """For each source that was asked (or of ``sources``), its k best targets."""
        left = self.proposal.left
        wanted = None if sources is None else set(sources)
        return {
            left.entities[int(source)]: [iri for iri, _ in self.ranking(row)[:k]]
            for row, source in enumerate(self.proposal.sources)
            if wanted is None or left.entities[int(source)] in wanted
        }

    def alignment(self, notes: Iterable[str] = ()) -> Alignment:
        """The matches as an alignment of individuals; owl:sameAs when it is written as RDF."""
        mappings = [self._mapping(row, target) for row, target in enumerate(self.targets.tolist()) if target >= 0]
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
        """How many were matched, how many left unmatched and why, and how good it probably is."""
        counts, share = self.counts(), self.estimated_precision
        found = [f"{counts['matched']:,} of {counts['entities']:,} entities matched"]
        found += [f"{number:,} left unmatched: {reason}" for reason, number in self.unmatched().items()]
        if share is not None:
            found.append(f"estimated precision {share:.1%}: the mean confidence, no reference was looked at")
        if DOUBTFUL in self.unmatched():
            precision = self.proposal.options.precision
            keep = f"--precision below {precision:g} keeps more (0: most F1); " if precision else ""
            found.append(
                f"the doubtful: {keep}%ea review or %ea unmatched shows them, kgnb align --ranking writes them"
            )
        return found

    def notes(self) -> list[str]:
        """The summary, what was simulated, and what the first alignment had to say."""
        told = ["SIMULATION: whoever was asked knows the reference"] if self.simulation else []
        return [*told, *self.summary(), *(note for note in self.proposal.notes if not note.startswith(WEIGHTS))]

    def unmatched_rows(self) -> list[int]:
        """The rows without a counterpart that have a candidate; those first that are surest of it."""
        proposal = self.proposal
        left = np.flatnonzero((self.targets < 0) & (proposal.candidates[:, 0] >= 0)).tolist()
        return sorted(left, key=lambda row: (-proposal.confidence[row], -proposal.scores[row, 0]))

    def why_unmatched(self, row: int) -> str:
        """Why a row has no target; where its best candidate fits another entity better, which that is."""
        proposal, best = self.proposal, self.proposal.candidates[row, 0]
        rivals = [at for at in np.flatnonzero(proposal.candidates[:, 0] == best).tolist() if at != row]
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
        """What nobody could decide, with the candidate that stands for now, or the likeliest."""
        for answer in self.aligned.answers:
            if answer.unsure:
                row = answer.question.row
                target = int(self.targets[row]) if self.targets[row] >= 0 else int(self.proposal.candidates[row, 0])
                yield replace(self._mapping(row, target), relation="unsure", judged_by=answer.verdict.judged_by)

    def _mapping(self, row: int, target: int) -> AlignedPair:
        proposal = self.proposal
        source, choice = int(proposal.sources[row]), self.choices.get(row)
        said = choice.answer.verdict.rationale if choice and choice.answer and choice.by != FIRST else ""
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
        places = [at for at, candidate in enumerate(proposal.candidates[row].tolist()) if candidate == target]
        for at in places[:1]:
            views = zip(proposal.views, proposal.evidence[row, at].tolist(), strict=True)
            said = ", ".join(f"{view} {score:.2f}" for view, score in views)
            yield Evidence(f"candidate {at + 1}", said, round(float(proposal.scores[row, at]), 4))

    def __repr__(self) -> str:
        counts = self.counts()
        return f"<Settled: {counts['matched']} of {counts['entities']} entities matched>"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return self.alignment().table()._repr_mimebundle_(include, exclude)


SECOND_CHOICE = 0.5
"""How sure the next candidate is, by its score, where another entity has taken the one that was chosen."""
CONSOLATION = 0.001
"""What it counts for in deciding who gets the one that several want: little, so that the surest does."""


@dataclass
class _Wish:
    """What one row wants: candidates (target positions) with their worth."""

    worth: dict[int, float] = field(default_factory=dict)
    answer: Answer | None = None
    fixed: bool = False  # a person said so
    heeded: bool = False  # it is the judge's wish, not the first alignment


def settle(aligned: Aligned, *, rulings: Mapping[str, Ruling] | None = None) -> Settled:
    """The final choice for every row, who made it, and why a row has none.

    An answer less confident than ``heed`` and one that is unsure change nothing. What a person ruled holds.
    """
    proposal = aligned.selected.planned.proposal
    heed = aligned.selected.options.heed
    wishes = {answer.question.row: _wish(answer, proposal, heed) for answer in aligned.answers}
    wishes |= _ruled(proposal, rulings or {})
    chosen = _chosen(proposal, wishes)
    lost: dict[int, int] = {}
    if proposal.options.cardinality == "1:1" and proposal.options.assignment != "argmax":
        for row, target in _repaired(proposal, wishes, chosen).items():
            if chosen[row] >= 0 and target != chosen[row]:
                lost[row] = chosen[row]
            chosen[row] = target
    choices = {row: _choice(proposal, row, wish, chosen[row], lost.get(row, -1)) for row, wish in wishes.items()}
    choices |= {row: Choice(chosen[row], 0.0, FIRST, lost=target) for row, target in lost.items() if row not in wishes}
    return Settled(aligned, np.array(chosen, dtype=np.int32), choices)


def _wish(answer: Answer, proposal: Proposal, heed: float) -> _Wish:
    """What stands by the answer: its choice, or the first alignment where it does not decide."""
    target, confidence = answer.standing(heed)
    worth = {proposal.right.index(target): max(0.01, confidence)} if target else {}
    sure = answer.verdict.sure and answer.verdict.confidence >= heed
    return _Wish(worth, answer, heeded=sure or target != answer.question.first)


def _ruled(proposal: Proposal, rulings: Mapping[str, Ruling]) -> dict[int, _Wish]:
    """What people ruled on the rows there are; a target this graph lacks counts as none."""
    found = {}
    for source, ruling in rulings.items():
        try:
            row = proposal.row(source)
        except KeyError:
            continue
        first = int(proposal.first[row])
        if ruling.target and ruling.target in proposal.right:
            found[row] = _Wish({proposal.right.index(ruling.target): 10.0}, None, True)
        elif not ruling.target and (first < 0 or proposal.right.entities[first] in ruling.rejected):
            found[row] = _Wish({}, None, True)
    return found


def _chosen(proposal: Proposal, wishes: Mapping[int, _Wish]) -> list[int]:
    chosen: list[int] = proposal.first.tolist()
    for row, wish in wishes.items():
        chosen[row] = next(iter(wish.worth), -1)
    return chosen


def _repaired(proposal: Proposal, wishes: Mapping[int, _Wish], chosen: list[int]) -> dict[int, int]:
    """New choices for the rows that want what another wants; solved exactly within each group of rivals."""
    wanting: dict[int, list[int]] = defaultdict(list)
    for row, target in enumerate(chosen):
        if target >= 0:
            wanting[target].append(row)
    rivals = sorted({row for rows in wanting.values() if len(rows) > 1 for row in rows})
    if not rivals:
        return {}
    held = {target for target, rows in wanting.items() if len(rows) == 1}
    worth = {
        (row, target): value
        for row in rivals
        for target, value in _worths(proposal, row, wishes.get(row), chosen[row], held).items()
    }
    return dict.fromkeys(rivals, -1) | {row: target for row, target in one_to_one(worth) if worth[row, target] > 0}


def _worths(proposal: Proposal, row: int, wish: _Wish | None, wanted: int, held: set[int]) -> dict[int, float]:
    """What a row may get: what it wants, and its other candidates that nobody holds."""
    own = max(0.01, float(proposal.confidence[row])) if wish is None else wish.worth[wanted]
    found = {wanted: own}
    if wish is not None and wish.fixed:
        return found
    for target, score in zip(proposal.candidates[row].tolist(), proposal.scores[row].tolist(), strict=True):
        if target >= 0 and target not in held and target != wanted and score > 0:
            found[target] = CONSOLATION * min(score, own)
    return found


def _choice(proposal: Proposal, row: int, wish: _Wish, target: int, lost: int) -> Choice:
    answer = wish.answer
    if wish.fixed:
        return Choice(target, 1.0 if lost < 0 else 0.0, PERSON, lost=lost)
    assert answer is not None
    wanted, worth = next(iter(wish.worth.items()), (-1, 0.0))
    if target != wanted:
        confidence = SECOND_CHOICE * worth if target >= 0 else 0.0
        return Choice(target, round(confidence, 4), FIRST, lost=lost, answer=answer)
    if wish.heeded:
        confidence = worth if target >= 0 else answer.verdict.confidence
        return Choice(target, round(confidence, 4), answer.verdict.judged_by, answer=answer)
    confidence = float(proposal.confidence[row]) if target >= 0 else 0.0
    return Choice(target, round(confidence, 4), FIRST, answer=answer)


def align_entities(
    left: EntityGraph,
    right: EntityGraph,
    *,
    embedder: Embedder,
    judge: Judge[AlignQuestion],
    planner: Judge[PlanQuestion],
    options: Options = Options(),
    look: LookOptions = LookOptions(),
    seeds: Sequence[tuple[str, str]] = (),
    sources: Sequence[str] | None = None,
    targets: Sequence[str] | None = None,
    rulings: Mapping[str, Ruling] | None = None,
    run: Run | None = None,
) -> Settled:
    """Every source's counterpart among the targets, or none, with who said so.

    ``seeds`` are pairs known beforehand; ``sources`` and ``targets`` (IRIs) are who is asked about and who may be an
    answer: by default every entity of its graph. A seed's source has its seed as its answer.
    """
    run = run or Run("entity_alignment")
    proposal = run.do(propose, left, right, embedder, options, seeds=seeds, sources=sources, targets=targets)
    planned = run.do(plan, proposal, planner, options=look)
    selected = run.do(select, planned, options=look)
    aligned = run.do(align, selected, judge)
    reflected = run.do(reflect, aligned, judge)
    return run.do(settle, reflected, rulings=rulings)


def reviewable(aligned: Aligned) -> list[Answer]:
    """Every answer, and a question nobody was asked for each entity that was left unmatched; the likeliest first."""
    settled, proposal = settle(aligned), aligned.selected.planned.proposal
    selector = Selector(proposal, aligned.selected.options)
    asked = {answer.question.row for answer in aligned.answers}
    found = list(aligned.answers)
    for row in [row for row in settled.unmatched_rows() if row not in asked][:SHOWN]:
        best = proposal.right.entities[int(proposal.candidates[row, 0])]
        also = ((best, round(float(proposal.confidence[row]), 4)),)
        found.append(
            Answer(selector.question(row), Verdict(UNSURE, None, 0.0, settled.why_unmatched(row), FIRST, also), ())
        )
    return found

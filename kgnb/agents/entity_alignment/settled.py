"""What the agent gives in the end: a choice for every entity, as an alignment and as rankings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from kgnb.agents.entity_alignment.graphs import Integers
from kgnb.agents.entity_alignment.looking import Aligned, Answer
from kgnb.agents.entity_alignment.values import MATCHED, Proposal
from kgnb.mappings import Alignment, Dropped, Evidence
from kgnb.mappings import Mapping as AlignedPair

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

    def notes(self) -> list[str]:
        """How many were left unmatched and why; what was simulated."""
        counts = self.counts()
        found = [f"{counts['matched']:,} of {counts['entities']:,} entities matched"]
        found += [f"{number:,} left unmatched: {reason}" for reason, number in self.unmatched().items()]
        if self.simulation:
            found.insert(0, "SIMULATION: whoever was asked knows the reference")
        return [*found, *self.proposal.notes]

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

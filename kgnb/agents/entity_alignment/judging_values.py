"""The frozen values of the closer look: its options, and what plan, select, align and reflect give."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal as OneOf

from kgnb.agents.entity_alignment.questions import AlignQuestion, Path, named
from kgnb.agents.entity_alignment.values import Proposal
from kgnb.agents.options import Field, options
from kgnb.judging import UNSURE, Verdict
from kgnb.results.cells import Link, Value
from kgnb.results.table import Column, Table, Tabled

SIMULATED = "SIMULATION: whoever answered knows the reference"


@options
class LookOptions:
    """What a person may turn in the closer look."""

    share: float = Field(
        default=0.10, ge=0.0, le=1.0, description="share of the entities that may be looked at; 1: all (paper)"
    )
    sure: float = Field(
        default=0.9, ge=0.0, le=1.0, description="first alignments at least this sure stand without a look"
    )
    shown: int = Field(default=4, ge=1, le=20, description="candidates shown to a judge (paper: 10)")
    attributes: int = Field(default=5, ge=0, le=20, description="attribute triples shown (paper: 5)")
    relations: int = Field(default=5, ge=0, le=20, description="relation triples shown (paper: 5)")
    entropy: OneOf["high", "low", "none"] = Field(
        default="high",
        description="attributes whose values differ most among the candidates (high) or least (low, the paper's); "
        "none: triples as they come, no selector",
    )
    both_orders: float = Field(
        default=0.02, ge=0.0, le=1.0, description="below this margin candidates are shown in both orders"
    )
    reflect_below: float = Field(
        default=0.75, ge=0.0, le=1.0, description="answers less sure than this are reflected on"
    )
    heed: float = Field(default=0.5, ge=0.0, le=1.0, description="answers less sure than this change nothing")
    path_temperature: float = Field(
        default=0.0,
        ge=0.0,
        le=2.0,
        description="paths of a learned policy or a model: 0, the likeliest; above, sampled",
    )


@dataclass(frozen=True, eq=False)
class Planned(Tabled):
    """What ``plan`` gives: the way of every entity that is looked at; all others keep the first alignment."""

    proposal: Proposal
    paths: Mapping[int, Path]  # by row of the proposal; rows that are not here were sure
    verdicts: Mapping[int, Verdict]
    planner: str
    simulation: bool = False

    def path(self, row: int) -> Path:
        """The way of one row; empty where the first alignment stands."""
        return self.paths.get(row, ())

    @property
    def asked(self) -> tuple[int, ...]:
        """The rows that are looked at, in order."""
        return tuple(sorted(row for row, path in self.paths.items() if path))

    def counts(self) -> dict[str, int | float]:
        """How many are looked at, and how long their ways are."""
        lengths = [len(self.paths[row]) for row in self.asked]
        return {
            "entities": len(self.proposal),
            "looked at": len(lengths),
            "tools on average": round(sum(lengths) / len(lengths), 2) if lengths else 0,
            "with reflection": sum("reflect" in self.paths[row] for row in self.asked),
        }

    def table(self) -> Table:
        """One row an entity that is looked at."""
        columns = [Column("entity", "entity"), Column("path", "way"), Column("confidence", "confidence", "number")]
        columns += [Column("margin", "margin", "number"), Column("why", "why")]
        rows: list[list[Value]] = []
        proposal = self.proposal
        for row, path in sorted(self.paths.items()):
            source = int(proposal.sources[row])
            verdict = self.verdicts[row]
            sure = round(float(proposal.confidence[row]), 3), round(float(proposal.margin[row]), 3)
            link = Link(proposal.left.entities[source], proposal.left.called(source))
            rows.append([link, named(path), *sure, verdict.rationale])
        counts = self.counts()
        caption = f"{counts['looked at']} of {counts['entities']} entities are looked at, planned by {self.planner}"
        return Table(columns, rows, caption=caption, notes=[SIMULATED] if self.simulation else [])


@dataclass(frozen=True, eq=False)
class Selected(Tabled):
    """What ``select`` gives: a question for every row that is looked at."""

    planned: Planned
    questions: tuple[AlignQuestion, ...]
    options: LookOptions = LookOptions()

    def counts(self) -> dict[str, int]:
        """Questions and what they show."""
        cards = [card for question in self.questions for card in (question.about, *question.others)]
        kinds = Counter(line.kind for card in cards for line in card.lines)
        return {
            "questions": len(self.questions),
            "candidates shown": sum(len(question.others) for question in self.questions),
            "attribute triples": kinds["attribute"],
            "relation triples": kinds["relation"],
            "without a triple that tells apart": sum(not question.tells_apart for question in self.questions),
        }

    def table(self) -> Table:
        """One row a question; it opens to what is shown of every candidate."""
        columns = [Column("entity", "entity"), Column("candidates", "candidates", "number")]
        columns += [Column("lines", "triples shown", "number"), Column("apart", "they tell apart")]
        rows: list[list[Value]] = [
            [
                Link(question.about.iri, question.about.name),
                len(question.others),
                sum(len(card.lines) for card in (question.about, *question.others)),
                "yes" if question.tells_apart else "no",
            ]
            for question in self.questions
        ]
        caption = f"{len(rows)} questions, with the triples selected for them"
        return Table(columns, rows, caption=caption, details=[question.cards() for question in self.questions])


@dataclass(frozen=True)
class Answer:
    """What was said on one row: the verdicts in order, and what they come to."""

    question: AlignQuestion
    verdict: Verdict  # what they come to
    said: tuple[Verdict, ...]  # as given: first order, other order, reflection
    reflected: bool = False
    before: Verdict | None = None  # what they came to before a reflection

    def standing(self, heed: float) -> tuple[str, float]:
        """The IRI that stands for now ("" for none) and how sure that is.

        A sure answer, if it is sure enough. Of two answers that turned with the order, the better ranked one where the
        first alignment is neither. Else the first alignment.
        """
        if self.verdict.sure:
            if self.verdict.confidence >= heed:
                return self.verdict.choice or "", self.verdict.confidence
            return self.question.first, self.question.confidence
        torn = dict(self.verdict.also) if len(self.said) > 1 else {}
        if len(torn) < 2 or self.question.first in torn:
            return self.question.first, self.question.confidence
        best = min(torn, key=self.question.position)
        return best, torn[best]

    def lines(self) -> list[tuple[str, str]]:
        """Every verdict in the order they were given, as (which look, text)."""
        names = {card.iri: card.name for card in self.question.others}
        heads = ["first look", *["other order"] * (len(self.said) - 1 - self.reflected)]
        heads += ["second look"] if self.reflected else []
        return [
            (head, f"{names.get(said.choice or '', said.decision)} ({said.confidence:.2f}) {said.rationale}".strip())
            for head, said in zip(heads, self.said, strict=True)
        ]

    @property
    def unsure(self) -> bool:
        """Whether nobody could decide."""
        return self.verdict.decision == UNSURE


@dataclass(frozen=True, eq=False)
class Aligned(Tabled):
    """What ``align`` gives, and ``reflect`` after it: an answer to every question."""

    selected: Selected
    answers: tuple[Answer, ...]
    judge: str
    simulation: bool = False
    partial: str = ""  # why, if it is: a budget was spent before everything was asked

    def marked_partial(self, why: str) -> Aligned:
        """The same answers, said to be partial."""
        return replace(self, partial=why)

    def counts(self) -> dict[str, int]:
        """Answers by what they come to."""
        decided = [answer for answer in self.answers if not answer.unsure]
        kept = sum(answer.verdict.choice == (answer.question.first or None) for answer in decided)
        return {
            "answers": len(self.answers),
            "first alignment kept": kept,
            "changed": len(decided) - kept,
            "unsure": len(self.answers) - len(decided),
            "asked in both orders": sum(len(answer.said) - answer.reflected > 1 for answer in self.answers),
            "reflected": sum(answer.reflected for answer in self.answers),
        }

    def table(self) -> Table:
        """One row an answer; it opens to every verdict in the order they were given."""
        columns = [Column("entity", "entity"), Column("answer", "answer"), Column("confidence", "confidence", "number")]
        columns += [Column("first", "first alignment"), Column("by", "judged by"), Column("why", "why")]
        rows: list[list[Value]] = []
        for answer in self.answers:
            question, verdict = answer.question, answer.verdict
            names = {card.iri: card.name for card in question.others}
            said = names.get(verdict.choice or "", "none of these" if verdict.sure else "unsure")
            first = names.get(question.first, "")
            rows.append(
                [
                    Link(question.about.iri, question.about.name),
                    said,
                    verdict.confidence,
                    "the same" if verdict.choice and verdict.choice == question.first else first,
                    verdict.judged_by,
                    verdict.rationale,
                ]
            )
        counts = self.counts()
        caption = (
            f"{counts['answers']} answers: {counts['changed']} change the first alignment, {counts['unsure']} unsure"
        )
        notes = [SIMULATED] if self.simulation else []
        return Table(columns, rows, caption=caption, details=[answer.lines() for answer in self.answers], notes=notes)

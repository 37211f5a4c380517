"""The frozen values of the closer look: its options, and what plan, select, align and reflect give."""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal as OneOf
from typing import TypeAlias

import numpy as np

from kgnb.agents.entity_alignment.values import FEATURES, Proposal, reads
from kgnb.agents.options import Field, options
from kgnb.judging import UNSURE, Option, Verdict
from kgnb.mappings import Evidence
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


EQUIVALENT, DIFFERENT, TAKE = "equivalent", "different", "take"


def _digest(*said: object) -> str:
    return hashlib.sha256(json.dumps(said, ensure_ascii=False).encode("utf-8", "surrogatepass")).hexdigest()[:16]


@dataclass(frozen=True)
class PlanQuestion:
    """Which way should this entity take? Answered with the name of one of its possible paths."""

    row: int  # of the proposal
    iri: str
    name: str
    statistics: tuple[float, ...]  # one value a feature
    paths: tuple[Path, ...]  # those whose tools have something to work on
    costs: tuple[int, ...] = ()  # tokens that each of ``PATHS`` takes about, on average over the entities

    @cached_property
    def id(self) -> str:
        """Digest of entity, statistics, paths and costs."""
        return _digest("plan", self.iri, self.text, [named(path) for path in self.paths], self.costs)

    @property
    def text(self) -> str:
        """The entity's name and statistics."""
        return f"{self.name}: {reads(np.array(self.statistics))}"

    @property
    def options(self) -> tuple[Option, ...]:
        """One option a path."""
        return tuple(Option(named(path), named(path)) for path in self.paths)

    def value(self, feature: str) -> float:
        """One of the statistics."""
        return self.statistics[FEATURES.index(feature)]


@dataclass(frozen=True)
class Line:
    """One selected triple as it reads, and how much it tells."""

    text: str
    kind: str  # "attribute" or "relation"
    weight: float = 0.0


@dataclass(frozen=True)
class Card:
    """An entity as a judge sees it: its name and the triples selected for it."""

    side: str  # "source" or "target"
    iri: str
    name: str
    lines: tuple[Line, ...] = ()
    kind: str = "individual"
    taken: str = ""  # of a candidate: the name of another entity that it is matched with so far, "" for none

    @property
    def in_short(self) -> str:
        """Name, then the triples, a line each."""
        return "\n".join([self.name, *(line.text for line in self.lines)])

    @property
    def inline(self) -> str:
        """The same in one line, as a model is asked: few tokens."""
        name = f"{self.name} [taken: {self.taken}]" if self.taken else self.name
        return "; ".join([name, *(line.text for line in self.lines)])


@dataclass(frozen=True)
class Rival:
    """What is known of one candidate besides its card."""

    position: int  # among the proposal's candidates of this row
    score: float  # after assignment
    similarity: float  # before it
    agreement: float  # how many selected triples agree with the entity's own
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True)
class AlignQuestion:
    """Which of the candidates, if any, is the same thing as this entity? ``candidates`` go with ``others``."""

    row: int  # of the proposal
    about: Card
    others: tuple[Card, ...]
    candidates: tuple[Rival, ...]
    first: str = ""  # IRI of the first alignment, "" where there is none; not told to whoever is asked
    confidence: float = 0.0  # of the first alignment
    tells_apart: bool = True  # whether any selected triple differs between the candidates
    earlier: str = ""  # in a reflection: what was answered before, and why

    @property
    def side(self) -> str:
        """Questions are always asked from the source."""
        return "source"

    @cached_property
    def id(self) -> str:
        """Digest of everything that is shown."""
        return _digest("align", self.about.iri, self.text, [[o.id, o.text] for o in self.options])

    @property
    def text(self) -> str:
        """The entity and, in a reflection, the earlier answer."""
        before = f" [first judge: {self.earlier}]" if self.earlier else ""
        return self.about.inline + before

    @property
    def options(self) -> tuple[Option, ...]:
        """One option a candidate, in the order they are shown."""
        return tuple(Option(card.iri, card.inline) for card in self.others)

    def cards(self) -> list[tuple[str, str]]:
        """The entity and its candidates with their lines, as (heading, text)."""
        found = [("entity", self.about.inline)]
        return found + [(chr(ord("A") + at), card.inline) for at, card in enumerate(self.others)]

    def turned(self) -> AlignQuestion:
        """The same question with its candidates in the opposite order."""
        return replace(self, others=self.others[::-1], candidates=self.candidates[::-1])

    def position(self, iri: str) -> int:
        """Where a candidate stands in the proposal."""
        return next(rival.position for rival, card in zip(self.candidates, self.others, strict=True) if card.iri == iri)


Path: TypeAlias = tuple[str, ...]
Record: TypeAlias = Mapping[Path, tuple[tuple[int, int], tuple[int, int]]]
"""(asked, right) of each path on entities whose known counterpart was compared: margins below ``CLOSE``, and wider."""

CLOSE = 0.05

ATTRIBUTES, RELATIONS, ALIGN, REFLECT = TOOLS = ("attributes", "relations", "align", "reflect")
STANDS: Path = ()
"""The empty path: the first alignment stands, and nobody is asked."""

PATHS: tuple[Path, ...] = (
    STANDS,
    (ATTRIBUTES, ALIGN),
    (RELATIONS, ALIGN),
    (ATTRIBUTES, RELATIONS, ALIGN),
    (ATTRIBUTES, ALIGN, REFLECT),
    (RELATIONS, ALIGN, REFLECT),
    (ATTRIBUTES, RELATIONS, ALIGN, REFLECT),
)

# What a reflection was worth, by (first answer right, last answer right). Wrong to wrong is not in the paper.
REFLECTION = {(False, True): 1.0, (True, True): -0.5, (True, False): -1.0, (False, False): 0.0}


def named(path: Path) -> str:
    """A path as a person reads it, and as a policy file writes it.

    >>> named(("attributes", "align")), named(())
    ('attributes > align', 'stands')
    """
    return " > ".join(path) if path else "stands"


def path_of(name: str) -> Path:
    """The path behind a name; ValueError for one that is none of ``PATHS``.

    >>> path_of("relations > align > reflect")
    ('relations', 'align', 'reflect')
    """
    found = {named(path): path for path in PATHS}
    if name not in found:
        raise ValueError(f"there is no path {name!r}: choose {', '.join(found)}")
    return found[name]


def reward(path: Path, *, first_right: bool, last_right: bool, reflected: bool) -> float:
    """hit + c * reflection + exp(-0.2 * length), with c = 1 where the reflector ran and 0 where it did not.

    >>> round(reward(("attributes", "align"), first_right=True, last_right=True, reflected=False), 3)
    1.67
    >>> right_kept = reward(PATHS[-1], first_right=True, last_right=True, reflected=True)
    >>> round(right_kept, 3)
    0.949
    """
    reflection = REFLECTION[first_right, last_right] if reflected else 0.0
    return float(last_right) + reflection + math.exp(-0.2 * len(path))


def shorter(path: Path) -> tuple[Path, ...]:
    """The other paths worth trying in place of one, shortest first: every path there is."""
    return tuple(sorted((other for other in PATHS if other != path), key=lambda other: (len(other), other)))

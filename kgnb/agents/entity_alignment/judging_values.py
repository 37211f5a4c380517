"""The frozen values of the closer look: its options, and the results of plan, select, align and
reflect.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal as OneOf
from typing import TypeAlias, get_args

import numpy as np

from kgnb.agents.entity_alignment.options import LookOptions as LookOptions
from kgnb.agents.entity_alignment.values import CERTAINTY, FEATURES, Proposal, reads
from kgnb.judging import UNSURE, Option, Verdict
from kgnb.mappings import Evidence
from kgnb.results.bundle import count
from kgnb.results.cells import LabelledIri, Value
from kgnb.results.table import Table, Tabled, numbers, percents, texts

HEEDED = 0.5  # answers less sure than this change nothing
SIMULATED = "SIMULATION: whoever answered knows the reference"
EQUIVALENT, DIFFERENT, TAKE = "equivalent", "different", "take"

Tool = OneOf["attributes", "relations", "align", "reflect"]
Path: TypeAlias = tuple[Tool, ...]
"""Which tools look at an entity, in which order."""

TOOLS: tuple[Tool, ...] = get_args(Tool)
STANDS: Path = ()
"""The empty path: the first alignment stands, and nobody is asked."""
PATHS: tuple[Path, ...] = (
    STANDS,
    ("attributes", "align"),
    ("relations", "align"),
    ("attributes", "relations", "align"),
    ("attributes", "align", "reflect"),
    ("relations", "align", "reflect"),
    ("attributes", "relations", "align", "reflect"),
)


def named(path: Path) -> str:
    """A path as a person reads it.

    >>> named(("attributes", "align")), named(())
    ('attributes > align', 'stands')
    """
    return " > ".join(path) or "stands"


def path_of(name: str) -> Path:
    """The path with this name; ValueError if it is not one of ``PATHS``.

    >>> path_of("relations > align > reflect")
    ('relations', 'align', 'reflect')
    """
    found = {named(path): path for path in PATHS}
    if name not in found:
        raise ValueError(f"there is no path {name!r}: choose {', '.join(found)}")
    return found[name]


@dataclass(frozen=True, eq=False)
class Planned(Tabled):
    """The result of ``plan``: the path of every entity that was planned for; all others keep the
    first alignment.
    """

    proposal: Proposal
    paths: Mapping[int, Path]  # by row of the proposal
    verdicts: Mapping[int, Verdict]
    planner: str
    simulation: bool = False

    def path(self, row: int) -> Path:
        """The path of one row; empty where the first alignment stands."""
        return self.paths.get(row, ())

    @property
    def asked(self) -> tuple[int, ...]:
        """The rows that are looked at, in order."""
        return tuple(sorted(row for row, path in self.paths.items() if path))

    @property
    def unusable(self) -> list[str]:
        """What is said of plans that could not be read."""
        lost = [verdict for verdict in self.verdicts.values() if verdict.decision == UNSURE]
        if not lost:
            return []
        return [
            f"{len(lost)} of {len(self.verdicts)} plans of {self.planner} could not be used, and their "
            f"first alignment stands: {lost[0].rationale}"
        ]

    def counts(self) -> dict[str, int | float]:
        """How many entities are looked at, and how long their paths are."""
        paths = [self.paths[row] for row in self.asked]
        return {
            "entities": len(self.proposal),
            "looked at": len(paths),
            "tools on average": round(sum(map(len, paths)) / len(paths), 2) if paths else 0,
            "with reflection": sum("reflect" in path for path in paths),
        }

    def table(self) -> Table:
        """One row per planned entity."""
        columns = [*texts(entity="entity", path="path"), *CERTAINTY, *texts(why="why")]
        rows: list[list[Value]] = []
        for row, path in sorted(self.paths.items()):
            rows.append(
                [
                    self.proposal.link(row),
                    named(path),
                    *self.proposal.certainty(row),
                    self.verdicts[row].rationale if row in self.verdicts else "to try the model",
                ]
            )
        whole = count(len(self.proposal), "entity", "entities")
        caption = f"{len(self.asked)} of {whole} are looked at, planned by {self.planner}"
        notes = [*([SIMULATED] if self.simulation else []), *self.unusable]
        return Table(columns, rows, caption=caption, notes=notes)


@dataclass(frozen=True, eq=False)
class Selected(Tabled):
    """The result of ``select``: a question for every row that is looked at."""

    planned: Planned
    questions: tuple[AlignQuestion, ...]
    options: LookOptions = LookOptions()

    def counts(self) -> dict[str, int]:
        """Questions and what they show."""
        kinds = Counter(line.kind for question in self.questions for line in question.lines())
        return {
            "questions": len(self.questions),
            "candidates shown": sum(len(question.others) for question in self.questions),
            "attribute triples": kinds["attribute"],
            "relation triples": kinds["relation"],
            "without a triple that tells apart": sum(
                not question.tells_apart for question in self.questions
            ),
        }

    def table(self) -> Table:
        """One row per question; it opens to the text shown of every candidate."""
        counted = numbers(candidates="candidates", lines="triples shown")
        columns = [*texts(entity="entity"), *counted, *texts(apart="they tell apart")]
        rows: list[list[Value]] = [
            [
                LabelledIri(question.about.iri, question.about.name),
                len(question.others),
                len(question.lines()),
                "yes" if question.tells_apart else "no",
            ]
            for question in self.questions
        ]
        caption = f"{count(len(rows), 'question')}, with the triples selected for them"
        return Table(
            columns,
            rows,
            caption=caption,
            details=[question.cards() for question in self.questions],
        )


@dataclass(frozen=True)
class EntityVerdicts:
    """All verdicts on one row, and their outcome."""

    question: AlignQuestion
    verdict: Verdict  # the outcome
    said: tuple[Verdict, ...]  # as given: first order, other order, reflection
    reflected: bool = False  # whether it was asked again
    before: Verdict | None = None  # the outcome before a reflection

    def standing(self) -> tuple[str, float]:
        """The IRI that stands for now ("" for none) and its confidence.

        That is the outcome, if it is at least as sure as ``HEEDED``. Where the answer changed with
        the order of the candidates and the first alignment is neither of the two, it is the better
        ranked one. Else the first alignment.
        """
        if self.verdict.sure and self.verdict.confidence >= HEEDED:
            return self.verdict.choice or "", self.verdict.confidence
        torn = dict(self.verdict.also) if len(self.said) > 1 and self.unsure else {}
        if len(torn) < 2 or self.question.first in torn:
            return self.question.first, self.question.confidence
        best = min(torn, key=self.question.position)
        return best, torn[best]

    def lines(self) -> list[tuple[str, str]]:
        """Every verdict in order, as (which look, text)."""
        names = self.question.names
        heads = ["first look", *["other order"] * (len(self.said) - 1 - self.reflected)]
        heads += ["second look"] if self.reflected else []
        return [
            (
                head,
                f"{names.get(said.choice or '', said.decision)} ({said.confidence:.2f}) {said.rationale}".strip(),
            )
            for head, said in zip(heads, self.said, strict=True)
        ]

    @property
    def unsure(self) -> bool:
        """Whether nobody could decide."""
        return self.verdict.decision == UNSURE


@dataclass(frozen=True, eq=False)
class Aligned(Tabled):
    """The result of ``align``, and of ``reflect`` after it: an answer to every question."""

    selected: Selected
    answers: tuple[EntityVerdicts, ...]
    judge: str
    simulation: bool = False
    partial: str = ""  # why: a budget was spent before everything was asked

    def marked_partial(self, why: str) -> Aligned:
        """The same answers, marked as partial."""
        return replace(self, partial=why)

    def counts(self) -> dict[str, int]:
        """Answers by outcome."""
        decided = [answer for answer in self.answers if not answer.unsure]
        kept = sum(answer.verdict.choice == (answer.question.first or None) for answer in decided)
        return {
            "answers": len(self.answers),
            "kept": kept,
            "changed": len(decided) - kept,
            "unsure": len(self.answers) - len(decided),
            "asked in both orders": sum(
                len(answer.said) - answer.reflected > 1 for answer in self.answers
            ),
            "reflected": sum(answer.reflected for answer in self.answers),
            "sure without the planned reflection": self.spared,
        }

    @property
    def spared(self) -> int:
        """Answers whose path has a reflector that was not needed; 0 before any reflection."""
        if not any(answer.reflected for answer in self.answers):
            return 0
        planned = self.selected.planned
        return sum(
            "reflect" in planned.path(answer.question.row) and not answer.reflected
            for answer in self.answers
        )

    def table(self) -> Table:
        """One row per answer; it opens to every verdict in order."""
        columns = texts(entity="entity", answer="answer") + percents(confidence="confidence")
        columns += texts(first="first alignment", by="judged by", why="why")
        rows: list[list[Value]] = []
        for answer in self.answers:
            question, verdict, names = answer.question, answer.verdict, answer.question.names
            said = names.get(verdict.choice or "", "none of these" if verdict.sure else "unsure")
            same = verdict.choice and verdict.choice == question.first
            first = "the same" if same else names.get(question.first, "")
            entity = LabelledIri(question.about.iri, question.about.name)
            rows.append(
                [entity, said, verdict.confidence, first, verdict.judged_by, verdict.rationale]
            )
        counts = self.counts()
        caption = (
            f"{count(counts['answers'], 'answer')}: {counts['changed']} "
            f"change the first alignment, {counts['unsure']} unsure"
        )
        notes = [SIMULATED] if self.simulation else []
        return Table(
            columns,
            rows,
            caption=caption,
            details=[answer.lines() for answer in self.answers],
            notes=notes,
        )


def _digest(*said: object) -> str:
    return hashlib.sha256(
        json.dumps(said, ensure_ascii=False).encode("utf-8", "surrogatepass")
    ).hexdigest()[:16]


@dataclass(frozen=True)
class PlanQuestion:
    """Which path should this entity take? Answered with the name of one of its possible paths."""

    row: int  # of the proposal
    iri: str
    name: str
    statistics: tuple[float, ...]  # in the order of ``FEATURES``
    paths: tuple[Path, ...]  # those whose tools have something to work on
    costs: tuple[int, ...] = ()  # average tokens of each of ``PATHS``
    first: str = ""  # the first alignment's name and similarity; "" where there is none
    others: tuple[str, ...] = ()  # the same of the other candidates that a judge sees, best first

    @cached_property
    def id(self) -> str:
        """Digest of entity, statistics, paths and costs."""
        return _digest(
            "plan", self.iri, self.text, [named(path) for path in self.paths], self.costs
        )

    @property
    def text(self) -> str:
        """The entity's name and statistics, its first alignment and the other candidates."""
        return f"{self.name}: {reads(np.array(self.statistics), self.first, self.others)}"

    @property
    def options(self) -> tuple[Option, ...]:
        """One option per path."""
        return tuple(Option(named(path), named(path)) for path in self.paths)

    def value(self, feature: str) -> float:
        """One of the statistics."""
        return self.statistics[FEATURES.index(feature)]


@dataclass(frozen=True)
class SelectedTriple:
    """One selected triple as it reads, and how informative it is."""

    text: str
    kind: str  # "attribute" or "relation"
    weight: float = 0.0


@dataclass(frozen=True)
class EntityCard:
    """An entity as a judge sees it: its name and the triples selected for it."""

    side: str  # "source" or "target"
    iri: str
    name: str
    lines: tuple[SelectedTriple, ...] = ()
    kind: str = "individual"
    taken: str = ""  # of a candidate: the name of another entity that it is matched with so far

    @property
    def in_short(self) -> str:
        """Name, then the triples, one per line."""
        return "\n".join([self.name, *(line.text for line in self.lines)])

    @property
    def inline(self) -> str:
        """The same on one line, which takes a model fewer tokens."""
        name = f"{self.name} [taken: {self.taken}]" if self.taken else self.name
        return "; ".join([name, *(line.text for line in self.lines)])


@dataclass(frozen=True)
class Rival:
    """What is known of one candidate besides its card."""

    position: int  # among the proposal's candidates of this row
    score: float  # after assignment
    similarity: float  # before it
    agreement: float  # how many values and neighbours it shares with the entity
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True)
class AlignQuestion:
    """Which of the candidates, if any, is the same thing as this entity? ``candidates`` go with
    ``others``.
    """

    row: int  # of the proposal
    about: EntityCard
    others: tuple[EntityCard, ...]
    candidates: tuple[Rival, ...]
    first: str = ""  # IRI of the first alignment, "" where there is none; not shown to a judge
    confidence: float = 0.0  # of the first alignment
    tells_apart: bool = True  # whether any selected triple differs between the candidates
    earlier: str = ""  # in a reflection: the earlier answer and its reason
    side = "source"  # questions are always asked from the source

    @cached_property
    def id(self) -> str:
        """Digest of everything that is shown."""
        return _digest("align", self.about.iri, self.text, [[o.id, o.text] for o in self.options])

    @property
    def text(self) -> str:
        """The entity and, in a reflection, the earlier answer."""
        return self.about.inline + (f" [first judge: {self.earlier}]" if self.earlier else "")

    @property
    def options(self) -> tuple[Option, ...]:
        """One option per candidate, in the order they are shown."""
        return tuple(Option(card.iri, card.inline) for card in self.others)

    @property
    def names(self) -> dict[str, str]:
        """The candidates' names by IRI."""
        return {card.iri: card.name for card in self.others}

    def lines(self) -> list[SelectedTriple]:
        """All selected triples, the entity's own first."""
        return [line for card in (self.about, *self.others) for line in card.lines]

    def cards(self) -> list[tuple[str, str]]:
        """The entity and its candidates with their lines, as (heading, text)."""
        found = [("entity", self.about.inline)]
        return found + [(chr(ord("A") + at), card.inline) for at, card in enumerate(self.others)]

    def turned(self) -> AlignQuestion:
        """The same question with its candidates in the opposite order."""
        return replace(self, others=self.others[::-1], candidates=self.candidates[::-1])

    def position(self, iri: str) -> int:
        """The place of a candidate in the proposal."""
        return next(
            rival.position
            for rival, card in zip(self.candidates, self.others, strict=True)
            if card.iri == iri
        )

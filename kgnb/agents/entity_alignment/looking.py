"""The frozen values of the closer look: its options, and what plan, select, align and reflect give."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from kgnb.agents.entity_alignment import shown
from kgnb.agents.entity_alignment.paths import Path
from kgnb.agents.entity_alignment.questions import AlignQuestion
from kgnb.agents.entity_alignment.values import Proposal
from kgnb.judging import UNSURE, Verdict


@dataclass(frozen=True)
class LookOptions:
    """What a person may turn in the closer look. ``metadata`` feeds ``--form``, ``--help`` and the report."""

    share: float = field(
        default=0.10,
        metadata={"help": "share of the entities that may be looked at; 1: all (paper)", "min": 0.0, "max": 1.0},
    )
    sure: float = field(
        default=0.9,
        metadata={"help": "first alignments at least this sure stand without a look", "min": 0.0, "max": 1.0},
    )
    shown: int = field(default=4, metadata={"help": "candidates shown to a judge (paper: 10)", "min": 1, "max": 20})
    attributes: int = field(default=5, metadata={"help": "attribute triples shown (paper: 5)", "min": 0, "max": 20})
    relations: int = field(default=5, metadata={"help": "relation triples shown (paper: 5)", "min": 0, "max": 20})
    entropy: str = field(
        default="high",
        metadata={
            "help": "attributes whose values differ most among the candidates (high) or least (low, the paper's)",
            "choices": ("high", "low"),
        },
    )
    both_orders: float = field(
        default=0.02,
        metadata={"help": "below this margin candidates are shown in both orders", "min": 0.0, "max": 1.0},
    )
    reflect_below: float = field(
        default=0.75, metadata={"help": "answers less sure than this are reflected on", "min": 0.0, "max": 1.0}
    )
    heed: float = field(
        default=0.5, metadata={"help": "answers less sure than this change nothing", "min": 0.0, "max": 1.0}
    )

    def __post_init__(self) -> None:
        for name in ("share", "sure", "both_orders", "reflect_below", "heed"):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise ValueError(f"{name} is {getattr(self, name)}: it lies between 0 and 1")
        if self.shown < 1:
            raise ValueError(f"shown is {self.shown}: at least one candidate is needed")
        if self.attributes < 0 or self.relations < 0:
            raise ValueError("attributes and relations are 0 or more")
        if self.entropy not in ("high", "low"):
            raise ValueError(f"entropy is {self.entropy!r}: choose high or low")


@dataclass(frozen=True, eq=False)
class Planned:
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

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return shown.planned(self)._repr_mimebundle_(include, exclude)


@dataclass(frozen=True, eq=False)
class Selected:
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

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return shown.selected(self)._repr_mimebundle_(include, exclude)


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

    @property
    def unsure(self) -> bool:
        """Whether nobody could decide."""
        return self.verdict.decision == UNSURE


@dataclass(frozen=True, eq=False)
class Aligned:
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

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return shown.aligned(self)._repr_mimebundle_(include, exclude)

"""The three questions a judge of question answering is asked, each with a closed list of options."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

from kgnb.agents.question_answering.actions import Action, written
from kgnb.agents.question_answering.reading import Reading
from kgnb.agents.question_answering.state import State
from kgnb.judging import Option
from kgnb.kg.terms import Term, Triple

PERFORM = "perform"
KEEP = "keep"
GIVE = "give"
NONE = "none"
"""The words a verdict decides with: perform an action, keep triples, give values; or none of them."""


@dataclass(frozen=True)
class ActQuestion:
    """Which action next? ``actions`` may be chosen by index; whoever reads ``state`` may make up others."""

    asked: str
    text: str  # the question, the observation and the memory, to read
    actions: tuple[Action, ...]
    shown: tuple[str, ...]  # how each reads
    readings: tuple[Reading | None, ...]  # the reading an action follows
    done: tuple[Action, ...] = ()
    settled: bool = False  # what is remembered is all that the best reading asks for
    state: State | None = field(default=None, compare=False, repr=False)

    @cached_property
    def id(self) -> str:
        """Digest of what is asked and what may be chosen."""
        return _digest("act", self.asked, self.text, [option.id for option in self.options])

    @cached_property
    def options(self) -> tuple[Option, ...]:
        """One option an action; its id is the action, written."""
        return tuple(Option(written(a), shown) for a, shown in zip(self.actions, self.shown, strict=True))


@dataclass(frozen=True)
class ReflectQuestion:
    """Which of these triples help to answer? Options are chosen by index: a choice, and more in ``also``."""

    asked: str
    text: str
    triples: tuple[Triple, ...]
    shown: tuple[str, ...]
    keep: int
    ranked: tuple[int, ...] = ()  # the indexes in the order in which the reading or the observation has them

    @cached_property
    def id(self) -> str:
        """Digest of what is asked and what may be chosen."""
        return _digest("reflect", self.asked, self.text, list(self.shown))

    @cached_property
    def options(self) -> tuple[Option, ...]:
        """One option a triple; its id is the index."""
        return tuple(Option(str(at), shown) for at, shown in enumerate(self.shown))


@dataclass(frozen=True)
class AnswerQuestion:
    """Which of these values answer? Options are chosen by index: a choice, and more in ``also``."""

    asked: str
    text: str
    values: tuple[Term, ...]
    shown: tuple[str, ...]
    reading: Reading | None = None  # the one the values come from
    complete: bool = False  # the values are all there are, for that reading

    @cached_property
    def id(self) -> str:
        """Digest of what is asked and what may be chosen."""
        return _digest("answer", self.asked, self.text, list(self.shown))

    @cached_property
    def options(self) -> tuple[Option, ...]:
        """One option a value; its id is the index."""
        return tuple(Option(str(at), shown) for at, shown in enumerate(self.shown))


QaQuestion: TypeAlias = ActQuestion | ReflectQuestion | AnswerQuestion


def _digest(*parts: str | Sequence[str]) -> str:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]

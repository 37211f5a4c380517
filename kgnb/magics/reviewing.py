"""Review for any agent: questions for a person, listed or answered on a line; each answer is saved
at once.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from kgnb.agents.agent import Agent, Review
from kgnb.errors import DataError
from kgnb.judging import Decisions, Pending
from kgnb.kg.terms import local_name
from kgnb.magics.arguments import Number, argument
from kgnb.magics.names import named as called
from kgnb.results.bundle import count
from kgnb.results.escaping import one_line
from kgnb.results.table import Table
from kgnb.tasks.task import Task
from kgnb.widgets.review import (
    Thing,
    nothing_waits,
    review_table,
    subject,
    suggested,
    things,
    waiting,
)

Named = Callable[[str, Sequence[Thing]], Sequence[Thing]]
HELP = {
    "accept": "candidate CHOICE (a number or name; default: the likeliest) matches ITEM",
    "broader": "the candidate is broader than ITEM",
    "narrower": "the candidate is narrower than ITEM",
    "related": "the candidate is related, but neither the same nor broader nor narrower",
    "reject": "CHOICE is wrong; without CHOICE, no candidate fits",
    "withdraw": "take back the decision on ITEM",
}


def actions(review: Review) -> tuple[str, ...]:
    """The options that record a decision."""
    return (*review.relations, "reject", "withdraw")


def review_arguments(agent: Agent) -> list[argument]:
    """The options of an agent's verb ``review``."""
    assert agent.review is not None
    kept = agent.review.file
    return [
        argument(
            "--decisions",
            metavar="FILE",
            default=argparse.SUPPRESS,
            help=f"where answers are saved [{kept}]",
        ),
        argument(
            "--below",
            type=Number(float, 0, 1),
            metavar="X",
            default=0.0,
            help="also verdicts less sure than this, from 0 to 1 [0]",
        ),
        answers_to(agent.review),
    ]


class answers_to(argument):  # lower case as IPython's own decorators are
    """Decorates a verb with the options that answer a review; each answer takes ITEM [CHOICE]."""

    def __init__(self, review: Review, *named: str) -> None:
        self.review, self.actions = review, named or actions(review)

    def add_to_parser(self, parser: argparse.ArgumentParser, group: Any) -> None:
        """Called by IPython when it builds the verb's parser."""
        parser.add_argument(
            "--who", metavar="NAME", default="", help="your name, saved with each answer"
        )
        parser.add_argument(
            "--list", action="store_true", help="show the questions as a table instead of a widget"
        )
        for action in self.actions:
            text = HELP.get(action, f"CHOICE is {self.review.relations.get(action, '')}")
            parser.add_argument(
                f"--{action}", nargs="+", metavar=("ITEM", "CHOICE"), default=(), help=text
            )


def decisions_of(task: Task) -> Decisions:
    """The file that answers are added to.

    Raises:
        ValueError: it is not .jsonl; SSSOM, for example, is written as a whole.
    """
    review = task.agent.review
    assert review is not None
    path = str(task.option("decisions") or review.file)
    if not path.lower().endswith(".jsonl"):
        how = (
            f"; to use its decisions: %{task.agent.magic} review --import {path}"
            if path.endswith(".tsv")
            else ""
        )
        raise ValueError(f"answers are saved in a .jsonl file, not in {path}{how}")
    return review.decisions(path)


def say_found(decisions: Decisions) -> None:
    """Say whose decisions a file holds that nobody has named: they may come with a stranger's folder.

    Raises:
        DataError: the file belongs to another user, who could add to it at any time.
    """
    standing = decisions.standing()
    if not standing:
        return
    if hasattr(os, "getuid") and decisions.path.stat().st_uid != os.getuid():
        raise DataError(
            "was found here, and belongs to another user",
            where=str(decisions.path),
            fix=f"To use its decisions all the same, name it: --decisions {decisions.path}",
        )
    people = sorted({decision.who or "nobody named" for decision in standing.values()})
    print(
        one_line(
            f"{decisions.path} was found here: {count(len(standing), 'decision')} by "
            f"{', '.join(people)}, which count from the next stage on (--decisions FILE names another)."
        )
    )


def queue_of(task: Task, below: float = 0.0, named: Named | None = None) -> Queue:
    """The questions of the last stage that judged; OutOfOrder if none has run."""
    review = task.agent.review
    assert review is not None
    stage = next(
        (name for name in reversed(review.stages) if name in task.values), review.stages[0]
    )
    answers = review.answers(task.need(stage))
    return Queue(task.agent, review, answers, decisions_of(task), below, named or by_name)


def by_name(word: str, among: Sequence[Thing]) -> Sequence[Thing]:
    """The things a word refers to: by IRI, else by local name or name, ignoring case."""
    return called(
        word,
        among,
        lambda one: one.iri,
        lambda one: [one.iri],
        lambda one: [local_name(one.iri)],
        lambda one: [one.name],
    )


@dataclass(frozen=True)
class Queue:
    """Questions for a person. Their numbers stay the same until the judging stage runs again."""

    agent: Agent
    review: Review
    answers: Sequence[Any]
    decisions: Decisions
    below: float = 0.0
    named: Named = by_name
    on_a_line: bool = True  # whether the verb takes answers, besides the widget

    @property
    def line(self) -> str:
        """The verb that reviews."""
        return f"%{self.agent.magic} review"

    @property
    def entries(self) -> list[tuple[int, Pending[Any]]]:
        """The unanswered questions with their numbers, by expected gain."""
        every = waiting(self.answers, below=self.below)
        verdicts = self.review.settled(self.decisions).judge([entry.question for entry in every])
        numbered = enumerate(zip(every, verdicts, strict=True), start=1)
        return [(number, entry) for number, (entry, verdict) in numbered if not verdict.sure]

    def table(self) -> Table:
        """The queue, and how to answer."""
        entries = self.entries
        shown = review_table([entry for _, entry in entries], [number for number, _ in entries])
        decided = len(self.decisions)
        notes = [f"{count(decided, 'decision')} in {self.decisions.path}"] if decided else []
        if not entries:
            notes.append(self.nothing())
        elif self.on_a_line:
            notes.append(f"Answer: {self.line} --accept # [CHOICE], or --reject #")
        return replace(shown, notes=notes)

    def nothing(self) -> str:
        """The message if there is nothing to review."""
        return nothing_waits(self.answers, self.line, self.below)

    def decide(self, action: str, words: Sequence[Any], who: str = "") -> str:
        """Records a decision; returns a line that says which.

        Raises:
            ValueError: there are more words than an item and a choice, or no such choice.
            DataError: there is no such item, or several.
        """
        if len(words) > 2:
            raise ValueError(
                f"--{action} takes an item and a choice; put a name with spaces into quotes"
            )
        question, verdict = self._item(str(words[0]))
        name, chosen = subject(question).name, None
        if len(words) == 2:
            chosen = self._choice(str(words[1]), question)
        elif action in self.review.relations:
            chosen = things(question)[suggested(question, verdict)]
        if action == "withdraw":
            self.decisions.withdraw(question, who=who)
            return self._kept(f"{name}: taken back", who)
        if action in self.review.relations:
            assert chosen is not None
            relation = self.review.relations[action]
            self.decisions.decide(question, relation, chosen.iri, who=who)
            return self._kept(f"{name}: {relation} {chosen.name}", who)
        if chosen is None:
            self.decisions.decide(question, self.review.none, who=who)
            return self._kept(f"{name}: none of the {len(things(question))} candidates", who)
        self.decisions.reject(question, chosen.iri, who=who)
        return self._kept(f"{name} is not {chosen.name}", who)

    def _kept(self, what: str, who: str) -> str:
        by = f" ({who})" if who else ""
        applied = ""
        if self.review is self.agent.review:
            applied = f" %{self.agent.magic} {self.review.stages[0]} applies it."
        return one_line(
            f"{what}{by}, saved in {self.decisions.path}; {len(self.entries)} left.{applied}"
        )

    def _item(self, word: str) -> tuple[Any, Any]:
        """The question an item refers to, by number or by entity, with its verdict."""
        fix = f"{self.line} --list shows the questions."
        if word.isdigit():
            every = waiting(self.answers, below=self.below)
            if not 0 < int(word) <= len(every):
                raise DataError(f"there is no question {word}", fix=fix)
            entry = every[int(word) - 1]
            return entry.question, entry.verdict
        wanted = self.named(
            word, list(dict.fromkeys(subject(each.question) for each in self.answers))
        )
        about = [one for one in self.answers if subject(one.question) in wanted]
        waits = {entry.question.id for _, entry in self.entries}
        found = [one for one in about if one.question.id in waits] or about
        if len(found) == 1:
            return found[0].question, found[0].verdict
        if not found:
            raise DataError(f"there is no question about {word!r}", fix=fix)
        names = ", ".join(
            f"{one.side} {one.iri}".strip()
            for one in (subject(each.question) for each in found[:4])
        )
        raise DataError(
            f"{word!r} is ambiguous: {names}",
            fix=f"Give its number in {self.line} --list, or its IRI.",
        )

    def _choice(self, word: str, question: Any) -> Thing:
        """The candidate a word refers to, by number or name."""
        others = things(question)
        if word.isdigit() and 0 < int(word) <= len(others):
            return others[int(word) - 1]
        found = [] if word.isdigit() else self.named(word, others)
        if len(found) != 1:
            names = "; ".join(f"{at}. {other.name}" for at, other in enumerate(others, start=1))
            raise ValueError(
                f"{word!r} is not a candidate of {subject(question).name}: choose from {names}"
            )
        return found[0]

"""What waits for a person, for any agent: listed, decided by line, every answer kept in a file at once."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from kgnb.agents.agent import Agent, Review, Task
from kgnb.errors import DataError
from kgnb.judging import Decisions, Pending
from kgnb.magics.arguments import argument
from kgnb.results.bundle import count
from kgnb.results.escaping import one_line
from kgnb.results.table import Table
from kgnb.widgets.review import Thing, nothing_waits, review_table, subject, suggested, things, waiting

Named = Callable[[str, Sequence[Thing]], Sequence[Thing]]
HELP = {
    "accept": "candidate CHOICE (a number or a name; default: the likeliest) is the one for ITEM",
    "broader": "the candidate is the broader of the two",
    "narrower": "the candidate is the narrower of the two",
    "related": "the candidate is close, yet neither",
    "reject": "CHOICE is wrong; without CHOICE: none of the candidates fits",
    "withdraw": "take back what was decided on ITEM",
}


def actions(review: Review) -> tuple[str, ...]:
    """The options that decide."""
    return (*review.relations, "reject", "withdraw")


def review_arguments(agent: Agent) -> list[argument]:
    """The options of an agent's verb ``review``; each answer takes ITEM [CHOICE]."""
    assert agent.review is not None
    kept = agent.review.file
    given: list[argument] = [
        argument("--decisions", metavar="FILE", default=argparse.SUPPRESS, help=f"where answers are kept [{kept}]"),
        argument("--below", type=float, metavar="X", default=0.0, help="also verdicts less confident than this [0]"),
        argument("--who", metavar="NAME", default="", help="who answers; written beside each answer"),
        argument("--list", action="store_true", help="show what waits as a table, also where a widget could be shown"),
    ]
    for action in actions(agent.review):
        text = HELP.get(action, f"what is decided of CHOICE: {agent.review.relations.get(action, '')}")
        given.append(argument(f"--{action}", nargs="+", metavar=("ITEM", "CHOICE"), default=(), help=text))
    return given


def decisions_of(task: Task) -> Decisions:
    """The file the task's answers are added to.

    Raises:
        ValueError: it is of another kind, as SSSOM is, which is read and written whole.
    """
    review = task.agent.review
    assert review is not None
    path = str(task.option("decisions") or review.file)
    if not path.lower().endswith(".jsonl"):
        how = f"; %{task.agent.magic} review --import {path} takes over what it holds" if path.endswith(".tsv") else ""
        raise ValueError(f"answers are added to a .jsonl file, and {path} is none{how}")
    return review.decisions(path)


def queue_of(task: Task, below: float = 0.0, named: Named | None = None) -> Queue:
    """What waits of what the task has judged last.

    Raises:
        OutOfOrder: nothing has been judged yet.
    """
    review = task.agent.review
    assert review is not None
    stage = next((name for name in reversed(review.stages) if name in task.values), review.stages[0])
    answers = review.answers(task.need(stage))
    return Queue(task.agent, answers, decisions_of(task), below, named or by_name)


def by_name(word: str, among: Sequence[Thing]) -> Sequence[Thing]:
    """The things a word names: by IRI, else by its last part or by name, where capitals do not count."""
    plain = word.strip("<>").casefold()
    if exact := [one for one in among if one.iri == word.strip("<>")]:
        return exact
    ways: tuple[Callable[[Thing], str], ...] = (
        lambda one: one.iri,
        lambda one: one.iri.replace("#", "/").rpartition("/")[2],
        lambda one: one.name,
    )
    found = ([one for one in among if way(one).casefold() == plain] for way in ways)
    return next((one for one in found if one), [])


@dataclass(frozen=True)
class Queue:
    """What waits for a person. Numbers stay as they are until the stage that judges runs again."""

    agent: Agent
    answers: Sequence[Any]
    decisions: Decisions
    below: float
    named: Named

    @property
    def review(self) -> Review:
        """What may be decided."""
        assert self.agent.review is not None
        return self.agent.review

    @property
    def line(self) -> str:
        """The line that reviews."""
        return f"%{self.agent.magic} review"

    @property
    def entries(self) -> list[tuple[int, Pending[Any]]]:
        """The questions nobody has answered, with their numbers, those first that are expected to bring most."""
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
        notes += [f"Answer: {self.line} --accept # [CHOICE], or --reject #"] if entries else [self.nothing()]
        return replace(shown, notes=notes)

    def nothing(self) -> str:
        """What is said where nothing waits."""
        return nothing_waits(self.answers, self.line, self.below)

    def decide(self, action: str, words: Sequence[Any], who: str = "") -> str:
        """Takes one decision; what was decided, in a line.

        Raises:
            ValueError: more than an item and a choice is given, or a choice that is not there.
            DataError: the item is not there, or may be several.
        """
        if len(words) > 2:
            raise ValueError(f"--{action} takes an item and a choice; a name with blanks goes into quotes")
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
            return self._kept(f"{name}: none of the {len(things(question))} candidates fits", who)
        self.decisions.reject(question, chosen.iri, who=who)
        return self._kept(f"{name} is not {chosen.name}", who)

    def _kept(self, what: str, who: str) -> str:
        by = f" ({who})" if who else ""
        left, magic, stage = len(self.entries), self.agent.magic, self.review.stages[0]
        return one_line(f"{what}{by}, kept in {self.decisions.path}; {left} left. %{magic} {stage} takes it over.")

    def _item(self, word: str) -> tuple[Any, Any]:
        """The question an item names, with its verdict: its number in the queue, or what was asked about."""
        fix = f"{self.line} --list shows what waits."
        if word.isdigit():
            every = waiting(self.answers, below=self.below)
            if not 0 < int(word) <= len(every):
                raise DataError(f"there is no question {word}", where="", fix=fix)
            entry = every[int(word) - 1]
            return entry.question, entry.verdict
        abouts = {_key(one): one for one in (subject(each.question) for each in self.answers)}
        wanted = set(map(_key, self.named(word, list(abouts.values()))))
        about = [one for one in self.answers if _key(subject(one.question)) in wanted]
        waits = {entry.question.id for _, entry in self.entries}
        found = [one for one in about if one.question.id in waits] or about
        if len(found) == 1:
            return found[0].question, found[0].verdict
        if not found:
            raise DataError(f"nothing was asked about {word!r}", where="", fix=fix)
        names = ", ".join(f"{one.side} {one.iri}".strip() for one in (subject(each.question) for each in found[:4]))
        raise DataError(f"{word!r} may be {names}", where="", fix=f"Give its number in {self.line} --list, or its IRI.")

    def _choice(self, word: str, question: Any) -> Thing:
        """The candidate a word names: its number, or as an item is named."""
        others = things(question)
        if word.isdigit() and 0 < int(word) <= len(others):
            return others[int(word) - 1]
        found = [] if word.isdigit() else self.named(word, others)
        if len(found) != 1:
            names = "; ".join(f"{at}. {other.name}" for at, other in enumerate(others, start=1))
            raise ValueError(f"{word!r} is no candidate of {subject(question).name}: choose of {names}")
        return found[0]


def _key(thing: Thing) -> tuple[str, str, str, str]:
    return (thing.side, thing.iri, thing.kind, thing.name)

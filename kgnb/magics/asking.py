"""The question a notebook is in the middle of: the state after each stage, and the run that records them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from kgnb.agents.agent import Listener, OutOfOrder, Task
from kgnb.agents.question_answering.act import act_question
from kgnb.agents.question_answering.actions import Query, written
from kgnb.agents.question_answering.answer import answer_question_of
from kgnb.agents.question_answering.desk import Desk, Judges
from kgnb.agents.question_answering.pipeline import STALLED
from kgnb.agents.question_answering.questions import GIVE, KEEP, NONE, PERFORM, QaQuestion
from kgnb.agents.question_answering.reflect import reflect_question
from kgnb.agents.question_answering.state import State
from kgnb.agents.question_answering.values import Answer
from kgnb.judging import Option, Verdict
from kgnb.results.bundle import count
from kgnb.results.table import Column, Table, Value

BEFORE = {
    "observe": ("link", "reflect", "act"),
    "act": ("observe",),
    "reflect": ("act",),
    "answer": ("act", "reflect", "observe"),
}
WORDS = {"act": PERFORM, "reflect": KEEP, "answer": GIVE}


class Chosen:
    """A judge that says what the person at the cell has chosen."""

    name = "person"

    def __init__(self, word: str, choices: Sequence[str]) -> None:
        self._word, self._choices = word, choices

    def judge(self, questions: Sequence[QaQuestion]) -> list[Verdict]:
        """The choice, for the one question a stage asks."""
        first = self._choices[0] if self._choices else None
        more = tuple((choice, 1.0) for choice in self._choices[1:])
        decision = self._word if first is not None else NONE
        return [Verdict(decision, first, 1.0, "chosen by hand", self.name, more) for _ in questions]


class AskingTask(Task):
    """A graph, and how far the question asked of it has come: the state after each stage, oldest first."""

    def __init__(self, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        self.states: list[State] = []  # of the question under way
        self.answers: list[Answer] = []
        self.desk: Desk  # what many questions share; whoever makes the task sets it

    @property
    def state(self) -> State:
        """The state after the last stage.

        Raises:
            OutOfOrder: no question has been asked.
        """
        if not self.states:
            raise OutOfOrder(
                "no question has been asked yet", fix='Ask one: %qa ask "...", or begin one: %qa link "..."'
            )
        return self.states[-1]

    def ready(self, stage: str) -> State:
        """The state a stage goes on from; a stage that is run again goes on from where it did before.

        Raises:
            OutOfOrder: the stage before it is missing; the message says which line to run first.
        """
        states = list(self.states)
        while states and states[-1].stage in (stage, "answer"):
            states.pop()
        if not states:
            raise OutOfOrder("no question has been asked yet", fix='Begin one in a cell above: %qa link "..."')
        if states[-1].stage not in BEFORE[stage]:
            first = BEFORE[stage][0]
            raise OutOfOrder(f"{stage} comes after {' or '.join(BEFORE[stage])}", fix=f"Run first: %qa {first}")
        self.states = states
        return replace(states[-1], options=self["options"], desk=self.desk)

    def choices(self, stage: str, state: State) -> QaQuestion:
        """What a person may choose from in a stage.

        Raises:
            OutOfOrder: the last action brought nothing to choose from.
        """
        if stage == "act":
            return act_question(state)
        if stage == "answer":
            return answer_question_of(state)[0]
        triples = state.acted.triples if state.acted else ()
        return reflect_question(state, triples)

    def keep(self, stage: str, value: State) -> State:
        """Takes a state as the one after a stage."""
        self.values[stage] = value
        self.states.append(replace(value, desk=self.desk))
        if value.answered is not None:
            self.answers.append(value.answered)
        return self.states[-1]

    def step(self, stage: str, listener: Listener, state: State, by: Chosen | None = None) -> State:
        """Runs one stage on a state; ``by`` is what a person at the cell has chosen."""
        if by is not None:
            state = replace(state, desk=replace(state.desk, judges=Judges.all(by)).watched(self.run))
        self.do(stage, listener, state=state)
        return self.states[-1]


def next_stage(state: State) -> str:
    """The stage that comes next, as ``pipeline.answer_question`` has it."""
    if state.stage == "observe":
        return "act"
    if state.stage == "act" and not state.finished:
        return "reflect"
    over = state.finished or state.round >= state.options.rounds or state.stalled >= STALLED
    return "answer" if over else "observe"


def chosen(stage: str, question: QaQuestion, words: Sequence[str], sparql: str = "") -> Chosen:
    """What a person means by numbers of the list (from 1), or by a query of their own; 0 or none: none of them.

    Raises:
        ValueError: a word is no number on the list, or there are several where one is wanted.
    """
    if sparql:
        return Chosen(PERFORM, [written(Query(sparql))])
    parts = [part for word in words for part in str(word).replace(",", " ").split()]
    if parts in (["0"], ["none"]):
        return Chosen(WORDS[stage], [])
    options = question.options
    for part in parts:
        if not part.isdecimal() or not 1 <= int(part) <= len(options):
            raise ValueError(f"{part!r} is not on the list: choose from 1 to {len(options)}, or none")
    if stage == "act" and len(parts) > 1:
        raise ValueError("one action at a time")
    return Chosen(WORDS[stage], [options[int(part) - 1].id for part in parts])


def listed(stage: str, options: Sequence[Option]) -> Table:
    """What a person may choose from, numbered, and the line that chooses."""
    what = {"act": "What to ask of the graph next", "reflect": "Which triples help", "answer": "Which of these answer"}
    how = {"act": "%qa act 1", "reflect": "%qa reflect 1 3", "answer": "%qa answer 1 2"}[stage]
    rows: list[list[Value]] = [[number, option.text] for number, option in enumerate(options, start=1)]
    notes = [f"You decide: {how}, or %qa {stage} none"]
    if stage == "act":
        notes.append('A query of your own: %qa act --sparql "SELECT ..."')
    return Table([Column("number", "#", "number"), Column("text", stage)], rows, caption=what[stage], notes=notes)


def rounds(state: State) -> Table:
    """One row an action: the action, why, who chose it, what it brought; refused ones too. Notes: the readings held."""
    columns = [
        Column("round", "Round", "number"),
        Column("action", "Action"),
        Column("why", "Why"),
        Column("by", "Chosen by"),
        Column("confidence", "Confidence", "number"),
        Column("triples", "Triples", "number"),
        Column("values", "Values", "number"),
    ]
    rows: list[list[Value]] = []
    for number, acted in enumerate(state.history, start=1):
        rows += [[number, f"refused: {one.action}", one.reason, "", None, None, None] for one in acted.refused]
        said: list[Value] = [number, written(acted.action), acted.reason, acted.judged_by, round(acted.confidence, 3)]
        rows.append([*said, len(acted.triples), len(acted.values)])
    readings = [f"read as ({r.score:.2f}): {r.explanation}" for r in state.observation.readings[:5]]
    linked = [
        f"{link.mention or 'given'}: {link.label} ({link.how}, {link.score:.2f})" for link in state.linked.links[:8]
    ]
    paths, triples = count(len(state.memory.paths), "path"), count(len(state.memory.triples), "triple")
    memory = [f"{paths} of {triples} remembered"] if state.history else []
    answer = state.answered
    ended = [f"{answer.status}: {answer.rationale}"] if answer is not None else ["not answered yet"]
    return Table(columns, rows, caption=state.question.text, notes=[*linked, *readings, *memory, *ended])

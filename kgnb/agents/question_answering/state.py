"""The state that the stages move on: what is known so far of one question, and the desk it is worked on."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from kgnb.agents.question_answering.actions import Commit, Finish, GiveUp, written
from kgnb.agents.question_answering.desk import Desk
from kgnb.agents.question_answering.values import Acted, Answer, Linked, Memory, Observation, Options, Question
from kgnb.kg.terms import Iri, Literal, Term, Triple, n3
from kgnb.llm.model import Message


@dataclass(frozen=True)
class State:
    """One question as far as it has come. Every stage takes a state and gives the next one; none is changed.

    ``stage`` names the stage that made it; counts and display are those of what that stage gave.
    """

    question: Question
    options: Options
    desk: Desk = field(repr=False, compare=False)
    stage: str = ""
    linked: Linked = field(default_factory=lambda: Linked(()))
    entities: tuple[Iri, ...] = ()  # observed next: the task entities first, then where memory's paths end
    round: int = 0
    observation: Observation = field(default_factory=Observation)
    seen: frozenset[str] = frozenset()  # IRIs that were met in this run: no other may be acted on
    history: tuple[Acted, ...] = ()  # what was done, oldest first
    memory: Memory = field(default_factory=Memory)
    talk: tuple[Message, ...] = ()  # with a model so far: what it was told, what it called, what that brought
    emulated: bool = False  # the model writes its calls as JSON, for its server has no tool calls
    stalled: int = 0  # rounds in a row that brought nothing new
    answered: Answer | None = None

    @property
    def acted(self) -> Acted | None:
        """The last action."""
        return self.history[-1] if self.history else None

    @property
    def finished(self) -> bool:
        """Whether the last action was to go on to the answer."""
        return self.acted is not None and isinstance(self.acted.action, Finish | Commit | GiveUp)

    @property
    def followed(self) -> Acted | None:
        """The last action that followed a reading and brought something."""
        return next((a for a in reversed(self.history) if a.reading is not None and (a.values or a.triples)), None)

    @property
    def settled(self) -> bool:
        """Whether the last action followed the reading that fits best, and brought what it asks for."""
        best = self.observation.readings[0] if self.observation.readings else None
        return self.followed is not None and self.followed.reading == best

    @property
    def value(self) -> Linked | Observation | Acted | Memory | Answer | None:
        """What the last stage gave."""
        return {
            "link": self.linked,
            "observe": self.observation,
            "act": self.acted,
            "reflect": self.memory,
            "answer": self.answered,
        }.get(self.stage)

    def at(self, desk: Desk) -> State:
        """The same state at another desk over the same graph; it keeps its own lexicon."""
        return replace(self, desk=replace(desk, lexicon=self.desk.lexicon))

    def marked_partial(self, why: str) -> State:
        """The same state; its answer, if there is one, is said to be partial."""
        return self if self.answered is None else replace(self, answered=replace(self.answered, partial=why))

    def counts(self) -> dict[str, int]:
        """What the last stage says it holds."""
        return self.value.counts() if self.value is not None else {}

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        if self.value is None:
            return {"text/plain": f"{self.question.text} (nothing done yet)"}
        return self.value._repr_mimebundle_(include, exclude)


def iris(terms: tuple[Term, ...] | tuple[Triple, ...]) -> frozenset[str]:
    """The IRIs among terms, or in triples."""
    flat = [part for term in terms for part in (term if isinstance(term, tuple) else (term,))]
    return frozenset(str(term) for term in flat if isinstance(term, Iri))


_OBSERVED = 30  # triples of an observation that are shown
_LONG = 120  # characters of one label


def term_text(state: State, term: Term) -> str:
    """A term on one line, cut short: its label, or its text."""
    text = (
        state.desk.hood.names.label(term)
        if isinstance(term, Iri)
        else term.text
        if isinstance(term, Literal)
        else n3(term)
    )
    line = " ".join(text.split())
    return line if len(line) <= _LONG else line[: _LONG - 1] + "…"


def triple_text(state: State, triple: Triple) -> str:
    """A triple on one line."""
    return " | ".join(term_text(state, term) for term in triple)


def act_text(state: State) -> str:
    """The question, what was observed, what is remembered and what was done."""
    parts = [f"question: {' '.join(state.question.text.split())}"]
    parts.append("entities: " + "; ".join(term_text(state, entity) for entity in state.linked.entities))
    parts += [f"observed: {triple_text(state, seen.triple)}" for seen in state.observation.triples[:_OBSERVED]]
    parts += [
        f"remembered path {number}: {' , '.join(triple_text(state, triple) for triple in path)}"
        for number, path in enumerate(state.memory.paths, start=1)
    ]
    parts += [f"done: {written(acted.action)[:200]} ({len(acted.triples)} triples)" for acted in state.history]
    return "\n".join(parts)

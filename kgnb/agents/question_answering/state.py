"""The state that the stages move on: what is known so far of one question, and the desk it is worked on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from kgnb.agents.question_answering.desk import Desk
from kgnb.agents.question_answering.values import Acted, Answer, Linked, Memory, Observation, Options, Question
from kgnb.kg.terms import Iri


@dataclass(frozen=True)
class State:
    """One question as far as it has come. Every stage takes a state and gives the next one; none is changed.

    ``stage`` names the stage that made it; counts and display are those of what that stage gave.
    """

    question: Question
    options: Options
    desk: Desk = field(repr=False, compare=False)
    stage: str = ""
    linked: Linked = Linked(())
    entities: tuple[Iri, ...] = ()  # observed next: the task entities first, then where memory's paths end
    round: int = 0
    observation: Observation = field(default_factory=Observation)
    history: tuple[Acted, ...] = ()  # what was done, oldest first
    memory: Memory = field(default_factory=Memory)
    stalled: int = 0  # rounds in a row that brought nothing new
    answered: Answer | None = None

    @property
    def acted(self) -> Acted | None:
        """The last action."""
        return self.history[-1] if self.history else None

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

    def counts(self) -> dict[str, int]:
        """What the last stage says it holds."""
        return self.value.counts() if self.value is not None else {}

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        if self.value is None:
            return {"text/plain": f"{self.question.text} (nothing done yet)"}
        return self.value._repr_mimebundle_(include, exclude)

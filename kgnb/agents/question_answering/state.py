"""The state of one question as it passes through the stages, and the context shared by questions
over one graph.

The shared context is written without locks, so only the thread that holds the turn may work. Model
calls take most of the time, and release the turn while they wait.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from kgnb.agents.question_answering.graph_reader import GraphReader, GraphSchema
from kgnb.agents.question_answering.lexicon import Directory, Lexicon, Wording
from kgnb.agents.question_answering.values import (
    Acted,
    Action,
    Answer,
    Commit,
    Finish,
    GiveUp,
    Linked,
    Look,
    Memory,
    Neighbours,
    Observation,
    Options,
    Question,
    written,
)
from kgnb.judging import Judge
from kgnb.kg.graph import Graph
from kgnb.kg.terms import Iri, Term, Triple
from kgnb.llm.model import ChatModel, Message

if TYPE_CHECKING:
    from kgnb.run import Run


class TurnLock:
    """A lock that its holder can release temporarily."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._holder: int | None = None

    @contextmanager
    def taken(self) -> Iterator[None]:
        """Wait for the turn and hold it inside this context."""
        with self._lock:
            self._holder = threading.get_ident()
            try:
                yield
            finally:
                self._holder = None

    @contextmanager
    def given_away(self) -> Iterator[None]:
        """Release the turn inside this context; no effect if the caller does not hold it."""
        if self._holder != threading.get_ident():
            yield
            return
        self._holder = None
        self._lock.release()
        try:
            yield
        finally:
            self._lock.acquire()
            self._holder = threading.get_ident()


Example: TypeAlias = tuple[str, Sequence[str], Sequence[str]]
"""A training question: its text, the IRIs it mentions, and its answers (IRIs or the texts of
literals).
"""


@dataclass(frozen=True)
class Judges:
    """One judge for each stage that needs one."""

    act: Judge[Any]
    reflect: Judge[Any]
    answer: Judge[Any]
    own_knowledge: bool = False  # what the graph does not say, the model may say from memory

    @property
    def name(self) -> str:
        """The distinct names of the judges."""
        return ", ".join(
            dict.fromkeys(judge.name for judge in (self.act, self.reflect, self.answer))
        )

    def each(self, around: Callable[[Judge[Any]], Judge[Any]]) -> Judges:
        """The same, with something put around each judge."""
        act, reflect, answer = map(around, (self.act, self.reflect, self.answer))
        return Judges(act, reflect, answer, own_knowledge=self.own_knowledge)

    @classmethod
    def all(cls, judge: Judge[Any] | Judges) -> Judges:
        """Use the same judge for every stage; ``Judges`` are returned unchanged."""
        return judge if isinstance(judge, Judges) else cls(judge, judge, judge)


@dataclass(frozen=True, eq=False)
class GraphContext:
    """Open resources and what is known about the graph (names, relations, vectors), shared by many
    questions.
    """

    graph: Graph
    judges: Judges
    reader: GraphReader
    wording: Wording
    lexicon: Lexicon
    directory: Directory
    model: ChatModel | None = None
    turn: TurnLock = field(default_factory=TurnLock)  # must be held to use any of these

    def watched(self, run: Run) -> GraphContext:
        """The same context, with its judges and model recorded by the run."""
        judges = self.judges.each(run.watch_judge)
        model = run.watch(self.model) if self.model is not None else None
        return replace(self, judges=judges, model=model)


@dataclass(frozen=True)
class State:
    """The progress of one question. Every stage takes a state and returns a new one; states are
    immutable.

    ``stage`` names the stage that produced it; counts and display are those of that stage's result.
    """

    question: Question
    options: Options
    context: GraphContext = field(repr=False, compare=False)
    stage: str = ""
    linked: Linked = field(default_factory=lambda: Linked(()))
    entities: tuple[
        Iri, ...
    ] = ()  # to observe next: at first the task entities, later the ends of memory's paths
    round: int = 0
    observation: Observation = field(default_factory=Observation)
    observed: tuple[Triple, ...] = ()  # of all rounds
    seen: frozenset[str] = frozenset()  # IRIs seen in this run: actions may use no others
    history: tuple[Acted, ...] = ()  # oldest first
    memory: Memory = field(default_factory=Memory)
    talk: tuple[Message, ...] = ()  # conversation with the model: prompts, calls and results
    emulated: bool = (
        False  # the model writes its calls as JSON because its server has no tool calls
    )
    stalled: int = 0  # consecutive rounds without progress
    answered: Answer | None = None

    @property
    def schema(self) -> GraphSchema:
        """The graph's classes and relations; where a service does not list them, those around the
        question's entities, and those named like its words or like what a model looked for.
        """
        reader = self.context.reader
        if reader.counted:
            return reader.schema
        mentions = {word for one in self.linked.links for word in one.mention.split()}
        words = [word.strip("?.,!").lower() for word in self.question.text.split()]
        words = [word for word in words if word not in mentions]
        texts = [
            " ".join(words[at : at + n]) for n in (1, 2, 3) for at in range(len(words) - n + 1)
        ]
        entities = tuple(one.iri for one in self.linked.links)
        looked = [one.action.words for one in self.history if isinstance(one.action, Look)]
        named = {iri for text in looked for iri in reader.relations_named([text])}
        schema = reader.schema_around(entities, tuple(dict.fromkeys(texts)))
        return (
            reader.schema_with(schema, tuple(sorted(named - set(schema.uses)))) if named else schema
        )

    @property
    def namespaces(self) -> tuple[str, ...]:
        """The namespaces of the relations shown, all of which may be named where a service does not
        list them.
        """
        if self.context.reader.counted:
            return ()
        cuts = {iri[: max(iri.rfind("#"), iri.rfind("/")) + 1] for iri in self.schema.uses}
        return tuple(sorted(cuts))

    @property
    def lists(self) -> bool:
        """Whether `neighbours` of a class lists its things."""
        return self.options.tools == "paper" and self.options.directions == "both"

    def lists_all(self, action: Action) -> bool:
        """Whether an action lists the things of a class, or a relation's triples whatever they are
        of.
        """
        if not self.lists or not isinstance(action, Neighbours):
            return False
        return action.entity in self.schema.uses or self.context.reader.is_class(action.entity)

    @property
    def of_classes(self) -> bool:
        """Whether a question that names no entity begins with classes and their relations."""
        entities = any(not link.is_class for link in self.linked.links)
        return self.lists and self.options.observation and not entities

    @property
    def acted(self) -> Acted | None:
        """The last action."""
        return self.history[-1] if self.history else None

    @property
    def finished(self) -> bool:
        """Whether the last action ends the loop: finish, commit or give up."""
        return self.acted is not None and isinstance(self.acted.action, Finish | Commit | GiveUp)

    @property
    def followed(self) -> Acted | None:
        """The last action that followed an interpretation and returned something."""
        return next(
            (
                a
                for a in reversed(self.history)
                if a.interpretation is not None and (a.values or a.triples)
            ),
            None,
        )

    @property
    def settled(self) -> bool:
        """Whether ``followed`` used the best interpretation."""
        best = self.observation.interpretations[0] if self.observation.interpretations else None
        return self.followed is not None and self.followed.interpretation == best

    @property
    def value(self) -> Linked | Observation | Acted | Memory | Answer | None:
        """The result of the last stage."""
        return {
            "link": self.linked,
            "observe": self.observation,
            "act": self.acted,
            "reflect": self.memory,
            "answer": self.answered,
        }.get(self.stage)

    def at(self, context: GraphContext) -> State:
        """The same state in another context for the same graph; it keeps its own lexicon."""
        return replace(self, context=replace(context, lexicon=self.context.lexicon))

    def marked_partial(self, why: str) -> State:
        """The same state, with its answer, if any, marked as partial."""
        return (
            self
            if self.answered is None
            else replace(self, answered=replace(self.answered, partial=why))
        )

    def counts(self) -> dict[str, int]:
        """The counts of the last stage's result."""
        return self.value.counts() if self.value is not None else {}

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        if self.value is None:
            return {"text/plain": f"{self.question.text} (nothing done yet)"}
        return self.value._repr_mimebundle_(include, exclude)


def iris(terms: tuple[Term, ...] | tuple[Triple, ...]) -> frozenset[str]:
    """The IRIs among terms or triples."""
    flat = [part for term in terms for part in (term if isinstance(term, tuple) else (term,))]
    return frozenset(str(term) for term in flat if isinstance(term, Iri))


_OBSERVED = 30  # triples shown from an observation
_LONG = 120  # maximum characters of a label


def term_text(state: State, term: Term) -> str:
    """A term's label or text on one line, shortened."""
    line = " ".join(state.context.reader.names.shown(term).split())
    return line if len(line) <= _LONG else line[: _LONG - 1] + "…"


def triple_text(state: State, triple: Triple) -> str:
    """A triple on one line."""
    return " | ".join(term_text(state, term) for term in triple)


def act_text(state: State) -> str:
    """The question, observed triples, memory and past actions as text."""
    parts = [f"question: {' '.join(state.question.text.split())}"]
    parts.append(
        "entities: " + "; ".join(term_text(state, entity) for entity in state.linked.entities)
    )
    parts += [
        f"observed: {triple_text(state, seen.triple)}"
        for seen in state.observation.triples[:_OBSERVED]
    ]
    parts += [
        f"remembered path {number}: {' , '.join(triple_text(state, triple) for triple in path)}"
        for number, path in enumerate(state.memory.paths, start=1)
    ]
    parts += [
        f"done: {_shortened(state, written(acted.action))[:200]} ({len(acted.triples)} triples)"
        for acted in state.history
    ]
    return "\n".join(parts)


def _shortened(state: State, text: str) -> str:
    """Text with prefixes in place of its whole IRIs."""
    return re.sub(r"\w+://[^\s<>\"]+", lambda iri: state.schema.short(Iri(iri[0])), text)

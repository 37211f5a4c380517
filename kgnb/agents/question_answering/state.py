"""The state that the stages move on, one question as far as it has come, and what many questions over a graph share.

What is shared is written without locks, so only whoever has the turn may work; a model call gives the turn away for as
long as it lasts, and that is where the time goes.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from kgnb.agents.question_answering.graph_reader import GraphReader
from kgnb.agents.question_answering.lexicon import Lexicon, Wording
from kgnb.agents.question_answering.values import (
    Acted,
    Answer,
    Commit,
    Finish,
    GiveUp,
    Linked,
    Memory,
    Observation,
    Options,
    Question,
    written,
)
from kgnb.judging import Judge
from kgnb.kg.graph import Graph
from kgnb.kg.terms import Iri, Literal, Term, Triple, n3
from kgnb.llm.model import ChatModel, Message, Reply, Request
from kgnb.vectors.embedder import Embedder

if TYPE_CHECKING:
    from kgnb.run import Run


class Turn:
    """A lock that its holder can give away for a while."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._holder: int | None = None

    @contextmanager
    def taken(self) -> Iterator[None]:
        """Waits for the turn, and has it for as long as this lasts."""
        with self._lock:
            self._holder = threading.get_ident()
            try:
                yield
            finally:
                self._holder = None

    @contextmanager
    def given_away(self) -> Iterator[None]:
        """Others may have the turn for as long as this lasts; nothing happens where the caller has none."""
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


class OverlappingModel:
    """A chat model that gives the turn away while it is asked."""

    def __init__(self, model: ChatModel, turn: Turn) -> None:
        self.model, self._turn = model, turn

    @property
    def name(self) -> str:
        """The model's own name."""
        return self.model.name

    def ask(self, request: Request) -> Reply:
        """The model's reply."""
        with self._turn.given_away():
            return self.model.ask(request)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.model, name)  # what a server or a replay says of itself


Example: TypeAlias = tuple[str, Sequence[str], Sequence[str]]
"""A training question: its text, the IRIs it speaks of, and its answers (IRIs, or literals' texts)."""


@dataclass(frozen=True)
class Judges:
    """One judge for each stage that needs one."""

    act: Judge[Any]
    reflect: Judge[Any]
    answer: Judge[Any]

    @property
    def name(self) -> str:
        """Who judges, each once."""
        return ", ".join(dict.fromkeys(judge.name for judge in (self.act, self.reflect, self.answer)))

    @classmethod
    def all(cls, judge: Judge[Any] | Judges) -> Judges:
        """The same judge for every stage; Judges are given back as they are."""
        return judge if isinstance(judge, Judges) else cls(judge, judge, judge)


@dataclass(frozen=True, eq=False)
class GraphContext:
    """Opened things, and what was learned of the graph: names, relations, vectors. Shared by many questions."""

    graph: Graph
    judges: Judges
    reader: GraphReader
    wording: Wording
    lexicon: Lexicon
    model: ChatModel | None = None
    memo: dict[Any, Any] = field(default_factory=dict)  # what stages looked up once for this graph
    turn: Turn = field(default_factory=Turn)  # whose it is may use all of these

    @classmethod
    def open(
        cls,
        graph: Graph,
        *,
        embedder: Embedder,
        judge: Judge[Any] | Judges,
        model: ChatModel | None = None,
        page: int = 1000,
        most: int = 10_000,
        timeout: float = 30.0,
        turn: Turn | None = None,
    ) -> GraphContext:
        """A context over an opened graph; nothing is asked of it yet."""
        reader = GraphReader(graph, page=page, most=most, timeout=timeout)
        wording = Wording(embedder)
        return cls(graph, Judges.all(judge), reader, wording, Lexicon(reader, wording), model, turn=turn or Turn())

    def watched(self, run: Run) -> GraphContext:
        """The same context with its judges and model on the run's record."""
        judges = Judges(*(run.watch_judge(j) for j in (self.judges.act, self.judges.reflect, self.judges.answer)))
        model = self.model
        if model is not None and not isinstance(model, OverlappingModel):  # such a one was watched before
            model = run.watch(model)
        return replace(self, judges=judges, model=model)


@dataclass(frozen=True)
class State:
    """One question as far as it has come. Every stage takes a state and gives the next one; none is changed.

    ``stage`` names the stage that made it; counts and display are those of what that stage gave.
    """

    question: Question
    options: Options
    context: GraphContext = field(repr=False, compare=False)
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
        """The last action that followed an interpretation and brought something."""
        return next(
            (a for a in reversed(self.history) if a.interpretation is not None and (a.values or a.triples)), None
        )

    @property
    def settled(self) -> bool:
        """Whether the last action followed the interpretation that fits best, and brought what it asks for."""
        best = self.observation.interpretations[0] if self.observation.interpretations else None
        return self.followed is not None and self.followed.interpretation == best

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

    def at(self, context: GraphContext) -> State:
        """The same state at another context over the same graph; it keeps its own lexicon."""
        return replace(self, context=replace(context, lexicon=self.context.lexicon))

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
        state.context.reader.names.label(term)
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

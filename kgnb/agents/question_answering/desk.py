"""The desk one question after another is worked on: the opened graph, vectors and judges, and what they remember."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from kgnb.agents.question_answering.lexicon import Lexicon
from kgnb.agents.question_answering.neighbourhood import Neighbourhood
from kgnb.agents.question_answering.turns import OverlappingModel, Turn
from kgnb.agents.question_answering.wording import Wording
from kgnb.judging import Judge
from kgnb.kg.graph import Graph
from kgnb.llm.model import ChatModel
from kgnb.vectors.embedder import Embedder

if TYPE_CHECKING:
    from kgnb.run import Run

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
class Desk:
    """Opened things, and what was learned of the graph: names, relations, vectors. Shared by many questions."""

    graph: Graph
    judges: Judges
    hood: Neighbourhood
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
    ) -> Desk:
        """A desk over an opened graph; nothing is asked of it yet."""
        hood = Neighbourhood(graph, page=page, most=most, timeout=timeout)
        wording = Wording(embedder)
        return cls(graph, Judges.all(judge), hood, wording, Lexicon(hood, wording), model, turn=turn or Turn())

    def watched(self, run: Run) -> Desk:
        """The same desk with its judges and model on the run's record."""
        judges = Judges(*(run.watch_judge(j) for j in (self.judges.act, self.judges.reflect, self.judges.answer)))
        model = self.model
        if model is not None and not isinstance(model, OverlappingModel):  # such a one was watched before
            model = run.watch(model)
        return replace(self, judges=judges, model=model)

"""Question answering from a question to an answer with its proof: the story, top to bottom."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kgnb.agents.question_answering.desk import Desk, Judges
from kgnb.agents.question_answering.state import State
from kgnb.agents.question_answering.values import Answer, Options, Question
from kgnb.judging import Judge
from kgnb.kg.graph import Graph
from kgnb.llm.model import ChatModel
from kgnb.run import Run
from kgnb.vectors.embedder import Embedder

Example = tuple[str, Sequence[str], Sequence[str]]
"""A training question: its text, the IRIs it speaks of, and its answers (IRIs, or literals' texts)."""


def open_desk(
    graph: Graph,
    *,
    embedder: Embedder,
    judge: Judge[Any] | Judges,
    model: ChatModel | None = None,
    examples: Sequence[Example] = (),
    run: Run | None = None,
) -> Desk:
    """What many questions over one graph share: labels, relations and vectors are looked up once."""
    raise NotImplementedError


def begin(question: Question | str, desk: Desk, options: Options = Options()) -> State:
    """The state before the first stage; ``link``, ``observe``, ``act``, ``reflect`` and ``answer`` move it on."""
    raise NotImplementedError


def answer_question(
    question: Question | str,
    graph: Graph | Desk,
    *,
    embedder: Embedder | None = None,
    judge: Judge[Any] | Judges | None = None,
    options: Options = Options(),
    model: ChatModel | None = None,
    examples: Sequence[Example] = (),
    run: Run | None = None,
) -> Answer:
    """The answer to a question from a graph, with its proof.

    A ``Desk`` in place of the graph brings its own embedder and judges, and what earlier questions have looked up.
    """
    raise NotImplementedError

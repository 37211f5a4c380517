"""The desk one question after another is worked on: the opened graph, vectors and judges, and what they remember."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kgnb.judging import Judge
from kgnb.kg.graph import Graph
from kgnb.llm.model import ChatModel
from kgnb.vectors.embedder import Embedder


@dataclass(frozen=True)
class Judges:
    """One judge for each stage that needs one."""

    act: Judge[Any]
    reflect: Judge[Any]
    answer: Judge[Any]


@dataclass(frozen=True, eq=False)
class Desk:
    """Opened things, and what was learned of the graph: labels, relations, vectors. Shared by many questions."""

    graph: Graph
    embedder: Embedder
    judges: Judges
    model: ChatModel | None = None
    examples: Sequence[tuple[str, Sequence[str], Sequence[str]]] = ()

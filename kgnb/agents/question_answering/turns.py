"""Several questions under way over one graph, of which one works at a time, while the others wait for the model.

What a desk has looked up is shared and written without locks, so only whoever has the turn may work; a model call
gives the turn away for as long as it lasts, and that is where the time goes.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from kgnb.llm.model import ChatModel, Reply, Request


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

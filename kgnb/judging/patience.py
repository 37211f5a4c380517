"""Leaving a model alone that fails again and again: a dead server must not be asked a thousand times, with retries."""

from __future__ import annotations

import threading

from kgnb.errors import BackendError
from kgnb.llm.model import ChatModel, Reply, Request


class Patient:
    """A model that is not asked any more once ``patience`` calls in a row have failed for good."""

    def __init__(self, model: ChatModel, patience: int) -> None:
        self._model = model
        self._patience = patience
        self._failures = 0
        self._last: BackendError | None = None
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model.name

    def another_chance(self) -> None:
        """Lets the model be asked again, until it next fails."""
        with self._lock:
            self._failures = min(self._failures, self._patience - 1)

    def ask(self, request: Request) -> Reply:
        """The model's reply.

        Raises:
            BackendError: the model failed, or was not asked because it has failed so often.
        """
        with self._lock:
            if self._last and self._failures >= self._patience:
                raise BackendError(
                    f"not asked: {self._failures} calls in a row failed, the last one: {self._last.what}",
                    service=self._last.service,
                )
        try:
            reply = self._model.ask(request)
        except BackendError as error:
            with self._lock:
                self._failures, self._last = self._failures + 1, error
            raise
        with self._lock:
            self._failures = 0
        return reply

"""A model with settings of its own for every call: temperature, reasoning effort, whatever its server knows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from kgnb.llm.model import ChatModel, Reply, Request


class Configured:
    """A model whose requests are filled in before anything else sees them, so that a cache tells them apart.

    ``sampling`` gives fields of ``Request``; what a request asks for itself (not the default) stays, and its options
    are laid over those here.
    """

    def __init__(self, model: ChatModel, sampling: Mapping[str, Any]) -> None:
        self.model = model
        self._sampling = dict(sampling)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.model, name)  # the server, the mode: it is the same model

    @property
    def name(self) -> str:
        """The model's name."""
        return self.model.name

    def prepared(self, request: Request) -> Request:
        """The request as the model gets it."""
        plain = Request(())
        changes = {
            name: value for name, value in self._sampling.items() if getattr(request, name) == getattr(plain, name)
        }
        if "options" in self._sampling:
            changes["options"] = {**self._sampling["options"], **request.options}
        return replace(request, **changes)

    def ask(self, request: Request) -> Reply:
        """The model's reply to the prepared request."""
        return self.model.ask(self.prepared(request))

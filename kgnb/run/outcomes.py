"""What a stage's result may tell the run: how much it holds, and that it is partial."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, Self, runtime_checkable


@runtime_checkable
class Counted(Protocol):
    """A result that says how much it holds."""

    def counts(self) -> Mapping[str, Any]:
        """What there is, by name: ``{"candidates": 120}``; what is not a finite number is left out of the record."""
        ...


@runtime_checkable
class Markable(Protocol):
    """A result that can say it is partial."""

    def marked_partial(self, why: str) -> Self:
        """The same result, saying that it is partial, and why."""
        ...

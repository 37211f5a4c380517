"""What watched models, judges and graphs need of the run that notes what is asked of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from kgnb.judging import Estimate
from kgnb.llm.prices import Prices
from kgnb.run.clock import Clock
from kgnb.run.limits import Spending
from kgnb.run.record import Call, Judgement, Query


class Noting(Protocol):
    """A run, as those see it that tell it what they do."""

    clock: Clock
    prices: Prices | None

    @property
    def foretells(self) -> bool:
        """Whether somebody is told beforehand what will be spent."""

    @property
    def totals(self) -> dict[str, Any]:
        """What was spent so far."""

    def expect(self, estimate: Estimate, bound: str = ..., seconds: float | None = None) -> None:
        """Tell what is about to be spent."""

    def begin_call(self, expected: Spending) -> int:
        """Set a model call aside in the budget, and number it."""

    def leave_call(self, expected: Spending) -> None:
        """Take back what was set aside for a call that waits for its reply."""

    def end_call(self, call: Call, expected: Spending, actual: Spending) -> None:
        """Note a model call with what it did cost."""

    def note_judgements(self, judgements: Sequence[Judgement]) -> None:
        """Note verdicts on the current step."""

    def note_query(self, query: Query) -> None:
        """Note a query on the current step."""

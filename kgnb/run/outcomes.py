"""What a stage's result may tell the run: how much it holds, that it is partial; and what an error makes of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol, Self, runtime_checkable

from kgnb.errors import LimitError, Waiting
from kgnb.run.record import Step


@runtime_checkable
class Counted(Protocol):
    """A result that says how much it holds."""

    def counts(self) -> Mapping[str, Any]:
        """What there is, by name: ``{"candidates": 120}``; what is not a finite number is left out of the record."""


@runtime_checkable
class Markable(Protocol):
    """A result that can say it is partial."""

    def marked_partial(self, why: str) -> Self:
        """The same result, saying that it is partial, and why."""


def failures(steps: Iterable[Step]) -> str:
    """How many judgements of these steps a model's server failed or refused, and why, in a sentence; "" where none."""
    judgements = [judgement for step in steps for judgement in step.judgements]
    failed = [judgement.rationale for judgement in judgements if judgement.failed in ("model", "refused")]
    return f"{len(failed):,} of {len(judgements):,} judgements failed: {failed[0]}" if failed else ""


def end_state(error: BaseException) -> str:
    """The state of a run, or of a step, that an error ended."""
    if isinstance(error, (KeyboardInterrupt, SystemExit)):
        return "cancelled"
    if isinstance(error, Waiting):
        return "waiting"
    return "limited" if isinstance(error, LimitError) else "failed"

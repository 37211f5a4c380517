"""What a judge would cost, before a long run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar, runtime_checkable

from kgnb.judging.question import Judge, Question

Q = TypeVar("Q", bound=Question)


@dataclass(frozen=True, slots=True)
class Estimate:
    """Model calls and tokens a batch of questions is expected to take: no repairs, nothing from the cache."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def __add__(self, other: Estimate) -> Estimate:
        return Estimate(
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
        )

    def __str__(self) -> str:
        return f"{self.calls:,} calls, about {self.prompt_tokens:,} tokens in and {self.completion_tokens:,} out"


@runtime_checkable
class Estimable(Protocol):
    """A judge that knows what it would cost."""

    def estimate(self, questions: Sequence[Any]) -> Estimate:
        """What these questions would cost."""


def estimate(judge: Judge[Q], questions: Sequence[Q]) -> Estimate:
    """What ``questions`` would cost; nothing for a judge that asks no model.

    In a cascade the cheap judge really judges them, as only that tells what is left for the costly one.
    """
    return judge.estimate(questions) if isinstance(judge, Estimable) else Estimate()

"""Where a run's times come from; tests pass a clock of their own, so that a written run is the same every day."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Clock:
    """``now`` dates a run; ``seconds`` measures durations, and never runs backwards as the date may."""

    now: Callable[[], datetime] = _now
    seconds: Callable[[], float] = time.perf_counter

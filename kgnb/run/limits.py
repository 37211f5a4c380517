"""Budgets: how many calls, tokens, dollars and seconds a run may spend, enforced before each call."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from math import fsum

from kgnb.errors import LimitError
from kgnb.results.bundle import one_of

_UNITS = {"calls": "model calls", "tokens": "tokens", "usd": "US dollars", "seconds": "seconds"}
STOPPED = "stopped"


@dataclass(frozen=True, slots=True)
class Limits:
    """What a run may spend; None means no limit. Replies from the cache are free.

    ``seconds`` counts the time inside stages: a notebook that is idle between two cells spends
    nothing.
    """

    calls: int | None = None
    tokens: int | None = None
    usd: float | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        for entry in fields(self):
            value = getattr(self, entry.name)
            if value is not None and not value >= 0:
                raise ValueError(
                    f"the limit of {_UNITS[entry.name]} is {value!r}; it must be 0 or more, or None"
                )


@dataclass(frozen=True, slots=True)
class Spending:
    """What one call costs, or is expected to cost at least."""

    calls: int = 0
    tokens: int = 0
    usd: float = 0.0


class Budget:
    """Keeps a run inside its limits, with calls in flight from several threads.

    A call that might not fit beside those in flight waits for them: one of them may turn out to be
    free.
    """

    def __init__(self, limits: Limits, elapsed: Callable[[], float]) -> None:
        self.limits = limits
        self._elapsed = elapsed
        self._spent = Spending()
        self._in_flight: list[Spending] = []
        self._changed = threading.Condition()
        self.stopped = False

    def stop(self) -> None:
        """Let nothing more be spent; safe in a signal handler."""
        self.stopped = True

    def take(self, expected: Spending) -> None:
        """Set ``expected`` aside for one call.

        Raises:
            LimitError: it does not fit any more; ``.limit`` names the budget.
        """
        with self._changed:
            while True:
                if limit := self._exceeded([expected]):
                    raise self._error(limit)
                if not self._exceeded([expected, *self._in_flight]):
                    break
                self._changed.wait()
            self._in_flight.append(expected)

    def check(self, spent: str = "") -> None:
        """Check that there is anything left to spend; ``spent`` names a budget that is known to be
        spent.

        Raises:
            LimitError: there is not.
        """
        with self._changed:
            limit = spent or self._exceeded([])
        if limit:
            raise self._error(limit)

    def short(self, expected: Spending) -> str:
        """The budget that ``expected`` exceeds, in words; "" if all suffice."""
        with self._changed:
            limit = self._exceeded([expected])
        return _in_units(getattr(self.limits, limit), limit) if limit in _UNITS else ""

    def settle(self, expected: Spending, actual: Spending) -> None:
        """Replace what was set aside by what the call did cost."""
        with self._changed:
            self._in_flight.remove(expected)
            self._spent = _sum([self._spent, actual])
            self._changed.notify_all()

    def _exceeded(self, more: Sequence[Spending]) -> str:
        if self.stopped:
            return STOPPED
        total, limits = _sum([self._spent, *more]), self.limits
        if limits.seconds is not None and self._elapsed() >= limits.seconds:
            return "seconds"
        for name in ("calls", "tokens", "usd"):
            limit = getattr(limits, name)
            if limit is not None and getattr(total, name) > limit:
                return name
        return ""

    def _error(self, limit: str) -> LimitError:
        if limit == STOPPED:
            return LimitError(
                "it was stopped by hand",
                limit=limit,
                fix="Run it again: replies already paid for are kept.",
            )
        spent = self._elapsed() if limit == "seconds" else getattr(self._spent, limit)
        return LimitError(
            f"the budget of {_in_units(getattr(self.limits, limit), limit)} is spent ({spent:g} used)",
            limit=limit,
            fix=f"Raise the limit ({limit}) and run again: replies already paid for come from the cache.",
        )


def _in_units(amount: float, limit: str) -> str:
    """An amount with its unit."""
    return f"{amount:g} {one_of(_UNITS[limit]) if amount == 1 else _UNITS[limit]}"


def _sum(items: Sequence[Spending]) -> Spending:
    return Spending(
        sum(item.calls for item in items),
        sum(item.tokens for item in items),
        fsum(item.usd for item in items),
    )

"""What is about to be spent, in numbers and in a line: told before a long run, and once a part of it is measured."""

from __future__ import annotations

from typing import Any

from kgnb.judging import Estimate
from kgnb.llm.model import ChatModel, Usage
from kgnb.llm.prices import Prices, cost
from kgnb.results.wording import money, seconds
from kgnb.run.limits import Budget, Noting, Spending
from kgnb.run.plain import number_of
from kgnb.run.watched import is_free, pace_of

MEASURED = 5  # items after which the rest of a batch is reckoned from what these took


def foreseen(
    estimate: Estimate, model: ChatModel, prices: Prices | None, budget: Budget, bound: str, measured: float | None
) -> dict[str, Any]:
    """An estimate as an event has it, with its line in ``text``.

    Money where the model's price is known. Seconds as ``measured``, else the least that the pace in the settings
    leaves, else none: nobody knows how fast a server is before it has answered.
    """
    tokens = Usage(estimate.prompt_tokens, estimate.completion_tokens, estimated=True)
    usd = 0.0 if is_free(model) else cost(tokens, model.name, prices)
    pace = pace_of(model)
    least = 60.0 * (estimate.calls / pace - 1) if pace else 0.0  # a minute's calls may leave at once
    parts = [f"{bound} {number_of(estimate.calls, 'model call')}"]
    if tokens.total:
        out = f" and {tokens.completion_tokens:,} out" if tokens.completion_tokens else ""
        parts.append(f"{tokens.prompt_tokens:,} tokens in{out}")
    if usd:
        parts.append(f"{money(usd)} at the price in the settings")
    if measured is not None:
        parts.append(f"{seconds(measured)} at the pace so far")
    elif least > 0:
        parts.append(f"{seconds(least)} or more at {pace:,g} calls a minute")
    text = f"{', '.join(parts)}; replies in the cache cost nothing"
    if short := budget.short(Spending(estimate.calls, tokens.total, usd or 0.0)):
        text += f". The budget of {short} {'may' if bound == 'up to' else 'will'} end it before"
    return {
        "calls": estimate.calls,
        "prompt_tokens": tokens.prompt_tokens,
        "completion_tokens": tokens.completion_tokens,
        "usd": usd,
        "seconds": measured if measured is not None else max(least, 0.0) or None,
        "bound": bound,
        "text": text,
    }


class Forecast:
    """Told how far a batch has come, it tells once what the rest takes if it takes what the first items took."""

    def __init__(self, run: Noting) -> None:
        self._run, self._before, self._begun = run, run.totals, run.clock.seconds()

    def done(self, number: int, total: int) -> None:
        """So many of so many are done."""
        if number != MEASURED or total < 2 * MEASURED or not self._run.foretells:
            return
        now, share = self._run.totals, (total - number) / number
        calls, prompt, completion = (
            round((now[name] - self._before[name]) * share) for name in ("calls", "prompt_tokens", "completion_tokens")
        )
        elapsed = self._run.clock.seconds() - self._begun
        self._run.expect(Estimate(calls, prompt, completion), "for the rest about", elapsed * share)

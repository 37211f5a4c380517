"""The cost ledger of a report: what every stage took in calls, tokens, money, queries and seconds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import fsum
from typing import Any

from kgnb.results.table import Column, Table, Value
from kgnb.results.wording import money, seconds
from kgnb.run import Run
from kgnb.run.record import Step

COLUMNS = (
    Column("stage", "Stage"),
    Column("times", "Times", "number"),
    Column("calls", "Model calls", "number"),
    Column("cached", "of them cached", "number"),
    Column("prompt", "Prompt tokens", "number"),
    Column("completion", "Completion tokens", "number"),
    Column("usd", "US dollars", "number"),
    Column("queries", "Graph queries", "number"),
    Column("seconds", "Time", "number"),
)


def ledger(run: Run, *, of: str = "") -> Table:
    """One row a stage, and all of them together; ``of`` says which run it is, where a report has several."""
    steps = [step for step in run.steps if step.calls or step.queries or step.seconds is not None]
    names = list(dict.fromkeys(step.name for step in steps))
    rows = [_row(name, [step for step in steps if step.name == name]) for name in names]
    rows.append(_row("all", steps))
    notes = [
        "Tokens are what the models' servers counted, cached replies included; a cached reply costs nothing again.",
        "Money is reckoned from the prices in the file that the setting model.prices names.",
        f"Times are those of this run, begun {run.to_json()['started'] or 'never'}; they differ every time.",
    ]
    return Table(COLUMNS, rows, caption=f"Cost ledger{f', {of}' if of else ''}", notes=notes)


def spent(totals: Mapping[str, Any]) -> dict[str, Any]:
    """The same as data, without times: calls and tokens as if nothing had been cached."""
    tokens = {name: totals[name] for name in ("prompt_tokens", "completion_tokens")}
    return {"calls": totals["calls"], "tokens": sum(tokens.values())} | tokens | {"queries": totals["queries"]}


def _row(name: str, steps: Sequence[Step]) -> list[Value]:
    calls = [call for step in steps for call in step.calls]
    return [
        name,
        len(steps),
        len(calls),
        sum(call.cached for call in calls),
        sum(call.prompt_tokens for call in calls),
        sum(call.completion_tokens for call in calls),
        _money(call.usd for call in calls if call.error is None),
        sum(len(step.queries) for step in steps),
        seconds(fsum(step.seconds or 0.0 for step in steps)),
    ]


def _money(paid: Iterable[float | None]) -> str:
    amounts = list(paid)
    known = [amount for amount in amounts if amount is not None]
    return money(fsum(known)) if len(known) == len(amounts) else "price not set"

"""What every task needs: a run with the settings' budget and prices, and a memory for what a model has judged."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from kgnb.judging import Judge, Memory, ModelJudge, Question, Remembered
from kgnb.llm.kept import server_alias
from kgnb.llm.prices import Price, Prices
from kgnb.run import Limits, Run
from kgnb.secret import hide
from kgnb.settings import Settings, known_secrets

Q = TypeVar("Q", bound=Question)


def new_run(
    agent: str,
    data: Mapping[str, str],
    *,
    parameters: Mapping[str, Any] | None = None,
    settings: Settings,
    folder: Path | None = None,
    on_event: Callable[[Any], None] | None = None,
) -> Run:
    """A run over this data (the digest of every input by its name), with the settings' budget and prices.

    The secrets that the settings lead to are kept out of its folder.
    """
    hide(*known_secrets(settings))
    limits = Limits(
        calls=settings.calls_limit or None,
        tokens=settings.tokens_limit or None,
        usd=settings.usd_limit or None,
        seconds=settings.seconds_limit or None,
    )
    return Run(
        agent,
        parameters=parameters or {},
        data=data,
        folder=folder,
        limits=limits,
        prices=prices_of(settings),
        on_event=on_event,
    )


def prices_of(settings: Settings) -> Prices | None:
    """What models cost: the table the settings name, and over it the price they state; None where they say nothing.

    Raises:
        DataError: the table cannot be read.
    """
    table = Prices.load(settings.prices) if settings.prices else None
    if not settings.price:
        return table
    stated = {settings.model: Price.stated(settings.price)}
    return Prices(table.date, {**table.models, **stated}) if table else Prices("", stated)


def remembering(judge: ModelJudge[Q], settings: Settings) -> Judge[Q]:
    """The judge, asked only what it has not judged before; as it is where no verdicts are to be kept.

    Reports keep none (remember: no): their costs would depend on what had run before them.
    """
    if settings.replay == "live" or settings.remember == "no":
        return judge
    memory = Memory(settings.cache / "verdicts.sqlite")
    return Remembered(judge, memory, where=server_alias(settings.base_url), replaying=settings.replay == "replay")

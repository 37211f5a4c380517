"""What all tasks share: runs with the settings' budget and prices, models, and a memory of
verdicts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar
from typing import Literal as OneOf

from kgnb.backends import open_model
from kgnb.judging import ClosedQuestion, Judge, ModelJudge, Remembered, VerdictStore
from kgnb.llm.model import ChatModel
from kgnb.llm.prices import Price, Prices
from kgnb.llm.replay import server_alias
from kgnb.run import Limits, Run
from kgnb.secret import hide
from kgnb.settings import Settings, known_secrets
from kgnb.sqlite_file import opened_or_said

Q = TypeVar("Q", bound=ClosedQuestion)
Role = OneOf["plan", "judge", "extract", "write"]


def new_run(
    agent: str,
    data: Mapping[str, str],
    *,
    parameters: Mapping[str, Any] | None = None,
    settings: Settings,
    folder: Path | None = None,
    on_event: Callable[[Any], None] | None = None,
) -> Run:
    """A run over this data (the digest of every input by its name), with the settings' budget and
    prices.

    Secrets named in the settings are kept out of its folder.
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


def judge_and_model(judge: str, settings: Settings) -> tuple[str, Settings]:
    """The judge and the settings that a judge's name stands for: recorded:NAME or batch:FOLDER is
    the judge that asks a model, and that model.
    """
    if judge.startswith(("recorded:", "batch:")):
        return "auto", settings.with_(model=judge)
    return judge, settings


def answering_model(settings: Settings) -> ChatModel | None:
    """The chat model the settings name for judging, once it has answered; None where they name none.

    Raises:
        ConfigError, BackendError: it does not answer, and no recorded replies can stand in for it.
    """
    model = open_model(settings.of_role("judge"))
    if model is not None:
        model.check_answering()
    return model


def digests_of(inputs: Mapping[str, Any]) -> dict[str, str]:
    """The digest of every input by its name, as a run records them; "" for what has none, such as
    an endpoint.
    """
    found: dict[str, str] = {}
    for role, value in inputs.items():
        name = str(getattr(value, "name", "") or getattr(value, "iri", "") or role)
        found[name if name not in found else f"{name} ({role})"] = str(getattr(value, "digest", ""))
    return found


def prices_of(settings: Settings) -> Prices | None:
    """What models cost: the table the settings name, and over it the price they state; None where
    they say nothing.

    Raises:
        DataError: the table cannot be read.
    """
    table = Prices.load(settings.prices) if settings.prices else None
    if not settings.price:
        return table
    name = settings.model
    if name.startswith("batch:"):
        name = name.partition("@")[2] or "batch"
    stated = {name: Price.stated(settings.price)}
    return Prices(table.date, {**table.models, **stated}) if table else Prices("", stated)


def remembering(judge: ModelJudge[Q], settings: Settings) -> Judge[Q]:
    """The judge with a memory of its verdicts; unchanged where no verdicts are to be kept.

    Reports keep none (``remember = "no"``): their costs would depend on earlier runs.
    """
    if (
        settings.replay == "live"
        or not settings.remember
        or settings.model.startswith(("batch:", "recorded:"))
    ):
        return judge
    memory = opened_or_said(VerdictStore, settings.cache / "verdicts.sqlite")
    if memory is None:
        return judge
    return Remembered(
        judge, memory, where=server_alias(settings.base_url), replaying=settings.replay == "replay"
    )

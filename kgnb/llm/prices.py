"""What a call costs: prices from the user's own dated file, tokens as the server counted them or as
estimated.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

from pydantic import ConfigDict, Field, TypeAdapter

from kgnb.errors import DataError
from kgnb.files import read_input
from kgnb.llm.model import Reply, Request, Usage

_FORM = 'Its form: date = 2026-11-01, then a table a model: [models."NAME"] with prompt = 0.5 and completion = 1.5.'


Amount = Annotated[float, Field(ge=0, allow_inf_nan=False, strict=True)]


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million tokens in and out; ``cached``: for tokens in from the server's own
    cache.
    """

    prompt: Amount
    completion: Amount
    cached: Amount | None = None  # None: the same as any other

    @classmethod
    def stated(cls, text: str) -> Price:
        """The price in a text: in/out or in/out/cached.

        >>> Price.stated("0.15/0.6")
        Price(prompt=0.15, completion=0.6, cached=None)
        """
        prompt, completion, *cached = map(float, text.split("/"))
        return cls(prompt, completion, *cached)


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices by model name. There are no built-in ones: they would be wrong by the time you read
    this.
    """

    date: str  # ISO 8601: when the prices were looked up; "" for one from the settings
    models: Mapping[str, Price]

    @classmethod
    def load(cls, path: Path | str) -> Prices:
        """The prices in a TOML file (the error message of a bad one shows the form).

        Raises:
            DataError: the file is missing, is not TOML, has no date, or a price is not a number of
                0 or more.
        """
        try:
            content = tomllib.loads(read_input(path, _FORM))
        except tomllib.TOMLDecodeError as error:
            raise DataError(
                f"cannot be read as a table of prices: {error}", where=path, fix=_FORM
            ) from error
        if "date" not in content:
            raise DataError("the prices have no date", where=path, fix=_FORM)
        try:
            return cls(str(content["date"]), _MODELS.validate_python(content.get("models")))
        except ValueError as error:
            what = "it needs a table per model; a price is a number of US dollars per million tokens, 0 or more"
            raise DataError(what, where=path, fix=_FORM, details=str(error)) from error


_MODELS: TypeAdapter[dict[str, Price]] = TypeAdapter(
    dict[str, Price], config=ConfigDict(defer_build=True)
)


def cost(usage: Usage, model: str, prices: Prices | None) -> float | None:
    """US dollars for a usage; None (unknown, not free) for a model without a price.

    >>> cost(Usage(1_000_000, 2_000), "m", Prices("2026-11-01", {"m": Price(0.5, 1.5)}))
    0.503
    """
    price = prices.models.get(model) if prices else None
    if price is None:
        return None
    cached = min(usage.cached_tokens, usage.prompt_tokens)
    read = (usage.prompt_tokens - cached) * price.prompt
    read += cached * (price.prompt if price.cached is None else price.cached)
    return (read + usage.completion_tokens * price.completion) / 1_000_000


def estimate_tokens(text: str) -> int:
    """About how many tokens a text takes: its characters / 4, a rule of thumb for English, rounded
    up.

    >>> estimate_tokens("Programme Committee")
    5
    """
    return -(-len(text) // 4)


def estimate_usage(request: Request, reply: str = "") -> Usage:
    """The usage of a call that nobody has counted or made yet; marked as an estimate.

    All that is sent counts: messages, the calls in them, and the schemas of tools and reply, often
    the larger part.
    """
    prompt = sum(estimate_tokens(message.text) for message in request.messages)
    sent = [dict(call.arguments) for message in request.messages for call in message.tool_calls]
    sent += [
        {"name": one.name, "about": one.description, "parameters": one.parameters}
        for one in request.tools
    ]
    sent += [dict(request.schema)] if request.schema is not None else []
    prompt += sum(
        estimate_tokens(json.dumps(each, ensure_ascii=False, default=str)) for each in sent
    )
    return Usage(prompt, estimate_tokens(reply), estimated=True)


# a count so many times smaller than the estimate means tokens of 40 characters, which no text has;
# a text of a few tokens may be counted as none
_FEWER, _FEW = 10, 5


def counted_usage(reply: Reply, request: Request) -> Usage:
    """The tokens of a reply as its server counted them.

    What the server did not count, or with fewer tokens than the text can have, is estimated: a
    budget would never be spent.

    >>> request = Request((), schema={"type": "string", "description": "word " * 80})
    >>> usage = counted_usage(Reply("yes", usage=Usage(0, 1)), request)
    >>> usage.prompt_tokens, usage.completion_tokens, usage.estimated
    (110, 1, True)
    """
    calls = [dict(call.arguments) for call in reply.tool_calls]
    said = reply.text + "".join(json.dumps(each, ensure_ascii=False) for each in calls)
    least, used = estimate_usage(request, said), reply.usage
    if not used.total:
        return least
    if least.prompt_tokens > _FEWER * used.prompt_tokens + _FEW:
        used = replace(used, prompt_tokens=least.prompt_tokens, estimated=True)
    if least.completion_tokens > _FEWER * used.completion_tokens + _FEW:
        used = replace(used, completion_tokens=least.completion_tokens, estimated=True)
    return used

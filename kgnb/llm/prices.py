"""What a call costs: prices from the user's own dated file, tokens as the server counted them, or marked estimates."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kgnb.errors import DataError
from kgnb.llm.model import Request, Usage

_FORM = 'Its form: date = 2026-11-01, then a table a model: [models."NAME"] with prompt = 0.5 and completion = 1.5.'


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million tokens in and out."""

    prompt: float
    completion: float

    @classmethod
    def stated(cls, text: str) -> Price:
        """The price in a text, in/out.

        >>> Price.stated("0.15/0.6")
        Price(prompt=0.15, completion=0.6)
        """
        prompt, _, completion = text.partition("/")
        return cls(float(prompt), float(completion))


@dataclass(frozen=True, slots=True)
class Prices:
    """The prices of a day, by model name. There are no built-in ones: they would be wrong by the time you read this."""

    date: str  # ISO 8601: when the prices were looked up; "" where the settings state one
    models: Mapping[str, Price]

    @classmethod
    def load(cls, path: Path | str) -> Prices:
        """The prices in a TOML file (form: see the error of a bad one).

        Raises:
            DataError: the file is missing, is not TOML, has no date, or a price is not a number of 0 or more.
        """
        try:
            content = tomllib.loads(Path(path).read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise DataError(f"cannot be read as a table of prices: {error}", where=str(path), fix=_FORM) from error
        if "date" not in content:
            raise DataError("the prices have no date", where=str(path), fix=_FORM)
        models = content.get("models")
        if not isinstance(models, dict):
            raise DataError("there is no table of models", where=str(path), fix=_FORM)
        return cls(str(content["date"]), {name: _price(entry, f"{path}: {name}") for name, entry in models.items()})


def _price(entry: Any, where: str) -> Price:
    entry = entry if isinstance(entry, dict) else {}
    prompt, completion = (entry.get(name) for name in ("prompt", "completion"))
    for each in (prompt, completion):
        if isinstance(each, bool) or not isinstance(each, int | float) or not 0 <= each < float("inf"):
            raise DataError("a price is a number of US dollars per million tokens, 0 or more", where=where, fix=_FORM)
    return Price(float(prompt), float(completion))


def cost(usage: Usage, model: str, prices: Prices | None) -> float | None:
    """US dollars for a usage; None (unknown, not free) for a model without a price.

    >>> cost(Usage(1_000_000, 2_000), "m", Prices("2026-11-01", {"m": Price(0.5, 1.5)}))
    0.503
    """
    price = prices.models.get(model) if prices else None
    if price is None:
        return None
    return (usage.prompt_tokens * price.prompt + usage.completion_tokens * price.completion) / 1_000_000


def estimate_tokens(text: str) -> int:
    """About how many tokens a text is: its characters / 4, a rule of thumb for English, rounded up.

    >>> estimate_tokens("Programme Committee")
    5
    """
    return -(-len(text) // 4)


def estimate_usage(request: Request, reply: str = "") -> Usage:
    """A usage for a call whose server counts nothing, or that is yet to be made; marked as an estimate."""
    prompt = sum(estimate_tokens(message.text) for message in request.messages)
    return Usage(prompt, estimate_tokens(reply), estimated=True)
